#pragma once

#include <algorithm>
#include <cstdint>

#include "harness/device/kernel.hpp"

namespace ridgeline::gemm::on_cuda {

/// How blocks that stay, one an SM, divide tiles of C that take `chunks` steps along K each: whole
/// tiles as long as there is one for every block, and then the rest, cut along K into shares of
/// equal length, one a block. So all blocks end together.
struct Shares {
  int tiles, chunks, whole;  // of the tiles, those that are not cut
  int blocks, sharers;       // blocks, and those of them that have a share
  int share, rest;           // chunks that each has at least, and that are left over then

  /// For `units` SMs. The rest is cut where it has at most `most` tiles, so that no share is longer
  /// than a tile, or shorter than `least` chunks where a tile is not.
  Shares(std::int64_t tiles_, std::int64_t chunks_, int units, int least, int most)
      : tiles(static_cast<int>(tiles_)),
        chunks(static_cast<int>(chunks_)),
        whole(tiles / units * units) {
    const int over = tiles - whole;
    sharers = over == 0 || over > most ? over
                                       : static_cast<int>(std::clamp<std::int64_t>(
                                             std::int64_t{over} * chunks / least, over, units));
    blocks = whole > 0 ? units : sharers;
    const std::int64_t cut = std::int64_t{tiles - whole} * chunks;
    share = static_cast<int>(cut / std::max(sharers, 1));
    rest = static_cast<int>(cut % std::max(sharers, 1));
  }
  /// Where block `block`'s share begins, and that of the one before ends: chunks, counted over the
  /// rest. One division of 32 bits, since kernels ask for each part.
  __host__ __device__ int begin(int block) const { return share * block + rest * block / sharers; }
  /// Whether tiles are cut at all.
  bool cuts() const { return sharers > tiles - whole; }
};

/// What one block does, part by part: chunks first to last - 1 of a tile.
struct Share {
  int tile, first = 0, last = 0;

  __device__ __forceinline__ explicit Share(const Shares& of)
      : tile(static_cast<int>(blockIdx.x) - of.blocks), of_(of) {
    const int block = static_cast<int>(blockIdx.x);
    if (block >= of.sharers) return;
    at_ = of.begin(block);
    end_ = of.begin(block + 1);
  }
  /// Chunks of all parts, before the first.
  __device__ __forceinline__ int chunks() const {
    return of_.whole / of_.blocks * of_.chunks + end_ - at_;
  }
  /// Goes on to the next part, if there is one.
  __device__ __forceinline__ bool next() {
    if (tile + of_.blocks < of_.whole) {
      tile += of_.blocks;
      last = of_.chunks;
      return true;
    }
    if (at_ == end_) return false;
    tile = of_.whole + at_ / of_.chunks;
    first = at_ % of_.chunks;
    last = min(of_.chunks, first + end_ - at_);
    at_ += last - first;
    return true;
  }
  /// Whether the part has the first steps along K of its tile, or the last ones.
  __device__ __forceinline__ bool begins() const { return first == 0; }
  __device__ __forceinline__ bool ends() const { return last == of_.chunks; }
  /// The tile's number among those that are cut.
  __device__ __forceinline__ int of_rest() const { return tile - of_.whole; }

 private:
  const Shares& of_;
  int at_ = 0, end_ = 0;
};

}  // namespace ridgeline::gemm::on_cuda
