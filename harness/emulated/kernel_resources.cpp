#include "harness/emulated/kernel_resources.hpp"

#include <algorithm>
#include <charconv>
#include <vector>

namespace ridgeline::emulated {
namespace {

/// "sm_90a" is 90.
int capability_of(std::string_view architecture) {
  int capability = 0;
  if (architecture.starts_with("sm_"))
    std::from_chars(architecture.data() + 3, architecture.data() + architecture.size(), capability);
  return capability;
}

void erase_all(std::string& text, std::string_view part) {
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at))
    text.erase(at, part.size());
}

}  // namespace

[[gnu::weak]] std::span<const BuiltKernel> built_kernels() { return {}; }

std::optional<device::KernelResources> resources_of(std::span<const BuiltKernel> kernels,
                                                    std::string_view name, std::string_view file,
                                                    int capability) {
  std::vector<const BuiltKernel*> found;
  for (const BuiltKernel& kernel : kernels)
    if (kernel.name == name && capability_of(kernel.architecture) == capability)
      found.push_back(&kernel);
  const auto differ = [&] {
    return std::ranges::any_of(found, [&](const BuiltKernel* kernel) {
      return !(kernel->resources == found.front()->resources);
    });
  };
  if (found.size() > 1 && differ())
    std::erase_if(found, [&](const BuiltKernel* kernel) { return kernel->file != file; });
  if (found.empty() || differ()) return std::nullopt;
  return found.front()->resources;
}

std::string qualified_name(std::string demangled) {
  erase_all(demangled, "(anonymous namespace)::");
  erase_all(demangled, "ridgeline::");
  if (demangled.starts_with("void ")) demangled.erase(0, 5);
  int depth = 0;
  for (std::size_t i = 0; i < demangled.size(); ++i) {
    if (demangled[i] == '<') ++depth;
    if (demangled[i] == '>') --depth;
    if (demangled[i] == '(' && depth == 0) return demangled.substr(0, i);
  }
  return demangled;
}

void add_resources(std::span<device::LaunchCount> kernels, const device::Facts& facts) {
  for (device::LaunchCount& kernel : kernels) {
    kernel.resources = resources_of(built_kernels(), kernel.kernel, kernel.file, facts.capability);
    const unsigned threads = kernel.block[0] * kernel.block[1] * kernel.block[2];
    if (kernel.resources)
      kernel.occupancy = device::theoretical_occupancy(
          facts, *kernel.resources, static_cast<int>(threads), kernel.dynamic_shared_bytes);
  }
}

}  // namespace ridgeline::emulated
