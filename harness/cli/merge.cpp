#include "harness/store/merge.hpp"

#include <algorithm>
#include <cstdio>
#include <map>
#include <set>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "harness/base/error.hpp"
#include "harness/base/text.hpp"
#include "harness/base/units.hpp"
#include "harness/cli/command.hpp"
#include "harness/present/json_output.hpp"
#include "harness/record/rule.hpp"
#include "harness/run/timestamp.hpp"
#include "harness/store/baselines.hpp"
#include "harness/store/selector.hpp"

namespace ridgeline::cli {
namespace {

namespace fs = std::filesystem;

/// What came of one results file.
struct MergedFile {
  fs::path file;
  store::Merged merged;
  std::vector<std::string> baselines;  // names that stayed behind
};

/// The folder without links and dots; throws when it is none.
fs::path canonical_folder(const fs::path& folder) {
  std::error_code error;
  const fs::path path = fs::canonical(folder, error);
  if (error || !fs::is_directory(path, error))
    throw Error(ErrorKind::store,
                fmt::format("cannot merge {}: {}", folder.string(),
                            error ? error.message() : "it is not a folder"),
                "nothing was merged; name folders of results files");
  return path;
}

/// All of it is checked before anything is merged.
void check_folders(const std::vector<std::string>& folders, const fs::path& results) {
  std::error_code ignored;
  const fs::path target = fs::weakly_canonical(results, ignored);
  std::map<fs::path, std::string> seen;
  for (const std::string& folder : folders) {
    const fs::path path = canonical_folder(folder);
    if (path == target)
      throw Error(ErrorKind::usage, fmt::format("cannot merge {} into itself", printable(folder)),
                  "name the folders of other runners; --results names the one that takes them");
    const auto [first, is_new] = seen.emplace(path, folder);
    if (!is_new)
      throw Error(
          ErrorKind::usage,
          fmt::format("{} and {} are one folder", printable(first->second), printable(folder)),
          "name each folder once");
  }
}

/// The model's name becomes the name of a file, and comes from a file that anyone may have written.
void check_model(const std::string& model, const fs::path& file) {
  if (record::names_a_file(model)) return;
  throw Error(ErrorKind::store,
              fmt::format("cannot merge {}: its device model '{}' cannot name a results file",
                          file.string(), printable(model)),
              "the file is damaged or was changed by another program");
}

/// Results files that take what is merged, opened once.
class Targets {
 public:
  explicit Targets(fs::path folder) : folder_(std::move(folder)) {}
  store::Store& of(const std::string& model) {
    const auto known = open_.find(model);
    if (known != open_.end()) return known->second;
    const fs::path file = store::file_of_model(folder_, model);
    std::error_code ignored;
    const bool is_new = !fs::exists(file, ignored);
    store::Store& target = open_.emplace(model, store::Store::create(file)).first->second;
    if (is_new) new_.insert(model);
    return target;
  }
  /// Of files that were made for runs of which none could be merged nothing stays.
  void discard_empty() {
    for (const std::string& model : new_) store::discard_if_empty(std::move(open_.at(model)));
    open_.clear();
    new_.clear();
  }

