#pragma once

#include <optional>
#include <string>
#include <vector>

#include "harness/analysis/ladder.hpp"
#include "harness/present/comparison.hpp"
#include "harness/present/table.hpp"

/// What the tables of a ladder say, as it can be printed.
namespace ridgeline::present {

/// One row. What is not known is empty.
struct RungWords {
  std::string label;  // the variant; where the ladder has it more than once, with the fields that
                      // tell
  std::string rate;   // "53.2 TFLOP/s", with " ?" when it is unsteady; or why there is none
  std::string interval;                     // of the rate
  std::string over_before, over_reference;  // "1.11 (1.10 to 1.12)"
  std::string share;                        // of the roof
  std::string idea;
};

/// The rungs, then the references. Their rates share a unit.
std::vector<RungWords> rung_words(const analysis::ClimbedLadder& climbed);

/// Of the last rung of those within the device's reach, whether it has a time or failed. Absent
/// where the run does not have that rung: an earlier one must not stand for it.
std::optional<RungWords> last_rung_words(const analysis::ClimbedLadder& climbed);

/// The label of the reference that the rungs are set against; empty without one.
std::string reference_label(const analysis::ClimbedLadder& climbed);

struct WordTable {
  std::vector<Table::Column> columns;
  std::vector<Cells> rows;  // each begins with a label
};

/// What each case keeps up without a pause (rate, clock, power, energy), and what the device's
/// counters say of one execution. Without what no case has.
WordTable device_words(const analysis::ClimbedLadder& climbed);

/// All cases that the run has, in the order of the rows.
std::vector<const analysis::CaseSummary*> summaries_of(const analysis::ClimbedLadder& climbed);

}  // namespace ridgeline::present
