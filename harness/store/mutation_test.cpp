#include <chrono>
#include <random>

#include <SQLiteCpp/SQLiteCpp.h>
#include <gtest/gtest.h>
#include <sqlite3.h>

#include "harness/store/baselines.hpp"
#include "harness/store/files_fixture.hpp"
#include "harness/store/merge.hpp"
#include "harness/store/prune.hpp"
#include "harness/store/read_gates.hpp"
#include "harness/store/read_runs.hpp"
#include "harness/store/series.hpp"
#include "harness/store/write_gate.hpp"

/// Whatever is changed in a file: what reads it ends, and says a store Error or nothing.
namespace ridgeline::store {
namespace {

/// A file with something in every table.
void make_all(const fs::path& file) {
  Store store = Store::create(file);
  const record::Case info = examples::gemm_case();
  const record::Gate gate = examples::gate();
  std::vector<std::int64_t> sides;
  begin(store, gate, examples::side(gate, gate.baseline_run),
        examples::side(gate, gate.candidate_run), examples::device(), examples::environment());
  for (const std::string& id : {gate.baseline_run, gate.candidate_run})
    sides.push_back(
        add(store, add(store, examples::process(0, id)), info, examples::measurement(info)));
  add(store, gate.id, examples::pair(info), sides[0], sides[1]);
  add(store, gate.id, examples::pass(info));
  record::Run counting = examples::run();
  counting.device_uuid = examples::counting_device().uuid;
  begin(store, counting, examples::counting_device(), examples::environment());
  add(store, add(store, examples::process()), info, examples::counted(info));
  add(store, examples::run().id, {"dram.copy", 1e12, "B/s", "measured"});
  set_baseline(store, {"main", examples::run().id, "2026-11-20T13:00:00Z"});
}

/// Runs `read`; returns whether it came to its end. Anything but a store Error fails the test.
bool reads(const std::function<void()>& read) {
  try {
    read();
    return true;
  } catch (const Error& error) {
    EXPECT_EQ(error.kind(), ErrorKind::store) << error.what();
  } catch (const std::exception& other) {
    ADD_FAILURE() << other.what();
  }
  return false;
}

/// All that any command reads; returns how much of it could be.
int read_all_of(const fs::path& file) {
  int read = 0;
  const auto ends = [&](const std::function<void()>& part) { read += reads(part) ? 1 : 0; };
  std::vector<RunSummary> runs;
  ends([&] { runs = store::runs(Store::open(file)); });
  ends([&] {
    const Store store = Store::open(file);
    Store target = Store::in_memory();
    read += store::merge(target, store).refused.empty() ? 1 : 0;
  });
  ends([&] {
    const Store store = Store::open(file);
    ends([&] { store::baselines(store); });
    ends([&] { store::series_runs(store); });
    ends([&] { store::case_names(store); });
    ends([&] { store::prunable(store, "2030-01-01T00:00:00Z"); });
    for (const RunSummary& summary : runs) {
      const std::string& id = summary.run.id;
      ends([&] { store::stored_run(store, summary); });
      ends([&] { store::roofs(store, id); });
      ends([&] { store::timings(store, id); });
      ends([&] { store::series_times(store, id, [](const SeriesTime&) {}); });
      ends([&] { store::series_counts(store, id, [](const SeriesCount&) {}); });
      ends([&] {
        auto measurements = store::measurements(store, id, Samples::read);
        store::read_sites(store, measurements);
      });
    }
    ends([&] {
      for (const GateSummary& summary : store::gates(store)) {
        ends([&] { store::pairs(store, summary.gate.id); });
        ends([&] { store::verdicts(store, summary.gate.id); });
      }
    });
  });
  return read;
}

class Mutations : public Files {
 protected:
  Mutations() {
    make_all(file);
    original = read_text(file);
  }

  std::string original;
  std::mt19937 random{1};
};

TEST_F(Mutations, FlippedBitsEndNothing) {
  const int whole = read_all_of(file);
  int harmless = 0, refused = 0;
  for (int i = 0; i < 300; ++i) {
    std::string bytes = original;
    // Most of a small file is empty: the header and the beginning of each page say the most.
    for (int flips = 1 + i % 3; flips > 0; --flips) {
      const std::size_t page = random() % (bytes.size() / 4096),
                        at = i % 2 == 0 ? random() % 4096 : random() % 64;
      bytes[page * 4096 + at] ^= static_cast<char>(1 << random() % 8);
    }
    write_text(file, bytes);
    const auto before = std::chrono::steady_clock::now();
    ++(read_all_of(file) == whole ? harmless : refused);
    EXPECT_LT(std::chrono::steady_clock::now() - before, std::chrono::seconds(20)) << i;
  }
  EXPECT_GT(harmless, 20);
  EXPECT_GT(refused, 50);
}

TEST_F(Mutations, EveryColumnOfEveryTableMayHoldAnything) {
  const int whole = read_all_of(file);
  std::vector<std::string> edits;
  {
    SQLite::Database database(file.string(), SQLite::OPEN_READONLY);
    SQLite::Statement columns(
        database,
        "SELECT t.name, c.name, c.type FROM sqlite_schema t, pragma_table_info(t.name) c "
        "WHERE t.type = 'table'");
    while (columns.executeStep()) {
      const std::string table = columns.getColumn(0), column = columns.getColumn(1),
                        type = columns.getColumn(2);
      const std::vector<const char*> values =
          type == "TEXT" ? std::vector<const char*>{"''", "CAST(x'ff00' AS TEXT)", "'{\"a\": []}'"}
          : type == "BLOB" ? std::vector<const char*>{"x''", "zeroblob(8000)"}
          : type == "REAL" ? std::vector<const char*>{"1e308", "2e-308", "-1.0", "9e999", "0.0"}
                           : std::vector<const char*>{"-1", "9223372036854775807", "99", "0"};
      for (const char* value : values)
        edits.push_back("UPDATE OR IGNORE \"" + table + "\" SET \"" + column + "\" = " + value);
      edits.push_back("UPDATE OR IGNORE \"" + table + "\" SET \"" + column + "\" = NULL");
      edits.push_back("DELETE FROM \"" + table + "\"");
    }
  }
  int refused = 0;
  for (const std::string& edit : edits) {
    write_text(file, original);
    {
      SQLite::Database database(file.string(), SQLite::OPEN_READWRITE);
      database.exec("PRAGMA ignore_check_constraints = ON; PRAGMA foreign_keys = OFF");
      if (database.tryExec(edit) != SQLITE_OK) continue;
    }
    const auto before = std::chrono::steady_clock::now();
    refused += read_all_of(file) == whole ? 0 : 1;
    EXPECT_LT(std::chrono::steady_clock::now() - before, std::chrono::seconds(20)) << edit;
  }
  EXPECT_GT(refused, 200);
}

}  // namespace
}  // namespace ridgeline::store
