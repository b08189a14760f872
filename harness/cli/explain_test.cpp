// What bounds stored cases, as a user asks for it. All counts and times are made up.

#include <algorithm>
#include <limits>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "harness/cli/said.hpp"
#include "harness/store/examples.hpp"
#include "harness/store/temporary_folder.hpp"
#include "harness/store/write_run.hpp"

namespace ridgeline::cli {
namespace explain_test {

namespace examples = store::examples;
using nlohmann::json;
using record::Direction;

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

record::Case sized(const std::string& size) {
  record::Case info = examples::gemm_case("naive", 64);
  info.id.problem = {{"m", size}};
  return info;
}

class Explain : public testing::Test {
 protected:
  Explain() {
    device.model = "synthetic-h200";
    device.pci_id = "2335";
    device.kind = DeviceKind::cuda;
    device.id = "cuda:0";
    device.properties = {{"sms", "132"}, {"capability", "9.0"}, {"max_sm_clock_mhz", "1980"}};
  }

  std::int64_t begin(const std::string& id, const std::string& worker = "ridgeline-suites") {
    record::Run run = examples::run(id, "2026-11-2" + id.substr(7, 1) + "T10:00:00Z");
    run.device_uuid = device.uuid;
    store::begin(store, run, device, examples::environment());
    record::Process process = examples::process(0, id);
    process.build.worker = worker;
    return store::add(store, process);
  }

  static record::Measurement with_counters(const record::Case& info, double instructions = 1e6) {
    record::Measurement m = examples::measurement(info, {9e6, 1e7, 1.1e7});
    for (const char* name : {"dram_read_bytes", "dram_written_bytes", "l2_bytes", "flops",
                             "tensor_flops", "shared_wavefronts"})
      m.metrics.push_back({std::string("hardware_") + name, 1, "1", Direction::none});
    m.metrics.push_back({"hardware_warp_instructions", instructions, "1", Direction::none});
    return m;
  }

  Said ridgeline(std::vector<std::string> words) const {
    words.insert(words.begin(), {"ridgeline", "explain"});
    words.insert(words.end(), {"--results", folder.path().string()});
    return said_to(words);
  }

  json explained(std::vector<std::string> words) const {
    words.emplace_back("--json");
    const Said said = ridgeline(words);
    EXPECT_EQ(said.code, 0) << said.err;
    return said.code == 0 ? json::parse(said.out) : json{{"runs", json::array()}};
  }

