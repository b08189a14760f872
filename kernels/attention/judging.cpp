#include "kernels/judging.hpp"

#include <algorithm>
#include <cmath>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "kernels/attention/device_oracle.hpp"
#include "kernels/attention/oracle.hpp"
#include "kernels/device_oracle.hpp"

// Outputs that the device's oracle judges, where they lie.

namespace ridgeline::attention {
namespace {

using kernels::Deviation;
using kernels::Worst;

constexpr std::int64_t fewest_picked = 4, picked_heads = 2, row_step = 64;
constexpr std::size_t most_scratch = std::size_t{256} << 20;

/// Rows that the oracle expects, in the device's memory.
struct Computed {
  struct Part {
    Queries queries;
    device::Buffer<std::int64_t> picked;  // empty: all queries of all heads
    device::Buffer<double> o, tolerances;
  };
  std::vector<Part> parts;

  std::size_t bytes() const {
    std::size_t sum = 0;
    for (const Part& part : parts)
      sum += part.picked.bytes() + part.o.bytes() + part.tolerances.bytes();
    return sum;
  }
};

/// The output of a reference variant, and how far right outputs can be from it in each row.
struct Referred {
  device::Buffer<float> o;
  device::Buffer<double> tolerances;

  std::size_t bytes() const { return o.bytes() + tolerances.bytes(); }
};

/// Judges outputs of one problem on one set of inputs.
class Judging {
 public:
  Judging(device::Device& device, const Problem& problem, const RandomInputs& random,
          const kernels::Effort& effort, DeviceOracle calls)
      : device_(device),
        problem_(problem),
        random_(random),
        effort_(effort),
        inputs_{elements(random.q_first), elements(random.k_first), elements(random.v_first)},
        calls_(calls) {
    require(calls_ != nullptr, "a program that opens a GPU has oracles for it");
  }

  Deviation whole(const void* o) {
    const auto all = kept<Computed>("expected", [&] {
      Computed computed;
      if (problem_.elements() != 0) {
        computed.parts.push_back(compute({0, problem_.all_heads(), 0, problem_.seq}, {}));
        judge_once(computed.parts.front());
      }
      return computed;
    });
    return compare(*all, o, Checked::whole);
  }

  Deviation sample(const void* o) {
    const double of_row =
        4.0 * static_cast<double>(problem_.seq) * static_cast<double>(problem_.dim);
    const auto most = static_cast<std::int64_t>(effort_.sample / of_row / picked_heads);
    const std::int64_t count = std::max(fewest_picked, most);
    const auto some = kept<Computed>(kernels::key_of("sample", count), [&] {
      Computed computed;
      for (const std::int64_t head :
           kernels::checked_rows(problem_.all_heads(), picked_heads, random_.seed))
        computed.parts.push_back(compute_head(
            head, kernels::checked_rows(problem_.seq, count,
                                        random_.seed + static_cast<std::uint64_t>(head))));
      if (!computed.parts.empty()) judge_once(computed.parts.back());
      return computed;
    });
    return compare(*some, o, Checked::sample);
  }

  Deviation by_variant(const Variant& tested, const void* o) {
    Deviation sampled = sample(o);
    if (!sampled.right()) return sampled;
    const auto referred = refer(tested);
    if (referred == nullptr) return sampled;
    const Worst worst = kernels::worst_of(device_, problem_.elements(), [&](Worst* partials) {
      calls_->compare_outputs(problem_, o, referred->o.data(), referred->tolerances.data(),
                              partials, device_.stream());
    });
    if (!(worst.error <= worst.tolerance)) {
      const std::int64_t row = worst.index / problem_.dim;
      Computed one;
      one.parts.push_back(compute_head(row / problem_.seq, {row % problem_.seq}));
      const Deviation of_row = compare(one, o, Checked::by_variant);
      if (!of_row.right()) return of_row;
      return sampled;  // it is the reference that is wrong
    }
    sampled.checked = Checked::by_variant;
    return sampled;
  }

 private:
  kernels::Elements elements(std::uint64_t first) const {
    return kernels::random_elements(problem_.dtype, random_.distribution, random_.seed, first);
  }
  static Problem as_f32(Problem problem) {
    problem.dtype = DType::f32;
    return problem;
  }
  template <class Value, class Compute>
  std::shared_ptr<const Value> kept(const std::string& what, Compute compute) {
    const Problem& of = problem_;
    const std::string key = kernels::key_of(
        "attention " + what, of.batch, of.heads, of.seq, of.dim, of.mask, of.dtype, of.kv_heads,
        random_.distribution, random_.seed, random_.q_first, random_.k_first, random_.v_first);
    return kernels::Kept::of(device_).get<Value>(key, compute);
  }

