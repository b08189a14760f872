#include "kernels/judging.hpp"

#include <algorithm>
#include <cmath>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "kernels/device_oracle.hpp"
#include "kernels/gemm/device_oracle.hpp"
#include "kernels/gemm/oracle.hpp"

// Products that the device's oracle judges, where they lie.

namespace ridgeline::gemm {
namespace {

using kernels::Deviation;
using kernels::Worst;

constexpr std::int64_t fewest_picked = 8;

/// Rows that the oracle expects, in the device's memory.
struct Computed {
  device::Buffer<std::int64_t> picked;  // empty: all
  std::int64_t count = 0;
  device::Buffer<double> c;
  device::Buffer<float> magnitude;

  Rows rows() const { return {count, picked.size() == 0 ? nullptr : picked.data()}; }
  ExpectedRows expected() const { return {c.data(), magnitude.data()}; }
  std::size_t bytes() const { return picked.bytes() + c.bytes() + magnitude.bytes(); }
};

/// The output of a reference variant, and what bounds its errors.
struct Referred {
  device::Buffer<float> c;
  device::Buffer<double> a_norms, b_norms;

  std::size_t bytes() const { return c.bytes() + a_norms.bytes() + b_norms.bytes(); }
};

/// Judges products of one problem on one set of inputs.
class Judging {
 public:
  Judging(device::Device& device, const Problem& problem, const RandomInputs& random,
          const kernels::Effort& effort, DeviceOracle calls)
      : device_(device),
        problem_(problem),
        random_(random),
        effort_(effort),
        inputs_{kernels::random_elements(problem.dtype, random.distribution, random.seed,
                                         random.a_first),
                kernels::random_elements(problem.dtype, random.distribution, random.seed,
                                         random.b_first)},
        calls_(calls) {
    if (is_e4m3(problem.dtype)) {
      inputs_.a.scale = scale_of(problem.dtype);
      inputs_.b.by_columns = {problem.k, problem.n};
    }
    require(calls_ != nullptr, "a program that opens a GPU has oracles for it");
  }

  Deviation whole(const void* c) {
    const auto all = kept<Computed>("expected", [&] { return compute({}); });
    return compare(*all, c, Checked::whole);
  }

  Deviation sample(const void* c) {
    const double products = 2.0 * static_cast<double>(problem_.n) * static_cast<double>(problem_.k);
    const auto most = static_cast<std::int64_t>(effort_.sample / products);
    const auto picked =
        kernels::checked_rows(problem_.m, std::max(fewest_picked, most), random_.seed);
    const auto some =
        kept<Computed>(kernels::key_of("sample", picked.size()), [&] { return compute(picked); });
    return compare(*some, c, Checked::sample);
  }

  Deviation by_variant(const Variant& tested, const void* c) {
    Deviation sampled = sample(c);
    if (!sampled.right()) return sampled;
    const auto referred = refer(tested);
    if (referred == nullptr) return sampled;
    const Reference reference{
        {referred->c.data(), DType::f32, measure(as_f32(problem_), random_.distribution)},
        referred->a_norms.data(),
        referred->b_norms.data()};
    const Worst worst = kernels::worst_of(device_, problem_.m * problem_.n, [&](Worst* partials) {
      calls_->compare_outputs(problem_, output(c), reference, partials, device_.stream());
    });
    if (!(worst.error <= worst.tolerance)) {
      const Deviation of_row = compare(compute({worst.index / problem_.n}), c, Checked::by_variant);
      if (!of_row.right()) return of_row;
      return sampled;  // it is the reference that is wrong
    }
    sampled.checked = Checked::by_variant;
    return sampled;
  }

 private:
  static Problem as_f32(Problem problem) {
    problem.dtype = DType::f32;
    return problem;
  }

  template <class Value, class Compute>
  std::shared_ptr<const Value> kept(const std::string& what, Compute compute) {
    const auto [m, n, k, dtype] = problem_;
    const std::string key = kernels::key_of("gemm " + what, m, n, k, dtype, random_.distribution,
                                            random_.seed, random_.a_first, random_.b_first);
    return kernels::Kept::of(device_).get<Value>(key, compute);
  }

  /// These rows, or all.
  Computed compute(const std::vector<std::int64_t>& picked) {
    Computed rows;
    if (!picked.empty()) rows.picked = device::Buffer<std::int64_t>(device_, picked);
    rows.count = picked.empty() ? problem_.m : static_cast<std::int64_t>(picked.size());
    const auto elements = static_cast<std::size_t>(rows.count * problem_.n);
    rows.c = device::Buffer<double>(device_, elements);
    rows.magnitude = device::Buffer<float>(device_, elements);
    calls_->expect(problem_, inputs_, rows.rows(), rows.expected(), device_.stream());
    judge_once(picked, rows);
    return rows;
  }

