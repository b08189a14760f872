#include <variant>

#include <fmt/core.h>

#include "ci/studies/fuzzing/targets/target.hpp"
#include "harness/base/text.hpp"
#include "harness/protocol/json.hpp"

/// Messages of workers, and requests to them. The first byte says which is waited for.
namespace ridgeline::fuzzing::targets {

namespace {

/// A line, written again, says the same.
void check_written(const std::string& line, const std::string& again) {
  expect(line.find('\n') == line.size() - 1, "a message of several lines: " + line);
  expect(is_utf8(line), "a message that is not UTF-8");
  expect(again == line, fmt::format("a message is read as another one: {}{}", line, again));
}

std::string_view without_end(const std::string& line) {
  return std::string_view(line).substr(0, line.size() - 1);
}

void read_request(std::string_view line) {
  protocol::Request request;
  if (!accepts({ErrorKind::usage, ErrorKind::dependency},
               [&] { request = protocol::parse_request(line); }))
    return;
  const std::string written = protocol::to_line(request);
  check_written(written, protocol::to_line(protocol::parse_request(without_end(written))));
}

template <class Answer>
void read_answer(std::string_view line) {
  std::variant<Answer, protocol::Failure> answer;
  if (!accepts({ErrorKind::internal, ErrorKind::dependency},
               [&] { answer = protocol::parse_answer<Answer>(line); }))
    return;
  const auto text = [](const auto& parsed) {
    return std::visit([](const auto& one) { return protocol::to_line(protocol::AnyAnswer(one)); },
                      parsed);
  };
  const std::string written = text(answer);
  check_written(written, text(protocol::parse_answer<Answer>(without_end(written))));
}

constexpr void (*readers[])(std::string_view) = {
    read_request,
    read_answer<protocol::Hello>,
    read_answer<protocol::Cases>,
    read_answer<protocol::Devices>,
    read_answer<protocol::Prepared>,
    read_answer<protocol::Sampled>,
    read_answer<protocol::Finished>,
};

void read_message(std::string_view input) {
  if (input.empty()) return;
  readers[static_cast<unsigned char>(input[0]) % std::size(readers)](input.substr(1));
}

std::string message(char reader, const std::string& line) {
  return std::string(1, reader) + line.substr(0, line.size() - 1);
}

record::Measurement timed() {
  record::Measurement m;
  m.case_name = "gemm/naive/f32/m=1,n=2,k=3";
  m.outcome = record::Outcome::ok;
  m.samples_ns = {1.25, 1e9, 0.1};
  m.median_ns = 1.25;
  m.relative_spread = 0.5;
  m.verification = record::Verification{1e-7, 1e-6, Checked::by_variant};
  m.settled = true;
  m.flops = 2e3;
  m.launch = "graph";
  m.cache = "cold";
  m.telemetry.power_w = 690.5;
  m.telemetry.throttle = "sw_power_cap";
  m.metrics = {{"moved_bytes", 64, "B", record::Direction::lower}};
  return m;
}

record::Measurement counted() {
  record::Measurement m;
  m.case_name = "gemm/naive/f32/m=1,n=2,k=3";
  m.outcome = record::Outcome::counted;
  m.verification = record::Verification{0, 1e-6};
  m.launch = "single";
  m.cache = "cold";
  m.sites = {{"gemm<float>", "kernels/gemm/naive.cu", 17, "global load", 4, 128, 4096, 512, 0}};
  m.sources = {{"kernels/gemm/naive.cu", "line 1\n\tline \"2\"\n"}};
  return m;
}

std::vector<std::string> message_seeds() {
  const record::Case one{{"gemm", "naive", "f32", {{"n", "64"}}, {{"cache", "hot"}}},
                         DeviceKind::cpu,
                         "one idea",
                         1,
                         2.5,
                         std::nullopt,
                         ""};
  record::Device device;
  device.id = "cuda:0";
  device.kind = DeviceKind::cuda;
  device.model = "synthetic-gpu";
  device.name = "Synthetic GPU";
  device.uuid = "GPU-0";
  device.comparable = {{"memory", "1 GiB"}};
  protocol::Prepare prepare;
  prepare.case_name = "gemm/naive/f32/n=64";
  prepare.device = "cuda:0";
  prepare.layout = 7;
  protocol::Hello hello;
  hello.build = {"ridgeline-suites", "abc", true, "g++ 12", "-O2", "13.0 sm_80", "00ff"};
  hello.launcher = "mpirun";
  hello.features = {protocol::Feature::layout};
  const protocol::Failure failure{"no memory", "free some", 69,
                                  protocol::FailureCause::out_of_memory};
  return {
      message(0, protocol::to_line(protocol::Request(protocol::HelloRequest{}))),
      message(0, protocol::to_line(protocol::Request(prepare))),
      message(0, protocol::to_line(protocol::Request(protocol::Sample{0.01, 5, 10, 1e9}))),
      message(0, protocol::to_line(protocol::Request(protocol::ByeRequest{}))),
      message(1, protocol::to_line(protocol::AnyAnswer(hello))),
      message(1, protocol::to_line(protocol::AnyAnswer(failure))),
      message(2, protocol::to_line(
                     protocol::AnyAnswer(protocol::Cases{{{one, "6109"}}, {{"gemm", "?"}}}))),
      message(3, protocol::to_line(
                     protocol::AnyAnswer(protocol::Devices{{device}, {{"cuda", "no driver"}}}))),
      message(4, protocol::to_line(protocol::AnyAnswer(
                     protocol::Prepared{record::Outcome::unsupported, "too large"}))),
      message(5, protocol::to_line(protocol::AnyAnswer(protocol::Sampled{{1.5, 2e6}}))),
      message(6, protocol::to_line(protocol::AnyAnswer(protocol::Finished{timed()}))),
      message(6, protocol::to_line(protocol::AnyAnswer(protocol::Finished{counted()}))),
  };
}

}  // namespace

Target protocol() {
  return {read_message,
          message_seeds,
          8192,
          {"\"request\"",
           "\"reply\"",
           "\"nan\"",
           "\"inf\"",
           "\"outcome\"",
           "\"samples_ns\"",
           "\"verification\"",
           "\"checked\"",
           "\"settled\"",
           "\"metrics\"",
           "\"sites\"",
           "\"sources\"",
           "\"pruned\"",
           "1e999",
           "1e-320",
           "18446744073709551615",
           "9223372036854775808",
           "\"reason\"",
           "\"crashed\"",
           "\"counted\"",
           "\"invalid_environment\"",
           "null",
           "\\u0000",
           "\\u001b",
           "\\u202e"}};
}

}  // namespace ridgeline::fuzzing::targets
