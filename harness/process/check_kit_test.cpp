#include "harness/process/check_kit.hpp"

#include <fstream>
#include <optional>
#include <utility>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <stdlib.h>

#include "harness/base/error.hpp"
#include "harness/store/temporary_folder.hpp"

namespace ridgeline::process {
namespace check_kit_test {

namespace fs = std::filesystem;

/// An unpacked archive with a compiler of version 1.2.3 and a folder with CUDA's headers beside it.
class CheckKit : public testing::Test {
 protected:
  CheckKit() : folder(temporary.path() / "unpacked"), toolkit(temporary.path() / "toolkit") {
    program(temporary.path() / "bin/g++", "1.2.3");
    fs::create_symlink("/usr/bin/env", temporary.path() / "bin/env");
    fs::create_directories(toolkit / "include");
    const std::ofstream header(toolkit / "include/cuda_fp16.h");
    set("PATH", temporary.path() / "bin");
    set("CUDA_HOME", toolkit);
    kit = {{"launcher", {"@ridgeline@/lib/ridgeline/compile_kernels"}},
           {"compiler", "/nowhere/c++"},
           {"compiler_version", "1.2.3"},
           {"cuda_headers", {"/nowhere/include"}},
           {"flags", {"-O1", "-I@ridgeline@/include"}},
           {"link", {"@ridgeline@/lib/ridgeline/libx.a", "-ldl"}},
           {"rewriter", "@ridgeline@/lib/ridgeline/rewrite_program"},
           {"program_flags", {"-I@ridgeline@/include/program"}},
           {"program_link", {"@ridgeline@/lib/ridgeline/libprogram.a"}}};
  }
  ~CheckKit() override {
    for (const auto& [name, value] : before)
      value ? setenv(name, value->c_str(), 1) : unsetenv(name);
  }

  static void program(const fs::path& path, const std::string& version) {
    fs::create_directories(path.parent_path());
    std::ofstream(path) << "#!/bin/sh\necho " << version << "\n";
    fs::permissions(path, fs::perms::owner_all);
  }
  void set(const char* name, const fs::path& value) {
    const char* old = getenv(name);
    before.emplace_back(name, old ? std::optional<std::string>(old) : std::nullopt);
    setenv(name, value.c_str(), 1);
  }
  Kit read() {
    fs::create_directories(folder / "lib/ridgeline");
    std::ofstream(folder / "lib/ridgeline/check.json") << kit;
    return read_kit(folder);
  }
  std::string failure() {
    try {
      read();
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::dependency);
      return std::string(error.what()) + "; " + error.advice();
    }
    return "";
  }

  store::TemporaryFolder temporary;
  fs::path folder, toolkit;
  nlohmann::json kit;
  std::vector<std::pair<const char*, std::optional<std::string>>> before;
};

using Words = std::vector<std::string>;

TEST_F(CheckKit, OfAnUnpackedArchiveIsFoundWhereItIsNow) {
  const Kit found = read();
  EXPECT_EQ(found.compiler,
            Words({folder / "lib/ridgeline/compile_kernels", temporary.path() / "bin/g++"}));
  EXPECT_EQ(found.flags, Words({"-O1", "-I" + (folder / "include").string(), "-isystem",
                                toolkit / "include", "-isystem", toolkit / "include/cccl"}));
  EXPECT_EQ(found.link, Words({folder / "lib/ridgeline/libx.a", "-ldl"}));
  EXPECT_EQ(found.note, "");
}

TEST_F(CheckKit, KeepsTheCompilerAndTheHeadersOfItsBuild) {
  const fs::path compiler = temporary.path() / "c++", headers = temporary.path() / "other";
  program(compiler, "1.2.3");
  fs::create_directories(headers);
  const std::ofstream header(headers / "cuda_fp16.h");
  kit["compiler"] = compiler;
  kit["cuda_headers"] = {headers};
  EXPECT_EQ(read().compiler.back(), compiler);
  EXPECT_EQ(read().flags.back(), headers / "cccl");
}

TEST_F(CheckKit, FindsTheHeadersBesideNvcc) {
  setenv("CUDA_HOME", "", 1);
  program(toolkit / "bin/nvcc", "");
  setenv("PATH", ((toolkit / "bin").string() + ":" + (temporary.path() / "bin").string()).c_str(),
         1);
  EXPECT_EQ(read().flags.back(), toolkit / "include/cccl");
}

TEST_F(CheckKit, OfAWheelLiesBelowShareAndTakesHeadersFromNvidiasWheels) {
  const fs::path environment = temporary.path() / "environment",
                 headers = environment / "lib/python3.12/site-packages/nvidia/cu13/include";
  fs::create_directories(environment / "share/ridgeline/lib/ridgeline");
  std::ofstream(environment / "share/ridgeline/lib/ridgeline/check.json") << kit;
  fs::create_directories(headers);
  const std::ofstream header(headers / "cuda_fp16.h");
  setenv("CUDA_HOME", "", 1);
  const Kit found = read_kit(environment);
  EXPECT_EQ(found.flags.back(), headers / "cccl");
  EXPECT_EQ(found.link.front(), environment / "share/ridgeline/lib/ridgeline/libx.a");
}

TEST_F(CheckKit, SaysThatAnotherCompilerCountsItsOwnCode) {
  kit["compiler_version"] = "9.8.7";
  EXPECT_EQ(
      read().note,
      (temporary.path() / "bin/g++").string() +
          " is of version 1.2.3, and Ridgeline was built by 9.8.7: counts are those of its code");
}

TEST_F(CheckKit, NamesWhatIsMissing) {
  fs::remove(temporary.path() / "bin/g++");
  EXPECT_EQ(failure(),
            "there is no compiler: no /nowhere/c++, and no g++ on the PATH; install g++");
  program(temporary.path() / "bin/g++", "1.2.3");
  if (!fs::exists("/usr/local/cuda/include/cuda_fp16.h")) {
    fs::remove(toolkit / "include/cuda_fp16.h");
    EXPECT_TRUE(
        failure().starts_with("CUDA's headers are not here: no cuda_fp16.h in /nowhere/include, " +
                              toolkit.string() + "/include, "));
  }
  fs::remove(folder / "lib/ridgeline/check.json");
  EXPECT_THROW(read_kit(folder), Error);
}

}  // namespace check_kit_test
}  // namespace ridgeline::process
