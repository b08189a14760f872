#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "harness/base/error.hpp"
#include "harness/device/buffer.hpp"
#include "harness/device/device.hpp"
#include "kernels/deviation.hpp"
#include "kernels/kept.hpp"
#include "kernels/oracle.hpp"
#include "kernels/question.hpp"

// Outputs that a device's own oracle judges, where they lie: nothing of them is downloaded.
//
// A family's second oracle is kernels/<family>/oracle.cu, which nvcc and the emulated device's
// compiler compile. It is as slow and as simple as the first one, and written from the problem's
// definition alone: it shares no code with a variant, nor a formula with oracle.cpp. CMake writes
// `<family>::device_oracle()` into the table of variants: null in a build without CUDA.
namespace ridgeline::kernels {

/// Whose oracle judges an output: the device's own on a GPU and the CPU's elsewhere, unless a test
/// says which.
enum class Judge { by_kind, cpu, device };
inline Judge& judge() {
  static Judge in_use = Judge::by_kind;
  return in_use;
}

inline bool judged_on(const device::Device& device) {
  if (judge() != Judge::by_kind) return judge() == Judge::device;
  return device.facts().kind == device::Kind::cuda;
}

/// A family's oracle on a device, for one problem and one set of inputs.
struct DeviceOracle {
  std::string name;  // of all that it computes alike: the family, with the type or what else
                     // makes it go another way
  device::Distribution inputs;
  /// Enqueues the answer. Absent in a build without CUDA.
  std::function<void(const Question&, device::Stream&)> answer;
};

/// `oracle`, a family's function or null, for one problem and what else it takes.
template <class Oracle, class... Arguments>
DeviceOracle bound(std::string name, device::Distribution inputs, Oracle oracle,
                   const Arguments&... arguments) {
  DeviceOracle result{std::move(name), inputs, {}};
  if (oracle != nullptr)
    result.answer = [=](const Question& question, device::Stream& stream) {
      oracle(arguments..., question, stream);
    };
  return result;
}

/// Throws the Error of a device's oracle that the CPU's does not agree with: then no verdict means
/// anything.
[[noreturn]] inline void refuse_oracle(const std::string& name, std::int64_t element) {
  throw Error(ErrorKind::internal, "the device's oracle of " + name +
                                       " and the CPU's differ in element " +
                                       std::to_string(element));
}

/// Compares up to 4096 of `count` words, from all over the output, that the device's oracle expects
/// with the CPU's `expected(i)`, once a process for each name, but not on zeros, of which oracles
/// that differ may expect the same. Throws refuse_oracle()'s Error.
template <class T, class Expected>
void judge_once(device::Device& device, const DeviceOracle& oracle, std::int64_t count,
                std::uint64_t seed, Expected expected) {
  constexpr std::int64_t run = 256, most_runs = 16;
  static std::set<std::string> judged;
  require(oracle.answer != nullptr, "a program that opens a GPU has oracles for it");
  if (count == 0 || oracle.inputs == device::Distribution::zeros || judged.contains(oracle.name))
    return;
  const std::vector<std::int64_t> picked = checked_rows((count + run - 1) / run, most_runs, seed);
  device::Buffer<T> memory(device, picked.size() * run);
  memory.poison();
  for (std::size_t i = 0; i < picked.size(); ++i) {
    const std::int64_t first = picked[i] * run;
    oracle.answer({.first = first,
                   .count = std::min(run, count - first),
                   .write_to = memory.data() + static_cast<std::int64_t>(i) * run},
                  device.stream());
  }
  device.synchronize();
  const std::vector<T> found = memory.download();
  for (std::size_t i = 0; i < found.size(); ++i) {
    const std::int64_t at = picked[i / run] * run + static_cast<std::int64_t>(i % run);
    if (at >= count) break;
    const T right = expected(at);
    // NOLINTNEXTLINE(bugprone-suspicious-memory-comparison): bit for bit is meant
    if (std::memcmp(&found[i], &right, sizeof(T)) != 0) refuse_oracle(oracle.name, at);
  }
  judged.insert(oracle.name);
}

/// What the device's oracle tallies of `output`; see Question.
inline std::uint64_t tally(device::Device& device, const DeviceOracle& oracle, std::int64_t count,
                           const void* output, std::int64_t outputs) {
  std::uint64_t tallied = 0;
  const std::shared_ptr<const Scratch> memory = Kept::of(device).scratch(device, sizeof tallied);
  auto* const word = reinterpret_cast<std::uint64_t*>(memory->data());
  device.upload(word, &tallied, sizeof tallied);
  oracle.answer({.first = 0, .count = count, .output = output, .outputs = outputs, .tally = word},
                device.stream());
  device.synchronize();
  device.download(&tallied, word, sizeof tallied);
  return tallied;
}

}  // namespace ridgeline::kernels
