#include "harness/store/connection.hpp"
#include "harness/store/row.hpp"
#include "harness/store/store.hpp"

namespace ridgeline::store {

void Store::set_baseline(const record::Baseline& baseline) {
  connection_->write("store a baseline in", [&] {
    SQLite::Statement& statement = connection_->statement(
        "INSERT INTO baseline (name, run_id, set_at) VALUES (:name, :run_id, :set_at) "
        "ON CONFLICT (name) DO UPDATE SET run_id = excluded.run_id, set_at = excluded.set_at");
    Binder bind(statement);
    bind.text(":name", baseline.name).text(":run_id", baseline.run_id).text(":set_at", baseline.set_at);
    return statement.exec();
  });
}

bool Store::remove_baseline(std::string_view name) {
  return connection_->write("remove a baseline from", [&] {
    SQLite::Statement& statement = connection_->statement("DELETE FROM baseline WHERE name = :name");
    Binder(statement).text(":name", name);
    return statement.exec() > 0;
  });
}

std::vector<record::Baseline> Store::baselines() const {
  return connection_->read("list the baselines of", [&] {
    SQLite::Statement& rows = connection_->statement("SELECT name AS id, run_id, set_at FROM baseline ORDER BY name");
    std::vector<record::Baseline> baselines;
    while (rows.executeStep()) {
      const Row row(rows, "baseline", file());
      baselines.push_back({row.text("id"), row.text("run_id"), row.text("set_at")});
    }
    return baselines;
  });
}

}  // namespace ridgeline::store
