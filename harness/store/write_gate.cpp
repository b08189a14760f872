#include "harness/store/write_gate.hpp"

#include <fmt/core.h>

#include "harness/base/error.hpp"
#include "harness/base/text.hpp"
#include "harness/store/read.hpp"
#include "harness/store/rows.hpp"

namespace ridgeline::store {
namespace {

/// Throws unless `gate` names the device of its candidate's run, which the file says: so that what
/// is read back is what was stored.
void check_device(Connection& connection, const record::Gate& gate) {
  SQLite::Statement& rows = connection.statement(
      "SELECT run.id AS id, uuid FROM run JOIN device ON device.id = device_id WHERE run.id = ?",
      gate.candidate_run);
  if (!rows.executeStep()) return;  // the reference is refused as the gate is inserted
  const std::string uuid = Row(rows, "run", connection.file()).get<std::string>("uuid");
  if (!gate.device_uuid.empty() && gate.device_uuid != uuid)
    throw Error(ErrorKind::store,
                fmt::format("cannot store gate {} in {}: it names another device than its "
                            "candidate's run",
                            printable(gate.id), connection.file().string()));
}

/// Throws unless the times of `pair` are the medians of its measurements: only those are stored.
void check_times(Connection& connection, const record::Pair& pair, std::int64_t baseline,
                 std::int64_t candidate) {
  SQLite::Statement& rows = connection.statement(
      "SELECT id, median_ns FROM measurement WHERE id IN (?, ?)", baseline, candidate);
  while (rows.executeStep()) {
    const Row row(rows, "measurement", connection.file());
    const double said =
        row.get<std::int64_t>("id") == baseline ? pair.baseline_ns : pair.candidate_ns;
    const auto median_ns = row.get<std::optional<double>>("median_ns");
    if (median_ns && *median_ns != said)
      row.refuse("another median than the pair that is to be stored");
  }
}

}  // namespace

void begin(Connection& connection, const record::Gate& gate) {
  connection.write("store a gate in", [&] {
    check_device(connection, gate);
    insert(connection, "INSERT INTO gate", begun(gate));
  });
}

void begin(Connection& connection, const record::Gate& gate, const record::Run& baseline,
           const record::Run& candidate, const record::Device& device,
           const record::Environment& environment) {
  connection.write("store a gate in", [&] {
    begin(connection, baseline, device, environment);
    begin(connection, candidate, device, environment);
    begin(connection, gate);
  });
}

void add(Connection& connection, std::string_view gate_id, const record::Pair& pair,
         std::int64_t baseline_measurement, std::int64_t candidate_measurement) {
  connection.write("store a pair in", [&] {
    check_times(connection, pair, baseline_measurement, candidate_measurement);
    insert(connection, "INSERT INTO pair", [&](auto& visit) {
      visit("gate_id", gate_id);
      fields(visit, pair);
      visit("baseline_measurement", baseline_measurement);
      visit("candidate_measurement", candidate_measurement);
    });
  });
}

void add(Connection& connection, std::string_view gate_id, const record::CaseVerdict& verdict) {
  connection.write("store a verdict in", [&] {
    insert(connection, "INSERT OR REPLACE INTO verdict", [&](auto& visit) {
      visit("gate_id", gate_id);
      fields(visit, verdict);
    });
  });
}

void add(Connection& connection, std::string_view gate_id,
         const std::vector<record::CaseVerdict>& verdicts) {
  connection.write("store verdicts in", [&] {
    for (const record::CaseVerdict& verdict : verdicts) add(connection, gate_id, verdict);
  });
}

void add(Connection& connection, const record::Gate& gate,
         const std::vector<record::CaseVerdict>& verdicts) {
  connection.write("store a gate in", [&] {
    begin(connection, gate);
    add(connection, gate.id, verdicts);
    finish_gate(connection, gate.id, gate.status, gate.finished);
  });
}

void set_options(Connection& connection, std::string_view gate_id, const std::string& options) {
  connection.write("store a gate's options in", [&] {
    if (connection.statement("UPDATE gate SET options = ? WHERE id = ?", options, gate_id).exec() ==
        0)
      throw Error(ErrorKind::store,
                  fmt::format("cannot store options of gate {} in {}: there is no such gate",
                              printable(gate_id), connection.file().string()));
  });
}

void finish_gate(Connection& connection, std::string_view gate_id, record::RunStatus status,
                 const std::string& finished) {
  connection.write("finish a gate in", [&] {
    int gates = 0;
    for (const char* sql :
         {"UPDATE run SET status = ?, finished = ? WHERE gate = ? AND status = 'running'",
          "UPDATE gate SET status = ?, finished = ? WHERE id = ? AND status = 'running'"})
      gates = connection.statement(sql, status, finished, gate_id).exec();
    if (gates == 0)
      throw Error(ErrorKind::store,
                  fmt::format("cannot finish gate {} in {}: no such gate is running",
                              printable(gate_id), connection.file().string()));
  });
}

void resume_gate(Connection& connection, std::string_view gate_id) {
  connection.write("resume a gate in", [&] {
    int gates = 0;
    for (const char* sql : {"UPDATE run SET status = 'running', finished = NULL WHERE gate = ? AND "
                            "status <> 'finished'",
                            "UPDATE gate SET status = 'running', finished = NULL WHERE id = ? AND "
                            "status <> 'finished'"})
      gates = connection.statement(sql, gate_id).exec();
    if (gates == 0)
      throw Error(ErrorKind::store,
                  fmt::format("cannot resume gate {} in {}: no such gate is unfinished",
                              printable(gate_id), connection.file().string()));
  });
}

}  // namespace ridgeline::store
