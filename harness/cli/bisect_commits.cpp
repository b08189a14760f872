#include <algorithm>
#include <cmath>
#include <functional>
#include <utility>

#include <fmt/core.h>

#include "harness/base/error.hpp"
#include "harness/base/text.hpp"
#include "harness/base/units.hpp"
#include "harness/cli/bisect.hpp"
#include "harness/cli/bisect_gates.hpp"
#include "harness/gate/foresight.hpp"
#include "harness/run/selection.hpp"

namespace ridgeline::cli {
namespace {

using analysis::Tested;
using gate::CommitQuestion;
using present::in_words;
using present::TestedCommit;

class CommitSearch {
 public:
  CommitSearch(const Context& context, const BisectOptions& options)
      : context_(context), options_(options), out_(context.json ? stderr : stdout) {
    report_.case_name = options.case_name;
    report_.good = gate::find_commit(options.good);
    report_.range =
        gate::commits_between(report_.good, gate::find_commit(options.bad), options.into_merges);
    planned_ = analysis::planned_gates(report_.range.commits.size());
  }

  present::BisectReport search() {
    say(fmt::format("{} between {} and {}, found in {} when each of them decides\n",
                    units::plural(std::ssize(report_.range.commits), "commit"),
                    in_words(report_.good), in_words(bad()), units::plural(planned_, "gate")));
    find_device();
    gates_.emplace(context_, options_, report_.good, report_.device,
                   std::bind_front(&CommitSearch::say, this));
    report_.exit_code = present::undecided;
    if (!ends_differ()) return report_;
    const analysis::Bisected found =
        analysis::bisect(report_.range.parents,
                         {options_.error, report_.gates, options_.attempts, options_.most_gates},
                         std::bind_front(&CommitSearch::ask, this));
    report_.gates = found.gates;
    report_.left = found.left;
    if (found.left.size() == 1) report_.exit_code = present::fine;
    return report_;
  }

 private:
  const gate::Commit& commit(std::size_t place) const { return report_.range.commits[place]; }
  const gate::Commit& bad() const { return report_.range.commits.back(); }
  bool counts() const { return analysis::gives_counts(report_.device.kind); }

  void say(const std::string& lines) const {
    if (!context_.quiet) present::say(out_, lines);
  }

  void warn(const std::string& line) const {
    if (!context_.quiet) present::say(stderr, printable(line, 4000) + '\n');
  }

  std::vector<std::string> build(const gate::Commit& wanted) const {
    return gate::build_commit(wanted, std::bind_front(&CommitSearch::warn, this));
  }

  /// Of the workers of the bad commit, which must have the case.
  void find_device() {
    const gate::Commit ends[] = {report_.good, bad()};
    gate::look_ahead(ends, {context_.device, {options_.case_name}, options_.no_wait},
                     std::bind_front(&CommitSearch::warn, this));
    const std::vector<run::Worker> workers =
        run::ask_only(build(bad()), run::Ask::cases_and_devices);
    report_.device = run::choose_device(workers, context_.device);
    std::vector<std::string> names;
    for (const run::Selected& each : run::all_cases(workers, report_.device))
      names.push_back(each.name);
    if (std::ranges::find(names, options_.case_name) == names.end()) {
      run::check_patterns({options_.case_name}, names);
      throw Error(ErrorKind::usage,
                  fmt::format("{} is a pattern, and a search is for one case",
                              printable(options_.case_name)),
                  "ridgeline list shows their names");
    }
    if (counts() && options_.delta > 0)
      throw Error(ErrorKind::usage,
                  fmt::format("--delta is for times, and {} gives counts, which are exact",
                              printable(report_.device.id)));
    report_.error = counts() ? 0 : options_.error;
  }

  // ---- the end points

  /// Without a proof of that every commit would be blamed for noise.
  bool ends_differ() {
    build(report_.good);
    const std::size_t last = report_.range.commits.size() - 1;
    const double delta =
        options_.delta > 0 ? options_.delta : analysis::default_delta(report_.device.kind);
    BisectGates::Gated ends;
    double risk = 0;
    for (int attempt = 0; attempt < options_.attempts && ends.answer.tested == Tested::open;
         ++attempt) {
      risk = analysis::error_share(options_.error, report_.gates + 1, planned_);
      ends = gated(last, {options_.case_name, delta, risk * analysis::part_of_ends, risk, {}, 0},
                   attempt);
      ++report_.gates;
    }
    if (ends.answer.tested != Tested::bad) {
      const bool good = ends.answer.tested == Tested::good;
      report_.ended =
          fmt::format("{}: {}, against {}, {}{}",
                      good ? "there is nothing to search for" : "the search cannot begin",
                      in_words(bad()), in_words(report_.good),
                      ends.answer.tested == Tested::untestable ? "" : "is ", in_words(entry(last)));
      return false;
    }
    seed_ = ends.seed;
    asked_.case_name = options_.case_name;
    counts() ? look_for_count(ends) : look_for_times(ends, delta, risk);
    return true;
  }

