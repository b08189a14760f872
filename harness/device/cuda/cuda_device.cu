#include <algorithm>
#include <utility>

#include <cuda_bf16.h>
#include <cuda_fp16.h>

#include "harness/device/cuda/cuda_device.hpp"
#include "harness/device/cuda/language.cuh"
#include "harness/device/cuda/waiting.cuh"
#include "harness/device/nvml/nvml.hpp"
#include "harness/device/random.hpp"

namespace ridgeline::device::cuda {
namespace {

template <class Element>
__device__ Element make_element(Distribution distribution, std::uint64_t seed, std::uint64_t index);
template <>
__device__ double make_element(Distribution distribution, std::uint64_t seed, std::uint64_t index) {
  return random_double(distribution, seed, index);
}
template <>
__device__ float make_element(Distribution distribution, std::uint64_t seed, std::uint64_t index) {
  return random_float(distribution, seed, index);
}
template <>
__device__ __half make_element(Distribution distribution, std::uint64_t seed, std::uint64_t index) {
  return __float2half_rn(random_float(distribution, seed, index));
}
template <>
__device__ __nv_bfloat16 make_element(Distribution distribution, std::uint64_t seed,
                                      std::uint64_t index) {
  return __float2bfloat16_rn(random_float(distribution, seed, index));
}
template <>
__device__ std::int32_t make_element(Distribution, std::uint64_t seed, std::uint64_t index) {
  return random_i32(seed, index);
}
template <>
__device__ std::uint8_t make_element(Distribution, std::uint64_t seed, std::uint64_t index) {
  return random_u8(seed, index);
}

/// As its bits.
struct E4m3 {
  std::uint8_t bits;
};
template <>
__device__ E4m3 make_element(Distribution distribution, std::uint64_t seed, std::uint64_t index) {
  return {random_e4m3(distribution, seed, index)};
}

template <class Element>
__global__ void fill_elements(Element* to, std::size_t count, Distribution distribution,
                              std::uint64_t seed, std::uint64_t first) {
  const std::size_t stride = std::size_t{gridDim.x} * blockDim.x;
  for (std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x; i < count; i += stride)
    to[i] = make_element<Element>(distribution, seed, first + i);
}

class CudaDevice final : public Device {
 public:
  CudaDevice(int index, Facts facts) : index_(index), facts_(std::move(facts)), gpu_(facts_.uuid) {
    check_cuda(cudaSetDevice(index), "making a GPU the current one");
    std::size_t free = 0, total = 0;
    check_cuda(cudaMemGetInfo(&free, &total), "making a context on a GPU");
    facts_.memory_free = free;
    cudaStream_t stream = nullptr;
    check_cuda(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), "creating a stream");
    stream_.native = stream;
    check_cuda(cudaEventCreateWithFlags(&launched_, cudaEventDisableTiming), "creating an event");
  }
  ~CudaDevice() override {
    keeper().reset();
    cudaEventDestroy(launched_);
    cudaStreamDestroy(native());
  }

  const Facts& facts() const override { return facts_; }

  void* allocate(std::size_t bytes) override {
    void* memory = nullptr;
    cudaError_t status = cudaMalloc(&memory, std::max<std::size_t>(bytes, 1));
    if (status == cudaErrorMemoryAllocation && keeper() && keeper()->give_back()) {
      cudaGetLastError();  // what failed is tried again
      status = cudaMalloc(&memory, std::max<std::size_t>(bytes, 1));
    }
    if (status != cudaSuccess) {
      cudaGetLastError();  // running out of memory leaves the context sound
      const std::string failure = "allocating " + std::to_string(bytes) + " bytes on " + facts_.id +
                                  " failed: " + cudaGetErrorString(status);
      if (status == cudaErrorMemoryAllocation)
        throw OutOfMemory(failure, "measure smaller cases, or free the GPU's memory");
      throw Error(ErrorKind::dependency, failure);
    }
    return memory;
  }
  void release(void* memory) noexcept override { cudaFree(memory); }

  void upload(void* to, const void* from_host, std::size_t bytes) override {
    check_cuda(cudaMemcpyAsync(to, from_host, bytes, cudaMemcpyHostToDevice, native()),
               "copying to a GPU");
    synchronize();
  }
  void download(void* to_host, const void* from, std::size_t bytes) override {
    check_cuda(cudaMemcpyAsync(to_host, from, bytes, cudaMemcpyDeviceToHost, native()),
               "copying from a GPU");
    synchronize();
  }

