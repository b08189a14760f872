#include "harness/emulated/unfenced_flags.hpp"

namespace ridgeline::emulated {

// Stores that are kept: more cost more than they find.
constexpr std::size_t most_kept = 200'000;

void UnfencedFlags::begin_launch() {
  now_ = 0;
  fences_.clear();
  stores_.clear();
  seen_.clear();
  takes_locks_.clear();
  unguarded_.clear();
}

std::uint32_t UnfencedFlags::touch(const Toucher& me, Kind kind, std::uint64_t address,
                                   bool polls) {
  switch (kind) {
    case Kind::load: {
      const std::uint32_t writer = load(me, address, polls);
      look(me, address);
      return writer;
    }
    case Kind::look:
      look(me, address);
      return 0;
    case Kind::swap:
      takes_locks_.insert(me.block);
      look(me, address);
      stores_.erase(address);
      return 0;
    case Kind::update:
      if (!stores_.empty()) stores_.erase(address);
      return 0;
    case Kind::store:
    case Kind::exchange:
      if (stores_.size() < most_kept || stores_.contains(address))
        stores_[address] = {me, ++now_, fences_[me.block], kind == Kind::store};
      return 0;
  }
  return 0;
}

void UnfencedFlags::look(const Toucher& me, std::uint64_t address) {
  const auto store = stores_.find(address);
  if (store == stores_.end() || store->second.by.block == me.block) return;
  Seen& seen = seen_[pair_of(me.block, store->second.by.block)];
  if (seen.flag.at < store->second.at) seen = {store->second, me};
}

std::uint32_t UnfencedFlags::load(const Toucher& me, std::uint64_t address, bool polls) {
  const auto found = stores_.find(address);
  if (found != stores_.end() && found->second.by.block == me.block) return 0;
  if (found != stores_.end() && found->second.is_data && !polls) {
    const Store& store = found->second;
    const auto known = seen_.find(pair_of(me.block, store.by.block));
    // Words by which several sites wait are read in the order in which they were stored, or by one
    // instruction.
    if (known != seen_.end() && known->second.flag.at > store.at && known->second.by.pc != me.pc &&
        comes_before(known->second.by, me)) {
      const Store& flag = known->second.flag;
      const bool is_unfenced = flag.fences == store.fences && comes_before(store.by, flag.by);
      return is_unfenced && !unguarded_.contains(me.pc) ? store.by.block : 0;
    }
  }
  if (!takes_locks_.contains(me.block)) unguarded_.insert(me.pc);
  return 0;
}

}  // namespace ridgeline::emulated
