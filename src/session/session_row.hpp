// SessionRow: the account of one row: its text so far, what each lane cost, and the parity of its tokens.
// It runs nothing: Session steps the generator and enters what happened here.
#pragma once

#include <string>

#include "session/row_types.hpp"
#include "session/text_stream.hpp"

namespace vitrine {

struct SessionRow {
  RowOptions options;
  std::string required;  ///< RowRequest::required, whole: what a saved row begins with again
  TextStream stream;
  std::string text;
  LaneCost prefill;
  LaneCost decode;
  LaneCost full;
  ParityTally parity;
  bool has_token = false;

  /// Enters what a step did to the row; gives the step's text.
  std::string enter(const RowEvent& event, const LaneCost& cached);
  void enter_parity(const LaneCost& full_lane, const ParityTally& tally);
  void enter_abort(std::string_view released);
  /// Begins the text anew with the bytes that the tokens of a restored or rewound row make certain; `any_token`: there
  /// are some. What the row has cost stays.
  void enter_tokens(std::string_view certain, bool any_token);
  RowResult result(const RowView& row) const;
};

}  // namespace vitrine
