#include "harness/protocol/rank_note.hpp"

#include <charconv>
#include <cstddef>
#include <system_error>

#include <fmt/core.h>

#include "harness/base/error.hpp"
#include "harness/base/text.hpp"
#include "harness/protocol/json.hpp"

namespace ridgeline::protocol {
namespace {

constexpr std::string_view marker = "ridgeline-rank ", beat = " beat ", idle = " idle",
                           busy = " busy";
constexpr std::size_t most_text_bytes = 800,  // POSIX keeps 4096 bytes of a write together
    most_read_bytes = 1000;                   // of such a text with what a cut adds

bool take(std::string_view& text, std::string_view expected) {
  if (!text.starts_with(expected)) return false;
  text.remove_prefix(expected.size());
  return true;
}

template <class Number>
bool take_number(std::string_view& text, Number& number) {
  const auto [end, failed] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (failed != std::errc()) return false;
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  return true;
}

Failure cut(Failure failure, std::size_t bytes) {
  failure.message = printable(failure.message, bytes);
  failure.advice = printable(failure.advice, bytes);
  return failure;
}

std::string text_of(const Failure& failure) {
  return fmt::format(" {}", to_line(AnyAnswer(cut(failure, most_text_bytes))));
}
std::string text_of(const Beat& said) {
  return fmt::format("{}{}{}\n", beat, said.meetings, said.is_idle ? idle : busy);
}

std::optional<Beat> parse_beat(std::string_view text) {
  Beat said;
  if (!take_number(text, said.meetings)) return std::nullopt;
  said.is_idle = text == idle;
  return said.is_idle || text == busy ? std::optional(said) : std::nullopt;
}

std::optional<Failure> parse_failure(std::string_view text) {
  try {
    auto answer = parse_answer<Opened>(text);
    auto* failure = std::get_if<Failure>(&answer);
    if (failure == nullptr) return std::nullopt;
    return cut(std::move(*failure), most_read_bytes);
  } catch (const Error&) {
    return std::nullopt;  // words of somebody else's
  }
}

}  // namespace

std::string to_line(const RankNote& note, std::string_view token) {
  return fmt::format("\n{}{} {}{}", marker, token, note.rank,
                     std::visit([](const auto& said) { return text_of(said); }, note.said));
}

std::optional<RankNote> parse_rank_note(std::string_view line, std::string_view token, int ranks) {
  const std::size_t at = line.find(marker);
  if (at == std::string_view::npos) return std::nullopt;
  std::string_view text = line.substr(at + marker.size());
  RankNote note;
  if (!take(text, token) || !take(text, " ") || !take_number(text, note.rank) || note.rank < 0 ||
      note.rank >= ranks)
    return std::nullopt;
  if (take(text, beat)) {
    const auto said = parse_beat(text);
    if (said) note.said = *said;
    return said ? std::optional(note) : std::nullopt;
  }
  auto failure = parse_failure(text);
  if (!failure || note.rank == 0) return std::nullopt;  // rank 0 answers
  note.said = std::move(*failure);
  return note;
}

}  // namespace ridgeline::protocol
