// The rules that docs/how-to-gate.md quotes do what it says.

#include <gtest/gtest.h>

#include "harness/gate/rules.hpp"

namespace ridgeline::gate {
namespace how_to_gate_test {

TEST(HowToGate, TheExampleOfRulesIsReadAndDecidesAsItSays) {
  const GateRules rules =
      load_gate_rules(std::string(RIDGELINE_CLI_FOLDER) + "/../../docs/examples/gate.toml");
  analysis::CaseRule otherwise;
  otherwise.delta = 0.03;
  const std::vector<std::string> names{
      "gemm/register_tiled/f32/m=512,n=512,k=512", "gemm/naive/f32/m=512,n=512,k=512",
      "coalescing/gather/f32/pattern=random,elements=4194304",
      "attention/standard/f32/batch=1,heads=16,seq=512,dim=128,mask=full",
      "roofs/copy/f32/level=dram"};
  const std::vector<analysis::CaseRule> decided = resolve(rules, names, otherwise, "2026-11-20");
  const double deltas[] = {0.01, 0.02, 0.03, 0.03, 0.03};
  for (std::size_t i = 0; i < names.size(); ++i) {
    EXPECT_DOUBLE_EQ(decided[i].delta, deltas[i]) << names[i];
    EXPECT_DOUBLE_EQ(decided[i].floor_ns, 200) << names[i];
    EXPECT_DOUBLE_EQ(decided[i].alpha, i == 0 ? 0.001 : 0.01) << names[i];
    EXPECT_EQ(decided[i].skip.empty(), i != 2) << names[i];
    EXPECT_EQ(decided[i].expected, i == 3) << names[i];
    EXPECT_EQ(decided[i].at_most, i == 3 ? std::optional(0.3) : std::nullopt) << names[i];
    EXPECT_EQ(decided[i].looking, i == 3 ? analysis::Looking::slower : analysis::Looking::both)
        << names[i];
  }
}

}  // namespace how_to_gate_test
}  // namespace ridgeline::gate
