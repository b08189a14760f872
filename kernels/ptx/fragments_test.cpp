#include "kernels/ptx/test/fragments.hpp"

#include <cstring>
#include <memory>
#include <vector>

#include <gtest/gtest.h>

#include "harness/base/half.hpp"
#include "harness/device/buffer.hpp"
#include "kernels/ptx/test/hopper_device.hpp"

// Which element of a matrix each lane holds in each register, by the tables of the PTX ISA, version
// 8.5: "Warp-level matrix load instruction: ldmatrix", "Warp-level matrix store instruction:
// stmatrix", "Matrix Fragments for mma.m16n8k16 with floating point type" and "Matrix Fragments for
// mma.m16n8k8" (.tf32).
namespace ridgeline::ptx::test {
namespace fragments_test {

struct Place {
  int row, column;
};

/// Element `half` of register of an 8 x 8 matrix.
Place of_matrix(int lane, int half, bool transposed) {
  const Place plain{lane / 4, 2 * (lane % 4) + half};
  return transposed ? Place{plain.column, plain.row} : plain;
}

/// Element i of the left factor, of depth 16 (a0 to a7) or 8 (a0 to a3).
Place of_left(int lane, int i, bool wide) {
  const int group = lane / 4, thread = lane % 4;
  if (wide) return {i == 0 || i == 2 ? group : group + 8, i < 2 ? thread : thread + 4};
  const bool upper = i < 2 || (i >= 4 && i < 6);
  return {upper ? group : group + 8, i < 4 ? thread * 2 + (i & 1) : thread * 2 + (i & 1) + 8};
}
/// Element i of the right factor (b0 to b3, or b0 and b1).
Place of_right(int lane, int i, bool wide) {
  const int group = lane / 4, thread = lane % 4;
  if (wide) return {i == 0 ? thread : thread + 4, group};
  return {i < 2 ? thread * 2 + (i & 1) : thread * 2 + (i & 1) + 8, group};
}
Place of_sum(int lane, int i) { return {i < 2 ? lane / 4 : lane / 4 + 8, lane % 4 * 2 + (i & 1)}; }

class Fragments : public testing::Test {
 protected:
  void SetUp() override {
    kernels::TestDevice found = hopper_device();
    if (!found.device) GTEST_SKIP() << found.reason;
    device = std::move(found.device);
  }
  template <class T>
  device::Buffer<T> filled(const std::vector<T>& values) {
    return device::Buffer<T>(*device, values);
  }
  template <class T>
  device::Buffer<T> empty(std::size_t count) {
    device::Buffer<T> made(*device, count);
    made.poison();
    return made;
  }
  std::unique_ptr<device::Device> device;
};

TEST_F(Fragments, LoadedMatricesLieAsTheTableSays) {
  for (const int count : {1, 2, 4}) {
    for (const bool transposed : {false, true}) {
      std::vector<unsigned short> coded(static_cast<std::size_t>(count) * 64);
      for (std::size_t i = 0; i < coded.size(); ++i)
        coded[i] = static_cast<unsigned short>(i + 1000);
      const auto from = filled(coded);
      const auto to = empty<unsigned>(static_cast<std::size_t>(count) * 32);
      load(device->stream(), count, transposed, from.data(), to.data());
      device->synchronize();
      const std::vector<unsigned> got = to.download();
      for (int lane = 0; lane < 32; ++lane)
        for (int i = 0; i < count; ++i)
          for (int half = 0; half < 2; ++half) {
            const Place place = of_matrix(lane, half, transposed);
            ASSERT_EQ(got[static_cast<std::size_t>(lane * count + i)] >> 16 * half & 0xFFFF,
                      static_cast<unsigned>(1000 + 64 * i + 8 * place.row + place.column))
                << "x" << count << (transposed ? ".trans" : "") << ", lane " << lane
                << ", register " << i;
          }
    }
  }
}

TEST_F(Fragments, StoredMatricesLieAsTheTableSays) {
  for (const int count : {1, 2, 4}) {
    for (const bool transposed : {false, true}) {
      std::vector<unsigned> coded(static_cast<std::size_t>(count) * 32);
      for (std::size_t i = 0; i < coded.size(); ++i)
        coded[i] = static_cast<unsigned>(2 * i | (2 * i + 1) << 16);
      const auto from = filled(coded);
      const auto to = empty<unsigned short>(static_cast<std::size_t>(count) * 64);
      store(device->stream(), count, transposed, from.data(), to.data());
      device->synchronize();
      const std::vector<unsigned short> got = to.download();
      for (int lane = 0; lane < 32; ++lane)
        for (int i = 0; i < count; ++i)
          for (int half = 0; half < 2; ++half) {
            const Place place = of_matrix(lane, half, transposed);
            ASSERT_EQ(got[static_cast<std::size_t>(64 * i + 8 * place.row + place.column)],
                      2 * (lane * count + i) + half)
                << "x" << count << (transposed ? ".trans" : "") << ", lane " << lane
                << ", register " << i;
          }
    }
  }
}

TEST_F(Fragments, TransposedMatricesLieAsTheTableSays) {
  std::vector<unsigned> coded(32);
  for (std::size_t i = 0; i < coded.size(); ++i)
    coded[i] = static_cast<unsigned>(2 * i | (2 * i + 1) << 16);
  const auto from = filled(coded);
  const auto to = empty<unsigned>(32);
  transpose(device->stream(), from.data(), to.data());
  device->synchronize();
  const std::vector<unsigned> got = to.download();
  for (int lane = 0; lane < 32; ++lane)
    for (int half = 0; half < 2; ++half) {
      const Place place = of_matrix(lane, half, true);
      ASSERT_EQ(got[static_cast<std::size_t>(lane)] >> 16 * half & 0xFFFF,
                static_cast<unsigned>(8 * place.row + place.column))
          << "lane " << lane;
    }
}

/// Elements of a factor as its registers hold them.
class Registers {
 public:
  Registers(Factor type, std::size_t count) : type_(type), words_(count) {}
  void set(std::size_t element, float value) {
    if (type_ == Factor::tf32) {
      std::memcpy(&words_[element], &value, 4);
      return;
    }
    const unsigned bits = type_ == Factor::f16 ? to_f16(value) : to_bf16(value);
    words_[element / 2] |= bits << 16 * (element % 2);
  }
  const std::vector<unsigned>& words() const { return words_; }

