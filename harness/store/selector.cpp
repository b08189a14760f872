#include "harness/store/selector.hpp"

#include <algorithm>
#include <iterator>
#include <optional>
#include <set>
#include <string>
#include <system_error>
#include <tuple>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "harness/base/error.hpp"
#include "harness/base/text.hpp"
#include "harness/base/units.hpp"
#include "harness/store/baselines.hpp"

namespace ridgeline::store {
namespace {

namespace fs = std::filesystem;

/// Runs and gates are found alike: by these two.
const std::string& id(const FoundRun& found) { return found.summary.run.id; }
const std::string& id(const FoundGate& found) { return found.summary.gate.id; }
const std::string& started(const FoundRun& found) { return found.summary.run.started; }
const std::string& started(const FoundGate& found) { return found.summary.gate.started; }

/// What `list` says of each of the files, newest first.
template <class Found, class List>
std::vector<Found> all_of(const std::vector<fs::path>& files, const LeftOut& left_out, List list) {
  std::vector<Found> all;
  read_each(files, left_out, [&](const fs::path& file, const Store& store) {
    for (auto& summary : list(store)) all.push_back({file, std::move(summary)});
  });
  std::ranges::sort(all, [](const Found& a, const Found& b) {
    return std::tie(started(a), id(a)) > std::tie(started(b), id(b));
  });
  return all;
}

std::vector<FoundRun> runs_of(const std::vector<fs::path>& files, const LeftOut& left_out) {
  return all_of<FoundRun>(files, left_out, runs);
}

std::vector<FoundGate> gates_of(const std::vector<fs::path>& files, const LeftOut& left_out) {
  return all_of<FoundGate>(files, left_out, gates);
}

/// The part of `text` behind `word`, when it starts with it.
std::optional<std::string_view> behind(std::string_view word, std::string_view text) {
  if (!text.starts_with(word)) return std::nullopt;
  return text.substr(word.size());
}

std::vector<std::string> slugs(const std::vector<fs::path>& files) {
  std::vector<std::string> slugs;
  for (const fs::path& file : files) slugs.push_back(file.stem().string());
  return slugs;
}

/// `what`: "run" or "gate".
template <class Found>
[[noreturn]] void nothing(const fs::path& folder, const char* what, std::string_view selector,
                          const std::vector<Found>& all) {
  std::string advice = fmt::format("ridgeline runs lists the {}s", what);
  if (!all.empty()) advice += fmt::format("; the latest is {}", id(all.front()));
  throw Error(
      ErrorKind::usage,
      fmt::format("no {} in {} is meant by '{}'", what, folder.string(), printable(selector)),
      advice);
}

template <class Found>
Found one_with_id(const fs::path& folder, const char* what, std::string_view prefix,
                  const std::vector<Found>& all) {
  std::vector<Found> matching;
  for (const Found& found : all) {
    if (id(found) == prefix) return found;
    if (id(found).starts_with(prefix)) matching.push_back(found);
  }
  if (matching.empty()) nothing(folder, what, prefix, all);
  if (matching.size() == 1) return matching.front();
  constexpr std::size_t shown = 8;
  std::vector<std::string> ids;
  for (std::size_t i = 0; i < std::min(matching.size(), shown); ++i) ids.push_back(id(matching[i]));
  throw Error(ErrorKind::usage,
              fmt::format("{} means {} {}s", printable(prefix), matching.size(), what),
              fmt::format("write more of one: {}{}", fmt::join(ids, ", "),
                          matching.size() > shown ? ", ..." : ""));
}

bool is_imported(const FoundRun& run) { return !run.summary.run.imported.empty(); }

bool is_side(const FoundRun& run) { return !run.summary.run.gate.empty(); }

bool is_built_from(const FoundRun& run, std::string_view commit) {
  const auto builds = store::builds(Store::open(run.file), run.summary.run.id);
  return std::ranges::any_of(
      builds, [&](const record::Build& build) { return build.commit.starts_with(commit); });
}

/// The run that `name` stands for in one of the files that `runs` are of. Several models may each
/// have one.
FoundRun with_baseline(const fs::path& folder, std::string_view name,
                       const std::vector<FoundRun>& runs) {
  std::vector<FoundRun> named;
  std::set<fs::path> files;
  std::set<std::string> known;
  for (const FoundRun& run : runs) files.insert(run.file);
  for (const fs::path& file : files)
    for (const record::Baseline& baseline : baselines(Store::open(file))) {
      known.insert(baseline.name);
      if (baseline.name != name) continue;
      const auto found = std::ranges::find_if(runs, [&](const FoundRun& run) {
        return run.file == file && id(run) == baseline.run_id;
      });
      if (found != runs.end()) named.push_back(*found);
    }
  if (named.size() == 1) return named.front();
  if (named.empty())
    throw Error(ErrorKind::usage,
                fmt::format("no baseline in {} is called '{}'", folder.string(), printable(name)),
                known.empty()
                    ? fmt::format("ridgeline baseline set {} RUN makes it", printable(name))
                    : fmt::format("there are: {}; ridgeline baseline list shows them",
                                  fmt::join(known, ", ")));
  std::vector<std::string> selectors;
  for (const FoundRun& run : named)
    selectors.push_back(fmt::format("{}@baseline:{}", run.file.stem().string(), name));
  throw Error(
      ErrorKind::usage,
      fmt::format("baseline:{} means runs of {} device models", printable(name), named.size()),
      fmt::format("write one of: {}", fmt::join(selectors, ", ")));
}

/// `which`: what stands behind `<model>@`, or a whole selector without a model.
FoundRun pick(const fs::path& folder, std::string_view which, std::vector<FoundRun> runs) {
  const auto whole =
      std::ranges::find(runs, which, [](const FoundRun& run) { return std::string_view(id(run)); });
  if (whole != runs.end()) return *whole;
  if (const auto baseline = behind("baseline:", which))
    return with_baseline(folder, *baseline, runs);
  std::erase_if(runs, is_side);
  const auto label = behind("label:", which), commit = behind("commit:", which);
  if (which.empty() || (label && label->empty()) || (commit && commit->empty()))
    throw Error(
        ErrorKind::usage,
        which.empty() ? "nothing stands behind the @ of the run"
                      : fmt::format("nothing stands behind {}", which),
        "write label:TEXT, commit:HASH, baseline:NAME, latest or the beginning of a run's id");
  if (!label && !commit && which != "latest") return one_with_id(folder, "run", which, runs);
  if (which == "latest") std::erase_if(runs, is_imported);
  for (const FoundRun& run : runs) {
    if (label && run.summary.run.label != *label) continue;
    if (commit && !is_built_from(run, *commit)) continue;
    return run;
  }
  nothing(folder, "run", which, runs);
}

}  // namespace

std::vector<fs::path> results_files(const fs::path& folder) {
  std::vector<fs::path> files;
  std::error_code error;
  for (fs::directory_iterator entry(folder, error), end; !error && entry != end;
       entry.increment(error))
    if (entry->path().extension() == ".sqlite") files.push_back(entry->path());
  if (error)
    throw Error(
        ErrorKind::store,
        fmt::format("cannot read the results folder {}: {}", folder.string(), error.message()),
        "ridgeline run makes it; --results names another");
  if (files.empty())
    throw Error(ErrorKind::store, fmt::format("there are no results in {}", folder.string()),
                "ridgeline run measures some; --results names another folder");
  std::ranges::sort(files);
  return files;
}

void read_each(const std::vector<fs::path>& files, const LeftOut& left_out,
               const std::function<void(const fs::path&, const Store&)>& read) {
  std::vector<Error> unreadable;
  for (const fs::path& file : files) {
    try {
      read(file, Store::open(file));
    } catch (const Error& error) {
      if (error.kind() != ErrorKind::store) throw;
      unreadable.push_back(error);
    }
  }
  if (unreadable.size() == files.size()) throw Error(unreadable.front());
  for (const Error& error : unreadable) left_out(error);
}

std::vector<FoundRun> all_runs(const fs::path& folder, const LeftOut& left_out) {
  return runs_of(results_files(folder), left_out);
}

std::vector<FoundGate> all_gates(const fs::path& folder, const LeftOut& left_out) {
  return gates_of(results_files(folder), left_out);
}

fs::path results_file(const fs::path& folder, std::string_view abbreviation) {
  const std::vector<fs::path> files = results_files(folder);
  const std::string text(abbreviation);
  using Match = std::function<bool(const std::string& slug)>;
  std::vector<fs::path> found;
  for (const Match& matches :
       // The whole name, else its words, else its characters.
       {Match([&](const std::string& slug) { return slug == text; }),
        Match([&](const std::string& slug) {
          return ('-' + slug + '-').find('-' + text + '-') != std::string::npos;
        }),
        Match([&](const std::string& slug) { return slug.find(text) != std::string::npos; })})
    if (found.empty() && !text.empty())
      std::ranges::copy_if(files, std::back_inserter(found),
                           [&](const fs::path& file) { return matches(file.stem().string()); });
  if (found.size() == 1) return found.front();
  if (found.empty())
    throw Error(ErrorKind::usage,
                fmt::format("no device model in {} is called {}", folder.string(), printable(text)),
                fmt::format("there are: {}", fmt::join(slugs(files), ", ")));
  throw Error(ErrorKind::usage,
              fmt::format("{} means {} device models", printable(text), found.size()),
              fmt::format("write more of one: {}", fmt::join(slugs(found), ", ")));
}

FoundRun find_run(const fs::path& folder, std::string_view selector, const LeftOut& left_out) {
  if (selector.empty())
    throw Error(ErrorKind::usage, "an empty text selects no run", "latest selects the newest");
  if (const auto at = selector.find('@');
      at != std::string_view::npos && !selector.starts_with("label:"))
    return pick(folder, selector.substr(at + 1),
                runs_of({results_file(folder, selector.substr(0, at))}, left_out));
  const std::vector<FoundRun> runs = all_runs(folder, left_out);
  const bool may_be_id =
      std::ranges::any_of(runs, [&](const FoundRun& run) { return id(run).starts_with(selector); });
  const bool is_word = selector.find(':') == std::string_view::npos && selector != "latest";
  if (is_word && !may_be_id) {
    const auto names = slugs(results_files(folder));
    if (std::ranges::any_of(names, [&](const std::string& slug) {
          return slug.find(selector) != std::string::npos;
        }))
      return pick(folder, "latest", runs_of({results_file(folder, selector)}, left_out));
  }
  return pick(folder, selector, runs);
}

FoundGate find_gate(const fs::path& folder, std::string_view selector, const LeftOut& left_out) {
  const auto at = selector.find('@');
  const bool names_model = at != std::string_view::npos;
  const std::string_view which = names_model ? selector.substr(at + 1) : selector;
  if (which.empty())
    throw Error(ErrorKind::usage, fmt::format("'{}' selects no gate", printable(selector)),
                "write latest or the beginning of a gate's id");
  const std::vector<FoundGate> gates =
      names_model ? gates_of({results_file(folder, selector.substr(0, at))}, left_out)
                  : all_gates(folder, left_out);
  if (which != "latest") return one_with_id(folder, "gate", which, gates);
  if (gates.empty()) nothing(folder, "gate", selector, gates);
  return gates.front();
}

namespace {

/// What the user may mean, newest first: all of the folder, or of one model. Sides of gates are
/// left out.
struct RunsAndGates {
  std::vector<FoundRun> runs;
  std::vector<FoundGate> gates;
};

RunsAndGates list(const fs::path& folder, const std::optional<fs::path>& file) {
  const auto unsaid = [](const Error&) {};  // whoever finds says it
  RunsAndGates listed{all_runs(folder, unsaid), all_gates(folder, unsaid)};
  std::erase_if(listed.runs,
                [&](const FoundRun& run) { return is_side(run) || (file && run.file != *file); });
  std::erase_if(listed.gates, [&](const FoundGate& gate) { return file && gate.file != *file; });
  return listed;
}

/// The newest of a list that has both in one order.
RunOrGate newest(const RunsAndGates& listed) {
  const record::Run& run = listed.runs.front().summary.run;
  const record::Gate& gate = listed.gates.front().summary.gate;
  // Within a second the gate is the newer: it may be of runs that had just ended.
  if (run.started > gate.started) return listed.runs.front();
  return listed.gates.front();
}

}  // namespace

RunOrGate find_run_or_gate(const fs::path& folder, const std::string& selector,
                           const LeftOut& left_out) {
  const std::size_t at = selector.starts_with("label:") ? std::string::npos : selector.find('@');
  const std::string which = at == std::string::npos ? selector : selector.substr(at + 1);
  if (which.empty() || which.starts_with("label:") || which.starts_with("commit:") ||
      which.starts_with("baseline:"))
    return find_run(folder, selector, left_out);

  std::optional<fs::path> file;
  if (at != std::string::npos) file = results_file(folder, selector.substr(0, at));
  RunsAndGates listed = list(folder, file);
  std::vector<std::string> runs, gates;
  for (const FoundRun& run : listed.runs)
    if (run.summary.run.id.starts_with(which)) runs.push_back(run.summary.run.id);
  for (const FoundGate& gate : listed.gates)
    if (gate.summary.gate.id.starts_with(which)) gates.push_back(gate.summary.gate.id);
  std::erase_if(listed.runs, is_imported);  // which are meant by their ids alone
  const bool whole = std::ranges::find(gates, which) != gates.end();
  if (!gates.empty() && (runs.empty() || whole)) return find_gate(folder, selector, left_out);
  if (!gates.empty())
    throw Error(
        ErrorKind::usage,
        fmt::format("{} means {} and {}", printable(which), units::plural(std::ssize(runs), "run"),
                    units::plural(std::ssize(gates), "gate")),
        fmt::format("write more of one: {}, ..., {}, ...", runs.front(), gates.front()));
  if (which == "latest" && listed.runs.empty() && !listed.gates.empty())
    return find_gate(folder, selector, left_out);

  FoundRun run = find_run(folder, selector, left_out);
  // The word, or a model's name.
  const bool is_latest = runs.empty() && !run.summary.run.id.starts_with(which);
  if (!is_latest) return run;
  if (which != "latest") {
    listed = list(folder, run.file);
    std::erase_if(listed.runs, is_imported);
  }
  return listed.gates.empty() ? RunOrGate(std::move(run)) : newest(listed);
}

}  // namespace ridgeline::store
