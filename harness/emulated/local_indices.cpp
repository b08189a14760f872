#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/core.h>

#include "harness/emulated/block.hpp"
#include "harness/emulated/program_texts.hpp"

// A local array is a thread's registers or its own memory, whose accesses nobody sees. Where its
// index is not known when it is compiled, the compiler (-fsanitize=bounds) compares it with the
// array's size, and calls this before an access beside it. The sanitizer's own library is not
// linked.
namespace ridgeline::emulated {
namespace {

/// As the compiler lays it out.
struct Beside {
  const char* file;
  std::uint32_t line, column;
};

/// The array whose index is compared there; empty when it is no thread's own.
std::string_view array_of(const Beside& beside) {
  static const std::map<std::string_view, std::string_view> arrays = [] {
    std::map<std::string_view, std::string_view> all;
    const std::vector<std::string_view> texts = local_index_texts();
    for (std::size_t i = 0; i + 1 < texts.size(); i += 2) all.emplace(texts[i], texts[i + 1]);
    return all;
  }();
  const auto found = arrays.find(fmt::format("{}:{}:{}", beside.file, beside.line, beside.column));
  return found == arrays.end() ? std::string_view() : found->second;
}

}  // namespace
}  // namespace ridgeline::emulated

// NOLINTNEXTLINE(bugprone-reserved-identifier,readability-identifier-naming)
extern "C" void __ubsan_handle_out_of_bounds(const ridgeline::emulated::Beside* beside,
                                             std::uint64_t index) {
  using namespace ridgeline::emulated;
  if (hot.next == nullptr) return;
  const std::string_view array = array_of(*beside);
  if (!array.empty())
    Block::current().lanes.stop(
        "out of bounds (local)", RIDGELINE_CALLER, -1,
        fmt::format("index {} of {}", static_cast<std::int64_t>(index), array));
}
