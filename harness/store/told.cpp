#include "harness/store/told.hpp"

#include "harness/store/rows.hpp"

namespace ridgeline::store {
namespace {

bool is_told(Connection& connection, const std::string& label) {
  return connection.statement("SELECT 1 FROM told WHERE label = ?", label).executeStep();
}

bool has_told(Connection& connection, const record::Telling& one) {
  return connection
      .statement(
          "SELECT 1 FROM telling WHERE device = ? AND profile = ? AND job = ? AND told_at <= ?",
          one.device, one.profile, one.job, one.told_at)
      .executeStep();
}

/// What may change of a change that was told.
void update(Connection& connection, const record::Told& one) {
  connection
      .statement(
          "UPDATE told SET event = ?, kind = ?, failed = ?, told_night = ?, told_at = ?, state = ?,"
          " state_at = ?, why = ?, said_by = ? WHERE label = ?",
          one.event, one.kind, one.failed, one.told_night, one.told_at, one.state, one.state_at,
          one.why, one.said_by, one.label)
      .exec();
}

}  // namespace

std::vector<record::Told> told(Connection& connection) {
  return connection.read("read what was told of", [&] {
    return read_all<record::Told>(connection, "told",
                                  "SELECT label AS id, * FROM told ORDER BY night, case_name, "
                                  "label");
  });
}

std::vector<record::Telling> tellings(Connection& connection) {
  return connection.read("read what was told of", [&] {
    return read_all<record::Telling>(
        connection, "telling", "SELECT job AS id, * FROM telling ORDER BY device, profile, job");
  });
}

void tell(Connection& connection, const record::Telling& telling, const Retold& told) {
  connection.write("remember what was told in", [&] {
    for (const record::Told& one : told.added)
      if (!is_told(connection, one.label)) insert(connection, "INSERT INTO told", one);
    for (const auto& [one, state_at] : told.changed)
      if (connection
              .statement("SELECT 1 FROM told WHERE label = ? AND state_at = ?", one.label, state_at)
              .executeStep())
        update(connection, one);
    if (!has_told(connection, telling))
      insert(connection, "INSERT OR REPLACE INTO telling", telling);
  });
}

void say(Connection& connection, std::span<const record::Told> told) {
  connection.write("remember what was said in", [&] {
    for (const record::Told& one : told)
      if (is_told(connection, one.label))
        update(connection, one);
      else
        insert(connection, "INSERT INTO told", one);
  });
}

}  // namespace ridgeline::store
