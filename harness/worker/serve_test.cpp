#include "harness/worker/serve.hpp"

#include <deque>
#include <new>
#include <stdexcept>

#include <gtest/gtest.h>

#include "harness/base/error.hpp"
#include "harness/protocol/json.hpp"
#include "harness/worker/scripted/scripted.hpp"

namespace ridgeline::worker {
namespace serve_test {

using protocol::Failure;

/// A conversation that is written down before it begins.
class Script : public Transport {
 public:
  std::deque<std::string> requests;
  std::vector<std::string> answers;
  std::optional<std::string> receive() override {
    if (requests.empty()) return std::nullopt;
    std::string line = requests.front();
    requests.pop_front();
    return line;
  }
  void send(std::string_view line) override {
    ASSERT_EQ(line.find('\n'), line.size() - 1);
    answers.emplace_back(line.substr(0, line.size() - 1));
  }
};

std::string line(const protocol::Request& request) {
  std::string text = protocol::to_line(request);
  text.pop_back();
  return text;
}

protocol::Request prepare(const std::string& variant, std::uint64_t seed = 1) {
  protocol::Prepare request;
  request.case_name = "scripted/" + variant + "/f32/n=16";
  request.device = "fake";
  request.seed = seed;
  request.warmup_budget_ns = 5e6;
  request.sample_floor_ns = 1e5;
  return request;
}

const protocol::Request sample = protocol::Sample{0.01, 10, 100, 1e12};

std::vector<std::string> converse(const std::vector<protocol::Request>& requests,
                                  const Program& program = scripted::program()) {
  Script script;
  for (const protocol::Request& request : requests) script.requests.push_back(line(request));
  serve(program, script);
  return script.answers;
}

template <class Answer>
Answer as(const std::string& text) {
  return std::get<Answer>(protocol::parse_answer<Answer>(text));
}

Failure failure(const std::string& text) {
  return std::get<Failure>(protocol::parse_answer<protocol::Hello>(text));
}

TEST(Serve, HelloAndListTouchNoDevice) {
  Program program = scripted::program();
  program.discover = []() -> device::Discovery { throw Error(ErrorKind::internal, "discovered"); };
  program.open = [](std::string_view) -> std::unique_ptr<device::Device> {
    throw Error(ErrorKind::internal, "opened");
  };
  const auto answers = converse(
      {protocol::HelloRequest{}, protocol::ListRequest{}, protocol::DevicesRequest{}}, program);
  const auto hello = as<protocol::Hello>(answers.at(0));
  EXPECT_EQ(hello.build.worker, "ridgeline-scripted-worker");
  EXPECT_EQ(hello.build.code_hash.size(), 32u);
  EXPECT_FALSE(hello.build.compiler.empty());
  EXPECT_EQ(hello.features, (std::set{protocol::Feature::layout, protocol::Feature::settle,
                                      protocol::Feature::energy, protocol::Feature::open}));
  EXPECT_EQ(as<protocol::Cases>(answers.at(1)).cases.size(), program.suites[0].cases.size());
  EXPECT_EQ(failure(answers.at(2)).message, "discovered");
}

TEST(Serve, ADeviceIsOpenedOnceThoughAskedForAheadOfItsFirstCase) {
  Program program = scripted::program();
  int opened = 0;
  program.open = [&opened, open = program.open](std::string_view id) {
    ++opened;
    return open(id);
  };
  const auto answers =
      converse({protocol::Open{"fake"}, prepare("constant"), protocol::Open{"nowhere"}}, program);
  as<protocol::Opened>(answers.at(0));
  EXPECT_EQ(as<protocol::Prepared>(answers.at(1)).outcome, record::Outcome::ok);
  EXPECT_EQ(opened, 2);
  EXPECT_FALSE(failure(answers.at(2)).message.empty());
}

/// Ranks of which two are on this machine.
struct OfTwoMachines : measure::Group {
  int size() const override { return 4; }
  measure::Here here() const override { return {2, 0, 0}; }
};

TEST(Check, RanksNeedPlacesOnTheirMachine) {
  Case wanted;
  wanted.places = [](const device::Facts& facts) { return Places{facts.units, "cores"}; };
  device::Facts facts;
  const OfTwoMachines group;
  const auto refusal = [&](int ranks, int cores, const measure::Group* of) {
    wanted.info.ranks = ranks;
    facts.units = cores;
    return check(wanted, facts, of).reason();
  };
  EXPECT_EQ(refusal(4, 4, nullptr), "");
  EXPECT_EQ(refusal(4, 2, nullptr), "4 ranks need as many cores, and there are 2");
  EXPECT_EQ(refusal(4, 2, &group), "");
  EXPECT_EQ(refusal(4, 1, &group), "2 ranks need as many cores, and there is 1");
  EXPECT_EQ(refusal(8, 2, &group), "8 ranks need as many cores, and there are 2")
      << "the group is not that of the case";
  wanted.supports = [](const device::Facts&) { return device::Support::unavailable("missing"); };
  EXPECT_EQ(refusal(4, 2, nullptr), "missing");
  wanted.supports = [](const device::Facts&) { return device::Support::unsupported("other"); };
  EXPECT_EQ(refusal(4, 2, nullptr), "4 ranks need as many cores, and there are 2")
      << "many cases have one reason";
  EXPECT_EQ(refusal(2, 2, nullptr), "other");
}

TEST(Serve, ACaseIsPreparedSampledInTurnsAndFinished) {
  const auto answers = converse(
      {prepare("constant"), sample, sample, protocol::FinishRequest{}, protocol::FinishRequest{}});
  EXPECT_EQ(as<protocol::Prepared>(answers.at(0)).outcome, record::Outcome::ok);
  EXPECT_EQ(as<protocol::Sampled>(answers.at(1)).samples_ns, std::vector<double>(10, 1e5));
  const record::Measurement measured = as<protocol::Finished>(answers.at(3)).measurement;
  EXPECT_EQ(measured.case_name, "scripted/constant/f32/n=16");
  EXPECT_EQ(measured.samples_ns.size(), 20u);
  EXPECT_EQ(measured.seed, 1u);
  EXPECT_EQ(failure(answers.at(4)).message, "no case is prepared");
}

protocol::Request prepare_counted(const std::string& variant) {
  protocol::Prepare request = std::get<protocol::Prepare>(prepare(variant));
  request.device = "emulated:fake";
  return request;
}

TEST(Serve, ACaseIsCountedWithoutASample) {
  const auto answers = converse({prepare_counted("counted"), sample, protocol::FinishRequest{}});
  EXPECT_EQ(as<protocol::Prepared>(answers.at(0)).outcome, record::Outcome::counted);
  EXPECT_EQ(failure(answers.at(1)).message, "a case that is counted cannot be sampled");
  const record::Measurement measured = as<protocol::Finished>(answers.at(2)).measurement;
  EXPECT_EQ(measured.outcome, record::Outcome::counted);
  EXPECT_EQ(measured.case_name, "scripted/counted/f32/n=16");
  ASSERT_EQ(measured.sites.size(), 2u);
  EXPECT_EQ(measured.sites[1].access, "global store");
  EXPECT_GT(measured.metrics.size(), 5u);
}

TEST(Serve, WhatACountingDeviceFindsEndsTheCase) {
  const struct {
    const char* variant;
    record::Outcome outcome;
    const char* reason;
  } rows[] = {
      {"counted_wrong", record::Outcome::wrong_result,
       "the output differed from the oracle's: error 1, tolerance 1e-06"},
      {"counted_race", record::Outcome::wrong_result,
       "race (write after write) at scripted.cu:7, block 0, thread 1 with 0: out"},
      {"counted_unmodelled", record::Outcome::unsupported, "wgmma.mma_async"},
  };
  for (const auto& row : rows) {
    const auto answers = converse(
        {prepare_counted(row.variant), protocol::FinishRequest{}, prepare_counted("counted")});
    EXPECT_EQ(as<protocol::Prepared>(answers.at(0)).outcome, row.outcome) << row.variant;
    EXPECT_EQ(as<protocol::Prepared>(answers.at(0)).reason, row.reason);
    EXPECT_EQ(failure(answers.at(1)).message, "no case is prepared");
    EXPECT_EQ(as<protocol::Prepared>(answers.at(2)).outcome, record::Outcome::counted);
  }
}

TEST(Serve, TheSeedDecidesOnTheSamples) {
  const auto samples = [](std::uint64_t seed) {
    return as<protocol::Sampled>(converse({prepare("noisy", seed), sample}).at(1)).samples_ns;
  };
  EXPECT_EQ(samples(5).front(), samples(5).front());
  EXPECT_NE(samples(5).front(), samples(6).front());
}

TEST(Serve, CasesThatEndWithoutATimeSayWhy) {
  const struct {
    const char* variant;
    record::Outcome outcome;
    const char* reason;
  } rows[] = {
      {"wrong_result", record::Outcome::wrong_result,
       "before timing the output differed from the oracle's: error 1, tolerance 1e-06"},
      {"writes_nothing", record::Outcome::wrong_result,
       "before timing the output was not written, or holds values that are not numbers"},
      {"unsupported", record::Outcome::unsupported, "the script says so"},
      {"unavailable", record::Outcome::unavailable, "libscript.so.1 not found"},
      {"too_large", record::Outcome::unsupported, "needs 550 GB, the device has 1 GB free"},
  };
  for (const auto& row : rows) {
    const auto answers = converse({prepare(row.variant), sample, prepare("constant")});
    const auto prepared = as<protocol::Prepared>(answers.at(0));
    EXPECT_EQ(prepared.outcome, row.outcome) << row.variant;
    EXPECT_EQ(prepared.reason, row.reason);
    EXPECT_EQ(failure(answers.at(1)).message, "no case is prepared");
    EXPECT_EQ(as<protocol::Prepared>(answers.at(2)).outcome, record::Outcome::ok);
  }
}

TEST(Serve, CasesThatGoWrongWhileTimedSaySoAtTheEnd) {
  const struct {
    const char* variant;
    record::Outcome outcome;
    bool samples;
  } rows[] = {{"wrong_after_timing", record::Outcome::wrong_result, false},
              {"throttled", record::Outcome::invalid_environment, true},
              {"neighbour", record::Outcome::invalid_environment, true}};
  for (const auto& row : rows) {
    const auto answers = converse({prepare(row.variant), sample, protocol::FinishRequest{}});
    const record::Measurement measured = as<protocol::Finished>(answers.at(2)).measurement;
    EXPECT_EQ(measured.outcome, row.outcome) << row.variant;
    EXPECT_EQ(!measured.samples_ns.empty(), row.samples) << row.variant;
  }
}

TEST(Serve, AFailureIsAnsweredAndTheNextRequestServed) {
  Script script;
  protocol::Prepare typo = std::get<protocol::Prepare>(prepare("constand"));
  protocol::Prepare elsewhere = std::get<protocol::Prepare>(prepare("constant"));
  elsewhere.device = "cuda:7";
  protocol::Prepare strange = std::get<protocol::Prepare>(prepare("constant"));
  strange.cache = "lukewarm";
  script.requests = {"garbage",
                     R"({"request":"hello","protocol":2})",
                     line(typo),
                     line(elsewhere),
                     line(strange),
                     line(prepare("device_error")),
                     line(prepare("constant"))};
  serve(scripted::program(), script);
  ASSERT_EQ(script.answers.size(), 7u);
  EXPECT_EQ(failure(script.answers[0]).exit_code, 64);
  EXPECT_EQ(failure(script.answers[1]).exit_code, 69);
  EXPECT_EQ(failure(script.answers[2]).advice, "did you mean 'scripted/constant/f32/n=16'?");
  EXPECT_EQ(failure(script.answers[3]).exit_code, 69);
  EXPECT_EQ(failure(script.answers[4]).message, "request \"prepare\" asks for cache 'lukewarm'");
  EXPECT_EQ(failure(script.answers[5]).message,
            "synchronising failed: the device was scripted to fail");
  EXPECT_EQ(as<protocol::Prepared>(script.answers[6]).outcome, record::Outcome::ok);
}

TEST(Serve, AFailureForLackOfMemorySaysSoWhateverItsWords) {
  const struct {
    void (*fail)();
    bool no_memory;
  } rows[] = {
      {[] { throw OutOfMemory("no room"); }, true},
      {[] { throw std::bad_alloc(); }, true},
      {[] { throw Error(ErrorKind::dependency, "the book \"out of memory\" is missing"); }, false},
      {[] { throw std::runtime_error("out of memory"); }, false}};
  for (const auto& row : rows) {
    Program program = scripted::program();
    program.suites[0].cases[0].prepare = [&](measure::Setup&) -> measure::Workload {
      row.fail();
      return {};
    };
    const Failure said =
        failure(converse({prepare(program.suites[0].cases[0].info.id.variant)}, program).at(0));
    EXPECT_EQ(said.cause == protocol::FailureCause::out_of_memory, row.no_memory) << said.message;
  }
}

TEST(Serve, ByeEndsTheConversation) {
  EXPECT_TRUE(converse({protocol::ByeRequest{}, protocol::ListRequest{}}).empty());
}

TEST(Serve, ACaseOfAnotherKindOfDeviceIsUnsupported) {
  Program program = scripted::program();
  program.suites[0].cases[0].info.device_kind = DeviceKind::cuda;
  const auto answers = converse({prepare(program.suites[0].cases[0].info.id.variant)}, program);
  EXPECT_EQ(as<protocol::Prepared>(answers.at(0)).reason, "does not run on fake");
}

TEST(Serve, OptionsComeFromTheName) {
  const measure::PrepareOptions plain = options_of({"a", "b", "f32", {}, {}});
  EXPECT_EQ(plain.cache, measure::Cache::cold);
  EXPECT_EQ(plain.launch, device::Launch::graph);
  const measure::PrepareOptions all = options_of(
      {"a", "b", "f32", {}, {{"cache", "hot"}, {"launch", "single"}, {"input", "zeros"}}});
  EXPECT_EQ(all.cache, measure::Cache::hot);
  EXPECT_EQ(all.launch, device::Launch::single);
  EXPECT_EQ(all.distribution, device::Distribution::zeros);
  for (const auto& [name, distribution] : inputs)
    EXPECT_EQ(options_of({"a", "b", "f32", {}, {{"input", name}}}).distribution, distribution);
}

}  // namespace serve_test
}  // namespace ridgeline::worker
