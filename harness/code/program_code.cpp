#include "harness/code/program_code.hpp"

#include <algorithm>
#include <cstring>
#include <set>

#include <elf.h>

#include "harness/code/conventions.hpp"
#include "harness/code/unwinding.hpp"

namespace ridgeline::code {
namespace {

/// Whether `table` has what the linker filled in in another section, not the loader.
bool is_linkers(const Section& table, std::size_t sections) {
  return table.type == SHT_RELA && !table.in_memory() && table.info != 0 && table.info < sections;
}

}  // namespace

ProgramCode ProgramCode::read(const std::filesystem::path& file) {
  return ProgramCode(ElfFile::read(file));
}

ProgramCode::ProgramCode(ElfFile file) : file_(std::move(file)) {
  make_nodes();
  add_references();
  add_unwinding();
  add_roots();
}

const Reference* ProgramCode::find(std::string_view symbol) const {
  const auto found = found_.find(symbol);
  return found == found_.end() ? nullptr : &found->second;
}

std::vector<std::string_view> ProgramCode::names() const {
  std::vector<std::string_view> names;
  for (const auto& [name, reference] : found_) names.push_back(name);
  return names;
}

void ProgramCode::make_nodes() {
  const std::vector<Section>& sections = file_.sections();
  names_.resize(sections.size());
  for (const Section& each : sections) {
    Node& node = nodes_.emplace_back(
        Node{each.name, each.type, each.flags, each.alignment, each.size, true});
    if (!each.in_memory() || is_made(each)) continue;
    node.made_by_linker = false;
    node.pieces.push_back({each.bytes});
    const bool in_every_thread = (each.flags & SHF_TLS) != 0;  // and at no address of its own
    if (each.size != 0 && !in_every_thread)
      by_address_.emplace(each.address, static_cast<std::uint32_t>(nodes_.size() - 1));
  }
  for (std::uint32_t i = 0; i < sections.size(); ++i)
    if (sections[i].name == device_code && !nodes_[i].made_by_linker) divide(i);
  for (const Symbol& symbol : file_.symbols()) {
    if (!is_seen(symbol) || symbol.section == SHN_UNDEF || symbol.section >= sections.size())
      continue;
    names_[symbol.section].push_back(symbol.name);
    found_[symbol.name] = {.node = symbol.section,
                           .position = symbol.value - sections[symbol.section].address,
                           .name = symbol.name};
  }
  for (auto& names : names_) std::ranges::sort(names);
}

void ProgramCode::divide(std::uint32_t section) {
  const auto parts = device_code_parts(file_.sections()[section].bytes);
  if (parts.empty()) return;
  divided_.insert(section);
  for (const std::span<const std::byte> part : parts) {
    Node made = nodes_[section];
    made.size = part.size();
    made.pieces = {{part}};
    part_addresses_.push_back(file_.sections()[section].address +
                              static_cast<std::uint64_t>(part.data() - parts.front().data()));
    by_address_[part_addresses_.back()] = static_cast<std::uint32_t>(nodes_.size());
    nodes_.push_back(std::move(made));
  }
  names_.resize(nodes_.size());
}

std::uint64_t ProgramCode::address_of(std::uint32_t node) const {
  const std::vector<Section>& sections = file_.sections();
  return node < sections.size() ? sections[node].address : part_addresses_[node - sections.size()];
}

std::uint32_t ProgramCode::node_at(std::uint64_t address) const {
  auto after = by_address_.upper_bound(address);
  if (after == by_address_.begin()) return nowhere;
  const auto [begin, node] = *--after;
  return address - begin < nodes_[node].size ? node : nowhere;
}

Reference ProgramCode::reference_to(const Relocation& relocation) const {
  if (relocation.symbol >= file_.symbols().size()) refuse("a relocation names no symbol");
  const Symbol& symbol = file_.symbols()[relocation.symbol];
  Reference made{.type = relocation.type,
                 .position = static_cast<std::uint64_t>(relocation.addend)};
  if (is_seen(symbol)) made.name = symbol.name;
  if (is_boundary(symbol)) {
    made.name = symbol.name;
    return made;
  }
  if (symbol.section == SHN_UNDEF) return made;
  if (symbol.section >= file_.sections().size()) {
    if (symbol.section != SHN_ABS) refuse("a symbol lies in no section");
    made.position += symbol.value;
    return made;
  }
  const Section& section = file_.sections()[symbol.section];
  if (nodes_[symbol.section].made_by_linker) {
    if (made.name.empty()) made.name = section.name;
    made.position = 0;
    return made;
  }
  made.node = symbol.section;
  made.position += symbol.value;
  if (symbol.type == STT_TLS) return made;
  if (divided_.contains(symbol.section)) {
    made.node = node_at(made.position);
    if (made.node == nowhere || relocation.type != R_X86_64_64)
      refuse("something unknown refers to code for GPUs");
  }
  made.position -= address_of(made.node);
  return made;
}

/// That the field holds the address that the relocation tells: relocations that stay in a file are
/// not what runs, and a linker may write them wrong.
void ProgramCode::check(const Reference& reference, const Relocation& relocation,
                        std::span<const std::byte> field) const {
  const Symbol& symbol = file_.symbols()[relocation.symbol];
  if (reference.node == nowhere || symbol.type == STT_TLS || symbol.type == STT_GNU_IFUNC) return;
  const std::uint64_t told = address_of(reference.node) + reference.position;
  std::uint64_t held = 0;
  std::memcpy(&held, field.data(), field.size());
  switch (relocation.type) {
    case R_X86_64_64:
      if (const auto later = filled_in_.find(relocation.address); later != filled_in_.end())
        held = later->second;
      break;
    case R_X86_64_PC32:
    case R_X86_64_PLT32:
      held = relocation.address +
             static_cast<std::uint64_t>(static_cast<std::int64_t>(static_cast<std::int32_t>(held)));
      break;
    case R_X86_64_32S:
      held = static_cast<std::uint64_t>(std::int64_t{static_cast<std::int32_t>(held)});
      break;
    case R_X86_64_32:
      break;
    default:
      return;
  }
  if (held != told) refuse("its relocations do not fit its code");
}

void ProgramCode::add_references() {
  const std::vector<Section>& sections = file_.sections();
  for (const Section& table : sections)
    if (table.type == SHT_RELA && table.in_memory())
      for (const Relocation& each : file_.relocations(table))
        if (each.type == R_X86_64_RELATIVE)
          filled_in_[each.address] = static_cast<std::uint64_t>(each.addend);
  std::set<std::uint32_t> done;
  bool any_code = false;
  for (const Section& table : sections) {
    if (!is_linkers(table, sections.size()) || nodes_[table.info].made_by_linker) continue;
    const Section& section = sections[table.info];
    if (divided_.contains(table.info)) refuse("code for GPUs refers to something");
    if (!done.insert(table.info).second) refuse("a section has two tables of relocations");
    any_code = any_code || (section.flags & SHF_EXECINSTR) != 0;
    std::vector<Reference>& references = nodes_[table.info].pieces.front().references;
    for (const Relocation& each : file_.relocations(table)) {
      Reference made = reference_to(each);
      made.width = width_of(each.type);
      const std::uint64_t offset = each.address - section.address;
      if (offset > section.bytes.size() || made.width > section.bytes.size() - offset)
        refuse("a relocation lies outside of its section");
      made.offset = static_cast<std::uint32_t>(offset);
      if (each.type == R_X86_64_NONE) continue;
      check(made, each, section.bytes.subspan(offset, made.width));
      references.push_back(made);
    }
    std::ranges::stable_sort(references, {}, &Reference::offset);
  }
  if (!any_code)
    refuse(
        "it does not say what its code refers to: it was linked without --emit-relocs, or "
        "stripped");
}

void ProgramCode::add_unwinding() {
  const auto piece_of = [&](const UnwindEntry& entry) {
    Piece made{entry.bytes};
    for (const UnwindField& field : entry.fields) {
      Reference reference{field.offset, sizeof(std::uint32_t)};
      reference.node = field.address == 0 ? nowhere : node_at(field.address);
      if (reference.node != nowhere)
        reference.position = field.address - address_of(reference.node);
      made.references.push_back(reference);
    }
    return made;
  };
  for (const Section& section : file_.sections()) {
    if (section.name != ".eh_frame" || !section.in_memory()) continue;
    for (const Unwinding& each : unwindings(section)) {
      const std::uint32_t node = node_at(each.function);
      if (node == nowhere) continue;  // of what the linker made
      nodes_[node].pieces.push_back(piece_of(each.shared));
      nodes_[node].pieces.push_back(piece_of(each.own));
    }
  }
}

void ProgramCode::add_roots() {
  const std::vector<Section>& sections = file_.sections();
  const auto root = [&](std::uint32_t node, std::uint64_t address, std::string_view name) {
    roots_.push_back({.node = node, .position = address - address_of(node), .name = name});
  };
  const std::uint32_t entry = node_at(file_.entry());
  if (entry == nowhere) refuse("it begins nowhere");
  root(entry, file_.entry(), "entry");
  for (std::uint32_t i = 0; i < sections.size(); ++i)
    if (sections[i].name == ".init" || sections[i].name == ".fini")
      root(i, sections[i].address, sections[i].name);

  for (const Section& array : sections) {
    if (array.type != SHT_INIT_ARRAY && array.type != SHT_FINI_ARRAY &&
        array.type != SHT_PREINIT_ARRAY)
      continue;
    std::vector<Relocation> entries;
    for (const Section& table : sections)
      if (is_linkers(table, sections.size()) && &sections[table.info] == &array)
        entries = file_.relocations(table);
    add_initialisers(array, std::move(entries));
  }

  std::map<std::string_view, const Symbol*> exported;
  for (const Symbol& symbol : file_.dynamic_symbols())
    if (symbol.section != SHN_UNDEF && symbol.section < sections.size() && !is_boundary(symbol))
      exported.emplace(symbol.name, &symbol);
  for (const auto& [name, symbol] : exported)
    if (!nodes_[symbol->section].made_by_linker) root(symbol->section, symbol->value, name);
}

void ProgramCode::add_initialisers(const Section& array, std::vector<Relocation> entries) {
  std::erase_if(entries, [](const Relocation& each) { return each.type == R_X86_64_NONE; });
  if (entries.size() * sizeof(std::uint64_t) != array.size)
    refuse("not all that runs before main() is known");
  std::ranges::sort(entries, {}, &Relocation::address);
  // nvcc writes one into every file with kernels. It registers the kernels of this file, and
  // belongs to them alone; unless it leaves that to another function, as without optimisation.
  std::set<std::pair<std::uint32_t, std::uint64_t>> registering;
  for (const Symbol& symbol : file_.symbols()) {
    if (symbol.type != STT_FUNC) continue;
    if (symbol.name == "_ZL24__sti____cudaRegisterAllv")
      registering.emplace(symbol.section, symbol.value);
    if (symbol.name.find("__nv_cudaEntityRegisterCallback") != std::string_view::npos) {
      registering.clear();
      break;
    }
  }
  for (const Relocation& each : entries) {
    Reference made = reference_to(each);
    if (made.node == nowhere) refuse("something unknown runs before main()");
    const std::uint64_t address = address_of(made.node) + made.position;
    if (registering.contains({made.node, address}))
      add_registering(made);
    else
      roots_.push_back(made);
  }
}

void ProgramCode::add_registering(const Reference& function) {
  // What it hands over by address are the functions that launch the kernels, their names and
  // their code; what it calls is CUDA's.
  std::set<std::uint32_t> handed;
  for (const Reference& each : nodes_[function.node].pieces.front().references)
    if (each.node != nowhere && each.node != function.node && each.type != R_X86_64_PLT32)
      handed.insert(each.node);
  for (const std::uint32_t node : handed)
    if (std::ranges::find(nodes_[node].registers, function.node) == nodes_[node].registers.end())
      nodes_[node].registers.push_back(function.node);
}

}  // namespace ridgeline::code
