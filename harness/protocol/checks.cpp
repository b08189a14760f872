#include <set>

#include <fmt/core.h>

#include "harness/base/error.hpp"
#include "harness/base/text.hpp"
#include "harness/protocol/reader.hpp"
#include "harness/record/rules.hpp"

namespace ridgeline::protocol {
namespace {

/// Throws when two of a list have one `key`. `what`: "sources", "the file of an earlier source".
template <class T, class Key>
void check_unique(const std::vector<T>& values, const char* list, const std::string& where,
                  const char* what, Key key) {
  std::set<std::string> seen;
  for (std::size_t i = 0; i < values.size(); ++i)
    if (!seen.insert(values[i].*key).second)
      refuse(
          fmt::format("{}[{}] of {} has {}: {}", list, i, where, what, printable(values[i].*key)));
}

void refuse_broken(const std::string& rule, const std::string& where) {
  if (!rule.empty()) refuse(fmt::format("{} {}", where, rule));
}

}  // namespace

void refuse(const std::string& failure) { throw Error(ErrorKind::internal, failure); }

void check(const record::Case& value, const std::string& where) {
  const std::string name = record::name(value.id);
  if (name.size() > record::max_name_bytes)
    refuse(fmt::format("{} has a name longer than {} bytes: {}", where, record::max_name_bytes,
                       name.substr(0, 80)));
}

void check(const record::Device& value, const std::string& where) {
  // The model names a file.
  if (value.model.starts_with('.'))
    refuse(fmt::format("field model of {} must not start with a dot", where));
  if (value.id.empty() || value.uuid.empty())
    refuse(fmt::format("{} has an empty id or uuid", where));
  // Whoever names a device on the command line knows by its id what kind of times it has, if any.
  const std::string_view kind = to_string(value.kind);
  if (value.id != kind && !value.id.starts_with(fmt::format("{}:", kind)))
    refuse(fmt::format("field id of {} must begin with its kind: {} is no {}", where,
                       printable(value.id), kind));
}

void check(const record::Metric& value, const std::string& where) {
  refuse_broken(record::broken_rule(value), where);
}

// Whether the budget reaches a case is not a worker's to say.
void check_said(record::Outcome outcome, const std::string& where) {
  if (outcome == record::Outcome::not_measured)
    refuse(fmt::format("{} says outcome {}, which workers do not say", where, to_string(outcome)));
}

void check(const record::Measurement& value, const std::string& where) {
  check_said(value.outcome, where);
  refuse_broken(record::broken_rule(value, value.sample_count()), where);
  check_unique(value.metrics, "metrics", where, "the name of an earlier metric",
               &record::Metric::name);
  check_unique(value.sources, "sources", where, "the file of an earlier source",
               &record::Source::file);
}

void check(const Cases& answer, const std::string& where) {
  std::set<std::pair<DeviceKind, std::string>> seen;
  for (std::size_t i = 0; i < answer.cases.size(); ++i) {
    const DeviceKind kind = answer.cases[i].device_kind;
    const std::string name = record::name(answer.cases[i].id);
    if (!seen.emplace(kind, name).second)
      refuse(fmt::format("cases[{}] of {} is listed twice for {}: {}", i, where, to_string(kind),
                         name));
  }
}

void check(const Devices& answer, const std::string& where) {
  check_unique(answer.devices, "devices", where, "the id of an earlier device",
               &record::Device::id);
}

void check(const Prepared& answer, const std::string& where) {
  check_said(answer.outcome, where);
  if (record::is_success(answer.outcome) != answer.reason.empty())
    refuse(fmt::format("{} must give a reason exactly when its outcome is neither ok nor counted",
                       where));
}

void check(const Sample& request, const std::string& where) {
  if (request.min_samples > request.max_samples)
    refuse(fmt::format("{} asks for more min_samples than max_samples", where));
}

}  // namespace ridgeline::protocol
