#include "harness/present/vouched.hpp"

#include <cmath>

#include <gtest/gtest.h>

#include "harness/store/examples.hpp"

namespace ridgeline::present {
namespace vouched_test {

namespace examples = store::examples;

analysis::CaseSummary vouched_case(std::optional<Checked> checked, std::optional<bool> settled) {
  analysis::CaseSummary summary;
  summary.verification = record::Verification{0, 1, checked};
  summary.settled = settled;
  return summary;
}

TEST(Vouched, AMeasurementSaysWhatIsKnown) {
  record::Measurement m = examples::measurement(examples::gemm_case());
  EXPECT_EQ(vouched_text(m), "output checked by variant, warm-up at its budget");
  m.verification->checked = Checked::whole;
  m.settled = true;
  EXPECT_EQ(vouched_text(m), "output checked whole, warm-up settled");
  m.settled.reset();
  EXPECT_EQ(vouched_text(m), "output checked whole");
  m.verification.reset();
  EXPECT_EQ(vouched_text(m), "");
}

TEST(Vouched, CasesAreCountedAmongThoseThatSay) {
  EXPECT_EQ(vouched_text({vouched_case(Checked::whole, true),
                          vouched_case(Checked::whole, false),
                          vouched_case(Checked::sample, {}),
                          vouched_case({}, {}),
                          {}}),
            "outputs checked: 2 whole, 1 sample; warm-up settled in 1 of 2 cases");
  EXPECT_EQ(vouched_text(std::vector<analysis::CaseSummary>{{}}), "");
}

TEST(Vouched, ProgramsGetTheStoredWords) {
  json::Value object = json::Value::object();
  put_vouched(object, {});
  EXPECT_EQ(object.dump(), "{}");
  put_vouched(object, vouched_case(Checked::by_variant, false));
  EXPECT_EQ(object.dump(),
            R"({"error":0.0,"tolerance":1.0,"checked":"by_variant","settled":false})");
}

TEST(Vouched, AnErrorThatIsNoNumberIsLeftOut) {
  analysis::CaseSummary summary = vouched_case({}, {});
  summary.verification->error = std::nan("");
  json::Value object = json::Value::object();
  put_vouched(object, summary);
  EXPECT_EQ(object.dump(), R"({"tolerance":1.0})");
}

}  // namespace vouched_test
}  // namespace ridgeline::present
