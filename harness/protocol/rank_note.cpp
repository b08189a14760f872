#include "harness/protocol/rank_note.hpp"

#include <charconv>
#include <cstddef>
#include <system_error>
#include <variant>

#include <fmt/core.h>

#include "harness/base/error.hpp"
#include "harness/base/text.hpp"
#include "harness/protocol/json.hpp"

namespace ridgeline::protocol {
namespace {

constexpr std::string_view marker = "ridgeline-rank ";
constexpr std::size_t most_text_bytes = 800;  // POSIX keeps 4096 bytes of a write together

}  // namespace

std::string to_line(const RankNote& note) {
  Failure failure = note.failure;
  failure.message = printable(failure.message, most_text_bytes);
  failure.advice = printable(failure.advice, most_text_bytes);
  return fmt::format("\n{}{} {}", marker, note.rank, to_line(AnyAnswer(failure)));
}

std::optional<RankNote> parse_rank_note(std::string_view line) {
  const std::size_t at = line.find(marker);
  if (at == std::string_view::npos) return std::nullopt;
  const std::string_view said = line.substr(at + marker.size());
  RankNote note;
  const auto [end, failed] = std::from_chars(said.data(), said.data() + said.size(), note.rank);
  if (failed != std::errc() || note.rank < 0) return std::nullopt;
  try {
    const std::string_view message = said.substr(static_cast<std::size_t>(end - said.data()));
    auto answer = parse_answer<Opened>(message);
    auto* failure = std::get_if<Failure>(&answer);
    if (failure == nullptr) return std::nullopt;
    note.failure = std::move(*failure);
    return note;
  } catch (const Error&) {
    return std::nullopt;  // words of somebody else's
  }
}

}  // namespace ridgeline::protocol
