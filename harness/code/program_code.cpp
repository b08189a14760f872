#include "harness/code/program_code.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <set>

#include <elf.h>
#include <fmt/core.h>

#include "harness/code/unwinding.hpp"

namespace ridgeline::code {
namespace {

/// Sections that follow from all others, and the stamp that tells the commit.
constexpr std::array<std::string_view, 14> made_names{
    ".plt",  ".plt.got", ".plt.sec",  ".got",    ".got.plt",  ".eh_frame",  ".eh_frame_hdr",
    ".iplt", ".igot",    ".igot.plt", ".interp", ".relr.dyn", ".rela.iplt", "ridgeline_build"};

/// Of the linker, with the place where something begins or ends: what lies there may be anything.
constexpr std::array<std::string_view, 24> boundaries{"_end",
                                                      "end",
                                                      "_edata",
                                                      "edata",
                                                      "_etext",
                                                      "etext",
                                                      "__etext",
                                                      "__bss_start",
                                                      "__TMC_END__",
                                                      "__data_start",
                                                      "data_start",
                                                      "__ehdr_start",
                                                      "__executable_start",
                                                      "_GLOBAL_OFFSET_TABLE_",
                                                      "_DYNAMIC",
                                                      "__GNU_EH_FRAME_HDR",
                                                      "__preinit_array_start",
                                                      "__preinit_array_end",
                                                      "__init_array_start",
                                                      "__init_array_end",
                                                      "__fini_array_start",
                                                      "__fini_array_end",
                                                      "__rela_iplt_start",
                                                      "__rela_iplt_end"};

template <std::size_t count>
bool is_among(const std::array<std::string_view, count>& names, std::string_view name) {
  return std::ranges::find(names, name) != names.end();
}

/// A program may have names that do not begin with '_', which then are data or functions.
bool is_boundary(const Symbol& symbol) {
  return is_among(boundaries, symbol.name) &&
         (symbol.name.starts_with('_') || symbol.type == STT_NOTYPE);
}

bool is_made(const Section& section) {
  switch (section.type) {
    case SHT_DYNSYM:
    case SHT_STRTAB:
    case SHT_HASH:
    case SHT_GNU_HASH:
    case SHT_GNU_versym:
    case SHT_GNU_verneed:
    case SHT_GNU_verdef:
    case SHT_RELA:
    case SHT_DYNAMIC:
    case SHT_NOTE:
    case SHT_INIT_ARRAY:
    case SHT_FINI_ARRAY:
    case SHT_PREINIT_ARRAY:
      return true;
    default:
      return is_among(made_names, section.name);
  }
}

/// Of the field that a relocation fills in; 0 where it is none.
std::uint32_t width_of(std::uint32_t type) {
  switch (type) {
    case R_X86_64_NONE:
    case R_X86_64_TLSDESC_CALL:
      return 0;
    case R_X86_64_64:
    case R_X86_64_PC64:
    case R_X86_64_GOTOFF64:
    case R_X86_64_DTPMOD64:
    case R_X86_64_DTPOFF64:
    case R_X86_64_TPOFF64:
      return 8;
    case R_X86_64_PC32:
    case R_X86_64_GOT32:
    case R_X86_64_PLT32:
    case R_X86_64_GOTPCREL:
    case R_X86_64_32:
    case R_X86_64_32S:
    case R_X86_64_TLSGD:
    case R_X86_64_TLSLD:
    case R_X86_64_DTPOFF32:
    case R_X86_64_GOTTPOFF:
    case R_X86_64_TPOFF32:
    case R_X86_64_GOTPC32:
    case R_X86_64_GOTPC32_TLSDESC:
    case R_X86_64_GOTPCRELX:
    case R_X86_64_REX_GOTPCRELX:
      return 4;
    default:
      refuse(fmt::format("it has relocations of an unknown type, {}", type));
  }
}

constexpr std::uint8_t unique_binding = 10;  // STB_GNU_UNIQUE

bool is_seen(const Symbol& symbol) {
  return symbol.binding == STB_GLOBAL || symbol.binding == STB_WEAK ||
         symbol.binding == unique_binding;
}

// CUDA's code for GPUs stands in one section, where its tools look for it: for each source file a
// header, and so many bytes as it says.
constexpr std::string_view device_code = ".nv_fatbin";
constexpr std::uint32_t device_code_begins = 0xba55ed50;
struct DeviceCodeHeader {
  std::uint32_t begins;
  std::uint16_t version, header_size;
  std::uint64_t size;
};

/// The parts of `bytes`; none when they are not what is expected.
std::vector<std::span<const std::byte>> device_code_parts(std::span<const std::byte> bytes) {
  std::vector<std::span<const std::byte>> parts;
  while (!bytes.empty()) {
    DeviceCodeHeader header;
    if (bytes.size() < sizeof header) return {};
    std::memcpy(&header, bytes.data(), sizeof header);
    if (header.begins != device_code_begins || header.header_size < sizeof header ||
        header.size > bytes.size() - std::min<std::size_t>(bytes.size(), header.header_size))
      return {};
    const std::size_t size = header.header_size + header.size, padding = -size % sizeof header.size;
    parts.push_back(bytes.first(std::min(bytes.size(), size + padding)));
    bytes = bytes.subspan(parts.back().size());
  }
  return parts;
}

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
    by_address_[file_.sections()[section].address +
                static_cast<std::uint64_t>(part.data() - parts.front().data())] =
        static_cast<std::uint32_t>(nodes_.size());
    nodes_.push_back(std::move(made));
  }
  names_.resize(nodes_.size());
}

std::uint64_t ProgramCode::address_of(std::uint32_t node) const {
  if (node < file_.sections().size()) return file_.sections()[node].address;
  const auto at = std::ranges::find(by_address_, node, &decltype(by_address_)::value_type::second);
  return at->first;
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
