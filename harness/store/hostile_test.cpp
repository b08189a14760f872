#include <cstring>
#include <vector>

#include <fmt/core.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include "harness/base/text.hpp"
#include "harness/store/beside.hpp"
#include "harness/store/connection.hpp"
#include "harness/store/files_fixture.hpp"
#include "harness/store/read_gates.hpp"
#include "harness/store/read_runs.hpp"
#include "harness/store/series.hpp"
#include "harness/store/store.hpp"
#include "harness/store/write_gate.hpp"

/// Results that somebody else has made, in order to do harm.
namespace ridgeline::store {
namespace hostile_test {

const std::pair<const char*, Store (*)(const fs::path&)> openings[] = {{"open", &Store::open},
                                                                       {"create", &Store::create}};

std::uint32_t big_endian(const std::string& bytes, std::size_t at) {
  std::uint32_t number = 0;
  for (std::size_t i = 0; i < 4; ++i)
    number = number << 8 | static_cast<unsigned char>(bytes.at(at + i));
  return number;
}

std::string big_endian(std::uint32_t number) {
  std::string bytes;
  for (int shift = 24; shift >= 0; shift -= 8) bytes += static_cast<char>(number >> shift);
  return bytes;
}

void set_big_endian(std::string& bytes, std::size_t at, std::uint32_t number) {
  bytes.replace(at, 4, big_endian(number));
}

/// A journal of nothing that names `victim` as the super-journal it belongs to. SQLite's file
/// format, section "The Rollback Journal": once it is played back, its super-journal is deleted.
std::string journal_that_names(const fs::path& victim) {
  const std::string magic("\xd9\xd5\x05\xf9\x20\xa1\x63\xd7", 8), name = victim.string();
  std::uint32_t sum = 0;
  for (const char c : name) sum += static_cast<unsigned char>(c);
  std::string bytes = magic;
  for (const std::uint32_t number : {0u, 1u, 1u, 512u, 4096u}) bytes += big_endian(number);
  bytes.resize(512);
  return bytes + big_endian(0x40000000 / 4096 + 1) + name +
         big_endian(static_cast<std::uint32_t>(name.size())) + big_endian(sum) + magic;
}

class Hostile : public Files {
 protected:
  Hostile() {
    make_results(file);
    write_text(victim, "precious");
  }

