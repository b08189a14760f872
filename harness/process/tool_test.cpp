#include "harness/process/tool.hpp"

#include <optional>
#include <string>

#include <gtest/gtest.h>

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

}  // namespace tool_test
}  // namespace ridgeline::process
