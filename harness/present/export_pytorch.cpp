#include "harness/analysis/summary.hpp"
#include "harness/base/json.hpp"
#include "harness/present/export_formats.hpp"
#include "harness/present/json_output.hpp"

namespace ridgeline::present {
namespace {

json::Value extra_info_of(const ExportedRun& exported, const analysis::CaseSummary& one) {
  json::Value extra{{"ridgeline_case", record::name(one.case_info.id)},
                    {"ridgeline_run", exported.run.id},
                    {"outcome", to_string(one.outcome)}};
  json::put(extra, "reason", one.reason);
  for (const auto* fields : {&one.case_info.id.problem, &one.case_info.id.options})
    for (const record::Field& field : *fields)
      if (extra.find(field.key) == nullptr) extra[field.key] = field.value;
  return extra;
}

}  // namespace

void export_pytorch(std::ostream& out, const ExportedRun& exported) {
  json::Value runners = json::Value::array();
  runners.push_back(
      {{"name", exported.device.model},
       {"type", to_string(exported.device.kind)},
       {exported.device.kind == DeviceKind::cpu ? "cpu_info" : "gpu_info", exported.device.name}});
  json::Value dependencies = json::Value::object();
  for (const record::Build& build : exported.builds)
    dependencies[build.worker] = {{"version", build.commit}, {"cuda", build.cuda}};
  for (const analysis::CaseSummary& one :
       analysis::summarise(exported.measurements, exported.roofs, exported.run.unstable)) {
    if (!one.median_ns) continue;
    const record::CaseId& id = one.case_info.id;
    out << printed_json({{"benchmark",
                          {{"name", id.suite},
                           {"mode", "kernel"},
                           {"dtype", id.dtype},
                           {"extra_info", extra_info_of(exported, one)}}},
                         {"model", {{"name", id.variant}, {"type", "kernel"}}},
                         {"metric", {{"name", "latency_ns"}, {"benchmark_values", one.medians_ns}}},
                         {"runners", runners},
                         {"dependencies", dependencies}});
  }
}

}  // namespace ridgeline::present
