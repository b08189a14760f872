#include "harness/protocol/json.hpp"

#include <climits>
#include <set>

#include <fmt/core.h>

#include "harness/base/error.hpp"
#include "harness/base/text.hpp"
#include "harness/protocol/record_json.hpp"

namespace ridgeline::protocol {
namespace {

constexpr std::size_t max_cases = 100'000, max_devices = 1000, max_features = 100;

std::string line(const json::Value& object) { return object.dump() + '\n'; }

void check_version(Reader& reader, std::string_view they, std::string_view we) {
  const std::int64_t theirs = reader.integer("protocol", INT_MIN, INT_MAX);
  if (theirs != version)
    throw Error(ErrorKind::dependency,
                fmt::format("the {} speaks protocol {}, but this {} speaks protocol {}", they, theirs, we, version),
                "build both from one version of Ridgeline");
}

json::Value fields(const HelloRequest& request) { return {{"request", "hello"}, {"protocol", request.protocol}}; }
json::Value fields(const ListRequest&) { return {{"request", "list"}}; }
json::Value fields(const DevicesRequest&) { return {{"request", "devices"}}; }
json::Value fields(const FinishRequest&) { return {{"request", "finish"}}; }
json::Value fields(const ByeRequest&) { return {{"request", "bye"}}; }
json::Value fields(const Prepare& request) {
  json::Value all{{"request", "prepare"},
                  {"case", request.case_name},
                  {"device", request.device},
                  {"seed", request.seed},
                  {"cache", request.cache},
                  {"launch", request.launch},
                  {"input", request.input},
                  {"warmup_budget_ns", request.warmup_budget_ns},
                  {"sample_floor_ns", request.sample_floor_ns}};
  if (request.layout != 0) all["layout"] = request.layout;  // workers without the feature may refuse the field
  return all;
}
json::Value fields(const Sample& request) {
  return {{"request", "sample"},
          {"target", request.target},
          {"min_samples", request.min_samples},
          {"max_samples", request.max_samples},
          {"budget_ns", request.budget_ns}};
}

Prepare read_prepare(Reader& reader) {
  return {reader.text("case", max_name_bytes),
          reader.text("device", max_name_bytes),
          reader.unsigned_integer("seed"),
          reader.text("cache", max_name_bytes),
          reader.text("launch", max_name_bytes),
          reader.text("input", max_name_bytes),
          reader.number("warmup_budget_ns", 0),
          reader.number("sample_floor_ns", 0),
          reader.has("layout") ? reader.unsigned_integer("layout") : 0};
}

Sample read_sample(Reader& reader) {
  Sample request{reader.number("target", 0), static_cast<int>(reader.integer("min_samples", 1, INT_MAX)),
                 static_cast<int>(reader.integer("max_samples", 1, 1'000'000)), reader.number("budget_ns", 0)};
  if (request.min_samples > request.max_samples)
    refuse("request \"sample\" asks for more min_samples than max_samples");
  return request;
}

void read(Reader& reader, Hello& hello) {
  check_version(reader, "worker", "ridgeline");
  hello.build = read_build(reader.object("build"));
  hello.launcher = reader.text("launcher", max_name_bytes);
  if (!reader.has("features")) return;
  reader.list("features", max_features, [&](const json::Value& value, const std::string& where) {
    if (const auto known = value_of(feature_names, read_text(value, where, max_name_bytes)))
      hello.features.insert(*known);
  });
}

void read(Reader& reader, Cases& answer) {
  std::set<std::pair<DeviceKind, std::string>> seen;
  reader.list("cases", max_cases, [&](const json::Value& value, const std::string& where) {
    answer.cases.push_back(read_case(Reader(value, where)));
    const record::Case& added = answer.cases.back();
    if (!seen.emplace(added.device_kind, record::name(added.id)).second)
      refuse(fmt::format("{} is listed twice for {}: {}", where, to_string(added.device_kind), record::name(added.id)));
  });
  if (!reader.has("suites")) return;
  reader.list("suites", max_cases, [&](const json::Value& value, const std::string& where) {
    Reader inner(value, where);
    answer.suites.push_back({inner.text("name", max_name_bytes), inner.text("question", max_text_bytes)});
    inner.done();
  });
}

void read(Reader& reader, Devices& answer) {
  std::set<std::string> seen;
  reader.list("devices", max_devices, [&](const json::Value& value, const std::string& where) {
    answer.devices.push_back(read_device(Reader(value, where)));
    if (!seen.insert(answer.devices.back().id).second) refuse(fmt::format("{} has the id of an earlier device", where));
  });
  reader.list("unavailable", max_devices, [&](const json::Value& value, const std::string& where) {
    Reader inner(value, where);
    answer.unavailable.push_back({inner.text("kind", max_name_bytes), inner.text("reason", max_text_bytes)});
    inner.done();
  });
}

void read(Reader& reader, Prepared& answer) {
  answer.outcome = read_outcome(reader);
  answer.reason = reader.text("reason", max_text_bytes);
  if (record::is_success(answer.outcome) != answer.reason.empty())
    refuse(fmt::format("{} must give a reason exactly when its outcome is neither ok nor counted", reader.where()));
}

void read(Reader& reader, Sampled& answer) { answer.samples_ns = read_samples(reader); }

void read(Reader& reader, Finished& answer) { answer.measurement = read_measurement(reader.object("measurement")); }

template <class Answer>
constexpr const char* reply_name = nullptr;
template <>
constexpr const char* reply_name<Hello> = "hello";
template <>
constexpr const char* reply_name<Cases> = "list";
template <>
constexpr const char* reply_name<Devices> = "devices";
template <>
constexpr const char* reply_name<Prepared> = "prepare";
template <>
constexpr const char* reply_name<Sampled> = "sample";
template <>
constexpr const char* reply_name<Finished> = "finish";

Request read_request(std::string_view text) {
  const json::Value object = parse_object(text);
  Reader named(object, "the request");
  const std::string name = named.text("request", max_name_bytes);
  Reader reader(object, fmt::format("request \"{}\"", printable(name, 60)));
  reader.has("request");
  Request request;
  if (name == "hello")
    check_version(reader, "program that started this worker", "worker");
  else if (name == "list")
    request = ListRequest{};
  else if (name == "devices")
    request = DevicesRequest{};
  else if (name == "prepare")
    request = read_prepare(reader);
  else if (name == "sample")
    request = read_sample(reader);
  else if (name == "finish")
    request = FinishRequest{};
  else if (name == "bye")
    request = ByeRequest{};
  else
    refuse(fmt::format("unknown request \"{}\"", printable(name, 60)));
  reader.done();
  return request;
}

}  // namespace

std::string to_line(const Request& request) {
  return line(std::visit([](const auto& alternative) { return fields(alternative); }, request));
}

Request parse_request(std::string_view text) {
  try {
    return read_request(text);
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::internal) throw;
    throw Error(ErrorKind::usage, error.what(), error.advice());
  }
}

