#include "harness/store/sites.hpp"

#include <fmt/core.h>

#include "harness/base/error.hpp"
#include "harness/store/rows.hpp"
#include "harness/store/store.hpp"

namespace ridgeline::store {
void add_sites(Connection& connection, std::int64_t id, const record::Measurement& measurement) {
  if (measurement.sources.size() > record::max_sources)
    throw Error(ErrorKind::store, fmt::format("cannot store {} sources of {}: a measurement has at most {}",
                                              measurement.sources.size(), measurement.case_name, record::max_sources));
  std::int64_t position = 0;
  for (const record::Site& site : measurement.sites) {
    insert(connection, "INSERT INTO site", [&](auto& visit) {
      visit("measurement_id", id);
      visit("position", position);
      fields(visit, site);
    });
    ++position;
  }
  for (const record::Source& source : measurement.sources) {
    const std::int64_t source_id = find_or_insert(connection, "source", source);
    connection.statement("INSERT INTO measurement_source (measurement_id, source_id) VALUES (?, ?)", id, source_id)
        .exec();
  }
}

std::vector<record::Site> Store::sites(std::int64_t measurement_id) const {
  return connection_->read("read the sites of a measurement in", [&] {
    return read_all<record::Site>(
        *connection_, "site of measurement",
        "SELECT measurement_id AS id, site.* FROM site WHERE measurement_id = ? ORDER BY position", measurement_id);
  });
}

std::vector<record::Source> Store::sources(std::int64_t measurement_id) const {
  return connection_->read("read the sources of a measurement in", [&] {
    return read_all<record::Source>(*connection_, "source",
                                    "SELECT source.* FROM source JOIN measurement_source ON source_id = source.id "
                                    "WHERE measurement_id = ? ORDER BY file, source.id",
                                    measurement_id);
  });
}

}  // namespace ridgeline::store
