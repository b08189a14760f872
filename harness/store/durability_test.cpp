#include <csignal>
#include <fstream>
#include <functional>
#include <random>

#include <gtest/gtest.h>
#include <poll.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "harness/base/error.hpp"
#include "harness/store/examples.hpp"
#include "harness/store/integrity_fixture.hpp"
#include "harness/store/read_gates.hpp"
#include "harness/store/read_runs.hpp"
#include "harness/store/temporary_folder.hpp"
#include "harness/store/write_gate.hpp"

namespace ridgeline::store {
namespace durability_test {

namespace fs = std::filesystem;

/// Runs `body` in a child process; its return value is the child's exit status, 99 when it throws.
pid_t start(const std::function<int()>& body) {
  const pid_t child = fork();
  if (child != 0) return child;
  int status = 99;
  try {
    status = body();
  } catch (const std::exception& error) {
    (void)!write(STDERR_FILENO, error.what(), std::string(error.what()).size());
  }
  _exit(status);
}

int exit_status(pid_t child) {
  int status = 0;
  waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
}

/// Adds a process to the run and then measurements until `goes_on` says no; each is reported once
/// it is committed.
void keep_adding(Store& store, const std::function<bool(std::int64_t id)>& goes_on) {
  const std::int64_t process = add(store, examples::process());
  const std::vector<double> samples(100, 1000.0);
  record::Case info = examples::gemm_case();
  for (int attempt = 1;; ++attempt) {
    record::Measurement m = examples::measurement(info, samples);
    m.attempt = attempt;
    if (!goes_on(add(store, process, info, m))) return;
  }
}

std::vector<std::int64_t> ids(const fs::path& file) {
  std::vector<std::int64_t> ids;
  for (const StoredMeasurement& stored :
       store::measurements(Store::open(file), examples::run().id, Samples::read)) {
    EXPECT_EQ(stored.measurement.samples_ns.size(), 100u);
    EXPECT_EQ(stored.measurement.metrics.size(), 1u);
    ids.push_back(stored.id);
  }
  return ids;
}

/// When a writer is killed: every second one at any moment, the others once they have reported
/// something, so that on slow machines, too, not all of them are killed before.
void wait_to_kill(int kill_number, int reports, int microseconds) {
  if (kill_number % 2 == 1) {
    pollfd report{reports, POLLIN, 0};
    EXPECT_EQ(poll(&report, 1, 60'000), 1);
  }
  usleep(static_cast<useconds_t>(microseconds));
}

class Durability : public testing::Test {
 protected:
  Durability() {
    begin(Store::create(file), examples::run(), examples::device(), examples::environment());
  }

  TemporaryFolder folder;
  fs::path file = folder / "synthetic-gpu.sqlite";
};

TEST_F(Durability, KillingTheWriterFiftyTimesLosesNothingThatWasCommitted) {
  std::mt19937 random(1);
  std::uniform_int_distribution<int> microseconds(0, 20'000);
  std::vector<std::int64_t> acknowledged;
  for (int round = 0; round < 50; ++round) {
    int ends[2];
    ASSERT_EQ(pipe(ends), 0);
    const pid_t child = start([&] {
      Store store = Store::create(file);
      keep_adding(store,
                  [&](std::int64_t id) { return write(ends[1], &id, sizeof id) == sizeof id; });
      return 0;
    });
    close(ends[1]);
    wait_to_kill(round, ends[0], microseconds(random));
    kill(child, SIGKILL);
    EXPECT_EQ(exit_status(child), -SIGKILL);
    for (std::int64_t id; read(ends[0], &id, sizeof id) == sizeof id;) acknowledged.push_back(id);
    close(ends[0]);
    if (round % 10 == 9) store::check_integrity(Store::open(file));
  }
  store::check_integrity(Store::open(file));
  const std::vector<std::int64_t> stored = ids(file);
  EXPECT_GE(acknowledged.size(), 25u);
  for (const std::int64_t id : acknowledged)
    EXPECT_TRUE(std::binary_search(stored.begin(), stored.end(), id)) << id;
  EXPECT_LE(stored.size(), acknowledged.size() + 50)
      << "at most one commit a round that was not reported in time";
}

/// What of a gate's rounds was acknowledged: plain bytes, so that it goes through a pipe.
struct Acknowledged {
  enum What : std::int32_t { pair, verdict } what;
  std::int32_t round;
};

/// Goes on with the example gate from `round`: a pair, then the verdict that stands on it, each
/// reported once it is committed, until `goes_on` says no.
void keep_gating(Store& store, int round, const std::function<bool(Acknowledged)>& goes_on) {
  const record::Gate gate = examples::gate();
  const record::Case info = examples::gemm_case();
  const std::int64_t baseline = add(store, examples::process(round, gate.baseline_run)),
                     candidate = add(store, examples::process(round, gate.candidate_run));
  for (int attempt = 1;; ++attempt, ++round) {
    record::Measurement m = examples::measurement(info);
    m.attempt = attempt;
    const std::int64_t a = add(store, baseline, info, m), b = add(store, candidate, info, m);
    add(store, gate.id, examples::pair(info, round), a, b);
    if (!goes_on({Acknowledged::pair, round})) return;
    record::CaseVerdict verdict = examples::pass(info);
    verdict.pairs = round + 1;
    add(store, gate.id, verdict);
    if (!goes_on({Acknowledged::verdict, round})) return;
  }
}

TEST_F(Durability, AGateThatIsKilledAndResumedFiftyTimesKeepsEveryPairAndTheLatestVerdict) {
  const record::Gate gate = examples::gate();
  {
    Store store = Store::create(file);
    for (const std::string& id : {gate.baseline_run, gate.candidate_run})
      begin(store, examples::side(gate, id), examples::device(), examples::environment());
    begin(store, gate);
  }
  std::mt19937 random(2);
  std::uniform_int_distribution<int> microseconds(0, 20'000);
  int next_round = 0, rounds_acknowledged = 0, pairs_of_verdict = 0;
  for (int kill_number = 0; kill_number < 50; ++kill_number) {
    int ends[2];
    ASSERT_EQ(pipe(ends), 0);
    const pid_t child = start([&] {
      Store store = Store::create(file);
      resume_gate(store, gate.id);
      keep_gating(store, next_round, [&](Acknowledged done) {
        return write(ends[1], &done, sizeof done) == sizeof done;
      });
      return 0;
    });
    close(ends[1]);
    wait_to_kill(kill_number, ends[0], microseconds(random));
    kill(child, SIGKILL);
    EXPECT_EQ(exit_status(child), -SIGKILL);
    for (Acknowledged done; read(ends[0], &done, sizeof done) == sizeof done;) {
      if (done.what == Acknowledged::pair) rounds_acknowledged = done.round + 1;
      if (done.what == Acknowledged::verdict) pairs_of_verdict = done.round + 1;
    }
    close(ends[0]);

    const Store store = Store::open(file);
    if (kill_number % 10 == 9) store::check_integrity(store);
    const std::vector<record::Pair> pairs = store::pairs(store, gate.id);
    next_round = static_cast<int>(pairs.size());
    for (int round = 0; round < next_round; ++round)
      ASSERT_EQ(pairs[static_cast<std::size_t>(round)].round, round);
    ASSERT_GE(next_round, rounds_acknowledged);
    ASSERT_LE(next_round, rounds_acknowledged + 1)
        << "at most one commit that was not reported in time";
    const std::vector<record::CaseVerdict> verdicts = store::verdicts(store, gate.id);
    const int stored = verdicts.empty() ? 0 : verdicts.at(0).pairs;
    ASSERT_GE(stored, pairs_of_verdict);
    ASSERT_LE(stored, next_round) << "a verdict stands on pairs that are stored";
    ASSERT_EQ(store::gates(store).at(0).gate.status, record::RunStatus::running);
    rounds_acknowledged = next_round;
  }
  EXPECT_GT(next_round, 10);
  finish_gate(Store::create(file), gate.id, record::RunStatus::finished, "2026-11-20T14:00:00Z");
  store::check_integrity(Store::open(file));
}

/// Adds measurements until the store refuses; returns how many were acknowledged and sets `what`.
std::size_t add_until_refused(const fs::path& file, std::string& what) {
  std::size_t acknowledged = 0;
  Store store = Store::create(file);
  try {
    keep_adding(store, [&](std::int64_t) { return ++acknowledged < 100'000; });
  } catch (const Error& error) {
    what = error.what();
  }
  return acknowledged;
}

/// What must hold once a disk has taken no more: the Error says so, and the file holds what was
/// acknowledged.
int check_refusal(const fs::path& file, const std::string& reason,
                  const std::function<void()>& make_room) {
  std::string what;
  const std::size_t acknowledged = add_until_refused(file, what);
  make_room();
  if (what.find(file.string() + ": ") == std::string::npos ||
      what.find(reason) == std::string::npos) {
    (void)!write(STDERR_FILENO, what.data(), what.size());
    return 1;
  }
  store::check_integrity(Store::open(file));
  return ids(file).size() == acknowledged ? 0 : 2;
}

TEST_F(Durability, AFileThatMayNotGrowIsAnErrorAndKeepsWhatItHas) {
  for (const rlim_t limit : {200'000u, 1'000'000u, 5'000'000u}) {
    const pid_t child = start([&] {
      signal(SIGXFSZ, SIG_IGN);
      rlimit old{};
      getrlimit(RLIMIT_FSIZE, &old);
      const rlimit tight{limit, old.rlim_max};
      setrlimit(RLIMIT_FSIZE, &tight);
      return check_refusal(file, "File too large", [&] { setrlimit(RLIMIT_FSIZE, &old); });
    });
    EXPECT_EQ(exit_status(child), 0) << limit;
    fs::remove(file);
    begin(Store::create(file), examples::run(), examples::device(), examples::environment());
  }
}

TEST_F(Durability, AFullDiskIsAnErrorAndKeepsWhatItHas) {
  constexpr int not_permitted = 50;
  const fs::path disk = folder / "disk";
  fs::create_directory(disk);
  const pid_t child = start([&] {
    if (unshare(CLONE_NEWNS) != 0 ||
        mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0 ||
        mount("tmpfs", disk.c_str(), "tmpfs", 0, "size=1m") != 0)
      return not_permitted;
    fs::copy(file, disk / "x.sqlite");
    return check_refusal(disk / "x.sqlite", "the disk is full",
                         [&] { mount("tmpfs", disk.c_str(), "tmpfs", MS_REMOUNT, "size=16m"); });
  });
  const int status = exit_status(child);
  if (status == not_permitted) GTEST_SKIP() << "mounting a small disk is not permitted here";
  EXPECT_EQ(status, 0);
}

/// A writer that failed leaves an empty log and the beginning of its index.
TEST_F(Durability, AFullDiskIsReadAfterAWriterFailed) {
  constexpr int not_permitted = 50;
  const fs::path disk = folder / "disk", full = disk / "x.sqlite";
  fs::create_directory(disk);
  const pid_t child = start([&] {
    if (unshare(CLONE_NEWNS) != 0 ||
        mount("none", "/", nullptr, MS_REC | MS_PRIVATE, nullptr) != 0 ||
        mount("tmpfs", disk.c_str(), "tmpfs", 0, "size=1m") != 0)
      return not_permitted;
    fs::copy(file, full);
    std::ofstream(disk / "fill") << std::string(2 << 20, 'x') << std::flush;
    bool refused = false;
    try {
      Store store = Store::create(full);
      add(store, examples::process());
    } catch (const Error&) {
      refused = true;
    }
    if (!refused) return 1;
    const bool left = fs::exists(full.string() + "-wal") || fs::exists(full.string() + "-shm");
    if (!left) return 2;  // or this tests nothing
    return store::runs(Store::open(full)).size() == 1 ? 0 : 3;
  });
  const int status = exit_status(child);
  if (status == not_permitted) GTEST_SKIP() << "mounting a small disk is not permitted here";
  EXPECT_EQ(status, 0);
}

TEST_F(Durability, TwoWritersAtOnceBothSucceed) {
  std::vector<pid_t> children;
  for (int writer = 0; writer < 2; ++writer)
    children.push_back(start([&] {
      Store store = Store::create(file);
      int left = 200;
      keep_adding(store, [&](std::int64_t) { return --left > 0; });
      return 0;
    }));
  for (const pid_t child : children) EXPECT_EQ(exit_status(child), 0);
  EXPECT_EQ(ids(file).size(), 400u);
  store::check_integrity(Store::open(file));
}

TEST_F(Durability, ManyProcessesMayCreateOneFileAtOnce) {
  for (int round = 0; round < 10; ++round) {
    const fs::path fresh = folder / ("fresh-" + std::to_string(round) + ".sqlite");
    std::vector<pid_t> children;
    for (int i = 0; i < 4; ++i)
      children.push_back(start([&, i] {
        begin(Store::create(fresh), examples::run("run-" + std::to_string(i)), examples::device(),
              examples::environment());
        return 0;
      }));
    for (const pid_t child : children) EXPECT_EQ(exit_status(child), 0);
    EXPECT_EQ(store::runs(Store::open(fresh)).size(), 4u);
  }
}

TEST_F(Durability, AReaderSeesARunWhileItIsWritten) {
  Store writer = Store::create(file);
  const Store reader = Store::open(file);
  const std::int64_t process = add(writer, examples::process());
  EXPECT_TRUE(store::measurements(reader, examples::run().id, Samples::read).empty());
  add(writer, process, examples::gemm_case(), examples::measurement(examples::gemm_case()));
  EXPECT_EQ(store::measurements(reader, examples::run().id, Samples::read).size(), 1u);
}

}  // namespace durability_test
}  // namespace ridgeline::store
