#include <algorithm>
#include <optional>

#include <fmt/core.h>

#include "harness/base/text.hpp"
#include "harness/store/merge_parts.hpp"
#include "harness/store/read.hpp"
#include "harness/store/read_gates.hpp"
#include "harness/store/rows.hpp"
#include "harness/store/write_gate.hpp"

namespace ridgeline::store {
namespace {

using record::RunStatus;

/// A pair, and the places of its measurements among those of their runs, in the order stored.
struct PlacedPair {
  record::Pair pair;
  std::size_t baseline = 0, candidate = 0;
  bool operator==(const PlacedPair&) const = default;
};

struct WholeGate {
  record::Gate gate;
  std::vector<PlacedPair> pairs;
  std::vector<record::CaseVerdict> verdicts;
};

/// Of a run, in the order stored.
std::vector<std::int64_t> measurement_ids(Connection& connection, std::string_view run_id) {
  SQLite::Statement& rows = connection.statement(
      "SELECT measurement.id FROM process JOIN measurement ON process_id = process.id WHERE run_id "
      "= ? "
      "ORDER BY measurement.id",
      run_id);
  std::vector<std::int64_t> ids;
  while (rows.executeStep()) ids.push_back(rows.getColumn(0).getInt64());
  return ids;
}

std::size_t place(const std::vector<std::int64_t>& ids, std::int64_t id, const Row& row) {
  const auto found = std::ranges::lower_bound(ids, id);
  if (found == ids.end() || *found != id)
    row.refuse("a measurement that is not of its gate's runs");
  return static_cast<std::size_t>(found - ids.begin());
}

/// Absent when the file has no such gate.
std::optional<WholeGate> read_whole_gate(Connection& connection, const std::string& id) {
  SQLite::Statement& gates = connection.statement(
      "SELECT gate.*, uuid FROM gate LEFT JOIN run ON run.id = candidate_run LEFT JOIN device ON "
      "device.id = device_id "
      "WHERE gate.id = ?",
      id);
  if (!gates.executeStep()) return std::nullopt;
  WholeGate whole{read_gate(Row(gates, "gate", connection.file())), {}, verdicts(connection, id)};
  const auto baseline = measurement_ids(connection, whole.gate.baseline_run),
             candidate = measurement_ids(connection, whole.gate.candidate_run);
  const auto read = [&](const Row& row) {
    whole.pairs.push_back({read_pair(row),
                           place(baseline, row.get<std::int64_t>("baseline_measurement"), row),
                           place(candidate, row.get<std::int64_t>("candidate_measurement"), row)});
  };
  each_row(connection, "pair",
           "SELECT pair.*, b.median_ns AS baseline_ns, c.median_ns AS candidate_ns FROM pair "
           "LEFT JOIN measurement b ON b.id = baseline_measurement LEFT JOIN measurement c ON "
           "c.id = candidate_measurement WHERE gate_id = ? ORDER BY round, pair.id",
           read, id);
  return whole;
}

/// What two gates of one id have in common: going on with one may change its options.
record::Gate lasting(record::Gate gate) {
  gate = begun(std::move(gate));
  gate.options.clear();
  return gate;
}

/// The first thing that two gates of one id differ in, as far as both go. Verdicts may change until
/// the gate is finished.
std::string difference(const WholeGate& here, const WholeGate& there) {
  if (lasting(here.gate) != lasting(there.gate))
    return "when it started, how it was called, its rules, seed or runs";
  for (std::size_t i = 0; i < std::min(here.pairs.size(), there.pairs.size()); ++i)
    if (here.pairs[i] != there.pairs[i])
      return fmt::format("pair {} of it, of {}", i + 1,
                         printable(here.pairs[i].pair.case_name, 400));
  const bool both =
      here.gate.status == RunStatus::finished && there.gate.status == RunStatus::finished;
  if (both && here.verdicts != there.verdicts) return "its verdicts";
  return {};
}

bool goes_on(const WholeGate& here, const WholeGate& there) {
  const auto size = [](const WholeGate& gate) {
    return std::pair(gate.pairs.size(), gate.verdicts.size());
  };
  if (size(here) != size(there)) return size(here) < size(there);
  return here.gate.status != there.gate.status && here.gate.finished < there.gate.finished;
}

/// Up to the first pair whose measurements came after the source's runs were read: then the gate is
/// still running, and the next merge takes the rest.
void append(Connection& target, const WholeGate& from, std::size_t known_pairs) {
  const record::Gate& gate = from.gate;
  const auto baseline = measurement_ids(target, gate.baseline_run),
             candidate = measurement_ids(target, gate.candidate_run);
  for (std::size_t i = known_pairs; i < from.pairs.size(); ++i) {
    const PlacedPair& placed = from.pairs[i];
    if (placed.baseline >= baseline.size() || placed.candidate >= candidate.size()) return;
    add(target, gate.id, placed.pair, baseline[placed.baseline], candidate[placed.candidate]);
  }
  for (const record::CaseVerdict& verdict : from.verdicts) add(target, gate.id, verdict);
  set_status(target, "UPDATE gate SET status = ?, finished = ? WHERE id = ?", gate);
}

/// Adds what the target lacks of a gate.
void take_over(Connection& target, Connection& source, const WholeGate& from, Merged& merged) {
  const std::string& gate_id = from.gate.id;
  target.write("merge a gate into", [&] {
    const std::optional<WholeGate> here = read_whole_gate(target, gate_id);
    if (!here) {
      begin(target, from.gate);
      append(target, from, 0);
      ++merged.gates.added;
    } else if (const std::string differs = difference(*here, from); !differs.empty()) {
      merged.refused.push_back(
          merge_conflict("gate", gate_id, source.file(), target.file(), differs));
    } else if (goes_on(*here, from)) {
      append(target, from, here->pairs.size());
      ++merged.gates.extended;
    } else {
      ++merged.gates.known;
    }
  });
}

}  // namespace

void merge_gate(Connection& target, Connection& source, const std::string& gate_id,
                const std::set<std::string>& left_out, Merged& merged) {
  const auto from = try_to_read(merged, [&] {
    return source.read("merge from", [&] { return read_whole_gate(source, gate_id); });
  });
  if (!from) return;
  if (left_out.contains(from->gate.baseline_run) || left_out.contains(from->gate.candidate_run)) {
    merged.refused.emplace_back(ErrorKind::store,
                                fmt::format("cannot merge gate {} of {}: a run of it was left out",
                                            printable(gate_id), source.file().string()));
    return;
  }
  try_to_write(merged, "gate", gate_id, source, [&] { take_over(target, source, *from, merged); });
}

}  // namespace ridgeline::store
