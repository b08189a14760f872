#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <set>
#include <string>
#include <vector>

#include <cuda_runtime_api.h>

#include "harness/emulated/global_memory.hpp"

namespace ridgeline::program {

/// Of each line of work (a stream, a branch of a graph) the number of its last launch that comes
/// before something; 0: none.
class Clock {
 public:
  void join(const Clock& other);
  void set(std::size_t line, std::uint32_t number);
  std::uint32_t of(std::size_t line) const { return line < at_.size() ? at_[line] : 0; }

 private:
  std::vector<std::uint32_t> at_;
};

/// What a program has ordered by streams, events and waits of its host. Nothing is judged before
/// the first stream is made, and of what has not been waited for the newest thousand launches and
/// copies are kept.
class StreamOrder : public emulated::LaunchOrder {
 public:
  static StreamOrder& here();

  /// A line of work of its own.
  std::size_t add_line();
  void begin_judging() { judges_ = true; }
  /// Runs something that comes behind what `clock` says, and puts it there. `notes`: what comes
  /// later and is not ordered behind it races with it.
  cudaError_t run(Clock& clock, std::size_t line, const char* call, std::uint32_t pc,
                  bool is_launch, bool notes, const std::function<cudaError_t()>& work);
  /// A copy in it touches these bytes.
  void touch(const void* memory, std::size_t bytes, bool writes);

  const Clock& of_host() const { return host_; }
  void host_waits_for(const Clock& clock);
  void host_waits_for_all();

  bool is_unordered(std::uint32_t number) const override;
  std::string describe(std::uint32_t number) const override;

 private:
  struct Done {
    std::uint32_t first = 0, end = 0;  // numbers
    std::size_t line = 0;
    const char* call = nullptr;
    std::uint64_t kernel = 0;  // 0: of a copy
    std::uint32_t pc = 0;
  };
  const Done* of(std::uint32_t number) const;
  static std::string text_of(const Done& done);

  bool judges_ = false, notes_ = false;
  std::size_t lines_ = 0;
  Clock host_, now_;  // of what runs now
  Done running_;
  std::deque<Done> done_;  // by number
};

}  // namespace ridgeline::program
