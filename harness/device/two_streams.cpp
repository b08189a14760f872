#include "harness/device/two_streams.hpp"

#include <chrono>
#include <memory>

#include "harness/device/cuda/cuda_device.hpp"
#include "harness/device/device.hpp"

namespace ridgeline::device {
namespace {

/// Of devices whose launches run at once: what is beside goes on while its library lets it.
class InTurns final : public TwoStreams {
 public:
  void launch(Stream& stream, const Parts& parts) override {
    const auto start = std::chrono::steady_clock::now();
    const auto since = [&] {
      return std::chrono::duration<double, std::nano>(std::chrono::steady_clock::now() - start)
          .count();
    };
    parts.begin_beside(stream);
    parts.work(stream);
    ends_.work_ns = since();
    parts.end_beside();
    ends_.beside_ns = since();
  }
  Ends ends() override { return ends_; }

 private:
  Ends ends_;
};

}  // namespace

std::unique_ptr<TwoStreams> two_streams([[maybe_unused]] Device& device,
                                        [[maybe_unused]] Priority beside) {
#ifdef RIDGELINE_HAVE_CUDA
  if (device.facts().kind == Kind::cuda) return cuda::two_streams(beside);
#endif
  return std::make_unique<InTurns>();
}

}  // namespace ridgeline::device
