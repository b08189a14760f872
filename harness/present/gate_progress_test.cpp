#include "harness/present/gate_progress.hpp"

#include <gtest/gtest.h>

#include "harness/store/examples.hpp"

namespace ridgeline::present {
namespace gate_progress_test {

gate::GateSetup setup_of(const record::Device& device) {
  gate::GateSetup setup;
  setup.gate.id = "20261120T124501Z-5f3a9c";
  setup.device = device;
  setup.plan = analysis::plan_for(device.kind);
  setup.budget_s = 600;
  setup.cases.resize(2);
  return setup;
}

TEST(StartText, SaysTheMostRoundsThatACaseCanHave) {
  record::Device gpu = store::examples::device();
  gpu.kind = DeviceKind::cuda;
  EXPECT_EQ(start_text(setup_of(gpu), false),
            "gate 20261120T124501Z-5f3a9c: 2 cases, at most 60 rounds and 10 min 00 s\n")
      << "those of a suspect, which are more than the looks at medians have";
  EXPECT_EQ(start_text(setup_of(gpu), true),
            "gate 20261120T124501Z-5f3a9c, resumed with a fresh budget: 2 cases, at most 60 rounds "
            "and 10 min 00 s\n");
  EXPECT_EQ(start_text(setup_of(store::examples::counting_device()), false),
            "gate 20261120T124501Z-5f3a9c: 2 cases; counts are exact, so one execution of each "
            "side decides\n");
}

TEST(ForecastText, SaysWhatFitsWhatIsNeededAndWhatWouldDo) {
  const gate::GateForecast thin{102, 102, false, 148, 148, 4, 4, 14, 2664, std::nullopt};
  EXPECT_EQ(forecast_text(thin),
            "a round of 102 cases takes about 2 min 28 s: the budget is enough for about 4 rounds, "
            "and with fewer than 14 no slow-down is found; all cases need about 44 min 24 s");
  gate::GateForecast some = thin;
  some.taken = 22;
  some.rounds = 18;
  EXPECT_EQ(forecast_text(some),
            "a round of 102 cases takes about 2 min 28 s: the budget is enough for about 4 rounds, "
            "and with fewer than 14 no slow-down is found; so 22 of the cases are measured first, "
            "in about 18 rounds, and others while time is left; all cases need about 44 min 24 s; "
            "--spread measures all alike");
  some.smallest_effect = .042;
  EXPECT_NE(forecast_text(some).find(
                "half of the measured ones find a slow-down of about 4.2%, or a smaller one; all"),
            std::string::npos);
  some.enough = true;
  EXPECT_EQ(forecast_text(some), "");
}

}  // namespace gate_progress_test
}  // namespace ridgeline::present
