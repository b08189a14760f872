// Importing what other programs measured, and exporting it again, as a user calls both.

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <random>
#include <sstream>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "harness/cli/said.hpp"
#include "harness/store/read_runs.hpp"
#include "harness/store/temporary_folder.hpp"

namespace ridgeline::cli {
namespace import_test {

using nlohmann::json;
namespace fs = std::filesystem;

const fs::path fixtures = fs::path(RIDGELINE_CLI_FOLDER) / ".." / "imported" / "fixtures";

bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

class Import : public testing::Test {
 protected:
  Import() { setenv("RIDGELINE_LOCKS", folder.path().c_str(), 1); }
  ~Import() override { unsetenv("RIDGELINE_LOCKS"); }

  Said call(std::vector<std::string> arguments) const {
    arguments.insert(arguments.end(), {"--results", folder / "results"});
    arguments.insert(arguments.begin(), "ridgeline");
    return said_to(arguments);
  }
  Said import(const std::string& format, std::vector<std::string> files,
              const std::string& model = "synthetic-gpu") const {
    files.insert(files.begin(), {"import", format, "--device-model", model});
    return call(files);
  }
  std::string write(const std::string& name, const std::string& text) const {
    std::ofstream(folder / name, std::ios::binary) << text;
    return folder / name;
  }
  /// The id of the one run of the results.
  std::string id() const {
    return json::parse(call({"runs", "--json"}).out).at("runs").at(0).at("id");
  }

