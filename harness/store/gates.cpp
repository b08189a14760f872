#include <fmt/core.h>

#include "harness/base/error.hpp"
#include "harness/base/text.hpp"
#include "harness/store/connection.hpp"
#include "harness/store/row.hpp"
#include "harness/store/store.hpp"

namespace ridgeline::store {
namespace {

/// Throws unless `gate` names the device of its candidate's run, which the file says: so that what is read back is what
/// was stored.
void check_device(Connection& connection, const record::Gate& gate) {
  SQLite::Statement& rows = connection.statement(
      "SELECT run.id AS id, uuid FROM run JOIN device ON device.id = device_id WHERE run.id = :run_id");
  Binder(rows).text(":run_id", gate.candidate_run);
  if (!rows.executeStep()) return;  // the reference is refused as the gate is inserted
  const std::string uuid = Row(rows, "run", connection.file()).text("uuid");
  require(gate.device_uuid.empty() || gate.device_uuid == uuid, "a gate names the device of its candidate's run");
}

/// Throws unless the times of `pair` are the medians of its measurements: only those are stored.
void check_times(Connection& connection, const record::Pair& pair, std::int64_t baseline, std::int64_t candidate) {
  SQLite::Statement& rows = connection.statement("SELECT id, median_ns FROM measurement WHERE id IN (:a, :b)");
  Binder(rows).integer(":a", baseline).integer(":b", candidate);
  while (rows.executeStep()) {
    const Row row(rows, "measurement", connection.file());
    const double said = row.integer("id") == baseline ? pair.baseline_ns : pair.candidate_ns;
    const auto median_ns = row.optional_real("median_ns");
    require(!median_ns || *median_ns == said, "the times of a pair are the medians of its measurements");
  }
}

}  // namespace

void Store::begin(const record::Gate& gate) {
  connection_->write("store a gate in", [&] {
    check_device(*connection_, gate);
    SQLite::Statement& statement = connection_->statement(
        "INSERT INTO gate (id, mode, baseline, candidate, baseline_run, candidate_run, command_line, options, "
        "rules_text, seed, alpha, cases, aa, started, status) VALUES (:id, :mode, :baseline, :candidate, "
        ":baseline_run, :candidate_run, :command_line, :options, :rules_text, :seed, :alpha, :cases, :aa, :started, "
        "'running')");
    Binder bind(statement);
    bind.text(":id", gate.id).text(":mode", to_string(gate.mode)).text(":baseline", gate.baseline);
    bind.text(":candidate", gate.candidate).text(":baseline_run", gate.baseline_run);
    bind.text(":candidate_run", gate.candidate_run).text(":command_line", gate.command_line);
    bind.text(":options", gate.options).text(":rules_text", gate.rules_text).seed(":seed", gate.seed);
    bind.real(":alpha", gate.alpha).integer(":cases", gate.cases).integer(":aa", gate.aa ? 1 : 0);
    bind.text(":started", gate.started);
    return statement.exec();
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
    SQLite::Statement& statement = connection_->statement(
        "INSERT INTO pair (gate_id, case_name, round, baseline_first, baseline_measurement, candidate_measurement, "
        "baseline_disturbed, candidate_disturbed) VALUES (:gate_id, :case_name, :round, :baseline_first, "
        ":baseline_measurement, :candidate_measurement, :baseline_disturbed, :candidate_disturbed)");
    Binder bind(statement);
    bind.text(":gate_id", gate_id).text(":case_name", pair.case_name).integer(":round", pair.round);
    bind.integer(":baseline_first", pair.baseline_first ? 1 : 0);
    bind.text(":baseline_disturbed", pair.dropped.baseline).text(":candidate_disturbed", pair.dropped.candidate);
    bind.integer(":baseline_measurement", baseline_measurement);
    bind.integer(":candidate_measurement", candidate_measurement);
    return statement.exec();
  });
}

void Store::add(std::string_view gate_id, const record::CaseVerdict& verdict) {
  connection_->write("store a verdict in", [&] {
    SQLite::Statement& statement = connection_->statement(
        "INSERT OR REPLACE INTO verdict (gate_id, case_name, baseline_case, verdict, reason, delta, baseline_ns, "
        "candidate_ns, metric, baseline_value, candidate_value, ratio, ratio_low, ratio_high, pairs, dropped, noise, "
        "smallest_effect, p_value, level, expected, expectation, expectation_over, no_room) VALUES (:gate_id, "
        ":case_name, :baseline_case, "
        ":verdict, :reason, :delta, :baseline_ns, :candidate_ns, :metric, :baseline_value, :candidate_value, :ratio, "
        ":ratio_low, :ratio_high, :pairs, :dropped, :noise, :smallest_effect, :p_value, :level, :expected, "
        ":expectation, :expectation_over, :no_room)");
    Binder bind(statement);
    bind.text(":gate_id", gate_id).text(":case_name", verdict.case_name);
    bind.text(":baseline_case", verdict.baseline_case).text(":verdict", to_string(verdict.verdict));
    bind.text(":reason", verdict.reason).real(":delta", verdict.delta);
    bind.optional_real(":baseline_ns", verdict.baseline_ns).optional_real(":candidate_ns", verdict.candidate_ns);
    bind.text(":metric", verdict.metric).optional_real(":baseline_value", verdict.baseline_value);
    bind.optional_real(":candidate_value", verdict.candidate_value);
    bind.optional_real(":ratio", verdict.ratio).optional_real(":ratio_low", verdict.ratio_low);
    bind.optional_real(":ratio_high", verdict.ratio_high);
    bind.integer(":pairs", verdict.pairs).integer(":dropped", verdict.dropped);
    bind.optional_real(":noise", verdict.noise).optional_real(":smallest_effect", verdict.smallest_effect);
    bind.optional_real(":p_value", verdict.p_value).optional_real(":level", verdict.level);
    bind.integer(":expected", verdict.expected ? 1 : 0).text(":expectation", verdict.expectation);
    bind.integer(":expectation_over", verdict.expectation_over ? 1 : 0);
    bind.integer(":no_room", verdict.no_room ? 1 : 0);
    return statement.exec();
  });
}

void Store::finish_gate(std::string_view gate_id, record::RunStatus status, const std::string& finished) {
  connection_->write("finish a gate in", [&] {
    int gates = 0;
    for (const char* sql :
         {"UPDATE run SET status = :status, finished = :finished WHERE gate = :id AND status = 'running'",
          "UPDATE gate SET status = :status, finished = :finished WHERE id = :id AND status = 'running'"}) {
      SQLite::Statement& statement = connection_->statement(sql);
      Binder(statement).text(":status", to_string(status)).text(":finished", finished).text(":id", gate_id);
      gates = statement.exec();
    }
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
         {"UPDATE run SET status = 'running', finished = NULL WHERE gate = :id AND status <> 'finished'",
          "UPDATE gate SET status = 'running', finished = NULL WHERE id = :id AND status <> 'finished'"}) {
      SQLite::Statement& statement = connection_->statement(sql);
      Binder(statement).text(":id", gate_id);
      gates = statement.exec();
    }
    if (gates == 0)
      throw Error(ErrorKind::store, fmt::format("cannot resume gate {} in {}: no such gate is unfinished",
                                                printable(gate_id), file().string()));
    return gates;
  });
}

}  // namespace ridgeline::store
