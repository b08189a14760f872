#include <algorithm>
#include <array>
#include <unordered_map>

#include <fmt/core.h>

#include "harness/store/connection.hpp"
#include "harness/store/read.hpp"
#include "harness/store/store.hpp"

namespace ridgeline::store {
namespace {

/// A number that is above 0, when there is one.
std::optional<double> positive(const Row& row, const char* column) {
  const auto value = row.optional_real(column);
  if (value && *value <= 0) row.refuse(fmt::format("{} as {}", *value, column));
  return value;
}

record::Pair read_pair(const Row& row) {
  record::Pair pair;
  pair.case_name = row.text("case_name");
  pair.round = row.small("round", 0);
  pair.baseline_first = row.flag("baseline_first");
  pair.dropped = {row.text("baseline_disturbed"), row.text("candidate_disturbed")};
  const auto baseline_ns = positive(row, "baseline_ns"), candidate_ns = positive(row, "candidate_ns");
  if (!baseline_ns || !candidate_ns) row.refuse("a side without a time");
  pair.baseline_ns = *baseline_ns;
  pair.candidate_ns = *candidate_ns;
  return pair;
}

record::CaseVerdict read_verdict(const Row& row) {
  record::CaseVerdict verdict;
  verdict.case_name = row.text("id");
  verdict.baseline_case = row.text("baseline_case");
  verdict.verdict = row.word("verdict", record::parse_verdict);
  verdict.reason = row.text("reason");
  verdict.delta = row.real("delta");
  verdict.baseline_ns = positive(row, "baseline_ns");
  verdict.candidate_ns = positive(row, "candidate_ns");
  verdict.metric = row.text("metric");
  verdict.baseline_value = row.optional_real("baseline_value");
  verdict.candidate_value = row.optional_real("candidate_value");
  verdict.ratio = row.optional_real("ratio");
  // A count may fall to nothing; a time cannot.
  if (verdict.ratio && (*verdict.ratio < 0 || (*verdict.ratio == 0 && verdict.metric.empty())))
    row.refuse(fmt::format("{} as ratio", *verdict.ratio));
  verdict.ratio_low = positive(row, "ratio_low");
  verdict.ratio_high = positive(row, "ratio_high");
  verdict.pairs = row.small("pairs", 0);
  verdict.dropped = row.small("dropped", 0);
  verdict.noise = row.optional_real("noise");
  verdict.smallest_effect = row.optional_real("smallest_effect");
  verdict.p_value = row.optional_real("p_value");
  verdict.level = row.optional_real("level");
  verdict.expected = row.flag("expected");
  verdict.expectation = row.text("expectation");
  verdict.expectation_over = row.flag("expectation_over");
  verdict.no_room = row.flag("no_room");
  if ((verdict.ratio_low && !(verdict.ratio >= verdict.ratio_low)) ||
      (verdict.ratio_high && !(verdict.ratio && verdict.ratio <= verdict.ratio_high)))
    row.refuse("a ratio outside of its interval");
  return verdict;
}

}  // namespace

record::Gate read_gate(const Row& row) {
  record::Gate gate;
  gate.id = row.text("id");
  gate.device_uuid = row.text("uuid");
  gate.mode = row.word("mode", record::parse_gate_mode);
  gate.baseline = row.text("baseline");
  gate.candidate = row.text("candidate");
  gate.baseline_run = row.text("baseline_run");
  gate.candidate_run = row.text("candidate_run");
  gate.command_line = row.text("command_line");
  gate.options = row.text("options");
  gate.rules_text = row.text("rules_text");
  gate.seed = row.seed("seed");
  gate.alpha = row.real("alpha");
  gate.cases = row.small("cases", 0);
  gate.aa = row.flag("aa");
  gate.started = row.text("started");
  if (!row.is_null("finished")) gate.finished = row.text("finished");
  gate.status = row.word("status", record::parse_run_status);
  return gate;
}

std::vector<GateSummary> Store::gates() const {
  return connection_->read("list the gates of", [&] {
    std::unordered_map<std::string, std::vector<std::pair<record::Verdict, std::int64_t>>> verdicts;
    SQLite::Statement& counts =
        connection_->statement("SELECT gate_id AS id, verdict, count(*) AS n FROM verdict GROUP BY gate_id, verdict");
    while (counts.executeStep()) {
      const Row row(counts, "gate", file());
      verdicts[row.text("id")].emplace_back(row.word("verdict", record::parse_verdict), row.integer("n"));
    }
    std::vector<GateSummary> gates;
    // Outer joins, so that a gate whose run is gone is named rather than missing.
    SQLite::Statement& rows = connection_->statement(
        "SELECT gate.*, uuid, local_id, kind, model, name, pci_id, properties, comparable, recorded FROM gate "
        "LEFT JOIN run ON run.id = candidate_run LEFT JOIN device ON device.id = device_id "
        "ORDER BY gate.started DESC, gate.id DESC");
    while (rows.executeStep()) {
      const Row row(rows, "gate", file());
      GateSummary& summary = gates.emplace_back(GateSummary{read_gate(row), read_device(row), {}});
      summary.verdicts = std::move(verdicts[summary.gate.id]);
      std::sort(summary.verdicts.begin(), summary.verdicts.end());
    }
    return gates;
  });
}

std::vector<record::Pair> Store::pairs(std::string_view gate_id) const {
  return connection_->read("read the pairs of a gate in", [&] {
    SQLite::Statement& rows = connection_->statement(
        "SELECT pair.*, b.median_ns AS baseline_ns, c.median_ns AS candidate_ns FROM pair "
        "LEFT JOIN measurement b ON b.id = baseline_measurement LEFT JOIN measurement c ON c.id = "
        "candidate_measurement WHERE gate_id = :gate_id ORDER BY round, pair.id");
    Binder(rows).text(":gate_id", gate_id);
    std::vector<record::Pair> pairs;
    while (rows.executeStep()) pairs.push_back(read_pair(Row(rows, "pair", file())));
    return pairs;
  });
}

std::vector<record::CaseVerdict> Store::verdicts(std::string_view gate_id) const {
  return connection_->read("read the verdicts of a gate in", [&] {
    SQLite::Statement& rows = connection_->statement(
        "SELECT case_name AS id, verdict.* FROM verdict WHERE gate_id = :gate_id ORDER BY case_name");
    Binder(rows).text(":gate_id", gate_id);
    std::vector<record::CaseVerdict> verdicts;
    while (rows.executeStep()) verdicts.push_back(read_verdict(Row(rows, "verdict on", file())));
    return verdicts;
  });
}

}  // namespace ridgeline::store
