#include "harness/outside/judge.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstring>
#include <limits>
#include <thread>
#include <utility>

#include <fmt/core.h>

#include "harness/base/e4m3.hpp"
#include "harness/base/error.hpp"
#include "harness/base/half.hpp"
#include "harness/base/kernel_calls.hpp"
#include "harness/outside/lazy_memory.hpp"

namespace ridgeline::outside {
namespace {

constexpr std::int64_t compared_whole = 4096;  // elements of an output
constexpr std::int64_t compared_of_more = 2048;
constexpr std::int64_t at_the_ends = 64;  // where kernels go wrong that do not divide their problem
constexpr std::size_t known_at_most = 4;
constexpr std::int64_t remembered_at_most = 64;  // expected values of an answer
constexpr std::chrono::milliseconds late(200);
constexpr double infinity = std::numeric_limits<double>::infinity();

template <class Element>
Element at(const std::byte* bytes, std::int64_t i) {
  Element element;
  std::memcpy(&element, bytes + static_cast<std::size_t>(i) * sizeof element, sizeof element);
  return element;
}

double element_of(DType dtype, const std::byte* bytes, std::int64_t i) {
  switch (dtype) {
    case DType::f64:
      return at<double>(bytes, i);
    case DType::f32:
    case DType::tf32:
      return static_cast<double>(at<float>(bytes, i));
    case DType::f16:
      return static_cast<double>(from_f16(at<std::uint16_t>(bytes, i)));
    case DType::bf16:
      return static_cast<double>(from_bf16(at<std::uint16_t>(bytes, i)));
    case DType::e4m3:
    case DType::e4m3_fast:
      return static_cast<double>(from_e4m3(at<std::uint8_t>(bytes, i)));
    case DType::i32:
      return at<std::int32_t>(bytes, i);
    case DType::u8:
      return at<std::uint8_t>(bytes, i);
    case DType::i8:
      return at<std::int8_t>(bytes, i);
  }
  throw Error(ErrorKind::internal, "an element type that nobody can read");
}

/// All elements of an output, or its ends and some that nobody can foresee.
std::vector<std::int64_t> chosen(std::int64_t count) {
  std::vector<std::int64_t> elements;
  if (count <= compared_whole) {
    for (std::int64_t i = 0; i < count; ++i) elements.push_back(i);
    return elements;
  }
  for (std::int64_t i = 0; i < at_the_ends; ++i) {
    elements.push_back(i);
    elements.push_back(count - 1 - i);
  }
  for (std::int64_t i = 0; i < compared_of_more; ++i)
    elements.push_back(
        static_cast<std::int64_t>(kernel_random() % static_cast<std::uint64_t>(count)));
  return elements;
}

/// Some elements of every output, read at once.
struct Glance {
  std::size_t output, at, bytes;  // where
  std::uint64_t bits = 0;
};

std::vector<Glance> glance(const Memory& memory, std::size_t output) {
  std::vector<Glance> seen;
  for (std::size_t k = 0; k < memory.one.outputs.size(); ++k) {
    const std::size_t size = size_of(memory.output_type(k));
    const auto count = static_cast<std::uint64_t>(memory.one.outputs[k].count);
    for (const std::uint64_t element : {count - 1, kernel_random() % count, std::uint64_t{0}})
      seen.push_back({k, element * size, size});
  }
  for (Glance& each : seen)
    memory.device.download(&each.bits, memory.outputs[output].buffers[each.output].data() + each.at,
                           each.bytes);
  return seen;
}

bool still_so(const std::vector<Glance>& seen, const std::vector<std::vector<std::byte>>& found) {
  return std::ranges::all_of(seen, [&](const Glance& each) {
    return std::memcmp(&each.bits, found[each.output].data() + each.at, each.bytes) == 0;
  });
}

double tolerance_of(const Memory& memory, std::size_t k) {
  const double own = memory.one.outputs[k].tolerance;
  return own >= 0 ? own : 8 * unit_roundoff(memory.output_type(k));
}

/// Of an error the part of its tolerance that it uses up.
double share(const record::Verification& of) {
  if (std::isnan(of.error)) return infinity;
  return of.error == 0 ? 0 : of.error / of.tolerance;
}

}  // namespace

std::vector<Judge::Bytes> Judge::read(std::size_t output) const {
  std::vector<Bytes> found;
  for (const Guarded& buffer : memory_.outputs[output].buffers) {
    found.emplace_back(buffer.bytes());
    memory_.device.download(found.back().data(), buffer.data(), buffer.bytes());
  }
  return found;
}

const std::vector<double>& Judge::all_expected(std::size_t set, std::size_t k) {
  const std::uint64_t contents = memory_.sets[set].contents();
  for (const Known& each : known_)
    if (each.contents == contents && each.set == set && each.output == k) return each.values;
  const Output& output = memory_.one.outputs[k];
  Known now{contents, set, k, output.all_expected(Inputs{&memory_, set})};
  if (now.values.size() != static_cast<std::size_t>(output.count))
    throw Error(ErrorKind::usage,
                fmt::format("the case {} expects {} elements of output {}, which has {}",
                            memory_.one.variant, now.values.size(), k, output.count),
                ".all_expected gives as many as .count says");
  if (known_.size() == known_at_most) known_.erase(known_.begin());
  return known_.emplace_back(std::move(now)).values;
}

std::vector<double> Judge::expected(std::size_t set, std::size_t k,
                                    const std::vector<std::int64_t>& elements) {
  const Output& output = memory_.one.outputs[k];
  std::vector<double> values;
  if (output.all_expected)
    for (const std::int64_t i : elements)
      values.push_back(all_expected(set, k)[static_cast<std::size_t>(i)]);
  else
    for (const std::int64_t i : elements) values.push_back(output.expected({&memory_, set}, i));
  for (std::size_t i = 0; i < values.size(); ++i)
    if (std::isnan(values[i]))
      throw Error(ErrorKind::usage,
                  fmt::format("the case {} expects no number as element {} of output {}",
                              memory_.one.variant, elements[i], k),
                  "give inputs for which the result is one");
  return values;
}

record::Verification Judge::compare(measure::Turn turn, const std::vector<Bytes>& found) {
  record::Verification worst{0, tolerance_of(memory_, 0), Checked::whole};
  Checked checked = Checked::whole;
  finding_.clear();
  for (std::size_t k = 0; k < found.size(); ++k) {
    const std::int64_t count = memory_.one.outputs[k].count;
    std::vector<std::int64_t> elements;
    if (memory_.one.outputs[k].all_expected)
      for (std::int64_t i = 0; i < count; ++i) elements.push_back(i);
    else
      elements = chosen(count);
    const auto& altered = memory_.sets[turn.inputs].altered;
    if (count > compared_whole && altered && altered->element < count)
      elements.push_back(altered->element);
    if (static_cast<std::int64_t>(elements.size()) < count ||
        (count > compared_whole && !memory_.one.outputs[k].all_expected))
      checked = Checked::sample;
    const std::vector<double> wanted = expected(turn.inputs, k, elements);
    double squares = 0;
    for (const double value : wanted) squares += std::isfinite(value) ? value * value : 0;
    const double scale = std::sqrt(squares / static_cast<double>(wanted.size()));
    for (std::size_t n = 0; n < elements.size(); ++n) {
      const double got = element_of(memory_.output_type(k), found[k].data(), elements[n]);
      const double magnitude = std::fabs(wanted[n]) + scale;
      record::Verification of{got == wanted[n] ? 0 : std::fabs(got - wanted[n]) / magnitude,
                              tolerance_of(memory_, k), Checked::whole};
      if (std::isinf(wanted[n]) && got != wanted[n]) of.error = infinity;
      if (!(share(of) > share(worst))) continue;
      worst = of;
      if (worst.right()) continue;
      const bool unwritten = memory_.is_poison(turn.output, k, elements[n], got);
      finding_ = unwritten ? fmt::format("element {} of output {} was not written", elements[n], k)
                           : fmt::format(
                                 "element {} of output {} is {:.9g}, and {:.9g} was "
                                 "expected",
                                 elements[n], k, got, wanted[n]);
    }
  }
  worst.checked = checked;
  return worst;
}

Judge::Answer Judge::answer(std::size_t set, std::vector<Bytes> found) {
  std::vector<std::int64_t> elements;
  const std::int64_t count = memory_.one.outputs[0].count,
                     step = std::max<std::int64_t>(1, count / remembered_at_most);
  for (std::int64_t i = 0; i < count; i += step) elements.push_back(i);
  return {memory_.sets[set].contents(), set, std::move(found), expected(set, 0, elements)};
}

bool Judge::ignores_inputs(const Answer& now) const {
  const bool same_inputs = before_.contents == now.contents && before_.set == now.set;
  if (before_.found.empty() || same_inputs || memory_.one.inputs.empty() ||
      before_.found != now.found)
    return false;
  const double least = 16 * unit_roundoff(memory_.output_type(0));
  for (std::size_t i = 0; i < now.expected.size(); ++i) {
    const double a = now.expected[i], b = before_.expected[i];
    if (std::fabs(a - b) > least * std::max(std::fabs(a), std::fabs(b))) return true;
  }
  return false;
}

bool Judge::is_written(std::size_t output) const {
  return memory_.device.facts().kind != device::Kind::cpu ||
         std::ranges::all_of(memory_.outputs[output].buffers, [](const Guarded& buffer) {
           return is_there({buffer.data(), buffer.bytes()});
         });
}

record::Verification Judge::verify(measure::Turn turn) {
  if (!is_written(turn.output)) {
    finding_ =
        "it could not be read when the launch had returned: it is computed when it is "
        "looked at";
    return {infinity, tolerance_of(memory_, 0), Checked::whole};
  }
  const std::vector<Glance> seen = glance(memory_, turn.output);
  std::vector<Bytes> found = read(turn.output);
  record::Verification result = compare(turn, found);
  if (memory_.device.facts().kind == device::Kind::emulated) return result;
  if (!result.right()) {
    std::this_thread::sleep_for(late);
    const std::string before = finding_;
    const bool right_now = compare(turn, read(turn.output)).right();
    finding_ = right_now ? "it was right only after the launch had returned: work goes on after "
                           "it, in a thread or on another stream"
                         : before;
    return result;
  }
  if (!still_so(seen, found) || read(turn.output) != found) {
    result.error = infinity;
    finding_ =
        "it was written after the launch had returned: work goes on after it, in a thread "
        "or on another stream";
    return result;
  }
  Answer now = answer(turn.inputs, std::move(found));
  if (ignores_inputs(now)) {
    result.error = infinity;
    finding_ =
        "outputs are the same, bit by bit, for other inputs, and something else is expected "
        "of those: the tolerance accepts what does not depend on inputs";
  }
  before_ = std::move(now);
  return result;
}

}  // namespace ridgeline::outside
