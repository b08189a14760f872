#include <optional>
#include <string>
#include <vector>

#include <fmt/core.h>

#include "harness/analysis/summary.hpp"
#include "harness/base/text.hpp"
#include "harness/present/export_formats.hpp"

namespace ridgeline::present {
namespace {

using analysis::CaseSummary;

/// The value of a label: what steers a terminal is escaped before what Prometheus escapes.
std::string label(std::string_view text) {
  std::string escaped;
  for (const char c : printable(text, 4 * text.size() + 16))
    escaped += c == '\\' ? "\\\\" : c == '"' ? "\\\"" : std::string(1, c);
  return escaped;
}

struct Gauge {
  const char *name, *help;
  std::optional<double> (*value)(const CaseSummary&);
};

std::optional<double> seconds(const std::optional<double>& ns) {
  return ns ? std::optional(*ns * 1e-9) : std::nullopt;
}

constexpr Gauge gauges[] = {
    {"ridgeline_case_time_seconds", "Median time of one execution",
     [](const CaseSummary& one) { return seconds(one.median_ns); }},
    {"ridgeline_case_time_low_seconds", "Lower end of the 95% interval of the median",
     [](const CaseSummary& one) {
       return one.interval_ns ? seconds(one.interval_ns->low) : std::nullopt;
     }},
    {"ridgeline_case_time_high_seconds", "Upper end of the 95% interval of the median",
     [](const CaseSummary& one) {
       return one.interval_ns ? seconds(one.interval_ns->high) : std::nullopt;
     }},
    {"ridgeline_case_flops_per_second", "Floating-point operations per second at the median",
     [](const CaseSummary& one) { return one.flop_rate; }},
    {"ridgeline_case_bytes_per_second", "Least bytes per second at the median",
     [](const CaseSummary& one) { return one.byte_rate; }},
    {"ridgeline_case_share_of_roof_ratio", "Least time that the roofs allow over the median",
     [](const CaseSummary& one) { return one.share_of_roof; }},
};

void head(std::ostream& out, const char* name, const char* help) {
  out << fmt::format("# HELP {} {}\n# TYPE {} gauge\n", name, help, name);
}

}  // namespace

void export_prometheus(std::ostream& out, const ExportedRun& exported) {
  const std::string run =
      fmt::format("run=\"{}\",model=\"{}\"", label(exported.run.id), label(exported.device.model));
  head(out, "ridgeline_run_info", "The run, as labels");
  out << fmt::format(
      "ridgeline_run_info{{{},device=\"{}\",profile=\"{}\",label=\"{}\",started=\"{}\","
      "imported=\"{}\"}} 1\n",
      run, label(exported.device.uuid), label(exported.run.profile), label(exported.run.label),
      label(exported.run.started), label(exported.run.imported));
  const std::vector<CaseSummary> cases =
      analysis::summarise(exported.measurements, exported.roofs, exported.run.unstable);
  const auto of_case = [&](const CaseSummary& one) {
    return fmt::format("case=\"{}\",{}", label(record::name(one.case_info.id)), run);
  };
  head(out, "ridgeline_case_outcome", "1 for the outcome of the case");
  for (const CaseSummary& one : cases)
    out << fmt::format("ridgeline_case_outcome{{{},outcome=\"{}\"}} 1\n", of_case(one),
                       to_string(one.outcome));
  for (const Gauge& gauge : gauges) {
    head(out, gauge.name, gauge.help);
    for (const CaseSummary& one : cases)
      if (const std::optional<double> value = gauge.value(one))
        out << fmt::format("{}{{{},outcome=\"{}\"}} {}\n", gauge.name, of_case(one),
                           to_string(one.outcome), *value);
  }
  head(out, "ridgeline_case_metric", "A metric of the case, in the unit of its label");
  for (const CaseSummary& one : cases)
    for (const record::Metric& metric : one.metrics)
      out << fmt::format("ridgeline_case_metric{{{},name=\"{}\",unit=\"{}\"}} {}\n", of_case(one),
                         label(metric.name), label(metric.unit), metric.value);
}

}  // namespace ridgeline::present
