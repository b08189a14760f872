#include "kernels/rows/device_oracle.hpp"

#include <cmath>
#include <limits>
#include <vector>

#include <gtest/gtest.h>

#include "kernels/judging.hpp"
#include "kernels/rows/oracle.hpp"
#include "kernels/test_device.hpp"
#include "kernels/test_device_oracle.hpp"
#include "kernels/test_oracle.hpp"

// The device's oracle by the CPU's, and by damage.

namespace ridgeline::rows {
namespace device_oracle_test {

using kernels::Deviation;

constexpr float infinity = std::numeric_limits<float>::infinity();
constexpr Operation operations[] = {Operation::softmax, Operation::rms_norm, Operation::layer_norm,
                                    Operation::rms_norm_backward, Operation::layer_norm_backward};

class OracleOfADevice : public kernels::DeviceOracleTest {
 protected:
  /// What the device's oracle expects of the parts that `cpu` has is the same.
  void expect_the_same(const Problem& problem, const Inputs& inputs, const Expected& cpu) {
    const device::Buffer<std::int64_t> rows(*device, cpu.rows), places(*device, cpu.places);
    const device::Buffer<double> out(*device, cpu.out.size()), tolerance(*device, cpu.out.size()),
        side(*device, cpu.side.size()), side_tolerance(*device, cpu.side.size());
    device_oracle()->expect(problem, inputs,
                            {static_cast<std::int64_t>(rows.size()),
                             static_cast<std::int64_t>(places.size()), rows.data(), places.data(),
                             out.data(), tolerance.data(), side.data(), side_tolerance.data()},
                            device->stream());
    device->synchronize();
    const auto compare = [&](const device::Buffer<double>& found_by, const std::vector<double>& by,
                             const char* what) {
      const std::vector<double> values = found_by.download();
      for (std::size_t i = 0; i < by.size(); ++i)
        EXPECT_NEAR(values[i], by[i], 1e-9 * (std::fabs(by[i]) + 1e-6))
            << to_string(problem.operation) << ": " << what << " " << i << " of " << problem.rows
            << " x " << problem.cols;
    };
    compare(out, cpu.out, "element");
    compare(tolerance, cpu.tolerance, "tolerance");
    compare(side, cpu.side, "side");
    compare(side_tolerance, cpu.side_tolerance, "tolerance of side");
  }
  Inputs random_inputs(const Problem& problem) const {
    const auto elements = [&](DType dtype, std::uint64_t first) {
      return kernels::random_elements(dtype, inputs.distribution, inputs.seed, first);
    };
    return {elements(problem.dtype, inputs.x),     elements(problem.dtype, inputs.dy),
            elements(problem.dtype, inputs.gamma), elements(problem.dtype, inputs.beta),
            elements(DType::f32, inputs.rstd),     elements(DType::f32, inputs.mean)};
  }
  /// What is right, as a variant writes it.
  std::vector<std::byte> right(const Problem& problem) const {
    const Expected expected = expect(problem, sources_of(problem, inputs), 1);
    std::vector<std::byte> bytes(static_cast<std::size_t>(problem.output_bytes()), std::byte{0xFF});
    const std::vector<std::byte> rows = kernels::stored(
        std::vector<float>(expected.out.begin(), expected.out.end()), problem.dtype);
    std::ranges::copy(rows, bytes.begin());
    for (std::size_t i = 0; i < expected.side.size(); ++i) {
      const std::size_t number = i / expected.places.size(), place = i % expected.places.size();
      const auto value = static_cast<float>(expected.side[i]);
      std::memcpy(bytes.data() + problem.side_offset() +
                      4 * (number * static_cast<std::size_t>(problem.side_stride()) + place),
                  &value, sizeof value);
    }
    return bytes;
  }
  Deviation judge(const Problem& problem, const std::vector<std::byte>& output) const {
    const device::Buffer<std::byte> memory(*device, output);
    const kernels::JudgedBy own(kernels::Judge::device);
    return deviation(*device, problem, inputs, memory.data());
  }

