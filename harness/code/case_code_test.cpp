#include "harness/code/case_code.hpp"

#include <fstream>
#include <random>
#include <set>

#include <gtest/gtest.h>

#include "harness/base/error.hpp"
#include "harness/code/built_program_fixture.hpp"

namespace ridgeline::code {
namespace case_code_test {

const std::vector<std::pair<std::string, std::string>> cases = {
    {"gemm", "naive"}, {"gemm", "tiled"}, {"gemm", "shaped"}, {"scan", "one"}, {"scan", "two"}};

/// "gemm/naive" and so on: the cases whose code is not the same.
std::set<std::string> changed(const std::filesystem::path& a, const std::filesystem::path& b) {
  std::set<std::string> found;
  CaseCode code(a, b);
  for (const auto& [suite, variant] : cases)
    if (!code.difference(suite, variant, DeviceKind::cpu).empty())
      found.insert(suite + "/" + variant);
  return found;
}

const std::set<std::string> none,
    all = {"gemm/naive", "gemm/tiled", "gemm/shaped", "scan/one", "scan/two"},
    gemm = {"gemm/naive", "gemm/tiled", "gemm/shaped"};

class CaseCodeTest : public testing::Test {
 protected:
  static void SetUpTestSuite() { baseline_ = std::make_unique<BuiltProgram>(sources()); }
  static void TearDownTestSuite() { baseline_.reset(); }
  void SetUp() override {
    if (std::string(RIDGELINE_COMPARABLE_FLAGS).empty()) GTEST_SKIP() << "the linker cannot";
    ASSERT_TRUE(baseline_->built());
  }

  /// What changes with `to` in place of `from` in a file.
  static std::set<std::string> with(const std::string& file, const std::string& from,
                                    const std::string& to) {
    Sources other = sources();
    const std::size_t at = other.at(file).find(from);
    EXPECT_NE(at, std::string::npos) << from;
    if (at != std::string::npos) other[file].replace(at, from.size(), to);
    const BuiltProgram candidate(other);
    EXPECT_TRUE(candidate.built());
    const std::set<std::string> found = changed(baseline_->file(), candidate.file());
    EXPECT_EQ(changed(candidate.file(), baseline_->file()), found) << "the sides exchanged";
    return found;
  }

