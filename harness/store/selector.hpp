#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "harness/base/error.hpp"
#include "harness/store/read_gates.hpp"
#include "harness/store/read_runs.hpp"

namespace ridgeline::store {

/// A run and the results file that holds it.
struct FoundRun {
  std::filesystem::path file;
  RunSummary summary;
};

/// Results files (<model>.sqlite) of `folder`, by name. Throws a store Error when there is no such
/// folder, or none in it.
std::vector<std::filesystem::path> results_files(const std::filesystem::path& folder);

/// Told why a results file cannot be read, and is left out.
using LeftOut = std::function<void(const Error& why)>;

/// What `read` returns; nothing where a store Error ends it, which `left_out` is told.
template <class Read>
auto unless_unreadable(const LeftOut& left_out, const Read& read)
    -> std::optional<decltype(read())> {
  try {
    return read();
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::store) throw;
    left_out(error);
    return std::nullopt;
  }
}

/// Calls `read` with each of `files`, open. One that cannot be read (damaged, or of a newer
/// Ridgeline) does not keep the others from being read; when all are such, throws the first one's
/// Error.
void read_each(const std::vector<std::filesystem::path>& files, const LeftOut& left_out,
               const std::function<void(const std::filesystem::path& file, const Store&)>& read);

/// A gate and the results file that holds it.
struct FoundGate {
  std::filesystem::path file;
  GateSummary summary;
};

/// All runs of `folder`, newest first, of the files that can be read.
std::vector<FoundRun> all_runs(const std::filesystem::path& folder, const LeftOut& left_out);

/// The one file whose model `abbreviation` means: its slug, else the slug with these words ("h200"
/// is nvidia-h200), else the slug with these characters. Throws a usage Error that lists the
/// candidates when there are several, or all when there is none.
std::filesystem::path results_file(const std::filesystem::path& folder,
                                   std::string_view abbreviation);

/// The run that `selector` means: `latest`, `label:x` or `commit:abc` (the newest with it),
/// `baseline:x`, a prefix of a run's id, each also behind `<model>@`; `<model>` alone is its latest
/// run. A run that a gate measured is meant by its whole id alone, and one that was imported is not
/// the latest. Throws a usage Error when no run
/// or several (listed) are meant, and the store's Error when the file of a named model cannot be
/// read.
FoundRun find_run(const std::filesystem::path& folder, std::string_view selector,
                  const LeftOut& left_out);

/// All gates of `folder`, newest first; like all_runs.
std::vector<FoundGate> all_gates(const std::filesystem::path& folder, const LeftOut& left_out);

/// The gate that `selector` means: `latest`, or a prefix of a gate's id, each also behind
/// `<model>@`. Throws like find_run.
FoundGate find_gate(const std::filesystem::path& folder, std::string_view selector,
                    const LeftOut& left_out);

/// The run or gate that `selector` means, as find_run and find_gate read it. What means the latest
/// of a folder or model means whichever of run and gate is newer; labels and commits are those of
/// runs. Throws like these two; a prefix of the ids of both is a usage Error.
using RunOrGate = std::variant<FoundRun, FoundGate>;
RunOrGate find_run_or_gate(const std::filesystem::path& folder, const std::string& selector,
                           const LeftOut& left_out);

}  // namespace ridgeline::store
