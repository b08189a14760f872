#pragma once

#include <string>
#include <vector>

#include "harness/base/device_kind.hpp"
#include "harness/imported/formats.hpp"
#include "harness/record/run.hpp"

namespace ridgeline::imported {

/// What a run of imported files is, beside its results.
struct RunFacts {
  record::Run run;
  record::Device device;
  record::Environment environment;  // without its hash
};

/// Of these files of one format, of which there is one. Its id follows from all that it says, so
/// that whoever imports them, too, makes the same run: files are called by their names without
/// folders.
RunFacts run_of(const std::string& format, const std::vector<ReadFile>& files,
                const std::string& model, DeviceKind kind, const std::string& label);

/// One execution in `file`.
record::Process process_of(const ReadFile& file, const std::string& format,
                           const std::string& run_id, int replicate);

/// How many executions of its program a file holds.
int executions(const Contents& contents);

}  // namespace ridgeline::imported
