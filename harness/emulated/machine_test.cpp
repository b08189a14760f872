#include "harness/emulated/machine.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include <gtest/gtest.h>

#include "harness/base/error.hpp"
#include "harness/base/half.hpp"
#include "harness/emulated/source_lines.hpp"
#include "harness/emulated/test/kernels.hpp"

namespace ridgeline::emulated {
namespace machine_test {

const Limits limits{.threads = 1024, .shared_bytes = 227 << 10, .l2_bytes = 16 << 10};

/// A machine and its stream; buffers live as long.
class Lab {
 public:
  explicit Lab(const Settings& settings = {.workers = 1})
      : machine_(limits, settings), stream_{&machine_} {}

  device::Stream& stream() { return stream_; }
  Machine& machine() { return machine_; }
  template <class T>
  T* empty(std::size_t n, const std::string& name = "output") {
    return static_cast<T*>(machine_.memory().allocate(n * sizeof(T), name));
  }
  template <class T>
  T* filled(const std::vector<T>& values, const std::string& name = "input") {
    T* const made = empty<T>(values.size(), name);
    std::copy(values.begin(), values.end(), made);
    machine_.memory().mark(made, values.size() * sizeof(T), true);
    return made;
  }
  Report report() {
    std::vector<Report> all = machine_.take_reports();
    EXPECT_EQ(all.size(), 1u);
    return all.empty() ? Report{} : all.back();
  }