  static std::unique_ptr<BuiltProgram> baseline_;
};

std::unique_ptr<BuiltProgram> CaseCodeTest::baseline_;

TEST_F(CaseCodeTest, TheSameSourcesInAnotherFolderAreTheSame) {
  const BuiltProgram again(sources());
  EXPECT_EQ(changed(baseline_->file(), again.file()), none);
}

TEST_F(CaseCodeTest, WhatAVariantExecutesIsItsOwn) {
  EXPECT_EQ(with("naive.cpp", "+ 11", "+ 12"), std::set<std::string>{"gemm/naive"});
  EXPECT_EQ(with("naive.cpp", "+ 11", "+ x * common(x + 1)"), std::set<std::string>{"gemm/naive"});
  EXPECT_EQ(with("naive.cpp", "plain", "what it does is much longer to tell"),
            std::set<std::string>{"gemm/naive"});
  EXPECT_EQ(with("one.cpp", "2.5", "3.5"), std::set<std::string>{"scan/one"})
      << "a constant in memory";
  EXPECT_EQ(with("tiled.cpp", "16, 32", "16, 33"), std::set<std::string>{"gemm/tiled"})
      << "a table";
  EXPECT_EQ(with("tiled.cpp", "case 3:", "case 7: return 1; case 3:"),
            std::set<std::string>{"gemm/tiled"})
      << "a table of jumps";
}

TEST_F(CaseCodeTest, WhatIsReachedThroughTablesCounts) {
  EXPECT_EQ(with("shaped.cpp", "return 25", "return 26"), std::set<std::string>{"gemm/shaped"});
  EXPECT_EQ(with("shaped.cpp", "{&square, &line}", "{&line, &square}"),
            std::set<std::string>{"gemm/shaped"})
      << "the same bytes, and another reference";
  EXPECT_EQ(with("shape.cpp", "return 1", "return 2"), std::set<std::string>{"gemm/shaped"})
      << "in another file";
  EXPECT_EQ(with("shaped.cpp", "catch (int)", "catch (long)"), std::set<std::string>{"gemm/shaped"})
      << "only the table of exceptions";
}

TEST_F(CaseCodeTest, WhatIsSharedChangesAllThatReachIt) {
  EXPECT_EQ(with("family.hpp", "x % 7", "x % 9"), gemm) << "inline";
  EXPECT_EQ(with("oracle.cpp", "+ 100", "+ 101"), gemm) << "what checks the suite's outputs";
  EXPECT_EQ(with("gemm_suite.cpp", "launch(3)", "launch(4)"), gemm);
  EXPECT_EQ(with("scan_suite.cpp", "launch(3)", "launch(4)"),
            (std::set<std::string>{"scan/one", "scan/two"}));
  EXPECT_EQ(with("main.cpp", "+ start", "- start"), all);
}

TEST_F(CaseCodeTest, WhatRunsBeforeMainOrForLibrariesChangesAll) {
  EXPECT_EQ(with("main.cpp", "\"begin\"", "\"start\""), all) << "what an initialiser reads";
  EXPECT_EQ(with("naive.cpp", "namespace {",
                 "volatile int planted = 1; [[gnu::constructor]] void plant() { planted = 2; }\n"
                 "namespace {"),
            all)
      << "in the file of one variant";
  EXPECT_EQ(with("naive.cpp", "namespace {",
                 "extern \"C\" int puts(const char*) { return 0; }\nnamespace {"),
            all)
      << "in place of a library's";
}

TEST_F(CaseCodeTest, WhatOnlyLibrariesCallAndMemoryWithoutBytesCount) {
  const auto compare = [](const std::string& before, const std::string& after) {
    Sources one = sources(), other = sources();
    one["naive.cpp"] += before;
    other["naive.cpp"] += after;
    const BuiltProgram baseline(one), candidate(other);
    EXPECT_TRUE(baseline.built() && candidate.built());
    return changed(baseline.file(), candidate.file());
  };
  const std::string allocates = "extern \"C\" void* calloc(unsigned long, unsigned long) { return ";
  EXPECT_EQ(compare(allocates + "nullptr; }", allocates + "reinterpret_cast<void*>(64); }"), all);
  EXPECT_EQ(compare("", allocates + "nullptr; }"), all);
  EXPECT_EQ(compare("volatile char pool[100];", "volatile char pool[200];"),
            std::set<std::string>{"gemm/naive"});
}

TEST_F(CaseCodeTest, MemoryOfEachThreadIsComparedForAllThatUseIt) {
  EXPECT_EQ(with("two.cpp", "calls = 3", "calls = 4"), std::set<std::string>{"scan/two"});
}

TEST_F(CaseCodeTest, AnotherVariantChangesNothingElse) {
  Sources more = sources();
  more["gemm_table.cpp"].replace(more["gemm_table.cpp"].find("on_cpu::naive(), on_cpu::tiled()"),
                                 32, "on_cpu::tiled(), on_cpu::added()");
  more["gemm_table.cpp"].replace(more["gemm_table.cpp"].find("Variant naive();"), 16,
                                 "Variant added();");
  more["added.cpp"] = R"(
#include "family.hpp"
namespace ridgeline::gemm::on_cpu {
namespace { int launch(int x) { return common(x) / 17; } }
Variant added() { return {"added", launch}; }
}
)";
  const BuiltProgram candidate(more);
  ASSERT_TRUE(candidate.built());
  EXPECT_EQ(changed(baseline_->file(), candidate.file()), none);
  CaseCode code(baseline_->file(), candidate.file());
  EXPECT_NE(code.difference("gemm", "added", DeviceKind::cpu), "") << "on one side alone";
  EXPECT_NE(code.difference("gemm", "of_another_name", DeviceKind::cpu), "")
      << "may execute any of them";
}

TEST_F(CaseCodeTest, ATableThatMoreThanASuiteReadsLeadsToAll) {
  Sources judged = sources();
  judged["oracle.cpp"] = R"(
#include "family.hpp"
namespace ridgeline::gemm {
namespace { int launch(int x) { return variants().rows[0].launch(x); } }
Variant oracle() { return {"oracle", launch}; }
}
)";
  const BuiltProgram baseline(judged);
  judged["naive.cpp"].replace(judged["naive.cpp"].find("+ 11"), 4, "+ 12");
  const BuiltProgram candidate(judged);
  EXPECT_EQ(changed(baseline.file(), candidate.file()), gemm);
}

TEST_F(CaseCodeTest, ACaseThatIsNotCalledAfterAVariantExecutesAnyOfItsSuite) {
  const auto different = [&](const std::string& file, const std::string& from,
                             const std::string& to) {
    Sources other = sources();
    other[file].replace(other[file].find(from), from.size(), to);
    const BuiltProgram candidate(other);
    return CaseCode(baseline_->file(), candidate.file())
        .difference("gemm", "transpose_naive", DeviceKind::cpu);
  };
  EXPECT_NE(different("naive.cpp", "+ 11", "+ 12"), "");
  EXPECT_EQ(different("one.cpp", "2.5", "3.5"), "");
}