  void look_for_count(const BisectGates::Gated& ends) {
    asked_.metric = report_.metric = ends.answer.verdict.metric;
    asked_.bad_value = ends.answer.verdict.candidate_value.value_or(0);
  }

  void look_for_times(const BisectGates::Gated& ends, double delta, double risk) {
    const analysis::GatePlan plan = analysis::plan_for(report_.device.kind);
    const double least = std::max(
        analysis::proven_slowdown(plan, ends.answer.pairs, risk * (1 - analysis::part_of_ends)),
        plan.shift * std::log1p(delta));
    report_.slowdown = std::expm1(least);
    asked_.delta = analysis::dividing_delta(least);
    say(fmt::format("it is proven to be slower by {} or more; commits are told apart at {}\n",
                    units::percent(*report_.slowdown), units::percent(asked_.delta)));
  }

  // ---- one commit

  analysis::CommitAnswer ask(std::size_t place, double risk, int attempt) {
    if (attempt == 0) {
      if (const std::string why = why_not_built(commit(place)); !why.empty())
        return learn(place, Tested::untestable, why);
      if (const auto known = by_code(place)) return *known;
    }
    CommitQuestion question = asked_;
    question.alpha = question.beta = risk;
    return {gated(place, question, attempt).answer.tested, true};
  }

  std::string why_not_built(const gate::Commit& wanted) const {
    try {
      run::ask_only(build(wanted), run::Ask::cases);
      return {};
    } catch (const Error& error) {
      if (error.kind() != ErrorKind::dependency) throw;
      return error.what();
    }
  }

  /// A commit that executes the same code as one of which it is known is like that one.
  std::optional<analysis::CommitAnswer> by_code(std::size_t place) {
    std::vector<std::pair<Tested, const gate::Commit*>> known{{Tested::good, &report_.good}};
    for (const Tested wanted : {Tested::bad, Tested::good})
      for (auto one = report_.tested.rbegin(); one != report_.tested.rend(); ++one)
        if (one->tested == wanted) {
          known.emplace_back(wanted, &commit(one->commit));
          break;  // the latest is the nearest
        }
    for (const auto& [tested, other] : known)
      if (gates_->same_code(*other, commit(place)))
        return learn(place, tested, "the same code as " + in_words(*other));
    return std::nullopt;
  }

  BisectGates::Gated gated(std::size_t place, const CommitQuestion& question, int attempt) {
    std::optional<BisectGates::Gated> found;
    if (attempt == 0) found = gates_->stored(commit(place), question);
    if (!found) {
      say(fmt::format("\ngate of {}{}\n", in_words(commit(place)),
                      attempt > 0 ? ", once more, with twice the budget" : ""));
      found = gates_->measure(commit(place), question, attempt,
                              seed_.empty() || !counts() ? options_.seed : seed_);
    }
    TestedCommit& one = entry(place);
    one.gate = found->gate;
    one.stored = found->stored;
    one.ratio = found->answer.ratio;
    learn(place, found->answer.tested, found->answer.why);
    return *found;
  }

  // ---- what is known

  TestedCommit& entry(std::size_t place) {
    const auto known = std::ranges::find(report_.tested, place, &TestedCommit::commit);
    if (known != report_.tested.end()) return *known;
    report_.tested.emplace_back().commit = place;
    return report_.tested.back();
  }

  analysis::CommitAnswer learn(std::size_t place, Tested tested, const std::string& why) {
    TestedCommit& one = entry(place);
    one.tested = tested;
    one.why = why;
    say(fmt::format("{}: {}{}\n", in_words(commit(place)), in_words(one),
                    one.stored ? fmt::format(", as stored in gate {}", one.gate) : ""));
    return {tested, false};
  }

  const Context& context_;
  const BisectOptions& options_;
  std::FILE* out_;  // for people
  present::BisectReport report_;
  std::optional<BisectGates> gates_;
  int planned_ = 0;
  CommitQuestion asked_;  // of commits between the end points, but for its risks
  std::string seed_;      // of the gate of the end points: what counts depend on
};

}  // namespace

present::BisectReport bisect_commits(const Context& context, const BisectOptions& options) {
  return CommitSearch(context, options).search();
}

}  // namespace ridgeline::cli