  /// Compares a few elements with the CPU's oracle, once a process for each type.
  void judge_once(const std::vector<std::int64_t>& picked, const Computed& rows) {
    static std::set<std::pair<DeviceOracle, DType>> judged;
    const auto [m, n, k, dtype] = problem_;
    if (rows.c.size() == 0 || random_.distribution == device::Distribution::zeros ||
        judged.contains({calls_, dtype}))
      return;
    device_.synchronize();
    for (const std::int64_t at : kernels::checked_rows(rows.count * n, 24, random_.seed)) {
      const std::int64_t i = picked.empty() ? at / n : picked[static_cast<std::size_t>(at / n)],
                         j = at % n;
      // A product of one row and one column.
      const auto a = [&, all = source_of_a(problem_, random_)](
                         std::int64_t first, std::span<float> to) { all(i * k + first, to); };
      const auto b = [&, all = source_of_b(problem_, random_)](std::int64_t first,
                                                               std::span<float> to) {
        for (std::size_t p = 0; p < to.size(); ++p)
          all((first + static_cast<std::int64_t>(p)) * n + j, to.subspan(p, 1));
      };
      const Expected right = expect({1, 1, k, dtype}, a, b, 1);
      double c = 0;
      float magnitude = 0;
      device_.download(&c, rows.c.data() + at, sizeof c);
      device_.download(&magnitude, rows.magnitude.data() + at, sizeof magnitude);
      const double size = right.magnitude[0];
      if (!(std::fabs(c - right.c[0]) <= static_cast<double>(k + 16) * 0x1p-52 * size) ||
          !(std::fabs(magnitude - size) <= 0x1p-22 * size))
        kernels::refuse_oracle("gemm/" + std::string(to_string(dtype)), i * n + j);
    }
    judged.emplace(calls_, dtype);
  }

  Output output(const void* c) const {
    return {c, stored_as(problem_.dtype), measure(problem_, random_.distribution)};
  }

  Deviation compare(const Computed& rows, const void* c, Checked checked) {
    const Output of = output(c);
    const Worst worst = kernels::worst_of(device_, rows.count * problem_.n, [&](Worst* partials) {
      calls_->compare(problem_, rows.rows(), rows.expected(), of, partials, device_.stream());
    });
    return {worst.error, of.measure.tolerance, checked};
  }

  /// The output of `variant` for f32 inputs of the same values, and the seconds that it took.
  std::pair<device::Buffer<float>, double> run(const Variant& variant) {
    const auto [m, n, k, dtype] = problem_;
    const device::Buffer<float> a(device_, static_cast<std::size_t>(m * k)),
        b(device_, static_cast<std::size_t>(k * n));
    calls_->write(inputs_.a, m * k, a.data(), device_.stream());
    calls_->write(inputs_.b, k * n, b.data(), device_.stream());
    const Problem problem = as_f32(problem_);
    const device::Buffer<std::byte> workspace(
        device_, variant.workspace == nullptr ? 0 : variant.workspace(problem));
    device::Buffer<float> c(device_, static_cast<std::size_t>(m * n));
    c.poison();
    const double seconds = kernels::seconds_of(device_, [&] {
      variant.launch(problem, {a.data(), b.data(), c.data(), workspace.data()}, device_.stream());
    });
    return {std::move(c), seconds};
  }

  /// Seconds that `variant` takes for a small problem, if it does it right.
  std::optional<double> trial(const Variant& variant) {
    const std::int64_t edge = effort_.trial;
    RandomInputs uniform = random_;
    uniform.distribution = device::Distribution::uniform;  // zeros would find anything right
    Judging small(device_, {edge, edge, edge, DType::f32}, uniform, effort_, calls_);
    if (!variant.supports(small.problem_, device_.facts())) return std::nullopt;
    if (!small.whole(small.run(variant).first.data()).right()) return std::nullopt;
    return small.run(variant).second;
  }

  /// Null where no reference can be run.
  std::shared_ptr<const Referred> refer(const Variant& tested) {
    static const kernels::Table<Variant> table = device_variants();
    return kernels::first_with_memory<Referred>(
        [&] {
          return kernels::references(
              device_.facts().kind, table, tested, std::pair(calls_, effort_.trial),
              [&](const Variant& one) {
                return !one.vendor && one.supports(as_f32(problem_), device_.facts());
              },
              [&](const Variant& one) { return trial(one); });
        },
        [&](const kernels::Named<Variant>& named) {
          return kept<Referred>("reference " + std::string(named.name),
                                [&] { return refer_to(named.variant); });
        });
  }

  Referred refer_to(const Variant& variant) {
    Referred result{run(variant).first,
                    {device_, static_cast<std::size_t>(problem_.m)},
                    {device_, static_cast<std::size_t>(problem_.n)}};
    calls_->norms(problem_, inputs_, result.a_norms.data(), result.b_norms.data(),
                  device_.stream());
    return result;
  }

  device::Device& device_;
  Problem problem_;
  RandomInputs random_;
  kernels::Effort effort_;
  Inputs inputs_;
  DeviceOracle calls_;
};

}  // namespace

Deviation deviation(device::Device& device, const Problem& problem, const Variant& tested,
                    const RandomInputs& inputs, const void* c, const kernels::Effort& effort,
                    DeviceOracle oracle) {
  if (!kernels::judged_on(device))
    return deviation(device, problem, *expect_random(problem, inputs), c, inputs.distribution);
  Judging judging(device, problem, inputs, effort, oracle);
  if (problem.flops() <= effort.whole) return judging.whole(c);
  return problem.flops() <= effort.by_variant ? judging.by_variant(tested, c) : judging.sample(c);
}

}  // namespace ridgeline::gemm
