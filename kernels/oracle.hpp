#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>
#include <numeric>
#include <span>
#include <vector>

#include "harness/base/error.hpp"
#include "harness/base/half.hpp"
#include "harness/device/device.hpp"
#include "harness/device/random.hpp"
#include "harness/device/random_element.hpp"
#include "kernels/deviation.hpp"

// What the oracles of all families share: inputs that are made again on the host, and the
// choice of rows.
namespace ridgeline::kernels {

/// Elements of one input as the oracle reads them: fills `to` with elements first, first + 1, ...
/// as they are stored, i.e. already rounded to the element type. Called by several threads at once.
using Source = std::function<void(std::int64_t first, std::span<float> to)>;

/// The elements that Device::fill writes for `seed`, from index `first_index` on.
inline Source random_source(DType dtype, device::Distribution distribution, std::uint64_t seed,
                            std::uint64_t first_index) {
  return [=](std::int64_t first, std::span<float> to) {
    for (std::size_t i = 0; i < to.size(); ++i)
      to[i] = static_cast<float>(
          device::random_element(dtype, distribution, seed, first_index + first + i));
  };
}

/// Which of `rows` rows are checked when at most `most` (at least 2) should be: all, or the first,
/// the last, and others that `seed` picks. Ascending, without repetition.
inline std::vector<std::int64_t> checked_rows(std::int64_t rows, std::int64_t most,
                                              std::uint64_t seed) {
  std::vector<std::int64_t> picked;
  if (rows <= most) {
    picked.resize(static_cast<std::size_t>(rows));
    std::iota(picked.begin(), picked.end(), 0);
    return picked;
  }
  picked = {0, rows - 1};
  // One row from each of equal parts of the inner rows, so that no region of the output goes
  // unseen.
  const std::int64_t parts = most - 2;
  for (std::int64_t part = 0; part < parts; ++part) {
    const std::int64_t begin = 1 + part * (rows - 2) / parts,
                       end = 1 + (part + 1) * (rows - 2) / parts;
    const std::uint64_t bits = device::random_bits(seed, static_cast<std::uint64_t>(part));
    picked.push_back(begin +
                     static_cast<std::int64_t>(bits % static_cast<std::uint64_t>(end - begin)));
  }
  std::ranges::sort(picked);
  return picked;
}

/// Rows `rows` of a row-major matrix of `columns` columns in device memory, as float, one after the
/// other.
inline std::vector<float> download_rows(device::Device& device, const void* matrix, DType dtype,
                                        std::int64_t columns, std::span<const std::int64_t> rows) {
  const std::size_t row_bytes = static_cast<std::size_t>(columns) * size_of(dtype);
  std::vector<std::byte> raw(rows.size() * row_bytes);
  for (std::size_t i = 0; i < rows.size();) {  // neighbouring rows in one transfer
    std::size_t end = i + 1;
    while (end < rows.size() && rows[end] == rows[end - 1] + 1) ++end;
    const auto* from =
        static_cast<const std::byte*>(matrix) + static_cast<std::size_t>(rows[i]) * row_bytes;
    if (row_bytes > 0) device.download(raw.data() + i * row_bytes, from, (end - i) * row_bytes);
    i = end;
  }
  std::vector<float> values(rows.size() * static_cast<std::size_t>(columns));
  for (std::size_t i = 0; i < values.size(); ++i) {
    const std::byte* element = raw.data() + i * size_of(dtype);
    std::uint16_t half = 0;
    switch (dtype) {
      case DType::f32:
      case DType::tf32:
        std::memcpy(&values[i], element, sizeof(float));
        break;
      case DType::f16:
        std::memcpy(&half, element, sizeof half);
        values[i] = from_f16(half);
        break;
      case DType::bf16:
        std::memcpy(&half, element, sizeof half);
        values[i] = from_bf16(half);
        break;
      default:
        throw Error(ErrorKind::internal, "the oracle reads no " + std::string(to_string(dtype)));
    }
  }
  return values;
}

}  // namespace ridgeline::kernels
