#include "harness/emulated/program/rewriter/ptx_tensor.hpp"

#include <algorithm>
#include <string_view>
#include <vector>

#include <fmt/format.h>

namespace ridgeline::program {
namespace {

const std::string tensor_ptx = "::ridgeline::program::ptx::";
const std::string tensor_device = "::ridgeline::emulated::";

bool has_part(const PtxStatement& of, std::string_view part) {
  return std::ranges::find(of.parts, part) != of.parts.end();
}

/// The registers of an operand {a, b}, each as a value of `type`; empty when one is not known.
std::vector<std::string> registers_of(const PtxOperands& operands, const std::string& operand,
                                      const std::string& type) {
  std::vector<std::string> values;
  for (const std::string& each : elements_of(operand)) {
    const std::string value = operands.value(each);
    if (value.empty()) return {};
    values.push_back(type.empty() ? value : fmt::format("{}get<{}>({})", tensor_ptx, type, value));
  }
  return values;
}

std::string matrices(const PtxStatement& of, const PtxOperands& operands, bool loads,
                     const std::string& row) {
  const std::size_t count = has_part(of, "x4") ? 4 : has_part(of, "x2") ? 2 : 1;
  const auto registers =
      registers_of(operands, of.operands[loads ? 0 : 1], loads ? "" : "std::uint32_t");
  if (registers.size() != count || row.empty() || !has_part(of, "m8n8")) return "";
  const char* transposed = has_part(of, "trans") ? "true" : "false";
  if (!loads)
    return fmt::format("{}store_matrices({}, {}Matrices{{{{{}}}}}, {}, {})", tensor_device, row,
                       tensor_device, fmt::join(registers, ", "), count, transposed);
  std::string text = fmt::format("{{ const auto ridgeline_loaded = {}load_matrices({}, {}, {}); ",
                                 tensor_device, row, count, transposed);
  for (std::size_t i = 0; i < count; ++i)
    text += fmt::format("{}put({}, ridgeline_loaded.parts[{}]); ", tensor_ptx, registers[i], i);
  return text + "}";
}

std::string product(const PtxStatement& of, const PtxOperands& operands) {
  if (of.operands.size() != 4 || !has_part(of, "sync")) return "";
  struct Shape {
    std::string_view size, type, factor;
    std::size_t left, right;
  };
  static constexpr Shape shapes[] = {
      {"m16n8k16", "f16", "f16", 4, 2},  {"m16n8k16", "bf16", "bf16", 4, 2},
      {"m16n8k8", "f16", "f16", 2, 1},   {"m16n8k8", "bf16", "bf16", 2, 1},
      {"m16n8k8", "tf32", "tf32", 4, 2}, {"m16n8k4", "tf32", "tf32", 2, 1}};
  // ".row.col.d.a.b.c"
  std::vector<std::string> types;
  for (std::size_t i = 1; i < of.parts.size(); ++i)
    if (of.parts[i] == "tf32" || !ptx_type(of.parts[i]).empty()) types.push_back(of.parts[i]);
  if (types.size() != 4 || types[1] != types[2] || !has_part(of, "row") || !has_part(of, "col"))
    return "";
  const bool halves = types[0] == "f16";
  if (types[0] != types[3] || (!halves && types[0] != "f32")) return "";
  for (const Shape& shape : shapes) {
    if (!has_part(of, shape.size) || types[1] != shape.type) continue;
    auto left = registers_of(operands, of.operands[1], "std::uint32_t"),
         right = registers_of(operands, of.operands[2], "std::uint32_t");
    const auto to = registers_of(operands, of.operands[0], "");
    const auto sums = registers_of(operands, of.operands[3], halves ? "std::uint32_t" : "float");
    if (left.size() != shape.left || right.size() != shape.right) return "";
    left.resize(4, "0u");
    right.resize(2, "0u");
    const std::size_t count = halves ? 2 : 4;
    if (to.size() != count || sums.size() != count) return "";
    std::string text = fmt::format(
        "{{ const auto ridgeline_sums = {}multiply({}Factor::{}, {}, {}Matrices{{{{{}}}}}, {}); ",
        tensor_device, tensor_device, shape.factor,
        halves ? fmt::format("{}of_halves({}, {})", tensor_ptx, sums[0], sums[1])
               : fmt::format("{}Sums{{{{{}}}}}", tensor_device, fmt::join(sums, ", ")),
        tensor_device, fmt::join(left, ", "), fmt::join(right, ", "));
    for (std::size_t i = 0; i < count; ++i)
      text += halves ? fmt::format(
                           "{0}put({1}, {0}to_halves(ridgeline_sums.parts[{2}], "
                           "ridgeline_sums.parts[{3}])); ",
                           tensor_ptx, to[i], 2 * i, 2 * i + 1)
                     : fmt::format("{}put({}, ridgeline_sums.parts[{}]); ", tensor_ptx, to[i], i);
    return text + "}";
  }
  return "";
}

}  // namespace

std::string tensor_instruction(
    const PtxStatement& of, const PtxOperands& operands,
    const std::function<std::string(std::size_t, const std::string&)>& shared) {
  const std::string& name = of.parts[0];
  if (of.operands.size() >= 2 && name == "ldmatrix")
    return matrices(of, operands, true, shared(1, "const void"));
  if (of.operands.size() >= 2 && name == "stmatrix")
    return matrices(of, operands, false, shared(0, "void"));
  if (name == "mma") return product(of, operands);
  return "";
}

}  // namespace ridgeline::program