  record::Device device = examples::device();
  store::TemporaryFolder folder;
  store::Store store = store::Store::create(folder / "synthetic-h200.sqlite");
};

TEST_F(Explain, TakesEachCaseFromTheNewestRunWithATimeAndByItsWholeName) {
  const std::int64_t older = begin("20261120T100000Z-aaaa");
  for (const char* size : {"*", "1", "2"})
    store::add(store, older, sized(size), examples::measurement(sized(size)));
  const std::int64_t newer = begin("20261121T100000Z-bbbb");
  store::add(store, newer, sized("1"), examples::measurement(sized("1")));
  store::add(store, newer, sized("2"),
             examples::failed(sized("2"), record::Outcome::crashed, "signal 11"));
  std::vector<std::string> found;
  const json said = explained({"gemm"});
  for (const json& run : said["runs"])
    for (const json& one : run["cases"])
      found.push_back(run["run"].get<std::string>().substr(17) + " " +
                      one["case"].get<std::string>().substr(15));
  EXPECT_EQ(found, (std::vector<std::string>{"bbbb m=1", "aaaa m=*", "aaaa m=2"}));
}

TEST_F(Explain, NamesTheWorkerThatMeasuredTheCase) {
  const std::int64_t process = begin("20261120T100000Z-aaaa", "my-kernels");
  store::add(store, process, sized("1"), with_counters(sized("1")));
  const Said said = ridgeline({"gemm"});
  EXPECT_TRUE(contains(said.out, "regex:.*/' my-kernels --device cuda:0 --once gemm/naive"))
      << said.out;
  EXPECT_FALSE(contains(said.out, "ridgeline-suites")) << said.out;
}

TEST_F(Explain, SaysWhatIsMissingOfARunWithoutRoofs) {
  const std::int64_t process = begin("20261120T100000Z-aaaa");
  store::add(store, process, sized("1"), examples::measurement(sized("1")));
  const Said said = ridgeline({"gemm"});
  EXPECT_TRUE(contains(said.out, "Not known: ")) << said.out;
  EXPECT_TRUE(contains(said.out, "no roof of memory is known")) << said.out;
  EXPECT_TRUE(contains(said.out, "ridgeline run --device cuda:0 --counters roofs gemm/naive"))
      << said.out;
  const json unknown = explained({"gemm"})["runs"][0]["cases"][0]["unknown"];
  ASSERT_FALSE(unknown.empty());
  EXPECT_EQ(unknown[0]["resource"], "dram");
  EXPECT_EQ(unknown[0]["words"], (json{"DRAM", unknown[0]["why"]}));
}

TEST_F(Explain, ARunOfCountsAloneHasNoTime) {
  device = examples::counting_device();
  device.id = "emulated:sm_90";
  device.model = "synthetic-h200";
  const std::int64_t process = begin("20261120T100000Z-aaaa");
  store::add(store, process, sized("1"), examples::counted(sized("1")));
  const Said said = ridgeline({"gemm"});
  EXPECT_EQ(said.code, 0) << said.err;
  EXPECT_TRUE(contains(said.out, "It has no time here")) << said.out;
  EXPECT_TRUE(contains(said.out, "ridgeline predict gemm/naive/f32/m=1 --on h100")) << said.out;
}

TEST_F(Explain, SaysOfACpuThatItsCoresAndMemoryAreJudgedByRoofs) {
  device.kind = DeviceKind::cpu;
  device.id = "cpu";
  const std::int64_t process = begin("20261120T100000Z-aaaa");
  store::add(store, process, sized("1"), examples::measurement(sized("1")));
  const Said said = ridgeline({"gemm"});
  EXPECT_TRUE(contains(said.out, "ridgeline run --device cpu roofs gemm/naive")) << said.out;
  EXPECT_FALSE(contains(said.out, "--counters")) << said.out;
  EXPECT_FALSE(contains(said.out, "CUDA")) << said.out;
}

TEST_F(Explain, WhatIsStoredSteersNoTerminalAndOverflowsNothing) {
  record::Case info = examples::gemm_case("naive", 64);
  info.id.problem = {{"m", "\033[2J<script>alert(1)</script>"}};
  info.idea = "\033]0;title\007</td>";
  device.name = "<b>\033[31mGPU\033[0m";
  const std::int64_t process = begin("20261120T100000Z-aaaa", "\033[5mworker");
  store::add(store, "20261120T100000Z-aaaa", {"dram.\033[1mread", 1e-9, "B/s", "measured"});
  store::add(store, "20261120T100000Z-aaaa", {"shared.\033[1mread", 1e20, "B/s", "\033[7msheet"});
  record::Measurement m = with_counters(info, 1e19);  // more than 2^63
  m.telemetry.throttle = "\033[9mhot";
  for (record::Metric& metric : m.metrics)
    if (metric.name == "hardware_shared_wavefronts") metric.value = 1e30;
  store::add(store, process, info, m);
  const Said said = ridgeline({"gemm"});
  EXPECT_EQ(said.code, 0) << said.err;
  EXPECT_EQ(said.out.find('\033'), said.out.npos) << said.out;
  EXPECT_FALSE(contains(said.out, "inf") || contains(said.out, "nan")) << said.out;
  EXPECT_TRUE(contains(said.out, "The numbers contradict each other")) << said.out;
  EXPECT_EQ(explained({"gemm"})["runs"][0]["cases"][0]["conclusion"], "contradiction");
}

TEST_F(Explain, RefusesWhatIsNotThere) {
  const std::int64_t process = begin("20261120T100000Z-aaaa");
  store::add(store, process, sized("1"), examples::measurement(sized("1")));
  EXPECT_EQ(ridgeline({"gemn"}).code, 64);
  EXPECT_TRUE(contains(ridgeline({"gemn"}).err, "what is stored has no case gemn"))
      << ridgeline({"gemn"}).err;
  EXPECT_EQ(ridgeline({"gemm", "--device", "h900"}).code, 64);
  EXPECT_EQ(ridgeline({"gemm", "latest", "--device", "h900"}).code, 64);
  EXPECT_EQ(ridgeline({"gemm", "label:other"}).code, 64);
}

}  // namespace explain_test
}  // namespace ridgeline::cli