  store::TemporaryFolder folder;
};

TEST_F(Import, TakesEveryFormat) {
  const std::pair<const char*, const char*> files[] = {
      {"google-benchmark", "google_benchmark.json"},
      {"nvbench", "nvbench.json"},
      {"nccl-tests", "nccl_stamped.txt"},
      {"babelstream", "babelstream.csv"},
      {"nvbandwidth", "nvbandwidth.json"},
      {"pytorch", "pytorch.jsonl"}};
  for (const auto& [format, file] : files) {
    // The collective's name stands in the file.
    const Said done = import(format, {fixtures / file}, std::string("synthetic-") + format);
    EXPECT_EQ(done.code, 0) << done.err;
    EXPECT_TRUE(has(done.out, "imported, unverified: run imported-")) << done.out;
  }
  const Said runs = call({"runs"});
  EXPECT_TRUE(has(runs.out, "imported, unverified")) << runs.out;
  EXPECT_TRUE(has(runs.out, "unverified")) << runs.out;
}

TEST_F(Import, SaysEverywhereThatARunIsUnverified) {
  ASSERT_EQ(import("nccl-tests", {fixtures / "nccl_all_reduce.txt"}).code, 0);
  const Said shown = call({"show", id()});
  EXPECT_EQ(shown.code, 0) << shown.err;
  for (const char* part : {"imported, unverified", "from nccl-tests: nobody compared an output",
                           "nccl_all_reduce.txt", "SHA-256", "line 19: nccl-tests", "6 unverified"})
    EXPECT_TRUE(has(shown.out, part)) << part << "\n" << shown.out;
  const json all = json::parse(call({"show", "--json", id()}).out);
  EXPECT_EQ(all["run"]["imported"], "nccl-tests");
  EXPECT_EQ(all["imported_from"][0]["format"], "nccl-tests");
  const Said report = call({"report", "--json", id()});
  ASSERT_EQ(report.code, 0) << report.err;
  std::ifstream data(json::parse(report.out)["data"].get<std::string>());
  const std::string document(std::istreambuf_iterator<char>(data), {});
  EXPECT_TRUE(has(document, "imported from nccl-tests"));
}

TEST_F(Import, ProposesNoCommandThatMeasuresIt) {
  ASSERT_EQ(import("google-benchmark", {fixtures / "google_benchmark.json"}).code, 0);
  const std::string run = id();
  const auto lacks = [&](const std::vector<std::string>& line, const std::string& part) {
    const Said said = call(line);
    EXPECT_FALSE(has(said.out + said.err, part)) << part << "\n" << said.out << said.err;
    return said;
  };
  const Said shown = lacks({"show", run}, "--device imported");
  EXPECT_TRUE(has(shown.out, "1 crashed")) << "so that there is something to repeat";
  lacks({"show", run}, "repeat what failed");
  lacks({"explain", "my_bench/*", run}, "ridgeline run");
  const Said text = lacks({"report", "--text", run}, "ridgeline run");
  EXPECT_TRUE(has(text.out, "imported by: ridgeline import google-benchmark")) << text.out;
  lacks({"gate", "--baseline", run, "--candidate", run, "--accept-changes"}, "That gate");
  for (const char* option : {"--repeat-of", "--resume"}) {
    const Said refused = call({"run", option, run});
    EXPECT_EQ(refused.code, 64);
    EXPECT_TRUE(has(refused.err, "it was imported from google-benchmark")) << refused.err;
  }
  const Said report = call({"report", "--json", run});
  ASSERT_EQ(report.code, 0) << report.err;
  std::ifstream data(json::parse(report.out)["data"].get<std::string>());
  const json document = json::parse(data);
  EXPECT_EQ(document["runs"][0]["imported"], "google-benchmark");
  EXPECT_EQ(document["runs"][0]["repeat"], document["runs"][0]["command_line"]);
  for (const json& history : document["histories"])
    for (const json& one : history["cases"]) EXPECT_FALSE(one.contains("repeat")) << one;
  EXPECT_FALSE(has(document.dump(), "--device imported"));
}

TEST_F(Import, IsNeverTheLatestNorABaseline) {
  ASSERT_EQ(import("nvbench", {fixtures / "nvbench.json"}).code, 0);
  for (const char* command : {"show", "export"}) {
    std::vector<std::string> line{command};
    if (line.front() == "export") line.push_back("csv");
    line.push_back("latest");
    EXPECT_EQ(call(line).code, 64) << command;
  }
  const Said set = call({"baseline", "set", "main", id()});
  EXPECT_EQ(set.code, 64);
  EXPECT_TRUE(has(set.err, "it was imported and is unverified")) << set.err;
  const Said trend = call({"trend"});
  EXPECT_TRUE(has(trend.out + trend.err, "imported")) << trend.out << trend.err;
}

TEST_F(Import, TheSameFileAddsNothingAndSaysSo) {
  const std::string once = fixtures / "nvbench.json", copy = folder / "copy.json";
  fs::copy_file(once, copy);
  const Said first = import("nvbench", {once, copy});
  EXPECT_TRUE(has(first.out, "copy.json adds nothing: another file here is the same")) << first.out;
  const std::string run = id();
  for (const std::string& again : {once, copy}) {
    const Said done = import("nvbench", {again});
    EXPECT_EQ(done.code, 0);
    EXPECT_TRUE(has(done.out, "adds nothing: run " + run + " has it")) << done.out;
  }
  EXPECT_EQ(json::parse(call({"runs", "--json"}).out).at("runs").size(), 1u);
  // Whoever imports it elsewhere makes the same run, so that folders merge.
  ASSERT_EQ(said_to({"ridgeline", "import", "nvbench", once, "--device-model", "synthetic-gpu",
                     "--results", folder / "other"})
                .code,
            0);
  const Said merged = call({"merge", folder / "other", "--json"});
  EXPECT_EQ(merged.code, 0) << merged.err;
  EXPECT_EQ(json::parse(merged.out)["total"]["runs"]["known"], 1) << merged.out;
}

TEST_F(Import, ReadsAFileAsTheFormatThatIsNamed) {
  const std::string file = fixtures / "google_benchmark.json";
  ASSERT_EQ(import("google-benchmark", {file}).code, 0);
  const Said other = import("nvbench", {file});
  EXPECT_EQ(other.code, 74) << other.out;
  EXPECT_TRUE(has(other.err, "google_benchmark.json")) << other.err;
  EXPECT_FALSE(has(other.out, "adds nothing")) << other.out;
}

TEST_F(Import, SaysWhyAFileIsNoText) {
  const std::string gzip("\x1f\x8b\x08\x00\x00\x00", 6);
  for (const char* format : {"google-benchmark", "nccl-tests"}) {
    const Said done = import(format, {write("out.json.gz", gzip)});
    EXPECT_EQ(done.code, 74);
    for (const char* part : {"out.json.gz: it is compressed with gzip", "unpack it"})
      EXPECT_TRUE(has(done.err, part)) << done.err;
  }
}

TEST_F(Import, ImportsAllFilesOrNone) {
  const std::string good = fixtures / "google_benchmark.json",
                    bad = write("bad.json",
                                "{\"context\": {},\n\"benchmarks\": [\n"
                                "{\"name\": \"x\", \"real_time\": -1}]}");
  const Said done =
      import("google-benchmark", {good, fixtures / "google_benchmark_aggregates.json", bad});
  EXPECT_EQ(done.code, 74);
  EXPECT_TRUE(has(done.err, "bad.json, line 3: a time of -1 ns")) << done.err;
  EXPECT_FALSE(fs::exists(folder / "results" / "synthetic-gpu.sqlite"));
  EXPECT_EQ(import("google-benchmark", {good}).code, 0);
}

TEST_F(Import, SaysWhatItCannotDo) {
  const std::string good = fixtures / "nvbench.json";
  const std::tuple<std::vector<std::string>, int, const char*> table[] = {
      {{"import", "nvbench", good}, 64, "--device-model"},
      {{"import", "xml", good, "--device-model", "x"}, 64, "xml"},
      {{"import", "nvbench", good, "--device-model", "../x"}, 64, "cannot name a device model"},
      {{"import", "nvbench", good, "--device-model", "emulated-sm90"}, 64, "has no times"},
      {{"import", "nvbench", "/nonexistent", "--device-model", "x"}, 74, "there is no such file"},
      {{"import", "nvbench", folder.path(), "--device-model", "x"}, 74, "no regular file"},
      {{"import", "nvbench", "/dev/zero", "--device-model", "x"}, 74, "no regular file"},
      {{"import", "babelstream", good, "--device-model", "x"}, 74, "no line that begins with"}};
  for (const auto& [arguments, code, says] : table) {
    const Said done = call(arguments);
    EXPECT_EQ(done.code, code) << done.err;
    EXPECT_TRUE(has(done.err, says)) << done.err;
  }
}

TEST_F(Import, ANameObeysNeitherATerminalNorASpreadsheet) {
  const std::string file =
      write("evil.json", R"({"context": {"executable": "=cmd|' /C calc'!A0"}, "benchmarks": [
{"name": "=1+1\u001b[31m/##[group]x", "real_time": 1, "time_unit": "ns", "label": "@x\u001b[2J"}]})");
  ASSERT_EQ(import("google-benchmark", {file}).code, 0);
  for (const char* format :
       {"csv", "csv-cases", "jsonl", "google-benchmark", "pytorch", "prometheus", "timeline"}) {
    const Said done = call({"export", format, id()});
    EXPECT_EQ(done.code, 0) << format << done.err;
    EXPECT_FALSE(has(done.out, "\x1b")) << format;
    EXPECT_FALSE(has(done.out, ",=1")) << format;
    EXPECT_FALSE(has(done.out, "##[group]")) << format;
  }
}

