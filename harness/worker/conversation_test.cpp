// Whole workers as processes, and the documentation of what they are asked.

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <sys/wait.h>
#include <unistd.h>

#include "harness/protocol/json.hpp"

namespace ridgeline::worker {
namespace conversation_test {

const std::filesystem::path source = RIDGELINE_SOURCE;

std::string read(const std::filesystem::path& file) {
  std::ifstream stream(file, std::ios::binary);
  EXPECT_TRUE(stream) << file;
  std::stringstream text;
  text << stream.rdbuf();
  return text.str();
}

std::vector<std::string> lines(const std::string& text) {
  std::vector<std::string> all;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) all.push_back(line);
  return all;
}

/// What `command` answers to the requests, as lines, and its exit status.
struct Conversation {
  std::vector<std::string> answers;
  std::string errors;
  int status = -1;
};

Conversation converse(const std::string& command, const std::vector<protocol::Request>& requests) {
  const auto folder =
      std::filesystem::temp_directory_path() / fmt::format("ridgeline_conversation_{}", getpid());
  std::filesystem::create_directories(folder);
  std::ofstream script(folder / "requests");
  for (const protocol::Request& request : requests) script << protocol::to_line(request);
  script.close();
  Conversation talked;
  talked.status = std::system(
      fmt::format("{0} < '{1}/requests' > '{1}/answers' 2> '{1}/errors'", command, folder.string())
          .c_str());
  talked.answers = lines(read(folder / "answers"));
  talked.errors = read(folder / "errors");
  std::filesystem::remove_all(folder);
  return talked;
}

std::vector<protocol::Request> whole(const std::string& case_name, const std::string& device) {
  protocol::Prepare prepare;
  prepare.case_name = case_name;
  prepare.device = device;
  prepare.seed = 7;
  prepare.warmup_budget_ns = 5e6;
  prepare.sample_floor_ns = 1e5;
  return {protocol::HelloRequest{},
          protocol::ListRequest{},
          protocol::DevicesRequest{},
          prepare,
          protocol::Sample{0.01, 10, 20, 1e9},
          protocol::FinishRequest{},
          protocol::ByeRequest{}};
}

void expect_whole(const Conversation& talked, const std::string& case_name) {
  EXPECT_EQ(talked.status, 0) << talked.errors;
  ASSERT_EQ(talked.answers.size(), 6u) << talked.errors;
  EXPECT_EQ(std::get<protocol::Hello>(protocol::parse_answer<protocol::Hello>(talked.answers[0]))
                .protocol,
            1);
  EXPECT_FALSE(std::get<protocol::Cases>(protocol::parse_answer<protocol::Cases>(talked.answers[1]))
                   .cases.empty());
  EXPECT_FALSE(
      std::get<protocol::Devices>(protocol::parse_answer<protocol::Devices>(talked.answers[2]))
          .devices.empty());
  EXPECT_EQ(
      std::get<protocol::Prepared>(protocol::parse_answer<protocol::Prepared>(talked.answers[3]))
          .outcome,
      record::Outcome::ok);
  EXPECT_GE(
      std::get<protocol::Sampled>(protocol::parse_answer<protocol::Sampled>(talked.answers[4]))
          .samples_ns.size(),
      10u);
  const auto finished =
      std::get<protocol::Finished>(protocol::parse_answer<protocol::Finished>(talked.answers[5]));
  EXPECT_EQ(finished.measurement.case_name, case_name);
  EXPECT_EQ(finished.measurement.outcome, record::Outcome::ok);
}

TEST(Conversation, APrintfOfAKernelDoesNotBreakTheProtocol) {
  const std::string name = "scripted/prints/f32/n=16";
  const Conversation talked = converse(SCRIPTED_WORKER " --worker", whole(name, "fake"));
  expect_whole(talked, name);
  EXPECT_NE(talked.errors.find('\xFF'), std::string::npos);
}

TEST(Conversation, TheMinimalPythonWorkerHoldsOne) {
  if (std::system("python3 -c 'import json' 2> /dev/null") != 0)
    GTEST_SKIP() << "python3 is not installed";
  const std::string name = "sorting/python/f64/n=10000,cache=hot,launch=single";
  expect_whole(
      converse(fmt::format("python3 '{}'",
                           (source / "harness/worker/scripted/minimal_worker.py").string()),
               whole(name, "cpu")),
      name);
}

TEST(Conversation, AnUnknownVersionIsRefused) {
  const Conversation talked = converse("RIDGELINE_SCRIPTED_PROTOCOL=9 " SCRIPTED_WORKER " --worker",
                                       {protocol::HelloRequest{}});
  EXPECT_THROW(protocol::parse_answer<protocol::Hello>(talked.answers.at(0)), std::exception);
}

/// Exit status and output of the scripted worker with these arguments.
std::pair<int, std::string> output_of(const std::string& arguments) {
  const Conversation talked = converse(SCRIPTED_WORKER " " + arguments, {});
  std::string output;
  for (const std::string& answer : talked.answers) output += answer + '\n';
  return {WEXITSTATUS(talked.status), output + talked.errors};
}

TEST(ByHand, EachCaseIsAGoogleBenchmark) {
  const auto [status, output] =
      output_of("--benchmark_filter='constant|unsupported|throttled/' --benchmark_format=json");
  EXPECT_EQ(status, 0) << output;
  const auto report = nlohmann::json::parse(
      output.substr(output.find('{'), output.rfind('}') - output.find('{') + 1));
  const nlohmann::json& benchmarks = report.at("benchmarks");
  ASSERT_EQ(benchmarks.size(), 3u);
  EXPECT_EQ(benchmarks[0].at("name"), "scripted/constant/f32/n=16/iterations:1/manual_time");
  EXPECT_NEAR(benchmarks[0].at("real_time").get<double>(), 100, 1e-9);
  EXPECT_EQ(benchmarks[0].at("time_unit"), "us");
  EXPECT_NEAR(benchmarks[0].at("TFLOP/s").get<double>(), 0.01, 1e-9);
  EXPECT_EQ(
      benchmarks[1].at("label"),
      "invalid_environment: the hardware throttled while the case was timed (hw_thermal_slowdown)");
  EXPECT_EQ(benchmarks[2].at("error_message"), "the script says so");
}

TEST(ByHand, AFilterMayEndWhereACasesNameEnds) {
  const std::string constant = "scripted/constant/f32/n=16/iterations:1/manual_time\n";
  const std::string noisy = "scripted/noisy/f32/n=16/iterations:1/manual_time\n";
  const std::pair<const char*, std::string> rows[] = {
      {"^scripted/constant/f32/n=16$", constant},
      {"constant/f32/n=16/iterations:1/manual_time$", constant},
      {"(constant|noisy)/f32/n=1[6$]$", constant + noisy},
      {"constant/f32/n=16$|noisy/f32/n=16$", constant + noisy},
      {"constant/f32/n=1$", ""},
      {"constant/f32/n=16[]$]", ""},
      {R"(constant/f32/n=16\$)", ""},
  };
  for (const auto& [filter, listed] : rows) {
    const auto [status, output] =
        output_of(fmt::format("--benchmark_list_tests '--benchmark_filter={}'", filter));
    if (listed.empty())
      EXPECT_EQ(output.find("manual_time\n"), std::string::npos) << filter << '\n' << output;
    else
      EXPECT_EQ(output, listed) << filter;
  }
}

TEST(ByHand, ExitCodesTellWhatHappened) {
  const struct {
    const char* arguments;
    int status;
    const char* output;
  } rows[] = {
      {"--help", 0, "usage: ridgeline-scripted-worker"},
      {"--once scripted/constant/f32/n=16", 0,
       "scripted/constant/f32/n=16 on fake: right, error 0, tolerance 1e-06"},
      // Once before, when a library would choose.
      {"--once scripted/wrong_after_timing/f32/n=16", 2, "WRONG, error 1, tolerance 1e-06"},
      {"--once scripted/wrong_result/f32/n=16 --device fake", 2, "WRONG, error 1, tolerance 1e-06"},
      {"--once scripted/counted/f32/n=16 --device emulated:fake", 0,
       "right, counted\nscripted.cu:5: global load, 1 requests, 16 lanes, 2 sectors per request\n"},
      {"--once scripted/counted_race/f32/n=16 --device emulated:fake", 2,
       "WRONG: race (write after write)"},
      {"--once scripted/counted_unmodelled/f32/n=16 --device emulated:fake", 69,
       "cannot be counted on emulated:fake: wgmma.mma_async"},
      {"--device emulated:fake", 64, "emulated:fake has no times, and so no benchmarks"},
      {"--once scripted/constand/f32/n=16", 64, "did you mean 'scripted/constant/f32/n=16'?"},
      {"--once scripted/unavailable/f32/n=16", 69, "libscript.so.1 not found"},
      {"--device cpu", 69, "there is no device but 'fake' here"},
      {"--benchmark_filter=wrong_result", 2, "wrong result: before timing"},
      {"--benchmark_filter=device_error", 2, "scripted to fail"},
      {"--benchmark_filter=nothing_is_called_so", 64, "no case for fake matches the filter"},
      {"--benchmark_sing=1", 64, "unknown argument '--benchmark_sing=1'"},
      {"--once \"$(printf '\\377')\"", 64, "is not UTF-8 text: \\xff"},
      {"--worker --connect 127.0.0.1", 64, "RIDGELINE_TOKEN"},
  };
  for (const auto& row : rows) {
    const auto [status, output] = output_of(row.arguments);
    EXPECT_EQ(status, row.status) << row.arguments << '\n' << output;
    EXPECT_NE(output.find(row.output), std::string::npos) << row.arguments << '\n' << output;
  }
}

TEST(Conversation, TheExamplesOfTheDocumentationAreMessages) {
  bool inside = false;
  int requests = 0, replies = 0;
  const std::string page = read(source / "docs/worker-protocol.md");
  for (const std::string& line : lines(page)) {
    if (line.starts_with("```")) inside = line == "```json";
    if (!inside || !line.starts_with("{")) continue;
    const auto is = [&](const char* reply) {
      return line.starts_with(fmt::format("{{\"reply\":\"{}\"", reply));
    };
    SCOPED_TRACE(line);
    if (line.starts_with("{\"request\"")) {
      EXPECT_NO_THROW(protocol::parse_request(line));
      ++requests;
      continue;
    }
    ++replies;
    if (is("hello") || is("error"))
      EXPECT_NO_THROW(protocol::parse_answer<protocol::Hello>(line));
    else if (is("list"))
      EXPECT_NO_THROW(protocol::parse_answer<protocol::Cases>(line));
    else if (is("devices"))
      EXPECT_NO_THROW(protocol::parse_answer<protocol::Devices>(line));
    else if (is("open"))
      EXPECT_NO_THROW(protocol::parse_answer<protocol::Opened>(line));
    else if (is("prepare"))
      EXPECT_NO_THROW(protocol::parse_answer<protocol::Prepared>(line));
    else if (is("sample"))
      EXPECT_NO_THROW(protocol::parse_answer<protocol::Sampled>(line));
    else if (is("finish"))
      EXPECT_NO_THROW(protocol::parse_answer<protocol::Finished>(line));
    else
      ADD_FAILURE() << "no such message";
  }
  EXPECT_EQ(requests, 10);
  EXPECT_EQ(replies, 13);
  EXPECT_NE(
      page.find("```python\n" + read(source / "harness/worker/scripted/minimal_worker.py") + "```"),
      std::string::npos)
      << "docs/worker-protocol.md no longer quotes minimal_worker.py";
}

}  // namespace conversation_test
}  // namespace ridgeline::worker
