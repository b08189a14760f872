#pragma once

#include <filesystem>
#include <functional>
#include <initializer_list>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "harness/device/device.hpp"
#include "harness/measure/group.hpp"
#include "harness/measure/measure.hpp"
#include "harness/worker/case.hpp"
#include "harness/worker/transport.hpp"

namespace ridgeline::worker {

/// What a worker program consists of.
struct Program {
  std::string name;
  std::vector<Suite> suites;
  std::string launcher;             // as in protocol::Hello
  measure::Group* group = nullptr;  // null: this process measures alone
  bool keeps_expected = false;      // protocol::Feature::expected
  std::filesystem::path sources;    // of the kernels, where they were built; for devices that count
  std::function<device::Discovery()> discover = device::discover;
  std::function<std::unique_ptr<device::Device>(std::string_view)> open = device::open;
  std::function<std::unique_ptr<Transport>(const std::string& address)> connect = open_transport;
};

/// Does what the command line says and returns the exit code; see main.hpp.
int main(int argc, char** argv, const Program& program);

/// The case called `name` for devices of `kind`. Throws a usage Error that suggests the nearest
/// name when no device has it; null when only devices of other kinds do.
const Case* find_case(const Program& program, std::string_view name, device::Kind kind);

/// What `input` can be, in a case's name and in messages.
inline constexpr std::initializer_list<std::pair<const char*, device::Distribution>> inputs = {
    {"uniform", device::Distribution::uniform},   {"zeros", device::Distribution::zeros},
    {"growing", device::Distribution::growing},   {"falling", device::Distribution::falling},
    {"outliers", device::Distribution::outliers}, {"low_first", device::Distribution::low_first},
    {"positive", device::Distribution::positive}};

/// What the options in a case's name ask for (cache=hot, launch=single, input=zeros); the defaults
/// where it has none.
measure::PrepareOptions options_of(const record::CaseId& id);

/// What `input` is called in a case's name and in messages; absent when nothing is.
std::optional<device::Distribution> distribution_called(std::string_view input);

/// Whether the case can be measured on the device: its own word, then whether the machine has a
/// place for each of its ranks in `group`, and for all of them where that has another number or is
/// null, then whether it fits into the memory that is free.
device::Support check(const Case& wanted, const device::Facts& facts,
                      const measure::Group* group = nullptr);

/// The id of the best device there is.
std::string best_device(const Program& program);

}  // namespace ridgeline::worker
