#include "harness/store/store.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include <fmt/core.h>

#include "harness/base/error.hpp"
#include "harness/store/connection.hpp"
#include "harness/store/row.hpp"
#include "harness/store/sites.hpp"

namespace ridgeline::store {
namespace {

/// Id of the one row that `find` selects; when there is none, `insert` adds it. Both take the parameters that `bind`
/// sets.
template <class Bind>
std::int64_t find_or_insert(Connection& connection, const char* find, const char* insert, Bind&& bind) {
  SQLite::Statement& found = connection.statement(find);
  bind(Binder(found));
  if (found.executeStep()) return found.getColumn(0).getInt64();
  SQLite::Statement& inserted = connection.statement(insert);
  bind(Binder(inserted));
  inserted.exec();
  return connection.database().getLastInsertRowid();
}

std::int64_t id_of(Connection& connection, const record::Device& device) {
  return find_or_insert(
      connection,
      "SELECT id FROM device WHERE uuid = :uuid AND local_id = :local_id AND kind = :kind AND model = :model AND "
      "name = :name AND pci_id = :pci_id AND properties = :properties AND comparable = :comparable AND recorded = "
      ":recorded",
      "INSERT INTO device (uuid, local_id, kind, model, name, pci_id, properties, comparable, recorded) VALUES "
      "(:uuid, :local_id, :kind, :model, :name, :pci_id, :properties, :comparable, :recorded)",
      [&](Binder bind) {
        bind.text(":uuid", device.uuid).text(":local_id", device.id).text(":kind", to_string(device.kind));
        bind.text(":model", device.model).text(":name", device.name).text(":pci_id", device.pci_id);
        bind.facts(":properties", device.properties).facts(":comparable", device.comparable);
        bind.facts(":recorded", device.recorded);
      });
}

std::int64_t id_of(Connection& connection, const record::Environment& environment) {
  return find_or_insert(
      connection, "SELECT id FROM environment WHERE hash = :hash AND comparable = :comparable AND recorded = :recorded",
      "INSERT INTO environment (hash, comparable, recorded) VALUES (:hash, :comparable, :recorded)", [&](Binder bind) {
        bind.text(":hash", environment.hash).facts(":comparable", environment.comparable);
        bind.facts(":recorded", environment.recorded);
      });
}

std::int64_t id_of(Connection& connection, const record::Build& build) {
  return find_or_insert(
      connection,
      "SELECT id FROM build WHERE worker = :worker AND commit_hash = :commit_hash AND dirty = :dirty AND "
      "compiler = :compiler AND flags = :flags AND cuda = :cuda AND code_hash = :code_hash",
      "INSERT INTO build (worker, commit_hash, dirty, compiler, flags, cuda, code_hash) VALUES "
      "(:worker, :commit_hash, :dirty, :compiler, :flags, :cuda, :code_hash)",
      [&](Binder bind) {
        bind.text(":worker", build.worker).text(":commit_hash", build.commit).integer(":dirty", build.dirty ? 1 : 0);
        bind.text(":compiler", build.compiler).text(":flags", build.flags).text(":cuda", build.cuda);
        bind.text(":code_hash", build.code_hash);
      });
}

std::int64_t id_of(Connection& connection, const record::Case& info) {
  return find_or_insert(
      connection,
      "SELECT id FROM \"case\" WHERE name = :name AND suite = :suite AND variant = :variant AND dtype = :dtype AND "
      "problem = :problem AND options = :options AND device_kind = :device_kind AND idea = :idea AND ranks = :ranks "
      "AND "
      "flops IS :flops AND bytes IS :bytes AND roof = :roof",
      "INSERT INTO \"case\" (name, suite, variant, dtype, problem, options, device_kind, idea, ranks, flops, bytes, "
      "roof) "
      "VALUES (:name, :suite, :variant, :dtype, :problem, :options, :device_kind, :idea, :ranks, :flops, :bytes, "
      ":roof)",
      [&](Binder bind) {
        bind.text(":name", record::name(info.id)).text(":suite", info.id.suite).text(":variant", info.id.variant);
        bind.text(":dtype", info.id.dtype).fields(":problem", info.id.problem).fields(":options", info.id.options);
        bind.text(":device_kind", to_string(info.device_kind)).text(":idea", info.idea).integer(":ranks", info.ranks);
        bind.optional_real(":flops", info.flops).optional_real(":bytes", info.bytes).text(":roof", info.roof);
      });
}

void bind_telemetry(Binder& bind, const record::Telemetry& telemetry) {
  bind.optional_real(":sm_clock_mhz", telemetry.sm_clock_mhz);
  bind.optional_real(":memory_clock_mhz", telemetry.memory_clock_mhz);
  bind.optional_real(":power_w", telemetry.power_w).optional_real(":temperature_c", telemetry.temperature_c);
  bind.text(":throttle", telemetry.throttle);
  bind.integer(":throttled_by_hardware", telemetry.throttled_by_hardware ? 1 : 0);
  bind.optional_integer(":other_processes", telemetry.other_processes);
}

void bind_verification(Binder& bind, const std::optional<record::Verification>& verification) {
  if (!verification) return;  // both stay NULL
  bind.real(":tolerance", verification->tolerance);
  // An error that is not a number stays NULL; an infinite one is as wrong as the largest number.
  if (std::isnan(verification->error)) return;
  bind.real(":error", std::min(verification->error, std::numeric_limits<double>::max()));
}

std::int64_t insert(Connection& connection, std::int64_t process_id, std::int64_t case_id,
                    const record::Measurement& m) {
  SQLite::Statement& statement = connection.statement(
      "INSERT INTO measurement (process_id, case_id, attempt, outcome, reason, n, executions_per_sample, median_ns, "
      "relative_spread, error, tolerance, flops, bytes, launch, cache, buffer_sets, seed, prepare_ns, verify_ns, "
      "warmup_ns, "
      "timed_ns, total_ns, sm_clock_mhz, memory_clock_mhz, power_w, temperature_c, throttle, throttled_by_hardware, "
      "other_processes, pruned, samples) VALUES (:process_id, :case_id, :attempt, :outcome, :reason, :n, "
      ":executions_per_sample, "
      ":median_ns, :relative_spread, :error, :tolerance, :flops, :bytes, :launch, :cache, :buffer_sets, :seed, "
      ":prepare_ns, "
      ":verify_ns, :warmup_ns, :timed_ns, :total_ns, :sm_clock_mhz, :memory_clock_mhz, :power_w, :temperature_c, "
      ":throttle, "
      ":throttled_by_hardware, :other_processes, :pruned, :samples)");
  Binder bind(statement);
  bind.integer(":process_id", process_id).integer(":case_id", case_id).integer(":attempt", m.attempt);
  bind.text(":outcome", to_string(m.outcome)).text(":reason", m.reason);
  bind.integer(":n", m.sample_count());
  bind.integer(":executions_per_sample", m.executions_per_sample).optional_real(":median_ns", m.median_ns);
  bind.optional_real(":relative_spread", m.relative_spread);
  bind_verification(bind, m.verification);
  bind.optional_real(":flops", m.flops).optional_real(":bytes", m.bytes);
  bind.text(":launch", m.launch).text(":cache", m.cache).integer(":buffer_sets", m.buffer_sets);
  bind.seed(":seed", m.seed).real(":prepare_ns", m.prepare_ns).real(":verify_ns", m.verify_ns);
  bind.real(":warmup_ns", m.warmup_ns).real(":timed_ns", m.timed_ns).real(":total_ns", m.total_ns);
  bind_telemetry(bind, m.telemetry);
  if (m.pruned) bind.text(":pruned", m.pruned->when);
  if (!m.samples_ns.empty()) bind.times(":samples", m.samples_ns);
  statement.exec();
  return connection.database().getLastInsertRowid();
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
    const std::int64_t device_id = id_of(*connection_, device), environment_id = id_of(*connection_, environment);
    SQLite::Statement& statement = connection_->statement(
        "INSERT INTO run (id, device_id, environment_id, label, command_line, profile, profile_text, seed, started, "
        "status, unfit, gate) "
        "VALUES (:id, :device_id, :environment_id, :label, :command_line, :profile, :profile_text, :seed, :started, "
        "'running', :unfit, :gate)");
    Binder bind(statement);
    bind.text(":gate", run.gate)
        .text(":unfit", run.unfit)
        .text(":id", run.id)
        .integer(":device_id", device_id)
        .integer(":environment_id", environment_id);
    bind.text(":label", run.label).text(":command_line", run.command_line).text(":profile", run.profile);
    bind.text(":profile_text", run.profile_text).seed(":seed", run.seed).text(":started", run.started);
    return statement.exec();
  });
}

