#include "harness/protocol/record_json.hpp"

#include <cmath>
#include <limits>
#include <set>

#include <fmt/core.h>

#include "harness/base/text.hpp"
#include "harness/protocol/json.hpp"
#include "harness/protocol/site_json.hpp"

namespace ridgeline::protocol {
namespace {

using json::put;

constexpr double any = std::numeric_limits<double>::lowest();
constexpr std::size_t max_fields = 32, max_metrics = 200, max_samples = 1'000'000;

json::Value pairs(const std::vector<record::Field>& fields) {
  json::Value list = json::Value::array();
  for (const record::Field& field : fields) list.push_back({field.key, field.value});
  return list;
}

// Words that case names are made of: without separators, spaces and control characters a name can be split again, typed
// in a shell and written to a page.
std::string check_word(std::string word, const std::string& where) {
  const bool plain =
      !word.empty() && word.find_first_not_of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.:+-") ==
                           std::string::npos;
  if (!plain)
    refuse(fmt::format("{} must be made of letters, digits and _.:+-, not \"{}\"", where, printable(word, 60)));
  return word;
}

std::string read_word(Reader& reader, const char* key) {
  return check_word(reader.text(key, max_name_bytes), fmt::format("field {} of {}", key, reader.where()));
}

DeviceKind read_device_kind(Reader& reader, const char* key) {
  const std::string text = reader.text(key, max_name_bytes);
  const auto kind = parse_device_kind(text);
  if (!kind)
    refuse(fmt::format("field {} of {} must be cpu, cuda, emulated or fake, not \"{}\"", key, reader.where(),
                       printable(text, 60)));
  return *kind;
}

std::vector<record::Field> read_pairs(Reader& reader, const char* key) {
  std::vector<record::Field> fields;
  reader.list(key, max_fields, [&](const json::Value& pair, const std::string& where) {
    if (!pair.is_array() || pair.size() != 2) refuse(fmt::format("field {} must be a pair of texts", where));
    fields.push_back({check_word(read_text(pair.elements()[0], where, max_name_bytes), where),
                      check_word(read_text(pair.elements()[1], where, max_name_bytes), where)});
  });
  return fields;
}

// An error that is not finite is a wrong result whose size is unknown; it must not get lost, so it travels as text.
json::Value to_json(const record::Verification& value) {
  json::Value object;
  if (std::isfinite(value.error))
    object["error"] = value.error;
  else
    object["error"] = std::isnan(value.error) ? "nan" : "inf";
  object["tolerance"] = value.tolerance;
  return object;
}

record::Verification read_verification(Reader reader) {
  const record::Verification verification{reader.number_or_not_finite("error", 0), reader.number("tolerance", 0)};
  reader.done();
  return verification;
}

json::Value to_json(const record::Telemetry& value) {
  json::Value object = json::Value::object();
  put(object, "sm_clock_mhz", value.sm_clock_mhz);
  put(object, "memory_clock_mhz", value.memory_clock_mhz);
  put(object, "power_w", value.power_w);
  put(object, "temperature_c", value.temperature_c);
  object["throttle"] = value.throttle;
  object["throttled_by_hardware"] = value.throttled_by_hardware;
  if (value.other_processes) object["other_processes"] = *value.other_processes;
  return object;
}

record::Telemetry read_telemetry(Reader reader) {
  record::Telemetry telemetry;
  telemetry.sm_clock_mhz = reader.optional_number("sm_clock_mhz", 0);
  telemetry.memory_clock_mhz = reader.optional_number("memory_clock_mhz", 0);
  telemetry.power_w = reader.optional_number("power_w", 0);
  telemetry.temperature_c = reader.optional_number("temperature_c", any);
  telemetry.throttle = reader.text("throttle", max_text_bytes);
  telemetry.throttled_by_hardware = reader.boolean("throttled_by_hardware");
  if (reader.has("other_processes"))
    telemetry.other_processes = static_cast<int>(reader.integer("other_processes", 0, 1'000'000));
  reader.done();
  return telemetry;
}

record::Metric read_metric(Reader reader) {
  record::Metric metric{
      read_word(reader, "name"), reader.number("value", any), reader.text("unit", max_name_bytes), {}};
  const std::string direction = reader.text("direction", max_name_bytes);
  const auto parsed = record::parse_direction(direction);
  if (!parsed)
    refuse(fmt::format("field direction of {} is unknown: \"{}\"", reader.where(), printable(direction, 60)));
  metric.direction = *parsed;
  reader.done();
  return metric;
}

/// What the fields of a measurement say of each other.
void check_consistent(const record::Measurement& value, const std::string& where) {
  const std::string outcome(record::to_string(value.outcome));
  if (record::has_samples(value.outcome) == value.samples_ns.empty())
    refuse(fmt::format("{} says outcome {} {} samples", where, outcome, value.samples_ns.empty() ? "without" : "with"));
  if (value.samples_ns.empty() == value.median_ns.has_value())
    refuse(fmt::format("{} must hold median_ns exactly when it holds samples", where));
  if (value.relative_spread && value.samples_ns.empty())
    refuse(fmt::format("{} must not hold relative_spread without samples", where));
  if (record::is_success(value.outcome) != value.reason.empty())
    refuse(fmt::format("{} must give a reason exactly when its outcome is neither ok nor counted", where));
  if (record::has_samples(value.outcome) && !value.verification)
    refuse(fmt::format("{} says outcome {} without a verification: an output that was not verified has no time", where,
                       outcome));
  const bool wrong = value.verification && !value.verification->right();
  if (wrong && value.outcome != record::Outcome::wrong_result)
    refuse(fmt::format("{} says outcome {} although its verification failed", where, outcome));
  const bool counted = value.outcome == record::Outcome::counted;
  if (counted && !value.verification) refuse(fmt::format("{} says outcome counted without a verification", where));
  if (counted && (value.warmup_ns != 0 || value.timed_ns != 0))
    refuse(fmt::format("{} says outcome counted and how long it was timed: counts come without times", where));
  if (!counted && !(value.sites.empty() && value.sources.empty()))
    refuse(fmt::format("{} says outcome {} and holds sites or sources, which are of counted cases", where, outcome));
}

}  // namespace

std::string fitting(const std::string& text) { return printable(text, max_text_bytes - 16); }

json::Value to_json(const record::Case& value) {
  json::Value object{{"suite", value.id.suite},
                     {"variant", value.id.variant},
                     {"dtype", value.id.dtype},
                     {"problem", pairs(value.id.problem)},
                     {"options", pairs(value.id.options)},
                     {"device_kind", to_string(value.device_kind)},
                     {"idea", value.idea},
                     {"ranks", value.ranks}};
  put(object, "flops", value.flops);
  put(object, "bytes", value.bytes);
  object["roof"] = value.roof;
  return object;
}

record::Case read_case(Reader reader) {
  record::Case value;
  value.id.suite = read_word(reader, "suite");
  value.id.variant = read_word(reader, "variant");
  value.id.dtype = read_word(reader, "dtype");
  value.id.problem = read_pairs(reader, "problem");
  if (reader.has("options")) value.id.options = read_pairs(reader, "options");
  value.device_kind = read_device_kind(reader, "device_kind");
  if (reader.has("idea")) value.idea = reader.text("idea", max_text_bytes);
  if (reader.has("ranks")) value.ranks = static_cast<int>(reader.integer("ranks", 1, 1'000'000));
  value.flops = reader.optional_number("flops", 0);
  value.bytes = reader.optional_number("bytes", 0);
  if (reader.has("roof")) value.roof = reader.text("roof", max_name_bytes);
  reader.done();
  const std::string name = record::name(value.id);
  if (name.size() > max_name_bytes)
    refuse(fmt::format("{} has a name longer than {} bytes: {}", reader.where(), max_name_bytes, name.substr(0, 80)));
  return value;
}

json::Value to_json(const record::Device& value) {
  return {{"id", value.id},
          {"kind", to_string(value.kind)},
          {"model", value.model},
          {"name", value.name},
          {"uuid", value.uuid},
          {"pci_id", value.pci_id},
          {"properties", value.properties},
          {"comparable", value.comparable},
          {"recorded", value.recorded}};
}

record::Device read_device(Reader reader) {
  record::Device value;
  value.id = reader.text("id", max_name_bytes);
  value.kind = read_device_kind(reader, "kind");
  // The model names a file.
  value.model = read_word(reader, "model");
  if (value.model.starts_with('.')) refuse(fmt::format("field model of {} must not start with a dot", reader.where()));
  value.name = reader.text("name", max_text_bytes);
  value.uuid = reader.text("uuid", max_name_bytes);
  if (value.id.empty() || value.uuid.empty()) refuse(fmt::format("{} has an empty id or uuid", reader.where()));
  value.pci_id = reader.text("pci_id", max_name_bytes);
  value.properties = reader.facts("properties");
  value.comparable = reader.facts("comparable");
  value.recorded = reader.facts("recorded");
  reader.done();
  return value;
}

json::Value to_json(const record::Build& value) {
  return {{"worker", value.worker},      {"commit", value.commit}, {"dirty", value.dirty},
          {"compiler", value.compiler},  {"flags", value.flags},   {"cuda", value.cuda},
          {"code_hash", value.code_hash}};
}

record::Build read_build(Reader reader) {
  record::Build value;
  value.worker = read_word(reader, "worker");
  value.commit = reader.text("commit", max_name_bytes);
  value.dirty = reader.boolean("dirty");
  value.compiler = reader.text("compiler", max_text_bytes);
  value.flags = reader.text("flags", max_text_bytes);
  value.cuda = reader.text("cuda", max_text_bytes);
  value.code_hash = reader.text("code_hash", max_name_bytes);
  reader.done();
  return value;
}

json::Value to_json(const record::Measurement& value) {
  json::Value object{{"case", value.case_name},         {"outcome", record::to_string(value.outcome)},
                     {"reason", fitting(value.reason)}, {"attempt", value.attempt},
                     {"samples_ns", value.samples_ns},  {"executions_per_sample", value.executions_per_sample}};
  put(object, "median_ns", value.median_ns);
  put(object, "relative_spread", value.relative_spread);
  if (value.verification) object["verification"] = to_json(*value.verification);
  put(object, "flops", value.flops);
  put(object, "bytes", value.bytes);
  object.update(json::Value{{"launch", value.launch},
                            {"cache", value.cache},
                            {"buffer_sets", value.buffer_sets},
                            {"seed", value.seed},
                            {"prepare_ns", value.prepare_ns},
                            {"verify_ns", value.verify_ns},
                            {"warmup_ns", value.warmup_ns},
                            {"timed_ns", value.timed_ns},
                            {"total_ns", value.total_ns},
                            {"telemetry", to_json(value.telemetry)}});
  json::Value& metrics = object["metrics"] = json::Value::array();
  for (const record::Metric& metric : value.metrics)
    if (std::isfinite(metric.value))
      metrics.push_back({{"name", metric.name},
                         {"value", metric.value},
                         {"unit", metric.unit},
                         {"direction", record::to_string(metric.direction)}});
  if (!value.sites.empty()) object["sites"] = to_json(value.sites);
  if (!value.sources.empty()) object["sources"] = to_json(value.sources);
  return object;
}

record::Outcome read_outcome(Reader& reader) {
  const std::string text = reader.text("outcome", max_name_bytes);
  const auto outcome = record::parse_outcome(text);
  if (!outcome) refuse(fmt::format("field outcome of {} is unknown: \"{}\"", reader.where(), printable(text, 60)));
  return *outcome;
}

std::vector<double> read_samples(Reader& reader) {
  std::vector<double> samples;
  reader.list("samples_ns", max_samples, [&](const json::Value& value, const std::string& where) {
    samples.push_back(read_number(value, where, std::numeric_limits<double>::min()));
  });
  return samples;
}

record::Measurement read_measurement(Reader reader) {
  record::Measurement value;
  value.case_name = reader.text("case", max_name_bytes);
  value.outcome = read_outcome(reader);
  value.reason = reader.text("reason", max_text_bytes);
  if (reader.has("attempt")) value.attempt = static_cast<int>(reader.integer("attempt", 1, 1000));
  value.samples_ns = read_samples(reader);
  value.executions_per_sample = reader.integer("executions_per_sample", 1, INT64_MAX);
  value.median_ns = reader.optional_number("median_ns", std::numeric_limits<double>::min());
  value.relative_spread = reader.optional_number("relative_spread", 0);
  if (reader.has("verification")) value.verification = read_verification(reader.object("verification"));
  value.flops = reader.optional_number("flops", 0);
  value.bytes = reader.optional_number("bytes", 0);
  value.launch = reader.text("launch", max_name_bytes);
  value.cache = reader.text("cache", max_name_bytes);
  value.buffer_sets = reader.integer("buffer_sets", 0, INT64_MAX);
  value.seed = reader.unsigned_integer("seed");
  value.prepare_ns = reader.number("prepare_ns", 0);
  value.verify_ns = reader.number("verify_ns", 0);
  value.warmup_ns = reader.number("warmup_ns", 0);
  value.timed_ns = reader.number("timed_ns", 0);
  value.total_ns = reader.number("total_ns", 0);
  if (reader.has("telemetry")) value.telemetry = read_telemetry(reader.object("telemetry"));
  std::set<std::string> metric_names;
  if (reader.has("metrics"))
    reader.list("metrics", max_metrics, [&](const json::Value& metric, const std::string& where) {
      value.metrics.push_back(read_metric(Reader(metric, where)));
      if (!metric_names.insert(value.metrics.back().name).second)
        refuse(fmt::format("{} has the name of an earlier metric: {}", where, value.metrics.back().name));
    });
  if (reader.has("sites")) value.sites = read_sites(reader);
  if (reader.has("sources")) value.sources = read_sources(reader);
  reader.done();
  check_consistent(value, reader.where());
  return value;
}

}  // namespace ridgeline::protocol
