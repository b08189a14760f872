#include "harness/store/migrations.hpp"

#include <cstdlib>
#include <fstream>
#include <sstream>

#include <gtest/gtest.h>

#include "harness/store/baselines.hpp"
#include "harness/store/connection.hpp"
#include "harness/store/examples.hpp"
#include "harness/store/integrity_fixture.hpp"
#include "harness/store/read_gates.hpp"
#include "harness/store/read_runs.hpp"
#include "harness/store/temporary_folder.hpp"
#include "harness/store/told.hpp"
#include "harness/store/told_example.hpp"
#include "harness/store/write_gate.hpp"

namespace ridgeline::store {
namespace migrations_test {

namespace fs = std::filesystem;

const fs::path room = RIDGELINE_STORE_FOLDER;

std::string read_text(const fs::path& file) {
  std::ifstream stream(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
}

int version_of(const fs::path& file) {
  SQLite::Database database(file.string(), SQLite::OPEN_READWRITE);
  return database.execAndGet("PRAGMA user_version").getInt();
}

fs::path fixture(int version) {
  return room / "fixtures" / ("schema_" + std::to_string(version) + ".sql");
}

/// The file that the SQL text of a fixture makes.
void load(const fs::path& sql, const fs::path& file) {
  SQLite::Database(file.string(), SQLite::OPEN_READWRITE | SQLite::OPEN_CREATE)
      .exec(read_text(sql));
}

TEST(Schema, IsTheOneWrittenInSchemaSql) {
  SQLite::Database database(":memory:", SQLite::OPEN_READWRITE);
  migrate(database, ":memory:", migrations());
  const std::string text = "-- Schema " + std::to_string(migrations().size()) +
                           ", as harness/store/migrations/*.sql make it. Generated: "
                           "RIDGELINE_UPDATE_GOLDEN=1 store_test\n\n" +
                           schema_text(database);
  if (std::getenv("RIDGELINE_UPDATE_GOLDEN"))
    std::ofstream(room / "schema.sql", std::ios::binary) << text;
  EXPECT_EQ(text, read_text(room / "schema.sql"));
}

TEST(Schema, StepsAreNumberedWithoutGaps) {
  int number = 0;
  for (const Migration& step : migrations())
    EXPECT_EQ(std::stoi(std::string(step.name.substr(0, 4))), ++number) << step.name;
}

/// The gate of examples.hpp: one pair, and a verdict on each of two cases; since schema 3 also one
/// on counts.
void expect_example_gate(const Store& store, int version) {
  const record::Gate gate = store::gates(store).at(0).gate;
  EXPECT_EQ(gate.seed, examples::gate().seed);
  EXPECT_EQ(gate.device_uuid, examples::device().uuid);
  ASSERT_EQ(store::pairs(store, gate.id).size(), 1u);
  EXPECT_EQ(store::pairs(store, gate.id)[0].candidate_ns, examples::pair().candidate_ns);
  ASSERT_EQ(store::verdicts(store, gate.id).size(), version < 3 ? 2u : 3u);
  EXPECT_EQ(store::verdicts(store, gate.id)[0].ratio_high, examples::pass().ratio_high);
  EXPECT_EQ(store::verdicts(store, gate.id)[0].metric, "");
  EXPECT_EQ(store::verdicts(store, gate.id)[1].verdict, record::Verdict::skipped);
  if (version < 3) return;
  EXPECT_EQ(store::verdicts(store, gate.id)[2].candidate_value,
            examples::fewer_sectors().candidate_value);
}

/// The newest run of a file of schema 3: one counted case.
void expect_counts(const Store& store) {
  const auto counted = store::measurements(store, store::runs(store).at(0).run.id, Samples::read);
  ASSERT_EQ(counted.size(), 1u);
  EXPECT_EQ(counted[0].measurement.outcome, record::Outcome::counted);
  const record::Measurement expected = examples::counted(examples::gemm_case());
  EXPECT_EQ(store::sites(store, counted[0].id), expected.sites);
  EXPECT_EQ(store::sources(store, counted[0].id), expected.sources);
}

/// Of a file of schema 4: the samples of the gate's baseline are dropped, and "main" is the oldest
/// run.
void expect_pruned_side_and_baseline(const Store& store) {
  const auto side = store::measurements(store, examples::gate().baseline_run, Samples::read);
  ASSERT_EQ(side.size(), 1u);
  EXPECT_TRUE(side[0].measurement.samples_ns.empty());
  EXPECT_EQ(side[0].measurement.pruned, (record::Pruned{3, "2027-03-01T00:00:00Z"}));
  EXPECT_EQ(store::baselines(store)[0].name, "main");
  EXPECT_EQ(store::baselines(store)[0].run_id, examples::run().id);
}

// A new migration comes with fixtures/schema_<n>.sql: `sqlite3 FILE .dump` of a file of schema n
// with the rows of examples.hpp, and its application_id and user_version.
TEST(Fixtures, AFileOfEverySchemaIsMigratedAndReadBack) {
  const int newest = static_cast<int>(migrations().size());
  for (int version = 1; version <= newest; ++version) {
    TemporaryFolder folder;
    const fs::path file = folder / "synthetic-gpu.sqlite",
                   backup = file.string() + ".schema-" + std::to_string(version) + ".backup";
    ASSERT_TRUE(fs::exists(fixture(version))) << fixture(version);
    load(fixture(version), file);
    ASSERT_EQ(version_of(file), version);
    {
      Store store = Store::create(file);
      store::check_integrity(store);
      EXPECT_EQ(version_of(file), newest);
      EXPECT_EQ(fs::exists(backup), version < newest);
      const std::vector<RunSummary> runs = store::runs(store);
      ASSERT_FALSE(runs.empty());
      const record::Run& oldest = runs.back().run;
      EXPECT_EQ(oldest.seed, examples::run().seed);
      EXPECT_EQ(oldest.gate, "");
      const auto all = store::measurements(store, oldest.id, Samples::read);
      ASSERT_EQ(all.size(), 2u);
      EXPECT_EQ(all[0].measurement.samples_ns, (std::vector<double>{110, 100, 120}));
      EXPECT_EQ(all[0].measurement.metrics.size(), 1u);
      EXPECT_EQ(all[1].measurement.outcome, record::Outcome::unsupported);
      EXPECT_EQ(store::roofs(store, oldest.id).size(), 1u);
      ASSERT_EQ(store::gates(store).size(), version < 2 ? 0u : 1u);
      if (version >= 2) expect_example_gate(store, version);
      if (version >= 3) expect_counts(store);
      ASSERT_EQ(store::baselines(store).size(), version < 4 ? 0u : 1u);
      if (version >= 4) expect_pruned_side_and_baseline(store);
      EXPECT_EQ(store::told(store),
                version < 9 ? std::vector<record::Told>() : std::vector{examples::told_change()});
      EXPECT_EQ(store::tellings(store),
                version < 9 ? std::vector<record::Telling>() : std::vector{examples::telling()});
      const auto& vouched = all[0].measurement;
      ASSERT_TRUE(vouched.verification.has_value());
      EXPECT_EQ(vouched.verification->checked.has_value(), version >= 7);
      EXPECT_EQ(vouched.settled.has_value(), version >= 7);
      EXPECT_EQ(oldest.unstable.has_value(), version >= 7);
    }
    SQLite::Database migrated(file.string(), SQLite::OPEN_READWRITE),
        fresh(":memory:", SQLite::OPEN_READWRITE);
    migrate(fresh, ":memory:", migrations());
    EXPECT_EQ(schema_text(migrated), schema_text(fresh));
  }
}

TEST(Fixtures, WhatSchema4SaysInSentencesBecomesFacts) {
  TemporaryFolder folder;
  const fs::path file = folder / "synthetic-gpu.sqlite";
  load(fixture(4), file);
  SQLite::Database(file.string(), SQLite::OPEN_READWRITE)
      .exec(
          "UPDATE run SET label = 'nightly-unfit' WHERE id = (SELECT min(id) FROM run);"
          "UPDATE pair SET dropped = 'hw_slowdown';"
          "UPDATE verdict SET reason = 'both sides do not fit into memory together: 80 GiB' WHERE "
          "verdict = 'skipped';"
          "UPDATE verdict SET expectation = 'checks (until 2026-10-31, which is over)' WHERE "
          "verdict = 'pass'");
  const Store store = Store::create(file);
  const std::string gate = store::gates(store).at(0).gate.id;
  EXPECT_EQ(store::pairs(store, gate).at(0).dropped, (record::Drop{"hw_slowdown", "hw_slowdown"}))
      << "no side is to blame";
  for (const record::CaseVerdict& verdict : store::verdicts(store, gate)) {
    EXPECT_EQ(verdict.no_room, verdict.verdict == record::Verdict::skipped) << verdict.case_name;
    EXPECT_EQ(verdict.expectation_over, !verdict.expectation.empty()) << verdict.case_name;
  }
  int unfit = 0;
  for (const RunSummary& summary : store::runs(store)) unfit += summary.run.unfit.empty() ? 0 : 1;
  EXPECT_EQ(unfit, 1);
}

TEST(Fixtures, OnlyACaseThatTheBudgetNeverReachedIsNotMeasured) {
  struct Timeout {
    const char* reason;
    record::Outcome outcome;  // once migrated
    const char* kept;         // of the reason
  };
  for (const Timeout& timeout :
       {Timeout{"the run's budget of 3 min 00 s was spent before this case",
                record::Outcome::not_measured, "the run's budget of 3 min 00 s was spent"},
        Timeout{"killed while sampling: the run's budget was spent", record::Outcome::timeout,
                "killed while sampling: the run's budget was spent"}}) {
    TemporaryFolder folder;
    const fs::path file = folder / "synthetic-gpu.sqlite";
    load(fixture(5), file);
    {
      SQLite::Database database(file.string(), SQLite::OPEN_READWRITE);
      SQLite::Statement update(
          database,
          "UPDATE measurement SET outcome = 'timeout', reason = ? WHERE outcome = 'unsupported'");
      update.bind(1, timeout.reason);
      ASSERT_EQ(update.exec(), 1);
    }
    const Store store = Store::create(file);
    const auto all =
        store::measurements(store, store::runs(store).back().run.id, Samples::leave_out);
    EXPECT_EQ(all[1].measurement.outcome, timeout.outcome);
    EXPECT_EQ(all[1].measurement.reason, timeout.kept);
  }
}

TEST(Fixtures, AMigratedFileKeepsWhatReferredToTheTablesThatWereMadeAnew) {
  TemporaryFolder folder;
  const fs::path file = folder / "synthetic-gpu.sqlite";
  load(fixture(2), file);
  Store store = Store::create(file);
  const record::Gate gate = store::gates(store).at(0).gate;
  const record::Case info = examples::gemm_case();
  const auto measure = [&](const std::string& run, int round) {
    return add(store, add(store, examples::process(round, run)), info, examples::measurement(info));
  };
  const std::int64_t baseline = measure(gate.baseline_run, 1),
                     candidate = measure(gate.candidate_run, 1);
  EXPECT_EQ(baseline, 5) << "ids go on";
  EXPECT_THROW(add(store, gate.id, examples::pair(info, 1), candidate, baseline), Error)
      << "triggers of pair are there";
  EXPECT_THROW(add(store, gate.id, examples::pair(info, 1), baseline, 99), Error);
  add(store, gate.id, examples::pair(info, 1), baseline, candidate);
  EXPECT_EQ(store::pairs(store, gate.id).size(), 2u);
  add(store, gate.id, examples::fewer_sectors(info));  // replaces a verdict on times
  EXPECT_EQ(store::verdicts(store, gate.id).at(0).metric, "global_load_sectors");
  EXPECT_NO_THROW(store::check_integrity(store));
}

TEST(Fixtures, TheFirstStepAloneMakesAFileOfSchema1) {
  TemporaryFolder folder;
  const fs::path file = folder / "synthetic-gpu.sqlite", old = folder / "old.sqlite";
  Connection::create(file, migrations().first(1));
  EXPECT_EQ(version_of(file), 1);
  load(fixture(1), old);
  SQLite::Database made(file.string(), SQLite::OPEN_READWRITE),
      kept(old.string(), SQLite::OPEN_READWRITE);
  EXPECT_EQ(schema_text(made), schema_text(kept)) << "a step that has been released was changed";
  EXPECT_TRUE(store::gates(Store::open(file)).empty());
  EXPECT_EQ(version_of(file), 1) << "reading leaves the file as it is";
  Store store = Store::create(file);
  begin(store, examples::side(examples::gate(), "side"), examples::device(),
        examples::environment());
  EXPECT_EQ(store::runs(store).at(0).run.gate, examples::gate().id);
}

/// A list of steps that is one longer than the program's, as if the next schema had come.
std::vector<Migration> steps_and(const char* sql) {
  std::vector<Migration> steps(migrations().begin(), migrations().end());
  steps.push_back({"test_only", sql});
  return steps;
}

class NextSchema : public testing::Test {
 protected:
  NextSchema() {
    Store store = Store::create(file);
    begin(store, examples::run(), examples::device(), examples::environment());
  }

  const int old_version = static_cast<int>(migrations().size());
  TemporaryFolder folder;
  fs::path file = folder / "synthetic-gpu.sqlite";
  fs::path backup = file.string() + ".schema-" + std::to_string(old_version) + ".backup";
  std::vector<Migration> steps =
      steps_and("ALTER TABLE run ADD COLUMN note TEXT NOT NULL DEFAULT 'none'");
};

TEST_F(NextSchema, WritingMigratesAfterABackup) {
  auto connection = Connection::create(file, steps);
  EXPECT_EQ(connection->database().execAndGet("SELECT note FROM run").getString(), "none");
  EXPECT_EQ(version_of(file), old_version + 1);
  EXPECT_EQ(version_of(backup), old_version);
  EXPECT_EQ(store::runs(Store::open(backup)).size(), 1u);
  EXPECT_THROW(Store::open(file), Error);  // this program does not know the schema
  EXPECT_EQ(std::distance(fs::directory_iterator(folder.path()), {}), 4)
      << "file, its -wal and -shm, and the backup";
}

TEST_F(NextSchema, ReadingMigratesACopyInMemory) {
  const std::string before = read_text(file);
  auto connection = Connection::open(file, steps);
  EXPECT_EQ(connection->database().execAndGet("SELECT note FROM run").getString(), "none");
  connection.reset();
  EXPECT_EQ(read_text(file), before);
  EXPECT_FALSE(fs::exists(backup));
}

TEST_F(NextSchema, AStepThatFailsLeavesTheFileAsItWas) {
  for (const char* sql : {"CREATE TABLE note (x); INSERT INTO nothing VALUES (1)",
                          "CREATE TABLE note (x); UPDATE run SET device_id = 99"}) {
    EXPECT_THROW(Connection::create(file, steps_and(sql)), Error) << sql;
    EXPECT_EQ(version_of(file), old_version);
    Store store = Store::create(file);
    EXPECT_NO_THROW(store::check_integrity(store));
    EXPECT_FALSE(SQLite::Database(file.string(), SQLite::OPEN_READWRITE).tableExists("note"));
  }
}

TEST_F(NextSchema, ABackupIsNeverOverwritten) {
  std::ofstream(backup) << "older";
  Connection::create(file, steps);
  EXPECT_EQ(read_text(backup), "older");
}

}  // namespace migrations_test
}  // namespace ridgeline::store
