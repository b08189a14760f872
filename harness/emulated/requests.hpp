#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

#include "harness/emulated/alignment.hpp"
#include "harness/emulated/cache_model.hpp"
#include "harness/emulated/global_memory.hpp"
#include "harness/emulated/lanes.hpp"
#include "harness/emulated/site_table.hpp"
#include "harness/emulated/warp_exchange.hpp"

namespace ridgeline::emulated {

class Block;

/// Loads of global memory that a warp does one behind the other: each behind the last one in the
/// program, with no store, atomic, barrier or collective between them. That many bytes the warp may
/// have asked for before it waits for any. Uses in between, as an address or in arithmetic, are not
/// seen.
struct LoadRun {
  std::uint64_t bytes = 0, most_bytes = 0;
  std::uint32_t pc = 0;  // of the last one

  void load(std::uint32_t at, std::uint64_t count) {
    bytes = at > pc ? bytes + count : count;
    pc = at;
    if (bytes > most_bytes) most_bytes = bytes;
  }
  void end() { bytes = pc = 0; }
};

/// What the logs of a block's warps come to: requests to memory are counted, and checked against it
/// and its history.
class Requests final : public Warp {
 public:
  /// `lines`: whether those of global memory are kept.
  Requests(Block& block, bool lines) : block_(block), keeps_lines_(lines) {}

  void begin_launch() {
    lines.begin_launch();
    lane_accesses = in_flight_bytes = 0;
    checked_.clear();
    polled_.clear();
    atomics_.clear();
  }
  void begin_block() {
    std::ranges::fill(loads_, LoadRun{});
    exchange_.begin_block();
    if (std::exchange(fenced_, false)) std::ranges::fill(lanes_, OfLane{});
  }
  void block_barrier();
  void end_block();
  /// Whether a thread has made one in this block, by which it may agree with others.
  bool has_fences() const { return fenced_; }
  /// That the following ones are of.
  void begin_warp(int warp) { warp_ = warp; }

  void request(const Request& request) override;
  void barrier() override;
  void collective() override {
    loads_[warp_].end();
    exchange_.order(warp_);
  }
  void event() override;

  /// That an atomic at `pc` exchanges, swaps or changes nothing. The others update.
  void note_atomic(std::uint32_t pc, UnfencedFlags::Kind kind);

  void touch_line(std::uint64_t address, std::uint64_t kind) {
    if (keeps_lines_) lines.touch(warp_, address, kind);
  }
  /// `by_threads`: and not by the asynchronous unit, whose order with threads is not followed
  /// there.
  void touch_global(const GlobalMemory::Accesses& accesses, std::uint32_t pc, bool by_threads);

  SiteTable sites;
  TouchedLines lines;
  std::uint64_t lane_accesses = 0;    // in the launch
  std::uint64_t in_flight_bytes = 0;  // the most of a warp, in the launch

 private:
  bool is_checked(const Request& asked);
  bool is_poll(const Request& asked);
  UnfencedFlags::Kind flag_kind(Act act, std::uint32_t pc) const;
  std::optional<SharedHistory::Conflict> volatile_conflict(
      const Request& request, std::size_t i, bool was_written,
      const std::optional<SharedHistory::Conflict>& conflict);
  void memory_request(const Request& request);
  void global_request(const Request& request, bool row);
  void shared_request(const Request& request, std::uint64_t spread);
  void variable_request(const Request& request);
  /// Whether a lock has had the lanes of the warp make their accesses one after the other: what one
  /// releases, behind a fence, the other has got, before a fence. Of accesses that lie between the
  /// fences, which are looked at together because all lanes make them.
  bool ordered_by_lock(const Request& request, int thread, int other) const;
  /// Whether a race of two stores is one of the same value: the other lane's may have come later,
  /// so that it, and not this one, has found the value there.
  bool stored_the_same(const Request& request, std::size_t i, const auto& race) const {
    return race.what == SharedHistory::write_after_write && !race.with_read &&
           request.act == Act::write && race.other / 32 == warp_ &&
           request.stored_by(i, static_cast<std::size_t>(race.other % 32));
  }
  void touch_shared(const Request& request, std::uint64_t offset);
  [[gnu::noinline]] void touch_lane(const Request& request, std::size_t i);
  void count_copied(const Request& to);

  Block& block_;
  const bool keeps_lines_;
  int warp_ = 0;
  bool strong_ = false;             // the request is of atomic or volatile accesses
  bool plain_but_checked_ = false;  // of loads that are taken for volatile
  bool read_only_ = false;          // of loads through the read-only cache
  bool polls_ = false;              // of volatile loads that are repeated, see is_poll()
  bool of_block_ = false;           // and of atomics that other blocks may not rely on
  Request copied_;     // sources of copies whose destinations come with the next request
  LoadRun loads_[32];  // of each warp
  struct OfLane {
    std::uint64_t fence = 0;   // its last one's place in the execution
    std::uint64_t flag = 0;    // that it has read or changed before that, by an atomic or volatile
    std::uint64_t strong = 0;  // the last such address
  };
  std::vector<std::uint32_t> checked_;  // reads of which that is known, see is_checked()
  std::vector<std::uint32_t> polled_;   // volatile loads of which that is known, see is_poll()
  std::vector<std::pair<std::uint32_t, UnfencedFlags::Kind>> atomics_;  // see note_atomic()
  WarpExchange exchange_;
  bool fenced_ = false;  // some have fences in this block
  std::vector<OfLane> lanes_ = std::vector<OfLane>(most_threads);
};

}  // namespace ridgeline::emulated
