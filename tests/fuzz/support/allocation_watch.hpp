// AllocationWatch: counts what is allocated while it lives, refuses what passes a limit, and can make one allocation
// fail. It replaces the program's global operator new, and knows one thread.
#pragma once

#include <cstdint>

namespace vitrine::fuzz {

class AllocationWatch {
 public:
  /// At most `limit` bytes more than now at once. One watch at a time.
  explicit AllocationWatch(std::uint64_t limit);
  ~AllocationWatch();
  AllocationWatch(const AllocationWatch&) = delete;
  AllocationWatch& operator=(const AllocationWatch&) = delete;

  /// Bytes held now, beyond those at the beginning.
  std::int64_t bytes() const;
  /// The most bytes that were held, or asked for, at once.
  std::int64_t peak() const;
  bool exceeded() const;
};

/// Makes allocation number `index`, from 0, of those that are watched from now on fail; -1: none.
void fail_allocation(std::int64_t index);
/// Whether that allocation has come and failed.
bool allocation_failed();

}  // namespace vitrine::fuzz
