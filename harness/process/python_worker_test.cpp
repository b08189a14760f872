#include "harness/process/python_worker.hpp"

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include <gtest/gtest.h>
#include <unistd.h>

#include "harness/base/error.hpp"

namespace ridgeline::process {
namespace python_worker_test {

namespace fs = std::filesystem;

class PythonWorker : public testing::Test {
 protected:
  void SetUp() override { fs::create_directories(folder_); }
  void TearDown() override {
    unsetenv("RIDGELINE_PYTHON");
    fs::remove_all(folder_);
  }

  fs::path write(const std::string& name, const std::string& text, bool executable) {
    fs::path file = folder_ / name;
    std::ofstream(file) << text;
    if (executable) fs::permissions(file, fs::perms::owner_all);
    return file;
  }

  const fs::path folder_ =
      fs::temp_directory_path() / ("python-worker-" + std::to_string(getpid()));
};

TEST_F(PythonWorker, ServesFilesOfCasesAndLeavesProgramsAlone) {
  EXPECT_TRUE(is_case_file(write("a.py", "import ridgeline as rl\n", false)));
  EXPECT_TRUE(is_case_file(write("b.py", "#!/bin/sh\n\n  from ridgeline import case\n", true)));
  EXPECT_TRUE(is_case_file(write("c.py", "x = (\n", false))) << "Python will say what is wrong";
  EXPECT_FALSE(is_case_file(write("d.py", "import ridgelines\n# import ridgeline\n", true)));
  EXPECT_FALSE(is_case_file(write("e", "import ridgeline\n", false)));
}

TEST_F(PythonWorker, IsStartedByThePythonThatIsNamed) {
  const fs::path file = write("mine.py", "import ridgeline\n", false);
  const fs::path python = write("python", "", true);
  setenv("RIDGELINE_PYTHON", python.c_str(), 1);
  const Command command = worker_command(file);
  EXPECT_EQ(command.program, python);
  EXPECT_EQ(command.arguments,
            (std::vector<std::string>{"-m", "ridgeline", file.string(), "--worker"}));

  setenv("RIDGELINE_PYTHON", "no-such-python", 1);
  EXPECT_THROW(worker_command(file), Error);
  const fs::path program = write("worker", "", true);
  EXPECT_EQ(worker_command(program).program, program);
  EXPECT_EQ(worker_command(program).arguments, std::vector<std::string>{"--worker"});
}

TEST_F(PythonWorker, IsGivenWhatDrawsByCiSetupInACloneAlone) {
  EXPECT_EQ(how_to_draw("/a folder/share", "/env/python3"),
            "run /env/python3 -m pip install -r '/a folder/share/reports/requirements.txt', or set "
            "RIDGELINE_PYTHON to a Python that has what that file names");
  EXPECT_EQ(how_to_draw("/share", ""),
            "set RIDGELINE_PYTHON to a Python that has /share/reports/requirements.txt");
  fs::create_directories(folder_ / "ci");
  write("ci/setup", "", true);
  for (const char* interpreter : {"", "python3"})
    EXPECT_EQ(
        how_to_draw(folder_, interpreter),
        "run ci/setup, or set RIDGELINE_PYTHON to a Python that has reports/requirements.txt");
}

}  // namespace python_worker_test
}  // namespace ridgeline::process