 private:
  fs::path folder_;
  std::map<std::string, store::Store> open_;
  std::set<std::string> new_;
};

MergedFile merge_file(const fs::path& file, Targets& targets) {
  MergedFile done{file, {}, {}};
  const store::Store source = store::Store::open(file);
  const std::string model = store::model(source);
  if (model.empty()) return done;
  check_model(model, file);
  done.merged = store::merge(targets.of(model), source, run::timestamp());
  try {
    for (const record::Baseline& baseline : store::baselines(source))
      done.baselines.push_back(baseline.name);
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::store) throw;
    done.merged.refused.push_back(error);
  }
  return done;
}

void say_not_merged(const Error& why) {
  present::say_failure(fmt::format("left out: {}", why.what()), why.advice());
}

/// "2 runs added, 1 continued, 3 known".
std::string counts_text(const char* what, const store::Merged::Count& count) {
  std::vector<std::string> parts;
  for (const auto& [number, how] :
       {std::pair(count.added, "added"), std::pair(count.extended, "continued"),
        std::pair(count.known, "known")})
    if (number > 0) parts.push_back(fmt::format("{} {}", units::plural(number, what), how));
  return fmt::to_string(fmt::join(parts, ", "));
}

std::string text(const store::Merged& merged) {
  const std::string runs = counts_text("run", merged.runs),
                    gates = counts_text("gate", merged.gates);
  std::string all = runs.empty() ? "no runs" : runs;
  if (!gates.empty()) all += "; " + gates;
  if (const std::string told = counts_text("told change", merged.told); !told.empty())
    all += "; " + told;
  if (merged.measurements > 0) all += "; " + units::plural(merged.measurements, "measurement");
  return all;
}

json::Value merged_json(const store::Merged& merged) {
  const auto counts = [](const store::Merged::Count& count) {
    return json::Value{
        {"added", count.added}, {"continued", count.extended}, {"known", count.known}};
  };
  return {{"runs", counts(merged.runs)},
          {"gates", counts(merged.gates)},
          {"told", counts(merged.told)},
          {"measurements", merged.measurements},
          {"left_out", json::list(merged.refused, &Error::what)}};
}

json::Value to_json(const MergedFile& done) {
  json::Value object{{"file", done.file.string()}};
  object.update(merged_json(done.merged));
  object["baselines_left"] = done.baselines;
  return object;
}

void add(store::Merged& total, const store::Merged& part) {
  for (const auto& [to, from] :
       {std::pair(&total.runs, &part.runs), std::pair(&total.gates, &part.gates),
        std::pair(&total.told, &part.told)}) {
    to->added += from->added;
    to->extended += from->extended;
    to->known += from->known;
  }
  total.measurements += part.measurements;
  total.refused.insert(total.refused.end(), part.refused.begin(), part.refused.end());
}

void say_merged(const MergedFile& done) {
  present::say(stdout, fmt::format("{}: {}\n", done.file.string(), text(done.merged)));
  if (!done.baselines.empty())
    present::say(stdout,
                 fmt::format("  its baselines stay there: {}\n",
                             printable(fmt::to_string(fmt::join(done.baselines, ", ")), 1000)));
}

struct MergeOptions {
  std::vector<std::string> folders;
};

int merge(const Context& context, const MergeOptions& options) {
  const std::vector<std::string>& folders = options.folders;
  check_folders(folders, context.results);
  Targets targets(context.results);
  store::Merged total;
  std::vector<MergedFile> files;
  const auto leave_out = [&](const Error& error) {
    if (error.kind() != ErrorKind::store) throw error;
    total.refused.push_back(error);
    say_not_merged(error);
  };
  for (const std::string& folder : folders) {
    std::vector<fs::path> found;
    try {
      found = store::results_files(folder);
    } catch (const Error& error) {
      leave_out(error);
    }
    for (const fs::path& file : found) try {
        files.push_back(merge_file(file, targets));
        std::ranges::for_each(files.back().merged.refused, say_not_merged);
        add(total, files.back().merged);
        if (!context.json && !context.quiet) say_merged(files.back());
      } catch (const Error& error) {
        leave_out(error);
      }
  }
  targets.discard_empty();
  if (context.json) {
    present::print_json({{"results", context.results},
                         {"total", merged_json(total)},
                         {"files", json::list(files)}});
  } else {
    present::say(
        stdout,
        fmt::format(
            "{} merged into {}: {}{}\n", units::plural(std::ssize(folders), "folder"),
            context.results, text(total),
            total.refused.empty() ? "" : fmt::format("; {} left out", total.refused.size())));
  }
  return total.refused.empty() ? present::fine : static_cast<int>(ErrorKind::store);
}

}  // namespace

void add_merge(Command program, Context& context) {
  const auto [command, options] =
      add_command(program, context, "merge", "Join the results folders of several runners",
                  R"(
  ridgeline merge runner-1/results runner-2/results   into results/, file by file, run by run
  ridgeline merge --results all 'runners'/*           into another folder
  ridgeline merge downloaded --json                   what was added, for programs

Runs and gates are told apart by their ids, so that merging again adds only what is new: a run that
had not ended is continued. Nothing that is there is changed; two different runs of one id are
named, and the second is left out. Names of baselines stay in their folder. What is measured
meanwhile, there or here, is not disturbed.
Exit codes: 0 all was merged, 74 something was left out (the rest is merged).)",
                  merge);
  command.option("DIR", options.folders, "Results folders to take from; they stay as they are",
                 {.required = true});
  for (const auto add : {add_results_option, add_json_option, add_quiet_option})
    add(command, context);
}

}  // namespace ridgeline::cli
