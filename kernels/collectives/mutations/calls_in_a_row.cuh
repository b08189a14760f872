// Included behind a kernel, of whose call among two ranks in f32 RIDGELINE_CALL is the name: calls
// in a row within one launch, with a block for each rank, which makes new inputs before each call.
// Between launches of one device everything is ordered, so that they would hide what the ranks must
// wait for.
namespace ridgeline::collectives::on_cuda {
namespace {

__global__ void calls_in_a_row_kernel(const __grid_constant__ Peers peers, std::uint32_t vectors,
                                      int calls, int* wrong) {
  const int rank = rank_of_block(peers);
  auto* const sent = reinterpret_cast<float*>(vectors_at(peers, rank, peers.send));
  const auto* const sums = reinterpret_cast<const float*>(vectors_at(peers, rank, peers.receive));
  int found = 0;
  for (int call = 0; call < calls; ++call) {
    for (std::uint32_t i = threadIdx.x; i < 4 * vectors; i += blockDim.x)
      sent[i] = static_cast<float>(rank + 1 + 10 * call) + static_cast<float>(i);
    __syncthreads();
    RIDGELINE_CALL(peers, vectors);
    __syncthreads();
    for (std::uint32_t i = threadIdx.x; i < 4 * vectors; i += blockDim.x)
      found += sums[i] == static_cast<float>(3 + 20 * call) + 2 * static_cast<float>(i) ? 0 : 1;
    __syncthreads();
  }
  wrong[static_cast<unsigned>(rank) * blockDim.x + threadIdx.x] = found;
}

}  // namespace

void calls_in_a_row(const Peers& peers, const Problem& problem, int calls, int* wrong,
                    device::Stream& stream) {
  start({1, 64}, peers, stream, calls_in_a_row_kernel,
        static_cast<std::uint32_t>(problem.bytes / 16), calls, wrong);
}

}  // namespace ridgeline::collectives::on_cuda
