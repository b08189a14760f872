#include "harness/emulated/program/stream_order.hpp"

#include <algorithm>
#include <iterator>

#include <fmt/core.h>

#include "harness/emulated/program/latest_launch.hpp"
#include "harness/emulated/program/managed_memory.hpp"
#include "harness/emulated/program/session.hpp"
#include "harness/emulated/program_symbols.hpp"
#include "harness/emulated/source_lines.hpp"

namespace ridgeline::program {

void Clock::join(const Clock& other) {
  if (at_.size() < other.at_.size()) at_.resize(other.at_.size());
  for (std::size_t i = 0; i < other.at_.size(); ++i) at_[i] = std::max(at_[i], other.at_[i]);
}

void Clock::set(std::size_t line, std::uint32_t number) {
  if (at_.size() <= line) at_.resize(line + 1);
  at_[line] = number;
}

StreamOrder& StreamOrder::here() {
  static StreamOrder one;
  return one;
}

std::size_t StreamOrder::add_line() { return lines_++; }

cudaError_t StreamOrder::run(Clock& clock, std::size_t line, const char* call, std::uint32_t pc,
                             bool is_launch, bool notes, const std::function<cudaError_t()>& work) {
  if (!judges_) return work();
  constexpr std::size_t most = 1000;
  emulated::GlobalMemory& memory = Session::here().machine().memory();
  running_ = {memory.next_launch(), 0, line, call, 0, pc};
  now_ = clock;
  notes_ = notes;
  const auto first = std::ranges::find_if(
      done_, [&](const Done& each) { return each.first > now_.of(each.line); });
  if (first != done_.end()) memory.look_at_order(this, first->first);
  if (!is_launch) memory.begin_launch(1);
  const cudaError_t error = work();
  memory.look_at_order(nullptr);
  running_.end = memory.next_launch();
  if (running_.end < running_.first) {  // numbers begin anew, and nothing is known any more
    done_.clear();
    return error;
  }
  if (!notes || running_.end == running_.first) return error;
  if (is_launch) running_.kernel = latest_launch().kernel;
  clock.set(line, running_.first);
  done_.push_back(running_);
  if (done_.size() > most) done_.pop_front();
  return error;
}

void StreamOrder::touch(const void* memory, std::size_t bytes, bool writes) {
  if (!judges_) return;
  if (notes_) keep_pinned_memory(memory, bytes, writes);
  Session& session = Session::here();
  const auto found = session.machine().memory().touch_by_host(memory, bytes, writes, notes_);
  if (!found) return;
  session.host_mistake(
      found->race, running_.pc,
      fmt::format("{}: {}, {}", running_.call, session.machine().memory().describe(found->address),
                  describe(found->launch)));
}

void StreamOrder::host_waits_for(const Clock& clock) {
  host_.join(clock);
  while (!done_.empty() && done_.front().first <= host_.of(done_.front().line)) done_.pop_front();
}

void StreamOrder::host_waits_for_all() { done_.clear(); }

const StreamOrder::Done* StreamOrder::of(std::uint32_t number) const {
  const auto behind = std::ranges::upper_bound(done_, number, {}, &Done::first);
  if (behind == done_.begin() || std::prev(behind)->end <= number) return nullptr;
  return &*std::prev(behind);
}

bool StreamOrder::is_unordered(std::uint32_t number) const {
  const Done* const done = of(number);
  return done != nullptr && done->first > now_.of(done->line);
}

std::string StreamOrder::text_of(const Done& done) {
  const std::uint32_t pcs[] = {done.pc};
  const emulated::SourceLine line =
      done.pc == 0 ? emulated::SourceLine{} : emulated::source_lines(pcs).at(done.pc);
  const std::string what =
      done.kernel != 0 ? "launch of " + emulated::function_name(done.kernel) : done.call;
  return line.file.empty() ? what : fmt::format("{} at {}:{}", what, line.file, line.line);
}

std::string StreamOrder::describe(std::uint32_t number) const {
  const Done* const other = of(number);
  Done mine = running_;
  if (mine.call == nullptr || other == nullptr) return {};
  if (latest_launch().runs) mine.kernel = latest_launch().kernel;
  return fmt::format(
      "which the {} touches, too, in another stream: nothing orders the {} behind it; {}",
      text_of(*other), text_of(mine),
      notes_ ? "record an event there, and wait for it by cudaStreamWaitEvent() in this stream"
             : "wait for that stream first, by cudaStreamSynchronize()");
}

}  // namespace ridgeline::program
