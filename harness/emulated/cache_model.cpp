#include "harness/emulated/cache_model.hpp"

#include <bit>
#include <new>
#include <utility>

#include "harness/emulated/global_memory.hpp"

namespace ridgeline::emulated {
namespace {

constexpr std::uint64_t lines_of_slot = slot_span / line_bytes;

std::uint64_t bytes_of(unsigned sectors) {
  return 32 * static_cast<std::uint64_t>(std::popcount(sectors));
}

/// The sectors of a line that are fetched together with any of these.
unsigned with_neighbours(unsigned sectors) {
  return sectors | (sectors & 0b0101) << 1 | (sectors & 0b1010) >> 1;
}

}  // namespace

CacheModel::CacheModel(std::size_t bytes) : most_lines_(bytes / line_bytes), lines_(1) {}

/// Where it is kept which line is held: a table of each allocation, of zeros, that takes room where
/// it is touched.
CacheModel::Index& CacheModel::held(std::uint64_t line) {
  const std::uint64_t slot = line / lines_of_slot;
  if (last_table_ == nullptr || slot != last_slot_) {
    std::unique_ptr<Index[], Free>& table = tables_[slot];
    if (!table) {
      const std::uint64_t bytes = slot_front + slot_bytes[slot - global_base / slot_span];
      table.reset(static_cast<Index*>(std::calloc(bytes / line_bytes + 1, sizeof(Index))));
      if (!table) throw std::bad_alloc();
    }
    last_slot_ = slot;
    last_table_ = table.get();
  }
  return last_table_[line % lines_of_slot];
}

void CacheModel::unlink(Index index) {
  const Line& line = lines_[index];
  lines_[line.older].newer = line.newer;
  lines_[line.newer].older = line.older;
}

// The list is a ring through line 0: its older neighbour is the newest line, its newer neighbour
// the oldest.
void CacheModel::make_newest(Index index) {
  Line &line = lines_[index], &head = lines_[0];
  line.newer = 0;
  line.older = head.older;
  lines_[head.older].newer = index;
  head.older = index;
}

void CacheModel::write_back(Line& line) {
  traffic_.written_bytes += bytes_of(std::exchange(line.dirty, 0));
}

void CacheModel::touch(LineTouch touch) {
  Index& place = held(touch.line());
  if (place != 0) {
    if (lines_[0].older != place) {
      unlink(place);
      make_newest(place);
    }
  } else if (lines_.size() <= most_lines_) {
    place = static_cast<Index>(lines_.size());
    lines_.push_back({.number = touch.line()});
    make_newest(place);
  } else {
    const Index oldest = lines_[0].newer;
    Line& line = lines_[oldest];
    write_back(line);
    unlink(oldest);
    held(line.number) = 0;
    line = {.number = touch.line()};
    held(touch.line()) = oldest;
    make_newest(oldest);
  }
  Line& line = lines_[lines_[0].older];
  const unsigned sectors = touch.sectors();
  unsigned fetched = 0;
  if ((touch.bits & LineTouch::reads) != 0)
    fetched = with_neighbours(sectors & ~unsigned{line.valid});
  traffic_.read_bytes += bytes_of(fetched);
  line.valid = static_cast<std::uint8_t>(line.valid | sectors | fetched);
  if ((touch.bits & LineTouch::writes) != 0)
    line.dirty = static_cast<std::uint8_t>(line.dirty | sectors);
}

void CacheModel::take_block(std::uint64_t block, std::vector<LineTouch> touched) {
  const std::lock_guard lock(together_);
  early_.emplace(block, std::move(touched));
  for (auto first = early_.begin(); first != early_.end() && first->first == next_block_;
       first = early_.begin()) {
    for (const LineTouch each : first->second) touch(each);
    early_.erase(first);
    ++next_block_;
  }
}

CacheModel::Traffic CacheModel::end_launch() {
  for (Line& line : lines_) write_back(line);
  lines_.assign(1, {});
  tables_.clear();
  last_table_ = nullptr;
  early_.clear();
  next_block_ = 0;
  return std::exchange(traffic_, {});
}

}  // namespace ridgeline::emulated
