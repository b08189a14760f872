#include "kernels/judging.hpp"

#include <algorithm>
#include <cmath>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "kernels/attention_backward/device_oracle.hpp"
#include "kernels/attention_backward/oracle.hpp"
#include "kernels/device_oracle.hpp"
#include "kernels/key.hpp"
#include "kernels/oracle_cache.hpp"

// Outputs that the device's oracle judges, where they lie.

namespace ridgeline::attention_backward {
namespace {

using kernels::Deviation;
using kernels::Worst;

constexpr std::int64_t fewest_picked = 4, picked_heads = 2, most_picked = 256;
constexpr double operations_of_pair = 20;  // of the oracle, a dimension

std::string key_of(std::string what, const Problem& problem, const RandomInputs& inputs) {
  const auto [batch, heads, seq, dim, mask, dtype, kv_heads] = problem;
  const auto [distribution, seed, q_first, k_first, v_first, d_o_first] = inputs;
  return kernels::key_of(std::move(what), batch, heads, seq, dim, mask, dtype, kv_heads,
                         distribution, seed, q_first, k_first, v_first, d_o_first);
}

/// What the device's forward pass leaves behind, for variants and for the oracle.
struct Made {
  std::shared_ptr<const Given> given;
  device::Buffer<RowStatistics> statistics;

  std::size_t bytes() const { return given->bytes() + statistics.bytes(); }
};

/// Rows that the oracle expects, in the device's memory.
struct Computed {
  struct Part {
    Rows rows;
    device::Buffer<std::int64_t> picked;  // empty: all rows of all heads
    device::Buffer<double> values, tolerances;

    ExpectedRows expected() const { return {values.data(), tolerances.data()}; }
    std::size_t bytes() const { return picked.bytes() + values.bytes() + tolerances.bytes(); }
  };
  std::vector<Part> dq, dk, dv;

  std::size_t bytes() const {
    std::size_t sum = 0;
    for (const auto* parts : {&dq, &dk, &dv})
      for (const Part& part : *parts) sum += part.bytes();
    return sum;
  }
};

/// Judges outputs of one problem on one set of inputs.
class Judging {
 public:
  Judging(device::Device& device, const Problem& problem, const RandomInputs& random,
          DeviceOracle calls)
      : device_(device),
        problem_(problem),
        random_(random),
        inputs_{elements(random.q_first), elements(random.k_first), elements(random.v_first),
                elements(random.d_o_first)},
        calls_(calls) {
    require(calls_ != nullptr, "a program that opens a GPU has oracles for it");
  }

  std::shared_ptr<const Made> made() {
    return kept<Made>("forward", [&] {
      Made made{
          std::make_shared<const Given>(Given{
              {device_, static_cast<std::size_t>(problem_.elements()) * size_of(problem_.dtype)},
              {device_, static_cast<std::size_t>(problem_.rows())}}),
          {device_, static_cast<std::size_t>(problem_.rows())}};
      if (problem_.elements() != 0)
        calls_->forward(problem_, inputs_, made.statistics.data(), made.given->o.data(),
                        made.given->logarithms.data(), device_.stream());
      device_.synchronize();
      return made;
    });
  }

  Computed all() {
    Computed computed;
    if (problem_.elements() == 0) return computed;
    add_dq({0, problem_.all_heads(), problem_.seq}, {}, computed);
    add_dk_dv({0, kv_heads(), problem_.seq}, {}, computed);
    return computed;
  }

  Deviation judge(const Outputs& outputs, const kernels::Effort& effort) {
    const bool whole = problem_.flops() <= effort.whole;
    const double of_row = operations_of_pair * static_cast<double>(problem_.seq * problem_.dim);
    const std::int64_t count =
        std::clamp(static_cast<std::int64_t>(effort.sample / of_row / picked_heads), fewest_picked,
                   most_picked);
    const auto computed = kept<Computed>(whole ? "expected" : kernels::key_of("sample", count),
                                         [&] { return whole ? all() : sample(count); });
    Worst worst;
    const auto take = [&](const Worst& here) {
      if (kernels::worse(here, worst)) worst = here;
    };
    const auto compare = [&](const std::vector<Computed::Part>& parts, std::int64_t count_of_all,
                             const void* output) {
      take(kernels::worst_of(device_, count_of_all, [&](Worst* partials) {
        calls_->find_poison(problem_, count_of_all, output, partials, device_.stream());
      }));
      for (const Computed::Part& part : parts)
        take(kernels::worst_of(device_, part.rows.all() * problem_.dim, [&](Worst* partials) {
          calls_->compare(problem_, part.rows, part.expected(), output, partials, device_.stream());
        }));
    };
    compare(computed->dq, problem_.elements(), outputs.dq);
    compare(computed->dk, problem_.kv_elements(), outputs.dk);
    compare(computed->dv, problem_.kv_elements(), outputs.dv);
    return {worst.error, worst.tolerance, whole ? Checked::whole : Checked::sample};
  }

  /// Compares all that both oracles expect of a small problem like this one, once a process for
  /// each type, mask and size of heads.
  void judge_oracle_once() {
    static std::set<std::tuple<DeviceOracle, DType, Mask, std::int64_t>> judged;
    const std::tuple what(calls_, problem_.dtype, problem_.mask, problem_.dim);
    if (random_.distribution == device::Distribution::zeros || judged.contains(what)) return;
    Problem small = problem_;
    small.batch = 1, small.heads = 2, small.kv_heads = 1, small.seq = 70;
    RandomInputs inputs = random_;
    inputs.distribution = device::Distribution::uniform;
    const Computed own = Judging(device_, small, inputs, calls_).all();
    const Expected right = expect(small, sources_of(small, inputs));
    compare_oracles(own.dq.front(), right.dq);
    compare_oracles(own.dk.front(), right.dk);
    compare_oracles(own.dv.front(), right.dv);
    judged.insert(what);
  }

