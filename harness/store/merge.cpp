#include "harness/store/merge.hpp"

#include <algorithm>
#include <optional>
#include <set>

#include <fmt/core.h>

#include "harness/base/text.hpp"
#include "harness/store/merge_parts.hpp"
#include "harness/store/read.hpp"
#include "harness/store/read_gates.hpp"
#include "harness/store/read_runs.hpp"
#include "harness/store/rows.hpp"
#include "harness/store/write_run.hpp"

namespace ridgeline::store {
namespace {

using record::Measurement;

/// A run with all that a file has of it, samples, sites and sources among it.
struct WholeRun {
  record::Run run;
  record::Device device;
  record::Environment environment;
  std::vector<StoredProcess> processes;
  std::vector<StoredMeasurement> measurements;
  std::vector<record::Roof> roofs;
};

/// Samples that one side has dropped are taken as equal when there were as many.
bool same(const Measurement& a, const Measurement& b) {
  if (!a.pruned && !b.pruned) return a == b;
  const auto without_samples = [](Measurement measurement) {
    measurement.samples_ns.clear();
    measurement.pruned.reset();
    return measurement;
  };
  return a.sample_count() == b.sample_count() && without_samples(a) == without_samples(b);
}

/// Absent when the file has no such run.
std::optional<WholeRun> read_whole_run(Connection& connection, const std::string& id) {
  SQLite::Statement& rows = connection.statement(
      "SELECT device.*, run.* FROM run LEFT JOIN device ON device.id = device_id WHERE run.id = ?",
      id);
  if (!rows.executeStep()) return std::nullopt;
  const Row row(rows, "run", connection.file());
  WholeRun whole{read_run(row),
                 read_device(row),
                 environment(connection, id),
                 processes(connection, id),
                 measurements(connection, id, Samples::read),
                 roofs(connection, id)};
  for (const StoredMeasurement& stored : whole.measurements)
    if (std::ranges::find(whole.processes, stored.process_id, &StoredProcess::id) ==
        whole.processes.end())
      row.refuse(fmt::format("measurement {}, of a process that it has not", stored.id));
  read_sites(connection, whole.measurements);
  return whole;
}

/// Place of the process with this id.
std::size_t place(const std::vector<StoredProcess>& processes, std::int64_t id) {
  const auto found = std::ranges::find(processes, id, &StoredProcess::id);
  require(found != processes.end(), "what was read of a run was checked");
  return static_cast<std::size_t>(found - processes.begin());
}

/// The first thing that two runs of one id differ in, as far as both go; empty when one goes on
/// where the other ends.
std::string difference(const WholeRun& here, const WholeRun& there) {
  if (begun(here.run) != begun(there.run))
    return "when it started, how it was called, its seed, profile, label, fitness or gate";
  if (here.device != there.device) return "its device";
  if (here.environment != there.environment) return "its environment";
  for (std::size_t i = 0; i < std::min(here.processes.size(), there.processes.size()); ++i)
    if (here.processes[i].process != there.processes[i].process)
      return fmt::format("process {} of it", i + 1);
  for (std::size_t i = 0; i < std::min(here.measurements.size(), there.measurements.size()); ++i) {
    const StoredMeasurement &x = here.measurements[i], &y = there.measurements[i];
    if (place(here.processes, x.process_id) != place(there.processes, y.process_id) ||
        x.case_info != y.case_info || !same(x.measurement, y.measurement))
      return fmt::format("measurement {} of it, of {}", i + 1,
                         printable(x.measurement.case_name, 400));
  }
  return {};
}

/// How many measurements and processes a run has.
using Rows = std::pair<std::size_t, std::size_t>;

Rows rows(const WholeRun& run) { return {run.measurements.size(), run.processes.size()}; }

/// Absent when the file has no such run.
std::optional<Rows> rows(Connection& connection, const std::string& id) {
  SQLite::Statement& counts = connection.statement(
      "SELECT (SELECT count(*) FROM process JOIN measurement ON process_id = process.id WHERE "
      "run_id = run.id), "
      "(SELECT count(*) FROM process WHERE run_id = run.id) FROM run WHERE id = ?",
      id);
  if (!counts.executeStep()) return std::nullopt;
  return Rows(counts.getColumn(0).getInt64(), counts.getColumn(1).getInt64());
}

/// Whether `there` has more of the run than `here`: rows, or its end.
bool goes_on(const WholeRun& here, const WholeRun& there) {
  if (rows(here) != rows(there)) return rows(here) < rows(there);
  // `finished` is empty while a run goes on.
  return here.run.status != there.run.status && here.run.finished < there.run.finished;
}

/// Adds the rows of `from` that the target lacks; `there` are the processes that it has. Returns
/// how many measurements.
std::int64_t append(Connection& target, const WholeRun& from, const WholeRun* there) {
  std::vector<std::int64_t> processes;
  if (there)
    for (const StoredProcess& stored : there->processes) processes.push_back(stored.id);
  for (std::size_t i = processes.size(); i < from.processes.size(); ++i)
    processes.push_back(add(target, from.processes[i].process));
  const std::size_t known = there ? there->measurements.size() : 0;
  std::size_t last = 0;  // measurements come in groups of one process
  for (std::size_t i = known; i < from.measurements.size(); ++i) {
    const StoredMeasurement& stored = from.measurements[i];
    if (from.processes.at(last).id != stored.process_id)
      last = place(from.processes, stored.process_id);
    add(target, processes[last], stored.case_info, stored.measurement);
  }
  for (const record::Roof& roof : from.roofs) add(target, from.run.id, roof);
  set_status(target, "UPDATE run SET status = ?, finished = ? WHERE id = ?", from.run);
  return static_cast<std::int64_t>(from.measurements.size() - known);
}

}  // namespace

Error merge_conflict(const char* what, const std::string& id, const std::filesystem::path& source,
                     const std::filesystem::path& target, const std::string& differs) {
  return Error(
      ErrorKind::store,
      fmt::format("cannot merge {} {} of {}: {} has another {} of this id, which differs in {}",
                  what, printable(id), source.string(), target.string(), what, differs),
      "one of the two files was changed, or copied and written to twice; keep the right one");
}

namespace {

/// Ids of the rows of a query, by which each can be read and, when it is broken, left out alone.
std::vector<std::string> ids(Merged& merged, Connection& source, const char* table,
                             const char* sql) {
  return source.read("merge from", [&] {
    std::vector<std::string> ids;
    each_row(source, table, sql, [&](const Row& row) {
      if (auto id = try_to_read(merged, [&] { return std::optional(row.get<std::string>("id")); }))
        ids.push_back(std::move(*id));
    });
    return ids;
  });
}

/// Whether the target has now all that the source has of the run.
bool merge_run(Connection& target, Connection& source, const std::string& id, Merged& merged) {
  const auto from = try_to_read(merged, [&] {
    return source.read("merge from", [&] { return read_whole_run(source, id); });
  });
  if (!from) return false;
  // What is here is read and compared before the file is locked: whoever measures waits for the
  // new rows alone.
  for (bool merging = true; merging;) {
    const auto here = target.read("read a run of", [&] { return read_whole_run(target, id); });
    if (here) {
      if (const std::string differs = difference(*here, *from); !differs.empty()) {
        merged.refused.push_back(merge_conflict("run", id, source.file(), target.file(), differs));
        return false;
      }
      if (!goes_on(*here, *from)) {
        ++merged.runs.known;
        return true;
      }
    }
    const auto write = [&] {
      merging = !target.write("merge a run into", [&] {
        if (rows(target, id) != (here ? std::optional(rows(*here)) : std::nullopt)) return false;
        if (!here) begin(target, from->run, from->device, from->environment);
        merged.measurements += append(target, *from, here ? &*here : nullptr);
        ++(here ? merged.runs.extended : merged.runs.added);
        return true;
      });
    };
    if (!try_to_write(merged, "run", id, source, write)) return false;
  }
  return true;
}

}  // namespace

Merged merge(Connection& target, Connection& source, std::string_view now) {
  Merged merged;
  std::set<std::string> left_out;  // ids of runs
  // Before the runs: those of a gate that begins meanwhile would be missing.
  const std::vector<std::string> gates =
      ids(merged, source, "gate", "SELECT id FROM gate ORDER BY started, id");
  for (const std::string& id :
       ids(merged, source, "run", "SELECT id FROM run ORDER BY started, id"))
    if (!merge_run(target, source, id, merged)) left_out.insert(id);
  for (const std::string& id : gates) merge_gate(target, source, id, left_out, merged);
  merge_told(target, source, now, merged);
  return merged;
}

}  // namespace ridgeline::store
