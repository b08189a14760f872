#pragma once

#include <type_traits>

#include "harness/protocol/messages.hpp"
#include "harness/record/fields.hpp"

/// The fields of every message, each named once; see record/rule.hpp. Requests without parameters
/// have none.
namespace ridgeline::protocol {

using record::Of;
using record::Presence;

void fields(auto& visit, Of<HelloRequest> auto& request) { visit("protocol", request.protocol); }

void fields(auto& visit, Of<Prepare> auto& request) {
  visit("case", request.case_name, record::any_name);
  visit("device", request.device, record::any_name);
  visit("seed", request.seed);
  visit("cache", request.cache, record::any_name);
  visit("launch", request.launch, record::any_name);
  visit("input", request.input, record::any_name);
  visit("warmup_budget_ns", request.warmup_budget_ns, record::not_negative);
  visit("sample_floor_ns", request.sample_floor_ns, record::not_negative);
  // Workers without the feature may refuse the field.
  visit("layout", request.layout, {.presence = Presence::left_out_when_empty});
  constexpr record::Rule optional_time{.least = 0, .presence = Presence::left_out_when_empty};
  visit("settle_budget_ns", request.settle_budget_ns, optional_time);
  visit("energy_budget_ns", request.energy_budget_ns, optional_time);
}

void fields(auto& visit, Of<Open> auto& request) {
  visit("device", request.device, record::any_name);
}

void fields(auto& visit, Of<Sample> auto& request) {
  visit("target", request.target, record::not_negative);
  visit("min_samples", request.min_samples, {.least = 1});
  visit("max_samples", request.max_samples, {.least = 1, .most = 1'000'000});
  visit("budget_ns", request.budget_ns, record::not_negative);
}

void fields(auto& visit, Of<Hello> auto& answer) {
  visit("protocol", answer.protocol);
  visit("build", answer.build);
  visit("launcher", answer.launcher, record::any_name);
  visit("features", answer.features, {.most = 100, .presence = Presence::may_lack});
  visit("hosts", answer.hosts, record::left_out_when_empty);
}

void fields(auto& visit, Of<Suite> auto& suite) {
  visit("name", suite.name, record::any_name);
  visit("question", suite.question, {.cut = true});
}

template <Of<ListedCase> Listed>
void fields(auto& visit, Listed& listed) {
  using Case = std::conditional_t<std::is_const_v<Listed>, const record::Case, record::Case>;
  fields(visit, static_cast<Case&>(listed));
  visit("code", listed.code,
        {.longest = record::max_name_bytes, .presence = Presence::left_out_when_empty});
}

void fields(auto& visit, Of<Cases> auto& answer) {
  visit("cases", answer.cases, {.most = 100'000});
  visit("suites", answer.suites, {.most = 100'000, .presence = Presence::left_out_when_empty});
}

void fields(auto& visit, Of<UnavailableKind> auto& unavailable) {
  visit("kind", unavailable.kind, record::any_name);
  visit("reason", unavailable.reason, {.cut = true});
}

void fields(auto& visit, Of<Devices> auto& answer) {
  visit("devices", answer.devices, {.most = 1000});
  visit("unavailable", answer.unavailable, {.most = 1000});
}

void fields(auto& visit, Of<Prepared> auto& answer) {
  visit("outcome", answer.outcome);
  visit("reason", answer.reason, {.cut = true});
}

void fields(auto& visit, Of<Sampled> auto& answer) {
  visit("samples_ns", answer.samples_ns, record::samples);
}

void fields(auto& visit, Of<Finished> auto& answer) { visit("measurement", answer.measurement); }

void fields(auto& visit, Of<Failure> auto& answer) {
  visit("message", answer.message, {.cut = true});
  visit("advice", answer.advice, {.cut = true});
  visit("exit_code", answer.exit_code, {.least = 1, .most = 255});
  visit("cause", answer.cause);
}

}  // namespace ridgeline::protocol