  fs::path victim = folder / "precious.txt";
};

TEST_F(Hostile, AJournalIsNeverPlayedBack) {
  const fs::path journal = beside(file, "-journal");
  const std::string before = read_text(file);
  for (const auto& [how, open] : openings) {
    write_text(journal, journal_that_names(victim));
    const std::string what = refusal([&, open = open] { open(file); });
    EXPECT_NE(what.find("synthetic-gpu.sqlite-journal lies beside it"), std::string::npos) << what;
    EXPECT_EQ(read_text(victim), "precious") << how;
    EXPECT_TRUE(fs::exists(journal)) << how;
    EXPECT_EQ(read_text(file), before) << how;
  }
}

TEST_F(Hostile, AJournalThatComesAfterTheCheckIsNotPlayedBackEither) {
  write_text(beside(file, "-journal"), journal_that_names(victim));
  {
    SQLite::Database database(file.string(), SQLite::OPEN_READWRITE, 0, without_journals());
    EXPECT_EQ(database.execAndGet("SELECT count(*) FROM run").getInt(), 1);
    database.exec("UPDATE run SET label = 'changed'");
  }
  EXPECT_EQ(read_text(victim), "precious");
  SQLite::Database(file.string(), SQLite::OPEN_READWRITE).tryExec("SELECT count(*) FROM run");
  EXPECT_FALSE(fs::exists(victim)) << "this test would notice";
}

TEST_F(Hostile, AnEmptyJournalIsNone) {
  for (const auto& [how, open] : openings) {
    write_text(beside(file, "-journal"), "");
    EXPECT_EQ(store::runs(open(file)).size(), 1u) << how;
  }
}

TEST_F(Hostile, ALogThatIsAnotherFileIsRefused) {
  for (const char* suffix : {"-wal", "-shm"})
    for (const auto& [how, open] : openings) {
      const fs::path log = beside(file, suffix);
      for (const bool hard : {true, false}) {
        fs::remove(log);
        if (hard)
          fs::create_hard_link(victim, log);
        else
          fs::create_symlink(victim, log);
        const std::string what = refusal([&, open = open] { open(file); });
        EXPECT_NE(what.find("synthetic-gpu.sqlite" + std::string(suffix) + " beside it is"),
                  std::string::npos)
            << what;
        EXPECT_EQ(read_text(victim), "precious") << how << suffix;
      }
      fs::remove(log);
    }
}

TEST_F(Hostile, AFileWithTwoNamesIsReadAndNotWritten) {
  fs::create_hard_link(file, folder / "other.sqlite");
  EXPECT_EQ(store::runs(Store::open(file)).size(), 1u);
  EXPECT_NE(refusal([&] { Store::create(file); }).find("hard links"), std::string::npos);
  write_text(beside(file, "-wal"), "not empty");
  EXPECT_NE(refusal([&] { Store::open(file); }).find("hard links"), std::string::npos);
}

TEST_F(Hostile, WhatIsNoRegularFileIsRefusedWithoutWaiting) {
  const fs::path pipe = folder / "pipe.sqlite";
  ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
  for (const auto& [how, open] : openings)
    EXPECT_NE(refusal([&, open = open] { open(pipe); }).find("not a regular file"),
              std::string::npos)
        << how;
}

/// The file of a writer that was killed: its log is still there.
fs::path killed(const TemporaryFolder& folder) {
  const fs::path alive = folder / "alive.sqlite", copy = folder / "killed.sqlite";
  const Store store = Store::create(alive);
  begin(store, examples::run(), examples::device(), examples::environment());
  fs::copy(alive, copy);
  fs::copy(beside(alive, "-wal"), beside(copy, "-wal"));
  return copy;
}

/// Makes the checksums of a log right again. SQLite's file format, section "The Checksum
/// Algorithm": of the first 24 bytes, and on from there over each frame.
void sum_up(std::string& log) {
  const bool big = (big_endian(log, 0) & 1) != 0;
  std::uint32_t a = 0, b = 0;
  const auto add = [&](std::size_t from, std::size_t length) {
    for (std::size_t at = from; at < from + length; at += 8) {
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
  for (std::size_t frame = 32; frame + 24 + page <= log.size(); frame += 24 + page) {
    add(frame, 8);
    add(frame + 24, page);
    set_big_endian(log, frame + 16, a);
    set_big_endian(log, frame + 20, b);
  }
}

TEST_F(Hostile, ALogThatClaimsPagesThatAreNowhereIsRefusedAndKept) {
  const fs::path copy = killed(folder);
  std::string log = read_text(beside(copy, "-wal"));
  sum_up(log);
  ASSERT_EQ(log, read_text(beside(copy, "-wal"))) << "this test sums as SQLite does";
  const std::size_t last = log.size() - 4096 - 24;
  ASSERT_NE(big_endian(log, last + 4), 0u) << "the last frame commits";
  set_big_endian(log, last + 4, 0x7fffffff);
  std::size_t first_page = last;
  while (big_endian(log, first_page) != 1) first_page -= 4096 + 24;
  set_big_endian(log, first_page + 24 + 28, 0x7fffffff);
  sum_up(log);
  const std::string before = read_text(copy);
  for (const auto& [how, open] : openings) {
    write_text(beside(copy, "-wal"), log);
    const std::string what = refusal([&, open = open] { open(copy); });
    EXPECT_NE(what.find("it claims 8796093018112 bytes"), std::string::npos) << what;
    EXPECT_EQ(read_text(copy), before) << how;
    EXPECT_EQ(read_text(beside(copy, "-wal")), log) << how;
  }
}

TEST_F(Hostile, AnotherSchemaIsRefusedAndNamed) {
  const std::pair<const char*, const char*> table[] = {
      {"CREATE VIEW slow AS SELECT 1 AS id", "its view slow is not of ridgeline"},
      {"CREATE TABLE mine (x)", "its table mine is not of ridgeline"},
      {"CREATE INDEX mine ON run (label)", "its index mine is not of ridgeline"},
      {"CREATE TRIGGER mine AFTER INSERT ON run BEGIN DELETE FROM run; END",
       "its trigger mine is not of ridgeline"},
      {"ALTER TABLE run ADD COLUMN id2 TEXT AS (id)", "its table run is not as ridgeline made it"},
      {"DROP INDEX process_of_run", "its index process_of_run is missing"},
      {"DROP TRIGGER device_of_one_model", "its trigger device_of_one_model is missing"},
      {"DROP TABLE run; CREATE VIEW run AS WITH RECURSIVE n(id) AS (SELECT 1 UNION ALL SELECT id + "
       "1 FROM n) SELECT id FROM n",
       "its view run is not of ridgeline"},
      {"PRAGMA writable_schema = ON; UPDATE sqlite_schema SET sql = replace(sql, 'status = "
       "''running''', 'status = ''asleep''') WHERE name = 'run'",
       "its table run is not as ridgeline made it"},
  };
  for (const auto& [sql, object] : table) {
    fs::remove(file);
    make_results(file);
    SQLite::Database(file.string(), SQLite::OPEN_READWRITE).exec(sql);
    const std::string before = read_text(file);
    for (const auto& [how, open] : openings) {
      const std::string what = refusal([&, open = open] { open(file); });
      EXPECT_NE(what.find(object), std::string::npos) << how << ": " << what;
    }
    EXPECT_EQ(read_text(file), before) << sql;
  }
}

TEST_F(Hostile, WhatSqliteSaysOfAFileIsFitToBePrinted) {
  SQLite::Database(file.string(), SQLite::OPEN_READWRITE)
      .exec(
          "PRAGMA writable_schema = ON; UPDATE sqlite_schema SET sql = 'CREATE nothing', "
          "name = CAST(x'1b5b324aff' AS TEXT) WHERE name = 'metric'");
  for (const auto& [how, open] : openings) {
    const std::string what = refusal([&, open = open] { open(file); });
    EXPECT_NE(what.find("\\x1b[2J\\xff"), std::string::npos) << how << ": " << what;
    EXPECT_TRUE(is_utf8(what)) << how;
  }
}

TEST_F(Hostile, WhiteSpaceAndCommentsOfASchemaDoNotCount) {
  SQLite::Database(file.string(), SQLite::OPEN_READWRITE)
      .exec(
          "PRAGMA writable_schema = ON; UPDATE sqlite_schema SET sql = "
          "replace(sql, ' TEXT NOT NULL', '/* a */  TEXT\t\n NOT -- b\nNULL') WHERE name = 'run'");
  EXPECT_EQ(store::runs(Store::open(file)).size(), 1u);
}

/// Makes of the page a tree whose branches all lead to it: five levels of 300 make 2.4e12 rows.
void grow(std::string& database, std::uint32_t page) {
  constexpr std::size_t page_bytes = 4096, branches = 300;
  const auto pages = static_cast<std::uint32_t>(database.size() / page_bytes);
  database.append(database.substr((page - 1) * page_bytes, page_bytes));
  std::uint32_t child = pages + 1;
  for (int level = 0; level < 5; ++level) {
    std::string tree(page_bytes, '\0');
    tree[0] = 5;  // inside of a table's tree
    tree[3] = static_cast<char>(branches >> 8);
    tree[4] = static_cast<char>(branches & 255);
    const std::size_t cells = page_bytes - branches * 5;
    tree[5] = static_cast<char>(cells >> 8);
    tree[6] = static_cast<char>(cells & 255);
    set_big_endian(tree, 8, child);
    for (std::size_t i = 0; i < branches; ++i) {
      const std::size_t cell = cells + i * 5;
      tree[12 + 2 * i] = static_cast<char>(cell >> 8);
      tree[13 + 2 * i] = static_cast<char>(cell & 255);
      set_big_endian(tree, cell, child);
      tree[cell + 4] = 1;
    }
    if (level == 4) {
      database.replace((page - 1) * page_bytes, page_bytes, tree);
    } else {
      database.append(tree);
      child = static_cast<std::uint32_t>(database.size() / page_bytes);
    }
  }
  set_big_endian(database, 28, static_cast<std::uint32_t>(database.size() / page_bytes));
  database.replace(92, 4, database.substr(24, 4));  // so that the number of pages counts
}

TEST_F(Hostile, ATreeThatNeverEndsIsRefused) {
  std::uint32_t page = 0;
  {
    SQLite::Database database(file.string(), SQLite::OPEN_READWRITE);
    database.exec("PRAGMA wal_checkpoint(TRUNCATE)");
    page = database.execAndGet("SELECT rootpage FROM sqlite_schema WHERE name = 'run'").getUInt();
  }
  std::string bytes = read_text(file);
  grow(bytes, page);
  write_text(file, bytes);
  const std::string what = refusal([&] { store::runs(Store::open(file)); });
  EXPECT_NE(what.find("far more work"), std::string::npos) << what;
}

TEST_F(Hostile, NumbersThatNoneCanMeasureAreRefused) {
  const auto measurements = [&] {
    store::measurements(Store::open(file), examples::run().id, Samples::read);
  };
  const auto timings = [&] { store::timings(Store::open(file), examples::run().id); };
  const std::pair<const char*, const char*> table[] = {
      {"UPDATE measurement SET median_ns = 1e16", "1e+16 as median_ns"},
      {"UPDATE measurement SET median_ns = 2e-308", "2e-308 as median_ns"},
      {"UPDATE measurement SET flops = 1e300", "1e+300 as flops"},
      {"UPDATE measurement SET bytes = 1e-300", "1e-300 as bytes"},
      {"UPDATE measurement SET total_ns = 1e300", "1e+300 as total_ns"},
      {"UPDATE metric SET value = -1e308", "-1e+308 as value"},
      {"UPDATE metric SET value = 2e-308", "2e-308 as value"},
      {"UPDATE \"case\" SET flops = 1e300", "1e+300 as flops"},
      {"UPDATE measurement SET n = 1, samples = x'0000000000000010'", "among its samples"},
      {"UPDATE measurement SET n = 1, samples = x'ffffffffffffef7f'", "among its samples"},
  };
  for (const auto& [sql, what] : table) {
    fs::remove(file);
    make_results(file);
    change(file, sql);
    const std::string said = refusal(measurements);
    EXPECT_NE(said.find(what), std::string::npos) << sql << ": " << said;
  }
  for (const char* sql :
       {"UPDATE measurement SET median_ns = 1e16", "UPDATE measurement SET flops = 1e300",
        "UPDATE measurement SET bytes = 1e-300", "UPDATE measurement SET sm_clock_mhz = -1"}) {
    fs::remove(file);
    make_results(file);
    change(file, sql);
    EXPECT_NE(refusal(timings).find("measurement 1 of"), std::string::npos) << sql;
  }
}

/// What reads the times of a run, or of a gate of it, each in its own way.
struct Reader {
  const char* name;
  void (*read)(Connection& connection);
};

constexpr const char* run_id = "20261120T130000Z-9a7e00-candidate";  // of examples::gate()

constexpr Reader readers[] = {
    {"measurements", [](Connection& file) { store::measurements(file, run_id, Samples::read); }},
    {"without samples",
     [](Connection& file) { store::measurements(file, run_id, Samples::leave_out); }},
    {"timings", [](Connection& file) { store::timings(file, run_id); }},
    {"series",
     [](Connection& file) { store::series_times(file, run_id, [](const SeriesTime&) {}); }},
    {"pairs", [](Connection& file) { store::pairs(file, examples::gate().id); }},
};

/// A file with a gate of one pair, closed again. Its candidate is measurement 2.
void make_gate(const fs::path& file) {
  const record::Gate gate = examples::gate();
  const record::Case info = examples::gemm_case();
  Store store = Store::create(file);
  begin(store, gate, examples::side(gate, gate.baseline_run),
        examples::side(gate, gate.candidate_run), examples::device(), examples::environment());
  const auto measure = [&](const std::string& run) {
    return add(store, add(store, examples::process(0, run)), info, examples::measurement(info));
  };
  const std::int64_t baseline = measure(gate.baseline_run), candidate = measure(gate.candidate_run);
  add(store, gate.id, examples::pair(info), baseline, candidate);
}

TEST_F(Hostile, AMeasurementThatBreaksARuleIsRefusedByWhateverReadsIt) {
  constexpr int everyone = 5, with_all_columns = 2;
  const struct {
    const char* change;  // of measurement 2
    const char* rule;
    int readers;  // that see it, the first so many
  } table[] = {
      {"error = 5, tolerance = 1", "says outcome ok although its verification failed", everyone},
      {"error = NULL", "says outcome ok although its verification failed", everyone},
      {"error = NULL, tolerance = NULL, checked = NULL", "without a verification", everyone},
      {"error = NULL, tolerance = NULL", "has checked without tolerance", with_all_columns},
      {"tolerance = NULL, checked = NULL", "has error without tolerance", everyone},
      {"reason = 'it failed'", "must give a reason exactly when", everyone},
      {"outcome = 'unstable'", "must give a reason exactly when", everyone},
      {"outcome = 'crashed', reason = 'gone'", "says outcome crashed with samples", everyone},
      {"n = -5", "says that it has -5 samples", everyone},
      {"n = 0", "says outcome ok without samples", everyone},
      {"n = 1000000000000", "says that it has 1000000000000 samples", everyone},
      {"n = 1000000000000, samples = NULL, pruned = '2027-03-01T00:00:00Z'",
       "says that it has 1000000000000 samples", everyone},
      {"n = 4", "24 bytes of samples where it says 4 samples", everyone},
      {"samples = x'0102'", "2 bytes", everyone},
      {"samples = NULL", "0 bytes of samples where it says 3 samples", everyone},
      {"pruned = '2027-03-01T00:00:00Z'", "24 bytes of samples where it says 0 samples", everyone},
      {"samples = x'000000000000f87f0000000000805b400000000000805b40'", "nan", with_all_columns},
      {"samples = x'000000000000f07f0000000000805b400000000000805b40'", "inf", with_all_columns},
      {"samples = x'000000000000f0bf0000000000805b400000000000805b40'", "-1", with_all_columns},
      {"median_ns = 5", "5 as median_ns, which is not the median of its samples", with_all_columns},
      {"median_ns = NULL", "median_ns exactly when it holds samples", everyone},
      {"settled = 7", "7 as settled, which is neither 0 nor 1", with_all_columns},
      {"settled = -9223372036854775808", "as settled, which is neither 0 nor 1", with_all_columns},
      {"throttled_by_hardware = 1, throttle = 'hw_slowdown'",
       "says outcome ok although the hardware throttled while the case was timed (hw_slowdown)",
       everyone},
      {"other_processes = 3", "says outcome ok although 3 other processes used the device",
       everyone},
  };
  for (const auto& row : table) {
    fs::remove(file);
    make_gate(file);
    change(file, fmt::format("UPDATE measurement SET {} WHERE id = 2", row.change).c_str());
    const Store store = Store::open(file);
    for (int i = 0; i < row.readers; ++i) {
      const std::string said = refusal([&] { readers[i].read(store); });
      EXPECT_NE(said.find(row.rule), std::string::npos)
          << readers[i].name << ": " << row.change << ": " << said;
      EXPECT_TRUE(said.starts_with("measurement 2 of " + file.string())) << said;
    }
  }
}

TEST_F(Hostile, AnEmulatedDeviceHasNoTimes) {
  fs::remove(file);
  make_gate(file);
  for (const Reader& reader : readers) EXPECT_NO_THROW(reader.read(Store::open(file)));
  change(file, "UPDATE device SET kind = 'emulated'");
  for (const Reader& reader : readers)
    EXPECT_NE(refusal([&] { reader.read(Store::open(file)); }).find("times of an emulated device"),
              std::string::npos)
        << reader.name;
}

TEST_F(Hostile, AMetricThatCannotBeIsRefused) {
  const std::pair<const char*, const char*> table[] = {
      {"name = 'energy', unit = 'J', value = 0", "says energy 0 'J': it is in J and above 0"},
      {"name = 'allocated_bytes', unit = 'B', value = -1",
       "says allocated_bytes -1 'B': it is in B and not below 0"},
      {"name = 'allocated_bytes', unit = 'J', value = 1", "says allocated_bytes 1 'J'"},
  };
  for (const auto& [changed, what] : table) {
    fs::remove(file);
    make_gate(file);
    change(file, fmt::format("UPDATE metric SET {} WHERE measurement_id = 2", changed).c_str());
    const std::string said = refusal([&] { readers[0].read(Store::open(file)); });
    EXPECT_TRUE(said.starts_with("metric of measurement 2 of " + file.string())) << said;
    EXPECT_NE(said.find(what), std::string::npos) << said;
  }
}

TEST_F(Hostile, SamplesThatAreNoListOfNumbersAreCalledSo) {
  // Eight characters, which no STRICT table takes in.
  change(
      file,
      "PRAGMA writable_schema = ON; UPDATE sqlite_schema SET sql = replace(sql, 'samples         "
      "      BLOB', 'samples               TEXT') WHERE name = 'measurement'");
  change(file, "UPDATE measurement SET n = 1, samples = 'abcdefgh'");
  change(
      file,
      "PRAGMA writable_schema = ON; UPDATE sqlite_schema SET sql = replace(sql, 'samples         "
      "      TEXT', 'samples               BLOB') WHERE name = 'measurement'");
  const std::string said =
      refusal([&] { store::measurements(Store::open(file), examples::run().id, Samples::read); });
  EXPECT_NE(said.find("has no list of numbers as samples"), std::string::npos) << said;
}

TEST_F(Hostile, ARowFarLargerThanOursIsCalledSo) {
  change(file, "UPDATE measurement SET n = 12500000, samples = zeroblob(100000000)");
  const std::string said =
      refusal([&] { store::measurements(Store::open(file), examples::run().id, Samples::read); });
  EXPECT_NE(said.find("far larger than any that ridgeline stores"), std::string::npos) << said;
  EXPECT_NE(refusal([&] {
              store::timings(Store::open(file), examples::run().id);
            }).find("says that it has 12500000 samples"),
            std::string::npos);
}

TEST_F(Hostile, AProcessThatIsGoneIsNamedBeforeAnotherTakesItsPlace) {
  change(file, "DELETE FROM process");
  Store store = Store::create(file);
  const std::string said = refusal([&] { add(store, examples::process()); });
  EXPECT_TRUE(said.starts_with("measurement 1 of " + file.string())) << said;
  EXPECT_NE(said.find("a process that does not exist"), std::string::npos) << said;
}

TEST_F(Hostile, WhatCouldNotBeReadBackIsNotStored) {
  Store store = Store::create(file);
  const record::Case info = examples::gemm_case();
  const std::int64_t process = add(store, examples::process(1));
  for (const double time : {1e-9, 1e16, 1e308})
    EXPECT_NE(refusal([&] {
                add(store, process, info, examples::measurement(info, {time, time, time}));
              }).find("cannot store"),
              std::string::npos)
        << time;
  const std::pair<const char*, void (*)(record::Measurement&)> rules[] = {
      {"although 1 other process used", [](auto& m) { m.telemetry.other_processes = 1; }},
      {"exactly when its outcome is neither",
       [](auto& m) { m.outcome = record::Outcome::unstable; }},
  };
  for (const auto& [rule, spoil] : rules) {
    record::Measurement broken = examples::measurement(info);
    spoil(broken);
    const std::string said = refusal([&] { add(store, process, info, broken); });
    EXPECT_NE(said.find(rule), std::string::npos) << said;
    EXPECT_NE(said.find(broken.case_name), std::string::npos) << said;
  }
  record::Measurement unverified = examples::measurement(info);
  unverified.outcome = record::Outcome::unverified;
  unverified.reason = "without an oracle";
  unverified.verification.reset();
  unverified.telemetry.other_processes = 1;
  add(store, process, info, unverified);
  EXPECT_EQ(store::measurements(store, examples::run().id, Samples::read).size(), 2u);
  record::Measurement much = examples::measurement(info);
  much.flops = 1e300;
  EXPECT_NE(refusal([&] { add(store, process, info, much); }).find("cannot store 1e+300 as flops"),
            std::string::npos);
}

TEST_F(Hostile, WhatCannotBeCreatedLeavesNothing) {
  const fs::path place = folder / "a" / "b";
  // Its log's name would be too long.
  const fs::path file = place / (std::string(246, 'x') + ".sqlite");
  EXPECT_NE(refusal([&] { Store::create(file); }).find("cannot open"), std::string::npos);
  EXPECT_FALSE(fs::exists(folder / "a"));
  fs::create_directories(place);
  EXPECT_NE(refusal([&] { Store::create(file); }).find("cannot open"), std::string::npos);
  EXPECT_TRUE(fs::is_empty(place));
}

}  // namespace hostile_test
}  // namespace ridgeline::store