void Store::finish(std::string_view run_id, record::RunStatus status, const std::string& finished) {
  const int changed = connection_->write("finish a run in", [&] {
    SQLite::Statement& statement = connection_->statement(
        "UPDATE run SET status = :status, finished = :finished WHERE id = :id AND status = 'running'");
    Binder(statement).text(":status", to_string(status)).text(":finished", finished).text(":id", run_id);
    return statement.exec();
  });
  if (changed == 0)
    throw Error(ErrorKind::store,
                fmt::format("cannot finish run {} in {}: no such run is running", run_id, file().string()));
}

std::int64_t Store::add(const record::Process& process) {
  return connection_->write("store a process in", [&] {
    const std::int64_t build_id = id_of(*connection_, process.build);
    SQLite::Statement& statement = connection_->statement(
        "INSERT INTO process (run_id, build_id, replicate, seed, started) "
        "VALUES (:run_id, :build_id, :replicate, :seed, :started)");
    Binder bind(statement);
    bind.text(":run_id", process.run_id).integer(":build_id", build_id).integer(":replicate", process.replicate);
    bind.seed(":seed", process.seed).text(":started", process.started);
    statement.exec();
    return connection_->database().getLastInsertRowid();
  });
}

std::int64_t Store::add(std::int64_t process_id, const record::Case& case_info,
                        const record::Measurement& measurement) {
  require(measurement.case_name == record::name(case_info.id), "a measurement is stored with its case");
  return connection_->write("store a measurement in", [&] {
    const std::int64_t id = insert(*connection_, process_id, id_of(*connection_, case_info), measurement);
    for (const record::Metric& metric : measurement.metrics) {
      SQLite::Statement& statement = connection_->statement(
          "INSERT INTO metric (measurement_id, name, value, unit, direction) VALUES (:id, :name, :value, :unit, "
          ":direction)");
      Binder(statement)
          .integer(":id", id)
          .text(":name", metric.name)
          .real(":value", metric.value)
          .text(":unit", metric.unit)
          .text(":direction", to_string(metric.direction));
      statement.exec();
    }
    add_sites(*connection_, id, measurement);
    return id;
  });
}

void Store::add(std::string_view run_id, const record::Roof& roof) {
  connection_->write("store a roof in", [&] {
    SQLite::Statement& statement = connection_->statement(
        "INSERT INTO roof (run_id, kind, value, unit, source) VALUES (:run_id, :kind, :value, :unit, :source) "
        "ON CONFLICT (run_id, kind, source) DO UPDATE SET value = excluded.value, unit = excluded.unit");
    Binder(statement)
        .text(":run_id", run_id)
        .text(":kind", roof.kind)
        .real(":value", roof.value)
        .text(":unit", roof.unit)
        .text(":source", roof.source);
    return statement.exec();
  });
}

}  // namespace ridgeline::store
