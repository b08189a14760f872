#include "harness/worker/check/told_check.hpp"

#include <algorithm>
#include <iterator>
#include <ostream>

#include <fmt/core.h>

#include "harness/analysis/annotated_listing.hpp"
#include "harness/base/file.hpp"
#include "harness/emulated/remedies.hpp"

namespace ridgeline::worker {

std::string value_of(const std::vector<std::string>& arguments, std::string_view option) {
  const auto end = std::ranges::find(arguments, "--"),
             found = std::find(arguments.begin(), end, option);
  return found == end || std::next(found) == end ? "" : *std::next(found);
}

void write_told(const std::string& file, std::string_view text) {
  if (!file.empty()) write_file(file, [&](std::ostream& out) { out << text; });
}

std::string remedy_line(std::string_view check) {
  const std::string_view remedy = emulated::remedy_of(check);
  return remedy.empty() ? "" : fmt::format("    remedy: {}\n", remedy);
}

std::string counts_text(const record::Measurement& measurement) {
  std::string text;
  for (const record::Metric& metric : measurement.metrics)
    text += fmt::format("{:<34}{:>16}{}\n", metric.name, fmt::format("{:.10g}", metric.value),
                        metric.unit == "1" ? "" : " " + metric.unit);
  text += '\n';
  for (const std::string& line :
       analysis::annotated_listing(measurement.sites, measurement.sources))
    text += line + '\n';
  return text;
}

}  // namespace ridgeline::worker
