#include "harness/store/sites.hpp"

#include <fmt/core.h>

#include "harness/base/error.hpp"
#include "harness/store/row.hpp"
#include "harness/store/store.hpp"

namespace ridgeline::store {
namespace {

void add(Connection& connection, std::int64_t measurement_id, std::int64_t position, const record::Site& site) {
  SQLite::Statement& statement = connection.statement(
      "INSERT INTO site (measurement_id, position, kernel, file, line, access, lane_bytes, requests, lanes, sectors, "
      "wavefronts) VALUES (:id, :position, :kernel, :file, :line, :access, :lane_bytes, :requests, :lanes, :sectors, "
      ":wavefronts)");
  Binder bind(statement);
  bind.integer(":id", measurement_id).integer(":position", position).text(":kernel", site.kernel);
  bind.text(":file", site.file).integer(":line", site.line).text(":access", site.access);
  bind.integer(":lane_bytes", site.lane_bytes).count(":requests", site.requests).count(":lanes", site.lanes);
  bind.count(":sectors", site.sectors).count(":wavefronts", site.wavefronts);
  statement.exec();
}

/// The row of `source`, which is added when there is none.
std::int64_t id_of(Connection& connection, const record::Source& source) {
  SQLite::Statement& found = connection.statement("SELECT id FROM source WHERE file = :file AND text = :text");
  Binder(found).text(":file", source.file).text(":text", source.text);
  if (found.executeStep()) return found.getColumn(0).getInt64();
  SQLite::Statement& added = connection.statement("INSERT INTO source (file, text) VALUES (:file, :text)");
  Binder(added).text(":file", source.file).text(":text", source.text);
  added.exec();
  return connection.database().getLastInsertRowid();
}

record::Site read_site(const Row& row) {
  record::Site site;
  site.kernel = row.text("kernel");
  site.file = row.text("file");
  site.line = row.small("line", 0);
  site.access = row.text("access");
  site.lane_bytes = row.small("lane_bytes", 0);
  site.requests = row.count("requests");
  site.lanes = row.count("lanes");
  site.sectors = row.count("sectors");
  site.wavefronts = row.count("wavefronts");
  return site;
}

}  // namespace

void add_sites(Connection& connection, std::int64_t id, const record::Measurement& measurement) {
  if (measurement.sources.size() > record::max_sources)
    throw Error(ErrorKind::store, fmt::format("cannot store {} sources of {}: a measurement has at most {}",
                                              measurement.sources.size(), measurement.case_name, record::max_sources));
  std::int64_t position = 0;
  for (const record::Site& site : measurement.sites) add(connection, id, position++, site);
  for (const record::Source& source : measurement.sources) {
    SQLite::Statement& statement =
        connection.statement("INSERT INTO measurement_source (measurement_id, source_id) VALUES (:id, :source)");
    const std::int64_t source_id = id_of(connection, source);
    Binder(statement).integer(":id", id).integer(":source", source_id);
    statement.exec();
  }
}

std::vector<record::Site> Store::sites(std::int64_t measurement_id) const {
  return connection_->read("read the sites of a measurement in", [&] {
    SQLite::Statement& rows = connection_->statement(
        "SELECT measurement_id AS id, site.* FROM site WHERE measurement_id = :id ORDER BY position");
    Binder(rows).integer(":id", measurement_id);
    std::vector<record::Site> sites;
    while (rows.executeStep()) sites.push_back(read_site(Row(rows, "site of measurement", file())));
    return sites;
  });
}

std::vector<record::Source> Store::sources(std::int64_t measurement_id) const {
  return connection_->read("read the sources of a measurement in", [&] {
    SQLite::Statement& rows = connection_->statement(
        "SELECT source.* FROM source JOIN measurement_source ON source_id = source.id "
        "WHERE measurement_id = :id ORDER BY file, source.id");
    Binder(rows).integer(":id", measurement_id);
    std::vector<record::Source> sources;
    while (rows.executeStep()) {
      const Row row(rows, "source", file());
      sources.push_back({row.text("file"), row.text("text")});
    }
    return sources;
  });
}

}  // namespace ridgeline::store
