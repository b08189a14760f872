#include "harness/outside/memory.hpp"

#include <algorithm>
#include <cmath>

#include <fmt/core.h>

#include "harness/base/error.hpp"
#include "harness/base/kernel_calls.hpp"
#include "harness/device/random_element.hpp"

namespace ridgeline::outside {
namespace {

constexpr std::size_t zone_bytes = 256;  // as memory is aligned
constexpr std::size_t most_sets = 1024;
constexpr std::size_t most_looked_at = 4;  // sets whose inputs are compared: as many bytes are read

std::size_t bytes_of(std::int64_t count, DType dtype) {
  return static_cast<std::size_t>(count) * size_of(dtype);
}

std::size_t input_bytes(const Case& one) {
  std::size_t bytes = 0;
  for (const Input& input : one.inputs)
    bytes += bytes_of(input.count, input.dtype.value_or(one.dtype));
  return bytes;
}

std::size_t output_bytes(const Case& one) {
  std::size_t bytes = 0;
  for (const Output& output : one.outputs)
    bytes += bytes_of(output.count, output.dtype.value_or(one.dtype));
  return bytes;
}

/// Where `found` differs from `wanted`, or its size.
std::size_t first_difference(std::span<const std::byte> found, std::span<const std::byte> wanted) {
  return static_cast<std::size_t>(std::ranges::mismatch(found, wanted).in1 - found.begin());
}

}  // namespace

double memory_of(const Case& one) {
  return static_cast<double>(2 * input_bytes(one) + output_bytes(one) + one.workspace);
}

Guarded::Guarded(device::Device& device, std::size_t bytes, std::span<const std::byte> zone)
    : zone_(zone.size()), memory_(device, bytes + 2 * zone.size()) {
  if (zone.empty()) return;
  device.upload(memory_.data(), zone.data(), zone_);
  device.upload(data() + bytes, zone.data(), zone_);
}

std::string Guarded::damage(device::Device& device, std::span<const std::byte> zone) const {
  std::vector<std::byte> found(zone_);
  device.download(found.data(), memory_.data(), zone_);
  if (!std::ranges::equal(found, zone)) return "before its begin";
  device.download(found.data(), data() + bytes(), zone_);
  return std::ranges::equal(found, zone) ? "" : "past its end";
}

Memory::Memory(const Case& described, measure::Setup& setup)
    : one(described),
      device(setup.device),
      distribution(setup.distribution),
      count(setup.sets(input_bytes(one) + output_bytes(one), most_sets)),
      workspace(setup.device, one.workspace) {
  if (device.facts().kind != device::Kind::emulated) {
    zone.resize(zone_bytes);
    for (std::byte& each : zone) each = static_cast<std::byte>(kernel_random());
  }
  for (std::size_t i = 0; i < count.inputs; ++i) {
    Set& set = sets.emplace_back();
    for (std::size_t k = 0; k < one.inputs.size(); ++k)
      set.inputs.emplace_back(device, bytes_of(one.inputs[k].count, input_type(k)), zone);
    fill(i, setup.seed);
  }
  for (std::size_t i = 0; i < count.outputs; ++i) {
    Outputs& output = outputs.emplace_back();
    for (std::size_t k = 0; k < one.outputs.size(); ++k)
      output.buffers.emplace_back(device, bytes_of(one.outputs[k].count, output_type(k)), zone);
  }
  spare_bytes = static_cast<double>((count.inputs - 1) * input_bytes(one) +
                                    (count.outputs - 1) * output_bytes(one));
}

std::uint64_t Memory::first(std::size_t set, std::size_t input) {
  return (set * 64 + input) << 40;  // an input has at most 2^40 elements
}

double Memory::element(std::size_t set, std::size_t input, std::int64_t i) const {
  const std::optional<Altered>& altered = sets[set].altered;
  const bool is_altered = altered && altered->input == input && altered->element == i;
  return device::random_element(input_type(input), distribution,
                                is_altered ? altered->seed : sets[set].seed,
                                first(set, input) + static_cast<std::uint64_t>(i));
}

void Memory::make(std::byte* to, std::size_t set, std::size_t input) const {
  const DType type = input_type(input);
  device.fill(to, type, static_cast<std::size_t>(one.inputs[input].count), distribution,
              sets[set].seed, first(set, input));
  const std::optional<Altered>& altered = sets[set].altered;
  if (!altered || altered->input != input) return;
  const auto i = static_cast<std::size_t>(altered->element);
  device.fill(to + i * size_of(type), type, 1, distribution, altered->seed, first(set, input) + i);
}

void Memory::fill(std::size_t set, std::uint64_t seed) {
  sets[set].seed = seed;
  sets[set].altered.reset();
  for (std::size_t k = 0; k < one.inputs.size(); ++k) make(sets[set].inputs[k].data(), set, k);
}

void Memory::alter(std::size_t set) {
  if (one.inputs.empty()) return;
  const std::size_t input = kernel_random() % one.inputs.size();
  const auto i = static_cast<std::int64_t>(kernel_random() %
                                           static_cast<std::uint64_t>(one.inputs[input].count));
  std::optional<Altered>& altered = sets[set].altered;
  altered.reset();
  const double before = element(set, input, i);
  for (int tries = 0; tries < 64; ++tries) {
    altered = Altered{input, i, kernel_random()};
    if (element(set, input, i) != before) return make(sets[set].inputs[input].data(), set, input);
  }
  altered.reset();
}

void Memory::poison(std::size_t output) {
  Outputs& to = outputs[output];
  const bool again = was_poisoned && device.facts().kind != device::Kind::emulated;
  to.garbage = again ? kernel_random() | 1 : 0;
  for (std::size_t k = 0; k < to.buffers.size(); ++k) {
    if (again)
      device.fill(to.buffers[k].data(), output_type(k),
                  static_cast<std::size_t>(one.outputs[k].count), device::Distribution::uniform,
                  to.garbage, first(0, k));
    else
      device.poison(to.buffers[k].data(), to.buffers[k].bytes());
  }
  // All are poisoned before the first execution, and the one that is executed then once more.
  was_poisoned = ++poisoned > outputs.size();
}

bool Memory::is_poison(std::size_t output, std::size_t k, std::int64_t i, double value) const {
  const std::uint64_t garbage = outputs[output].garbage;
  if (garbage == 0) return std::isnan(value);
  return value == device::random_element(output_type(k), device::Distribution::uniform, garbage,
                                         first(0, k) + static_cast<std::uint64_t>(i));
}

std::string Memory::damage() const {
  if (zone.empty()) return {};
  for (std::size_t s = 0; s < sets.size(); ++s)
    for (std::size_t k = 0; k < sets[s].inputs.size(); ++k)
      if (const std::string where = sets[s].inputs[k].damage(device, zone); !where.empty())
        return fmt::format("memory {} of input {} was written", where, k);
  for (const Outputs& each : outputs)
    for (std::size_t k = 0; k < each.buffers.size(); ++k)
      if (const std::string where = each.buffers[k].damage(device, zone); !where.empty())
        return fmt::format("memory {} of output {} was written", where, k);
  const std::size_t begin = kernel_random() % sets.size();
  std::vector<std::size_t> looked_at{newest};
  for (std::size_t n = 0; n < sets.size() && looked_at.size() < most_looked_at; ++n)
    if (const std::size_t s = (begin + n) % sets.size(); sets[s].launched && s != newest)
      looked_at.push_back(s);
  for (const std::size_t s : looked_at)
    for (std::size_t k = 0; k < sets[s].inputs.size(); ++k) {
      const Guarded& input = sets[s].inputs[k];
      const device::Buffer<std::byte> again(device, input.bytes());
      make(again.data(), s, k);
      std::vector<std::byte> found(input.bytes());
      device.download(found.data(), input.data(), found.size());
      if (const std::size_t at = first_difference(found, again.download()); at < found.size())
        return fmt::format("input {} was changed, which a kernel only reads: element {}", k,
                           at / size_of(input_type(k)));
    }
  return {};
}

}  // namespace ridgeline::outside
