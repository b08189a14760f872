#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "harness/record/case.hpp"
#include "harness/record/measurement.hpp"
#include "harness/record/run.hpp"
#include "harness/store/store.hpp"

/// What an import writes: a whole run or nothing, however many files it comes from.
namespace ridgeline::store {

/// One execution of another program: `process.imported` says which file it comes from, and its
/// SHA-256 as `sha256`.
struct ImportedProcess {
  record::Process process;
  std::vector<std::pair<record::Case, record::Measurement>> results;
};

struct ImportedRun {
  record::Run run;  // with its end
  record::Device device;
  record::Environment environment;
  std::vector<ImportedProcess> processes;
};

/// The run that has a file, and the format as which it was imported.
struct ImportedAs {
  std::string run, format;
};

/// Of the file of this SHA-256; absent when no run has it.
std::optional<ImportedAs> imported_as(Connection& connection, std::string_view sha256);

/// Stores all of it in one transaction. Throws when one of its files has been imported meanwhile.
void add(Connection& connection, const ImportedRun& imported);

/// What the processes of an imported run come from, in their order; empty for any other run.
std::vector<record::Facts> imported_from(Connection& connection, std::string_view run_id);

}  // namespace ridgeline::store
