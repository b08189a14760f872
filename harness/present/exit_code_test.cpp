#include "harness/present/exit_code.hpp"

#include <gtest/gtest.h>

namespace ridgeline::present {
namespace exit_code_test {

using record::Outcome;
using record::RunStatus;

TEST(ExitCodeOfARun, TellsFailuresAndWhenStrictDoubt) {
  struct Row {
    RunStatus status;
    Outcome outcome;
    bool beats_roof;
    int code, strict;
  };
  const Row table[] = {{RunStatus::finished, Outcome::ok, false, 0, 0},
                       {RunStatus::finished, Outcome::unsupported, false, 0, 0},
                       {RunStatus::finished, Outcome::unavailable, false, 0, 0},
                       {RunStatus::finished, Outcome::ok, true, 0, 3},
                       {RunStatus::finished, Outcome::unstable, false, 0, 3},
                       {RunStatus::finished, Outcome::invalid_environment, false, 0, 3},
                       {RunStatus::finished, Outcome::wrong_result, false, 2, 2},
                       {RunStatus::finished, Outcome::timeout, false, 2, 2},
                       {RunStatus::finished, Outcome::crashed, true, 2, 2},
                       {RunStatus::interrupted, Outcome::crashed, true, 130, 130}};
  for (const Row& row : table) {
    analysis::CaseSummary fine, other;
    fine.outcome = Outcome::ok;
    other.outcome = row.outcome;
    other.beats_roof = row.beats_roof;
    EXPECT_EQ(exit_code(row.status, {fine, other}, false), row.code)
        << record::to_string(row.outcome);
    EXPECT_EQ(exit_code(row.status, {other, fine}, true), row.strict)
        << record::to_string(row.outcome);
  }
  EXPECT_EQ(exit_code(RunStatus::finished, {}, true), 0);
}

}  // namespace exit_code_test
}  // namespace ridgeline::present