 private:
  Machine machine_;
  device::Stream stream_;
};

std::vector<float> numbers(std::size_t n) {
  std::vector<float> made(n);
  for (std::size_t i = 0; i < n; ++i)
    made[i] = static_cast<float>(i * 2654435761u >> 16 & 63) / 64 - 0.5f;
  return made;
}

std::string checks(const Report& report) {
  std::string all;
  for (const Finding& finding : report.findings) all += (all.empty() ? "" : ", ") + finding.check;
  return all;
}

double sectors_per_request(const Report& report, Act act) {
  const Site site = total(report, Space::global, act);
  return static_cast<double>(site.sectors) / static_cast<double>(site.requests);
}
double wavefronts_per_request(const Report& report, Act act) {
  const Site site = total(report, Space::shared, act);
  return static_cast<double>(site.wavefronts) / static_cast<double>(site.requests);
}

TEST(Machine, CountsTheSectorsOfStrides) {
  Lab lab;
  for (const auto& [stride, sectors] :
       {std::pair{1, 4.0}, {2, 8.0}, {4, 16.0}, {8, 32.0}, {16, 32.0}}) {
    const int n = 4096 * stride;
    const std::vector<float> values = numbers(static_cast<std::size_t>(n));
    float *const from = lab.filled(values), *const to = lab.empty<float>(values.size());
    test::copy_strided(lab.stream(), from, to, n, stride);
    const Report report = lab.report();
    const auto third = static_cast<std::size_t>(stride) * 3;
    EXPECT_EQ(to[third], values[third]);
    for (const Act act : {Act::read, Act::write}) {
      EXPECT_EQ(total(report, Space::global, act).requests, 128u) << stride;
      EXPECT_EQ(total(report, Space::global, act).lanes, 4096u) << stride;
      EXPECT_EQ(sectors_per_request(report, act), sectors) << stride;
    }
    EXPECT_EQ(checks(report), "");
    EXPECT_EQ(report.accesses, 8192u);
  }
}

TEST(Machine, CountsWideAccessesOnce) {
  Lab lab;
  const std::vector<float> values = numbers(8192);
  float* const to = lab.empty<float>(values.size());
  test::copy_wide(lab.stream(), lab.filled(values), to, 8192);
  const Report report = lab.report();
  EXPECT_TRUE(std::equal(values.begin(), values.end(), to));
  ASSERT_EQ(report.sites.size(), 2u);
  for (const Site& site : report.sites) {
    EXPECT_EQ(site.bytes, 16);
    EXPECT_EQ(site.requests, 64u);
    EXPECT_EQ(site.sectors, 64u * 16);
  }
}

TEST(Machine, CountsTheBankConflictsOfATransposition) {
  Lab lab;
  constexpr std::size_t n = 128;
  const std::vector<float> values = numbers(n * n);
  float* const from = lab.filled(values);
  for (const auto& [how, wavefronts] :
       {std::pair{test::Transpose::plain, 32.0}, {test::Transpose::padded, 1.0}}) {
    float* const to = lab.empty<float>(n * n);
    test::transpose(lab.stream(), from, to, static_cast<int>(n), how);
    const Report report = lab.report();
    for (std::size_t row = 0; row < n; ++row)
      for (std::size_t column = 0; column < n; ++column)
        ASSERT_EQ(to[column * n + row], values[row * n + column]);
    EXPECT_EQ(wavefronts_per_request(report, Act::read), wavefronts);
    EXPECT_EQ(wavefronts_per_request(report, Act::write), 1.0);
    EXPECT_EQ(sectors_per_request(report, Act::read), 4.0);
    EXPECT_EQ(sectors_per_request(report, Act::write), 4.0);
    EXPECT_EQ(report.barriers, 16u);
    EXPECT_EQ(checks(report), "");
  }
}

TEST(Machine, FindsTheRaceOfATranspositionWithoutBarrier) {
  Lab lab;
  float* const to = lab.empty<float>(4096);
  test::transpose(lab.stream(), lab.filled(numbers(4096)), to, 64,
                  test::Transpose::without_barrier);
  const Report report = lab.report();
  EXPECT_NE(checks(report).find("race (read after write)"), std::string::npos) << checks(report);
  EXPECT_NE(checks(report).find("uninitialised (shared)"), std::string::npos) << checks(report);
  for (const Finding& finding : report.findings) {
    EXPECT_TRUE(finding.detail.starts_with("tile of 4224 bytes + ")) << finding.detail;
    EXPECT_EQ(finding.block, 0);
  }
}

TEST(Machine, MultipliesAndCounts) {
  Lab lab;
  constexpr std::size_t n = 64;
  const std::vector<float> a = numbers(n * n), b = numbers(n * n + 7);
  float* const c = lab.empty<float>(n * n);
  test::multiply(lab.stream(), lab.filled(a, "a"), lab.filled(b, "b"), c, static_cast<int>(n));
  const Report report = lab.report();
  for (std::size_t row = 0; row < n; ++row)
    for (std::size_t column = 0; column < n; ++column) {
      double sum = 0;
      for (std::size_t k = 0; k < n; ++k)
        sum += static_cast<double>(a[row * n + k]) * b[k * n + column];
      ASSERT_NEAR(c[row * n + column], sum, 1e-4);
    }
  constexpr std::uint64_t warps = n * n / 32;
  EXPECT_EQ(total(report, Space::global, Act::read).requests, warps * n / 16 * 2);
  EXPECT_EQ(total(report, Space::global, Act::write).requests, warps);
  EXPECT_EQ(total(report, Space::shared, Act::read).requests, warps * n * 2);
  EXPECT_EQ(total(report, Space::shared, Act::write).requests, warps * n / 16 * 2);
  EXPECT_EQ(report.barriers, 16u * n / 16 * 2);
  EXPECT_EQ(checks(report), "");
}

TEST(Machine, AddsUpByShufflesAndAtomics) {
  Lab lab;
  const std::vector<float> values = numbers(10'000);
  float* const to = lab.filled<float>({1});
  test::add_up(lab.stream(), lab.filled(values), to, 10'000, 8);
  const Report report = lab.report();
  EXPECT_NEAR(to[0], 1 + std::accumulate(values.begin(), values.end(), 0.0), 1e-3);
  EXPECT_EQ(total(report, Space::global, Act::atomic).requests, 8u);
  EXPECT_EQ(checks(report), "");
}

TEST(Machine, LanesMeetAgainBehindLoopsOfDifferentLength) {
  Lab lab;
  float *const from = lab.filled(numbers(2048)), *const to = lab.empty<float>(32);
  for (const bool call : {false, true}) {
    test::ragged(lab.stream(), from, to, call);
    const Report report = lab.report();
    EXPECT_EQ(total(report, Space::global, Act::read).requests, 8u * 33) << call;
    EXPECT_EQ(total(report, Space::global, Act::write).requests, 1u) << call;
    EXPECT_EQ(checks(report), "") << call;
  }
}

TEST(Machine, LanesOfAWarpAreOrderedByItsBarrierAlone) {
  Lab lab;
  std::vector<int> values(128);
  std::iota(values.begin(), values.end(), 0);
  int *const from = lab.filled(values), *const to = lab.empty<int>(128);
  test::exchange(lab.stream(), from, to, true);
  EXPECT_EQ(checks(lab.report()), "");
  EXPECT_EQ(to[4], 5);
  test::exchange(lab.stream(), from, to, false);
  const Report report = lab.report();
  EXPECT_NE(checks(report).find("race (read after write)"), std::string::npos) << checks(report);
}

TEST(Machine, BarriersCombinePredicates) {
  Lab lab;
  for (const auto& [threads, limit] : {std::pair{96, 40}, {96, 96}, {50, 0}}) {
    int* const to = lab.empty<int>(300);
    test::combine(lab.stream(), threads, limit, to);
    EXPECT_EQ(lab.report().barriers, 3u);
    for (std::size_t i = 0; i < static_cast<std::size_t>(threads); ++i) {
      EXPECT_EQ(to[3 * i], limit > 0 ? 1 : 0);
      EXPECT_EQ(to[3 * i + 1], limit >= threads ? 1 : 0);
      EXPECT_EQ(to[3 * i + 2], limit);
    }
  }
}

TEST(Machine, AtomicsOfManyBlocksLoseNothing) {
  Lab lab({.workers = 4, .seed = 9});
  unsigned* const to = lab.filled<unsigned>({0});
  test::count_atomically(lab.stream(), 500, to);
  EXPECT_EQ(to[0], 16'000u);
  EXPECT_EQ(checks(lab.report()), "");
}

// What depends on which block comes first is then the same each time, and another seed shows it.
TEST(Machine, BlocksComeInTheOrderOfTheSeed) {
  constexpr unsigned blocks = 210;
  const auto order = [](std::uint64_t seed) {
    Lab lab({.seed = seed});
    unsigned* const to = lab.empty<unsigned>(blocks);
    test::note_order(lab.stream(), blocks, lab.filled<unsigned>({0}), to);
    return std::vector<unsigned>(to, to + blocks);
  };
  std::vector<unsigned> all(blocks);
  std::iota(all.begin(), all.end(), 0u);
  EXPECT_NE(order(1), order(2));
  for (const std::uint64_t seed : {1u, 2u, 100u}) {
    std::vector<unsigned> found = order(seed);
    EXPECT_EQ(found, order(seed));
    EXPECT_NE(found, all);
    std::ranges::sort(found);
    EXPECT_EQ(found, all);
  }
}

TEST(Machine, CopiesComeWhenTheyAreWaitedFor) {
  Lab lab;
  const std::vector<float> values = numbers(128);
  float* const to = lab.filled(std::vector<float>(128, 7));
  test::copy_async(lab.stream(), lab.filled(values), to);
  const Report report = lab.report();
  EXPECT_EQ(checks(report), "");
  for (std::size_t i = 0; i < 32; ++i) {
    EXPECT_EQ(to[i], values[i]);
    EXPECT_EQ(to[96 + i], 0) << "these lanes copy zeros";
  }
  const Site read = total(report, Space::global, Act::copy_read),
             written = total(report, Space::shared, Act::copy_begin);
  EXPECT_EQ(read.requests, 1u);
  EXPECT_EQ(read.lanes, 16u);
  EXPECT_EQ(read.sectors, 8u);
  EXPECT_EQ(written.requests, 1u) << "also of lanes that read nothing";
  EXPECT_EQ(written.wavefronts, 4u);
}

TEST(Machine, CopiesOfWordsComeThroughL1) {
  Lab lab;
  const std::vector<float> values = numbers(128);
  float* const to = lab.filled(std::vector<float>(128, 7));
  test::copy_words_async(lab.stream(), lab.filled(values), to);
  const Report report = lab.report();
  EXPECT_EQ(checks(report), "");
  for (std::size_t i = 0; i < 32; ++i) {
    EXPECT_EQ(to[i], i < 16 ? values[4 * i] : 0);
    EXPECT_EQ(to[96 + i], i < 16 ? values[4 * i + 3] : 0);
  }
  const Site read = total(report, Space::global, Act::copy_read),
             written = total(report, Space::shared, Act::copy_begin);
  EXPECT_EQ(read.requests, 4u);
  EXPECT_EQ(read.lanes, 4u * 16);
  EXPECT_EQ(read.sectors, 4u * 8) << "those that are read, as of loads";
  EXPECT_EQ(written.requests, 4u);
  EXPECT_EQ(written.wavefronts, 4u) << "a row of words each";
}

TEST(Machine, TensorCoresMultiply) {
  Lab lab;
  std::vector<unsigned short> a(256), b(128);
  for (std::size_t i = 0; i < a.size(); ++i) a[i] = to_bf16(static_cast<float>(i % 7) - 3);
  for (std::size_t i = 0; i < b.size(); ++i) b[i] = to_bf16(static_cast<float>(i % 5) / 4);
  float* const d = lab.empty<float>(128);
  test::multiply_tile(lab.stream(), lab.filled(a), lab.filled(b), d);
  const Report report = lab.report();
  EXPECT_EQ(checks(report), "");
  for (std::size_t row = 0; row < 16; ++row)
    for (std::size_t column = 0; column < 8; ++column) {
      float sum = 0;
      for (std::size_t k = 0; k < 16; ++k)
        sum += from_bf16(a[16 * row + k]) * from_bf16(b[16 * column + k]);
      EXPECT_EQ(d[8 * row + column], sum) << row << ", " << column;
    }
  EXPECT_EQ(total(report, Space::tensor, Act::collective).requests, 1u);
  const Site loads = total(report, Space::shared, Act::read);
  EXPECT_EQ(loads.requests, 2u);
  EXPECT_EQ(loads.wavefronts, 16u) << "rows of 32 bytes: of eight, two pairs and more share banks";
}

struct Case {
  test::Mistake mistake;
  const char* check;
  const char* detail;
  int thread;
};

TEST(Machine, NamesMistakes) {
  using enum test::Mistake;
  constexpr const char* first_of_few = "few of 400 bytes + 0 (index 0 of elements of 4 bytes)";
  const Case cases[] = {
      {reads_behind_the_end, "out of bounds (global)", "input of 512 bytes + 512", 127},
      {reads_before_the_start, "out of bounds (global)", "input of 512 bytes - 4", 0},
      {reads_unwritten_shared, "uninitialised (shared)", first_of_few, 0},
      {reads_unwritten_global, "uninitialised (global)", "output of 512 bytes + 0", 0},
      {misaligned, "misaligned", "input of 512 bytes + 4", 5},
      {writes_behind_shared, "out of bounds (shared)",
       "few of 400 bytes + 400 (index 100 of elements of 4 bytes)", 100},
      {writes_behind_dynamic, "out of bounds (shared)",
       "dynamic shared memory of 400 bytes + 400 (index 100 of elements of 4 bytes)", 100},
      {divergent_barrier, "divergent barrier",
       "threads of the block wait at different __syncthreads(): threads 0 to 63 are here, threads "
       "64 to 127 at harness/emulated/test/kernels.cu:",
       0},
      {lane_is_missing, "deadlock",
       "a warp's lanes 0xffffffff are waited for, and 0xfff00000 of them never come: 12 have ended",
       0},
      {caller_is_not_in_mask, "collective without its caller",
       "lane 3 is not in the mask 0x00000001", 3},
      {lane_is_in_another_collective, "different collectives",
       "lanes of one mask wait in different ones", 31},
      {two_blocks_write_one_word, "race between blocks (write after access)",
       "output of 512 bytes + 0", 0},
      {reads_before_the_copy_has_come, "touched while a copy is under way", first_of_few, 0},
      {waits_for_too_few_copies, "touched while a copy is under way", first_of_few, 0},
      {never_waits_for_a_copy, "copy never waited for", "to shared memory", 9},
      {a_block_reads_what_another_writes, "race between blocks (read after write)",
       "output of 512 bytes + 28", 7},
  };
  for (const Case& each : cases) {
    Lab lab;
    float *const from = lab.filled(numbers(128)), *const to = lab.empty<float>(128);
    test::make(lab.stream(), each.mistake, from, to);
    const Report report = lab.report();
    const auto found = std::ranges::find(report.findings, each.check, &Finding::check);
    ASSERT_NE(found, report.findings.end()) << each.check << " is not among: " << checks(report);
    const std::string_view wanted = each.detail;  // without the number of a line
    EXPECT_EQ(found->detail.substr(0, wanted.ends_with(':') ? wanted.size() : std::string::npos),
              wanted)
        << each.check;
    EXPECT_EQ(found->thread, each.thread) << each.check;
    EXPECT_GE(found->count, 1u) << each.check;
  }
}

TEST(Machine, ThreadsThatHaveEndedBeforeABarrierAreNoMistake) {
  Lab lab;
  test::make(lab.stream(), test::Mistake::half_ends_before_a_barrier, lab.filled(numbers(128)),
             lab.empty<float>(128));
  const Report report = lab.report();
  EXPECT_EQ(checks(report), "");
  ASSERT_EQ(report.notes.size(), 1u);
  EXPECT_EQ(
      report.notes[0].detail,
      "64 of 128 threads have, and are not waited for: threads 64 to 127 are here, threads 0 to "
      "63 have ended");
  EXPECT_EQ(report.notes[0].thread, 64);
}

TEST(Machine, EachPlaceWhereThreadsWaitForEverIsToldWithWhatTheyWaitFor) {
  Lab lab;
  test::wait_for_each_other(lab.stream(), lab.empty<float>(96));
  const Report report = lab.report();
  ASSERT_EQ(checks(report), "deadlock, deadlock, deadlock");
  std::vector<std::tuple<int, std::uint64_t, std::string>> found;
  for (const Finding& finding : report.findings)
    found.emplace_back(finding.thread, finding.count, finding.detail);
  std::ranges::sort(found);
  const std::string barrier =
      "waits for threads of its block: of 96, 48 have come, 32 have ended, 16 wait elsewhere "
      "(threads 48 to 63)";
  EXPECT_EQ(found[0], std::tuple(0, 32u, barrier));
  EXPECT_EQ(found[1], std::tuple(32, 16u, barrier));
  EXPECT_EQ(
      found[2],
      std::tuple(
          48, 16u,
          "a warp's lanes 0xffffffff are waited for, and 0x0000ffff of them never come: 16 wait "
          "elsewhere"));
}

TEST(Machine, SaysWhereAMistakeStands) {
  Lab lab;
  test::make(lab.stream(), test::Mistake::reads_host_memory, lab.filled(numbers(128)),
             lab.empty<float>(128));
  const Report report = lab.report();
  // Memory that happens to lie near shared memory is taken for a wrong index into that.
  ASSERT_TRUE(checks(report) == "host memory" || checks(report) == "out of bounds (shared)")
      << checks(report);
  const std::uint32_t pcs[] = {report.findings[0].pc};
  const SourceLine line = source_lines(pcs).at(pcs[0]);
  EXPECT_TRUE(line.file.ends_with("harness/emulated/test/kernels.cu")) << line.file;
  EXPECT_GT(line.line, 100);
}

TEST(Machine, CountsDependNeitherOnTheSeedNorOnTheCores) {
  const auto all = [](const Settings& settings) {
    Lab lab(settings);
    float* const from = lab.filled(numbers(16384));
    std::vector<
        std::tuple<std::uint32_t, std::uint64_t, std::uint64_t, std::uint64_t, std::uint64_t>>
        counts;
    const auto keep = [&] {
      const Report report = lab.report();
      for (const Site& site : report.sites)
        counts.emplace_back(site.pc, site.requests, site.lanes, site.sectors, site.wavefronts);
      counts.emplace_back(0, report.dram_read_bytes, report.dram_written_bytes,
                          report.in_flight_bytes, 0);
    };
    test::transpose(lab.stream(), from, lab.empty<float>(16384), 128, test::Transpose::plain);
    keep();
    test::multiply(lab.stream(), from, from, lab.empty<float>(16384), 128);
    keep();
    test::add_up(lab.stream(), from, lab.filled<float>({0}), 16384, 13);
    keep();
    test::ragged(lab.stream(), from, lab.empty<float>(32), true);
    keep();
    return counts;
  };
  const auto plain = all({.workers = 1});
  EXPECT_FALSE(plain.empty());
  for (const std::uint64_t seed : {1u, 7u, 123u})
    for (const int workers : {1, 2, 3})
      EXPECT_EQ(all({.workers = workers, .seed = seed}), plain) << seed << ' ' << workers;
}

TEST(Machine, MemoryIsNotUsedAgainAtOnce) {
  Lab lab;
  void* const first = lab.machine().memory().allocate(64, "first");
  lab.machine().memory().release(first);
  EXPECT_FALSE(is_inside(reinterpret_cast<std::uint64_t>(first), 4));
  EXPECT_NE(lab.machine().memory().allocate(64, "second"), first);
}

}  // namespace machine_test
}  // namespace ridgeline::emulated
