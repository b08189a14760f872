#include <algorithm>
#include <set>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "harness/base/text.hpp"
#include "harness/present/claims.hpp"
#include "harness/present/claims_words.hpp"
#include "harness/present/markdown.hpp"
#include "harness/present/table.hpp"

namespace ridgeline::present {
namespace {

std::string device_heading(const ClaimsOfDevice& of) {
  return of.device ? fmt::format("{} ({})", printable(of.device->name), printable(of.device->model))
                   : fmt::format("No device of kind {}", to_string(of.kind));
}

std::string check_lines(const JudgedCheck& check, bool alone, std::size_t width) {
  const ClaimWords words = words_of(check);
  std::string text = alone ? "" : fmt::format("when {}: ", words.when);
  if (!words.measured.empty()) text += fmt::format("measured {}; ", words.measured);
  if (!words.border.empty()) text += fmt::format("textbook {}; ", words.border);
  text += words.verdict;
  text = "  " + wrapped(text, width, 4, 2);
  if (!words.command.empty()) text += "    " + wrapped(words.command, width, 6, 4);
  return text;
}

std::string device_lines(const ClaimsOfDevice& of, std::size_t width) {
  std::string text = device_heading(of) + "\n" + wrapped(claims_counted(of), width, 2);
  for (const JudgedClaim& judged : of.claims) {
    const analysis::Claim& claim = judged.claim;
    text +=
        "\n" + wrapped(fmt::format("{}: {}", printable(claim.title), words_of(judged)), width, 2);
    text += "  " + wrapped(printable(claim.says, 1000), width, 2, 2);
    text += "  " + wrapped(printable(claim.conditions, 1000), width, 2, 2);
    for (const JudgedCheck& check : judged.checks)
      text += check_lines(check, judged.checks.size() == 1, width);
  }
  if (const auto runs = runs_taken(of); !runs.empty())
    text += "\n" + wrapped(fmt::format("Results are of {}.", fmt::join(runs, ", ")), width, 2);
  return text;
}

/// As code, which has no escapes.
std::string claim_code(std::string text) {
  std::erase_if(text, [](char c) { return c == '`' || c == '|'; });
  return text.empty() ? "" : "`" + text + "`";
}

std::string device_page(const ClaimsOfDevice& of) {
  using Row = std::vector<std::string>;
  std::vector<Row> rows;
  for (const JudgedClaim& judged : of.claims) {
    const analysis::Claim& claim = judged.claim;
    const bool alone = judged.checks.size() == 1;
    Row first{fmt::format("**{}**: {}", markdown_cell(printable(claim.title)),
                          markdown_cell(printable(claim.says, 1000))),
              markdown_cell(printable(claim.conditions, 1000)),
              "",
              "",
              fmt::format("**{}**", markdown_cell(words_of(judged))),
              ""};
    if (!alone) rows.push_back(first);
    for (const JudgedCheck& check : judged.checks) {
      const ClaimWords words = words_of(check);
      Row row{"",
              "when " + markdown_cell(words.when),
              words.border,
              markdown_cell(words.measured),
              markdown_cell(words.verdict),
              claim_code(words.command)};
      if (alone) {
        row[0] = first[0];
        row[1] = first[1];
        row[4] = fmt::format("**{}**", row[4]);
      }
      rows.push_back(row);
    }
  }
  std::string text =
      fmt::format("## {}\n\n{}\n\n", markdown_cell(device_heading(of)), claims_counted(of)) +
      markdown_table(
          {{"claim"}, {"conditions"}, {"textbook"}, {"measured"}, {"verdict"}, {"to measure it"}},
          rows);
  if (const auto runs = runs_taken(of); !runs.empty()) {
    std::vector<std::string> codes;
    for (const std::string& run : runs) codes.push_back(claim_code(run));
    text += fmt::format("\nResults are of the runs {}.\n", fmt::join(codes, ", "));
  }
  return text;
}

}  // namespace

std::string claims_text(const std::vector<ClaimsOfDevice>& devices, std::size_t width) {
  std::string text;
  for (const ClaimsOfDevice& of : devices)
    text += (text.empty() ? "" : "\n") + device_lines(of, width);
  return text;
}

std::string claims_markdown(const std::vector<ClaimsOfDevice>& devices) {
  std::string text;
  for (const ClaimsOfDevice& of : devices) text += (text.empty() ? "" : "\n") + device_page(of);
  return text;
}

}  // namespace ridgeline::present
