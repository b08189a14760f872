#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "harness/base/error.hpp"
#include "harness/record/case.hpp"
#include "harness/record/gate.hpp"
#include "harness/record/measurement.hpp"
#include "harness/record/run.hpp"

namespace ridgeline::store {

/// A run with what a listing shows.
struct RunSummary {
  record::Run run;
  record::Device device;
  std::int64_t measurements = 0;
  std::vector<std::pair<record::Outcome, std::int64_t>> outcomes;  // counts, in enum order, zeros left out
  std::string last_process;                                        // when its latest one started; empty without any
};

/// A gate with what a listing shows. Its device is that of its candidate's run.
struct GateSummary {
  record::Gate gate;
  record::Device device;
  std::vector<std::pair<record::Verdict, std::int64_t>> verdicts;  // counts, in enum order, zeros left out
};

struct StoredMeasurement {
  std::int64_t id = 0;
  std::int64_t process_id = 0;
  record::Case case_info;
  int replicate = 0;
  record::Measurement measurement;  // samples_ns is empty when not asked for; sites and sources are asked for by id
};

enum class Samples { leave_out, read };

/// What comparing many measurements takes of each, without its samples.
struct Timing {
  std::int64_t id = 0;         // of its measurement
  std::size_t case_index = 0;  // in Timings::cases
  int replicate = 0, attempt = 1;
  record::Outcome outcome = record::Outcome::crashed;
  std::string reason;
  std::optional<double> median_ns, flops, bytes, sm_clock_mhz;
  std::string launch, cache;
};

struct Timings {
  std::vector<record::Case> cases;
  std::vector<Timing> timings;  // in the order stored: by id
};

/// What a run would lose if its samples were dropped.
struct Prunable {
  std::string run_id;
  std::string sampled;                  // when its latest process started; UTC, ISO 8601 to the second
  std::int64_t measurements = 0;        // with samples
  std::int64_t samples = 0, bytes = 0;  // of those
  std::vector<std::string> baselines;   // names that stand for the run
};

/// What Store::merge did with the runs and gates of another file.
struct Merged {
  struct Count {
    int added = 0;     // were not there
    int extended = 0;  // were there, and had gone on since
    int known = 0;     // were there with all that the other file has
  };
  Count runs, gates;
  std::int64_t measurements = 0;  // added
  std::vector<Error> refused;     // each about one run or gate that was left out: damaged, or another of the same id
};

class Connection;

/// The results of one device model: one SQLite file. Every public call is one transaction; a process that is killed at
/// any moment loses at most the call in flight. All failures throw a store Error that names the file and leave it as it
/// was before the call. What is read back is checked: a row that no Ridgeline could have written throws, too, and is
/// named.
class Store {
 public:
  /// Opens for writing; creates the file and its folder when missing; migrates an older schema after a backup beside
  /// it. Refuses a file that is no database, one that another program made, and a schema newer than this program knows.
  static Store create(const std::filesystem::path& file);
  /// Opens an existing file for reading only. Works in a read-only folder, and with older schemas, which stay as they
  /// are.
  static Store open(const std::filesystem::path& file);
  static Store in_memory();

  Store(Store&&) noexcept;
  Store& operator=(Store&&) noexcept;
  ~Store();

  /// Records the run with its device and circumstances (both deduplicated). The run's status starts as running. A file
  /// holds one device model: a device of another one is refused.
  void begin(const record::Run& run, const record::Device& device, const record::Environment& environment);
  void finish(std::string_view run_id, record::RunStatus status, const std::string& finished);
  /// Returns the process's id, for its measurements.
  std::int64_t add(const record::Process& process);
  std::int64_t add(std::int64_t process_id, const record::Case& case_info, const record::Measurement& measurement);
  /// Roofs of the run's device: measured by this run, or taken from the catalogue. Adding a kind from the same source
  /// again replaces its value.
  void add(std::string_view run_id, const record::Roof& roof);

  /// Records a gate, whose runs are there already, in this file. Its status starts as running. The runs of a gate that
  /// measures ("runs" does not) name it and are of one device.
  void begin(const record::Gate& gate);
  /// Records a gate with the runs that it will measure: all of it or nothing.
  void begin(const record::Gate& gate, const record::Run& baseline, const record::Run& candidate,
             const record::Device& device, const record::Environment& environment);
  /// One pair with the measurements of its two sides, whose medians are its times. A pair with a measurement that
  /// something disturbed (invalid_environment) must be dropped.
  void add(std::string_view gate_id, const record::Pair& pair, std::int64_t baseline_measurement,
           std::int64_t candidate_measurement);
  /// The verdict on a case; replaces an earlier one. A case that was not compared (failed, missing, new, skipped,
  /// without baseline) carries no ratio and no metric; one whose counts were compared carries no times.
  void add(std::string_view gate_id, const record::CaseVerdict& verdict);
  /// Ends the gate, and the runs that it measured.
  void finish_gate(std::string_view gate_id, record::RunStatus status, const std::string& finished);
  /// A gate that is not finished, and the runs that it measured, are running again.
  void resume_gate(std::string_view gate_id);

  /// `name` stands for this run from now on, in this file. Throws a store Error for a name that is not plain, or a run
  /// that is not here.
  void set_baseline(const record::Baseline& baseline);
  /// False when there was none of that name.
  bool remove_baseline(std::string_view name);
  /// By name.
  std::vector<record::Baseline> baselines() const;

  /// The runs that have samples, all of them taken before `before` (UTC, ISO 8601 to the second), oldest first.
  std::vector<Prunable> prunable(const std::string& before) const;
  /// Drops the samples of a run; all else of its measurements stays, their medians too. Returns how many samples.
  std::int64_t prune(std::string_view run_id, const std::string& now);
  /// Gives the space of what was dropped back to the file system: writes the file anew. Others wait meanwhile.
  void shrink();

  /// Adds what `source`, of the same device model, has and this file has not: runs and gates, by id, each in a
  /// transaction of its own. What is here stays: of a run that both have, one must go on where the other ends. Samples
  /// that were dropped here stay dropped. Names of baselines are not taken over. Another process may be writing to
  /// either file.
  Merged merge(const Store& source);

  /// Newest first. Runs that a gate measured are among them; Run::gate tells.
  std::vector<RunSummary> runs() const;
  record::Environment environment(std::string_view run_id) const;
  std::vector<record::Build> builds(std::string_view run_id) const;
  std::vector<record::Roof> roofs(std::string_view run_id) const;
  std::vector<StoredMeasurement> measurements(std::string_view run_id, Samples samples) const;
  /// Of all measurements of a run.
  Timings timings(std::string_view run_id) const;
  /// Of a counted measurement, in the order stored; empty for any other.
  std::vector<record::Site> sites(std::int64_t measurement_id) const;
  /// Of a counted measurement, by file.
  std::vector<record::Source> sources(std::int64_t measurement_id) const;

  /// Newest first.
  std::vector<GateSummary> gates() const;
  /// By round, then in the order measured.
  std::vector<record::Pair> pairs(std::string_view gate_id) const;
  /// By name of the case.
  std::vector<record::CaseVerdict> verdicts(std::string_view gate_id) const;

  /// Reads the whole file and throws when a page, a constraint or a reference is broken.
  void check_integrity() const;

  const std::filesystem::path& file() const;

 private:
  explicit Store(std::unique_ptr<Connection> connection);
  void merge_gate(const std::string& gate_id, const Store& source, Merged& merged);
  std::unique_ptr<Connection> connection_;
};

}  // namespace ridgeline::store
