#include "harness/emulated/program/rewriter/ptx_instructions.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "harness/emulated/program/rewriter/ptx_memory.hpp"

namespace ridgeline::program {
namespace {

const std::string in = "::ridgeline::program::ptx::";
const std::string emulated = "::ridgeline::emulated::";

bool has(const PtxStatement& of, std::string_view part) {
  return std::ranges::find(of.parts, part) != of.parts.end();
}

/// Of the last part that is a type.
std::string last_type(const PtxStatement& of) {
  for (std::size_t i = of.parts.size(); i-- > 1;)
    if (std::string type = ptx_type(of.parts[i]); !type.empty()) return type;
  return "";
}

bool is_float(const std::string& type) {
  return type == "float" || type == "double" || type.starts_with("__");
}

/// Binary and unary operations by name, with the operands {0}, {1}, {2} as values of the type {t}.
std::string formula(const std::string& name, const PtxStatement& of, const std::string& type) {
  const bool floats = is_float(type), pairs = type.starts_with("__");
  static const std::map<std::string, std::string> plain = {
      {"add", "{0} + {1}"},
      {"sub", "{0} - {1}"},
      {"and", "{0} & {1}"},
      {"or", "{0} | {1}"},
      {"xor", "{0} ^ {1}"},
      {"rem", "{0} % {1}"},
      {"popc", "static_cast<unsigned>(std::popcount({0}))"},
      {"clz", "static_cast<unsigned>(std::countl_zero({0}))"},
      {"sqrt", "std::sqrt({0})"},
      {"rsqrt", "1 / std::sqrt({0})"},
      {"rcp", "1 / {0}"},
      {"ex2", "std::exp2({0})"},
      {"lg2", "std::log2({0})"},
      {"sin", "std::sin({0})"},
      {"cos", "std::cos({0})"},
      {"tanh", "std::tanh({0})"},
      {"lop3", "::ridgeline::program::ptx::logic({0}, {1}, {2}, {3})"},
      {"prmt", "__byte_perm({0}, {1}, {2})"},
      {"bfi", "::ridgeline::program::ptx::insert_bits({0}, {1}, {2}, {3})"},
      {"bfe", "::ridgeline::program::ptx::bits_of({0}, {1}, {2})"},
      {"copysign", "std::copysign({1}, {0})"}};
  if (name == "brev") return type == "std::uint64_t" ? "__brevll({0})" : "__brev({0})";
  if (name == "div") return "{0} / {1}";
  if (name == "not") return type == "bool" ? "!{0}" : "static_cast<T>(~{0})";
  if (name == "neg") return pairs ? "T(-{0})" : "static_cast<T>(-{0})";
  if (name == "abs") return floats ? "std::fabs({0})" : "static_cast<T>({0} < 0 ? -{0} : {0})";
  if (name == "cnot") return "static_cast<T>({0} == 0)";
  if (name == "min" || name == "max") {
    if (!pairs && floats) return name == "min" ? "std::fmin({0}, {1})" : "std::fmax({0}, {1})";
    if (pairs)
      return type == "__half2" || type == "__nv_bfloat162"
                 ? fmt::format("__h{}2({{0}}, {{1}})", name)
                 : fmt::format("__h{}({{0}}, {{1}})", name);
    return name == "min" ? "({1} < {0} ? {1} : {0})" : "({0} < {1} ? {1} : {0})";
  }
  if (name == "shl") return in + "shift_left({0}, " + in + "get<std::uint32_t>({1}))";
  if (name == "shr") return in + "shift_right({0}, " + in + "get<std::uint32_t>({1}))";
  if (name == "mul" || name == "mul24") {
    if (floats || has(of, "lo") || name == "mul24") return "static_cast<T>({0} * {1})";
    return has(of, "hi")     ? in + "mul_hi({0}, {1})"
           : has(of, "wide") ? in + "mul_wide({0}, {1})"
                             : "";
  }
  if (name == "fma" || name == "mad") {
    if (pairs)
      return type == "__half2" || type == "__nv_bfloat162" ? "__hfma2({0}, {1}, {2})"
                                                           : "__hfma({0}, {1}, {2})";
    if (floats) return "std::fma({0}, {1}, {2})";
    if (has(of, "lo")) return "static_cast<T>({0} * {1} + {2})";
    if (has(of, "hi")) return "static_cast<T>(" + in + "mul_hi({0}, {1}) + {2})";
    if (has(of, "wide"))
      return "(" + in + "mul_wide({0}, {1}) + " + in + "get<decltype(" + in +
             "mul_wide(T{}, T{}))>({2}))";
    return "";
  }
  if (name == "sad") return "static_cast<T>({2} + ({0} < {1} ? {1} - {0} : {0} - {1}))";
  if (name == "shf")
    return has(of, "l") ? "__funnelshift_l({0}, {1}, {2})" : "__funnelshift_r({0}, {1}, {2})";
  const auto found = plain.find(name);
  return found == plain.end() ? "" : found->second;
}

/// Puts the operands behind the first one into `text`.
std::string filled(std::string text, const std::string& type, const PtxStatement& of,
                   const PtxOperands& operands, std::size_t first = 1) {
  for (std::size_t i = first; i < of.operands.size(); ++i) {
    const std::string value = operands.value(of.operands[i]);
    if (value.empty()) return "";
    const std::string place = fmt::format("{{{}}}", i - first),
                      with = fmt::format("{}get<{}>({})", in, type, value);
    for (std::size_t at = text.find(place); at != std::string::npos;
         at = text.find(place, at + with.size()))
      text.replace(at, place.size(), with);
  }
  for (std::size_t at = text.find("T>"); at != std::string::npos; at = text.find("T>", at + 1))
    if (at > 0 && text[at - 1] == '<') text.replace(at, 1, type);
  for (std::size_t at = text.find("T{}"); at != std::string::npos; at = text.find("T{}", at + 1))
    text.replace(at, 1, type);
  for (std::size_t at = text.find("T("); at == 0; at = std::string::npos) text.replace(at, 1, type);
  return text.find("{0}") == std::string::npos && text.find("{1}") == std::string::npos ? text : "";
}

std::string put(const PtxStatement& of, const PtxOperands& operands, const std::string& value) {
  const std::string to = operands.value(of.operands[0]);
  return to.empty() || value.empty() ? "" : fmt::format("{}put({}, {})", in, to, value);
}

std::string comparison(const PtxStatement& of, const PtxOperands& operands,
                       const std::string& type) {
  static const std::map<std::string, std::string> signs = {
      {"eq", "=="}, {"ne", "!="},  {"lt", "<"},  {"le", "<="}, {"gt", ">"},   {"ge", ">="},
      {"lo", "<"},  {"ls", "<="},  {"hi", ">"},  {"hs", ">="}, {"neu", "!="}, {"equ", "=="},
      {"ltu", "<"}, {"leu", "<="}, {"gtu", ">"}, {"geu", ">="}};
  if (of.parts.size() < 3 || of.operands.size() != 3) return "";
  const auto sign = signs.find(of.parts[1]);
  if (sign == signs.end()) return "";
  const std::vector<std::string> to = [&] {
    std::vector<std::string> both;
    const std::size_t bar = of.operands[0].find('|');
    both.push_back(of.operands[0].substr(0, bar));
    if (bar != std::string::npos) both.push_back(of.operands[0].substr(bar + 1));
    return both;
  }();
  const std::string holds = filled("({0} " + sign->second + " {1})", type, of, operands);
  if (holds.empty()) return "";
  std::string text = fmt::format("{}put({}, {})", in, operands.value(to[0]), holds);
  if (to.size() > 1) text += fmt::format(", {}put({}, !{})", in, operands.value(to[1]), holds);
  return text;
}

std::string conversion(const PtxStatement& of, const PtxOperands& operands) {
  std::vector<std::string> types;
  for (std::size_t i = 1; i < of.parts.size(); ++i)
    if (of.parts[i] == "tf32" || !ptx_type(of.parts[i]).empty()) types.push_back(of.parts[i]);
  if (types.size() != 2) return "";
  const auto value = [&](std::size_t i, const std::string& type) {
    const std::string of_operand = operands.value(of.operands[i]);
    return of_operand.empty() ? "" : fmt::format("{}get<{}>({})", in, type, of_operand);
  };
  if (types[0] == "tf32")
    return put(of, operands, fmt::format("{}to_tf32({})", in, value(1, "float")));
  if (of.operands.size() == 3 && types[1] == "f32" && (types[0] == "f16x2" || types[0] == "bf16x2"))
    return put(of, operands,
               fmt::format("{}{}({}, {})", in, types[0] == "f16x2" ? "to_halves" : "to_bfloats",
                           value(2, "float"), value(1, "float")));
  if (of.operands.size() != 2) return "";
  const std::string to = ptx_type(types[0]), from = ptx_type(types[1]);
  std::string text = value(1, from);
  if (text.empty()) return "";
  if (from == "__half") text = fmt::format("__half2float({})", text);
  if (from == "__nv_bfloat16") text = fmt::format("__bfloat162float({})", text);
  if (from.ends_with("2") || to.ends_with("2")) return "";
  if (is_float(from) && !is_float(to)) {
    const char* how = has(of, "rni")   ? "std::nearbyint"
                      : has(of, "rmi") ? "std::floor"
                      : has(of, "rpi") ? "std::ceil"
                                       : "std::trunc";
    text = fmt::format("::ridgeline::program::to_integer<{}>({}({}))", to, how, text);
  } else if (to == "__half") {
    text = fmt::format("__float2half_rn(static_cast<float>({}))", text);
  } else if (to == "__nv_bfloat16") {
    text = fmt::format("__float2bfloat16_rn(static_cast<float>({}))", text);
  } else {
    text = fmt::format("static_cast<{}>({})", to, text);
    const char* how = has(of, "rni")   ? "std::nearbyint"
                      : has(of, "rmi") ? "std::floor"
                      : has(of, "rpi") ? "std::ceil"
                      : has(of, "rzi") ? "std::trunc"
                                       : "";
    if (is_float(to) && *how != 0) text = fmt::format("{}({})", how, text);
  }
  if (has(of, "sat")) text = fmt::format("{}saturated({})", in, text);
  return put(of, operands, text);
}

/// mov, also of pairs that are packed or taken apart.
std::string move(const PtxStatement& of, const PtxOperands& operands, const std::string& type) {
  if (of.operands.size() != 2) return "";
  const auto to = elements_of(of.operands[0]), from = elements_of(of.operands[1]);
  if (to.size() == 1 && from.size() == 1) return put(of, operands, operands.value(from[0]));
  const std::size_t parts = std::max(to.size(), from.size());
  if ((parts != 2 && parts != 4) || (to.size() != 1 && from.size() != 1)) return "";
  const std::string whole = type == "std::uint64_t" || type == "double" || type == "std::int64_t"
                                ? "std::uint64_t"
                                : "std::uint32_t";
  const std::size_t bits = (whole == "std::uint64_t" ? 64 : 32) / parts;
  const std::string piece = fmt::format("std::uint{}_t", bits);
  std::string text;
  if (from.size() > 1) {
    for (std::size_t i = 0; i < parts; ++i)
      text += fmt::format("{}static_cast<{}>({}get<{}>({})) << {}", i == 0 ? "" : " | ", whole, in,
                          piece, operands.value(from[i]), bits * i);
    return put(of, operands, text);
  }
  for (std::size_t i = 0; i < parts; ++i)
    text += fmt::format("{}{}put({}, static_cast<{}>({}get<{}>({}) >> {}))", i == 0 ? "" : ", ", in,
                        to[i] == "_" ? in + "Sink{}" : operands.value(to[i]), piece, in, whole,
                        operands.value(from[0]), bits * i);
  return text;
}

}  // namespace

std::string ptx_type(const std::string& suffix) {
  static const std::map<std::string, std::string> types = {{"u8", "std::uint8_t"},
                                                           {"b8", "std::uint8_t"},
                                                           {"s8", "std::int8_t"},
                                                           {"u16", "std::uint16_t"},
                                                           {"b16", "std::uint16_t"},
                                                           {"s16", "std::int16_t"},
                                                           {"u32", "std::uint32_t"},
                                                           {"b32", "std::uint32_t"},
                                                           {"s32", "std::int32_t"},
                                                           {"u64", "std::uint64_t"},
                                                           {"b64", "std::uint64_t"},
                                                           {"s64", "std::int64_t"},
                                                           {"f32", "float"},
                                                           {"f64", "double"},
                                                           {"pred", "bool"},
                                                           {"f16", "__half"},
                                                           {"f16x2", "__half2"},
                                                           {"bf16", "__nv_bfloat16"},
                                                           {"bf16x2", "__nv_bfloat162"}};
  const auto found = types.find(suffix);
  return found == types.end() ? "" : found->second;
}

std::string instruction_text(const PtxStatement& of, const PtxOperands& operands) {
  const std::string& name = of.parts[0];
  std::string type = last_type(of);
  if (std::string memory = memory_instruction(of, operands); !memory.empty()) return memory;
  if (of.operands.empty()) return "";
  if (name == "mov") return move(of, operands, type);
  if (name == "cvta") return put(of, operands, cvta_value(of, operands));
  if (name == "cvt") return conversion(of, operands);
  if (name == "setp") return comparison(of, operands, type);
  if (name == "selp") {
    if (of.operands.size() != 4) return "";
    return put(of, operands,
               fmt::format("({} ? {}get<{}>({}) : {}get<{}>({}))", operands.value(of.operands[3]),
                           in, type, operands.value(of.operands[1]), in, type,
                           operands.value(of.operands[2])));
  }
  if (has(of, "cc") || name == "addc" || name == "subc") return "";
  if (type.empty()) return "";
  if (name == "mul" && has(of, "wide")) type = last_type(of);
  std::string text = filled(formula(name, of, type), type, of, operands);
  if (text.empty()) return "";
  if (has(of, "sat")) text = fmt::format("{}saturated({})", in, text);
  const bool keeps_type = name == "popc" || name == "clz" || has(of, "wide");
  return put(
      of, operands,
      keeps_type || type.starts_with("__") ? text : fmt::format("static_cast<{}>({})", type, text));
}

}  // namespace ridgeline::program
