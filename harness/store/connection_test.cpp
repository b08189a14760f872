#include "harness/store/connection.hpp"

#include <fstream>
#include <functional>
#include <thread>

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include "harness/store/beside.hpp"
#include "harness/store/examples.hpp"
#include "harness/store/files_fixture.hpp"
#include "harness/store/integrity_fixture.hpp"
#include "harness/store/read_gates.hpp"
#include "harness/store/read_runs.hpp"
#include "harness/store/temporary_folder.hpp"
#include "harness/store/write_gate.hpp"

namespace ridgeline::store {
namespace connection_test {

namespace fs = std::filesystem;

/// Runs `body` in a child that has no right to write what it does not own, and returns what it
/// printed.
std::string as_nobody(const std::function<std::string()>& body) {
  int ends[2];
  EXPECT_EQ(pipe(ends), 0);
  const pid_t child = fork();
  if (child == 0) {
    std::string text = "cannot drop privileges";
    if (getuid() != 0 || setuid(65534) == 0) {
      try {
        text = body();
      } catch (const std::exception& error) {
        text = error.what();
      }
    }
    if (write(ends[1], text.data(), text.size()) < 0) _exit(1);
    _exit(0);
  }
  close(ends[1]);
  std::string text;
  char buffer[1000];
  for (ssize_t n; (n = read(ends[0], buffer, sizeof buffer)) > 0;)
    text.append(buffer, static_cast<std::size_t>(n));
  close(ends[0]);
  waitpid(child, nullptr, 0);
  return text;
}

std::string count_measurements(const fs::path& file) {
  return std::to_string(
      store::measurements(Store::open(file), examples::run().id, Samples::read).size());
}

TEST_F(Files, WritingCreatesFileAndFolderAndReadingDoesNot) {
  EXPECT_NE(refusal([&] { Store::open(file); }).find("no such file"), std::string::npos);
  EXPECT_FALSE(fs::exists(file));
  make_results(folder / "a/b/synthetic-gpu.sqlite");
  EXPECT_EQ(count_measurements(folder / "a/b/synthetic-gpu.sqlite"), "1");
}

TEST_F(Files, AtRestAFileStandsAlone) {
  make_results(file);
  EXPECT_FALSE(fs::exists(file.string() + "-wal"));
  const std::string header = read_text(file).substr(0, 100);
  EXPECT_EQ(header.substr(68, 4), "RDGL");
}

TEST_F(Files, WhatIsNoDatabaseIsRefusedAndLeftAlone) {
  const std::string garbage(5000, 'x');
  write_text(file, garbage);
  for (const auto& open : {&Store::open, &Store::create})
    EXPECT_NE(refusal([&] { open(file); }).find("it is not a database"), std::string::npos);
  EXPECT_EQ(read_text(file), garbage);
}

TEST_F(Files, ADatabaseOfAnotherProgramIsRefusedAndLeftAlone) {
  for (const char* sql :
       {"CREATE TABLE t (x)", "PRAGMA application_id = 7", "PRAGMA user_version = 3"}) {
    fs::remove(file);
    SQLite::Database(file.string(), SQLite::OPEN_READWRITE | SQLite::OPEN_CREATE).exec(sql);
    const std::string before = read_text(file);
    for (const auto& open : {&Store::open, &Store::create})
      EXPECT_NE(refusal([&] { open(file); }).find("of another program"), std::string::npos) << sql;
    EXPECT_EQ(read_text(file), before);
  }
}

TEST_F(Files, ANewerSchemaIsRefusedByBothVersions) {
  make_results(file);
  SQLite::Database(file.string(), SQLite::OPEN_READWRITE).exec("PRAGMA user_version = 99");
  for (const auto& open : {&Store::open, &Store::create}) {
    const std::string what = refusal([&] { open(file); });
    const std::string newest = std::to_string(migrations().size());
    EXPECT_NE(what.find("has schema 99, this ridgeline knows schemas up to " + newest),
              std::string::npos)
        << what;
  }
}

TEST_F(Files, ATruncatedFileIsRefusedOrReported) {
  make_results(file);
  const std::string whole = read_text(file);
  for (const std::size_t size :
       {whole.size() / 2, whole.size() - 4096, std::size_t{4096}, std::size_t{50}}) {
    write_text(file, whole.substr(0, size));
    const std::string what = refusal([&] {
      Store store = Store::open(file);
      store::check_integrity(store);
    });
    EXPECT_NE(what.find(file.string()), std::string::npos) << what;
    EXPECT_EQ(read_text(file).size(), size);
  }
}

TEST_F(Files, DamageInsideIsReported) {
  make_results(file);
  std::string bytes = read_text(file);
  for (std::size_t i = 4096; i < bytes.size(); i += 64) bytes[i] = static_cast<char>(~bytes[i]);
  write_text(file, bytes);
  EXPECT_NE(refusal([&] { store::check_integrity(Store::open(file)); }).find("damaged"),
            std::string::npos);
}

TEST_F(Files, AnEmptyFileIsNewForWritingAndHasNoRunsForReading) {
  write_text(file, "");
  EXPECT_TRUE(runs(Store::open(file)).empty());
  EXPECT_EQ(fs::file_size(file), 0u) << "reading leaves it as it is";
  make_results(file);
  EXPECT_EQ(count_measurements(file), "1");
}

TEST_F(Files, AFolderThatCannotBeIsNamed) {
  write_text(folder / "file", "x");
  EXPECT_NE(
      refusal([&] { Store::create(folder / "file/results.sqlite"); }).find("cannot create folder"),
      std::string::npos);
  EXPECT_NE(refusal([&] { Store::create(folder.path()); }).find("cannot open"), std::string::npos);
}

TEST_F(Files, OddNamesAreOrdinaryFiles) {
  for (const char* name : {":memory:", "file:a?mode=memory", "100% #1?.sqlite"}) {
    make_results(folder / name);
    EXPECT_TRUE(fs::is_regular_file(folder / name)) << name;
  }
}

TEST_F(Files, AReadOnlyFolderCanBeReadAndNotWritten) {
  const fs::path odd = make_results(folder / "50% #1?.sqlite");
  make_results(file);
  fs::permissions(folder.path(), fs::perms(0555));
  EXPECT_EQ(as_nobody([&] { return count_measurements(file); }), "1");
  EXPECT_EQ(as_nobody([&] { return count_measurements(odd); }), "1");
  const std::string writing = as_nobody([&]() -> std::string {
    Store::create(file);
    return "written";
  });
  EXPECT_NE(writing.find("cannot open " + file.string()), std::string::npos) << writing;
  EXPECT_NE(writing.find("read-only"), std::string::npos) << writing;
  const std::string creating = as_nobody([&]() -> std::string {
    Store::create(folder / "new.sqlite");
    return "written";
  });
  EXPECT_NE(creating.find("cannot open"), std::string::npos) << creating;
  fs::permissions(folder.path(), fs::perms(0755));
}

TEST_F(Files, CommitsLeftInALogAreNeverIgnored) {
  {
    // The log of a writer that was killed: copied while the writer lives, because closing would
    // empty it.
    Store store = Store::create(file);
    begin(store, examples::run(), examples::device(), examples::environment());
    add(store, add(store, examples::process()), examples::gemm_case(),
        examples::measurement(examples::gemm_case()));
    fs::create_directory(folder / "killed");
    fs::copy(file, folder / "killed/x.sqlite");
    fs::copy(file.string() + "-wal", folder / "killed/x.sqlite-wal");
  }
  fs::permissions(folder.path(), fs::perms(0755));
  fs::permissions(folder / "killed", fs::perms(0555));
  const std::string what =
      as_nobody([&] { return count_measurements(folder / "killed/x.sqlite"); });
  EXPECT_NE(what.find("its last results are still in"), std::string::npos) << what;
  fs::permissions(folder / "killed", fs::perms(0755));
  EXPECT_EQ(count_measurements(folder / "killed/x.sqlite"), "1");
}

TEST_F(Files, RowsThatNoRidgelineWroteAreNamed) {
  const std::pair<const char*, const char*> table[] = {
      {"UPDATE measurement SET outcome = 'great'", "measurement 1 of"},
      {"UPDATE measurement SET outcome = 'crashed'", "measurement 1 of"},
      {"UPDATE measurement SET samples = x'0102'", "2 bytes"},
      {"UPDATE measurement SET samples = x'000000000000f87f000000000000f03f000000000000f03f'",
       "nan"},
      {"UPDATE measurement SET samples = x'000000000000f0bf000000000000f03f000000000000f03f'",
       "-1"},
      {"UPDATE measurement SET samples = NULL", "0 bytes of samples where it says 3 samples"},
      {"UPDATE measurement SET n = 4", "24 bytes of samples where it says 4 samples"},
      {"UPDATE measurement SET median_ns = NULL", "median_ns exactly when it holds samples"},
      {"UPDATE measurement SET median_ns = 9e999", "no number as median_ns"},
      {"UPDATE measurement SET attempt = -3", "-3 as attempt"},
      {"UPDATE measurement SET case_id = 99", "a case that does not exist"},
      {"UPDATE measurement SET reason = CAST(x'ff' AS TEXT)", "broken text as reason"},
      {"UPDATE \"case\" SET problem = '[1]'", "case 1 of"},
      {"UPDATE \"case\" SET problem = '{'", "no JSON array as problem"},
      {"UPDATE \"case\" SET variant = 'tiled'", "a name that its fields do not make"},
      {"UPDATE metric SET direction = 'sideways'", "metric of measurement 1 of"},
  };
  for (const auto& [sql, what] : table) {
    fs::remove(file);
    make_results(file);
    SQLite::Database database(file.string(), SQLite::OPEN_READWRITE);
    database.exec("PRAGMA ignore_check_constraints = ON");
    EXPECT_GT(database.exec(sql), 0) << sql;
    const std::string refused =
        refusal([&] { store::measurements(Store::open(file), examples::run().id, Samples::read); });
    EXPECT_NE(refused.find(what), std::string::npos) << sql << ": " << refused;
    EXPECT_NE(refused.find(file.string()), std::string::npos) << refused;
  }
}

TEST_F(Files, CountsThatNoRidgelineWroteAreNamed) {
  const auto sites = [&] { store::sites(Store::open(file), 1); };
  const auto sources = [&] { store::sources(Store::open(file), 1); };
  const std::tuple<const char*, std::function<void()>, const char*> table[] = {
      {"UPDATE site SET requests = -1", sites, "site of measurement 1 of"},
      {"UPDATE site SET line = -1", sites, "-1 as line"},
      {"UPDATE site SET kernel = CAST(x'ff' AS TEXT)", sites, "broken text as kernel"},
      {"UPDATE source SET text = CAST(x'ff' AS TEXT)", sources, "source 1 of"},
  };
  for (const auto& [sql, read, what] : table) {
    fs::remove(file);
    {
      Store store = Store::create(file);
      begin(store, examples::run(), examples::device(), examples::environment());
      add(store, add(store, examples::process()), examples::gemm_case(),
          examples::counted(examples::gemm_case()));
    }
    EXPECT_NO_THROW(read());
    {
      SQLite::Database database(file.string(), SQLite::OPEN_READWRITE);
      database.exec("PRAGMA ignore_check_constraints = ON");
      EXPECT_GT(database.exec(sql), 0) << sql;
    }
    const std::string refused = refusal(read);
    EXPECT_NE(refused.find(what), std::string::npos) << sql << ": " << refused;
  }
}

TEST_F(Files, RunsThatNoRidgelineWroteAreNamed) {
  for (const char* sql : {"UPDATE run SET started = '2026-02-30T00:00:00Z'",
                          "UPDATE run SET finished = '9999-99-99T99:99:99Z'",
                          "UPDATE run SET label = replace(hex(zeroblob(2100000)), '00', 'ab')",
                          "UPDATE run SET status = 'asleep'", "UPDATE device SET comparable = '[]'",
                          "UPDATE device SET comparable = '{\"a\": 1}'",
                          "UPDATE measurement SET outcome = 'great'"}) {
    fs::remove(file);
    make_results(file);
    SQLite::Database database(file.string(), SQLite::OPEN_READWRITE);
    database.exec("PRAGMA ignore_check_constraints = ON");
    database.exec(sql);
    const std::string refused = refusal([&] { store::runs(Store::open(file)); });
    EXPECT_NE(refused.find("run " + examples::run().id), std::string::npos) << refused;
  }
}

TEST_F(Files, AFileThatIsMovedDeletedOrReplacedMeanwhileIsWrittenToNoMore) {
  const std::function<void()> acts[] = {[&] { fs::rename(file, folder / "elsewhere"); },
                                        [&] { fs::remove(file); },
                                        [&] {
                                          fs::copy_file(file, folder / "copy");
                                          fs::rename(folder / "copy", file);
                                        }};
  for (const auto& act : acts) {
    for (const auto& entry : fs::directory_iterator(folder.path())) fs::remove_all(entry);
    Store store = Store::create(file);
    begin(store, examples::run(), examples::device(), examples::environment());
    act();
    const std::string refused = refusal([&] { add(store, examples::process()); });
    EXPECT_NE(refused.find("was moved, replaced or deleted while it was written to"),
              std::string::npos)
        << refused;
  }
}

TEST_F(Files, WhatWasStoredGoesWithAFileThatIsMovedMeanwhile) {
  fs::remove(file);
  std::optional<Store> store = Store::create(file);
  begin(*store, examples::run(), examples::device(), examples::environment());
  const fs::path elsewhere = folder / "elsewhere.sqlite";
  fs::rename(file, elsewhere);
  refusal([&] { add(*store, examples::process()); });
  store.reset();
  for (const char* beside : {"-wal", "-shm"}) fs::remove(file.string() + beside);
  EXPECT_EQ(store::runs(Store::open(elsewhere)).size(), 1u);
}

TEST_F(Files, AnIdThatNoRidgelineWroteIsNamed) {
  for (const std::string& id : {std::string("a\x08z"), std::string(), std::string(101, 'a')}) {
    fs::remove(file);
    make_results(file);
    SQLite::Database database(file.string(), SQLite::OPEN_READWRITE);
    database.exec("PRAGMA ignore_check_constraints = ON");
    SQLite::Statement change(database, "UPDATE run SET id = ?");
    change.bind(1, id);
    change.exec();
    const std::string refused = refusal([&] { store::runs(Store::open(file)); });
    EXPECT_NE(refused.find("as id, which is no id"), std::string::npos) << refused;
  }
}

/// A file with a gate, one pair and a verdict, closed again.
fs::path make_gate(const fs::path& file) {
  Store store = Store::create(file);
  const record::Gate gate = examples::gate();
  const record::Case info = examples::gemm_case();
  std::vector<std::int64_t> sides;
  for (const std::string& id : {gate.baseline_run, gate.candidate_run}) {
    begin(store, examples::side(gate, id), examples::device(), examples::environment());
    sides.push_back(
        add(store, add(store, examples::process(0, id)), info, examples::measurement(info)));
  }
  begin(store, gate);
  add(store, gate.id, examples::pair(info), sides[0], sides[1]);
  add(store, gate.id, examples::pass(info));
  return file;
}

TEST_F(Files, RowsOfGatesThatNoRidgelineWroteAreNamed) {
  const std::string id = examples::gate().id, name = record::name(examples::gemm_case().id);
  const auto gates = [&] { store::gates(Store::open(file)); };
  const auto pairs = [&] { store::pairs(Store::open(file), id); };
  const auto verdicts = [&] { store::verdicts(Store::open(file), id); };
  const std::string gate = "gate " + id + " of ", pair = "pair 1 of ",
                    verdict = "verdict on " + name + " of ";
  const std::tuple<const char*, std::function<void()>, std::string, const char*> table[] = {
      {"UPDATE gate SET mode = 'guess'", gates, gate, "'guess' as mode"},
      {"UPDATE gate SET status = 'asleep'", gates, gate, "'asleep' as status"},
      {"UPDATE gate SET cases = -1", gates, gate, "-1 as cases"},
      {"UPDATE gate SET alpha = 9e999", gates, gate, "no number as alpha"},
      {"UPDATE gate SET candidate = CAST(x'ff' AS TEXT)", gates, gate, "broken text as candidate"},
      {"UPDATE gate SET candidate_run = 'gone'", gates, gate, "no text as uuid"},
      {"UPDATE verdict SET verdict = 'great'", gates, gate, "'great' as verdict"},
      {"UPDATE pair SET round = -1", pairs, pair, "-1 as round"},
      {"UPDATE pair SET candidate_measurement = 99", pairs, pair, "a side without a time"},
      {"UPDATE measurement SET median_ns = -5 WHERE id = 2", pairs, "measurement 2 of ",
       "-5 as median_ns"},
      {"UPDATE measurement SET median_ns = 9e999 WHERE id = 1", pairs, "measurement 1 of ",
       "no number as median_ns"},
      {"UPDATE verdict SET verdict = 'great'", verdicts, verdict, "'great' as verdict"},
      {"UPDATE verdict SET ratio = -1", verdicts, verdict, "-1 as ratio"},
      {"UPDATE verdict SET ratio = 0, ratio_low = NULL", verdicts, verdict, "0 as ratio"},
      {"UPDATE verdict SET baseline_value = 9e999", verdicts, verdict,
       "no number as baseline_value"},
      {"UPDATE verdict SET ratio = NULL", verdicts, verdict, "a ratio outside of its interval"},
      {"UPDATE verdict SET ratio_low = 2", verdicts, verdict, "a ratio outside of its interval"},
      {"UPDATE verdict SET ratio_high = 1", verdicts, verdict, "a ratio outside of its interval"},
      {"UPDATE verdict SET pairs = -1", verdicts, verdict, "-1 as pairs"},
      {"UPDATE verdict SET p_value = 9e999", verdicts, verdict, "no number as p_value"},
  };
  for (const auto& [sql, read, row, what] : table) {
    fs::remove(file);
    make_gate(file);
    EXPECT_NO_THROW(read());
    {
      SQLite::Database database(file.string(), SQLite::OPEN_READWRITE);
      database.exec("PRAGMA ignore_check_constraints = ON");
      EXPECT_GT(database.exec(sql), 0) << sql;
    }
    const std::string refused = refusal(read);
    EXPECT_NE(refused.find(row + file.string() + " has " + what), std::string::npos)
        << sql << ": " << refused;
  }
}

TEST_F(Files, AReferenceOfAGateThatIsBrokenIsReported) {
  make_gate(file);
  SQLite::Database(file.string(), SQLite::OPEN_READWRITE)
      .exec("UPDATE pair SET candidate_measurement = 99");
  EXPECT_NE(refusal([&] { store::check_integrity(Store::open(file)); }).find("damaged: pair"),
            std::string::npos);
}

TEST(Beside, ALogThatIsBeingDeletedHasNotSeveralNames) {
  const TemporaryFolder folder;
  const fs::path file = folder / "synthetic-gpu.sqlite", log = beside(file, "-wal");
  std::ofstream(file) << "a file";
  const std::jthread readers([&](const std::stop_token& stop) {  // each is the last who leaves
    while (!stop.stop_requested()) {
      std::ofstream(log) << "a log";
      fs::remove(log);
    }
  });
  for (int i = 0; i < 50'000; ++i) ASSERT_NO_THROW(check_beside(file)) << i;
}

}  // namespace connection_test
}  // namespace ridgeline::store
