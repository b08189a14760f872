#include "harness/code/case_code.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <vector>

#include <fmt/core.h>

#include "harness/base/error.hpp"

namespace ridgeline::code {
namespace {

// Names of functions without parameters in namespaces of ridgeline:: are mangled so
// (https://itanium-cxx-abi.github.io/cxx-abi/abi.html#mangling): _ZN, names with their lengths, Ev.

/// The names in `symbol` below ridgeline::; none for anything else.
std::vector<std::string_view> names_of(std::string_view symbol) {
  constexpr std::string_view begin = "_ZN9ridgeline", end = "Ev";
  if (!symbol.starts_with(begin) || !symbol.ends_with(end)) return {};
  symbol = symbol.substr(begin.size(), symbol.size() - begin.size() - end.size());
  std::vector<std::string_view> names;
  while (!symbol.empty()) {
    std::size_t length = 0, digits = 0;
    for (; digits < symbol.size() && symbol[digits] >= '0' && symbol[digits] <= '9' && digits < 4;
         ++digits)
      length = 10 * length + static_cast<std::size_t>(symbol[digits] - '0');
    if (length == 0 || length > symbol.size() - digits) return {};
    names.push_back(symbol.substr(digits, length));
    symbol.remove_prefix(digits + length);
  }
  return names;
}

std::string symbol_of(std::initializer_list<std::string_view> names) {
  std::string symbol = "_ZN9ridgeline";
  for (const std::string_view name : names) symbol += fmt::format("{}{}", name.size(), name);
  return symbol + "Ev";
}

/// The family whose table of variants `symbol` is; empty for anything else.
std::string_view table_of(std::string_view symbol) {
  const std::vector<std::string_view> names = names_of(symbol);
  return names.size() == 2 && names[1] == "variants" ? names[0] : std::string_view();
}

bool is_suite(std::string_view symbol) {
  const std::vector<std::string_view> names = names_of(symbol);
  return names.size() == 2 && names[0] == "suites";
}

/// The table of suites, and a family's table where a suite makes its cases of it: each of these
/// leads to all, and all are asked what they are, but a case executes its own.
bool is_list(const ProgramCode& program, std::uint32_t from, std::string_view symbol) {
  static const std::string all_suites = symbol_of({"worker", "all_suites"});
  if (symbol == all_suites) return true;
  return !table_of(symbol).empty() && std::ranges::any_of(program.names_in(from), is_suite);
}

std::set<std::string_view> families_of(const ProgramCode& program, const Reference& suite) {
  std::set<std::string_view> families;
  for (const Piece& piece : program.nodes()[suite.node].pieces)
    for (const Reference& each : piece.references)
      if (const std::string_view family = table_of(each.name); !family.empty())
        families.insert(family);
  return families;
}

bool runs_on(std::string_view folder, DeviceKind kind) {
  return kind == DeviceKind::cuda
             ? folder == "on_cuda"
             : kind == DeviceKind::cpu && (folder == "on_cpu" || folder == "on_mpi");
}

}  // namespace

CaseCode::CaseCode(const std::filesystem::path& baseline, const std::filesystem::path& candidate) {
  try {
    baseline_ = std::make_unique<ProgramCode>(ProgramCode::read(baseline));
    candidate_ = std::make_unique<ProgramCode>(ProgramCode::read(candidate));
    comparison_ = std::make_unique<Comparison>(*baseline_, *candidate_, is_list);
  } catch (const Error& failure) {
    if (failure.kind() != ErrorKind::store) throw;
    unknown_ = fmt::format("the {}'s program cannot be followed: {}",
                           baseline_ ? "candidate" : "baseline", failure.what());
  }
}

std::string CaseCode::difference(std::string_view suite, std::string_view variant,
                                 DeviceKind kind) {
  if (!unknown_.empty()) return unknown_;
  const std::string function = symbol_of({"suites", suite});
  std::set<std::string> own, all;
  for (const ProgramCode* program : {baseline_.get(), candidate_.get()}) {
    const Reference* const found = program->find(function);
    if (found == nullptr) return fmt::format("suite {} has no function", suite);
    const std::set<std::string_view> families = families_of(*program, *found);
    for (const std::string_view symbol : program->names()) {
      const std::vector<std::string_view> names = names_of(symbol);
      if (names.size() != 3 || !families.contains(names[0]) || !runs_on(names[1], kind)) continue;
      all.emplace(symbol);
      if (names[2] == variant) own.emplace(symbol);
    }
  }
  const std::set<std::string>& executed = own.empty() ? all : own;
  if (executed.empty()) return fmt::format("no function of {} is known", variant);
  std::vector<std::string> symbols(executed.begin(), executed.end());
  symbols.push_back(function);
  return comparison_->difference(symbols);
}

}  // namespace ridgeline::code
