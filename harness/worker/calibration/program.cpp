#include <algorithm>
#include <optional>

#include <fmt/core.h>
#include <nlohmann/json.hpp>

#include "harness/base/error.hpp"
#include "harness/base/text.hpp"
#include "harness/worker/calibration/calibration.hpp"
#include "harness/worker/code_hash.hpp"

namespace ridgeline::worker::calibration {
namespace {

/// `outside`, on which the code hash that is said depends on what is planted as well as on the
/// program: the same file stands for two builds.
class Marked final : public Transport {
 public:
  Marked(std::unique_ptr<Transport> outside, std::string planted)
      : outside_(std::move(outside)), planted_(std::move(planted)) {}

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
      const std::string both = fmt::format("{}{}", hash.get<std::string>(), planted_);
      hash = content_hash(std::as_bytes(std::span(both)));
    }
    outside_->send(answer.dump() + '\n');
  }

 private:
  std::unique_ptr<Transport> outside_;
  std::string planted_;
  bool asked_hello_ = false;
};

}  // namespace

Program program(const Planted& planted) {
  Program program;
  program.name = "ridgeline-calibration-worker";
  program.suites.push_back(
      {"calibration",
       "Does the gate find a known amount of extra work, and nothing where there is none?",
       cases(planted)});
  const std::vector<Case>& all = program.suites.back().cases;
  const auto is_meant = [&](const Case& each) {
    return record::name(each.info.id) == planted.only;
  };
  if (!planted.only.empty() && std::ranges::none_of(all, is_meant))
    throw Error(ErrorKind::usage,
                fmt::format("--only: there is no case '{}'", printable(planted.only)));
  program.connect = [text = planted.text()](const std::string& address) {
    return std::make_unique<Marked>(open_transport(address), text);
  };
  return program;
}

}  // namespace ridgeline::worker::calibration
