#include "harness/device/cpu/host_memory.hpp"

#include <algorithm>

#include <fmt/core.h>
#include <sys/mman.h>
#include <unistd.h>

#include "harness/base/error.hpp"
#include "harness/base/half.hpp"
#include "harness/device/random.hpp"

namespace ridgeline::device::cpu {
namespace {

constexpr std::size_t alignment = 256;
constexpr std::size_t huge_page = 2u << 20;
constexpr std::size_t page = 4096;
[[maybe_unused]] constexpr std::size_t worth_threads = 1u << 20;  // below, waking them costs more
                                                                  // than the work

[[maybe_unused]] constexpr std::size_t worth_threads_to_fill = 1u << 14;  // elements, likewise

template <class Element, class Make>
void fill_all(void* to, std::size_t count, Make make) {
  auto* const elements = static_cast<Element*>(to);
#pragma omp parallel for schedule(static) if (count >= worth_threads_to_fill)
  for (std::size_t i = 0; i < count; ++i) elements[i] = make(i);
}

void set_bytes(void* memory, int value, std::size_t bytes) {
  auto* const start = static_cast<unsigned char*>(memory);
#pragma omp parallel for schedule(static) if (bytes >= worth_threads)
  for (std::size_t at = 0; at < bytes; at += page)
    std::memset(start + at, value, std::min(page, bytes - at));
}

}  // namespace

void* HostDevice::allocate(std::size_t bytes) {
  // Large buffers start on a huge page: whether the kernel grants them must not depend on where
  // malloc put a buffer.
  const std::size_t unit = bytes >= 2 * huge_page ? huge_page : alignment;
  const std::size_t rounded = (std::max<std::size_t>(bytes, 1) + unit - 1) / unit * unit;
  // Linux grants more than the machine has, and kills whoever then uses it.
  const auto installed = static_cast<std::size_t>(sysconf(_SC_PHYS_PAGES)) *
                         static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  const bool possible = bytes <= installed && rounded >= bytes;
  void* const memory = possible ? std::aligned_alloc(unit, rounded) : nullptr;
  if (memory == nullptr)
    throw OutOfMemory(
        fmt::format("allocating {} bytes of host memory failed: out of memory", bytes),
        "measure smaller cases, or free memory");
  if (unit == huge_page) madvise(memory, rounded, MADV_HUGEPAGE);
  return memory;
}

void fill_host(void* to, DType dtype, std::size_t count, Distribution distribution,
               std::uint64_t seed, std::uint64_t first) {
  if (distribution == Distribution::zeros) return set_bytes(to, 0, count * size_of(dtype));
  const auto element = [=](auto i) { return random_float(distribution, seed, first + i); };
  switch (dtype) {
    case DType::f64:
      return fill_all<double>(to, count,
                              [=](auto i) { return random_double(distribution, seed, first + i); });
    case DType::f32:
    case DType::tf32:
      return fill_all<float>(to, count, element);
    case DType::f16:
      return fill_all<std::uint16_t>(to, count, [=](auto i) { return to_f16(element(i)); });
    case DType::bf16:
      return fill_all<std::uint16_t>(to, count, [=](auto i) { return to_bf16(element(i)); });
    case DType::e4m3:
    case DType::e4m3_fast:
      return fill_all<std::uint8_t>(
          to, count, [=](auto i) { return random_e4m3(distribution, seed, first + i); });
    case DType::i32:
      return fill_all<std::int32_t>(to, count, [=](auto i) { return random_i32(seed, first + i); });
    case DType::u8:
    case DType::i8:  // the same bits
      return fill_all<std::uint8_t>(to, count, [=](auto i) { return random_u8(seed, first + i); });
  }
}

void HostDevice::poison(void* memory, std::size_t bytes) { set_bytes(memory, 0xFF, bytes); }

}  // namespace ridgeline::device::cpu
