#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <string>
#include <thread>

#include <fmt/core.h>
#include <nlohmann/json.hpp>
#include <signal.h>
#include <unistd.h>

#include "harness/base/error.hpp"
#include "harness/protocol/json.hpp"
#include "harness/worker/scripted/scripted.hpp"

namespace ridgeline::worker::scripted {
namespace {

[[noreturn]] void loop() {
  for (;;) asm volatile("");  // an endless loop without effects may be optimised away
}

void ignore_termination() {
  for (int number : {SIGTERM, SIGINT, SIGHUP}) signal(number, SIG_IGN);
}

/// What the inner transport gets to see, except where the script says otherwise.
class Faulty final : public Transport {
 public:
  Faulty(std::unique_ptr<Transport> outside, std::shared_ptr<Script> script)
      : outside_(std::move(outside)), script_(std::move(script)) {}

  std::optional<std::string> receive() override {
    for (;;) {
      std::optional<std::string> line = outside_->receive();
      if (!line) return line;
      const nlohmann::json request = nlohmann::json::parse(*line, nullptr, false);
      const std::string kind = request.is_object() ? request.value("request", "") : "";
      if (kind == "hello") {
        if (const char* delay = std::getenv("RIDGELINE_SCRIPTED_DELAY_MS"))
          std::this_thread::sleep_for(std::chrono::milliseconds(std::atoi(delay)));
        if (const char* version = std::getenv("RIDGELINE_SCRIPTED_PROTOCOL")) {
          outside_->send(fmt::format(
              "{{\"reply\":\"hello\",\"protocol\":{},\"build\":{{}},\"launcher\":\"\"}}\n",
              version));
          continue;
        }
      }
      if (kind == "prepare" && !script_->knows_layout && request.contains("layout")) {
        outside_->send(protocol::to_line(protocol::Failure{
            "request \"prepare\" has an unknown field", "", static_cast<int>(ErrorKind::usage)}));
        continue;
      }
      if (kind == "prepare") {
        script_->prepare(variant_of(request.value("case", "")));
        if (const char* file = std::getenv("RIDGELINE_SCRIPTED_PREPARING"))
          std::ofstream(file, std::ios::app) << fmt::format("{}\n", getpid());
      }
      if (kind == "sample" && strike()) continue;
      return line;
    }
  }

  void send(std::string_view line) override {
    const Lie* lie = find(lies());
    const auto counts = script_->counts.find(script_->shown);
    const std::string code_hash = script_->code_hash();
    if (lie == nullptr && code_hash.empty()) return outside_->send(line);
    nlohmann::json answer = nlohmann::json::parse(line);
    const std::string reply = answer.at("reply");
    if (reply == "hello" && !code_hash.empty()) {
      answer["build"]["code_hash"] = code_hash;
      if (!script_->knows_layout) answer.erase("features");
    } else if (reply == "finish" && lie != nullptr) {
      lie->tell(answer.at("measurement"));
    } else if (reply == "finish" && counts != script_->counts.end()) {
      count(answer.at("measurement").at("metrics"), counts->second);
    } else {
      return outside_->send(line);
    }
    outside_->send(answer.dump() + '\n');
  }

 private:
  template <class Row>
  const Row* find(const std::vector<Row>& table) const {
    for (const Row& row : table)
      if (script_->shown == row.variant) return &row;
    return nullptr;
  }

  /// "noisy" of "scripted/noisy/f32/n=16".
  static std::string variant_of(const std::string& name) {
    const std::size_t first = name.find('/');
    if (first == std::string::npos) return {};
    return name.substr(first + 1, name.find('/', first + 1) - first - 1);
  }

  /// Gives each metric its value, and adds those that were not counted.
  static void count(nlohmann::json& metrics, const std::map<std::string, double>& values) {
    for (const auto& [name, value] : values) {
      const auto found =
          std::find_if(metrics.begin(), metrics.end(), [&](const nlohmann::json& metric) {
            return metric.at("name").get_ref<const std::string&>() == name;
          });
      if (found != metrics.end())
        (*found)["value"] = value;
      else
        metrics.push_back(
            {{"name", name}, {"value", value}, {"unit", "1"}, {"direction", "lower"}});
    }
  }

  bool strike() {
    const Fault* fault = find(faults());
    if (fault != nullptr) fault->strike(*outside_);
    return fault != nullptr;
  }

