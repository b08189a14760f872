#include <cmath>
#include <functional>
#include <memory>
#include <numeric>
#include <string>
#include <utility>

#include <omp.h>

#include "harness/device/random.hpp"
#include "harness/worker/calibration/calibration.hpp"
#include "harness/worker/calibration/kernels.hpp"
#include "harness/worker/calibration/work.hpp"

namespace ridgeline::worker::calibration {
namespace {

/// By a thread in an execution, without extra.
constexpr std::int64_t blocks_read = 16384, units_gathered = 10240;
/// Likewise where an execution is a sample by itself. It takes some milliseconds, and is prepared
/// and verified in few, so that a gate has about twenty samples of a process.
constexpr std::int64_t single_rounds = 2'000'000, single_blocks_read = 88 * blocks_read,
                       single_units_gathered = 22 * units_gathered;

/// One case as it is named; `units` is what each thread does in an execution, extra work included.
struct Problem {
  bool all_threads = false;
  std::int64_t units = 0;
  std::int64_t mib = 0;  // read from

  int threads(const device::Facts& facts) const { return all_threads ? facts.units : 1; }
};

measure::Workload prepare_compute(const Problem& problem, measure::Setup& setup) {
  const int threads = problem.threads(setup.device.facts());
  return computing(setup, static_cast<std::size_t>(threads) * lanes, problem.units,
                   [=](const float* in, float* out, device::Stream&) {
                     const volatile float one = 1;
#pragma omp parallel num_threads(threads)
                     {
                       const int first = omp_get_thread_num() * lanes;
                       float values[lanes];
                       std::copy_n(in + first, lanes, values);
                       advance(values, problem.units, one);
                       std::copy_n(values, lanes, out + first);
                     }
                   });
}

/// A workload whose threads read words: `share(thread, begin)` is what a thread has done after
/// `begin` units and returns what it read, `expected(thread, begin)` the sum that is right.
measure::Workload reading(const Problem& problem, measure::Setup& setup, std::int64_t bytes_of_unit,
                          const std::function<Counted(int, std::int64_t)>& share,
                          const std::function<std::uint32_t(int, std::int64_t)>& expected) {
  struct alignas(128) Slot {  // no thread writes to another's line
    Counted counted;
  };
  struct Place {  // units that each thread had done before the newest execution, and after it
    std::int64_t begin = 0, done = 0;
  };
  const int threads = problem.threads(setup.device.facts());
  const auto out =
      std::make_shared<device::Buffer<Slot>>(setup.device, static_cast<std::size_t>(threads));
  const auto place = std::make_shared<Place>();
  measure::Workload workload = counted<Slot>(out, [=](const std::vector<Slot>& slots) {
    Verdict verdict;
    for (int thread = 0; thread < threads; ++thread) {
      const Counted& found = slots[static_cast<std::size_t>(thread)].counted;
      if (found.units != problem.units || found.sum != expected(thread, place->begin))
        ++verdict.wrong;
      verdict.work += static_cast<double>(found.units);
    }
    return verdict;
  });
  workload.bytes =
      static_cast<double>(threads) * static_cast<double>(problem.units * bytes_of_unit);
  workload.launch = [=](measure::Turn, device::Stream&) {
    place->begin = place->done;
    place->done += problem.units;
#pragma omp parallel num_threads(threads)
    {
      const int thread = omp_get_thread_num();
      out->data()[thread].counted = share(thread, place->begin);
    }
  };
  return workload;
}

std::span<const std::uint32_t> random_words(const Problem& problem, measure::Setup& setup) {
  const auto count = static_cast<std::size_t>(problem.mib) << 18;
  const void* data = setup.inputs.take(DType::i32, setup.distribution, count).data;
  return {static_cast<const std::uint32_t*>(data), count};
}

/// Each thread goes round and round through a part of its own, so that a line is read again after
/// all others of the part.
measure::Workload prepare_memory(const Problem& problem, measure::Setup& setup) {
  const std::span<const std::uint32_t> words = random_words(problem, setup);
  const std::int64_t blocks = static_cast<std::int64_t>(words.size()) / words_of_block /
                              problem.threads(setup.device.facts());
  const auto part = [=](int thread) {
    return words.subspan(static_cast<std::size_t>(thread * blocks * words_of_block),
                         static_cast<std::size_t>(blocks * words_of_block));
  };
  // Of all whole blocks before each block of the buffer, so that the oracle adds in another order
  // than the kernel.
  const auto before = std::make_shared<std::vector<std::uint32_t>>(1, 0);
  for (std::size_t i = 0; i < words.size(); i += words_of_block)
    before->push_back(std::accumulate(
        words.begin() + static_cast<std::ptrdiff_t>(i),
        words.begin() + static_cast<std::ptrdiff_t>(i + words_of_block), before->back()));
  const auto sum = [=](int thread, std::int64_t from, std::int64_t to) {
    const std::int64_t first = thread * blocks;
    return (*before)[static_cast<std::size_t>(first + to)] -
           (*before)[static_cast<std::size_t>(first + from)];
  };
  return reading(
      problem, setup, words_of_block * 4,
      [=](int thread, std::int64_t begin) {
        return read_blocks(part(thread), begin % blocks, problem.units);
      },
      [=](int thread, std::int64_t begin) {
        const std::int64_t from = begin % blocks, whole = (from + problem.units) / blocks;
        const std::int64_t to = (from + problem.units) % blocks;
        return static_cast<std::uint32_t>(whole) * sum(thread, 0, blocks) + sum(thread, 0, to) -
               sum(thread, 0, from);
      });
}

measure::Workload prepare_gather(const Problem& problem, measure::Setup& setup) {
  const std::span<const std::uint32_t> words = random_words(problem, setup);
  const auto sequence = [seed = setup.seed](int thread) {
    return seed + static_cast<std::uint64_t>(thread);
  };
  return reading(
      problem, setup, loads_of_unit * 4,
      [=](int thread, std::int64_t begin) {
        return gather_words(words, sequence(thread), begin, problem.units);
      },
      [=](int thread, std::int64_t begin) {
        std::uint32_t sum = 0;
        for (std::int64_t i = begin * loads_of_unit; i < (begin + problem.units) * loads_of_unit;
             ++i)
          sum += words[device::random_bits(sequence(thread), static_cast<std::uint64_t>(i)) %
                       words.size()];
        return sum;
      });
}

using Prepare = measure::Workload (*)(const Problem&, measure::Setup&);

Case cpu_case(const Declared& declared, Problem problem, const Planted& planted, Prepare prepare) {
  Case made = make_case(declared, planted, [=](std::int64_t units, measure::Setup& setup) {
    Problem of_process = problem;
    of_process.units = units;
    return prepare(of_process, setup);
  });
  if (problem.all_threads)
    made.supports = [](const device::Facts& facts) {
      return facts.units >= 2 ? device::Support::yes()
                              : device::Support::unsupported("there is one core only");
    };
  return made;
}

}  // namespace

measure::Workload computing(
    measure::Setup& setup, std::size_t count, std::int64_t rounds,
    std::function<void(const float* in, float* out, device::Stream&)> launch) {
  std::vector<float> starts(count);
  for (std::size_t lane = 0; lane < count; ++lane)
    starts[lane] = std::floor(device::random_uniform(setup.seed, lane) / round_step) * round_step;
  const auto in = std::make_shared<device::Buffer<float>>(setup.device, starts);
  const auto out = std::make_shared<device::Buffer<float>>(setup.device, count);
  measure::Workload workload =
      counted<float>(out, [=, starts = std::move(starts)](const std::vector<float>& ends) {
        Verdict verdict;
        for (std::size_t lane = 0; lane < ends.size(); ++lane) {
          const double moved = (static_cast<double>(ends[lane]) - starts[lane]) / round_step;
          if (!(moved == static_cast<double>(rounds)))
            ++verdict.wrong;  // also when it is not a number
          verdict.work += moved;
        }
        return verdict;
      });
  workload.flops = 2.0 * static_cast<double>(rounds) * static_cast<double>(count);
  workload.launch = [=, launch = std::move(launch)](measure::Turn, device::Stream& stream) {
    launch(in->data(), out->data(), stream);
  };
  return workload;
}

Case make_case(const Declared& declared, const Planted& planted,
               std::function<measure::Workload(std::int64_t units, measure::Setup&)> prepare) {
  Case made;
  std::vector<record::Field> options;
  if (declared.single) options.push_back({"launch", "single"});
  made.info.id = {"calibration", declared.variant, declared.dtype, declared.problem, options};
  made.info.device_kind = declared.kind;
  made.info.idea = declared.idea;
  made.supports = [](const device::Facts&) { return device::Support::yes(); };
  made.memory = [memory = declared.memory](const device::Facts&) { return memory; };
  made.prepare = [units = declared.units, name = record::name(made.info.id), planted,
                  prepare = std::move(prepare)](measure::Setup& setup) {
    const PlantedDraws draws(planted.in(name), name, setup);
    return draws.slowed(prepare(draws.units(units), setup));
  };
  return made;
}

std::vector<Case> cases(const Planted& planted) {
  std::vector<Case> cases;
  const auto add = [&](const char* variant, const char* dtype, bool all, bool single,
                       const record::Field& size, std::int64_t mib, std::int64_t units,
                       const char* idea, Prepare prepare) {
    const std::vector<record::Field> problem = {{"threads", all ? "all" : "1"}, size};
    const double memory = static_cast<double>(mib) * 1024 * 1024 * 1.1;
    const Declared declared{DeviceKind::cpu, variant, dtype, problem, single, idea, memory, units};
    cases.push_back(cpu_case(declared, {all, units, mib}, planted, prepare));
  };
  const auto compute = [&](bool all, bool single, std::int64_t rounds) {
    add("compute", "f32", all, single, {"rounds", std::to_string(rounds)}, 0, rounds,
        "multiply-adds in registers", prepare_compute);
  };
  const auto memory = [&](bool all, bool single, std::int64_t mib) {
    add("memory", "i32", all, single, {"mib", std::to_string(mib)}, mib,
        single ? single_blocks_read : blocks_read, "reads one line after the other",
        prepare_memory);
  };
  const auto gather = [&](bool all, bool single, std::int64_t mib) {
    add("gather", "i32", all, single, {"mib", std::to_string(mib)}, mib,
        single ? single_units_gathered : units_gathered, "reads words here and there",
        prepare_gather);
  };
  for (const bool all : {false, true}) {
    for (const std::int64_t rounds : {20'000, 200'000}) compute(all, false, rounds);
    for (const std::int64_t mib : {4, 64}) memory(all, false, mib);
    for (const std::int64_t mib : {4, 64}) gather(all, false, mib);
    compute(all, true, single_rounds);
    memory(all, true, 4);
    gather(all, true, 4);
  }
#ifdef RIDGELINE_HAVE_CUDA
  for (Case& added : cuda_cases(planted)) cases.push_back(std::move(added));
#endif
  return cases;
}

}  // namespace ridgeline::worker::calibration
