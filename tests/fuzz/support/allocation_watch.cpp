// The counters, and the operators that feed them. Sizes are what the allocator says, so that delete needs none.
#include "support/allocation_watch.hpp"

#include <malloc.h>

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <new>

namespace vitrine::fuzz {
namespace {

struct Counters {
  bool watching = false;
  std::int64_t held = 0;  // since the watch began; may fall below zero when older memory is freed
  std::int64_t peak = 0;
  std::int64_t limit = 0;
  bool exceeded = false;
};
Counters counters;
std::int64_t allocations_until_failure = -1;
bool failed = false;

/// Whether this allocation may go ahead.
bool admit(std::size_t size) {
  if (!counters.watching) return true;
  const auto wanted = counters.held + static_cast<std::int64_t>(std::min<std::size_t>(size, PTRDIFF_MAX / 2));
  counters.peak = std::max(counters.peak, wanted);
  if (allocations_until_failure >= 0 && allocations_until_failure-- == 0) {
    failed = true;
    return false;
  }
  if (wanted <= counters.limit) return true;
  counters.exceeded = true;
  return false;
}

void* allocate(std::size_t size, std::size_t alignment) noexcept {
  if (!admit(size)) return nullptr;
  const std::size_t rounded = std::max(alignment, (size + alignment - 1) / alignment * alignment);
  void* memory = alignment <= alignof(std::max_align_t) ? std::malloc(rounded) : std::aligned_alloc(alignment, rounded);
  if (memory != nullptr && counters.watching) counters.held += static_cast<std::int64_t>(malloc_usable_size(memory));
  return memory;
}

void* allocate_or_throw(std::size_t size, std::size_t alignment) {
  void* memory = allocate(size, alignment);
  if (memory == nullptr) throw std::bad_alloc();
  return memory;
}

void release(void* memory) noexcept {
  if (memory != nullptr && counters.watching) counters.held -= static_cast<std::int64_t>(malloc_usable_size(memory));
  std::free(memory);
}

}  // namespace

AllocationWatch::AllocationWatch(std::uint64_t limit) {
  counters = Counters{};
  counters.limit = static_cast<std::int64_t>(std::min<std::uint64_t>(limit, INT64_MAX));
  counters.watching = true;
}

AllocationWatch::~AllocationWatch() { counters.watching = false; }

std::int64_t AllocationWatch::bytes() const { return counters.held; }
std::int64_t AllocationWatch::peak() const { return counters.peak; }
bool AllocationWatch::exceeded() const { return counters.exceeded; }

void fail_allocation(std::int64_t index) {
  allocations_until_failure = index;
  failed = false;
}

bool allocation_failed() { return failed; }

}  // namespace vitrine::fuzz

// Not inlined: beside an inlined free() the compiler takes operator new for the standard one, and warns.
#define VITRINE_NOINLINE __attribute__((noinline))

using vitrine::fuzz::allocate;
using vitrine::fuzz::allocate_or_throw;
using vitrine::fuzz::release;

constexpr std::size_t kDefaultAlignment = alignof(std::max_align_t);

VITRINE_NOINLINE void* operator new(std::size_t size) { return allocate_or_throw(size, kDefaultAlignment); }
VITRINE_NOINLINE void* operator new[](std::size_t size) { return allocate_or_throw(size, kDefaultAlignment); }
VITRINE_NOINLINE void* operator new(std::size_t size, std::align_val_t alignment) {
  return allocate_or_throw(size, static_cast<std::size_t>(alignment));
}
VITRINE_NOINLINE void* operator new[](std::size_t size, std::align_val_t alignment) {
  return allocate_or_throw(size, static_cast<std::size_t>(alignment));
}
VITRINE_NOINLINE void* operator new(std::size_t size, const std::nothrow_t&) noexcept {
  return allocate(size, kDefaultAlignment);
}
VITRINE_NOINLINE void* operator new[](std::size_t size, const std::nothrow_t&) noexcept {
  return allocate(size, kDefaultAlignment);
}
VITRINE_NOINLINE void* operator new(std::size_t size, std::align_val_t alignment, const std::nothrow_t&) noexcept {
  return allocate(size, static_cast<std::size_t>(alignment));
}
VITRINE_NOINLINE void* operator new[](std::size_t size, std::align_val_t alignment, const std::nothrow_t&) noexcept {
  return allocate(size, static_cast<std::size_t>(alignment));
}
VITRINE_NOINLINE void operator delete(void* memory) noexcept { release(memory); }
VITRINE_NOINLINE void operator delete[](void* memory) noexcept { release(memory); }
VITRINE_NOINLINE void operator delete(void* memory, std::size_t) noexcept { release(memory); }
VITRINE_NOINLINE void operator delete[](void* memory, std::size_t) noexcept { release(memory); }
VITRINE_NOINLINE void operator delete(void* memory, std::align_val_t) noexcept { release(memory); }
VITRINE_NOINLINE void operator delete[](void* memory, std::align_val_t) noexcept { release(memory); }
VITRINE_NOINLINE void operator delete(void* memory, std::size_t, std::align_val_t) noexcept { release(memory); }
VITRINE_NOINLINE void operator delete[](void* memory, std::size_t, std::align_val_t) noexcept { release(memory); }
VITRINE_NOINLINE void operator delete(void* memory, const std::nothrow_t&) noexcept { release(memory); }
VITRINE_NOINLINE void operator delete[](void* memory, const std::nothrow_t&) noexcept { release(memory); }
