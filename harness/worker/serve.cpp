#include "harness/worker/serve.hpp"

#include <algorithm>
#include <exception>
#include <new>
#include <optional>
#include <utility>

#include <fmt/core.h>

#include "harness/base/error.hpp"
#include "harness/base/kept_files.hpp"
#include "harness/base/text.hpp"
#include "harness/measure/measure.hpp"
#include "harness/protocol/json.hpp"
#include "harness/worker/build_facts.hpp"
#include "harness/worker/hosts.hpp"
#include "harness/worker/rank_beats.hpp"
#include "harness/worker/rank_failure.hpp"

namespace ridgeline::worker {
namespace {

using protocol::to_line;

template <class Value>
Value choose(const std::string& field, const std::string& text,
             std::initializer_list<std::pair<const char*, Value>> choices) {
  std::string known;
  for (const auto& [name, value] : choices) {
    if (text == name) return value;
    known += fmt::format("{}{}", known.empty() ? "" : ", ", name);
  }
  throw Error(ErrorKind::usage,
              fmt::format("request \"prepare\" asks for {} '{}'", field, printable(text, 60)),
              "known are " + known);
}

measure::PrepareOptions options_of(const protocol::Prepare& request) {
  measure::PrepareOptions options;
  options.cache = choose<measure::Cache>(
      "cache", request.cache, {{"cold", measure::Cache::cold}, {"hot", measure::Cache::hot}});
  options.launch = choose<device::Launch>(
      "launch", request.launch,
      {{"graph", device::Launch::graph}, {"single", device::Launch::single}});
  options.distribution = choose<device::Distribution>("input", request.input, inputs);
  options.seed = request.seed;
  options.warmup_budget_ns = request.warmup_budget_ns;
  options.sample_floor_ns = request.sample_floor_ns;
  options.layout = request.layout;
  options.settle_budget_ns = request.settle_budget_ns;
  options.energy_budget_ns = request.energy_budget_ns;
  return options;
}

std::optional<protocol::FailureCause> cause_of(const std::exception& error) {
  const bool no_memory =
      dynamic_cast<const OutOfMemory*>(&error) || dynamic_cast<const std::bad_alloc*>(&error);
  return no_memory ? std::optional(protocol::FailureCause::out_of_memory) : std::nullopt;
}

/// Of inputs: a case on a CPU reads the same ones whatever was measured before it, so that what its
/// outputs should be is found again.
std::size_t reserved(const device::Facts& facts) {
  constexpr std::size_t most = std::size_t{4} << 30;
  return facts.kind == device::Kind::cpu ? std::min<std::size_t>(facts.memory / 8, most) : 0;
}

/// Whether its ranks are on several hosts.
bool is_spread(const measure::Group* group) {
  return group != nullptr && group->here().size < group->size();
}

/// The state of a conversation: one opened device, its inputs, and at most one prepared case.
class Session {
 public:
  explicit Session(const Program& program) : program_(program) {}

  /// The answer as a line; empty after bye.
  std::string answer(const protocol::Request& request) {
    return std::visit([this](const auto& wanted) { return answer(wanted); }, request);
  }

  /// Lets go of the device. After a failure in the middle of a case it may be in any state.
  void drop_device() {
    experiment_.reset();
    inputs_.reset();
    device_.reset();
  }

 private:
  std::string answer(const protocol::HelloRequest&) {
    protocol::Hello hello{protocol::version,
                          build_facts(program_.name),
                          program_.launcher,
                          {protocol::Feature::layout, protocol::Feature::settle,
                           protocol::Feature::energy, protocol::Feature::open}};
    if (program_.keeps_expected) hello.features.insert(protocol::Feature::expected);
    if (program_.group != nullptr)
      hello.hosts = hosts_of(*program_.group, facts_of_host(program_.discover()));
    return to_line(hello);
  }

  std::string answer(const protocol::ListRequest&) {
    protocol::Cases cases;
    for (const Suite& suite : program_.suites) {
      for (const Case& listed : suite.cases) cases.cases.push_back({listed.info, {}});
      if (!suite.question.empty()) cases.suites.push_back({suite.name, suite.question});
    }
    return to_line(cases);
  }

  std::string answer(const protocol::DevicesRequest&) {
    const device::Discovery found = program_.discover();
    protocol::Devices devices;
    for (const device::Facts& facts : found.devices) devices.devices.push_back(to_record(facts));
    for (const auto& [kind, reason] : found.unavailable)
      devices.unavailable.push_back({std::string(device::to_string(kind)), reason});
    return to_line(devices);
  }

  std::string answer(const protocol::Open& request) {
    open(request.device);
    return to_line(protocol::Opened{});
  }