/// What a Google Benchmark document says, without what is of the run.
json without_context(const std::string& text) {
  json all = json::parse(text);
  all.erase("context");
  return all;
}

/// A document with so many benchmarks, whose numbers and words a seed picks.
std::string random_document(unsigned seed) {
  std::mt19937 random(seed);
  const auto number = [&](int most) { return static_cast<int>(random() % most); };
  const std::vector<std::string> names{
      "BM_Copy<float>/8",           "BM/n:4/threads:2/real_time", "a b,c=d",
      "gemm/naive/f32/m=8,n=8,k=8", "\u00fcber/manual_time",      "x/y:z/1/2"};
  json all{{"context", {{"executable", "./b"}, {"date", "2026-11-28T06:30:00+00:00"}}}};
  for (const std::string& name : names) {
    const int repetitions = 1 + number(3);
    const char* units[] = {"ns", "us", "ms", "s"};
    const std::string unit = units[number(4)];
    const int threads = 1 + number(2), label = number(4);  // of all repetitions, as it writes them
    const bool has_rate = number(2) == 0;
    for (int i = 0; i < repetitions; ++i) {
      json entry{{"name", name},
                 {"run_name", name},
                 {"run_type", "iteration"},
                 {"repetitions", repetitions},
                 {"repetition_index", i},
                 {"threads", threads},
                 {"iterations", 1 + number(1000)},
                 {"real_time", (1 + number(100'000)) / 7.0},
                 {"cpu_time", (1 + number(100'000)) / 3.0},
                 {"time_unit", unit},
                 {"family_index", number(9)},
                 {"counter", number(100) / 9.0}};
      if (label != 0) entry["label"] = "label " + std::to_string(label);
      if (has_rate) entry["bytes_per_second"] = number(1'000'000) * 1e3;
      all["benchmarks"].push_back(entry);
    }
  }
  all["benchmarks"].push_back(
      {{"name", "fails"}, {"error_occurred", true}, {"error_message", "why"}});
  return all.dump(1);
}

TEST_F(Import, ExportingAndImportingAgainLosesNothing) {
  for (unsigned seed = 0; seed < 10; ++seed) {
    /// What comes out of the run that `text` was imported as.
    const auto through = [&](const std::string& text, const std::string& model) {
      const Said done = import("google-benchmark", {write(model + ".json", text)}, model);
      EXPECT_EQ(done.code, 0) << done.err;
      const std::size_t begin = done.out.find("ridgeline show ") + 15;
      return call({"export", "google-benchmark",
                   done.out.substr(begin, done.out.find('\n', begin) - begin)})
          .out;
    };
    const std::string start = random_document(seed), number = std::to_string(seed);
    const std::string first = through(start, "synthetic-a" + number),
                      second = through(first, "synthetic-b" + number);
    EXPECT_EQ(without_context(first), without_context(second)) << "seed " << seed;
    // And what came in goes out.
    const json before = json::parse(start), after = json::parse(first);
    ASSERT_EQ(before["benchmarks"].size(), after["benchmarks"].size() + 1) << "seed " << seed;
    EXPECT_EQ(after["not_measured"].size(), 1u);
    for (const json& entry : after["benchmarks"]) {
      const json name = entry.value("original_name", entry["name"]);
      const auto found = std::find_if(
          before["benchmarks"].begin(), before["benchmarks"].end(), [&](const json& b) {
            return b["name"] == name && b["repetition_index"] == entry["repetition_index"];
          });
      ASSERT_NE(found, before["benchmarks"].end()) << entry;
      for (const char* key : {"iterations", "threads", "counter", "label", "bytes_per_second"})
        EXPECT_EQ(found->value(key, json()), entry.value(key, json())) << key << entry;
    }
  }
}

TEST_F(Import, CasesOfAnExportHaveAColumnForEachParameter) {
  ASSERT_EQ(import("nccl-tests", {fixtures / "nccl_all_reduce.txt"}).code, 0);
  std::istringstream lines(call({"export", "csv-cases", id()}).out);
  std::string head, row;
  std::getline(lines, head);
  std::getline(lines, row);
  EXPECT_EQ(head,
            "run,model,case,suite,variant,dtype,op,ranks,parameter.bytes,mode,calls,place,outcome,"
            "reason,processes,median_ns,low_ns,high_ns,flops,bytes,flop_rate,byte_rate,"
            "share_of_roof\r");
  EXPECT_TRUE(has(row, ",all_reduce,8,0,pipelined,20,,unverified,")) << row;
}

TEST_F(Import, PytorchRecordsComeBackAsTheSameCases) {
  ASSERT_EQ(import("nvbench", {fixtures / "nvbench.json"}).code, 0);
  const std::string records = call({"export", "pytorch", id()}).out;
  ASSERT_EQ(import("pytorch", {write("records.jsonl", records)}, "synthetic-again").code, 0);
  EXPECT_EQ(call({"show", "--json", "synthetic-again"}).code, 64);  // none is the latest
  const json line = json::parse(records.substr(0, records.find('\n')));
  EXPECT_EQ(line["metric"]["name"], "latency_ns");
  EXPECT_EQ(line["benchmark"]["extra_info"]["outcome"], "unverified");
}

TEST_F(Import, PrometheusAndTheTimelineSayWhatThereIs) {
  ASSERT_EQ(import("nvbench", {fixtures / "nvbench.json"}).code, 0);
  const std::string gauges = call({"export", "prometheus", id()}).out;
  EXPECT_TRUE(has(gauges, "# TYPE ridgeline_case_time_seconds gauge\n")) << gauges;
  EXPECT_TRUE(has(gauges, "outcome=\"not_measured\"} 1\n")) << gauges;
  EXPECT_FALSE(has(gauges, "nan")) << gauges;
  const json trace = json::parse(call({"export", "timeline", id()}).out);
  int cases = 0, clocks = 0;
  for (const json& event : trace["traceEvents"]) {
    cases += event.value("cat", "") == "case";
    clocks += event["name"] == "SM clock, MHz";
    if (event["ph"] == "X") {
      EXPECT_GE(event["dur"].get<double>(), 0) << event;
    }
  }
  EXPECT_EQ(cases, 4);
  EXPECT_EQ(clocks, 1);
}

}  // namespace import_test
}  // namespace ridgeline::cli
