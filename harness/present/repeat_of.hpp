#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "harness/analysis/reproduction.hpp"
#include "harness/base/json.hpp"
#include "harness/run/drive.hpp"
#include "harness/run/profile.hpp"
#include "harness/run/selection.hpp"
#include "harness/run/workers.hpp"
#include "harness/store/selector.hpp"

/// `ridgeline run --repeat-of RUN`: a stored run is measured again and compared with itself.
namespace ridgeline::present {

/// What a stored run is read for: to do it again, or to go on with it.
enum class Again { repeat, resume };

/// A stored run with what is needed to do it again, or to go on with it.
struct RepeatedRun {
  Again again = Again::repeat;
  store::FoundRun found;
  run::Profile profile;              // the text as stored, with what the command line changed
  std::string budget, processes;     // as its command line changed them; empty when it did not
  std::vector<std::string> workers;  // that its command line named
  std::vector<store::StoredMeasurement> measurements;  // without samples
};

/// The profile as it was used, with what the command line changed. What is stored is not trusted:
/// it is read as strictly as a file. Throws a usage Error.
run::Profile stored_profile(const record::Run& run);

/// Throws a usage Error for a run that cannot be done again: a side of a gate, one that measured
/// nothing, which can be gone on with, or one whose profile this program does not understand.
RepeatedRun find_repeated(const std::filesystem::path& results, const std::string& selector,
                          Again again = Again::repeat);

/// Throws a usage Error when the run had workers and none is `named` now: the record may be a
/// stranger's, and what it names is not started unasked.
void check_workers(const RepeatedRun& repeated, const std::vector<std::string>& named);

/// `arguments` as the new run's command line: with the repeated run's whole id, because what a
/// selector means changes, and with the options that the repeated run had beyond its profile.
std::string command_line(const std::vector<std::string>& arguments, const RepeatedRun& repeated);

/// The device that the run was measured on, whatever it is called now. `id`, when there is one,
/// must mean the same. Throws a usage Error when it is not here.
record::Device same_device(const RepeatedRun& repeated, const std::vector<run::Worker>& workers,
                           const std::string& id);

/// The cases of a run as they can be measured now.
struct CasesAgain {
  std::vector<run::Selected> cases;
  std::vector<std::string> gone;  // names that no worker lists any more
};

/// Those that `patterns` pick, or all. Throws a usage Error for a pattern that picks none.
CasesAgain cases_again(const RepeatedRun& repeated, const std::vector<run::Worker>& workers,
                       const record::Device& device, const std::vector<std::string>& patterns);

/// For people, before the repeat that `plan` measures: what its processes and those of the repeated
/// run are too few to show, and the line of a first run whose repeat can. Empty when they are
/// enough.
std::string processes_text(const RepeatedRun& repeated, const run::Plan& plan);

/// How a repeat went.
struct Repeat {
  std::string id;                    // of the repeated run
  std::vector<std::string> changes;  // of the environment, in words
  std::vector<analysis::Reproduction> cases;
  std::vector<std::string> gone;
};

/// Compares the repeat with what it repeats, for the cases that were measured again. Both lie in
/// `store`.
Repeat compare(const RepeatedRun& repeated, const std::string& run_id,
               std::vector<std::string> gone, const store::Store& store);

/// In lines of at most `width` characters where that is possible.
std::string repeat_text(const Repeat& repeat, std::size_t width);
json::Value to_json(const Repeat& repeat);

}  // namespace ridgeline::present