 private:
  kernels::Elements elements(std::uint64_t first) const {
    return kernels::random_elements(problem_.dtype, random_.distribution, random_.seed, first);
  }
  std::int64_t kv_heads() const { return problem_.all_heads() / problem_.group(); }

  template <class Value, class Compute>
  std::shared_ptr<const Value> kept(const std::string& what, Compute compute) {
    return kernels::Kept::of(device_).get<Value>(
        key_of("attention_backward " + what, problem_, random_), compute);
  }

  Computed::Part part_of(const Rows& rows, const std::vector<std::int64_t>& picked) {
    Computed::Part part{rows,
                        {device_, picked},
                        {device_, static_cast<std::size_t>(rows.all() * problem_.dim)},
                        {device_, static_cast<std::size_t>(rows.all())}};
    if (!picked.empty()) part.rows.picked = part.picked.data();
    return part;
  }
  void add_dq(const Rows& rows, const std::vector<std::int64_t>& picked, Computed& to) {
    const auto statistics = made();
    to.dq.push_back(part_of(rows, picked));
    const Computed::Part& part = to.dq.back();
    calls_->expect_dq(problem_, inputs_, statistics->statistics.data(), part.rows, part.expected(),
                      device_.stream());
    device_.synchronize();
  }
  void add_dk_dv(const Rows& rows, const std::vector<std::int64_t>& picked, Computed& to) {
    const auto statistics = made();
    to.dk.push_back(part_of(rows, picked));
    to.dv.push_back(part_of(rows, picked));
    calls_->expect_dk_dv(problem_, inputs_, statistics->statistics.data(), to.dk.back().rows,
                         to.dk.back().expected(), to.dv.back().expected(), device_.stream());
    device_.synchronize();
  }
  Computed sample(std::int64_t count) {
    Computed computed;
    const auto rows_of = [&](std::int64_t head) {
      return kernels::checked_rows(problem_.seq, count,
                                   random_.seed + static_cast<std::uint64_t>(head));
    };
    for (const std::int64_t head :
         kernels::checked_rows(problem_.all_heads(), picked_heads, random_.seed)) {
      const std::vector<std::int64_t> picked = rows_of(head);
      add_dq({head, 1, static_cast<std::int64_t>(picked.size())}, picked, computed);
    }
    for (const std::int64_t head : kernels::checked_rows(kv_heads(), picked_heads, random_.seed)) {
      const std::vector<std::int64_t> picked = rows_of(head);
      add_dk_dv({head, 1, static_cast<std::int64_t>(picked.size())}, picked, computed);
    }
    return computed;
  }

  void compare_oracles(const Computed::Part& own, const Expected::Part& right) {
    const std::vector<double> values = own.values.download(),
                              tolerances = own.tolerances.download();
    const auto dim = static_cast<std::size_t>(problem_.dim);
    for (std::size_t i = 0; i < values.size(); ++i) {
      // Elements are in double precision. Tolerances contain how far plain steps are off, which
      // depends on their order.
      const double allowed = right.tolerances[i / dim];
      if (!(std::fabs(values[i] - right.values[i]) <= 1e-4 * allowed) ||
          !(std::fabs(tolerances[i / dim] - allowed) <= 0.2 * allowed))
        kernels::refuse_oracle(
            "attention_backward/" + std::string(ridgeline::to_string(problem_.dtype)),
            static_cast<std::int64_t>(i));
    }
  }

  device::Device& device_;
  Problem problem_;
  RandomInputs random_;
  Inputs inputs_;
  DeviceOracle calls_;
};

}  // namespace

std::shared_ptr<const Given> give(device::Device& device, const Problem& problem,
                                  const RandomInputs& inputs, DeviceOracle oracle) {
  if (kernels::judged_on(device)) return Judging(device, problem, inputs, oracle).made()->given;
  static kernels::OracleCache<Forward> cache(1);
  const std::shared_ptr<const Forward> made =
      cache.get(key_of("attention_backward forward", problem, inputs),
                [&] { return forward(problem, sources_of(problem, inputs)); });
  const Forward& computed = *made;
  Given given{{device, computed.o.size() * size_of(problem.dtype)}, {device, computed.logarithms}};
  if (!computed.o.empty()) {
    std::vector<std::byte> stored(given.o.bytes());
    for (std::size_t i = 0; i < computed.o.size(); ++i) {
      const float value = computed.o[i];
      const std::uint16_t half = problem.dtype == DType::f16 ? to_f16(value) : to_bf16(value);
      const std::size_t size = size_of(problem.dtype);
      std::memcpy(&stored[i * size],
                  size == 4 ? static_cast<const void*>(&value) : static_cast<const void*>(&half),
                  size);
    }
    device.upload(given.o.data(), stored.data(), stored.size());
  }
  return std::make_shared<const Given>(std::move(given));
}

Deviation deviation(device::Device& device, const Problem& problem, const RandomInputs& inputs,
                    const Outputs& outputs, const kernels::Effort& effort, DeviceOracle oracle) {
  if (!kernels::judged_on(device)) {
    static kernels::OracleCache<Expected> cache(8);
    const auto expected = cache.get(key_of("attention_backward", problem, inputs),
                                    [&] { return expect(problem, sources_of(problem, inputs)); });
    return deviation(device, problem, *expected, outputs);
  }
  Judging judging(device, problem, inputs, oracle);
  judging.judge_oracle_once();
  return judging.judge(outputs, effort);
}

}  // namespace ridgeline::attention_backward
