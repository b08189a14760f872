#include "harness/present/progress.hpp"

#include <utility>

#include <fmt/core.h>

#include "harness/base/text.hpp"
#include "harness/base/units.hpp"
#include "harness/present/output.hpp"
#include "harness/present/rate.hpp"

namespace ridgeline::present {
namespace {

/// In the terms of the roof that the case measures, if it does.
std::string rate_of(const record::Measurement& measurement, std::string_view roof) {
  const record::RoofClass of = record::class_of_roof(roof);
  if (!measurement.median_ns || of == record::RoofClass::latency) return {};
  const double per_s = 1e9 / *measurement.median_ns;
  const bool arithmetic = roof.empty() || is_arithmetic(of);
  if (arithmetic && measurement.flops && *measurement.flops > 0)
    return units::flop_rate(*measurement.flops * per_s);
  if (measurement.bytes && *measurement.bytes > 0)
    return units::byte_rate(*measurement.bytes * per_s);
  return {};
}

/// "counted: 16384 requests, 6 sectors per request, 3 MiB moved".
std::string counts_of(const record::Measurement& measurement) {
  const auto of = [&](std::string_view name) {
    return metric(measurement.metrics, name).value_or(0);
  };
  const double requests = of("global_load_requests") + of("global_store_requests");
  const double sectors = of("global_load_sectors") + of("global_store_sectors");
  std::string text = fmt::format("counted: {:.0f} requests", requests);
  if (requests > 0)
    text += fmt::format(", {} sectors per request", units::plain(sectors / requests));
  return text + fmt::format(", {} moved", units::bytes(of("global_moved_bytes")));
}

}  // namespace

std::string one_line(const record::Case& info, const record::Measurement& measurement) {
  std::string text;
  if (measurement.median_ns) {
    text = units::time(*measurement.median_ns);
    if (const std::string rate = rate_of(measurement, info.roof); !rate.empty())
      text += ", " + rate;
    if (measurement.relative_spread)
      text += fmt::format(", ±{}", units::percent(*measurement.relative_spread));
    text += " of " + units::plural(std::ssize(measurement.samples_ns), "sample");
  }
  if (measurement.outcome == record::Outcome::ok) return text;
  if (measurement.outcome == record::Outcome::counted) return counts_of(measurement);
  return fmt::format("{}{}{}: {}", text, text.empty() ? "" : "; ",
                     record::to_string(measurement.outcome), printable(measurement.reason, 600));
}

void ProgressDisplay::tick(const run::Progress& progress) {
  show([&] {
    return fmt::format("{}  {} left{}{}  {}", progress_bar(progress.done, progress.total),
                       units::duration(progress.left_s), rate_.empty() ? "" : "  last ", rate_,
                       printable(progress.case_name, 400));
  });
}

void ProgressDisplay::stored(const run::Progress& progress, const run::Selected& selected,
                             const record::Measurement& measurement) {
  if (quiet_) return;
  rate_ = rate_of(measurement, selected.info.roof);
  const bool wrong = record::is_failure(measurement.outcome);
  if (terminal_ && !wrong) return;
  const bool of_several = measurement.outcome == record::Outcome::unsupported &&
                          (selected.info.ranks > 1 || record::has_peer(selected.info.id));
  if (of_several && !more_.try_emplace(measurement.reason, 0).second) {
    ++more_[measurement.reason];
    return;
  }
  StatusLine::clear();
  const std::string replicate =
      progress.processes > 1
          ? fmt::format(" (process {}/{})", progress.replicate + 1, progress.processes)
          : "";
  say(out_,
      fmt::format("[{}/{}] {}{}: {}\n", progress.done, progress.total,
                  printable(selected.name, 400), replicate, one_line(selected.info, measurement)));
}

void ProgressDisplay::say_more() {
  for (auto& [reason, count] : more_)
    if (count > 0)
      say(out_,
          fmt::format("and {} unsupported: {}\n",
                      units::plural(std::exchange(count, 0), "more case"), printable(reason, 600)));
}

void ProgressDisplay::counting(const std::string& case_name, int after) {
  show([&] {
    return fmt::format("reading counters, {} to go  {}", units::plural(after + 1, "case"),
                       printable(case_name, 400));
  });
}

}  // namespace ridgeline::present
