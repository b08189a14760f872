#include "harness/emulated/aggregate_copies.hpp"

#include <unordered_map>

#include <fmt/core.h>

#include "harness/emulated/log.hpp"

namespace {

struct Copy {
  std::uint64_t pc, bytes;
};

}  // namespace

// Made by the linker of sections, where there are such.
// NOLINTBEGIN(bugprone-reserved-identifier,readability-identifier-naming)
extern "C" const Copy __start_ridgeline_aggregate_copies[] __attribute__((weak)),
    __stop_ridgeline_aggregate_copies[] __attribute__((weak));
// NOLINTEND(bugprone-reserved-identifier,readability-identifier-naming)

namespace ridgeline::emulated {

namespace {

/// Bytes of the object that the read which returns to `pc` copies; 0: it copies none.
std::uint64_t bytes_copied_at(std::uint32_t pc) {
  static const std::unordered_map<std::uint64_t, std::uint64_t> copies = [] {
    std::unordered_map<std::uint64_t, std::uint64_t> all;
    for (const Copy* each = __start_ridgeline_aggregate_copies;
         each < __stop_ridgeline_aggregate_copies; ++each)
      all.emplace(each->pc, each->bytes);
    return all;
  }();
  const auto found = copies.find(pc);
  return found == copies.end() ? 0 : found->second;
}

}  // namespace

CopiedObject copied_object(const Request& request, std::size_t i) {
  if (request.act != Act::read) return {};
  const std::uint64_t bytes = bytes_copied_at(request.pc);
  const auto piece = static_cast<std::uint64_t>(request.bytes);
  if (bytes == 0 || bytes == piece) return {request.addresses[i], bytes};
  if (request.stored[i] == unknown_piece) return {};
  return {request.addresses[i] - (request.stored[i] - 1u) * piece, bytes};
}

std::string in_copied(const CopiedObject& object, std::string what) {
  return what.append(
      fmt::format(": in a copy of {} bytes, of which others were written: no mistake if the "
                  "program does not use what was not",
                  object.bytes));
}

}  // namespace ridgeline::emulated