  std::unique_ptr<Transport> outside_;
  std::shared_ptr<Script> script_;
};

}  // namespace

const std::vector<Fault>& faults() {
  static const std::vector<Fault> table{
      {"segfault", "writes to address 0",
       [](Transport&) {
         *static_cast<volatile int*>(nullptr) = 1;  // NOLINT(clang-analyzer-core.NullDereference)
       }},
      {"abort", "calls abort()", [](Transport&) { std::abort(); }},
      {"exit0", "exits with 0 in the middle", [](Transport&) { _exit(0); }},
      {"exit3", "says why on stderr and exits with 3",
       [](Transport&) {
         std::fputs("scripted: cannot go on\n", stderr);
         _exit(3);
       }},
      {"loops", "never answers", [](Transport&) { loop(); }},
      {"loops_with_child", "never answers, nor does a child; both ignore SIGTERM",
       [](Transport&) {
         ignore_termination();
         fork();
         loop();
       }},
      {"leaves_daemon", "exits, and leaves a looping child in a session of its own",
       [](Transport&) {
         if (fork() == 0) {
           setsid();
           ignore_termination();
           loop();
         }
         _exit(0);
       }},
      {"forks_away", "exits, and leaves a child that forks and exits, whose child does so, too",
       [](Transport&) {
         if (fork() == 0)
           while (fork() <= 0) {
           }
         _exit(0);
       }},
      {"floods_errors", "never answers, and with seven children never stops printing on stderr",
       [](Transport&) {
         for (int i = 0; i < 3; ++i) fork();
         for (const std::string block(65536, 'x');;) (void)!write(2, block.data(), block.size());
       }},
      {"closes_output", "closes its output, and goes on",
       [](Transport&) {
         close_range(1, 1, 0);
         close_range(3, ~0u, 0);
         loop();
       }},
      {"endless_output", "answers with an endless line",
       [](Transport& outside) {
         for (const std::string block(65536, 'x');;) outside.send(block);
       }},
      {"endless_lines", "answers with endless lines",
       [](Transport& outside) {
         for (;;) outside.send("{}\n");
       }},
      {"binary_output", "answers with bytes that are not text",
       [](Transport& outside) {
         outside.send(
             "\x7F"
             "ELF\x02\xFF\xFE\x00\x01\x80\n");
       }},
      {"malformed", "answers with what is not JSON",
       [](Transport& outside) { outside.send("{\"reply\":\"sample\",\"samples_ns\":[1,2\n"); }},
      {"truncated", "exits in the middle of an answer",
       [](Transport& outside) {
         outside.send("{\"reply\":\"sample\",\"samples_ns\":[1,2");
         _exit(0);
       }},
      {"huge", "answers with a message of 64 MiB",
       [](Transport& outside) {
         outside.send("{\"reply\":\"sample\",\"samples_ns\":[" + std::string(64u << 20, ' ') +
                      "1]}\n");
       }},
      {"wrong_type", "answers with texts where numbers belong",
       [](Transport& outside) { outside.send("{\"reply\":\"sample\",\"samples_ns\":[\"1\"]}\n"); }},
      {"negative", "answers with a negative time",
       [](Transport& outside) { outside.send("{\"reply\":\"sample\",\"samples_ns\":[1,-1]}\n"); }},
      {"zero_time", "answers with a time of 0",
       [](Transport& outside) { outside.send("{\"reply\":\"sample\",\"samples_ns\":[1,0]}\n"); }},
      {"nan_time", "answers with a time that is not a number",
       [](Transport& outside) { outside.send("{\"reply\":\"sample\",\"samples_ns\":[1,NaN]}\n"); }},
      {"infinite_time", "answers with a time that no double can hold",
       [](Transport& outside) {
         outside.send("{\"reply\":\"sample\",\"samples_ns\":[1,1e999]}\n");
       }},
      {"no_samples", "answers with no time at all",
       [](Transport& outside) { outside.send("{\"reply\":\"sample\",\"samples_ns\":[]}\n"); }},
      {"too_many_samples", "answers with more times than it was asked for",
       [](Transport& outside) {
         outside.send(protocol::to_line(protocol::Sampled{std::vector<double>(10'001, 1e5)}));
       }},
      {"unknown_reply", "answers with a message nobody knows",
       [](Transport& outside) { outside.send("{\"reply\":\"dance\"}\n"); }},
      {"answers_twice", "sends an answer nobody asked for",
       [](Transport& outside) {
         outside.send(
             "{\"reply\":\"sample\",\"samples_ns\":[1]}\n{\"reply\":\"sample\",\"samples_ns\":[1]}"
             "\n");
       }},
  };
  return table;
}

const std::vector<Lie>& lies() {
  using nlohmann::json;
  static const std::vector<Lie> table{
      {"unverified", "leaves its verification out",
       [](json& measurement) { measurement.erase("verification"); }},
      {"same_metric_twice", "gives two metrics one name",
       [](json& measurement) {
         measurement["metrics"].push_back(json(measurement["metrics"][0]));
       }},
      {"other_cache", "says that its cache was hot",
       [](json& measurement) { measurement["cache"] = "hot"; }},
      {"other_launch", "says that it launched one by one",
       [](json& measurement) { measurement["launch"] = "single"; }},
      {"zero_at_the_end", "says in the end that a sample took no time",
       [](json& measurement) { measurement["samples_ns"][0] = 0; }},
      {"counts_on_a_clock", "says in the end that it was counted",
       [](json& measurement) {
         measurement["outcome"] = "counted";
         measurement["samples_ns"] = json::array();
         for (const char* time : {"warmup_ns", "timed_ns"}) measurement[time] = 0;
         for (const char* of_samples : {"median_ns", "relative_spread", "settled"})
           measurement.erase(of_samples);
       }},
      {"shorter_at_the_end", "says in the end that samples were shorter by half",
       [](json& measurement) {
         for (json& sample : measurement["samples_ns"]) sample = sample.get<double>() / 2;
         measurement["median_ns"] = measurement["median_ns"].get<double>() / 2;
       }},
      {"fewer_at_the_end", "leaves its first sample out in the end",
       [](json& measurement) { measurement["samples_ns"].erase(0); }},
      {"throttled_yet_ok", "says that it throttled, and that it is ok",
       [](json& measurement) { measurement["telemetry"]["throttled_by_hardware"] = true; }},
      {"shared_yet_ok", "says that another process used its device, and that it is ok",
       [](json& measurement) { measurement["telemetry"]["other_processes"] = 3; }},
      {"gains_energy", "says that it took less than no energy",
       [](json& measurement) {
         measurement["metrics"].push_back(
             {{"name", "energy"}, {"value", -5}, {"unit", "J"}, {"direction", "lower"}});
       }},
      {"other_seed", "says that its seed was another",
       [](json& measurement) {
         measurement["seed"] = measurement["seed"].get<std::uint64_t>() ^ 1;
       }},
  };
  return table;
}

std::unique_ptr<Transport> faulty(std::unique_ptr<Transport> outside,
                                  std::shared_ptr<Script> script) {
  return std::make_unique<Faulty>(std::move(outside), std::move(script));
}

}  // namespace ridgeline::worker::scripted