  RandomInputs inputs{
      device::Distribution::uniform, 42, 100, 20'000, 40'000, 60'000, 80'000, 90'000};
};

TEST_P(OracleOfADevice, ExpectsWhatTheCpusExpects) {
  for (const Operation operation : operations)
    for (const DType dtype : {DType::f32, DType::bf16})
      for (const auto& [rows, cols] : {std::pair{1, 1}, {3, 2}, {2, 257}}) {
        const Problem problem{operation, rows, cols, dtype};
        expect_the_same(problem, random_inputs(problem),
                        expect(problem, sources_of(problem, inputs), 1));
      }
}

TEST_P(OracleOfADevice, ExpectsTheSameOfMinusInfinityAndOfLargeMeans) {
  std::vector<float> x(120);
  for (std::size_t i = 0; i < x.size(); ++i)
    x[i] = i < 40 ? -infinity : i % 3 == 0 ? -infinity : static_cast<float>(i % 7) - 30;
  const auto given = [&](Operation operation) {
    const Problem problem{operation, 3, 40};
    const device::Buffer<float> memory(*device, x);
    Inputs of = random_inputs(problem);
    of.x.given = memory.data();
    Sources sources = sources_of(problem, inputs);
    sources.x = [&](std::int64_t first, std::span<float> to) {
      std::copy_n(x.begin() + first, to.size(), to.begin());
    };
    expect_the_same(problem, of, expect(problem, sources, 1));
  };
  given(Operation::softmax);
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = 1e4f + static_cast<float>(i % 7);
  given(Operation::layer_norm);
}

TEST_P(OracleOfADevice, FindsDamageAnywhere) {
  for (const Operation operation : operations)
    for (const DType dtype : {DType::f32, DType::bf16})
      for (const auto& [rows, cols] : {std::pair{3, 17}, {520, 2}}) {
        // The second has more rows than there are blocks.
        if (rows == 520 && (operation != Operation::rms_norm || dtype == DType::bf16)) continue;
        const Problem problem{operation, rows, cols, dtype};
        std::vector<std::byte> output = right(problem);
        const Deviation undamaged = judge(problem, output);
        EXPECT_TRUE(undamaged.right()) << to_string(operation);
        EXPECT_EQ(undamaged.checked, Checked::whole);
        const std::size_t size = size_of(dtype),
                          elements = static_cast<std::size_t>(problem.elements());
        std::vector<std::pair<std::size_t, std::size_t>> places;  // first byte, bytes
        for (const std::size_t at : {std::size_t{0}, elements - 1})
          places.emplace_back(at * size, size);
        for (int side = 0; side < problem.sides(); ++side)
          places.emplace_back(problem.side_offset() +
                                  4 * (side * problem.side_stride() + problem.side_length() - 1),
                              4);
        for (const auto& [first, bytes] : places) {
          const std::vector<std::byte> before = output;
          std::fill_n(output.begin() + static_cast<std::ptrdiff_t>(first), bytes, std::byte{0xFF});
          EXPECT_TRUE(std::isnan(judge(problem, output).error)) << to_string(operation) << first;
          output = before;
          // The second highest bit of the exponent: by far another number.
          output[first + bytes - 1] ^= std::byte{0x20};
          EXPECT_FALSE(judge(problem, output).right()) << to_string(operation) << first;
          output = before;
        }
      }
}

TEST_P(OracleOfADevice, IsRefusedWhenItDiffersFromTheCpus) {
  static OracleCalls other = *device_oracle();
  other.expect = [](const Problem& problem, const Inputs& given, const ExpectedParts& expected,
                    device::Stream& stream) {
    Inputs shifted = given;
    ++shifted.x.first;
    device_oracle()->expect(problem, shifted, expected, stream);
  };
  for (const Operation operation : operations) {
    const Problem problem{operation, 7, 129, DType::f32};
    const device::Buffer<std::byte> out(*device, right(problem));
    const kernels::JudgedBy own(kernels::Judge::device);
    try {
      deviation(*device, problem, inputs, out.data(), &other);
      ADD_FAILURE() << "accepted";
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::internal);
      EXPECT_NE(std::string(error.what()).find("oracle of rows/"), std::string::npos)
          << error.what();
    }
  }
}

TEST_P(OracleOfADevice, KnowsNothingOfNothing) {
  for (const Operation operation : operations)
    for (const auto& [rows, cols] : {std::pair{0, 0}, {0, 8}, {5, 0}}) {
      const Problem problem{operation, rows, cols};
      EXPECT_TRUE(
          judge(problem, std::vector<std::byte>(static_cast<std::size_t>(problem.output_bytes())))
              .right());
    }
}

INSTANTIATE_TEST_SUITE_P(Rows, OracleOfADevice, kernels::kinds_with_an_oracle(),
                         kernels::device_name);

}  // namespace device_oracle_test
}  // namespace ridgeline::rows
