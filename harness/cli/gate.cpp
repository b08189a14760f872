#include "harness/cli/gate.hpp"

#include <algorithm>
#include <map>
#include <ostream>
#include <span>
#include <tuple>
#include <utility>

#include <fmt/core.h>

#include "harness/analysis/gate_plan.hpp"
#include "harness/base/error.hpp"
#include "harness/base/file.hpp"
#include "harness/base/shell.hpp"
#include "harness/base/text.hpp"
#include "harness/present/gate_runs.hpp"
#include "harness/present/json_output.hpp"
#include "harness/process/interrupt.hpp"
#include "harness/run/typed_numbers.hpp"

namespace ridgeline::cli {
namespace {

/// A part of one that is no more than `most`.
double parse_share(const std::string& option, const std::string& text, double most) {
  const auto value = run::parse_fraction(text);
  if (!value || !gate::is_share(*value, most))
    throw Error(ErrorKind::usage,
                fmt::format("{} {} is not a share above 0 and {} {}", option, printable(text),
                            most < 1 ? "at most" : "below", most),
                "write 3% or 0.03");
  return *value;
}

/// A way to name both sides.
struct Mode {
  const char *baseline_option, *candidate_option;
  bool names_programs;
  bool baseline, candidate;  // whether they were given

  const char* given() const { return baseline ? baseline_option : candidate_option; }
  const char* other() const { return baseline ? candidate_option : baseline_option; }
};

[[noreturn]] void refuse(const std::string& what, const std::string& advice) {
  throw Error(ErrorKind::usage, what, advice);
}

/// Exactly one way to name both sides.
void check_sides(const gate::GateOptions& options) {
  const Mode modes[] = {
      {"--baseline-worker", "--candidate-worker", true, !options.baseline_workers.empty(),
       !options.candidate_workers.empty()},
      {"--baseline-ref", "--candidate-ref", true, !options.baseline_ref.empty(),
       !options.candidate_ref.empty()},
      {"--baseline-variant", "--candidate-variant", false, !options.baseline_variant.empty(),
       !options.candidate_variant.empty()},
      {"--baseline", "--candidate", false, !options.baseline.empty(), !options.candidate.empty()},
  };
  const Mode* chosen = nullptr;
  for (const Mode& mode : modes) {
    if (!mode.baseline && !mode.candidate) continue;
    if (!options.resume.empty() && !mode.names_programs)
      refuse(fmt::format("--resume does not go with {}", mode.given()),
             "the gate's stored options say what it compares");
    if (chosen != nullptr)
      refuse(fmt::format("{} does not go with {}", mode.given(), chosen->given()),
             "both sides are named in the same way: two workers, two commits, two variants or two "
             "runs");
    chosen = &mode;
  }
  if (chosen == nullptr && options.resume.empty())
    refuse("there is nothing to compare",
           "name two commits (--baseline-ref main --candidate-ref HEAD), two workers "
           "(--baseline-worker, --candidate-worker), two variants (--baseline-variant, "
           "--candidate-variant) or two runs (--baseline, --candidate)");
  if (chosen != nullptr && chosen->baseline != chosen->candidate)
    refuse(fmt::format("{} needs {}, too", chosen->given(), chosen->other()),
           "a gate compares two sides");
}

/// Options that would not do anything are mistakes.
void check_fit(const Context& context, const gate::GateOptions& options) {
  const bool runs = !options.baseline.empty(), variants = !options.baseline_variant.empty();
  const bool resume = !options.resume.empty();
  const struct {
    const char* name;
    bool given, with_runs, with_resume;
  } all[] = {
      {"--aa", options.aa, false, false},
      {"--all", options.all, false, false},
      {"--believe-code", options.believe_code, false, false},
      {"--budget", !options.budget.empty(), false, false},
      {"--seed", !options.seed.empty(), false, false},
      {"--label", !options.label.empty(), false, false},
      {"--device", !context.device.empty(), false, false},
      {"--profile", !context.profile.empty(), false, false},
      {"--no-wait", options.no_wait, false, true},
      {"--spread", options.spread, false, false},
      {"--counts-first", options.counts_first, false, false},
      {"--accept-changes", options.accept_changes, true, false},
      {"--config", !options.config.empty(), true, false},
      {"--delta", options.delta.has_value(), true, false},
      {"--alpha", options.alpha.has_value(), true, false},
      {"--beta", options.beta.has_value(), false, false},
      {"PATTERN", !options.patterns.empty(), true, false},
  };
  for (const auto& option : all) {
    if (option.given && runs && !option.with_runs)
      refuse(fmt::format("{} is for gates that measure, not for stored runs", option.name),
             "ridgeline gate --help shows what goes together");
    if (option.given && resume && !option.with_resume)
      refuse(fmt::format("{} does not go with --resume", option.name),
             "an interrupted gate keeps the options that it was started with");
  }
  if (options.accept_changes && !runs)
    refuse("--accept-changes is for stored runs",
           "what a gate measures itself has one environment");
  if (options.all && (options.aa || variants))
    refuse("--all goes with two workers or two commits",
           "a gate of two variants, and one with --aa, measures all cases");
  if (options.believe_code && (options.aa || options.all || variants))
    refuse("--believe-code goes with two workers or two commits, and not with --all",
           "other gates measure all cases, whatever the workers say");
  if (options.counts_first && (options.aa || variants))
    refuse("--counts-first goes with two workers or two commits",
           "it looks for what the code of both sides does differently");
  if (!context.workers.empty() && !variants && !resume)
    refuse("--worker goes with --baseline-variant alone",
           "workers are named with --baseline-worker and --candidate-worker");
}

/// Standard output holds one thing, and so does each file.
void check_output(const Context& context, const gate::GateOptions& options) {
  std::string on_output = context.json ? "--json" : "";
  std::map<std::filesystem::path, std::string> written;  // the option that names the file
  for (const auto& [option, name] : options.files) {
    if (name.empty()) continue;
    if (name == "-") {
      if (!on_output.empty())
        refuse(fmt::format("{} and {} - cannot share the standard output", on_output, option),
               "name a file for all but one");
      on_output = option + " -";
      continue;
    }
    check_writable(name);
    const auto file = std::filesystem::weakly_canonical(std::filesystem::absolute(name));
    if (const auto [other, is_new] = written.emplace(file, option); !is_new)
      refuse(fmt::format("{} and {} name the same file: {}", other->second, option,
                         printable(name, 4000)),
             "the second would replace the first");
  }
}

/// Writes each format that was asked for, whatever becomes of the others.
int show(const Context& context, const gate::GateOptions& options,
         std::span<const present::GateReport> reports) {
  const int exit_code = present::gate_exit_code(reports);
  const bool taken = context.json || std::ranges::any_of(options.files, [](const auto& file) {
                       return file.second == "-";
                     });
  std::FILE* out = taken ? stderr : stdout;  // for people
  if (!taken || !context.quiet)
    present::say(out, "\n" + present::gate_text(reports, present::look_of(out).width));
  if (options.github)
    for (const present::GateReport& report : reports)
      present::say_commands(out, present::gate_github(report));
  bool lost = false;
  for (const present::GateFormat& format : present::gate_formats) {
    const auto where = options.files.find(format.option);
    if (where == options.files.end() || where->second.empty()) continue;
    const std::string text = format.text(reports);
    try {
      if (where->second == "-")
        present::say(stdout, text);
      else
        write_file(where->second, [&](std::ostream& stream) { stream << text; });
    } catch (const Error& error) {
      lost = true;
      present::say_failure(error.what(), error.advice());
    }
  }
  if (context.json) present::print_json(present::to_json(reports));
  return lost && exit_code != present::interrupted ? static_cast<int>(ErrorKind::store) : exit_code;
}

/// What is typed: `options` but for what stands in the context, and shares as text.
struct TypedGate {
  gate::GateOptions options;
  std::optional<std::string> delta, alpha, beta;
};

int gate(const Context& context, const TypedGate& typed) {
  gate::GateOptions options = typed.options;
  options.workers = context.workers;
  options.device = context.device;
  options.profile = context.profile;
  if (typed.delta) options.delta = parse_share("--delta", *typed.delta, 1);
  if (typed.alpha) options.alpha = parse_share("--alpha", *typed.alpha, analysis::most_alpha);
  if (typed.beta) options.beta = parse_share("--beta", *typed.beta, analysis::most_alpha);
  check_sides(options);
  check_fit(context, options);
  check_output(context, options);
  const std::string line = "ridgeline " + shell_line(context.arguments);
  if (!options.baseline.empty()) {
    const present::GateReport report = present::gate_runs(context.results, line, options);
    process::Interrupt::check();
    return show(context, options, std::span(&report, 1));
  }
  if (options.resume.empty()) check_folder(context.results);
  return show(context, options, gates_measured(context, options));
}

}  // namespace

void add_gate(Command program, Context& context) {
  const auto [declared, typed] =
      add_command(program, context, "gate",
                  "Say whether a change made kernels slower: pass, regression, or undecided",
                  R"(
  ridgeline gate --baseline-ref main --candidate-ref HEAD 'gemm/*'
                                               before merging: builds both commits, measures in turn
  ridgeline gate --baseline-variant register_tiled --candidate-variant mine
                                               while tuning: two kernels of one build, by problem
  ridgeline gate --baseline-worker old/ridgeline-suites --candidate-worker new/ridgeline-suites gemm
                                               two builds that are there already
  ridgeline gate --baseline label:v1 --candidate latest
                                               two stored runs: measures nothing, decides less
  ridgeline gate ... --device cpu,cuda:0       on both, one after the other, with one alpha
  ridgeline gate ... --delta 2% --budget 30m   look for smaller slow-downs, and longer
  ridgeline gate ... --config gate.toml        what matters for which case (docs/how-to-gate.md)
  ridgeline gate --resume latest --baseline-worker old/ridgeline-suites --candidate-worker new/ridgeline-suites
                                               resume an interrupted gate, which prints this line

Both sides are measured in rounds: fresh processes, a random order of cases, one case after the
other on both sides in turn. A case leaves as soon as it is decided. A false regression is reported
in at most 1% of all gates, however many cases they have; what cannot be decided is undecided, never
a pass. Ctrl-C keeps what is measured.
On an emulated device counts are compared, exactly: one execution of each side decides.
Exit codes: 0 fine, 1 regression or tail, 2 wrong, missing, crashed or timeout, 3 nothing was
decided or an undecided case seems slower (with --strict: anything was not decided), 64 usage, 69 a
worker or a build is missing, 74 a results file or an output cannot be read or written, 130
interrupted. Where several hold, the first of 130, 74, 2, 1, 3.)",
                  gate, "nothing was measured");
  const Command command = declared;
  gate::GateOptions& options = typed.options;
  command.option("PATTERN", options.patterns,
                 "Globs on case names; without any, the cases of the profile");
  const auto side = [&](const char* name, auto& value, const char* what, const char* type) {
    command.option(name, value, what, {.value_name = type});
  };
  side("--baseline-ref", options.baseline_ref, "Commit to compare with: a branch, a tag, a hash",
       "REF");
  side("--candidate-ref", options.candidate_ref, "Commit that is judged", "REF");
  side("--baseline-variant", options.baseline_variant, "Variant to compare with", "NAME");
  side("--candidate-variant", options.candidate_variant, "Variant that is judged", "NAME");
  for (auto [name, value, what] : {std::tuple("--baseline-worker", &options.baseline_workers,
                                              "Worker program to compare with; may be repeated"),
                                   std::tuple("--candidate-worker", &options.candidate_workers,
                                              "Worker program that is judged; likewise")})
    command.option(name, *value, what, {.value_name = "PROGRAM", .one_value = true});
  side("--baseline", options.baseline, "Stored run to compare with, as for show", "RUN");
  side("--candidate", options.candidate, "Stored run that is judged", "RUN");
  side("--resume", options.resume,
       "Resume this interrupted or killed gate, or the latest, with a fresh budget", "GATE");
  command.option("--delta", typed.delta,
                 "Slow-down that matters: 3% or 0.03; without it 3% on CPUs, 0.5% on GPUs",
                 {.value_name = "SHARE"});
  command.option("--alpha", typed.alpha,
                 "Most that false regressions may occur, over all cases; without it 1%",
                 {.value_name = "SHARE"});
  command.option("--beta", typed.beta,
                 "Most that a case which is slower by delta may pass; without it 5%",
                 {.value_name = "SHARE"});
  side("--budget", options.budget, "Wall clock of the measuring; without it 10m", "TIME");
  command.flag("--spread", options.spread,
               "Measure all cases alike, even when the budget then decides none of them");
  side("--config", options.config,
       "Rules by case: delta, floor, alpha, counts, skip, expected regressions", "FILE");
  side("--seed", options.seed, "Of orders, inputs and layouts", "N");
  command.option("--label", options.label, "A word to find the gate's runs by",
                 {.value_name = "TEXT", .may_be_empty = true});
  command.flag(
      "--aa", options.aa,
      "Both sides are the same code: compare them all the same, to see how often a gate is wrong");
  command.flag("--all", options.all, "Also measure the cases whose code is the same on both sides");
  command.flag("--believe-code", options.believe_code,
               "Also leave out cases whose workers say that their code is the same");
  command.flag("--counts-first", options.counts_first,
               "On a GPU: count for some seconds on the emulated device what changed variants do, "
               "and measure those that do something else before the others");
  command.flag("--strict", options.strict,
               "Exit 3 when any case is undecided, was disturbed, may have a tail, or does not fit "
               "into memory beside the other side");
  command.flag("--accept-changes", options.accept_changes,
               "Of stored runs: judge although the environment changed");
  command.flag("--no-wait", options.no_wait, "Exit 69 when somebody else measures on the device");
  for (const auto add :
       {add_device_option, add_profile_option, add_worker_option, add_results_option})
    add(command, context);
  for (const present::GateFormat& format : present::gate_formats)
    side(format.option, options.files[format.option], format.what, "FILE");
  command.flag("--github", options.github, "Also print GitHub workflow annotations");
  for (const auto add : {add_json_option, add_quiet_option}) add(command, context);
}

}  // namespace ridgeline::cli
