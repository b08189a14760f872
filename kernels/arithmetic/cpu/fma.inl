/// Takes `values` through all rounds. Each vector is a chain of its own; half of the registers hold
/// chains, which is more than latency times rate of multiply-adds asks for (4 cycles x 2 a cycle),
/// the others hold the constants.
template <class Vector, class LooseVector, class Element>
RIDGELINE_SIMD void multiply_add(Element* values, std::int64_t count, std::int64_t rounds,
                                 float multiplier) {
  constexpr std::int64_t lanes = vector_bytes / static_cast<int>(sizeof(Element)),
                         chains = vector_registers / 2;
  const Element by_one = multiplier;
  const Vector by = Vector{} + by_one;
  std::int64_t i = 0;
  for (; i + chains * lanes <= count; i += chains * lanes) {
    Vector x[chains];
#pragma GCC unroll 32
    for (int chain = 0; chain < chains; ++chain)
      x[chain] = *reinterpret_cast<const LooseVector*>(values + i + chain * lanes);
    Vector first = Vector{} + static_cast<Element>(kernels::first_constant),
           second = Vector{} + static_cast<Element>(kernels::second_constant);
    for (std::int64_t round = 0; round < rounds; ++round) {
      for (int pair = 0; pair < kernels::pairs_of_round; ++pair) {
#pragma GCC unroll 32
        for (int chain = 0; chain < chains; ++chain) x[chain] = by * x[chain] + first;
#pragma GCC unroll 32
        for (int chain = 0; chain < chains; ++chain) x[chain] = by * x[chain] + second;
      }
      const Vector swapped = first;
      first = second;
      second = swapped;
    }
#pragma GCC unroll 32
    for (int chain = 0; chain < chains; ++chain)
      *reinterpret_cast<LooseVector*>(values + i + chain * lanes) = x[chain];
  }
  for (; i < count; ++i) {  // what fills no set of vectors
    Element x = values[i], first = static_cast<Element>(kernels::first_constant),
            second = static_cast<Element>(kernels::second_constant);
    for (std::int64_t round = 0; round < rounds; ++round) {
      for (int pair = 0; pair < kernels::pairs_of_round; ++pair) {
        x = by_one * x + first;
        x = by_one * x + second;
      }
      const Element swapped = first;
      first = second;
      second = swapped;
    }
    values[i] = x;
  }
}

RIDGELINE_SIMD void multiply_add_f32(float* values, std::int64_t count, std::int64_t rounds,
                                     float multiplier) {
  multiply_add<Floats, LooseFloats>(values, count, rounds, multiplier);
}
RIDGELINE_SIMD void multiply_add_f64(double* values, std::int64_t count, std::int64_t rounds,
                                     float multiplier) {
  multiply_add<Doubles, LooseDoubles>(values, count, rounds, multiplier);
}
