/// Bits of `count` floats, summed `passes` times modulo 2^32.
RIDGELINE_SIMD std::uint32_t sum_of_bits(const float* in, std::int64_t count, int passes) {
  constexpr std::int64_t lanes = vector_bytes / 4, chains = vector_registers / 2,
                         step = chains * lanes;
  Words sums[chains] = {};
  std::uint32_t total = 0;
  for (int pass = 0; pass < passes; ++pass) {
    std::int64_t i = 0;
    for (; i + step <= count; i += step) {
#pragma GCC unroll 16
      for (int chain = 0; chain < chains; ++chain)
        sums[chain] += *reinterpret_cast<const LooseWords*>(in + i + chain * lanes);
    }
    for (; i < count; ++i) total += std::bit_cast<std::uint32_t>(in[i]);
    simd::keep_accesses();
  }
  Words sum = {};
#pragma GCC unroll 16
  for (int chain = 0; chain < chains; ++chain) sum += sums[chain];
  for (int lane = 0; lane < lanes; ++lane) total += sum[lane];
  return total;
}
