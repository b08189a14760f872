#include "harness/worker/calibration/planted.hpp"

#include <charconv>
#include <cmath>
#include <functional>
#include <memory>
#include <optional>
#include <utility>

#include <fmt/core.h>

#include "harness/base/error.hpp"
#include "harness/base/text.hpp"
#include "harness/device/random.hpp"

namespace ridgeline::worker::calibration {
namespace {

/// Whether draw `number` of the stream falls into the share.
bool is_drawn(std::uint64_t stream, std::uint64_t number, double share) {
  return static_cast<double>(device::random_bits(stream, number) >> 11) * 0x1p-53 < share;
}

// Draws of a stream: the process, then its executions.
constexpr std::uint64_t of_process = 0, of_first_execution = 1;

[[noreturn]] void refuse(const char* option, const char* takes, const std::string& given,
                         const char* example) {
  throw Error(ErrorKind::usage,
              fmt::format("{} takes {}, not '{}'", option, takes, printable(given, 60)),
              fmt::format("for example {} {}", option, example));
}

std::optional<double> number_of(std::string_view text) {
  double value = 0;
  const char* const end = text.data() + text.size();
  const auto [rest, status] = std::from_chars(text.data(), end, value);
  if (status != std::errc() || rest != end || !std::isfinite(value)) return std::nullopt;
  return value + 0.0;  // -0 is 0
}

std::optional<double> percent_of(std::string_view text) {
  const std::optional<double> percent = number_of(text);
  return percent && *percent > -100 && *percent <= 1000 ? percent : std::nullopt;
}

std::optional<double> factor_of(std::string_view text) {
  const std::optional<double> factor = number_of(text);
  return factor && *factor >= 2 && *factor <= 100 && *factor == std::floor(*factor) ? factor
                                                                                    : std::nullopt;
}

std::optional<PlantedShare> share_of(std::string_view text,
                                     std::optional<double> (*size_of)(std::string_view)) {
  const std::size_t colon = text.find(':');
  if (colon == std::string_view::npos) return std::nullopt;
  const std::optional<double> share = number_of(text.substr(0, colon)),
                              size = size_of(text.substr(colon + 1));
  if (!share || !size || !(*share > 0 && *share <= 1)) return std::nullopt;
  return PlantedShare{*share, *size};
}

/// The value of an option, which is taken out; none when it is not given.
std::optional<std::string> take(std::vector<std::string>& arguments, const std::string& option) {
  std::optional<std::string> given;
  std::vector<std::string> rest;
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const bool joined = arguments[i].starts_with(option + "=");
    if (!joined && arguments[i] != option) {
      rest.push_back(arguments[i]);
      continue;
    }
    if (given) throw Error(ErrorKind::usage, option + " is given twice");
    given = joined                   ? arguments[i].substr(option.size() + 1)
            : ++i < arguments.size() ? arguments[i]
                                     : "";
  }
  arguments = std::move(rest);
  return given;
}

}  // namespace

Planted Planted::in(std::string_view case_name) const {
  return only.empty() || only == case_name ? *this : Planted{};
}

std::string Planted::text() const {
  std::string text;
  if (extra_percent != 0) text += fmt::format(" --extra {}", extra_percent);
  if (slow_samples.share > 0)
    text += fmt::format(" --slow-samples {}:{}", slow_samples.share, slow_samples.size);
  if (slow_processes.share > 0)
    text += fmt::format(" --slow-processes {}:{}", slow_processes.share, slow_processes.size);
  if (!text.empty() && !only.empty()) text += " --only " + only;
  return text;
}

Planted take_planted(std::vector<std::string>& arguments) {
  Planted planted;
  if (const auto given = take(arguments, "--extra")) {
    const std::optional<double> percent = percent_of(*given);
    if (!percent) refuse("--extra", "a percentage", *given, "3");
    planted.extra_percent = *percent;
  }
  if (const auto given = take(arguments, "--slow-samples")) {
    const std::optional<PlantedShare> share = share_of(*given, factor_of);
    if (!share) refuse("--slow-samples", "a share and a whole factor", *given, "0.05:2");
    planted.slow_samples = *share;
  }
  if (const auto given = take(arguments, "--slow-processes")) {
    const std::optional<PlantedShare> share = share_of(*given, percent_of);
    if (!share) refuse("--slow-processes", "a share and a percentage", *given, "0.3:10");
    planted.slow_processes = *share;
  }
  if (const auto given = take(arguments, "--only")) {
    if (given->empty()) refuse("--only", "the name of a case", *given, "suite/variant/f32/n=1");
    planted.only = *given;
  }
  return planted;
}

std::int64_t with_extra(std::int64_t units, double percent) {
  return std::llround(static_cast<double>(units) * (1 + percent / 100));
}

PlantedDraws::PlantedDraws(const Planted& planted, std::string_view case_name,
                           const measure::Setup& setup)
    : planted_(planted), stream_(fnv1a(case_name, device::random_bits(setup.seed, setup.layout))) {}

std::int64_t PlantedDraws::units(std::int64_t without_extra) const {
  const bool slow = is_drawn(stream_, of_process, planted_.slow_processes.share);
  return with_extra(without_extra,
                    planted_.extra_percent + (slow ? planted_.slow_processes.size : 0));
}

measure::Workload PlantedDraws::slowed(measure::Workload workload) const {
  struct Executions {
    std::uint64_t all = 0, slow = 0;
  };
  const auto [share, factor] = planted_.slow_samples;
  if (!(share > 0)) return workload;
  const auto done = std::make_shared<Executions>();
  workload.launch = [=, stream_of_draws = stream_, once = std::move(workload.launch)](
                        measure::Turn turn, device::Stream& stream) {
    const bool slow = is_drawn(stream_of_draws, of_first_execution + done->all++, share);
    done->slow += slow ? 1 : 0;
    for (int i = 0; i < (slow ? static_cast<int>(factor) : 1); ++i) once(turn, stream);
  };
  workload.timed_metrics = [=, of_work = std::move(workload.timed_metrics)](double median_ns) {
    std::vector<record::Metric> metrics = of_work(median_ns);
    metrics.push_back({"slow_executions",
                       static_cast<double>(done->slow) / static_cast<double>(done->all), "1",
                       record::Direction::none});
    return metrics;
  };
  return workload;
}

}  // namespace ridgeline::worker::calibration
