#include "ci/studies/fuzzing/targets/changed_store.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <memory>
#include <utility>

#include <SQLiteCpp/SQLiteCpp.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sqlite3.h>
#include <unistd.h>

#include "harness/record/json.hpp"
#include "harness/store/baselines.hpp"
#include "harness/store/beside.hpp"
#include "harness/store/examples.hpp"
#include "harness/store/merge.hpp"
#include "harness/store/prune.hpp"
#include "harness/store/read_gates.hpp"
#include "harness/store/read_runs.hpp"
#include "harness/store/series.hpp"
#include "harness/store/write_gate.hpp"

namespace ridgeline::fuzzing {
namespace {

namespace fs = std::filesystem;
using namespace store;

std::string bytes_of(const fs::path& file) {
  std::ifstream stream(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
}

struct OwnFolder {
  OwnFolder() {
    const fs::path memory = "/dev/shm";
    const fs::path above = fs::exists(memory) ? memory : fs::temp_directory_path();
    std::string name = (above / "ridgeline-fuzz-XXXXXX").string();
    if (!::mkdtemp(name.data())) throw std::runtime_error("no folder for changed stores");
    path = name;
    ::setenv("RIDGELINE_LOCKS", name.c_str(), 1);
  }
  OwnFolder(const OwnFolder&) = delete;
  ~OwnFolder() {
    std::error_code ignored;
    fs::remove_all(path, ignored);
  }
  fs::path path;
};

void add_run(const Store& store, const std::string& id, const std::string& started,
             const record::Device& device, const std::vector<record::Measurement>& measured) {
  record::Run run = examples::run(id, started);
  run.device_uuid = device.uuid;
  begin(store, run, device, examples::environment());
  const std::int64_t process = add(store, examples::process(0, id));
  for (const record::Measurement& one : measured)
    add(store, process,
        examples::gemm_case(one.case_name.substr(5, one.case_name.find('/', 5) - 5)), one);
  add(store, id, {"dram.copy", 1e12, "B/s", "measured"});
  finish(store, id, record::RunStatus::finished, started);
}

void fill(const Store& store) {
  const record::Case naive = examples::gemm_case(), tiled = examples::gemm_case("tiled");
  for (int night = 1; night <= 2; ++night)
    add_run(store, fmt::format("2026110{}T120000Z-00000{}", night, night),
            fmt::format("2026-11-0{}T12:00:00Z", night), examples::device(),
            {examples::measurement(naive, {100.0 + night, 110, 120}),
             night == 2 ? examples::failed(tiled, record::Outcome::crashed, "signal 11")
                        : examples::measurement(tiled, {50, 60, 70})});
  add_run(store, "20261120T100000Z-c00001", "2026-11-20T10:00:00Z", examples::counting_device(),
          {examples::counted(naive)});
  const record::Gate gate = examples::gate();
  begin(store, gate, examples::side(gate, gate.baseline_run),
        examples::side(gate, gate.candidate_run), examples::device(), examples::environment());
  std::vector<std::int64_t> sides;
  for (const std::string& id : {gate.baseline_run, gate.candidate_run})
    sides.push_back(
        add(store, add(store, examples::process(0, id)), naive, examples::measurement(naive)));
  add(store, gate.id, examples::pair(naive), sides[0], sides[1]);
  add(store, gate.id, examples::pass(naive));
  add(store, gate.id, examples::fewer_sectors(tiled));
  set_baseline(store, {"main", "20261101T120000Z-000001", "2026-11-20T13:00:00Z"});
}

std::string made_store() {
  const fs::path file = own_folder() / "made" / "synthetic-gpu.sqlite";
  fill(Store::create(file));
  std::string bytes = bytes_of(file);
  fs::remove_all(file.parent_path());
  return bytes;
}

/// The tables of whole_store() in memory, with its columns in a fixed order.
class Tables {
 public:
  Tables() {
    std::string bytes = whole_store();
    bytes[18] = bytes[19] = 1;  // without a log
    const fs::path file = own_folder() / "tables.sqlite";
    write_bytes(file, bytes);
    SQLite::Database source(file.string());
    sqlite3_backup* copy =
        sqlite3_backup_init(database_.getHandle(), "main", source.getHandle(), "main");
    sqlite3_backup_step(copy, -1);
    sqlite3_backup_finish(copy);
    fs::remove(file);
    database_.exec("PRAGMA ignore_check_constraints = ON; PRAGMA foreign_keys = OFF");
    SQLite::Statement rows(database_,
                           "SELECT t.name, c.name, c.pk FROM sqlite_schema t, "
                           "pragma_table_info(t.name) c WHERE t.type = 'table' ORDER BY t.name, "
                           "c.cid");
    while (rows.executeStep()) {
      const std::string table = rows.getColumn(0);
      if (tables_.empty() || tables_.back().name != table) tables_.push_back({table, {}, {}});
      const std::string column = rows.getColumn(1);
      tables_.back().columns.push_back(column);
      if (rows.getColumn(2).getInt() > 0) tables_.back().key.push_back(column);
    }
  }

  std::string changed(std::string_view input) {
    database_.exec("BEGIN");
    Bytes bytes(input);
    for (int edit = 0; edit < 8 && !bytes.empty(); ++edit) change(bytes);
    sqlite3_int64 size = 0;
    const std::unique_ptr<unsigned char, decltype(&sqlite3_free)> image(
        sqlite3_serialize(database_.getHandle(), "main", &size, 0), &sqlite3_free);
    std::string made(reinterpret_cast<const char*>(image.get()), static_cast<std::size_t>(size));
    database_.exec("ROLLBACK");
    made[18] = made[19] = whole_store()[18];
    return made;
  }

 private:
  struct Table {
    std::string name;
    std::vector<std::string> columns, key;
  };

  /// Table, column, row, what is done, and a value.
  void change(Bytes& bytes) {
    const Table& table = tables_[bytes.number() % tables_.size()];
    const std::string& column = table.columns[bytes.number() % table.columns.size()];
    const std::size_t row = bytes.number(), act = bytes.number() % 8;
    const std::string key =
        table.key.empty() ? "rowid" : fmt::format("\"{}\"", fmt::join(table.key, "\", \""));
    const std::string where =
        row == 255 ? ""
                   : fmt::format(" WHERE ({}) = (SELECT {} FROM \"{}\" LIMIT 1 OFFSET {})", key,
                                 key, table.name, row % 16);
    std::string sql =
        fmt::format("UPDATE OR IGNORE \"{}\" SET \"{}\" = ?{}", table.name, column, where);
    if (act == 6) sql = fmt::format("DELETE FROM \"{}\"{}", table.name, where);
    if (act == 7)  // another row's value
      sql = fmt::format(
          "UPDATE OR IGNORE \"{}\" SET \"{}\" = (SELECT \"{}\" FROM \"{}\" LIMIT 1 OFFSET {}){}",
          table.name, column, column, table.name, bytes.number() % 16, where);
    SQLite::Statement statement(database_, sql);
    if (act < 6) bind(statement, bytes);
    statement.tryExecuteStep();  // may go against a type, which nothing gets past
  }

  static void bind(SQLite::Statement& to, Bytes& bytes) {
    static constexpr double odd_numbers[] = {0.0,       -0.0,  -1,    0.5,    1e-3,   1e15,
                                             1e30,      1e-30, 1e308, 2e-308, 5e-324, HUGE_VAL,
                                             -HUGE_VAL, 1e16,  0.99,  1,      2,      1.7976e308};
    static constexpr std::int64_t odd_integers[] = {0,
                                                    -1,
                                                    1,
                                                    2,
                                                    255,
                                                    256,
                                                    65536,
                                                    2147483647,
                                                    -2147483648ll,
                                                    2147483648ll,
                                                    4294967296ll,
                                                    1ll << 53,
                                                    INT64_MAX,
                                                    INT64_MIN,
                                                    1000000,
                                                    1000001};
    static constexpr const char* odd_texts[] = {"",
                                                "{}",
                                                "[]",
                                                "null",
                                                "[[\"n\", \"1\"]]",
                                                "{\"a\": []}",
                                                "{\"a\": \"b\"}",
                                                "ok",
                                                "crashed",
                                                "counted",
                                                "running",
                                                "finished",
                                                "2026-11-20T12:45:01Z",
                                                "9999-99-99T99:99:99Z",
                                                "0000-00-00T00:00:00Z",
                                                "\x1b[2J",
                                                "../../x",
                                                "-x",
                                                "gemm/*",
                                                "synthetic-gpu",
                                                "cuda",
                                                "emulated",
                                                "pass",
                                                "regression",
                                                "runs",
                                                "workers",
                                                "\xff\xfe"};
    switch (bytes.number() % 8) {
      case 0:
        return to.bind(1);
      case 1:
        return to.bind(1, static_cast<std::int64_t>(bytes.number(8)));
      case 2:
        return to.bind(1, std::bit_cast<double>(std::uint64_t{bytes.number(8)}));
      case 3:
        return to.bind(1, std::string(bytes.text()));
      case 4: {
        const std::string_view blob = bytes.text();
        return to.bind(1, blob.data(), static_cast<int>(blob.size()));
      }
      case 5:
        return to.bind(1, odd_numbers[bytes.number() % std::size(odd_numbers)]);
      case 6:
        return to.bind(1, odd_integers[bytes.number() % std::size(odd_integers)]);
      default:
        return to.bind(1, std::string(odd_texts[bytes.number() % std::size(odd_texts)]));
    }
  }

  SQLite::Database database_{":memory:", SQLite::OPEN_READWRITE | SQLite::OPEN_CREATE};
  std::vector<Table> tables_;
};

Tables& tables() {
  static Tables known;
  return known;
}

std::uint32_t big_endian(const std::string& bytes, std::size_t at) {
  std::uint32_t number = 0;
  for (std::size_t i = 0; i < 4; ++i)
    number = number << 8 | static_cast<unsigned char>(bytes[at + i]);
  return number;
}

void set_big_endian(std::string& bytes, std::size_t at, std::uint32_t number) {
  for (std::size_t i = 0; i < 4; ++i) bytes[at + i] = static_cast<char>(number >> (24 - 8 * i));
}

bool reads(const std::function<void()>& part) { return accepts({ErrorKind::store}, part); }

std::string words_of(const std::vector<StoredMeasurement>& measurements) {
  std::string words;
  for (const StoredMeasurement& one : measurements)
    words +=
        fmt::format("{} {} {} {}\n", one.replicate, one.samples,
                    record::to_json(one.case_info).dump(), record::to_json(one.measurement).dump());
  return words;
}

/// What is read of a run where it can be: the same of a run and of its copy.
std::string words_of(const Store& store, const RunSummary& summary) {
  const StoredRun run = stored_run(store, summary);
  std::vector<StoredMeasurement> all = measurements(store, summary.run.id, Samples::read);
  read_sites(store, all);
  std::string words = record::to_json(run.run).dump() + record::to_json(run.device).dump() +
                      record::to_json(run.environment).dump() + words_of(all);
  for (const record::Roof& roof : roofs(store, summary.run.id))
    words += record::to_json(roof).dump();
  return words;
}

/// Of a damaged file SQLite itself may answer a question in two ways.
bool is_whole(const fs::path& file) {
  try {
    SQLite::Database database(file.string(), SQLite::OPEN_READONLY, 0, store::without_journals());
    return database.execAndGet("PRAGMA integrity_check").getString() == "ok";
  } catch (const SQLite::Exception&) {
    return false;
  }
}

void check_merge(const Store& store, const fs::path& file) {
  Store target = Store::in_memory();
  Merged merged;
  if (!reads([&] { merged = merge(target, store, "2026-12-31T00:00:00Z"); })) return;
  for (const Error& refusal : merged.refused) reads([&] { throw Error(refusal); });
  const Merged again = merge(target, store, "2026-12-31T00:00:00Z");
  const std::int64_t more = again.runs.added + again.gates.added + again.runs.extended +
                            again.gates.extended + again.measurements;
  expect(more == 0 || !is_whole(file), "what was merged is merged again");
  if (!merged.refused.empty()) return;
  const std::vector<RunSummary> here = runs(store), there = runs(target);
  expect(here.size() == there.size(), "merging loses runs");
  for (std::size_t i = 0; i < here.size(); ++i)
    expect(words_of(store, here[i]) == words_of(target, there[i]),
           "a run is another one once it is merged: " + here[i].run.id);
}

}  // namespace

const fs::path& own_folder() {
  static const OwnFolder folder;
  return folder.path;
}

const std::string& whole_store() {
  static const std::string bytes = made_store();
  return bytes;
}

const Killed& killed_store() {
  static const Killed killed = [] {
    const fs::path file = own_folder() / "made" / "alive.sqlite";
    Killed made;
    {
      const Store alive = Store::create(file);
      begin(alive, examples::run(), examples::device(), examples::environment());
      made = {bytes_of(file), bytes_of(beside(file, "-wal"))};
    }
    fs::remove_all(file.parent_path());
    return made;
  }();
  return killed;
}

std::string with_changed_values(std::string_view input) { return tables().changed(input); }

std::vector<std::string> value_changes() {
  std::vector<std::string> inputs{""};
  for (std::size_t table = 0; table < 20; ++table)
    for (std::size_t column = 0; column < 6; ++column)
      inputs.push_back({static_cast<char>(table), static_cast<char>(column), 0, 0,
                        static_cast<char>(5 + column % 3), static_cast<char>(table + column)});
  return inputs;
}

void sum_up(std::string& log) {
  if (log.size() < 32) return;
  const bool big = (big_endian(log, 0) & 1) != 0;
  std::uint32_t a = 0, b = 0;
  const auto add = [&](std::size_t from, std::size_t length) {
    for (std::size_t at = from; at + 8 <= from + length; at += 8) {
      std::uint32_t x = big_endian(log, at), y = big_endian(log, at + 4);
      if (!big) x = __builtin_bswap32(x), y = __builtin_bswap32(y);
      a += x + b;
      b += y + a;
    }
  };
  add(0, 24);
  set_big_endian(log, 24, a);
  set_big_endian(log, 28, b);
  const std::size_t page = big_endian(log, 8);
  for (std::size_t frame = 32; page <= log.size() && frame + 24 + page <= log.size();
       frame += 24 + page) {
    add(frame, 8);
    add(frame + 24, page);
    set_big_endian(log, frame + 16, a);
    set_big_endian(log, frame + 20, b);
  }
}

void write_bytes(const fs::path& file, std::string_view bytes) {
  const int to = ::open(file.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
  const bool written =
      to >= 0 && ::write(to, bytes.data(), bytes.size()) == static_cast<ssize_t>(bytes.size());
  if (to >= 0) ::close(to);
  if (!written) throw std::runtime_error("cannot write " + file.string());
}

void merge_everything(const fs::path& file) {
  reads([&] { check_merge(Store::open(file), file); });
}

void read_everything(const fs::path& file) {
  reads([&] {
    const Store store = Store::open(file);
    std::vector<RunSummary> all;
    reads([&] { all = runs(store); });
    reads([&] { baselines(store); });
    reads([&] { series_runs(store); });
    reads([&] { case_names(store); });
    reads([&] { prunable(store, "2030-01-01T00:00:00Z"); });
    for (const RunSummary& summary : all) {
      const std::string& id = summary.run.id;
      reads([&] { stored_run(store, summary); });
      reads([&] { roofs(store, id); });
      reads([&] {
        std::vector<StoredMeasurement> all = measurements(store, id, Samples::read);
        read_sites(store, all);
      });
      reads([&] { timings(store, id); });
      std::vector<std::int64_t> measured;
      reads([&] {
        series_times(store, id, [&](const SeriesTime& time) { measured.push_back(time.id); });
      });
      reads([&] {
        series_samples(store, summary.device.kind, measured,
                       [](std::int64_t, const std::vector<double>&) {});
      });
      reads([&] { series_counts(store, id, [](const SeriesCount&) {}); });
    }
    reads([&] {
      for (const GateSummary& summary : gates(store)) {
        reads([&] { pairs(store, summary.gate.id); });
        reads([&] { verdicts(store, summary.gate.id); });
      }
    });
  });
}

}  // namespace ridgeline::fuzzing
