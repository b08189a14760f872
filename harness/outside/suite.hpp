#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <source_location>
#include <string>
#include <utility>
#include <vector>

#include "harness/base/device_kind.hpp"
#include "harness/base/dtype.hpp"
#include "harness/device/stream.hpp"

// Cases of kernels that are none of Ridgeline's: what a file of yours includes and defines
// (docs/own-kernels.md). It includes little, since it is compiled with your code.
namespace ridgeline::outside {

using Kind = DeviceKind;
using device::Stream;
using ridgeline::DType;

struct Memory;  // of a prepared case

/// The inputs of one execution, as they were made, whatever a kernel may have done to them since.
class Inputs {
 public:
  /// Element `i` of an input, exactly as a kernel reads it. Throws a usage Error beyond its end.
  double operator()(std::size_t input, std::int64_t i) const;
  std::int64_t count(std::size_t input) const;

  const Memory* memory = nullptr;
  std::size_t set = 0;
};

/// What one execution reads and writes: pointers to memory of the device, aligned to 256 bytes.
class Execution {
 public:
  template <class Element>
  const Element* in(std::size_t input) const {
    return static_cast<const Element*>(input_at(input));
  }
  template <class Element>
  Element* out(std::size_t output) const {
    return static_cast<Element*>(output_at(output));
  }
  void* workspace() const;
  /// On a GPU `stream.native` is the cudaStream_t that everything is launched on.
  Stream& stream;

  const Memory& memory;
  std::size_t inputs = 0, outputs = 0;  // sets

 private:
  const void* input_at(std::size_t input) const;
  void* output_at(std::size_t output) const;
};

/// Random elements: of floating-point types uniform in [-1, 1), of integers over all their values.
struct Input {
  std::int64_t count = 0;
  std::optional<DType> dtype = {};  // absent: that of the case
};

struct Output {
  std::int64_t count = 0;
  /// What element `i` must be, in higher precision than the kernel's. Of a large output it is asked
  /// for some thousand elements that nobody can foresee.
  std::function<double(const Inputs& in, std::int64_t i)> expected = {};
  /// In place of it, where one element costs as much as all: all of them.
  std::function<std::vector<double>(const Inputs& in)> all_expected = {};
  /// How far an element may be from that, relative to its magnitude and the mean magnitude of those
  /// compared. Below 0: 8 roundings of the type; exact for integers.
  double tolerance = -1;
  std::optional<DType> dtype = {};  // as of an input
};

/// A field of the problem, as it stands in the case's name: `n=1000`.
struct Size {
  std::string name;
  std::int64_t value = 0;
};

/// One kernel on one problem. Its name is suite/variant/dtype/problem: mine/plain/f32/n=1000.
struct Case {
  std::string variant = {};
  DType dtype = DType::f32;
  std::vector<Size> problem = {};
  Kind device = Kind::cpu;  // cuda: also on the emulated device, in programs for that
  std::vector<Input> inputs = {};
  std::vector<Output> outputs = {};
  /// Enqueues one execution on the stream; on a CPU it has ended when this returns.
  std::function<void(const Execution& on)> launch = {};
  double flops = 0, bytes = 0;  // of one execution; bytes: the least that must move
  std::size_t workspace = 0;    // bytes of the device's memory that a launch may use as it likes
  std::string idea = {};        // in one line
  /// Options of the name that are no default: {{"cache", "hot"}}, {{"launch", "single"}}.
  std::vector<std::pair<std::string, std::string>> options = {};
};

class Suite {
 public:
  std::string question;  // what it asks, in one line

  /// Throws a usage Error that begins with file and line when the case cannot be.
  void add(Case one, std::source_location where = std::source_location::current());

  struct Added {
    Case one;
    std::string where;  // "mine.cpp:12"
  };
  const std::vector<Added>& added() const { return added_; }

 private:
  std::vector<Added> added_;
};

/// You define this: it adds your cases. It is called once, and uses no device.
void cases(Suite& suite);

}  // namespace ridgeline::outside
