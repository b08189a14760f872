#include <cstring>

#include <elf.h>

#include "ci/studies/fuzzing/targets/target.hpp"
#include "harness/code/comparison.hpp"

/// The file of a worker, as gates read it to find what has the same code on both sides.
namespace ridgeline::fuzzing::targets {

static std::vector<std::byte> bytes_of(std::string_view text) {
  const auto* const begin = reinterpret_cast<const std::byte*>(text.data());
  return {begin, begin + text.size()};
}

static void read_program_code(std::string_view input) {
  accepts({ErrorKind::store}, [&] {
    const code::ProgramCode one{code::ElfFile(bytes_of(input))};
    const code::ProgramCode other{code::ElfFile(bytes_of(input))};
    const auto follow_all = [](const code::ProgramCode&, std::uint32_t, std::string_view) {
      return false;
    };
    const std::string different = code::Comparison(one, other, follow_all).difference({});
    expect(different.empty() || different.find('$') != std::string::npos,
           "a program differs from itself: " + different);
  });
}

namespace {

/// Writes a program of a few sections.
class SmallProgram {
 public:
  std::uint32_t section(const std::string& name, std::uint32_t type, std::uint64_t flags,
                        const std::string& contents, std::uint32_t link = 0,
                        std::uint32_t info = 0) {
    Elf64_Shdr header{};
    header.sh_name = static_cast<Elf64_Word>(names_.size());
    names_ += name + '\0';
    header.sh_type = type;
    header.sh_flags = flags;
    header.sh_offset = sizeof(Elf64_Ehdr) + contents_.size();
    header.sh_addr = (flags & SHF_ALLOC) != 0 ? header.sh_offset : 0;
    header.sh_size = contents.size();
    header.sh_link = link;
    header.sh_info = info;
    header.sh_addralign = 1;
    contents_ += contents;
    headers_.push_back(header);
    return static_cast<std::uint32_t>(headers_.size() - 1);
  }
  std::uint64_t next() const { return sizeof(Elf64_Ehdr) + contents_.size(); }

  std::string text(std::uint64_t entry) {
    const std::string names = names_ + ".shstrtab" + '\0';
    section(".shstrtab", SHT_STRTAB, 0, names);
    Elf64_Ehdr header{};
    std::memcpy(header.e_ident, ELFMAG, SELFMAG);
    header.e_ident[EI_CLASS] = ELFCLASS64;
    header.e_ident[EI_DATA] = ELFDATA2LSB;
    header.e_type = ET_EXEC;
    header.e_machine = EM_X86_64;
    header.e_entry = entry;
    header.e_shoff = next();
    header.e_shentsize = sizeof(Elf64_Shdr);
    header.e_shnum = static_cast<Elf64_Half>(headers_.size());
    header.e_shstrndx = static_cast<Elf64_Half>(headers_.size() - 1);
    std::string made(reinterpret_cast<const char*>(&header), sizeof header);
    made += contents_;
    for (const Elf64_Shdr& each : headers_)
      made.append(reinterpret_cast<const char*>(&each), sizeof each);
    return made;
  }

 private:
  std::vector<Elf64_Shdr> headers_{Elf64_Shdr{}};
  std::string names_{'\0'}, contents_;
};

template <class Value>
std::string raw(const Value& value) {
  return {reinterpret_cast<const char*>(&value), sizeof value};
}

/// A function that reads a constant, with how its frame is left.
std::string small_program() {
  SmallProgram program;
  const std::uint64_t text = program.next(), rodata = text + 8;
  const std::string code =
      "\x48\x8d\x05" + raw(static_cast<std::int32_t>(rodata - text - 7)) + "\xc3";
  const std::uint32_t text_section =
      program.section(".text", SHT_PROGBITS, SHF_ALLOC | SHF_EXECINSTR, code);
  const std::uint32_t rodata_section =
      program.section(".rodata.cst8", SHT_PROGBITS, SHF_ALLOC, "constant");
  const std::string shared = raw(std::uint32_t{20}) + raw(std::uint32_t{0}) + '\1' +
                             std::string("zR\0", 3) + "\1\x78\x10\1\x1b" + std::string(7, '\0');
  const std::uint64_t own = program.next() + shared.size();
  const std::string entry =
      raw(std::uint32_t{16}) + raw(static_cast<std::uint32_t>(shared.size() + 4)) +
      raw(static_cast<std::int32_t>(text - own - 8)) + raw(std::uint32_t{8}) + std::string(4, '\0');
  program.section(".eh_frame", SHT_PROGBITS, SHF_ALLOC, shared + entry);
  const std::uint32_t strings =
      program.section(".strtab", SHT_STRTAB, 0, std::string("\0main\0", 6));
  const auto symbol = [](std::uint32_t name, unsigned info, std::uint32_t section,
                         std::uint64_t value) {
    return raw(Elf64_Sym{name, static_cast<unsigned char>(info), 0,
                         static_cast<Elf64_Half>(section), value, 0});
  };
  const std::uint32_t symbols =
      program.section(".symtab", SHT_SYMTAB, 0,
                      symbol(0, 0, 0, 0) + symbol(0, STT_SECTION, rodata_section, rodata) +
                          symbol(1, ELF64_ST_INFO(STB_GLOBAL, STT_FUNC), text_section, text),
                      strings);
  program.section(".rela.text", SHT_RELA, SHF_INFO_LINK,
                  raw(Elf64_Rela{text + 3, ELF64_R_INFO(1, R_X86_64_PC32), -4}), symbols,
                  text_section);
  return program.text(text);
}

}  // namespace

static std::vector<std::string> program_code_seeds() { return {small_program()}; }

Target program_code() {
  return {
      read_program_code, program_code_seeds, 4096, {".text", ".eh_frame", ".nv_fatbin", "main"}};
}

}  // namespace ridgeline::fuzzing::targets
