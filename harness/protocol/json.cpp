#include "harness/protocol/json.hpp"

#include <concepts>

#include <fmt/core.h>

#include "harness/base/text.hpp"
#include "harness/protocol/message_fields.hpp"
#include "harness/protocol/reader.hpp"
#include "harness/record/json.hpp"

namespace ridgeline::protocol {
namespace {

/// Throws when a message is of another version, whatever else it says.
void check_version(Reader& reader, std::string_view they, std::string_view we) {
  int theirs = 0;
  reader("protocol", theirs);
  if (theirs != version)
    throw Error(ErrorKind::dependency,
                fmt::format("the {} speaks protocol {}, but this {} speaks protocol {}", they,
                            theirs, we, version),
                "build both from one version of Ridgeline");
}

/// `kind`: "request" or "reply".
template <class Message>
std::string line(const char* kind, const Message& message) {
  json::Value object{{kind, Message::name}};
  record::JsonWriter write(object);
  if constexpr (record::Listed<const Message>) fields(write, message);
  return object.dump() + '\n';
}

/// Whether the request that `reader` reads is an Alternative, which it becomes then.
template <class Alternative>
bool read_as(std::string_view name, Reader& reader, Request& request) {
  if (name != Alternative::name) return false;
  if constexpr (std::same_as<Alternative, HelloRequest>)
    check_version(reader, "program that started this worker", "worker");
  reader.read(request.emplace<Alternative>());
  return true;
}

Request read_request(std::string_view text) {
  const json::Value object = parse_object(text);
  std::string name;
  Reader(object, "the request")("request", name, record::any_name);
  Reader reader(object, fmt::format("request \"{}\"", printable(name, 60)));
  reader("request", name, record::any_name);
  Request request;
  const bool known = [&]<class... Alternative>(const std::variant<Alternative...>&) {
    return (read_as<Alternative>(name, reader, request) || ...);
  }(request);
  if (!known) refuse(fmt::format("unknown request \"{}\"", printable(name, 60)));
  return request;
}

}  // namespace

std::string to_line(const Request& request) {
  return std::visit([](const auto& alternative) { return line("request", alternative); }, request);
}

Request parse_request(std::string_view text) {
  try {
    return read_request(text);
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::internal) throw;
    throw Error(ErrorKind::usage, error.what(), error.advice());
  }
}

std::string to_line(const AnyAnswer& answer) {
  return std::visit([](const auto& alternative) { return line("reply", alternative); }, answer);
}

template <class Answer>
std::variant<Answer, Failure> parse_answer(std::string_view text) {
  const json::Value object = parse_object(text);
  std::string name;
  Reader(object, fmt::format("the answer to \"{}\"", Answer::name))("reply", name,
                                                                    record::any_name);
  Reader reader(object, fmt::format("answer \"{}\"", printable(name, 60)));
  reader("reply", name, record::any_name);
  if (name == Failure::name) {
    Failure failure;
    reader.read(failure);
    return failure;
  }
  if (name != Answer::name)
    refuse(fmt::format("the worker answered \"{}\" where \"{}\" was waited for",
                       printable(name, 60), Answer::name));
  if constexpr (std::same_as<Answer, Hello>) check_version(reader, "worker", "ridgeline");
  Answer answer;
  reader.read(answer);
  return answer;
}

template std::variant<Hello, Failure> parse_answer<Hello>(std::string_view);
template std::variant<Cases, Failure> parse_answer<Cases>(std::string_view);
template std::variant<Devices, Failure> parse_answer<Devices>(std::string_view);
template std::variant<Opened, Failure> parse_answer<Opened>(std::string_view);
template std::variant<Prepared, Failure> parse_answer<Prepared>(std::string_view);
template std::variant<Sampled, Failure> parse_answer<Sampled>(std::string_view);
template std::variant<Finished, Failure> parse_answer<Finished>(std::string_view);

}  // namespace ridgeline::protocol
