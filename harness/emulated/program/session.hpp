#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include <cuda_runtime_api.h>

#include "harness/device/device.hpp"
#include "harness/emulated/machine.hpp"
#include "harness/emulated/program/launch_counts.hpp"

namespace ridgeline::program {

/// Something that is wrong with the program, or, as a note, that should be known.
struct Found {
  std::string check;   // "race (read after write)", or the call of the API that failed
  std::string kernel;  // empty for the host
  std::string file;    // empty when no debug information says
  int line = 0;
  std::string text;            // the whole sentence, of the first launch that has it
  std::uint64_t count = 0;     // in all launches
  std::uint64_t accesses = 1;  // see emulated::Finding; the most of a launch
  // Of a kernel: in how many of its launches it was found, and the last of them and the one that
  // has it most often, by their numbers in the program, from 1.
  std::uint64_t launches = 0, last_launch = 0, worst_launch = 0, worst_count = 0;
  std::string worst_sizes;          // "<<<8, 64>>>"
  std::uint64_t kernel_number = 0;  // see emulated::Report
};

/// Threads of the host take turns: for a launch, a copy, and what is known of memory, streams and
/// graphs. Nobody has it while a host function of the program runs in a stream.
std::recursive_mutex& together();

/// What a program that runs on the emulated device has asked of it so far. One at a time.
class Session {
 public:
  /// `most_accesses` of all launches together; 0: without a limit.
  Session(device::Device& device, std::uint64_t most_accesses);
  Session(const Session&) = delete;
  ~Session();
  static Session& here();

  device::Device& device() { return device_; }
  emulated::Machine& machine() { return machine_; }

  /// What `kernel` was launched with, once it has run. Ends the program when a GPU would not go on.
  void launched(const emulated::Report& report);
  /// A mistake of the host's, in the line that has called the API and returns to `pc`.
  void host_mistake(std::string check, std::uint32_t pc, const std::string& detail);
  /// Likewise what may be one; of each line the first.
  void host_note(const std::string& check, std::uint32_t pc, const std::string& detail);
  /// Makes what is not freed mistakes, by the lines that have allocated it.
  void look_for_leaks();
  void note(const std::string& text) { notes_.insert(text); }

  /// Sets the error that cudaGetLastError() gives.
  cudaError_t fail(cudaError_t error) {
    if (error != cudaSuccess) last_error = error;
    return error;
  }

  /// Allocations by address, with their bytes.
  struct Allocation {
    std::size_t bytes = 0;
    bool of_host = false;  // pinned: the host may touch it
    bool managed = false;
    std::uint32_t pc = 0;  // behind what has made it; 0: not known
  };
  std::map<std::uint64_t, Allocation> allocations;
  /// What the host can read there without a copy is a result, too.
  static void look_at_results(const std::pair<const std::uint64_t, Allocation>& of);
  cudaError_t last_error = cudaSuccess;
  std::map<const void*, std::size_t> dynamic_shared;  // that a kernel may have, as it was asked for

  const std::vector<Found>& found() const { return found_; }
  /// Its sentence, and of a kernel with several launches by which of them.
  std::string text_of(const Found& found) const;
  const LaunchCounts& launch_counts() const { return launch_counts_; }
  const std::set<std::string>& notes() const { return notes_; }
  /// How the budget ended, if it did.
  const std::string& out_of_budget() const { return out_of_budget_; }
  std::uint64_t accesses() const { return accesses_; }
  std::uint64_t launches() const { return launches_; }
  /// Called when the program ends, or cannot go on: it reports, and does not return.
  void (*end_program)(int code) = nullptr;

 private:
  Found& found_of(const emulated::Report& report, const emulated::Finding& finding);

  device::Device& device_;
  emulated::Machine& machine_;
  const std::uint64_t most_accesses_;
  std::vector<Found> found_;
  std::map<std::tuple<std::uint64_t, std::uint32_t, std::string>, std::size_t> places_;
  // Of findings of kernels: the kernel, the check, file and line, the variable, and where there is
  // none the detail.
  std::map<std::tuple<std::uint64_t, std::string, std::string, int, std::uint64_t, std::string>,
           std::size_t>
      lines_;
  std::set<std::string> notes_;
  std::set<std::pair<std::string, std::uint32_t>> noted_;
  std::set<std::tuple<std::uint64_t, std::string, std::string, int>> noted_lines_;  // of kernels
  std::uint64_t accesses_ = 0, launches_ = 0;
  std::map<std::uint64_t, std::uint64_t> launches_of_;  // each kernel
  LaunchCounts launch_counts_;
  std::string out_of_budget_;
};

}  // namespace ridgeline::program