  /// Calls run(queries, scratch, first) for pieces of `all` whose scratch is bounded: whole heads,
  /// or some rows of one. `first` counts the rows before.
  template <class Run>
  void in_pieces(const Queries& all, Run run) {
    const auto most = static_cast<std::int64_t>(most_scratch / calls_->scratch(problem_, 1));
    const std::int64_t rows =
        std::min(all.count, std::max(most / row_step, std::int64_t{1}) * row_step);
    const std::int64_t heads =
        rows < all.count ? 1 : std::clamp<std::int64_t>(most / all.count, 1, all.heads);
    const auto scratch =
        kernels::Kept::of(device_).scratch(device_, calls_->scratch(problem_, heads * rows));
    for (std::int64_t head = 0; head < all.heads; head += heads) {
      for (std::int64_t first = 0; first < all.count; first += rows) {
        Queries piece = all;
        piece.head += head;
        piece.heads = std::min(heads, all.heads - head);
        piece.count = std::min(rows, all.count - first);
        if (piece.picked == nullptr)
          piece.first += first;
        else
          piece.picked += first;
        run(piece, scratch->data(), head * all.count + first);
      }
    }
    device_.synchronize();  // the scratch is needed until then
  }

  Computed::Part compute(const Queries& queries, device::Buffer<std::int64_t> picked) {
    const auto rows = static_cast<std::size_t>(queries.rows()),
               dim = static_cast<std::size_t>(problem_.dim);
    Computed::Part part{queries, std::move(picked), {device_, rows * dim}, {device_, rows}};
    in_pieces(queries, [&](const Queries& piece, void* scratch, std::int64_t first) {
      calls_->expect(problem_, inputs_, piece, roundings(problem_.dtype), scratch,
                     {part.o.data() + first * problem_.dim, part.tolerances.data() + first},
                     device_.stream());
    });
    return part;
  }
  Computed::Part compute_head(std::int64_t head, const std::vector<std::int64_t>& picked) {
    device::Buffer<std::int64_t> memory(device_, picked);
    const Queries queries{head, 1, 0, static_cast<std::int64_t>(picked.size()), memory.data()};
    return compute(queries, std::move(memory));
  }

  /// Compares the first and the last query of the part's last head with the CPU's oracle, once a
  /// process for each type and mask.
  void judge_once(const Computed::Part& part) {
    static std::set<std::tuple<DeviceOracle, DType, Mask>> judged;
    const DType dtype = problem_.dtype;
    const std::tuple what(calls_, dtype, problem_.mask);
    if (random_.distribution == device::Distribution::zeros || judged.contains(what)) return;
    const auto source = [&](std::uint64_t first) {
      return kernels::random_source(dtype, random_.distribution, random_.seed, first);
    };
    const std::int64_t head = part.queries.head + part.queries.heads - 1, dim = problem_.dim;
    const Expected right = expect_head(problem_, source(random_.q_first), source(random_.k_first),
                                       source(random_.v_first), head, {0, problem_.seq - 1});
    for (std::size_t i = 0; i < right.rows.size(); ++i) {
      const std::int64_t row = part.queries.rows() - (i == 0 ? part.queries.count : 1);
      std::vector<double> o(static_cast<std::size_t>(dim));
      double tolerance = 0;
      device_.download(o.data(), part.o.data() + row * dim, o.size() * sizeof(double));
      device_.download(&tolerance, part.tolerances.data() + row, sizeof tolerance);
      for (std::size_t d = 0; d < o.size(); ++d) {
        // Elements are in double precision. Tolerances contain how far plain steps are off, which
        // depends on their order.
        const double allowed = right.tolerances[i];
        if (!(std::fabs(o[d] - right.o[i * o.size() + d]) <= 1e-4 * allowed) ||
            !(std::fabs(tolerance - allowed) <= 0.2 * allowed))
          kernels::refuse_oracle("attention/" + std::string(ridgeline::to_string(dtype)),
                                 right.rows[i] * dim + static_cast<std::int64_t>(d));
      }
    }
    judged.insert(what);
  }

  Deviation compare(const Computed& computed, const void* o, Checked checked) {
    Worst worst;
    for (const Computed::Part& part : computed.parts) {
      const Worst here =
          kernels::worst_of(device_, part.queries.rows() * problem_.dim, [&](Worst* partials) {
            calls_->compare(problem_, part.queries, {part.o.data(), part.tolerances.data()}, o,
                            partials, device_.stream());
          });
      if (kernels::worse(here, worst)) worst = here;
    }
    return {worst.error, worst.tolerance, checked};
  }

