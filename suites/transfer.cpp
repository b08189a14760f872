#include "kernels/transfer/transfer.hpp"

#include <cstring>

#include "kernels/stream/stream.hpp"
#include "suites/cases.hpp"

// How fast does the host reach the device's memory, and what do locked pages buy?

namespace ridgeline::suites {
namespace {

using transfer::Direction;
using transfer::Problem;
using transfer::Variant;
using Named = kernels::Named<Variant>;

/// Sets whose memory is on both sides of the link: one side is copied from, and what arrives on the
/// other is poisoned and verified.
struct BothSides {
  std::vector<Input> in;                     // on the device
  std::vector<std::shared_ptr<float>> host;  // inputs, or outputs
  std::vector<device::Buffer<float>> device_outputs;
};

/// All that arrived, compared as copies on a device are: what is on the host goes there once more.
record::Verification verify(device::Device& device, const Problem& problem, const Input& in,
                            const float* out, std::uint64_t seed) {
  device::Buffer<float> arrived;
  if (problem.direction == Direction::to_host) {
    arrived = device::Buffer<float>(device, static_cast<std::size_t>(problem.elements));
    device.upload(arrived.data(), out, arrived.bytes());
    out = arrived.data();
  }
  const stream::Problem copy{stream::Operation::copy, kernels::Level::dram, problem.elements};
  const kernels::Deviation found = stream::deviation(device, copy, in.values, in.values, out, seed);
  return {found.error, found.tolerance, found.checked};
}

measure::Workload prepare(const Variant& variant, const Problem& problem, measure::Setup& setup) {
  const auto floats = static_cast<std::size_t>(problem.elements);
  const bool to_device = problem.direction == Direction::to_device;
  const measure::Sets sets = setup.sets(static_cast<std::size_t>(problem.bytes()), 64);
  auto data = std::make_shared<BothSides>();
  for (std::size_t i = 0; i < sets.inputs; ++i) {
    data->in.emplace_back(setup, DType::f32, problem.elements);
    if (!to_device) continue;
    data->host.push_back(variant.allocate(floats));
    setup.device.download(data->host.back().get(), data->in.back().data, floats * sizeof(float));
  }
  for (std::size_t i = 0; i < sets.outputs; ++i)
    if (to_device)
      data->device_outputs.emplace_back(setup.device, floats);
    else
      data->host.push_back(variant.allocate(floats));
  const auto output = [=](std::size_t i) {
    return to_device ? data->device_outputs.at(i).data() : data->host.at(i).get();
  };
  return {.bytes = problem.bytes(),
          .sets = sets,
          .launch =
              [=](measure::Turn turn, device::Stream& stream) {
                float* const out = output(turn.output);
                auto* const in = const_cast<float*>(data->in.at(turn.inputs).floats());
                variant.launch(problem,
                               to_device ? transfer::Operands{data->host.at(turn.inputs).get(), out}
                                         : transfer::Operands{out, in},
                               stream);
              },
          .poison =
              [=, &device = setup.device](std::size_t i) {
                if (to_device)
                  data->device_outputs.at(i).poison();
                else
                  std::memset(output(i), 0xFF, floats * sizeof(float));
              },
          .verify =
              [=, &device = setup.device, seed = setup.seed](measure::Turn turn) {
                return verify(device, problem, data->in.at(turn.inputs), output(turn.output), seed);
              },
          .metrics = {}};
}

worker::Case make_case(const Named& named, const Problem& problem) {
  worker::Case result = make_case(
      {"transfer",
       std::string(named.name),
       "f32",
       {{"direction", std::string(transfer::to_string(problem.direction))},
        field("elements", problem.elements)},
       {{"launch", "single"}}},
      named, always(problem), [](const Variant&, const Problem& of) { return 3 * of.bytes(); },
      prepare);
  result.info.bytes = problem.bytes();
  return result;
}

}  // namespace

worker::Suite transfer() {
  worker::Suite suite{"transfer", "How fast does the host reach the device's memory?", {}};
  for (const Named& named : transfer::variants())
    for (const Direction direction : {Direction::to_device, Direction::to_host}) {
      for (std::int64_t elements = 1 << 10; elements <= 1 << 26; elements *= 16)
        suite.cases.push_back(make_case(named, {direction, elements}));
      constexpr std::int64_t largest = 1 << 28;
      suite.cases.push_back(make_case(named, {direction, largest}));
      if (named.variant.measures_link)
        suite.cases.back().info.roof = "link." + std::string(transfer::to_string(direction));
    }
  return suite;
}

}  // namespace ridgeline::suites