TEST_F(CaseCodeTest, OnlyWhatIsKnownIsTheSame) {
  CaseCode code(baseline_->file(), baseline_->file());
  EXPECT_EQ(code.difference("gemm", "naive", DeviceKind::cpu), "");
  EXPECT_EQ(code.difference("gemm", "naive", DeviceKind::cuda), "no function of naive is known");
  EXPECT_EQ(code.difference("gemm", "naive", DeviceKind::emulated),
            "no function of naive is known");
  EXPECT_EQ(code.difference("sort", "naive", DeviceKind::cpu), "suite sort has no function");
}

TEST_F(CaseCodeTest, FlagsAndLibrariesCount) {
  const BuiltProgram slower(sources(), "-O1");
  EXPECT_EQ(changed(baseline_->file(), slower.file()), all);
  const std::string flags = RIDGELINE_COMPARABLE_FLAGS;
  const BuiltProgram linked(sources(), "-O2", flags + " -Wl,--no-as-needed -lm");
  EXPECT_EQ(changed(baseline_->file(), linked.file()), all);
  const BuiltProgram searched(sources(), "-O2", flags + " -Wl,-rpath,/opt/other");
  EXPECT_EQ(changed(baseline_->file(), searched.file()), all);
  const BuiltProgram beside(sources(), "-O2", flags + " -Wl,-rpath,'$ORIGIN/lib'");
  EXPECT_EQ(changed(beside.file(), beside.file()), all) << "may be another library's folder";
}

TEST_F(CaseCodeTest, WithoutRelocationsNothingIsKnown) {
  const BuiltProgram plain(sources(), "-O2", "");
  EXPECT_EQ(changed(plain.file(), plain.file()), all);
  const BuiltProgram stripped(sources());
  ASSERT_EQ(std::system(("strip " + stripped.file().string()).c_str()), 0);
  EXPECT_EQ(changed(stripped.file(), stripped.file()), all);
  EXPECT_EQ(changed("/nonexistent", baseline_->file()), all);
  EXPECT_EQ(changed(baseline_->file(), "/dev/null"), all);
  EXPECT_EQ(changed(baseline_->file(), std::filesystem::temp_directory_path()), all);
  CaseCode code(plain.file(), plain.file());
  EXPECT_EQ(code.difference("gemm", "naive", DeviceKind::cpu),
            "the baseline's program cannot be followed: it does not say what its code refers to: "
            "it was linked without --emit-relocs, or stripped");
}

TEST_F(CaseCodeTest, SectionsThatAreNotKeptApartAreOne) {
  const BuiltProgram baseline(sources(), "-O2", "-Wl,--emit-relocs");
  EXPECT_EQ(changed(baseline.file(), baseline.file()), none);
  Sources other = sources();
  other["naive.cpp"].replace(other["naive.cpp"].find("+ 11"), 4, "+ 12");
  const BuiltProgram candidate(other, "-O2", "-Wl,--emit-relocs");
  EXPECT_EQ(changed(baseline.file(), candidate.file()), all);
}

std::vector<std::byte> contents(const std::filesystem::path& file) {
  std::ifstream stream(file, std::ios::binary);
  const std::string text(std::istreambuf_iterator<char>(stream), {});
  const auto* const begin = reinterpret_cast<const std::byte*>(text.data());
  return {begin, begin + text.size()};
}

/// Reads it, or refuses it as documented.
bool reads(std::vector<std::byte> bytes) {
  try {
    const ProgramCode program{ElfFile(std::move(bytes))};
    return true;
  } catch (const Error& refused) {
    EXPECT_EQ(refused.kind(), ErrorKind::store) << refused.what();
    return false;
  }
}

