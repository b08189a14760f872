#pragma once

#include <ostream>
#include <string>
#include <vector>

#include "harness/store/read_runs.hpp"

namespace ridgeline::present {

/// A run as it is exported; measurements carry their samples.
struct ExportedRun : store::StoredRun {
  std::vector<store::StoredMeasurement> measurements;
};

/// What Google Benchmark's own tools read: one entry a case and process (its repetitions), whose
/// real_time is the median of the process. cpu_time repeats it, because the tools need one and none
/// is measured. What has no samples has no numbers: it is listed under "not_measured", which the
/// tools pass over.
void export_google_benchmark(std::ostream& out, const ExportedRun& exported);

/// RFC 4180 with a header: one row per sample, in ns of one execution; a measurement without
/// samples has one row whose `sample` and `ns` are empty. Text that a spreadsheet would take for a
/// formula gets a leading apostrophe.
void export_csv(std::ostream& out, const ExportedRun& exported);

/// JSON Lines: one measurement a line, with its samples, its case, and where it was measured.
void export_jsonl(std::ostream& out, const ExportedRun& exported);

}  // namespace ridgeline::present
