#include "harness/cli/bisect_gates.hpp"

#include <cmath>
#include <utility>

#include <fmt/core.h>

#include "harness/base/error.hpp"
#include "harness/base/text.hpp"
#include "harness/cli/gate.hpp"
#include "harness/gate/programs.hpp"
#include "harness/process/home.hpp"
#include "harness/process/interrupt.hpp"
#include "harness/run/environment.hpp"

namespace ridgeline::cli {
namespace {

/// The words of the gate that does the same alone.
std::vector<std::string> words_of(const gate::GateOptions& options) {
  std::vector<std::string> words{"gate"};
  for (const auto& [option, value] :
       {std::pair("--baseline-ref", options.baseline_ref),
        std::pair("--candidate-ref", options.candidate_ref), std::pair("--device", options.device),
        std::pair("--profile", options.profile), std::pair("--budget", options.budget),
        std::pair("--seed", options.seed)})
    if (!value.empty()) words.insert(words.end(), {option, value});
  for (const auto& [option, value] :
       {std::pair("--delta", options.delta), std::pair("--alpha", options.alpha),
        std::pair("--beta", options.beta)})
    if (value) words.insert(words.end(), {option, fmt::format("{}", *value)});
  words.push_back(options.patterns.front());
  return words;
}

}  // namespace

BisectGates::BisectGates(const Context& context, const BisectOptions& options,
                         const gate::Commit& good, const record::Device& device, SayLines say)
    : context_(context),
      options_(options),
      good_(good),
      device_(device),
      say_(std::move(say)),
      known_(context.results, device.uuid, run::observe_environment(device).hash,
             present::say_left_out) {}

std::optional<BisectGates::Gated> BisectGates::stored(const gate::Commit& candidate,
                                                      const gate::CommitQuestion& question) const {
  const auto found = known_.finished({good_.hash, candidate.hash}, question.case_name);
  if (!found) return std::nullopt;
  const gate::StoredAnswer answer = answer_of(*found, question);
  if (answer.tested != analysis::Tested::good && answer.tested != analysis::Tested::bad)
    return std::nullopt;
  const record::Gate& gate = found->summary.gate;
  return Gated{answer, gate.id, std::to_string(gate.seed), true};
}

BisectGates::Gated BisectGates::measure(const gate::Commit& candidate,
                                        const gate::CommitQuestion& question, int attempt,
                                        const std::string& seed) {
  gate::GateOptions options = options_of(good_, candidate);
  if (attempt == 0) options.seed = seed;
  if (!analysis::gives_counts(device_.kind)) {
    options.delta = question.delta;
    options.alpha = question.alpha;
    options.beta = question.beta;
    options.budget = fmt::format("{}s", std::ceil(std::ldexp(options_.budget_s, attempt)));
  }
  Context context = context_;
  context.arguments = words_of(options);
  const auto unfinished = known_.unfinished({good_.hash, candidate.hash}, question);
  if (attempt > 0 || !unfinished) return ended(gate_measured(context, options), question);
  gate::GateOptions resumed;
  resumed.resume = *unfinished;
  resumed.baseline_ref = options.baseline_ref;
  resumed.candidate_ref = options.candidate_ref;
  resumed.no_wait = options.no_wait;
  try {
    return ended(gate_measured(context, resumed), question);
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::usage) throw;  // a gate that does not go on with something else
    say_(fmt::format("it is measured anew: {}\n", printable(error.what(), 400)));
    return ended(gate_measured(context, options), question);
  }
}

bool BisectGates::same_code(const gate::Commit& before, const gate::Commit& after) const {
  const gate::Wanted wanted = gate::from_command_line(options_of(before, after));
  const gate::Programs programs = gate::find_programs(wanted, [](const std::string&) {});
  const std::filesystem::path home = process::home();
  const gate::GateCases cases = gate::choose_cases(
      wanted, programs, device_, run::load_profile(wanted.options.profile, home), home);
  return gate::executes_same_code(cases, options_.case_name);
}

gate::GateOptions BisectGates::options_of(const gate::Commit& before,
                                          const gate::Commit& after) const {
  gate::GateOptions options;
  options.patterns = {options_.case_name};
  options.baseline_ref = before.hash;
  options.candidate_ref = after.hash;
  options.device = device_.id;
  options.profile = context_.profile;
  options.no_wait = options_.no_wait;
  return options;
}

BisectGates::Gated BisectGates::ended(const present::GateReport& report,
                                      const gate::CommitQuestion& question) const {
  if (report.exit_code == present::interrupted) throw process::Interrupted();
  const store::FoundGate found{report.file, {report.gate, report.device, {}}};
  return {answer_of(found, question), report.gate.id, std::to_string(report.gate.seed), false};
}

}  // namespace ridgeline::cli
