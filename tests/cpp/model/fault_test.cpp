#include "model/fault.hpp"

#include <doctest/doctest.h>

#include <set>
#include <string_view>

#include "support/expect_error.hpp"

namespace vitrine {
namespace {

TEST_CASE("every fault has one entry, in the order of the enumeration, with a name of its own") {
  CHECK(kFaults.size() == static_cast<std::size_t>(Fault::finished_row_advances));
  std::set<std::string_view> names;
  for (std::size_t i = 0; i < kFaults.size(); ++i) {
    CAPTURE(kFaults[i].name);
    CHECK(kFaults[i].fault == static_cast<Fault>(i + 1));
    CHECK(fault_name(kFaults[i].fault) == kFaults[i].name);
    CHECK(names.insert(kFaults[i].name).second);
  }
}

TEST_CASE("a fault is found by its name, none by none, and another name is refused") {
  for (const FaultEntry& entry : kFaults) CHECK(parse_fault(entry.name) == entry.fault);
  CHECK(parse_fault("none") == Fault::none);
  CHECK(fault_name(Fault::none) == "none");
  CHECK_ERROR(ErrorCode::invalid_option, "found \"all\"", parse_fault("all"));
  CHECK_ERROR(ErrorCode::invalid_option, "fault", parse_fault(""));
}

}  // namespace
}  // namespace vitrine