 private:
  Factor type_;
  std::vector<unsigned> words_;
};

TEST_F(Fragments, ProductsWithTheIdentityLieAsTheTablesSay) {
  for (const Factor type : {Factor::f16, Factor::bf16, Factor::tf32}) {
    const bool wide = type == Factor::tf32;
    const int depth = wide ? 8 : 16, elements = wide ? 4 : 8;  // of a lane's left factor
    // Exact in all three types, and different in each place.
    const auto code = [depth](int row, int column) {
      return static_cast<float>(row * depth + column);
    };
    for (int first = 0; first < depth; first += 8) {
      Registers coded(type, 128), identity(type, 64), left(type, 128), right(type, 64);
      for (int lane = 0; lane < 32; ++lane) {
        for (int i = 0; i < elements; ++i) {
          const Place place = of_left(lane, i, wide);
          const auto at = static_cast<std::size_t>(lane) * elements + i;
          coded.set(at, code(place.row, place.column));
          left.set(at, place.column == place.row % 8 + first ? 1.0f : 0.0f);
        }
        for (int i = 0; i < elements / 2; ++i) {
          const Place place = of_right(lane, i, wide);
          const auto at = static_cast<std::size_t>(lane) * elements / 2 + i;
          identity.set(at, place.row == place.column + first ? 1.0f : 0.0f);
          right.set(at, code(place.column, place.row));
        }
      }
      const auto product = [&](const Registers& a, const Registers& b) {
        std::vector<float> sums(128);
        for (std::size_t i = 0; i < sums.size(); ++i) sums[i] = static_cast<float>(1000 * i);
        const auto of_a = filled(a.words()), of_b = filled(b.words());
        const auto of_c = filled(sums);
        multiply(device->stream(), type, of_a.data(), of_b.data(), of_c.data());
        device->synchronize();
        return of_c.download();
      };
      const std::vector<float> of_left_factor = product(coded, identity),
                               of_right_factor = product(left, right);
      for (int lane = 0; lane < 32; ++lane)
        for (int i = 0; i < 4; ++i) {
          const auto at = static_cast<std::size_t>(lane) * 4 + i;
          const Place place = of_sum(lane, i);
          const float before = static_cast<float>(1000 * at);
          ASSERT_EQ(of_left_factor[at], before + code(place.row, place.column + first))
              << "type " << static_cast<int>(type) << ", lane " << lane << ", register " << i;
          ASSERT_EQ(of_right_factor[at], before + code(place.column, place.row % 8 + first))
              << "type " << static_cast<int>(type) << ", lane " << lane << ", register " << i;
        }
    }
  }
}

}  // namespace fragments_test
}  // namespace ridgeline::ptx::test
