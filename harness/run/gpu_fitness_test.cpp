// The answers of a healthy GPU are those of an H100.

#include "harness/run/gpu_fitness.hpp"

#include <filesystem>
#include <fstream>

#include <gtest/gtest.h>

#include "harness/store/examples.hpp"
#include "harness/store/temporary_folder.hpp"

namespace ridgeline::run {
namespace gpu_fitness_test {

using Changes = std::map<std::string, std::string>;
using Standing = std::vector<std::pair<std::string, Level>>;

const Changes healthy{
    {"name", "NVIDIA H100 80GB HBM3"},
    {"driver_version", "580.159.04"},
    {"clocks_throttle_reasons.active", "0x0000000000000001"},
    {"utilization.gpu", "0"},
    {"memory.used", "0"},
    {"temperature.gpu", "33"},
    {"temperature.gpu.tlimit", "54"},
    {"power.limit", "700.00"},
    {"power.default_limit", "700.00"},
    {"enforced.power.limit", "700.00"},
    {"clocks.applications.graphics", "1980"},
    {"clocks.default_applications.graphics", "1980"},
    {"ecc.mode.current", "Enabled"},
    {"ecc.mode.pending", "Enabled"},
    {"ecc.errors.uncorrected.volatile.total", "0"},
    {"ecc.errors.corrected.volatile.total", "0"},
    {"retired_pages.pending", "N/A"},
    {"remapped_rows.pending", "No"},
    {"remapped_rows.failure", "No"},
    {"gpu_recovery_action", "None"},
    {"persistence_mode", "Enabled"},
    {"compute_mode", "Default"},
    {"mig.mode.current", "Disabled"},
    {"mig.mode.pending", "Disabled"},
    {"pcie.link.width.current", "16"},
    {"pcie.link.width.max", "16"},
};

/// What is not fine.
Standing standing(const Findings& findings) {
  Standing left;
  for (const Finding& each : findings) {
    if (each.level == Level::fine) continue;
    left.emplace_back(each.check, each.level);
    EXPECT_FALSE(each.seen.empty() || each.why.empty() || each.advice.empty()) << each.check;
  }
  return left;
}

/// Of a healthy GPU with these changes; "-" takes a field away.
Standing judged(const Changes& changes, std::vector<std::string> processes = {}) {
  GpuFacts facts{healthy, std::move(processes)};
  for (const auto& [name, value] : changes) {
    if (value == "-")
      facts.fields.erase(name);
    else
      facts.fields[name] = value;
  }
  return standing(judge_gpu(facts));
}

TEST(GpuFitness, AHealthyGpuAtRestIsFine) {
  EXPECT_EQ(judged({}), Standing{});
  EXPECT_EQ(judge_gpu({healthy, {}}).size(), 13u) << "each check says so";
}

TEST(GpuFitness, EachFactThatMattersIsFound) {
  const std::pair<Changes, Standing> tries[] = {
      {{{"clocks_throttle_reasons.active", "0x0000000000000008"}}, {{"throttling", Level::unfit}}},
      {{{"clocks_throttle_reasons.active", "0x0000000000000020"}}, {{"throttling", Level::unfit}}},
      {{{"clocks_throttle_reasons.active", "0x0000000000000041"}}, {{"throttling", Level::unfit}}},
      {{{"clocks_throttle_reasons.active", "0x0000000000000081"}}, {{"throttling", Level::unfit}}},
      {{{"clocks_throttle_reasons.active", "0x0000000000000004"}}, {{"clocks", Level::note}}},
      {{{"clocks_throttle_reasons.active", "0x0000000000000010"}}, {{"clocks", Level::note}}},
      {{{"clocks_throttle_reasons.active", "gibberish"}}, {{"throttling", Level::unknown}}},
      {{{"clocks.applications.graphics", "1410"}}, {{"clocks", Level::note}}},
      {{{"clocks.applications.graphics", "N/A"}}, {}},
      {{{"utilization.gpu", "4"}}, {}},
      {{{"utilization.gpu", "5"}}, {{"other processes", Level::unfit}}},
      {{{"memory.used", "1024"}}, {}},
      {{{"memory.used", "1025"}}, {{"other processes", Level::unfit}}},
      {{{"utilization.gpu", "-"}, {"memory.used", "-"}}, {{"other processes", Level::unknown}}},
      {{{"temperature.gpu.tlimit", "11"}}, {}},
      {{{"temperature.gpu.tlimit", "10"}}, {{"temperature", Level::unfit}}},
      {{{"temperature.gpu", "74"}, {"temperature.gpu.tlimit", "N/A"}}, {}},
      {{{"temperature.gpu", "75"}, {"temperature.gpu.tlimit", "N/A"}},
       {{"temperature", Level::unfit}}},
      {{{"temperature.gpu", "-"}, {"temperature.gpu.tlimit", "-"}},
       {{"temperature", Level::unknown}}},
      {{{"power.limit", "500.00"}, {"enforced.power.limit", "500.00"}},
       {{"power limit", Level::note}}},
      {{{"enforced.power.limit", "350.00"}}, {{"power limit", Level::unfit}}},
      {{{"power.limit", "-"}, {"enforced.power.limit", "-"}}, {{"power limit", Level::unknown}}},
      {{{"ecc.errors.uncorrected.volatile.total", "1"}}, {{"ECC errors", Level::unfit}}},
      {{{"ecc.errors.corrected.volatile.total", "9"}}, {{"ECC errors", Level::note}}},
      {{{"retired_pages.pending", "Yes"}}, {{"GPU memory", Level::unfit}}},
      {{{"remapped_rows.pending", "Yes"}}, {{"GPU memory", Level::unfit}}},
      {{{"remapped_rows.failure", "Yes"}}, {{"GPU memory", Level::unfit}}},
      {{{"gpu_recovery_action", "Reset"}}, {{"GPU state", Level::unfit}}},
      {{{"ecc.mode.pending", "Disabled"}}, {{"ECC", Level::note}}},
      {{{"ecc.mode.current", "Disabled"}, {"ecc.mode.pending", "Disabled"}},
       {{"ECC", Level::note}}},
      {{{"ecc.mode.current", "N/A"}}, {}},
      {{{"mig.mode.current", "Enabled"}, {"mig.mode.pending", "Enabled"}}, {{"MIG", Level::note}}},
      {{{"persistence_mode", "Disabled"}}, {{"persistence mode", Level::note}}},
      {{{"compute_mode", "Prohibited"}}, {{"compute mode", Level::unfit}}},
      {{{"compute_mode", "Exclusive_Process"}}, {{"compute mode", Level::note}}},
      {{{"pcie.link.width.current", "8"}}, {{"PCIe", Level::note}}},
  };
  for (const auto& [changes, expected] : tries)
    EXPECT_EQ(judged(changes), expected)
        << changes.begin()->first << " = " << changes.begin()->second;
}

TEST(GpuFitness, ProcessesAreNamedAndSaidOnce) {
  EXPECT_EQ(judged({{"utilization.gpu", "90"}, {"memory.used", "3000"}}, {"a (pid 1, 2 MiB)"}),
            (Standing{{"other processes", Level::unfit}}));
  const Findings many = judge_gpu({healthy, std::vector<std::string>(7, "a (pid 1, 2 MiB)")});
  EXPECT_TRUE(std::ranges::any_of(many, [](const Finding& each) {
    return each.seen.ends_with("a (pid 1, 2 MiB) and 2 more");
  }));
}

/// A program in the place of nvidia-smi.
class FakeSmi : public testing::Test {
 protected:
  Smi says(const std::string& script) const {
    const std::filesystem::path file = folder / "smi";
    std::ofstream(file) << "#!/bin/sh\n" << script << '\n';
    std::filesystem::permissions(file, std::filesystem::perms::owner_all);
    return {file.string(), /*answer_s=*/2, /*again_s=*/0};
  }
  /// Answers as a GPU with these fields, which the driver all knows but `unknown`.
  Smi answers(const Changes& fields, const std::string& processes,
              const std::string& unknown = "none") const {
    std::string values;
    for (const char* name : {"name",
                             "driver_version",
                             "clocks_throttle_reasons.active",
                             "utilization.gpu",
                             "memory.used",
                             "temperature.gpu",
                             "temperature.gpu.tlimit",
                             "power.limit",
                             "power.default_limit",
                             "enforced.power.limit",
                             "clocks.applications.graphics",
                             "clocks.default_applications.graphics",
                             "ecc.mode.current",
                             "ecc.mode.pending",
                             "ecc.errors.uncorrected.volatile.total",
                             "ecc.errors.corrected.volatile.total",
                             "retired_pages.pending",
                             "remapped_rows.pending",
                             "remapped_rows.failure",
                             "gpu_recovery_action",
                             "persistence_mode",
                             "compute_mode",
                             "mig.mode.current",
                             "mig.mode.pending",
                             "pcie.link.width.current",
                             "pcie.link.width.max"})
      if (name != unknown) values += (values.empty() ? "" : ", ") + fields.at(name);
    std::ofstream(folder / "values") << values << '\n';
    std::ofstream(folder / "processes") << processes;
    return says("[ \"$1\" = --id=0000:06:00.0 ] || exit 9\ncase \"$2\" in\n  *" + unknown +
                ",*) echo 'Field \"" + unknown +
                "\" is not a valid field to query.'; exit 2;;\n  *query-gpu*) cat " +
                (folder / "values").string() + ";;\n  *) cat " + (folder / "processes").string() +
                ";;\nesac");
  }
  static record::Device gpu() {
    record::Device device = store::examples::device();
    device.kind = DeviceKind::cuda;
    device.recorded = {{"pci_bus", "0000:06:00.0"}};
    return device;
  }
  store::TemporaryFolder folder;
};

TEST_F(FakeSmi, FactsAreRead) {
  Changes fields = healthy;
  fields["retired_pages.pending"] = "[N/A]";
  fields["mig.mode.current"] = "[Insufficient Permissions]";
  const GpuFacts facts = ask_smi("0000:06:00.0", answers(fields, ""));
  EXPECT_EQ(facts.fields.at("driver_version"), "580.159.04");
  EXPECT_EQ(facts.fields.at("retired_pages.pending"), "N/A");
  EXPECT_FALSE(facts.fields.contains("mig.mode.current"));
  EXPECT_EQ(standing(look_at_gpu(gpu(), answers(fields, ""))), (Standing{{"MIG", Level::unknown}}));
}

TEST_F(FakeSmi, AnOlderDriverThatDoesNotKnowAFieldIsAskedForTheOthers) {
  const GpuFacts facts = ask_smi("0000:06:00.0", answers(healthy, "", "temperature.gpu.tlimit"));
  EXPECT_EQ(facts.fields.at("temperature.gpu"), "33");
  EXPECT_FALSE(facts.fields.contains("temperature.gpu.tlimit"));
}

TEST_F(FakeSmi, OtherProcessesAreNamedWhateverTheirNames) {
  const GpuFacts facts =
      ask_smi("0000:06:00.0",
              answers(healthy, "/usr/bin/python3, 1234, 5000\na, b, 99, 70000\nnonsense\n"));
  EXPECT_EQ(facts.processes, (std::vector<std::string>{"/usr/bin/python3 (pid 1234, 5000 MiB)",
                                                       "a, b (pid 99, 70000 MiB)"}));
}

TEST_F(FakeSmi, ADriverThatDoesNotAnswerIsNoFitMachine) {
  const std::pair<const char*, const char*> tries[] = {
      {"echo No devices were found; exit 6",
       "nvidia-smi exited with code 6: No devices were found"},
      {"exec sleep 60", "did not answer within 2 s"},
      {"echo nonsense", "answered 1 row for one GPU, or not one value a field"},
      {"exit 0", "answered 0 rows"},
  };
  for (const auto& [script, words] : tries) {
    const Findings found = look_at_gpu(gpu(), says(script));
    ASSERT_EQ(standing(found), (Standing{{"nvidia-smi", Level::unfit}})) << script;
    EXPECT_NE(found.front().seen.find(words), std::string::npos) << found.front().seen;
  }
}

TEST_F(FakeSmi, WithoutItWhatTheWorkerReadByNvmlIsJudged) {
  record::Device device = gpu();
  const Smi none{(folder / "absent").string(), 1, 0};
  Standing found = standing(look_at_gpu(device, none));
  ASSERT_FALSE(found.empty());
  EXPECT_EQ(found.front(), (std::pair<std::string, Level>("nvidia-smi", Level::unknown)));
  for (const auto& [check, level] : found) EXPECT_EQ(level, Level::unknown) << check;

  device.comparable = {{"power_limit_w", "500"}, {"ecc", "on"}, {"mig", "on"}};
  device.recorded["default_power_limit_w"] = "700";
  device.recorded["temperature_at_rest_c"] = "80";
  device.recorded["clocks_at_rest_held_by"] = "hw_slowdown";
  device.recorded["processes_at_rest_of_others"] = "2";
  found = standing(look_at_gpu(device, none));
  for (const auto& one : Standing{{"power limit", Level::note},
                                  {"MIG", Level::note},
                                  {"temperature", Level::unfit},
                                  {"throttling", Level::unfit},
                                  {"other processes", Level::unfit}})
    EXPECT_EQ(std::ranges::count(found, one), 1) << one.first;
}

TEST_F(FakeSmi, AGpuWithoutANameIsUnknown) {
  record::Device device = gpu();
  device.recorded.clear();
  device.uuid = "odd";
  EXPECT_EQ(standing(look_at_gpu(device, says("exit 0"))),
            (Standing{{"nvidia-smi", Level::unknown}}));
}

}  // namespace gpu_fitness_test
}  // namespace ridgeline::run
