#include "harness/run/software_fitness.hpp"

#include <algorithm>
#include <charconv>
#include <sstream>
#include <vector>

#include <fmt/format.h>

#include "harness/base/error.hpp"
#include "harness/base/units.hpp"
#include "harness/process/launcher.hpp"
#include "harness/process/python_worker.hpp"
#include "harness/process/tool.hpp"
#include "harness/run/vendor_libraries.hpp"

namespace ridgeline::run {
namespace {

/// Something that could be installed, and what it is needed for. A tool is a program of this name.
struct Needed {
  std::string name;
  const char* without;
  const char* advice;
};

const Needed gpu_libraries[] = {
    {"cuBLASLt",
     "cases of the vendor's products are unavailable, so ladders of gemm have no reference",
     "install cuBLAS of the CUDA toolkit, or the wheel nvidia-cublas beside ridgeline, or set "
     "LD_LIBRARY_PATH to it"},
    {"cuDNN", "cases of the vendor's attention are unavailable",
     "install cuDNN 9, or set LD_LIBRARY_PATH to it"},
    {"NCCL", "cases of collectives on GPUs are unavailable",
     "install NCCL 2, or set LD_LIBRARY_PATH to it"},
};
const Needed gpu_tools[] = {
    {"ncu", "ridgeline run --counters cannot count what the hardware does",
     "install Nsight Compute, and put its folder on the PATH"},
    {"compute-sanitizer", "races and accesses out of bounds cannot be looked for on the GPU",
     "install it with the CUDA toolkit, and put its folder on the PATH"},
};
const Needed any_tools[] = {
    {"mpirun", "cases of collectives are unavailable", "install Open MPI or MPICH"},
};

bool is_on_path(const Needed& program) { return !process::find_on_path(program.name).empty(); }

void judge(Findings& found, const Needed& needed, const std::map<std::string, bool>& there,
           const char* source) {
  const auto one = there.find(needed.name);
  if (one == there.end()) return;
  const Subject subject{needed.name, source, needed.without};
  found.push_back(one->second ? fine(subject, "there")
                              : finding(subject, Level::note, "not found", needed.advice));
}

std::string fact(const record::Facts& facts, const char* key) {
  const auto found = facts.find(key);
  return found == facts.end() ? "" : found->second;
}

/// "13.0" as {13, 0}.
std::optional<std::pair<int, int>> version_of(const std::string& text) {
  std::istringstream in(text);
  int major = 0, minor = 0;
  char point = 0;
  if (!(in >> major >> point >> minor) || point != '.') return std::nullopt;
  return std::pair(major, minor);
}

Finding judge_driver(const record::Device& device) {
  const Subject subject{"driver", "the worker, by cudaDriverGetVersion and its own build",
                        "a driver older than the toolkit refuses kernels, or compiles them again "
                        "by itself"};
  const std::string driver = fact(device.recorded, "cuda_driver"),
                    runtime = fact(device.recorded, "cuda_runtime"),
                    exact = fact(device.recorded, "driver");
  const auto has = version_of(driver), needs = version_of(runtime);
  if (!has || !needs)
    return finding(subject, Level::unknown, "the worker does not say", "look by hand: nvidia-smi");
  const std::string seen = fmt::format("driver{} for CUDA {}, built with CUDA {}",
                                       exact.empty() ? "" : " " + exact, driver, runtime);
  if (has->first < needs->first)
    return finding(subject, Level::unfit, seen, "install a newer driver, or build with its CUDA");
  if (*has < *needs)
    return finding(subject, Level::note, seen,
                   "what needs the newer CUDA is unavailable; a newer driver has it");
  return fine(subject, seen);
}

std::optional<double> bytes_in(const record::Facts& facts, const char* key) {
  const std::string text = fact(facts, key);
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || text.empty() || !(value > 0)) return std::nullopt;
  return value;
}

}  // namespace

Software look_for_software(DeviceKind kind, const std::filesystem::path& home) {
  const std::string python = process::python(home);
  Software software;
  software.how_to_draw = process::how_to_draw(home, python);
  if (kind == DeviceKind::cuda) {
    for (const VendorLibrary& each : vendor_libraries())
      software.libraries[each.name] = !opened_library(each.files).empty();
    for (const Needed& each : gpu_tools) software.tools[each.name] = is_on_path(each);
  }
  if (kind == DeviceKind::cpu)
    for (const Needed& each : any_tools) software.tools[each.name] = is_on_path(each);
  try {
    const process::ToolResult done =
        process::run_tool({"timeout", {"30", python, "-c", "import matplotlib, jinja2"}, {}});
    software.drawing = done.fine ? "" : done.words.empty() ? done.ending : done.words;
  } catch (const Error& error) {
    software.drawing = error.what();
  }
  return software;
}

Findings judge_software(const record::Device& device, const Software& software) {
  Findings found;
  if (device.kind == DeviceKind::cuda) found.push_back(judge_driver(device));
  for (const Needed& each : gpu_libraries) judge(found, each, software.libraries, "dlopen");
  for (const Needed& each : gpu_tools) judge(found, each, software.tools, "the PATH");
  for (const Needed& each : any_tools) judge(found, each, software.tools, "the PATH");
  const Subject drawing{"matplotlib", "the Python that ridgeline report starts",
                        "it draws the report; nothing that is measured needs it"};
  if (software.drawing)
    found.push_back(software.drawing->empty()
                        ? fine(drawing, "there")
                        : finding(drawing, Level::note, *software.drawing, software.how_to_draw));
  return found;
}

Findings judge_sizes(const record::Device& device, const Profile& profile,
                     const std::vector<Selected>& cases) {
  Findings found;
  const Subject cache{"last-level cache", "what the worker says of the device",
                      "cases with cold caches rotate over buffers of twice its size: where it is "
                      "not known, they may find their data in it"};
  const auto size = bytes_in(
      device.properties, device.kind == DeviceKind::cuda ? "l2_bytes" : "last_level_cache_bytes");
  found.push_back(size ? fine(cache, units::bytes(*size))
                       : finding(cache, Level::unknown, "the worker does not say its size",
                                 "let the virtual machine see the caches of its host"));
  const Subject memory{fmt::format("memory for {}", profile.name),
                       "the cases of the profile, and the memory that the worker says",
                       "cases that do not fit are unsupported, or push other programs out"};
  const auto gibibytes = bytes_in(device.comparable, "memory_gib");
  const Selected* largest = nullptr;
  for (const Selected& each : cases)
    if (has(profile, each.info) && each.info.bytes &&
        (largest == nullptr || *each.info.bytes > *largest->info.bytes))
      largest = &each;
  if (largest == nullptr || !gibibytes) {
    found.push_back(finding(memory, Level::unknown,
                            largest == nullptr ? "no case says how much it moves"
                                               : "the worker does not say how much there is",
                            "ridgeline run says which cases did not fit"));
    return found;
  }
  const double needed = *largest->info.bytes + 2 * size.value_or(0);
  const double installed = *gibibytes * (1u << 30);
  const std::string seen =
      fmt::format("{} installed; the largest case, {}, needs about {}", units::bytes(installed),
                  largest->name, units::bytes(needed));
  found.push_back(needed <= installed ? fine(memory, seen)
                                      : finding(memory, Level::note, seen,
                                                "leave them out, or measure with --profile quick"));
  return found;
}

}  // namespace ridgeline::run
