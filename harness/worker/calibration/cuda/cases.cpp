#include <functional>
#include <memory>
#include <string>
#include <utility>

#include "harness/device/buffer.hpp"
#include "harness/device/random.hpp"
#include "harness/worker/calibration/calibration.hpp"
#include "harness/worker/calibration/cuda/kernels.hpp"
#include "harness/worker/calibration/work.hpp"

// Executions are long next to the time that any launch costs, or a percent more work would not be a
// percent more time.
namespace ridgeline::worker::calibration {
namespace {

using on_cuda::Counted;

constexpr std::int64_t copied_words = 16384;  // 64 KiB
constexpr std::int64_t chase_steps = 2000;

std::int64_t words_of(std::int64_t mib) { return mib << 18; }
std::int64_t rows_of(std::int64_t mib) { return words_of(mib) / on_cuda::words_of_row; }

/// About 4 GiB, without extra, and half a pass more: an execution ends half the memory away from
/// where the next begins. Were it to end just behind, the L2 would still hold what the next one
/// reads first, and a few percent more work would be for free.
std::int64_t rows_read(std::int64_t mib) { return 4096 / mib * rows_of(mib) + rows_of(mib) / 2; }

/// Words as the pool holds them, on the device and as the oracle makes them by itself.
struct Words {
  const std::uint32_t* on_device;
  std::uint64_t seed, first;
  bool zeros;

