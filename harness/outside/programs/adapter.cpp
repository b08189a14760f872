#include "harness/outside/programs/adapter.hpp"

#include <algorithm>
#include <exception>
#include <numeric>
#include <optional>
#include <utility>
#include <variant>

#include <fmt/core.h>

#include "harness/base/error.hpp"
#include "harness/base/kernel_calls.hpp"
#include "harness/base/text.hpp"
#include "harness/protocol/json.hpp"
#include "harness/stats/median.hpp"
#include "harness/worker/code_hash.hpp"
#include "harness/worker/serve.hpp"

namespace ridgeline::outside {
namespace {

using protocol::to_line;

class Conversation {
 public:
  explicit Conversation(const Adapted& adapted) : adapted_(adapted) {}

  /// The answer as a line; empty after bye.
  std::string answer(const protocol::Request& request) {
    return std::visit([this](const auto& wanted) { return answer(wanted); }, request);
  }

 private:
  std::string answer(const protocol::HelloRequest&) {
    protocol::Hello hello;
    hello.build.worker = adapted_.file.filename().string();
    hello.build.commit = "unknown";
    hello.build.code_hash = worker::code_hash(adapted_.file);
    return to_line(hello);
  }

  std::string answer(const protocol::ListRequest&) {
    protocol::Cases cases;
    for (const Offered& each : listed()) cases.cases.push_back({each.info, {}});
    return to_line(cases);
  }

  std::string answer(const protocol::DevicesRequest&) {
    const device::Discovery found = adapted_.discover();
    protocol::Devices devices;
    for (const device::Facts& facts : found.devices)
      if (facts.kind == adapted_.kind) devices.devices.push_back(worker::to_record(facts));
    for (const auto& [kind, reason] : found.unavailable)
      if (kind == adapted_.kind)
        devices.unavailable.push_back({std::string(device::to_string(kind)), reason});
    return to_line(devices);
  }

  std::string answer(const protocol::Open&) { return to_line(protocol::Opened{}); }

  std::string answer(const protocol::Prepare& request) {
    prepared_.reset();
    const auto found = std::ranges::find_if(listed(), [&](const Offered& each) {
      return record::name(each.info.id) == request.case_name;
    });
    if (found == listed().end())
      throw Error(ErrorKind::usage,
                  fmt::format("there is no case '{}'", printable(request.case_name)));
    prepared_ = Prepared{request, &*found, {}, kernel_clock_ns()};
    return to_line(protocol::Prepared{});
  }

  std::string answer(const protocol::Sample& request) {
    Prepared& prepared = wanted();
    record::Measurement found =
        adapted_.program.measure(prepared.offered->own, prepared.request.device, request);
    if (!record::has_samples(found.outcome) || found.samples_ns.empty())
      throw Error(ErrorKind::dependency, found.reason);
    const auto most = static_cast<std::size_t>(std::max(request.max_samples, 1));
    if (found.samples_ns.size() > most) found.samples_ns.resize(most);
    std::vector<double> taken = found.samples_ns;
    std::vector<double>& all = prepared.measurement.samples_ns;
    std::vector<double> before = std::move(all);
    before.insert(before.end(), taken.begin(), taken.end());
    prepared.measurement = std::move(found);
    prepared.measurement.samples_ns = std::move(before);
    return to_line(protocol::Sampled{std::move(taken)});
  }

  std::string answer(const protocol::FinishRequest&) {
    Prepared& prepared = wanted();
    record::Measurement& m = prepared.measurement;
    if (m.samples_ns.empty()) throw Error(ErrorKind::usage, "the case was not sampled");
    m.case_name = prepared.request.case_name;
    m.reason =
        fmt::format("{} compares its outputs with no oracle", adapted_.file.filename().string());
    m.attempt = 1;
    m.median_ns = stats::median(m.samples_ns);
    m.relative_spread.reset();
    m.launch = record::launch_of(prepared.offered->info.id) == "single" ? "single" : "loop";
    m.cache = prepared.request.cache;
    m.buffer_sets = 1;
    m.seed = prepared.request.seed;
    m.timed_ns = std::accumulate(m.samples_ns.begin(), m.samples_ns.end(), 0.0) *
                 static_cast<double>(m.executions_per_sample);
    m.total_ns = static_cast<double>(kernel_clock_ns() - prepared.begun_ns);
    const protocol::Finished finished{std::move(m)};
    prepared_.reset();
    return to_line(finished);
  }

  std::string answer(const protocol::ByeRequest&) { return {}; }

  struct Offered {
    BenchProgram::Listed own;
    record::Case info;  // which says how it is measured
  };

  /// Asked once, when it is needed.
  const std::vector<Offered>& listed() {
    if (!listed_) {
      listed_.emplace();
      for (BenchProgram::Listed& each : adapted_.program.list()) {
        Offered& offered = listed_->emplace_back(Offered{each, each.info});
        say_how(offered.info);
      }
    }
    return *listed_;
  }

  /// NVBench empties the cache before each launch; all others run whatever is in it.
  void say_how(record::Case& info) const {
    const bool cold =
        adapted_.kind == DeviceKind::cuda && record::option(info.id, "cache", "cold") == "cold";
    if (cold)
      info.id.options.push_back({"launch", "single"});
    else if (record::option(info.id, "cache", "").empty())
      info.id.options.push_back({"cache", "hot"});
  }

  struct Prepared {
    protocol::Prepare request;
    const Offered* offered = nullptr;
    record::Measurement measurement;
    std::int64_t begun_ns = 0;
  };
  Prepared& wanted() {
    if (!prepared_) throw Error(ErrorKind::usage, "no case is prepared");
    return *prepared_;
  }

  const Adapted& adapted_;
  std::optional<std::vector<Offered>> listed_;
  std::optional<Prepared> prepared_;
};

}  // namespace

void adapt(const Adapted& adapted, worker::Transport& transport) {
  Conversation conversation(adapted);
  while (const auto line = transport.receive()) {
    std::string answer;
    try {
      answer = conversation.answer(protocol::parse_request(*line));
    } catch (const Error& error) {
      answer = to_line(protocol::Failure{error.what(), error.advice(), error.exit_code(), {}});
    } catch (const std::exception& error) {
      answer =
          to_line(protocol::Failure{error.what(), "", static_cast<int>(ErrorKind::internal), {}});
    }
    if (answer.empty()) return;
    transport.send(answer);
  }
}

}  // namespace ridgeline::outside
