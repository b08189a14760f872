#include "harness/store/prune.hpp"

#include <iterator>
#include <limits>
#include <sstream>

#include "harness/store/connection.hpp"
#include "harness/store/row.hpp"

namespace ridgeline::store {
namespace {

std::vector<std::string> words(const std::string& text) {
  std::istringstream stream(text);
  return {std::istream_iterator<std::string>(stream), {}};
}

}  // namespace

std::vector<Prunable> prunable(Connection& connection, const std::string& before) {
  return connection.read("look for old samples in", [&] {
    // Names of baselines have no spaces.
    SQLite::Statement& rows = connection.statement(
        "SELECT run.id AS id, max(process.started) AS sampled, count(*) AS measurements, sum(n) AS "
        "samples, "
        "ifnull((SELECT group_concat(name, ' ') FROM baseline WHERE baseline.run_id = run.id), '') "
        "AS baselines "
        "FROM run JOIN process ON process.run_id = run.id JOIN measurement ON process_id = "
        "process.id "
        "WHERE samples IS NOT NULL GROUP BY run.id HAVING max(process.started) < ? "
        "ORDER BY sampled, run.id",
        before);
    std::vector<Prunable> found;
    while (rows.executeStep()) {
      const Row row(rows, "run", connection.file());
      Prunable& run = found.emplace_back();
      run.run_id = row.get<std::string>("id");
      run.sampled = row.get<std::string>("sampled");
      run.measurements = row.get<std::int64_t>("measurements");
      run.samples = row.get<std::int64_t>("samples");
      if (run.samples < 0 || run.samples > std::numeric_limits<std::int64_t>::max() / 8)
        row.refuse("an impossible number of samples");
      run.bytes = run.samples * static_cast<std::int64_t>(sizeof(double));
      run.baselines = words(row.get<std::string>("baselines"));
    }
    return found;
  });
}

std::int64_t prune(Connection& connection, std::string_view run_id, const std::string& now) {
  return connection.write("drop samples from", [&] {
    SQLite::Statement& counted = connection.statement(
        "SELECT ifnull(sum(n), 0) FROM measurement WHERE samples IS NOT NULL "
        "AND process_id IN (SELECT id FROM process WHERE run_id = ?)",
        run_id);
    counted.executeStep();
    const std::int64_t samples = counted.getColumn(0).getInt64();
    connection
        .statement(
            "UPDATE measurement SET samples = NULL, pruned = ? WHERE samples IS NOT NULL "
            "AND process_id IN (SELECT id FROM process WHERE run_id = ?)",
            now, run_id)
        .exec();
    return samples;
  });
}

void shrink(Connection& connection) { connection.rewrite("shrink"); }

}  // namespace ridgeline::store