  std::uint32_t operator[](std::int64_t i) const {
    return zeros ? 0
                 : static_cast<std::uint32_t>(
                       device::random_i32(seed, first + static_cast<std::uint64_t>(i)));
  }
  std::uint32_t sum(std::int64_t begin, std::int64_t end) const {
    std::uint32_t sum = 0;
#pragma omp parallel for reduction(+ : sum)
    for (std::int64_t i = begin; i < end; ++i) sum += (*this)[i];
    return sum;
  }
};

Words take_words(measure::Setup& setup, std::int64_t count) {
  const measure::InputPool::View view =
      setup.inputs.take(DType::i32, setup.distribution, static_cast<std::size_t>(count));
  return {static_cast<const std::uint32_t*>(view.data), setup.inputs.seed(), view.first_index,
          setup.distribution == device::Distribution::zeros};
}

measure::Workload prepare_compute(std::int64_t rounds, measure::Setup& setup) {
  const int blocks = setup.device.facts().units;
  return computing(setup, static_cast<std::size_t>(blocks) * on_cuda::lanes_of_block, rounds,
                   [=](const float* in, float* out, device::Stream& stream) {
                     on_cuda::start_advance(in, out, blocks, rounds, stream);
                   });
}

measure::Workload prepare_memory(std::int64_t mib, std::int64_t units, measure::Setup& setup) {
  const std::int64_t words_streamed = words_of(mib), rows = rows_of(mib);
  const int blocks = 2 * setup.device.facts().units;
  const Words words = take_words(setup, words_streamed);
  const auto out = std::make_shared<device::Buffer<Counted>>(
      setup.device, static_cast<std::size_t>(blocks) * on_cuda::read_threads);
  const std::int64_t rest = units % rows * on_cuda::words_of_row;
  const std::uint32_t of_rest = words.sum(0, rest),
                      of_all = of_rest + words.sum(rest, words_streamed);
  const std::uint32_t expected = static_cast<std::uint32_t>(units / rows) * of_all + of_rest;
  measure::Workload workload = counted<Counted>(out, [=](const std::vector<Counted>& found) {
    Verdict verdict;
    std::uint32_t sum = 0;
    for (std::size_t i = 0; i < found.size(); ++i) {
      const auto block = static_cast<std::int64_t>(i) / on_cuda::read_threads;
      sum += found[i].sum;
      if (found[i].units != (units - block + blocks - 1) / blocks) ++verdict.wrong;
      verdict.work += static_cast<double>(found[i].units) / on_cuda::read_threads;
    }
    if (sum != expected) ++verdict.wrong;
    return verdict;
  });
  workload.bytes = static_cast<double>(units * on_cuda::words_of_row * 4);
  workload.launch = [=](measure::Turn, device::Stream& stream) {
    on_cuda::start_read(words.on_device, rows, units, blocks, out->data(), stream);
  };
  return workload;
}

/// What the chaser reads, and how many words.
Counted chase(const Words& words, std::uint64_t mask, std::uint64_t seed, int chaser,
              std::int64_t steps) {
  Counted read{0, 0};
  std::uint64_t at = on_cuda::first_place(seed, chaser, mask);
  for (std::int64_t step = 0; step < steps; ++step) {
    const std::uint32_t word = words[static_cast<std::int64_t>(at)];
    read = {read.sum + word, read.units + 1};
    at = on_cuda::next_place(word, step, mask);
  }
  return read;
}

measure::Workload prepare_chase(std::int64_t mib, std::int64_t steps, measure::Setup& setup) {
  const int blocks = setup.device.facts().units, chasers = blocks * on_cuda::chasers_of_block;
  const Words words = take_words(setup, words_of(mib));
  const auto mask = static_cast<std::uint64_t>(words_of(mib)) - 1;
  const auto out =
      std::make_shared<device::Buffer<Counted>>(setup.device, static_cast<std::size_t>(chasers));
  measure::Workload workload =
      counted<Counted>(out, [=, seed = setup.seed](const std::vector<Counted>& found) {
        std::int64_t wrong = 0, steps_done = 0;
#pragma omp parallel for reduction(+ : wrong, steps_done)
        for (int chaser = 0; chaser < chasers; ++chaser) {
          const Counted& given = found[static_cast<std::size_t>(chaser)];
          const Counted right = chase(words, mask, seed, chaser, steps);
          steps_done += given.units;
          if (given.units != right.units || given.sum != right.sum) ++wrong;
        }
        return Verdict{wrong, static_cast<double>(steps_done)};
      });
  workload.bytes = 4.0 * static_cast<double>(chasers * steps);
  workload.launch = [=, seed = setup.seed](measure::Turn, device::Stream& stream) {
    on_cuda::start_chase(words.on_device, mask, seed, steps, blocks, out->data(), stream);
  };
  return workload;
}

measure::Workload prepare_copy(std::int64_t launches, measure::Setup& setup) {
  const Words words = take_words(setup, copied_words);
  // Behind the words that are copied: how many launches there were.
  const auto out = std::make_shared<device::Buffer<std::uint32_t>>(setup.device, copied_words + 1);
  measure::Workload workload =
      counted<std::uint32_t>(out, [=](const std::vector<std::uint32_t>& found) {
        Verdict verdict{found.back() == launches ? 0 : 1, static_cast<double>(found.back())};
        for (std::int64_t i = 0; i < copied_words; ++i)
          if (found[static_cast<std::size_t>(i)] != words[i]) ++verdict.wrong;
        return verdict;
      });
  workload.bytes = 8.0 * copied_words * static_cast<double>(launches);
  workload.launch = [=](measure::Turn, device::Stream& stream) {
    for (std::int64_t i = 0; i < launches; ++i)
      on_cuda::start_copy(words.on_device, out->data(), copied_words, i == 0,
                          out->data() + copied_words, stream);
  };
  return workload;
}

}  // namespace

std::vector<Case> cuda_cases(const Planted& planted) {
  constexpr double mib_bytes = 1 << 20, small = 32 * mib_bytes;
  std::vector<Case> cases;
  const auto add = [&](const Declared& declared, auto prepare) {
    cases.push_back(make_case(declared, planted, prepare));
  };
  for (const bool single : {false, true}) {
    const auto declared = [=](const char* variant, const char* dtype, const char* size,
                              std::int64_t value, double memory, std::int64_t units,
                              const char* idea) {
      return Declared{DeviceKind::cuda, variant, dtype,  {{size, std::to_string(value)}},
                      single,           idea,    memory, units};
    };
    for (const std::int64_t rounds : {10'000, 15'000, 20'000, 30'000})
      add(declared("compute", "f32", "rounds", rounds, small, rounds, "multiply-adds in registers"),
          prepare_compute);
    // Many times the L2 of any GPU.
    for (const std::int64_t mib : {256, 512, 1024}) {
      const double memory = 1.1 * mib_bytes * static_cast<double>(mib);
      add(declared("memory", "i32", "mib", mib, memory, rows_read(mib),
                   "reads one row after the other"),
          std::bind_front(prepare_memory, mib));
    }
    for (const std::int64_t mib : {128, 256, 512, 1024}) {
      const double memory = 1.1 * mib_bytes * static_cast<double>(mib);
      add(declared("chase", "i32", "mib", mib, memory, chase_steps,
                   "reads words that say where the next is"),
          std::bind_front(prepare_chase, mib));
    }
  }
  add({DeviceKind::cuda,
       "copy",
       "i32",
       {{"kib", "64"}, {"launches", "1000"}},
       false,
       "copies little in many launches",
       small,
       1000},
      prepare_copy);
  return cases;
}

}  // namespace ridgeline::worker::calibration
