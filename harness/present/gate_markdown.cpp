#include <cctype>

#include <fmt/core.h>

#include "harness/base/text.hpp"
#include "harness/present/gate_words.hpp"

namespace ridgeline::present {
namespace {

// A job summary holds 1 MiB a step; some is left for what else the step writes.
constexpr std::size_t most_bytes = 1'000'000, most_note_bytes = 100'000,
                      most_command_bytes = 100'000;

/// `text` as it is, whatever it holds: what Markdown or HTML could read as markup becomes a
/// character reference, which never is markup. An underscore within a word is none, and stays.
std::string escaped_markdown(std::string_view text) {
  const std::string shown = printable(text, 20'000);
  const auto word = [&](std::size_t i) {
    return i < shown.size() && std::isalnum(static_cast<unsigned char>(shown[i]));
  };
  std::string out;
  for (std::size_t i = 0; i < shown.size(); ++i) {
    const char c = shown[i];
    const bool inside = c == '_' && i > 0 && word(i - 1) && word(i + 1);
    if (std::string_view("&<>|\\`*_[]~$@#!").find(c) != std::string_view::npos && !inside)
      out += fmt::format("&#{};", static_cast<int>(c));
    else
      out += c;
  }
  return out;
}

std::string code(std::string_view text) {
  return text.empty() ? "" : fmt::format("<code>{}</code>", escaped_markdown(text));
}

std::string row_text(const GateRow& row, const record::CaseVerdict& verdict, bool variants,
                     bool counts) {
  const bool bold = fails(verdict);
  std::string text = fmt::format("| {} |", code(row.case_name));
  if (variants) text += fmt::format(" {} |", code(row.baseline));
  text += fmt::format(" {} |", bold ? fmt::format("**{}**", escaped_markdown(row.verdict))
                                    : escaped_markdown(row.verdict));
  if (counts)
    return text + fmt::format(" {} | {} | {} | {} | {} | {} |\n", code(row.metric),
                              row.baseline_value, row.candidate_value, row.ratio, row.delta,
                              escaped_markdown(row.why));
  return text + fmt::format(" {} | {} | {} | {} | {} | {} |\n", row.change, row.interval, row.delta,
                            row.pairs, row.noise, escaped_markdown(row.why));
}

/// Appends as many whole items as fit into `room` bytes, and says how many do not.
template <class Items, class Text>
void append_whole(std::string& to, const Items& items, std::size_t room, const char* what,
                  Text text) {
  std::size_t shown = 0, used = 0;
  for (const auto& item : items) {
    const std::string next = text(item);
    if (used + next.size() > room) break;
    to += next;
    used += next.size();
    ++shown;
  }
  if (shown < items.size())
    to += fmt::format(
        "\n**{} more {} not shown here: this page holds 1 MiB. The gate's other outputs have "
        "all.**\n",
        items.size() - shown, what);
}

/// Of one gate, in so many bytes.
std::string page(const GateReport& report, std::size_t most) {
  std::string tail = "\n";
  if (!report.repeat.empty())
    tail += report.repeat.size() > most_command_bytes
                ? "The command that repeats what failed is too long for this page; the gate's "
                  "other outputs have it.\n"
                : fmt::format("Repeat:\n\n```sh\n{}\n```\n",
                              printable(report.repeat, 4 * most_command_bytes));
  const std::string resume = resume_command(report);
  if (!resume.empty())
    tail += fmt::format("Resume:\n\n```sh\n{}\n```\n", printable(resume, 4 * most_command_bytes));

  std::string text =
      fmt::format("### Ridgeline {}\n\n", escaped_markdown(gate_title(report.gate, report.device)));
  for (const std::string& line : conclusions(report))
    text += fmt::format("- {}\n", escaped_markdown(line));
  append_whole(text, report.notes, most_note_bytes, "notes are", [](const std::string& note) {
    return fmt::format("- {}\n", escaped_markdown(note));
  });
  const std::vector<record::CaseVerdict> verdicts = with_rows(report);
  if (!verdicts.empty()) {
    const bool variants = compares_variants(report), counts = compares_counts(report);
    text += fmt::format("\n| case |{} verdict |", variants ? " against |" : "");
    text += counts ? std::string(" metric | baseline | candidate | ratio | allowed | why |\n")
                   : fmt::format(" change | 95% interval | delta | {} | noise | why |\n",
                                 counted(report.gate));
    text += fmt::format("|---|{}---|{}---|\n", variants ? "---|" : "",
                        counts ? "---|--:|--:|--:|--:|" : "--:|--:|--:|---|--:|");
    const std::size_t used = text.size() + tail.size() + 1000;
    append_whole(text, verdicts, used < most ? most - used : 0, "cases are",
                 [&](const record::CaseVerdict& verdict) {
                   return row_text(gate_row(report, verdict), verdict, variants, counts);
                 });
  }
  return text + tail;
}

}  // namespace

std::string gate_markdown(const GateReport& report) { return page(report, most_bytes); }

std::string gate_markdown(std::span<const GateReport> reports) {
  std::string text;
  for (const GateReport& report : reports) text += page(report, most_bytes / reports.size());
  return text;
}

}  // namespace ridgeline::present
