#include <set>

#include <gtest/gtest.h>

#include "harness/device/device.hpp"
#include "harness/worker/case.hpp"

// The suites that move memory or keep units busy: every case that is small enough is prepared,
// launched and verified.
namespace ridgeline::suites {

worker::Suite coalescing();
worker::Suite occupancy();
worker::Suite roofs();
worker::Suite transfer();

namespace memory_suites_test {

constexpr double most_bytes = 40 << 20;  // of a case that a test may run

std::vector<worker::Case> all_cases() {
  std::vector<worker::Case> cases;
  for (const auto suite : {coalescing, occupancy, roofs, transfer})
    for (worker::Case& each : suite().cases) cases.push_back(std::move(each));
  return cases;
}

class OnEveryDevice : public testing::TestWithParam<device::Kind> {};

TEST_P(OnEveryDevice, SmallCasesVerifyAndUnwrittenOutputsDoNot) {
  std::string id;
  for (const device::Facts& facts : device::discover().devices)
    if (facts.kind == GetParam() && id.empty()) id = facts.id;
  if (id.empty()) GTEST_SKIP() << "no device of kind " << device::to_string(GetParam());
  const std::unique_ptr<device::Device> device = device::open(id);
  measure::InputPool inputs(*device, 11);
  measure::Group alone;
  int done = 0;
  for (const worker::Case& each : all_cases()) {
    const std::string name = record::name(each.info.id);
    if (each.info.device_kind != GetParam() || !each.supports(device->facts())) continue;
    if (each.memory(device->facts()) > most_bytes) continue;
    inputs.rewind();
    measure::Setup setup{.device = *device,
                         .inputs = inputs,
                         .group = alone,
                         .seed = 3,
                         .cache = measure::Cache::hot};
    const measure::Workload workload = each.prepare(setup);
    ++done;
    EXPECT_GE(workload.sets.inputs, 2u) << name;
    if (each.info.bytes) {
      EXPECT_EQ(workload.bytes, *each.info.bytes) << name;
    }
    if (each.info.flops) {
      EXPECT_EQ(workload.flops, *each.info.flops) << name;
    }
    const measure::Turn last{workload.sets.inputs - 1, workload.sets.outputs - 1};
    if (workload.inputs_key) {
      EXPECT_NE(workload.inputs_key(0), workload.inputs_key(last.inputs)) << name;
      EXPECT_FALSE(workload.bits(last.output).empty()) << name;
    }
    workload.poison(last.output);
    EXPECT_FALSE(workload.verify(last).right())
        << name << " accepts an output that was not written";
    workload.launch(last, device->stream());
    device->synchronize();
    EXPECT_TRUE(workload.verify(last).right()) << name << ": error " << workload.verify(last).error;
    const measure::Turn other{0, last.output};
    EXPECT_FALSE(workload.verify(other).right()) << name << " accepts the output of other inputs";
  }
  EXPECT_GE(done, 30);
}

INSTANTIATE_TEST_SUITE_P(MemorySuites, OnEveryDevice,
                         testing::Values(device::Kind::cpu, device::Kind::cuda),
                         [](const auto& info) {
                           return std::string(device::to_string(info.param));
                         });

TEST(MemorySuites, NameEachCaseOnceADevice) {
  std::set<std::string> seen;
  for (const worker::Case& each : all_cases())
    EXPECT_TRUE(seen.insert(std::string(to_string(each.info.device_kind)) + " " +
                            record::name(each.info.id))
                    .second)
        << record::name(each.info.id);
}

TEST(MemorySuites, SayWhatTheyDo) {
  for (const worker::Case& each : all_cases())
    EXPECT_FALSE(each.info.idea.empty()) << record::name(each.info.id);
  for (const worker::Case& each : roofs().cases)
    EXPECT_FALSE(each.info.roof.empty()) << record::name(each.info.id);
}

}  // namespace memory_suites_test
}  // namespace ridgeline::suites
