#include "kernels/ptx/mutations/units.hpp"

#include <cstring>
#include <functional>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "harness/base/error.hpp"
#include "harness/emulated/machine.hpp"

// Registers that warpgroups share out, factors in registers, and maps of tensors: each mistake is
// found, or refused before there is a map.
namespace ridgeline::ptx::mutations {
namespace units_test {

using emulated::Finding;
using emulated::Machine;
using emulated::Report;

struct Lab {
  Machine machine{{.threads = 1024, .shared_bytes = 227 << 10}};
  device::Stream stream{&machine};

  /// "check: detail" of the first finding since the last call.
  std::string found() {
    const std::vector<Report> reports = machine.take_reports();
    EXPECT_EQ(reports.size(), 1u);
    if (reports.empty() || reports[0].findings.empty()) return "";
    return reports[0].findings[0].check + ": " + reports[0].findings[0].detail;
  }
  unsigned short* numbers(std::size_t count) {
    auto* const memory =
        static_cast<unsigned short*>(machine.memory().allocate(2 * count, "numbers"));
    for (std::size_t i = 0; i < count; ++i) memory[i] = static_cast<unsigned short>(i);
    machine.memory().mark(memory, 2 * count, true);
    return memory;
  }
};

TEST(RegisterMutations, EachMistakeIsFound) {
  struct Case {
    Registers mistake;
    const char* says;  // begins with
  };
  using enum Registers;
  for (const auto& [mistake, says] :
       {Case{none, ""},
        {below_the_least,
         "registers out of range: setmaxnreg 16: a multiple of 8 from 24 to 256 is possible"},
        {no_multiple, "registers out of range: setmaxnreg 100"},
        {too_many, "too many registers: the warpgroups ask for "},
        {half_a_warpgroup,
         "divergent warpgroup: its warps do not issue the same products and changes of registers"},
        {half_a_warp,
         "deadlock: a warp's lanes 0xffffffff are waited for, and 0xffff0000 of them never come: "
         "16 have "
         "ended"},
        {no_warpgroup, "no warpgroup: a warpgroup is four whole warps"}}) {
    Lab lab;
    share_registers(lab.stream, mistake);
    const std::string found = lab.found();
    EXPECT_TRUE(found.starts_with(says)) << static_cast<int>(mistake) << ": " << found;
    EXPECT_EQ(found.empty(), mistake == none) << found;
  }
}

TEST(LeftFactorMutations, EachMistakeIsFound) {
  struct Case {
    LeftFactor mistake;
    const char* says;  // begins with
  };
  using enum LeftFactor;
  for (const auto& [mistake, says] :
       {Case{none, ""},
        {read_early, "touched while a product is under way: left register 2 of the thread's"},
        {written_early, "touched while a product is under way: left register 1 of the thread's"},
        {no_swizzle, "unsupported: wgmma with a transposed factor without swizzle"},
        {too_short, "out of bounds (shared): row 0 of the right factor, at "}}) {
    Lab lab;
    auto* const to = static_cast<float*>(lab.machine.memory().allocate(128 * sizeof(float), "to"));
    multiply_ones(lab.stream, mistake, to);
    const std::string found = lab.found();
    EXPECT_TRUE(found.starts_with(says)) << static_cast<int>(mistake) << ": " << found;
    EXPECT_EQ(found.empty(), mistake == none) << found;
    if (mistake == none) {
      EXPECT_EQ(to[77], 16.0f);
    }
  }
}

/// 40 x 20 numbers in rows of 80 bytes, in boxes of 16 x 8.
device::TensorLayout layout(void* memory) {
  return {
      .memory = memory, .dtype = DType::f16, .sizes = {40, 20}, .strides = {80}, .box = {16, 8}};
}

TEST(TensorMapMutations, WhatBreaksARuleIsNoMap) {
  struct Case {
    std::function<void(device::TensorLayout&)> breaks;
    const char* rule;
  };
  const auto refused = [](const Case& each) {
    Lab lab;
    device::TensorLayout wrong = layout(lab.numbers(800));
    each.breaks(wrong);
    try {
      device::make_tensor_map(wrong);
    } catch (const Error& error) {
      EXPECT_EQ(error.kind(), ErrorKind::usage);
      return std::string(error.what());
    }
    return std::string("nothing");
  };
  for (const Case& each : std::vector<Case>{
           {[](auto& of) { of.sizes = {}; }, "it has one to five sizes"},
           {[](auto& of) { of.strides = {}; }, "one stride less"},
           {[](auto& of) { of.box.push_back(1); }, "as many extents of its box"},
           {[](auto& of) { of.memory = static_cast<char*>(of.memory) + 8; },
            "address is a multiple of 16 bytes"},
           {[](auto& of) { of.sizes[1] = 0; },
            "a size is 1 to 2^32 elements, and that of dimension 1 is 0"},
           {[](auto& of) { of.box[1] = 257; },
            "an extent of a box is 1 to 256 elements, and that of dimension 1 is 257"},
           {[](auto& of) { of.box[0] = 0; },
            "an extent of a box is 1 to 256 elements, and that of dimension 0 is 0"},
           {[](auto& of) { of.strides[0] = 84; },
            "a stride is a multiple of 16 bytes below 2^40, and that of dimension 1"},
           {[](auto& of) { of.box[0] = 12; },
            "the box's rows are multiples of 16 bytes, and that of dimension 0 is 24"},
           {[](auto& of) {
              of.box[0] = 64;
              of.swizzle = device::Swizzle::bytes_64;
            },
            "no longer than the swizzle's span of 64 bytes"}}) {
    const std::string said = refused(each);
    EXPECT_NE(said.find(each.rule), std::string::npos) << each.rule << " is not in: " << said;
    EXPECT_TRUE(said.starts_with("a tensor map cannot be made: ")) << said;
  }
}

TEST(TensorMapMutations, MistakesWithMapsAreFound) {
  Lab lab;
  unsigned short *const from = lab.numbers(800), *const to = lab.numbers(1);
  const device::TensorMap map = device::make_tensor_map(layout(from));
  load_first(lab.stream, map, 2, 8, 3, to);
  EXPECT_EQ(lab.found(), "");
  EXPECT_EQ(to[0], 3 * 40 + 8);
  load_first(lab.stream, map, 1, 8, 0, to);
  EXPECT_EQ(lab.found(), "wrong tensor map: it has another number of dimensions");
  load_first(lab.stream, {}, 2, 8, 3, to);
  EXPECT_EQ(lab.found(), "wrong tensor map: it has another number of dimensions");
  load_first(lab.stream, map, 2, 5, 3, to);
  EXPECT_EQ(
      lab.found(),
      "misaligned: a box begins at element 5 of 2 bytes; its rows begin at multiples of 16 bytes");
  device::TensorLayout tall = layout(from);
  tall.box = {16, 16};  // more than the kernel has room for
  load_first(lab.stream, device::make_tensor_map(tall), 2, 8, 3, to);
  EXPECT_EQ(lab.found(),
            "out of bounds (shared): 512 bytes at dynamic shared memory + 0 of 256 bytes");
  device::TensorLayout long_one = layout(from);
  long_one.sizes[1] = 21;  // beyond the memory that there is
  load_first(lab.stream, device::make_tensor_map(long_one), 2, 0, 13, to);
  EXPECT_TRUE(lab.found().starts_with("out of bounds (global): numbers of 1600 bytes + 1"))
      << "row 20";
}

}  // namespace units_test
}  // namespace ridgeline::ptx::mutations
