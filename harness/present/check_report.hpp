#pragma once

#include <string>
#include <vector>

#include "harness/base/json.hpp"

namespace ridgeline::present {

/// What a check came to, in the formats of CI systems.
struct CheckReport {
  struct Finding {
    std::string check;  // "race (read after write)"
    std::string file;   // below the folder that the command runs in, where it is; may be empty
    int line = 0;
    std::string text;
    std::string remedy;  // what to do about it; may be empty
  };
  std::string file;     // that was checked
  std::string outcome;  // "counted", "wrong_result", "unsupported", "timeout", "not_built"
  std::string reason;
  std::vector<Finding> findings;
};

/// Of the JSON that the checked program wrote, which is not trusted. Files are named relative to
/// the working folder where they lie below it.
CheckReport check_report(const std::string& file, const json::Value& written);

/// A test case per file that was checked, which fails with its findings.
std::string check_junit(const CheckReport& report);
/// SARIF 2.1.0, which code scanning takes.
std::string check_sarif(const CheckReport& report);
/// Workflow commands of GitHub: an annotation for each finding.
std::string check_github(const CheckReport& report);

}  // namespace ridgeline::present
