// Counts the allocations of a test program by replacing the global operator new. Include it in one file a program.
#pragma once

#include <atomic>
#include <cstdlib>
#include <new>

namespace vitrine::test {

inline std::atomic<long> allocation_count{0};

}  // namespace vitrine::test

// Inlined into a container, a delete that calls free() beside a new that does not looks like a mistake to GCC.
#define VITRINE_TEST_NOINLINE __attribute__((noinline))

inline void* vitrine_test_allocate(std::size_t size, std::size_t alignment) {
  ++vitrine::test::allocation_count;
  const std::size_t rounded = (size + alignment - 1) / alignment * alignment;
  void* memory = std::aligned_alloc(alignment, rounded == 0 ? alignment : rounded);
  if (memory == nullptr) throw std::bad_alloc();
  return memory;
}

VITRINE_TEST_NOINLINE void* operator new(std::size_t size) {
  return vitrine_test_allocate(size, alignof(std::max_align_t));
}
VITRINE_TEST_NOINLINE void* operator new[](std::size_t size) {
  return vitrine_test_allocate(size, alignof(std::max_align_t));
}
VITRINE_TEST_NOINLINE void* operator new(std::size_t size, std::align_val_t alignment) {
  return vitrine_test_allocate(size, static_cast<std::size_t>(alignment));
}
VITRINE_TEST_NOINLINE void* operator new[](std::size_t size, std::align_val_t alignment) {
  return vitrine_test_allocate(size, static_cast<std::size_t>(alignment));
}
inline void* vitrine_test_try_allocate(std::size_t size, std::size_t alignment) noexcept {
  try {
    return vitrine_test_allocate(size, alignment);
  } catch (const std::bad_alloc&) {
    return nullptr;
  }
}

// The standard library's own are its callers: std::stable_sort allocates so.
VITRINE_TEST_NOINLINE void* operator new(std::size_t size, const std::nothrow_t&) noexcept {
  return vitrine_test_try_allocate(size, alignof(std::max_align_t));
}
VITRINE_TEST_NOINLINE void* operator new[](std::size_t size, const std::nothrow_t&) noexcept {
  return vitrine_test_try_allocate(size, alignof(std::max_align_t));
}
VITRINE_TEST_NOINLINE void* operator new[](std::size_t size, std::align_val_t alignment,
                                           const std::nothrow_t&) noexcept {
  return vitrine_test_try_allocate(size, static_cast<std::size_t>(alignment));
}
VITRINE_TEST_NOINLINE void operator delete(void* memory) noexcept { std::free(memory); }
VITRINE_TEST_NOINLINE void operator delete[](void* memory) noexcept { std::free(memory); }
VITRINE_TEST_NOINLINE void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }
VITRINE_TEST_NOINLINE void operator delete[](void* memory, std::size_t) noexcept { std::free(memory); }
VITRINE_TEST_NOINLINE void operator delete(void* memory, std::align_val_t) noexcept { std::free(memory); }
VITRINE_TEST_NOINLINE void operator delete[](void* memory, std::align_val_t) noexcept { std::free(memory); }
VITRINE_TEST_NOINLINE void operator delete(void* memory, std::size_t, std::align_val_t) noexcept { std::free(memory); }
VITRINE_TEST_NOINLINE void operator delete[](void* memory, std::size_t, std::align_val_t) noexcept {
  std::free(memory);
}

#undef VITRINE_TEST_NOINLINE
