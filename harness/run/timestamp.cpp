#include "harness/run/timestamp.hpp"

#include <charconv>
#include <ctime>
#include <utility>

#include <fmt/core.h>
#include <sys/random.h>

#include "harness/base/error.hpp"
#include "harness/base/text.hpp"

namespace ridgeline::run {
namespace {

std::string now(const char* format, std::int64_t seconds_ago = 0) {
  const std::time_t seconds = std::time(nullptr) - seconds_ago;
  std::tm fields = {};
  gmtime_r(&seconds, &fields);
  char text[32];
  return std::string(text, std::strftime(text, sizeof text, format, &fields));
}

std::uint64_t random_seed() {
  std::uint64_t seed = 0;
  require(getrandom(&seed, sizeof seed, 0) == sizeof seed, "the system gives random bytes");
  return seed >> 11;
}

}  // namespace

std::string timestamp(std::int64_t seconds_ago) { return now("%Y-%m-%dT%H:%M:%SZ", seconds_ago); }

std::string new_run_id() {
  static std::string second;
  static std::uint64_t number = 0;  // 24 bits
  if (std::string current = now("%Y%m%dT%H%M%SZ"); current == second) {
    ++number;
  } else {
    second = std::move(current);
    number = random_seed() & 0x7fffff;  // there is room to count on
  }
  return fmt::format("{}-{:06x}", second, number);
}

std::uint64_t parse_seed(const std::string& text) {
  if (text.empty()) return random_seed();
  std::uint64_t seed = 0;
  const char* end = text.data() + text.size();
  if (const auto [rest, error] = std::from_chars(text.data(), end, seed);
      error != std::errc{} || rest != end)
    throw Error(ErrorKind::usage,
                fmt::format("--seed {} is not a whole number from 0 to 2^64 - 1", printable(text)));
  return seed;
}

}  // namespace ridgeline::run