  /// The output of `variant` for f32 inputs of the same values, and the seconds that it took.
  std::pair<device::Buffer<float>, double> run(const Variant& variant) {
    const std::int64_t count = problem_.elements();
    const auto written = [&](const kernels::Elements& of, std::int64_t elements) {
      device::Buffer<float> memory(device_, static_cast<std::size_t>(elements));
      calls_->write(of, elements, memory.data(), device_.stream());
      return memory;
    };
    const device::Buffer<float> q = written(inputs_.q, count),
                                k = written(inputs_.k, problem_.kv_elements()),
                                v = written(inputs_.v, problem_.kv_elements());
    const Problem problem = as_f32(problem_);
    const device::Buffer<std::byte> workspace(
        device_, variant.workspace == nullptr ? 0 : variant.workspace(problem));
    device::Buffer<float> o(device_, static_cast<std::size_t>(count));
    o.poison();
    const double seconds = kernels::seconds_of(device_, [&] {
      variant.launch(problem, {q.data(), k.data(), v.data(), o.data(), workspace.data()},
                     device_.stream());
    });
    return {std::move(o), seconds};
  }

  /// Seconds that `variant` takes for a small problem of heads like these, if it does it right.
  std::optional<double> trial(const Variant& variant) {
    RandomInputs uniform = random_;
    uniform.distribution = device::Distribution::uniform;  // zeros would find anything right
    Judging small(device_, {1, 2, effort_.trial, problem_.dim, problem_.mask, DType::f32}, uniform,
                  effort_, calls_);
    if (!variant.supports(small.problem_, device_.facts())) return std::nullopt;
    if (!small.whole(small.run(variant).first.data()).right()) return std::nullopt;
    return small.run(variant).second;
  }

  Referred refer_to(const Variant& variant) {
    const std::int64_t rows = problem_.all_heads() * problem_.seq;
    Referred result{run(variant).first, {device_, static_cast<std::size_t>(rows)}};
    const device::Buffer<RowSensitivity> of(device_, static_cast<std::size_t>(rows));
    const device::Buffer<double> largest(device_, static_cast<std::size_t>(problem_.all_heads()));
    in_pieces({0, problem_.all_heads(), 0, problem_.seq}, [&](const Queries& piece, void* scratch,
                                                              std::int64_t first) {
      calls_->sensitivity(problem_, inputs_, piece, scratch, of.data() + first, device_.stream());
    });
    calls_->tolerances(problem_, inputs_, of.data(), roundings(problem_.dtype), result.o.data(),
                       largest.data(), result.tolerances.data(), device_.stream());
    device_.synchronize();
    return result;
  }

  /// Null where no reference can be run.
  std::shared_ptr<const Referred> refer(const Variant& tested) {
    static const kernels::Table<Variant> table = device_variants();
    return kernels::first_with_memory<Referred>(
        [&] {
          return kernels::references(
              device_.facts().kind, table, tested,
              std::tuple(calls_, effort_.trial, problem_.dim, problem_.mask),
              [&](const Variant& one) {
                return static_cast<bool>(one.supports(as_f32(problem_), device_.facts()));
              },
              [&](const Variant& one) { return trial(one); });
        },
        [&](const kernels::Named<Variant>& named) {
          return kept<Referred>("reference " + std::string(named.name),
                                [&] { return refer_to(named.variant); });
        });
  }

  device::Device& device_;
  Problem problem_;
  RandomInputs random_;
  kernels::Effort effort_;
  Inputs inputs_;
  DeviceOracle calls_;
};

}  // namespace

Roundings roundings(DType dtype) {
  return {unit_roundoff(dtype), unit_roundoff(DType::f32), dtype == DType::f16 ? 0x1p-25 : 0};
}

Deviation deviation(device::Device& device, const Problem& problem, const Variant& tested,
                    const RandomInputs& inputs, const void* o, const kernels::Effort& effort,
                    DeviceOracle oracle) {
  if (!kernels::judged_on(device))
    return deviation(device, problem, *expect_random(problem, inputs), o);
  Judging judging(device, problem, inputs, effort, oracle);
  if (problem.flops() <= effort.whole) return judging.whole(o);
  return problem.flops() <= effort.by_variant ? judging.by_variant(tested, o) : judging.sample(o);
}

}  // namespace ridgeline::attention
