#include "harness/store/rows.hpp"
#include "harness/store/store.hpp"

namespace ridgeline::store {

void Store::set_baseline(const record::Baseline& baseline) {
  connection_->write("store a baseline in",
                     [&] { return insert(*connection_, "INSERT OR REPLACE INTO baseline", baseline); });
}

bool Store::remove_baseline(std::string_view name) {
  return connection_->write("remove a baseline from", [&] {
    return connection_->statement("DELETE FROM baseline WHERE name = ?", name).exec() > 0;
  });
}

std::vector<record::Baseline> Store::baselines() const {
  return connection_->read("list the baselines of", [&] {
    return read_all<record::Baseline>(*connection_, "baseline", "SELECT name AS id, * FROM baseline ORDER BY name");
  });
}

}  // namespace ridgeline::store