std::string to_line(const Hello& answer) {
  json::Value known = json::Value::array();
  for (const Feature feature : answer.features) known.push_back(name_of(feature_names, feature));
  return line({{"reply", "hello"},
               {"protocol", answer.protocol},
               {"build", to_json(answer.build)},
               {"launcher", answer.launcher},
               {"features", std::move(known)}});
}

std::string to_line(const Cases& answer) {
  json::Value cases = json::Value::array();
  for (const record::Case& value : answer.cases) cases.push_back(to_json(value));
  json::Value object{{"reply", "list"}, {"cases", std::move(cases)}};
  for (const Suite& value : answer.suites)
    object["suites"].push_back({{"name", value.name}, {"question", fitting(value.question)}});
  return line(object);
}

std::string to_line(const Devices& answer) {
  json::Value devices = json::Value::array(), unavailable = json::Value::array();
  for (const record::Device& value : answer.devices) devices.push_back(to_json(value));
  for (const UnavailableKind& value : answer.unavailable)
    unavailable.push_back({{"kind", value.kind}, {"reason", fitting(value.reason)}});
  return line({{"reply", "devices"}, {"devices", std::move(devices)}, {"unavailable", std::move(unavailable)}});
}

std::string to_line(const Prepared& answer) {
  return line(
      {{"reply", "prepare"}, {"outcome", record::to_string(answer.outcome)}, {"reason", fitting(answer.reason)}});
}

std::string to_line(const Sampled& answer) { return line({{"reply", "sample"}, {"samples_ns", answer.samples_ns}}); }

std::string to_line(const Finished& answer) {
  return line({{"reply", "finish"}, {"measurement", to_json(answer.measurement)}});
}

std::string to_line(const Failure& answer) {
  json::Value all{{"reply", "error"},
                  {"message", fitting(answer.message)},
                  {"advice", fitting(answer.advice)},
                  {"exit_code", answer.exit_code}};
  if (answer.cause) all["cause"] = name_of(failure_cause_names, *answer.cause);
  return line(all);
}

template <class Answer>
std::variant<Answer, Failure> parse_answer(std::string_view text) {
  const json::Value object = parse_object(text);
  const std::string waited_for = reply_name<Answer>;
  const std::string name =
      Reader(object, fmt::format("the answer to \"{}\"", waited_for)).text("reply", max_name_bytes);
  Reader reader(object, fmt::format("answer \"{}\"", printable(name, 60)));
  reader.has("reply");
  if (name == "error") {
    Failure failure{reader.text("message", max_text_bytes), reader.text("advice", max_text_bytes),
                    static_cast<int>(reader.integer("exit_code", 1, 255))};
    if (reader.has("cause")) failure.cause = value_of(failure_cause_names, reader.text("cause", max_name_bytes));
    reader.done();
    return failure;
  }
  if (name != waited_for)
    refuse(fmt::format("the worker answered \"{}\" where \"{}\" was waited for", printable(name, 60), waited_for));
  Answer answer;
  read(reader, answer);
  reader.done();
  return answer;
}

template std::variant<Hello, Failure> parse_answer<Hello>(std::string_view);
template std::variant<Cases, Failure> parse_answer<Cases>(std::string_view);
template std::variant<Devices, Failure> parse_answer<Devices>(std::string_view);
template std::variant<Prepared, Failure> parse_answer<Prepared>(std::string_view);
template std::variant<Sampled, Failure> parse_answer<Sampled>(std::string_view);
template std::variant<Finished, Failure> parse_answer<Finished>(std::string_view);

}  // namespace ridgeline::protocol
