#include <charconv>
#include <cmath>
#include <optional>

#include <fmt/core.h>
#include <nlohmann/json.hpp>

#include "harness/base/error.hpp"
#include "harness/base/text.hpp"
#include "harness/worker/calibration/calibration.hpp"
#include "harness/worker/code_hash.hpp"

namespace ridgeline::worker::calibration {
namespace {

/// `outside`, on which the code hash that is said depends on the extra work as well as on the
/// program: the same file stands for two builds.
class Marked final : public Transport {
 public:
  Marked(std::unique_ptr<Transport> outside, double extra_percent)
      : outside_(std::move(outside)), extra_percent_(extra_percent) {}

  std::optional<std::string> receive() override {
    std::optional<std::string> line = outside_->receive();
    if (line) {
      const nlohmann::json request = nlohmann::json::parse(*line, nullptr, false);
      asked_hello_ = request.is_object() && request.value("request", nlohmann::json()) == "hello";
    }
    return line;
  }

  void send(std::string_view line) override {
    if (!asked_hello_) return outside_->send(line);
    nlohmann::json answer = nlohmann::json::parse(line);
    if (answer.at("reply") == "hello") {
      nlohmann::json& hash = answer.at("build").at("code_hash");
      const std::string both = fmt::format("{} {}", hash.get<std::string>(), extra_percent_);
      hash = content_hash(std::as_bytes(std::span(both)));
    }
    outside_->send(answer.dump() + '\n');
  }

 private:
  std::unique_ptr<Transport> outside_;
  double extra_percent_;
  bool asked_hello_ = false;
};

double parse_extra(const std::string& text) {
  double percent = 0;
  const char* const end = text.data() + text.size();
  const auto [rest, status] = std::from_chars(text.data(), end, percent);
  if (status != std::errc() || rest != end || !(percent > -100 && percent <= 1000))
    throw Error(ErrorKind::usage,
                fmt::format("--extra takes a percentage, not '{}'", printable(text, 60)),
                "for example --extra 3 or --extra -5");
  return percent + 0.0;  // -0 is 0
}

}  // namespace

double take_extra(std::vector<std::string>& arguments) {
  std::optional<std::string> given;
  std::vector<std::string> rest;
  const std::string flag = "--extra";
  for (std::size_t i = 0; i < arguments.size(); ++i) {
    const bool joined = arguments[i].starts_with(flag + "=");
    if (!joined && arguments[i] != flag) {
      rest.push_back(arguments[i]);
      continue;
    }
    if (given) throw Error(ErrorKind::usage, "--extra is given twice");
    given = joined                   ? arguments[i].substr(flag.size() + 1)
            : ++i < arguments.size() ? arguments[i]
                                     : "";
  }
  arguments = std::move(rest);
  return given ? parse_extra(*given) : 0;
}

Program program(double extra_percent) {
  Program program;
  program.name = "ridgeline-calibration-worker";
  program.suites.push_back(
      {"calibration",
       "Does the gate find a known amount of extra work, and nothing where there is none?",
       cases(extra_percent)});
  program.connect = [extra_percent](const std::string& address) {
    return std::make_unique<Marked>(open_transport(address), extra_percent);
  };
  return program;
}

}  // namespace ridgeline::worker::calibration
