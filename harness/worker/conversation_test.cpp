// Whole workers as processes, and the documentation of what they are asked.

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include "harness/protocol/json.hpp"

namespace ridgeline::worker {
namespace {

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
  const auto folder = std::filesystem::temp_directory_path() / fmt::format("ridgeline_conversation_{}", getpid());
  std::filesystem::create_directories(folder);
  std::ofstream script(folder / "requests");
  for (const protocol::Request& request : requests) script << protocol::to_line(request);
  script.close();
  Conversation talked;
  talked.status = std::system(
      fmt::format("{0} < '{1}/requests' > '{1}/answers' 2> '{1}/errors'", command, folder.string()).c_str());
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
  EXPECT_EQ(std::get<protocol::Hello>(protocol::parse_answer<protocol::Hello>(talked.answers[0])).protocol, 1);
  EXPECT_FALSE(std::get<protocol::Cases>(protocol::parse_answer<protocol::Cases>(talked.answers[1])).cases.empty());
  EXPECT_FALSE(
      std::get<protocol::Devices>(protocol::parse_answer<protocol::Devices>(talked.answers[2])).devices.empty());
  EXPECT_EQ(std::get<protocol::Prepared>(protocol::parse_answer<protocol::Prepared>(talked.answers[3])).outcome,
            record::Outcome::ok);
  EXPECT_GE(std::get<protocol::Sampled>(protocol::parse_answer<protocol::Sampled>(talked.answers[4])).samples_ns.size(),
            10u);
  const auto finished = std::get<protocol::Finished>(protocol::parse_answer<protocol::Finished>(talked.answers[5]));
  EXPECT_EQ(finished.measurement.case_name, case_name);
  EXPECT_EQ(finished.measurement.outcome, record::Outcome::ok);
}

TEST(Conversation, APrintfOfAKernelDoesNotBreakTheProtocol) {
  const std::string name = "scripted/prints/f32/n=16";
  const Conversation talked = converse(SCRIPTED_WORKER " --worker", whole(name, "fake"));
  expect_whole(talked, name);
  EXPECT_NE(talked.errors.find("\xFF"), std::string::npos);
}

TEST(Conversation, TheMinimalPythonWorkerHoldsOne) {
  if (std::system("python3 -c 'import json' 2> /dev/null") != 0) GTEST_SKIP() << "python3 is not installed";
  const std::string name = "sorting/python/f64/n=10000";
  expect_whole(converse(fmt::format("python3 '{}'", (source / "harness/worker/scripted/minimal_worker.py").string()),
                        whole(name, "cpu")),
               name);
}

TEST(Conversation, AnUnknownVersionIsRefused) {
  const Conversation talked =
      converse("RIDGELINE_SCRIPTED_PROTOCOL=9 " SCRIPTED_WORKER " --worker", {protocol::HelloRequest{}});
  EXPECT_THROW(protocol::parse_answer<protocol::Hello>(talked.answers.at(0)), std::exception);
}

TEST(Conversation, TheExamplesOfTheDocumentationAreMessages) {
  bool inside = false;
  int requests = 0, replies = 0;
  const std::string page = read(source / "docs/worker-protocol.md");
  for (const std::string& line : lines(page)) {
    if (line.starts_with("```")) inside = line == "```json";
    if (!inside || !line.starts_with("{")) continue;
    const auto is = [&](const char* reply) { return line.starts_with(fmt::format("{{\"reply\":\"{}\"", reply)); };
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
    else if (is("prepare"))
      EXPECT_NO_THROW(protocol::parse_answer<protocol::Prepared>(line));
    else if (is("sample"))
      EXPECT_NO_THROW(protocol::parse_answer<protocol::Sampled>(line));
    else if (is("finish"))
      EXPECT_NO_THROW(protocol::parse_answer<protocol::Finished>(line));
    else
      ADD_FAILURE() << "no such message";
  }
  EXPECT_EQ(requests, 7);
  EXPECT_EQ(replies, 9);
  EXPECT_NE(page.find("```python\n" + read(source / "harness/worker/scripted/minimal_worker.py") + "```"),
            std::string::npos)
      << "docs/worker-protocol.md no longer quotes minimal_worker.py";
}

}  // namespace
}  // namespace ridgeline::worker
