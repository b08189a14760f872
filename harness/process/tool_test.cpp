#include "harness/process/tool.hpp"

#include <optional>
#include <sstream>
#include <string>

#include <gtest/gtest.h>
#include <unistd.h>

#include "harness/process/descendants.hpp"
#include "harness/process/interrupt.hpp"

namespace ridgeline::process {
namespace tool_test {

TEST(RunTool, TellsByItsStatusWhetherItWentWell) {
  const struct {
    const char* script;
    std::optional<int> exit_code;
  } rows[] = {
      {"exit 0", 0}, {"echo exited with code 0; exit 3", 3}, {"kill -KILL $$", std::nullopt}};
  for (const auto& row : rows) {
    const ToolResult result = run_tool({"sh", {"-c", row.script}, {}});
    EXPECT_EQ(result.exit_code, row.exit_code) << row.script;
    EXPECT_EQ(result.fine, row.exit_code == 0) << row.script;
  }
}

TEST(RunTool, OneInterruptEndsItAlsoWhereItsGuardIsStopped) {
  // Without an end of its own, the wait would last until the tool resumes its guard.
  const std::string script = "kill -STOP $PPID; kill -INT " + std::to_string(getpid()) +
                             "; sleep 60; echo went on; kill -CONT $PPID";
  const Interrupt interrupt;
  std::ostringstream printed;
  EXPECT_THROW(run_tool({"sh", {"-c", script}, {}}, nullptr, &printed), Interrupted);
  EXPECT_EQ(printed.str(), "");
  EXPECT_TRUE(descendants(getpid()).empty());
}

}  // namespace tool_test
}  // namespace ridgeline::process
