#include "harness/code/unwinding.hpp"

#include <cstring>
#include <map>
#include <string_view>

// The format: Linux Standard Base, Core Specification, "Exception Frames"; DWARF 5, section 6.4.1.

namespace ridgeline::code {
namespace {

constexpr std::uint8_t omitted = 0xff, relative = 0x10, of_how = 0x70, of_size = 0x0f;
constexpr std::uint8_t four_bytes = 0x03, four_signed_bytes = 0x0b;

/// Reads an entry from its beginning on.
class Reader {
 public:
  Reader(std::span<const std::byte> bytes, std::uint64_t address)
      : bytes_(bytes), address_(address) {}

  std::uint32_t offset() const { return static_cast<std::uint32_t>(at_); }

  std::uint8_t byte() { return static_cast<std::uint8_t>(take(1).front()); }

  std::uint32_t word() {
    std::uint32_t value = 0;
    std::memcpy(&value, take(sizeof value).data(), sizeof value);
    return value;
  }

  /// LEB128, of at most 64 bits.
  std::uint64_t number() {
    std::uint64_t value = 0;
    for (int shift = 0; shift < 64; shift += 7) {
      const std::uint8_t part = byte();
      value |= static_cast<std::uint64_t>(part & 0x7f) << shift;
      if ((part & 0x80) == 0) return value;
    }
    refuse("a number in .eh_frame has no end");
  }

  std::string_view text() {
    const std::size_t begin = at_;
    while (byte() != 0) {
    }
    return {reinterpret_cast<const char*>(bytes_.data() + begin), at_ - begin - 1};
  }

  UnwindField address(std::uint8_t encoding) {
    const std::uint8_t size = encoding & of_size, how = encoding & of_how;
    if ((size != four_bytes && size != four_signed_bytes) || (how != 0 && how != relative))
      refuse("an address in .eh_frame is of an unknown kind");
    const std::uint32_t offset = this->offset();
    const std::uint32_t value = word();
    std::uint64_t found =
        size == four_signed_bytes
            ? static_cast<std::uint64_t>(std::int64_t{static_cast<std::int32_t>(value)})
            : value;
    if (how == relative && value != 0) found += address_ + offset;
    return {offset, found};
  }

 private:
  std::span<const std::byte> take(std::size_t count) {
    if (count > bytes_.size() - at_) refuse("an entry of .eh_frame is cut off");
    at_ += count;
    return bytes_.subspan(at_ - count, count);
  }

  std::span<const std::byte> bytes_;
  std::uint64_t address_;
  std::size_t at_ = 0;
};

/// What functions share, and how their own entries are written.
struct Shared {
  UnwindEntry entry;
  std::uint8_t functions = 0, tables = omitted;  // encodings of addresses
  bool augmented = false;
};

Shared read_shared(std::span<const std::byte> bytes, std::uint64_t address) {
  Shared made{{bytes}};
  Reader reader(bytes, address);
  reader.word();  // length
  reader.word();  // 0
  const std::uint8_t version = reader.byte();
  if (version != 1 && version != 3) refuse(".eh_frame is of an unknown version");
  const std::string_view augmentation = reader.text();
  if (!augmentation.empty() && augmentation.front() != 'z')
    refuse(".eh_frame says something unknown of functions");
  reader.number();  // alignment of code and data
  reader.number();
  if (version == 1)
    reader.byte();  // register of the return address
  else
    reader.number();
  for (const char letter : augmentation) switch (letter) {
      case 'z':
        made.augmented = true;
        reader.number();  // bytes of what follows
        break;
      case 'R':
        made.functions = reader.byte();
        break;
      case 'L':
        made.tables = reader.byte();
        break;
      case 'P':
        made.entry.fields.push_back(reader.address(reader.byte()));
        break;
      case 'S':  // a signal's frame
      case 'B':
        break;
      default:
        refuse(".eh_frame says something unknown of functions");
    }
  return made;
}

Unwinding read_own(std::span<const std::byte> bytes, std::uint64_t address, const Shared& shared) {
  Unwinding made{0, shared.entry, {bytes}};
  Reader reader(bytes, address);
  reader.word();                                    // length
  made.own.fields.push_back({reader.offset(), 0});  // distance to what is shared
  reader.word();
  const UnwindField function = reader.address(shared.functions);
  made.function = function.address;
  made.own.fields.push_back({function.offset, 0});  // whose piece this will be
  reader.word();                                    // bytes of the function
  if (shared.augmented) {
    reader.number();  // bytes of what follows
    if (shared.tables != omitted) made.own.fields.push_back(reader.address(shared.tables));
  }
  return made;
}

}  // namespace

std::vector<Unwinding> unwindings(const Section& section) {
  std::vector<Unwinding> found;
  std::map<std::size_t, Shared> shared;  // by where it begins
  for (std::size_t begin = 0; section.bytes.size() - begin >= sizeof(std::uint32_t);) {
    std::uint32_t length = 0;
    std::memcpy(&length, section.bytes.data() + begin, sizeof length);
    const std::size_t whole = length + sizeof length;
    if (length == 0) {  // the end of one that was linked in
      begin += whole;
      continue;
    }
    if (whole > section.bytes.size() - begin || length < sizeof length)
      refuse("an entry of .eh_frame is cut off");
    const std::span<const std::byte> bytes = section.bytes.subspan(begin, whole);
    std::uint32_t back = 0;
    std::memcpy(&back, bytes.data() + sizeof length, sizeof back);
    if (back == 0) {
      shared.emplace(begin, read_shared(bytes, section.address + begin));
    } else {
      const auto of = shared.find(begin + sizeof length - back);
      if (of == shared.end()) refuse("an entry of .eh_frame belongs to none");
      found.push_back(read_own(bytes, section.address + begin, of->second));
    }
    begin += whole;
  }
  return found;
}

}  // namespace ridgeline::code
