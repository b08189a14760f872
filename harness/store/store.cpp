#include "harness/store/store.hpp"

#include <fmt/core.h>

#include "harness/base/error.hpp"
#include "harness/store/read.hpp"
#include "harness/store/rows.hpp"
#include "harness/store/sites.hpp"

namespace ridgeline::store {
namespace {

std::int64_t id_of(Connection& connection, const record::Case& info) {
  return find_or_insert(connection, "\"case\"", [&](auto& visit) {
    visit("name", record::name(info.id));
    fields(visit, info);
  });
}

}  // namespace

Store::Store(std::unique_ptr<Connection> connection) : connection_(std::move(connection)) {}
Store::Store(Store&&) noexcept = default;
Store& Store::operator=(Store&&) noexcept = default;
Store::~Store() = default;

Store Store::create(const std::filesystem::path& file) { return Store(Connection::create(file, migrations())); }
Store Store::open(const std::filesystem::path& file) { return Store(Connection::open(file, migrations())); }
Store Store::in_memory() { return Store(Connection::in_memory(migrations())); }
const std::filesystem::path& Store::file() const { return connection_->file(); }

void Store::begin(const record::Run& run, const record::Device& device, const record::Environment& environment) {
  require(run.device_uuid.empty() || run.device_uuid == device.uuid, "a run names the device that it is stored with");
  connection_->write("store a run in", [&] {
    const std::int64_t device_id = find_or_insert(*connection_, "device", device),
                       environment_id = find_or_insert(*connection_, "environment", environment);
    return insert(*connection_, "INSERT INTO run", [&, begun = begun(run)](auto& visit) {
      visit("device_id", device_id);
      visit("environment_id", environment_id);
      fields(visit, begun);
    });
  });
}

void Store::finish(std::string_view run_id, record::RunStatus status, const std::string& finished) {
  const int changed = connection_->write("finish a run in", [&] {
    SQLite::Statement& statement = connection_->statement(
        "UPDATE run SET status = ?, finished = ? WHERE id = ? AND status = 'running'", status, finished, run_id);
    return statement.exec();
  });
  if (changed == 0)
    throw Error(ErrorKind::store,
                fmt::format("cannot finish run {} in {}: no such run is running", run_id, file().string()));
}

std::int64_t Store::add(const record::Process& process) {
  return connection_->write("store a process in", [&] {
    const std::int64_t build_id = find_or_insert(*connection_, "build", process.build);
    return insert(*connection_, "INSERT INTO process", [&](auto& visit) {
      visit("build_id", build_id);
      fields(visit, process);
    });
  });
}

std::int64_t Store::add(std::int64_t process_id, const record::Case& case_info,
                        const record::Measurement& measurement) {
  require(measurement.case_name == record::name(case_info.id), "a measurement is stored with its case");
  return connection_->write("store a measurement in", [&] {
    const std::int64_t case_id = id_of(*connection_, case_info);
    const std::int64_t id = insert(*connection_, "INSERT INTO measurement", [&](auto& visit) {
      visit("process_id", process_id);
      visit("case_id", case_id);
      fields(visit, measurement);
      visit("n", measurement.sample_count());
      visit("pruned", measurement.pruned ? std::optional(measurement.pruned->when) : std::nullopt);
      visit("samples", measurement.samples_ns);
    });
    for (const record::Metric& metric : measurement.metrics)
      insert(*connection_, "INSERT INTO metric", [&](auto& visit) {
        visit("measurement_id", id);
        fields(visit, metric);
      });
    add_sites(*connection_, id, measurement);
    return id;
  });
}

void Store::add(std::string_view run_id, const record::Roof& roof) {
  connection_->write("store a roof in", [&] {
    return insert(*connection_, "INSERT OR REPLACE INTO roof", [&](auto& visit) {
      visit("run_id", run_id);
      fields(visit, roof);
    });
  });
}

}  // namespace ridgeline::store