  void fill(void* to, DType dtype, std::size_t count, Distribution distribution, std::uint64_t seed,
            std::uint64_t first) override {
    if (distribution == Distribution::zeros) return set_bytes(to, 0, count * size_of(dtype));
    switch (dtype) {
      case DType::f64:
        return fill_all<double>(to, count, distribution, seed, first);
      case DType::f32:
      case DType::tf32:
        return fill_all<float>(to, count, distribution, seed, first);
      case DType::f16:
        return fill_all<__half>(to, count, distribution, seed, first);
      case DType::bf16:
        return fill_all<__nv_bfloat16>(to, count, distribution, seed, first);
      case DType::e4m3:
      case DType::e4m3_fast:
        return fill_all<E4m3>(to, count, distribution, seed, first);
      case DType::i32:
        return fill_all<std::int32_t>(to, count, distribution, seed, first);
      case DType::u8:
      case DType::i8:  // the same bits
        return fill_all<std::uint8_t>(to, count, distribution, seed, first);
    }
  }
  void poison(void* memory, std::size_t bytes) override { set_bytes(memory, 0xFF, bytes); }

  void make_current() override {
    check_cuda(cudaSetDevice(index_), "making a GPU the current one");
  }
  void reach(Device& peer) override {
    auto* const other = dynamic_cast<CudaDevice*>(&peer);
    if (other == nullptr) return Device::reach(peer);
    const cudaError_t enabled = cudaDeviceEnablePeerAccess(other->index_, 0);
    if (enabled == cudaErrorPeerAccessAlreadyEnabled)
      cudaGetLastError();  // by a case before
    else
      check_cuda(enabled, "reaching the memory of another GPU");
  }
  void begin_after(Device& other) override {
    auto* const gpu = dynamic_cast<CudaDevice*>(&other);
    if (gpu == nullptr) return Device::begin_after(other);
    check_cuda(cudaEventRecord(gpu->launched_, gpu->native()), "recording an event");
    check_cuda(cudaStreamWaitEvent(native(), gpu->launched_, 0), "waiting for another GPU");
  }

  Stream& stream() override { return stream_; }
  void synchronize() override {
    wait_for([this] { return cudaStreamQuery(native()); },
             [this] { return cudaStreamSynchronize(native()); }, "waiting for a GPU");
  }
  std::unique_ptr<Batch> record(std::function<void(Stream&)> launches, Launch mode) override {
    if (mode == Launch::single) return record_single(std::move(launches), stream_);
    return record_graph(launches, stream_);
  }
  std::vector<LoadedKernel> kernels_of(const std::function<void(Stream&)>& launches) override {
    return cuda::kernels_of(launches, stream_);
  }
  Reading read_sensors() override { return gpu_.read(); }
  std::optional<double> read_energy_j() override { return gpu_.read_energy_j(); }
  std::optional<double> read_sm_clock_mhz() override { return gpu_.read_sm_clock_mhz(); }

  std::optional<std::uint64_t> memory_in_use() override {
    std::size_t free = 0, total = 0;
    check_cuda(cudaMemGetInfo(&free, &total), "asking a GPU for its free memory");
    return total - free;
  }

  void forget_persisting_lines() override {
    int most = 0;  // bytes of L2 that can persist; none before Ampere
    check_cuda(cudaDeviceGetAttribute(&most, cudaDevAttrMaxPersistingL2CacheSize, index_),
               "asking a GPU for its persisting L2");
    if (most == 0) return;
    cudaStreamAttrValue none{};  // a window of no bytes
    check_cuda(cudaStreamSetAttribute(native(), cudaStreamAttributeAccessPolicyWindow, &none),
               "taking back a stream's window of persisting L2");
    const cudaError_t limited = cudaDeviceSetLimit(cudaLimitPersistingL2CacheSize, 0);
    if (limited == cudaErrorUnsupportedLimit || limited == cudaErrorNotSupported)
      cudaGetLastError();  // then no program can set any aside, as in a part of a GPU
    else
      check_cuda(limited, "taking back the share of L2 that persists");
    check_cuda(cudaCtxResetPersistingL2Cache(), "resetting the lines that persist in L2");
  }

 private:
  cudaStream_t native() const { return static_cast<cudaStream_t>(stream_.native); }

  void set_bytes(void* memory, int value, std::size_t bytes) {
    if (bytes != 0)
      check_cuda(cudaMemsetAsync(memory, value, bytes, native()), "setting bytes on a GPU");
  }

  template <class Element>
  void fill_all(void* to, std::size_t count, Distribution distribution, std::uint64_t seed,
                std::uint64_t first) {
    constexpr int threads = 256;
    LaunchConfig config;
    config.grid.x = static_cast<unsigned>(
        std::min<std::size_t>((count + threads - 1) / threads, 32u * facts_.units));
    config.block.x = threads;
    launch(config, stream_, fill_elements<Element>, static_cast<Element*>(to), count, distribution,
           seed, first);
  }

  int index_;
  Facts facts_;
  nvml::Gpu gpu_;
  Stream stream_;
  cudaEvent_t launched_ = nullptr;  // of the latest begin_after() this device
};

}  // namespace

std::unique_ptr<Device> open(int index, Facts facts) {
  return std::make_unique<CudaDevice>(index, std::move(facts));
}

}  // namespace ridgeline::device::cuda
