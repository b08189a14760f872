#pragma once

#include <string>
#include <utility>
#include <vector>

#include "harness/record/case.hpp"
#include "harness/record/gate.hpp"
#include "harness/record/measurement.hpp"
#include "harness/record/run.hpp"
#include "harness/stats/median.hpp"

/// Made-up rows for tests and benchmarks, under a model that no device has.
namespace ridgeline::store::examples {

/// Behind all times of examples.
inline constexpr const char* now = "2026-12-31T00:00:00Z";

inline record::Device device() {
  record::Device device;
  device.id = "fake:0";
  device.kind = DeviceKind::fake;
  device.model = "synthetic-gpu";
  device.name = "Synthetic GPU";
  device.uuid = "GPU-0000";
  device.properties = {{"cores", "4"}};
  device.comparable = {{"memory", "1 GiB"}};
  device.recorded = {{"host", "nowhere"}};
  return device;
}

inline record::Environment environment() {
  return {{{"memory", "1 GiB"}}, {{"host", "nowhere"}}, "e1"};
}

inline record::Run run(std::string id = "20261120T124501Z-5f3a9c",
                       std::string started = "2026-11-20T12:45:01Z") {
  record::Run run;
  run.id = std::move(id);
  run.device_uuid = device().uuid;
  run.label = "first";
  run.command_line = "ridgeline run gemm";
  run.profile = "quick";
  run.profile_text = "[sampling]\ntarget = 0.01\n";
  run.seed = 0xFFFFFFFFFFFFFFFFu;
  run.started = std::move(started);
  run.unstable = 0.05;
  return run;
}

inline record::Process process(int replicate = 0, const std::string& run_id = run().id) {
  record::Process process;
  process.run_id = run_id;
  process.replicate = replicate;
  process.seed = 7;
  process.started = "2026-11-20T12:45:02Z";
  process.build = {"ridgeline-suites", "abc123", true, "g++ 12.2", "-O3", "", "c0de"};
  return process;
}

inline record::Case gemm_case(const std::string& variant = "naive", int n = 64) {
  record::Case info;
  const std::string size = std::to_string(n);
  info.id = {"gemm", variant, "f32", {{"m", size}, {"n", size}, {"k", size}}, {}};
  info.device_kind = DeviceKind::fake;
  info.idea = "one thread an element";
  info.flops = 2.0 * n * n * n;
  info.bytes = 12.0 * n * n;
  return info;
}

/// An ok measurement of `info` with these samples.
inline record::Measurement measurement(const record::Case& info,
                                       std::vector<double> samples_ns = {110, 100, 120}) {
  record::Measurement m;
  m.case_name = record::name(info.id);
  m.outcome = record::Outcome::ok;
  m.samples_ns = std::move(samples_ns);
  m.median_ns = stats::median(m.samples_ns);
  m.relative_spread = 0.008;
  m.verification = record::Verification{1e-7, 1e-5, Checked::by_variant};
  m.flops = info.flops;
  m.bytes = info.bytes;
  m.launch = "loop";
  m.cache = "cold";
  m.executions_per_sample = 20;
  m.buffer_sets = 3;
  m.seed = 0x8000000000000001u;
  m.settled = false;
  m.prepare_ns = 1e6;
  m.verify_ns = 2e6;
  m.warmup_ns = 3e6;
  m.timed_ns = 4e6;
  m.total_ns = 1e7;
  m.telemetry.sm_clock_mhz = 1980;
  m.telemetry.other_processes = 0;
  m.metrics = {{"sectors_per_request", 4, "sectors", record::Direction::lower}};
  return m;
}

/// A measurement of `info` that ended without samples.
inline record::Measurement failed(const record::Case& info, record::Outcome outcome,
                                  std::string reason) {
  record::Measurement m;
  m.case_name = record::name(info.id);
  m.outcome = outcome;
  m.reason = std::move(reason);
  return m;
}

/// A device that counts, of the model of device().
inline record::Device counting_device() {
  record::Device counting = device();
  counting.id = "emulated:sm_00";
  counting.kind = DeviceKind::emulated;
  counting.uuid = "emulated-0000";
  return counting;
}

/// What counting_device() says of `info`: two sites in one file.
inline record::Measurement counted(const record::Case& info) {
  record::Measurement m = failed(info, record::Outcome::counted, "");
  m.verification = record::Verification{1e-7, 1e-5, Checked::whole};
  m.launch = "single";
  m.cache = "cold";
  m.buffer_sets = 1;
  m.metrics = {{"barriers", 2, "1", record::Direction::lower},
               {"global_load_sectors", 512, "1", record::Direction::lower}};
  m.sites = {{"gemm_kernel", "kernels/gemm/naive.cu", 17, "global load", 4, 128, 4096, 512, 0},
             {"gemm_kernel", "kernels/gemm/naive.cu", 19, "shared store", 4, 64, 2048, 0, 64}};
  m.sources = {{"kernels/gemm/naive.cu", "// naive\n"}};
  return m;
}

/// A gate of two workers, whose runs are its id with "-baseline" and "-candidate".
inline record::Gate gate(std::string id = "20261120T130000Z-9a7e00",
                         std::string started = "2026-11-20T13:00:00Z") {
  record::Gate gate;
  gate.id = std::move(id);
  gate.device_uuid = device().uuid;
  gate.mode = record::GateMode::workers;
  gate.baseline = "old/ridgeline-suites";
  gate.candidate = "new/ridgeline-suites";
  gate.baseline_run = gate.id + "-baseline";
  gate.candidate_run = gate.id + "-candidate";
  gate.command_line =
      "ridgeline gate --baseline-worker old/ridgeline-suites --candidate-worker "
      "new/ridgeline-suites";
  gate.options = R"({"budget_s": 60})";
  gate.rules_text = "delta = 0.02\n";
  gate.seed = 0xFFFFFFFFFFFFFFFEu;
  gate.alpha = 0.01;
  gate.cases = 2;
  gate.started = std::move(started);
  return gate;
}

/// One side of a gate.
inline record::Run side(const record::Gate& gate, const std::string& run_id) {
  record::Run side = run(run_id, gate.started);
  side.gate = gate.id;
  return side;
}

/// The first round of `info`, as measurement() times it on both sides.
inline record::Pair pair(const record::Case& info = gemm_case(), int round = 0) {
  record::Pair pair;
  pair.case_name = record::name(info.id);
  pair.round = round;
  pair.baseline_ns = pair.candidate_ns = *measurement(info).median_ns;
  return pair;
}

inline record::CaseVerdict pass(const record::Case& info = gemm_case()) {
  record::CaseVerdict verdict;
  verdict.case_name = verdict.baseline_case = record::name(info.id);
  verdict.verdict = record::Verdict::pass;
  verdict.delta = 0.03;
  verdict.baseline_ns = 100;
  verdict.candidate_ns = 101;
  verdict.ratio = 1.01;
  verdict.ratio_low = 1.005;
  verdict.ratio_high = 1.015;
  verdict.pairs = 12;
  verdict.dropped = 1;
  verdict.noise = 0.004;
  verdict.smallest_effect = 0.035;
  verdict.p_value = 0.002;
  verdict.level = 0.01;
  return verdict;
}

/// A verdict on counts.
inline record::CaseVerdict fewer_sectors(const record::Case& info = gemm_case()) {
  record::CaseVerdict verdict;
  verdict.case_name = verdict.baseline_case = record::name(info.id);
  verdict.verdict = record::Verdict::improvement;
  verdict.metric = "global_load_sectors";
  verdict.baseline_value = 512;
  verdict.candidate_value = 384;
  verdict.ratio = 0.75;
  return verdict;
}

}  // namespace ridgeline::store::examples
