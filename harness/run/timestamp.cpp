#include "harness/run/timestamp.hpp"

#include <ctime>

#include <fmt/core.h>
#include <sys/random.h>

#include "harness/base/error.hpp"

namespace ridgeline::run {
namespace {

std::string now(const char* format) {
  const std::time_t seconds = std::time(nullptr);
  std::tm fields = {};
  gmtime_r(&seconds, &fields);
  char text[32];
  return std::string(text, std::strftime(text, sizeof text, format, &fields));
}

}  // namespace

std::string timestamp() { return now("%Y-%m-%dT%H:%M:%SZ"); }

std::string new_run_id() { return fmt::format("{}-{:06x}", now("%Y%m%dT%H%M%SZ"), random_seed() & 0xffffff); }

unsigned long long random_seed() {
  unsigned long long seed = 0;
  require(getrandom(&seed, sizeof seed, 0) == sizeof seed, "the system gives random bytes");
  return seed >> 11;
}

}  // namespace ridgeline::run
