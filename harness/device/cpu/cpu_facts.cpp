#include "harness/device/cpu/cpu_facts.hpp"

#include <algorithm>
#include <map>
#include <set>

#include <fmt/core.h>
#include <omp.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "harness/device/cpu/affinity.hpp"
#include "harness/device/cpu/cpu_files.hpp"
#include "harness/device/random.hpp"
#include "harness/device/slug.hpp"

namespace ridgeline::device::cpu {
namespace {

namespace fs = std::filesystem;

fs::path cpu_folder(const fs::path& root, int cpu) {
  return root / fmt::format("sys/devices/system/cpu/cpu{}", cpu);
}

// The kernel calls each set of cores that share a cache one instance; a process uses those that its
// cores belong to.
struct Caches {
  std::uint64_t l1 = 0, l2 = 0;  // of the first core
  std::uint64_t last_level = 0;  // all instances that the cores use, together
};

Caches read_caches(const std::vector<int>& cpus, const fs::path& root) {
  Caches caches;
  int last_level = 0;
  std::set<std::string> seen;
  for (const int cpu : cpus) {
    for (int index = 0; index < 8; ++index) {
      const fs::path folder = cpu_folder(root, cpu) / fmt::format("cache/index{}", index);
      const std::uint64_t size = parse_size(first_line(folder / "size"));
      if (size == 0 || first_line(folder / "type") == "Instruction") continue;
      const int level = static_cast<int>(parse_size(first_line(folder / "level")));
      if (cpu == cpus.front() && level == 1) caches.l1 = size;
      if (cpu == cpus.front() && level == 2) caches.l2 = size;
      if (level < last_level) continue;
      if (level > last_level) {
        last_level = level;
        caches.last_level = 0;
        seen.clear();
      }
      if (seen.insert(first_line(folder / "shared_cpu_list")).second) caches.last_level += size;
    }
  }
  return caches;
}

std::string widest_simd() {
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx512f")) return "avx512f";
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) return "avx2";
  return "sse2";
#elif defined(__aarch64__)
  return "neon";
#else
  return "none";
#endif
}

// Same on every boot and for every process of a machine, and different between machines. The
// machine id itself is confidential (man 5 machine-id), so 128 bits of it are folded into 64, which
// cannot be undone.
std::string machine_uuid(const fs::path& root, const std::string& host, const std::string& name) {
  const std::string id = first_line(root / "etc/machine-id");
  std::uint64_t hash = 0x72696467656C696Eull;
  for (const char c : (id.empty() ? host : id) + '/' + name)
    hash = random_bits(hash, static_cast<unsigned char>(c));
  return fmt::format("CPU-{:016x}", hash);
}

std::uint64_t kibibytes(const fs::path& file, const std::string& key) {
  const std::string text = value_of(file, key);  // "16384 kB"
  return parse_size(text.substr(0, text.find(' '))) << 10;
}

void put(std::map<std::string, std::string>& facts, const char* key, const std::string& value) {
  if (!value.empty()) facts[key] = value;
}

}  // namespace

Facts read_facts(const std::vector<int>& cpus, const fs::path& root) {
  utsname system{};
  uname(&system);
  const fs::path cpuinfo = root / "proc/cpuinfo";
  const fs::path meminfo = root / "proc/meminfo";
  const Caches caches = read_caches(cpus, root);

  Facts facts;
  facts.kind = Kind::cpu;
  facts.id = "cpu";
  facts.name = clean_cpu_name(value_of(cpuinfo, "model name"));
  if (facts.name.empty())
    facts.name = clean_cpu_name(std::string(system.machine) + " " + value_of(cpuinfo, "CPU part"));
  facts.units = static_cast<int>(cpus.size());
  facts.model = fmt::format("cpu-{}-{}c", slug(facts.name), facts.units);
  facts.uuid = machine_uuid(root, system.nodename, facts.name);
  facts.memory = kibibytes(meminfo, "MemTotal");
  facts.memory_free = kibibytes(meminfo, "MemAvailable");
  facts.l1 = caches.l1;
  facts.l2 = caches.l2;
  facts.last_level_cache = caches.last_level;
  facts.simd = widest_simd();

  facts.properties = {{"cores", std::to_string(facts.units)},
                      {"l1_bytes", std::to_string(facts.l1)},
                      {"l2_bytes", std::to_string(facts.l2)},
                      {"last_level_cache_bytes", std::to_string(facts.last_level_cache)},
                      {"simd", facts.simd},
                      {"architecture", system.machine}};
  facts.comparable = {{"model", facts.name},
                      {"cores", std::to_string(facts.units)},
                      {"memory_gib", std::to_string((facts.memory + (1ull << 29)) >> 30)},
                      {"simd", facts.simd}};
  put(facts.comparable, "governor",
      first_line(cpu_folder(root, cpus.front()) / "cpufreq/scaling_governor"));
  facts.recorded = {{"host", system.nodename}, {"kernel", system.release}};
  put(facts.recorded, "operating_system", value_of(root / "etc/os-release", "PRETTY_NAME"));
  put(facts.recorded, "microcode", value_of(cpuinfo, "microcode"));
  put(facts.recorded, "transparent_huge_pages",
      first_line(root / "sys/kernel/mm/transparent_hugepage/enabled"));
  put(facts.recorded, "boost", first_line(root / "sys/devices/system/cpu/cpufreq/boost"));
  const std::string flags = value_of(cpuinfo, "flags");
  facts.recorded["virtual_machine"] = flags.find(" hypervisor") == std::string::npos ? "no" : "yes";
  return facts;
}

const Facts& facts() {
  static const Facts first = [] {
    std::vector<int> cpus = one_a_core(allowed_cpus());
    cpus.resize(std::min(cpus.size(), static_cast<std::size_t>(omp_get_max_threads())));
    return read_facts(cpus);
  }();
  return first;
}

}  // namespace ridgeline::device::cpu