TEST_F(CaseCodeTest, FilesThatAreCutOffOrGarbageAreRefused) {
  const std::vector<std::byte> whole = contents(baseline_->file());
  ASSERT_TRUE(reads(whole));
  EXPECT_FALSE(reads({}));
  EXPECT_FALSE(reads(std::vector<std::byte>(1000, std::byte{'x'})));
  for (std::size_t size = 0; size < whole.size(); size += 97)
    EXPECT_FALSE(reads({whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(size)})) << size;
  std::mt19937 random(7);
  for (int i = 0; i < 2000; ++i) {
    std::vector<std::byte> broken = whole;
    for (int k = 0; k < 4; ++k) broken[random() % broken.size()] = std::byte(random());
    // What describes the others stands at the beginning and at the end.
    broken[random() % 64] = std::byte(random());
    broken[broken.size() - 1 - random() % 20'000] = std::byte(random());
    reads(std::move(broken));
  }
}

TEST_F(CaseCodeTest, EveryChangedByteOfCodeIsSeen) {
  const std::vector<std::byte> whole = contents(baseline_->file());
  const std::string one = "_ZN9ridgeline4scan6on_cpu3oneEv";
  const ElfFile file(whole);
  const ProgramCode baseline{ElfFile(whole)};
  const auto follow_all = [](const ProgramCode&, std::uint32_t, std::string_view) { return false; };
  ASSERT_EQ(Comparison(baseline, baseline, follow_all).difference({one}), "");
  ASSERT_NE(baseline.find(one), nullptr);
  const Section& section = file.sections()[baseline.find(one)->node];
  const auto offset = static_cast<std::size_t>(
      std::search(whole.begin(), whole.end(), section.bytes.begin(), section.bytes.end()) -
      whole.begin());
  std::size_t refused = 0;
  for (std::size_t i = 0; i < section.size; ++i) {
    std::vector<std::byte> other = whole;
    other[offset + i] ^= std::byte{1};
    try {
      const ProgramCode candidate{ElfFile(std::move(other))};
      EXPECT_NE(Comparison(baseline, candidate, follow_all).difference({one}), "") << i;
    } catch (const Error&) {
      ++refused;  // where a relocation says something else
    }
  }
  EXPECT_GT(refused, 0u);
  EXPECT_LT(refused, section.size);
}

#ifdef RIDGELINE_NVCC
/// Two variants with kernels, in a program that registers both before main().
class CudaCodeTest : public testing::Test {
 protected:
  static Sources kernels() {
    Sources made = sources();
    made["gemm_table.cpp"] = R"(
#include "family.hpp"
namespace ridgeline::gemm {
namespace on_cuda { Variant naive(); Variant tiled(); }
Table variants() { return {{on_cuda::naive(), on_cuda::tiled()}}; }
}
)";
    for (const char* const name : {"naive", "tiled"}) {
      made.erase(fmt::format("{}.cpp", name));
      made[fmt::format("{}.cu", name)] = fmt::format(R"(
#include "family.hpp"
#include "scale.cuh"
namespace ridgeline::gemm::on_cuda {{
namespace {{
__constant__ float factor = 2.5f;
__global__ void kernel(float* x) {{ x[threadIdx.x] = scaled(x[threadIdx.x]) * factor + {}; }}
int launch(int n) {{ kernel<<<1, n>>>(nullptr); return n; }}
}}
Variant {}() {{ return {{"{}", launch}}; }}
}}
)",
                                                     name[0] == 'n' ? 7 : 9, name, name);
    }
    made["scale.cuh"] = "inline __device__ float scaled(float x) { return x * x; }\n";
    made.erase("shaped.cpp");
    return made;
  }

  /// Which of the two are not the same.
  static std::set<std::string> changed(const BuiltProgram& a, const BuiltProgram& b) {
    EXPECT_TRUE(a.built() && b.built());
    CaseCode code(a.file(), b.file());
    std::set<std::string> found;
    for (const char* const variant : {"naive", "tiled"})
      if (!code.difference("gemm", variant, DeviceKind::cuda).empty()) found.insert(variant);
    return found;
  }
};

TEST_F(CudaCodeTest, AKernelBelongsToTheVariantOfItsFile) {
  const Sources before = kernels();
  const BuiltProgram baseline(before);
  EXPECT_EQ(changed(baseline, BuiltProgram(before)), none) << "in another folder";
  const auto with = [&](const std::string& file, const std::string& from, const std::string& to) {
    Sources after = before;
    after[file].replace(after[file].find(from), from.size(), to);
    return changed(baseline, BuiltProgram(after));
  };
  EXPECT_EQ(with("naive.cu", "+ 7", "+ 8"), std::set<std::string>{"naive"});
  EXPECT_EQ(with("tiled.cu", "2.5f", "3.5f"), std::set<std::string>{"tiled"}) << "constant memory";
  EXPECT_EQ(with("tiled.cu", "<<<1, n>>>", "<<<2, n>>>"), std::set<std::string>{"tiled"});
  EXPECT_EQ(with("scale.cuh", "x * x", "x + x"), (std::set<std::string>{"naive", "tiled"}));
}

TEST_F(CudaCodeTest, KernelsThatAreRegisteredInAnotherWayBelongToAll) {
  Sources after = kernels();
  const BuiltProgram baseline(after, "-O0");
  EXPECT_EQ(changed(baseline, baseline), none);
  after["naive.cu"].replace(after["naive.cu"].find("+ 7"), 3, "+ 8");
  EXPECT_EQ(changed(baseline, BuiltProgram(after, "-O0")),
            (std::set<std::string>{"naive", "tiled"}));
}
#endif

}  // namespace case_code_test
}  // namespace ridgeline::code
