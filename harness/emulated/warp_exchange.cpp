#include "harness/emulated/warp_exchange.hpp"

#include <bit>

namespace ridgeline::emulated {
namespace {

/// Bytes of each word that an access touches.
std::uint32_t bytes_of_word(std::size_t offset, int bytes) {
  return bytes >= 4 ? 15 : ((1u << bytes) - 1) << offset % 4;
}
std::size_t last_word(std::size_t offset, int bytes) {
  return (offset + static_cast<std::size_t>(bytes) - 1) / 4;
}

}  // namespace

WarpExchange::Word& WarpExchange::word(std::size_t index) {
  if (index >= words_.size()) words_.resize(index + 1);
  return words_[index];
}

/// `adds`: to what lanes have done since the last order.
void WarpExchange::note(Touched& touched, std::uint32_t bytes, int thread, bool adds) const {
  const std::uint32_t others = adds ? unordered(touched, bytes, thread) : 0;
  touched = {now_, others | 1u << thread % 32, static_cast<std::uint8_t>(thread / 32),
             static_cast<std::uint8_t>(bytes)};
}

std::optional<SharedHistory::Conflict> WarpExchange::read(std::size_t offset, int bytes, int thread,
                                                          bool polls) {
  if (polls) return std::nullopt;
  std::optional<SharedHistory::Conflict> found;
  const std::uint32_t of_word = bytes_of_word(offset, bytes);
  for (std::size_t index = offset / 4; index <= last_word(offset, bytes); ++index) {
    Word& here = word(index);
    const std::uint32_t writer = unordered(here.written, of_word, thread);
    if (writer != 0 && (here.no_flag_for >> thread % 32 & 1) != 0)
      found = SharedHistory::Conflict{SharedHistory::read_after_write,
                                      thread / 32 * 32 + std::countr_zero(writer)};
    note(here.read, of_word, thread, true);
  }
  return found;
}

std::optional<SharedHistory::Conflict> WarpExchange::write(std::size_t offset, int bytes,
                                                           int thread, std::uint32_t no_flag_for) {
  std::optional<SharedHistory::Conflict> found;
  const std::uint32_t of_word = bytes_of_word(offset, bytes);
  for (std::size_t index = offset / 4; index <= last_word(offset, bytes); ++index) {
    Word& here = word(index);
    const std::uint32_t writer = unordered(here.written, of_word, thread) & no_flag_for,
                        readers = unordered(here.read, of_word, thread) & no_flag_for;
    if (writer != 0 || readers != 0)
      found = SharedHistory::Conflict{
          writer != 0 ? SharedHistory::write_after_write : SharedHistory::write_after_read,
          thread / 32 * 32 + std::countr_zero(writer != 0 ? writer : readers)};
    note(here.written, of_word, thread, false);
    here.no_flag_for = no_flag_for;
  }
  return found;
}

}  // namespace ridgeline::emulated
