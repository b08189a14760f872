#include "harness/store/baselines.hpp"

#include "harness/store/rows.hpp"

namespace ridgeline::store {

void set_baseline(Connection& connection, const record::Baseline& baseline) {
  connection.write("store a baseline in",
                   [&] { return insert(connection, "INSERT OR REPLACE INTO baseline", baseline); });
}

bool remove_baseline(Connection& connection, std::string_view name) {
  return connection.write("remove a baseline from", [&] {
    return connection.statement("DELETE FROM baseline WHERE name = ?", name).exec() > 0;
  });
}

std::vector<record::Baseline> baselines(Connection& connection) {
  return connection.read("list the baselines of", [&] {
    return read_all<record::Baseline>(connection, "baseline",
                                      "SELECT name AS id, * FROM baseline ORDER BY name");
  });
}

}  // namespace ridgeline::store
