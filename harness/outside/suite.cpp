#include "harness/outside/suite.hpp"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <string_view>

#include <fmt/core.h>

#include "harness/base/error.hpp"
#include "harness/base/text.hpp"
#include "harness/record/rule.hpp"

namespace ridgeline::outside {
namespace {

constexpr std::size_t most_buffers = 64;
constexpr std::int64_t most_elements = std::int64_t{1} << 40;

bool is_word(std::string_view text) {
  return !text.empty() && text.size() <= 100 &&
         text.find_first_not_of(record::word_characters) == std::string_view::npos;
}

/// Why an input or output cannot be; empty when it can.
template <class Buffer>
std::string mistake_in(const Buffer& buffer) {
  if (buffer.count >= 1 && buffer.count <= most_elements) return {};
  return fmt::format("has {} elements, and there are 1 to 2^40", buffer.count);
}

std::string mistake_in(const Case& one) {
  if (!is_word(one.variant))
    return fmt::format("its variant '{}' is not made of letters, digits and _.:+-",
                       printable(one.variant, 60));
  if (one.problem.empty()) return "it has no problem, such as {{\"n\", 1000}}";
  for (const Size& size : one.problem)
    if (!is_word(size.name))
      return fmt::format("a field of its problem is called '{}'", printable(size.name, 60));
  for (const auto& [key, value] : one.options)
    if (!is_word(key) || !is_word(value))
      return fmt::format("an option is {}={}", printable(key, 60), printable(value, 60));
  if (one.device != Kind::cpu && one.device != Kind::cuda)
    return "its device is neither cpu nor cuda";
  if (!one.launch) return "it launches nothing: set .launch";
  if (one.outputs.empty()) return "it has no output, so nothing could be verified";
  if (one.inputs.size() > most_buffers || one.outputs.size() > most_buffers)
    return fmt::format("it has more than {} inputs or outputs", most_buffers);
  if (!(one.flops >= 0) || !(one.bytes >= 0) || !std::isfinite(one.flops + one.bytes))
    return "its flops or bytes are no amount";
  for (std::size_t i = 0; i < one.inputs.size(); ++i)
    if (const std::string why = mistake_in(one.inputs[i]); !why.empty())
      return fmt::format("input {} {}", i, why);
  for (std::size_t i = 0; i < one.outputs.size(); ++i) {
    const Output& output = one.outputs[i];
    if (const std::string why = mistake_in(output); !why.empty())
      return fmt::format("output {} {}", i, why);
    if ((output.expected != nullptr) == (output.all_expected != nullptr))
      return fmt::format("output {} needs one of .expected and .all_expected", i);
    if (std::isnan(output.tolerance) || output.tolerance >= 1)
      return fmt::format("output {} has a tolerance of {}, which accepts anything", i,
                         output.tolerance);
  }
  return {};
}

bool same_name(const Case& one, const Case& other) {
  const auto same_sizes = [](const Size& a, const Size& b) {
    return a.name == b.name && a.value == b.value;
  };
  return one.variant == other.variant && one.dtype == other.dtype && one.device == other.device &&
         one.options == other.options && std::ranges::equal(one.problem, other.problem, same_sizes);
}

}  // namespace

void Suite::add(Case one, std::source_location where) {
  const std::string place =
      fmt::format("{}:{}", std::filesystem::path(where.file_name()).filename().string(),
                  static_cast<unsigned>(where.line()));
  const auto refuse = [&](const std::string& why) {
    throw Error(ErrorKind::usage, fmt::format("{}: a case cannot be added: {}", place, why),
                "docs/own-kernels.md shows a whole one");
  };
  if (const std::string why = mistake_in(one); !why.empty()) refuse(why);
  const auto twin =
      std::ranges::find_if(added_, [&](const Added& other) { return same_name(one, other.one); });
  if (twin != added_.end())
    refuse(fmt::format("the one of {} has its name: same variant, type, problem and options",
                       twin->where));
  added_.push_back({std::move(one), place});
}

}  // namespace ridgeline::outside
