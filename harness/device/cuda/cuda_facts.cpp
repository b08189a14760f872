#include <cstddef>
#include <fstream>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include <cuda_runtime.h>
#include <fmt/core.h>
#include <sys/utsname.h>

#include "harness/base/error.hpp"
#include "harness/base/killed_by_opening.hpp"
#include "harness/device/architectures.hpp"
#include "harness/device/cuda/cuda_device.hpp"
#include "harness/device/cuda/language.cuh"
#include "harness/device/library.hpp"
#include "harness/device/nvml/nvml.hpp"
#include "harness/device/slug.hpp"

namespace ridgeline::device::cuda {
namespace {

// L1 and shared memory are one store on each SM, whose size no API tells.
// Source: CUDA C++ Programming Guide, "Compute Capabilities", and the tuning guide of each
// architecture.
std::uint64_t unified_l1(int capability, std::uint64_t shared_per_unit) {
  constexpr std::pair<int, std::uint64_t> kib_of[] = {{70, 128}, {75, 96},   {80, 192},
                                                      {86, 128}, {87, 192},  {89, 128},
                                                      {90, 256}, {100, 256}, {120, 128}};
  for (const auto& [known, kib] : kib_of)
    if (known == capability) return kib << 10;
  return shared_per_unit;
}

std::string uuid_text(const cudaUUID_t& uuid) {
  std::string text = "GPU-";
  for (int i = 0; i < 16; ++i)
    text += fmt::format("{}{:02x}", i == 4 || i == 6 || i == 8 || i == 10 ? "-" : "",
                        static_cast<unsigned char>(uuid.bytes[i]));
  return text;
}

/// CUDA's 13020 is "13.2".
std::string version_text(int version) {
  return fmt::format("{}.{}", version / 1000, version % 1000 / 10);
}

// "2335" of the device at `bus`, "0000:8d:00.0": for when NVML is not there.
std::string pci_device_id(const std::string& bus) {
  std::ifstream in("/sys/bus/pci/devices/" + bus + "/device");
  std::string text;
  in >> text;
  return text.rfind("0x", 0) == 0 ? text.substr(2) : std::string();
}

// "9.19.0"; empty where cuDNN is not installed. A millisecond; cuBLASLt's answer would take fifty.
std::string cudnn_version() {
  const Library library{"libcudnn.so.9"};
  const auto version = library.function<std::size_t()>("cudnnGetVersion");
  if (version == nullptr) return {};
  const std::size_t number = version();
  return fmt::format("{}.{}.{}", number / 10000, number / 100 % 100, number % 100);
}

}  // namespace

Facts read_facts(int index) {
  cudaDeviceProp properties{};
  check_cuda(cudaGetDeviceProperties(&properties, index), "reading a GPU's properties");
  int driver = 0;
  check_cuda(cudaDriverGetVersion(&driver), "reading the driver's CUDA version");
  utsname system{};
  uname(&system);

  Facts facts;
  facts.kind = Kind::cuda;
  facts.id = fmt::format("cuda:{}", index);
  facts.name = properties.name;
  facts.model = slug(facts.name);
  if (facts.model.rfind("nvidia-", 0) != 0) facts.model = "nvidia-" + facts.model;
  facts.uuid = uuid_text(properties.uuid);
  facts.memory = properties.totalGlobalMem;
  facts.memory_free = facts.memory;
  facts.capability = 10 * properties.major + properties.minor;
  facts.l2 = static_cast<std::uint64_t>(properties.l2CacheSize);
  facts.last_level_cache = facts.l2;
  facts.units = properties.multiProcessorCount;
  facts.warp_size = properties.warpSize;
  facts.max_threads_per_unit = properties.maxThreadsPerMultiProcessor;
  facts.max_threads_per_block = properties.maxThreadsPerBlock;
  facts.max_blocks_per_unit = properties.maxBlocksPerMultiProcessor;
  facts.registers_per_unit = properties.regsPerMultiprocessor;
  facts.shared_per_unit = properties.sharedMemPerMultiprocessor;
  facts.shared_per_block = properties.sharedMemPerBlockOptin;
  facts.l1 = unified_l1(facts.capability, facts.shared_per_unit);

  const std::string bus = fmt::format("{:04x}:{:02x}:{:02x}.0", properties.pciDomainID,
                                      properties.pciBusID, properties.pciDeviceID);
  facts.pci_id = pci_device_id(bus);
  facts.properties = {{"capability", fmt::format("{}.{}", properties.major, properties.minor)},
                      {"sms", std::to_string(facts.units)},
                      {"l2_bytes", std::to_string(facts.l2)},
                      {"l1_bytes_per_sm", std::to_string(facts.l1)},
                      {"memory_bus_bits", std::to_string(properties.memoryBusWidth)},
                      {"registers_per_sm", std::to_string(facts.registers_per_unit)},
                      {"shared_bytes_per_sm", std::to_string(facts.shared_per_unit)},
                      {"threads_per_sm", std::to_string(facts.max_threads_per_unit)}};
  facts.comparable = {{"model", facts.name},
                      {"memory_gib", std::to_string((facts.memory + (1ull << 29)) >> 30)}};
  facts.recorded = {{"host", system.nodename},
                    {"kernel", system.release},
                    {"pci_bus", bus},
                    {"cuda_driver", version_text(driver)},
                    {"cuda_runtime", version_text(CUDART_VERSION)}};
  if (std::string cudnn = cudnn_version(); !cudnn.empty())
    facts.recorded["cudnn"] = std::move(cudnn);
  nvml::Gpu(facts.uuid).describe(facts);
  return facts;
}

namespace {

/// Of a driver that this program's CUDA cannot use.
std::string too_old() {
  int driver = 0;
  const bool known = cudaDriverGetVersion(&driver) == cudaSuccess && driver > 0;
  return fmt::format(
      "the NVIDIA driver is {}, and this program needs one for CUDA {}: install a "
      "newer driver",
      known ? "for CUDA " + version_text(driver) : "of no version that CUDA can tell",
      version_text(CUDART_VERSION / 1000 * 1000));
}

/// Whether GPU `from` can use the memory of GPU `to`.
bool reaches(int from, int to) {
  int can = 0;
  if (cudaDeviceCanAccessPeer(&can, from, to) == cudaSuccess) return can != 0;
  cudaGetLastError();  // such as a part of a GPU, which has no peers
  return false;
}

/// Says of each GPU in `gpus`, of which CUDA's numbers are `numbers`, what the others are to it.
void add_peers(std::span<Facts> gpus, const std::vector<int>& numbers) {
  for (std::size_t mine = 0; mine < gpus.size(); ++mine) {
    std::string all, direct;
    for (std::size_t distance = 1; distance < gpus.size(); ++distance) {
      const std::size_t peer = (mine + distance) % gpus.size();
      const bool is_direct =
          reaches(numbers[mine], numbers[peer]) && reaches(numbers[peer], numbers[mine]);
      gpus[mine].peers.push_back({gpus[peer].id, is_direct});
      all += (all.empty() ? "" : " ") + gpus[peer].id;
      if (is_direct) direct += (direct.empty() ? "" : " ") + gpus[peer].id;
    }
    if (all.empty()) continue;
    gpus[mine].recorded["peers"] = all;
    gpus[mine].recorded["direct_peers"] = direct.empty() ? "none" : direct;
  }
}

}  // namespace

void discover(Discovery& found) {
  const auto unavailable = [&](std::string reason) {
    found.unavailable.push_back({Kind::cuda, std::move(reason)});
  };
  for (const char* part : {"libcuda.so.1", "libnvidia-ml.so.1"})
    if (const std::string signal = killed_by_opening(part); !signal.empty())
      return unavailable(fmt::format(
          "the NVIDIA driver is broken: its {} kills what opens it by {}; install it again", part,
          signal));
  if (const Library driver({"libcuda.so.1"}); !driver.loaded())
    return unavailable("no NVIDIA driver: " + driver.reason());

  int count = 0;
  if (const cudaError_t status = cudaGetDeviceCount(&count); status != cudaSuccess) {
    cudaGetLastError();  // forget it: the next call of this thread would report it again
    return unavailable(
        status == cudaErrorInsufficientDriver
            ? too_old()
            : fmt::format("{} ({})", cudaGetErrorString(status), cudaGetErrorName(status)));
  }
  if (count == 0) unavailable("the NVIDIA driver shows no GPU");
  const std::size_t before = found.devices.size();
  std::vector<int> numbers;
  for (int index = 0; index < count; ++index) {
    try {
      Facts facts = read_facts(index);
      const Code code = code_for(RIDGELINE_CUDA_ARCHITECTURES, facts.capability);
      if (code == Code::none) {
        unavailable(fmt::format(
            "{} ({}) has compute capability {}, and this build has code for {} only", facts.id,
            facts.name, facts.properties.at("capability"), RIDGELINE_CUDA_ARCHITECTURES));
        continue;
      }
      if (code == Code::ptx) facts.properties["code"] = "PTX, which the driver compiles";
      found.devices.push_back(std::move(facts));
      numbers.push_back(index);
    } catch (const Error& error) {
      unavailable(fmt::format("cuda:{}: {}", index, error.what()));
    }
  }
  add_peers(std::span(found.devices).subspan(before), numbers);
}

}  // namespace ridgeline::device::cuda
