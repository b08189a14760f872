#pragma once

#include <ostream>
#include <string>
#include <vector>

#include "harness/store/read_runs.hpp"

namespace ridgeline::present {

/// A run as it is exported; measurements carry their samples.
struct ExportedRun : store::StoredRun {
  std::vector<store::StoredMeasurement> measurements;
  std::vector<store::StoredProcess> processes{};
  std::vector<record::Roof> roofs{};
};

/// What Google Benchmark's own tools read: one entry a case and process (its repetitions), whose
/// real_time is the median of the process. cpu_time repeats it, because the tools need one and none
/// is measured. What has no samples has no numbers: it is listed under "not_measured", which the
/// tools pass over. Of a run that was imported, an entry is a sample.
void export_google_benchmark(std::ostream& out, const ExportedRun& exported);

/// RFC 4180 with a header: one row per sample, in ns of one execution; a measurement without
/// samples has one row whose `sample` and `ns` are empty. Text that a spreadsheet would take for a
/// formula gets a leading apostrophe.
void export_csv(std::ostream& out, const ExportedRun& exported);

/// RFC 4180 with a header: one row per case over its processes, and a column for each key that a
/// problem or an option has. Times are in ns, rates per second; what a case has not is empty. Text
/// as in export_csv.
void export_cases_csv(std::ostream& out, const ExportedRun& exported);

/// JSON Lines: one record of PyTorch's benchmark database, version 3, a line: the latency of a case
/// in ns, with the medians of its processes. A case without a time has no record.
void export_pytorch(std::ostream& out, const ExportedRun& exported);

/// Prometheus's text format, version 0.0.4: gauges of each case, with its name, run and device as
/// labels. What has no time has an outcome alone.
void export_prometheus(std::ostream& out, const ExportedRun& exported);

/// Chrome's trace format, which Perfetto reads, too: processes, and in each its cases with what
/// they spent their time on. The store knows when a process started and how long each step took,
/// so that cases follow each other without the gaps that there were. Clocks, power and temperature
/// are one value a case.
void export_timeline(std::ostream& out, const ExportedRun& exported);

/// JSON Lines: one measurement a line, with its samples, its case, and where it was measured.
void export_jsonl(std::ostream& out, const ExportedRun& exported);

}  // namespace ridgeline::present