  std::string answer(const protocol::Prepare& request) {
    experiment_.reset();
    measure::PrepareOptions options = options_of(request);
    options.sources = program_.sources;
    options.case_name = request.case_name;
    if (program_.keeps_expected) options.kept = kept_by_gate();
    use_device(request.device, request.seed);
    const Case* wanted = find_case(program_, request.case_name, device_->facts().kind);
    if (wanted == nullptr)
      return to_line(protocol::Prepared{record::Outcome::unsupported,
                                        fmt::format("does not run on {}", request.device)});
    measure::Group& group = program_.group != nullptr ? *program_.group : alone_;
    device::Support support = check(*wanted, device_->facts(), program_.group);
    // All ranks measure it or none does: one that did not would leave the others waiting.
    if (group.max(support ? 0 : 1) > 0 && support)
      support = device::Support::unsupported("another rank cannot measure it");
    if (!support) {
      const bool installable = support.kind() == device::Support::Kind::unavailable;
      return to_line(protocol::Prepared{
          installable ? record::Outcome::unavailable : record::Outcome::unsupported,
          support.reason()});
    }
    case_name_ = request.case_name;
    experiment_.emplace(wanted->prepare, measure::Setup{*device_, *inputs_, group}, options);
    const protocol::Prepared prepared{experiment_->outcome(), experiment_->reason()};
    if (!record::is_success(prepared.outcome)) experiment_.reset();
    return to_line(prepared);
  }

  std::string answer(const protocol::Sample& request) {
    return to_line(protocol::Sampled{prepared().sample(
        {request.target, request.min_samples, request.max_samples, request.budget_ns})});
  }

  std::string answer(const protocol::FinishRequest&) {
    protocol::Finished finished{prepared().finish()};
    finished.measurement.case_name = case_name_;
    experiment_.reset();
    return to_line(finished);
  }

  std::string answer(const protocol::ByeRequest&) { return {}; }

  measure::Experiment& prepared() {
    if (!experiment_) throw Error(ErrorKind::usage, "no case is prepared");
    return *experiment_;
  }

  void open(const std::string& id) {
    if (device_ && device_id_ == id) return;
    drop_device();
    device_ = program_.open(id);
    device_id_ = id;
  }

  void use_device(const std::string& id, std::uint64_t seed) {
    open(id);
    if (!inputs_ || inputs_->seed() != seed) {
      inputs_.reset();
      inputs_ = std::make_unique<measure::InputPool>(*device_, seed, reserved(device_->facts()));
    }
    inputs_->rewind();
  }

  const Program& program_;
  measure::Group alone_;
  std::unique_ptr<device::Device> device_;
  std::string device_id_;  // as it was asked for: the ranks of one request have a GPU each
  std::unique_ptr<measure::InputPool> inputs_;
  std::optional<measure::Experiment> experiment_;
  std::string case_name_;
};

}  // namespace

void serve(const Program& program, Transport& transport) {
  Session session(program);
  // On one host, ridgeline sees for itself. Ranks of other hosts than its own say nothing unasked:
  // when their network is lost, what is under way over it would keep mpirun there from noticing.
  const bool are_spread = is_spread(program.group);
  const bool is_away = are_spread && program.group->here().first != 0;
  std::optional<RankBeats> away;
  if (is_away) away.emplace(*program.group, when_asked);
  while (const auto line = transport.receive()) {
    std::string answer;
    protocol::Failure failure;
    bool broken = false;  // beyond this request
    try {
      std::optional<RankBeats> beats;
      if (are_spread && !is_away) beats.emplace(*program.group, each_second);
      answer = session.answer(protocol::parse_request(*line));
    } catch (const Error& error) {
      broken = error.kind() != ErrorKind::usage;
      failure = {error.what(), error.advice(), error.exit_code(), cause_of(error)};
      answer = to_line(failure);
    } catch (const std::exception& error) {
      broken = true;
      failure = {error.what(), "", static_cast<int>(ErrorKind::internal), cause_of(error)};
      answer = to_line(failure);
    }
    if (answer.empty()) return;
    transport.send(answer);
    if (!broken) continue;
    // The other ranks may wait for this one for ever, and of answers only those of rank 0 are
    // heard.
    if (program.group != nullptr && program.group->size() > 1) {
      const int rank = program.group->rank();
      failure.message =
          fmt::format("rank {} failed in the middle of a case: {}", rank, failure.message);
      if (rank != 0) tell_failure(rank, failure);
      throw Error(ErrorKind::dependency, failure.message);
    }
    session.drop_device();
  }
}

record::Device to_record(const device::Facts& facts) {
  return {facts.id,     facts.kind,       facts.model,      facts.name,    facts.uuid,
          facts.pci_id, facts.properties, facts.comparable, facts.recorded};
}

}  // namespace ridgeline::worker
