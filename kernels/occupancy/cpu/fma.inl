/// Takes `chains` vectors of `values` through all rounds, of kernels/exact_steps.hpp.
template <int chains>
RIDGELINE_SIMD void advance(float* values, std::int64_t rounds, float multiplier) {
  constexpr std::int64_t lanes = vector_bytes / 4;
  const Floats by = Floats{} + multiplier;
  Floats first = Floats{} + static_cast<float>(kernels::first_constant);
  Floats second = Floats{} + static_cast<float>(kernels::second_constant);
  Floats x[chains];
#pragma GCC unroll 16
  for (int chain = 0; chain < chains; ++chain)
    x[chain] = *reinterpret_cast<const LooseFloats*>(values + chain * lanes);
  for (std::int64_t round = 0; round < rounds; ++round) {
    for (int pair = 0; pair < kernels::pairs_of_round; ++pair) {
#pragma GCC unroll 16
      for (int chain = 0; chain < chains; ++chain) x[chain] = by * x[chain] + first;
#pragma GCC unroll 16
      for (int chain = 0; chain < chains; ++chain) x[chain] = by * x[chain] + second;
    }
    const Floats swapped = first;
    first = second;
    second = swapped;
  }
#pragma GCC unroll 16
  for (int chain = 0; chain < chains; ++chain)
    *reinterpret_cast<LooseFloats*>(values + chain * lanes) = x[chain];
}
