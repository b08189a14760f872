#pragma once

#include "harness/record/case.hpp"
#include "harness/record/gate.hpp"
#include "harness/record/measurement.hpp"
#include "harness/record/rule.hpp"
#include "harness/record/run.hpp"

/// The fields of every record, each named once: JSON and the store follow from these lists. The
/// order is that of JSON.
namespace ridgeline::record {

inline constexpr Rule any_name{.longest = max_name_bytes},
    word{.longest = max_name_bytes, .text = Text::word}, an_id{.text = Text::id},
    when{.text = Text::time}, left_out_when_empty{.presence = Presence::left_out_when_empty},
    not_negative{.least = 0}, positive{.least = std::numeric_limits<double>::min()},
    amount{.least = -largest_amount, .greatest = largest_amount, .smallest = smallest_amount},
    work{.least = 0, .greatest = largest_amount, .smallest = smallest_amount},
    ratio{.least = 0, .greatest = 1e60, .smallest = 1e-60},  // of two amounts
    time{.least = shortest_ns, .greatest = longest_ns},
    wall_time{.least = 0, .greatest = 1e3 * longest_ns},
    samples{.least = time.least, .greatest = time.greatest, .most = 1'000'000, .column = ""},
    count{.least = 0, .most = largest_count};

void fields(auto& visit, Of<CaseId> auto& id) {
  visit("suite", id.suite, word);
  visit("variant", id.variant, word);
  visit("dtype", id.dtype, word);
  visit("problem", id.problem, {.most = 32});
  visit("options", id.options, {.most = 32, .presence = Presence::may_lack});
}

void fields(auto& visit, Of<Case> auto& info) {
  fields(visit, info.id);
  visit("device_kind", info.device_kind);
  visit("idea", info.idea, {.presence = Presence::may_lack});
  visit("ranks", info.ranks, {.least = 1, .most = 1'000'000, .presence = Presence::may_lack});
  visit("flops", info.flops, work);
  visit("bytes", info.bytes, work);
  visit("roof", info.roof, {.longest = max_name_bytes, .presence = Presence::may_lack});
}

void fields(auto& visit, Of<Device> auto& device) {
  visit("id", device.id, {.longest = max_name_bytes, .column = "local_id"});
  visit("kind", device.kind);
  visit("model", device.model, {.longest = max_model_bytes, .text = Text::word});
  visit("name", device.name);
  visit("uuid", device.uuid, any_name);
  visit("pci_id", device.pci_id, any_name);
  visit("properties", device.properties);
  visit("comparable", device.comparable);
  visit("recorded", device.recorded);
}

void fields(auto& visit, Of<Environment> auto& environment) {
  visit("hash", environment.hash);
  visit("comparable", environment.comparable);
  visit("recorded", environment.recorded);
}

void fields(auto& visit, Of<Build> auto& build) {
  visit("worker", build.worker, word);
  visit("commit", build.commit, {.longest = max_name_bytes, .column = "commit_hash"});
  visit("dirty", build.dirty);
  visit("compiler", build.compiler);
  visit("flags", build.flags);
  visit("cuda", build.cuda);
  visit("code_hash", build.code_hash, any_name);
}

/// Without its build, which has a row of its own.
void fields(auto& visit, Of<Process> auto& process) {
  visit("run_id", process.run_id, an_id);
  visit("replicate", process.replicate, not_negative);
  visit("seed", process.seed);
  visit("started", process.started, when);
  visit("imported", process.imported, left_out_when_empty);
  visit("hosts", process.hosts, left_out_when_empty);
}

/// Without its device, which has a row of its own.
void fields(auto& visit, Of<Run> auto& run) {
  visit("id", run.id, an_id);
  visit("started", run.started, when);
  visit("status", run.status);
  visit("profile", run.profile);
  visit("profile_text", run.profile_text);
  visit("label", run.label);
  visit("seed", run.seed);
  visit("command_line", run.command_line);
  visit("finished", run.finished,
        {.text = Text::time, .presence = Presence::left_out_when_empty, .null_when_empty = true});
  visit("unfit", run.unfit, left_out_when_empty);
  visit("gate", run.gate, left_out_when_empty);
  visit("imported", run.imported, left_out_when_empty);
  visit("unstable", run.unstable, positive);
}

void fields(auto& visit, Of<Roof> auto& roof) {
  visit("kind", roof.kind);
  visit("value", roof.value, {.least = smallest_amount, .greatest = largest_amount});
  visit("unit", roof.unit);
  visit("source", roof.source);
}

void fields(auto& visit, Of<Baseline> auto& baseline) {
  visit("name", baseline.name, an_id);
  visit("run_id", baseline.run_id, an_id);
  visit("set_at", baseline.set_at, when);
}

void fields(auto& visit, Of<Metric> auto& metric) {
  visit("name", metric.name, word);
  visit("value", metric.value, amount);
  visit("unit", metric.unit, any_name);
  visit("direction", metric.direction);
}

void fields(auto& visit, Of<Site> auto& site) {
  constexpr Rule line{.longest = max_name_bytes, .text = Text::line, .cut = true};
  visit("kernel", site.kernel, line);
  visit("file", site.file, line);
  visit("line", site.line, not_negative);
  visit("access", site.access, {.longest = max_name_bytes, .text = Text::filled_line});
  visit("lane_bytes", site.lane_bytes, {.least = 0, .most = 1 << 20});
  visit("requests", site.requests, count);
  visit("lanes", site.lanes, count);
  visit("sectors", site.sectors, count);
  visit("wavefronts", site.wavefronts, count);
}

void fields(auto& visit, Of<Source> auto& source) {
  visit("file", source.file, {.longest = max_name_bytes, .text = Text::filled_line});
  visit("text", source.text, {.longest = max_source_bytes, .text = Text::source});
}

void fields(auto& visit, Of<Verification> auto& verification) {
  visit("error", verification.error, {.least = 0, .finite = false});
  visit("tolerance", verification.tolerance, not_negative);
  visit("checked", verification.checked);
}

void fields(auto& visit, Of<Telemetry> auto& telemetry) {
  visit("sm_clock_mhz", telemetry.sm_clock_mhz, work);
  visit("memory_clock_mhz", telemetry.memory_clock_mhz, work);
  visit("power_w", telemetry.power_w, work);
  visit("temperature_c", telemetry.temperature_c, amount);
  visit("throttle", telemetry.throttle);
  visit("throttled_by_hardware", telemetry.throttled_by_hardware);
  visit("other_processes", telemetry.other_processes, {.least = 0, .most = 1'000'000});
}

/// Without what was pruned, which no message says and the store keeps in the places of the samples.
void fields(auto& visit, Of<Measurement> auto& m) {
  visit("case", m.case_name, {.longest = max_name_bytes, .column = ""});
  visit("outcome", m.outcome);
  visit("reason", m.reason, {.cut = true});
  visit("attempt", m.attempt, {.least = 1, .most = 1000, .presence = Presence::may_lack});
  visit("samples_ns", m.samples_ns, samples);
  visit("executions_per_sample", m.executions_per_sample, {.least = 1, .most = largest_count});
  visit("median_ns", m.median_ns, time);
  visit("relative_spread", m.relative_spread, {.least = 0, .greatest = largest_amount});
  visit("verification", m.verification, {.column = "tolerance"});
  visit("flops", m.flops, work);
  visit("bytes", m.bytes, work);
  visit("launch", m.launch, any_name);
  visit("cache", m.cache, any_name);
  visit("buffer_sets", m.buffer_sets, count);
  visit("seed", m.seed);
  visit("settled", m.settled);
  visit("prepare_ns", m.prepare_ns, wall_time);
  visit("verify_ns", m.verify_ns, wall_time);
  visit("warmup_ns", m.warmup_ns, wall_time);
  visit("timed_ns", m.timed_ns, wall_time);
  visit("total_ns", m.total_ns, wall_time);
  visit("telemetry", m.telemetry, {.presence = Presence::may_lack});
  visit("metrics", m.metrics, {.most = 200, .presence = Presence::may_lack, .column = ""});
  visit("said", m.said, left_out_when_empty);
  visit("sites", m.sites,
        {.most = max_sites, .presence = Presence::left_out_when_empty, .column = ""});
  visit("sources", m.sources,
        {.most = max_sources, .presence = Presence::left_out_when_empty, .column = ""});
}

/// Without its device, which is that of its candidate's run.
void fields(auto& visit, Of<Gate> auto& gate) {
  visit("id", gate.id, an_id);
  visit("mode", gate.mode);
  visit("status", gate.status);
  visit("started", gate.started, when);
  visit("baseline", gate.baseline);
  visit("candidate", gate.candidate);
  visit("baseline_run", gate.baseline_run, an_id);
  visit("candidate_run", gate.candidate_run, an_id);
  visit("command_line", gate.command_line);
  visit("seed", gate.seed);
  visit("alpha", gate.alpha, not_negative);
  visit("cases", gate.cases, not_negative);
  visit("aa", gate.aa);
  visit("finished", gate.finished,
        {.text = Text::time, .presence = Presence::left_out_when_empty, .null_when_empty = true});
  visit("rules_text", gate.rules_text, left_out_when_empty);
  visit("options", gate.options);
}

/// Without its times, which are those of its measurements.
void fields(auto& visit, Of<Pair> auto& pair) {
  visit("case_name", pair.case_name);
  visit("round", pair.round, not_negative);
  visit("baseline_first", pair.baseline_first);
  visit("baseline_disturbed", pair.dropped.baseline);
  visit("candidate_disturbed", pair.dropped.candidate);
}

void fields(auto& visit, Of<CaseVerdict> auto& verdict) {
  visit("case_name", verdict.case_name);
  visit("baseline_case", verdict.baseline_case);
  visit("verdict", verdict.verdict);
  visit("reason", verdict.reason, left_out_when_empty);
  visit("ratio", verdict.ratio, ratio);  // a count may fall to nothing; a time cannot
  visit("ratio_low", verdict.ratio_low, positive);
  visit("ratio_high", verdict.ratio_high, positive);
  visit("delta", verdict.delta, not_negative);
  visit("metric", verdict.metric, left_out_when_empty);
  visit("baseline_value", verdict.baseline_value, amount);
  visit("candidate_value", verdict.candidate_value, amount);
  visit("baseline_ns", verdict.baseline_ns, time);
  visit("candidate_ns", verdict.candidate_ns, time);
  visit("pairs", verdict.pairs, not_negative);
  visit("dropped", verdict.dropped, not_negative);
  visit("dropped_baseline", verdict.dropped_baseline, not_negative);
  visit("dropped_candidate", verdict.dropped_candidate, not_negative);
  visit("noise", verdict.noise, not_negative);
  visit("smallest_effect", verdict.smallest_effect, not_negative);
  visit("p_value", verdict.p_value, not_negative);
  visit("level", verdict.level, not_negative);
  visit("mean_ratio", verdict.mean_ratio, positive);
  visit("ninetieth_ratio", verdict.ninetieth_ratio, positive);
  visit("baseline_slow", verdict.baseline_slow, not_negative);
  visit("candidate_slow", verdict.candidate_slow, not_negative);
  visit("tail", verdict.tail);
  visit("tail_suspected", verdict.tail_suspected);
  visit("doubt", verdict.doubt);
  visit("more_pairs", verdict.more_pairs, not_negative);
  visit("expected", verdict.expected);
  visit("expectation", verdict.expectation);
  visit("expectation_over", verdict.expectation_over);
  visit("no_room", verdict.no_room);
}

}  // namespace ridgeline::record
