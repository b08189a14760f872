#include "harness/run/expected_ranks.hpp"

#include <algorithm>
#include <charconv>
#include <optional>
#include <string>

#include <fmt/core.h>

#include "harness/base/error.hpp"
#include "harness/base/text.hpp"
#include "harness/base/units.hpp"

namespace ridgeline::run {
namespace {

/// How many ranks have a GPU or a core of their own; absent where nobody says.
std::optional<int> places(const std::vector<Worker>& workers, const record::Device& device) {
  if (device.kind == DeviceKind::cuda) {
    const std::vector<record::Device> all = devices_of(workers);
    return static_cast<int>(std::ranges::count(all, DeviceKind::cuda, &record::Device::kind));
  }
  const auto cores = device.properties.find("cores");
  if (cores == device.properties.end()) return std::nullopt;
  const std::string& text = cores->second;
  int count = 0;
  const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), count);
  if (failure != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return count;
}

bool launched(const Selected& each) { return !each.worker->hello.launcher.empty(); }

}  // namespace

void require_ranks(const std::string& option, const std::vector<Selected>& cases,
                   const std::string& how) {
  if (std::ranges::any_of(cases, launched)) return;
  throw Error(ErrorKind::usage,
              fmt::format("{}: none of {} is measured by ranks", option,
                          units::plural(std::ssize(cases), "chosen case")),
              how);
}

void expect_ranks(int expected, const std::vector<Selected>& cases,
                  const std::vector<Worker>& workers, const record::Device& device) {
  const auto differs = [&](const Selected& each) {
    return launched(each) && each.info.ranks != expected;
  };
  const std::string how =
      fmt::format("choose cases of as many: ridgeline run 'collectives/*,ranks={},*'", expected);
  if (const auto others = std::ranges::count_if(cases, differs); others > 0) {
    const Selected& first = *std::ranges::find_if(cases, differs);
    throw Error(
        ErrorKind::usage,
        fmt::format("--expect-ranks {}: of the chosen cases {} by another number of ranks, "
                    "{} by {}",
                    expected,
                    others == 1 ? "one is measured" : fmt::format("{} are measured", others),
                    printable(first.name, 400), first.info.ranks),
        how);
  }
  require_ranks(fmt::format("--expect-ranks {}", expected), cases, how);
  if (std::ranges::any_of(cases, [](const Selected& each) {
        return launched(each) && process::may_leave_host(each.worker->launcher);
      }))
    return;
  const std::optional<int> there = places(workers, device);
  if (there && *there < expected)
    throw Error(ErrorKind::dependency,
                fmt::format("--expect-ranks {}: {} ranks need as many {}, and there {}", expected,
                            expected, device.kind == DeviceKind::cuda ? "GPUs" : "cores",
                            *there == 1 ? "is 1" : fmt::format("are {}", *there)),
                "expect fewer, or measure on another machine");
}

}  // namespace ridgeline::run
