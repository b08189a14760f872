#include "harness/measure/rotation.hpp"

namespace ridgeline::measure {

Rotation::Rotation(device::Device& device, const Workload& workload, device::Launch launch)
    : device_(device), workload_(workload), launch_(launch) {
  set_executions(1);
}

void Rotation::set_executions(std::int64_t wanted) {
  const auto sets = static_cast<std::int64_t>(workload_.sets);
  if (launch_ == device::Launch::single) {
    executions_ = 1;
  } else if (wanted >= sets) {
    executions_ = (wanted + sets - 1) / sets * sets;
  } else {
    executions_ = wanted;
    while (sets % executions_ != 0) ++executions_;
  }
  batches_.clear();
  batches_.resize(static_cast<std::size_t>(executions_ >= sets ? 1 : sets / executions_));
  next_ = 0;
}

void Rotation::prepare_next() {
  std::unique_ptr<device::Batch>& batch = batches_[next_];
  if (batch) return;
  const std::size_t first = next_ * static_cast<std::size_t>(executions_);
  const auto launches = [this, first](device::Stream& stream) {
    for (std::size_t i = 0; i < static_cast<std::size_t>(executions_); ++i)
      workload_.launch((first + i) % workload_.sets, stream);
  };
  batch = device_.record(launches, launch_);
}

double Rotation::run_ns() {
  prepare_next();
  const double ns = batches_[next_]->run_ns();
  last_set_ = ((next_ + 1) * static_cast<std::size_t>(executions_) - 1) % workload_.sets;
  next_ = (next_ + 1) % batches_.size();
  return ns;
}

}  // namespace ridgeline::measure
