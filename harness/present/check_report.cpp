#include "harness/present/check_report.hpp"

#include <algorithm>
#include <filesystem>
#include <set>
#include <string_view>
#include <system_error>
#include <utility>

#include <fmt/core.h>

#include "harness/base/text.hpp"

namespace ridgeline::present {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t most_findings = 1000, most_text = 4000;

/// Below the working folder, where CI systems look for it.
std::string below_here(const std::string& file) {
  std::error_code failure;
  const fs::path path = fs::relative(file, fs::current_path(failure), failure);
  if (failure || path.empty() || path.begin()->string() == "..") return file;
  return path.string();
}

std::string text_member(const json::Value& of, std::string_view name) {
  const json::Value* found = of.find(name);
  return found != nullptr && found->is_text() ? printable(found->text(), most_text) : "";
}

std::string xml_text(std::string_view text) {
  constexpr std::pair<char, const char*> entities[] = {
      {'&', "&amp;"}, {'<', "&lt;"}, {'>', "&gt;"}, {'"', "&quot;"}, {'\'', "&apos;"}};
  std::string out;
  for (const char letter : text) {
    const auto* found = std::ranges::find(entities, letter, &std::pair<char, const char*>::first);
    if (found == std::end(entities))
      out += letter;
    else
      out += found->second;
  }
  return out;
}

std::string command_text(std::string_view text, std::string_view special) {
  std::string out;
  for (const char letter : text)
    out += special.find(letter) == std::string_view::npos
               ? std::string(1, letter)
               : fmt::format("%{:02X}", static_cast<int>(letter));
  return out;
}

/// The finding's sentence, and what to do about it.
std::string with_remedy(const CheckReport::Finding& finding) {
  if (finding.remedy.empty()) return finding.text;
  return fmt::format("{}\nremedy: {}", finding.text, finding.remedy);
}

bool is_fine(const CheckReport& report) { return report.outcome == "counted"; }

/// What a report without findings says.
std::string whole(const CheckReport& report) {
  return report.reason.empty() ? report.outcome : report.reason;
}

}  // namespace

CheckReport check_report(const std::string& file, const json::Value& written) {
  CheckReport report{.file = below_here(file),
                     .outcome = text_member(written, "outcome"),
                     .reason = text_member(written, "reason"),
                     .findings = {}};
  const json::Value* findings = written.find("findings");
  if (findings == nullptr || !findings->is_array()) return report;
  for (const json::Value& each : findings->elements()) {
    if (report.findings.size() == most_findings) break;
    CheckReport::Finding finding{.check = text_member(each, "check"),
                                 .file = text_member(each, "file"),
                                 .line = 0,
                                 .text = text_member(each, "text"),
                                 .remedy = text_member(each, "remedy")};
    if (!finding.file.empty()) finding.file = below_here(finding.file);
    if (const json::Value* line = each.find("line"); line != nullptr && line->is_integer())
      finding.line = static_cast<int>(std::clamp<std::int64_t>(line->integer(), 0, 1 << 30));
    report.findings.push_back(std::move(finding));
  }
  return report;
}

std::string check_junit(const CheckReport& report) {
  const bool fine = is_fine(report), failed = report.outcome == "wrong_result";
  std::string text = fmt::format(
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n<testsuite name=\"ridgeline "
      "check\" tests=\"1\" failures=\"{}\" errors=\"{}\">\n<testcase classname=\"ridgeline check\" "
      "name=\"{}\">",
      failed ? 1 : 0, !fine && !failed ? 1 : 0, xml_text(printable(report.file, most_text)));
  if (!fine) {
    std::string all;
    for (const auto& finding : report.findings) all += xml_text(with_remedy(finding)) + "\n";
    const char* kind = failed ? "failure" : "error";
    text += fmt::format("<{} message=\"{}\" type=\"{}\">{}</{}>", kind, xml_text(whole(report)),
                        xml_text(report.outcome), all, kind);
  }
  return text + "</testcase>\n</testsuite>\n</testsuites>\n";
}

std::string check_sarif(const CheckReport& report) {
  json::Value results = json::Value::array(), rules = json::Value::array();
  std::set<std::string> known;
  const auto add = [&](const CheckReport::Finding& finding) {
    const std::string rule = finding.check.empty() ? report.outcome : finding.check;
    if (known.insert(rule).second) {
      json::Value one = json::Value::object();
      one["id"] = rule;
      if (!finding.remedy.empty()) one["help"]["text"] = finding.remedy;
      rules.push_back(std::move(one));
    }
    json::Value result = json::Value::object();
    result["ruleId"] = rule;
    result["level"] = "error";
    result["message"]["text"] = finding.text;
    json::Value place = json::Value::object();
    place["physicalLocation"]["artifactLocation"]["uri"] =
        finding.file.empty() ? report.file : finding.file;
    place["physicalLocation"]["region"]["startLine"] = std::max(finding.line, 1);
    result["locations"].push_back(std::move(place));
    results.push_back(std::move(result));
  };
  for (const CheckReport::Finding& finding : report.findings) add(finding);
  if (report.findings.empty() && !is_fine(report)) add({report.outcome, "", 0, whole(report), ""});
  json::Value run = json::Value::object();
  run["tool"]["driver"]["name"] = "ridgeline check";
  run["tool"]["driver"]["rules"] = std::move(rules);
  run["results"] = std::move(results);
  json::Value all = json::Value::object();
  all["version"] = "2.1.0";
  all["$schema"] = "https://json.schemastore.org/sarif-2.1.0.json";
  all["runs"].push_back(std::move(run));
  return all.dump(2) + "\n";
}

std::string check_github(const CheckReport& report) {
  std::string text;
  const auto add = [&](const CheckReport::Finding& finding) {
    text += fmt::format("::error file={},line={},title={}::{}\n",
                        command_text(finding.file.empty() ? report.file : finding.file, "%:,"),
                        std::max(finding.line, 1), command_text(finding.check, "%:,"),
                        command_text(with_remedy(finding), "%\n"));
  };
  for (const CheckReport::Finding& finding : report.findings) add(finding);
  if (report.findings.empty() && !is_fine(report)) add({report.outcome, "", 0, whole(report), ""});
  return text;
}

}  // namespace ridgeline::present
