#include <fmt/core.h>

#include "harness/base/error.hpp"
#include "harness/base/text.hpp"
#include "harness/store/read.hpp"
#include "harness/store/rows.hpp"
#include "harness/store/store.hpp"

namespace ridgeline::store {
namespace {

/// Throws unless `gate` names the device of its candidate's run, which the file says: so that what is read back is what
/// was stored.
void check_device(Connection& connection, const record::Gate& gate) {
  SQLite::Statement& rows = connection.statement(
      "SELECT run.id AS id, uuid FROM run JOIN device ON device.id = device_id WHERE run.id = ?", gate.candidate_run);
  if (!rows.executeStep()) return;  // the reference is refused as the gate is inserted
  const std::string uuid = Row(rows, "run", connection.file()).get<std::string>("uuid");
  require(gate.device_uuid.empty() || gate.device_uuid == uuid, "a gate names the device of its candidate's run");
}

/// Throws unless the times of `pair` are the medians of its measurements: only those are stored.
void check_times(Connection& connection, const record::Pair& pair, std::int64_t baseline, std::int64_t candidate) {
  SQLite::Statement& rows =
      connection.statement("SELECT id, median_ns FROM measurement WHERE id IN (?, ?)", baseline, candidate);
  while (rows.executeStep()) {
    const Row row(rows, "measurement", connection.file());
    const double said = row.get<std::int64_t>("id") == baseline ? pair.baseline_ns : pair.candidate_ns;
    const auto median_ns = row.get<std::optional<double>>("median_ns");
    require(!median_ns || *median_ns == said, "the times of a pair are the medians of its measurements");
  }
}

}  // namespace

void Store::begin(const record::Gate& gate) {
  connection_->write("store a gate in", [&] {
    check_device(*connection_, gate);
    return insert(*connection_, "INSERT INTO gate", begun(gate));
  });
}

void Store::begin(const record::Gate& gate, const record::Run& baseline, const record::Run& candidate,
                  const record::Device& device, const record::Environment& environment) {
  connection_->write("store a gate in", [&] {
    begin(baseline, device, environment);
    begin(candidate, device, environment);
    begin(gate);
    return gate.id;
  });
}

void Store::add(std::string_view gate_id, const record::Pair& pair, std::int64_t baseline_measurement,
                std::int64_t candidate_measurement) {
  connection_->write("store a pair in", [&] {
    check_times(*connection_, pair, baseline_measurement, candidate_measurement);
    return insert(*connection_, "INSERT INTO pair", [&](auto& visit) {
      visit("gate_id", gate_id);
      fields(visit, pair);
      visit("baseline_measurement", baseline_measurement);
      visit("candidate_measurement", candidate_measurement);
    });
  });
}

void Store::add(std::string_view gate_id, const record::CaseVerdict& verdict) {
  connection_->write("store a verdict in", [&] {
    return insert(*connection_, "INSERT OR REPLACE INTO verdict", [&](auto& visit) {
      visit("gate_id", gate_id);
      fields(visit, verdict);
    });
  });
}

void Store::finish_gate(std::string_view gate_id, record::RunStatus status, const std::string& finished) {
  connection_->write("finish a gate in", [&] {
    int gates = 0;
    for (const char* sql : {"UPDATE run SET status = ?, finished = ? WHERE gate = ? AND status = 'running'",
                            "UPDATE gate SET status = ?, finished = ? WHERE id = ? AND status = 'running'"})
      gates = connection_->statement(sql, status, finished, gate_id).exec();
    if (gates == 0)
      throw Error(ErrorKind::store, fmt::format("cannot finish gate {} in {}: no such gate is running",
                                                printable(gate_id), file().string()));
    return gates;
  });
}

void Store::resume_gate(std::string_view gate_id) {
  connection_->write("resume a gate in", [&] {
    int gates = 0;
    for (const char* sql :
         {"UPDATE run SET status = 'running', finished = NULL WHERE gate = ? AND status <> 'finished'",
          "UPDATE gate SET status = 'running', finished = NULL WHERE id = ? AND status <> 'finished'"})
      gates = connection_->statement(sql, gate_id).exec();
    if (gates == 0)
      throw Error(ErrorKind::store, fmt::format("cannot resume gate {} in {}: no such gate is unfinished",
                                                printable(gate_id), file().string()));
    return gates;
  });
}

}  // namespace ridgeline::store
