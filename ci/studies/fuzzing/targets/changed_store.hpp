#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "ci/studies/fuzzing/targets/target.hpp"

/// Results files that somebody has changed, and what reads them.
namespace ridgeline::fuzzing {

/// A folder of this process, in memory where there is /dev/shm, removed at its end. Locks of
/// devices are looked for in it.
const std::filesystem::path& own_folder();

/// A file with something in every table, closed by its writer: runs of several nights, counted
/// runs, a gate, a baseline.
const std::string& whole_store();

/// A file whose writer was killed, and its log.
struct Killed {
  std::string file, log;
};
const Killed& killed_store();

/// whole_store() with values of its tables changed as `input` says, past all constraints.
std::string with_changed_values(std::string_view input);
/// Inputs for it; the empty one, which changes nothing, first.
std::vector<std::string> value_changes();

/// Makes the checksums of a log right again.
void sum_up(std::string& log);

void write_bytes(const std::filesystem::path& file, std::string_view bytes);

/// All that any command reads of a file: each part is read, or refused with a store Error.
void read_everything(const std::filesystem::path& file);

/// Merges what can be read of a file into an empty store; it is the same there.
void merge_everything(const std::filesystem::path& file);

}  // namespace ridgeline::fuzzing
