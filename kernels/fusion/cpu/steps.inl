// The steps of a row of `count` elements, of which the first is number `first` of its array. In
// place where `in` is `out`.

/// exp(x) within 2 units in the last place for x in [-87, 88], to which it is cut: 2^n times a
/// polynomial on [-ln 2 / 2, ln 2 / 2].
RIDGELINE_SIMD inline float exponential(float x) {
  x = x < -87.0f ? -87.0f : x > 88.0f ? 88.0f : x;
  constexpr float shift = 0x1.8p23f;  // its sum with a small number has that number, rounded, in
                                      // its lowest bits
  const float shifted = x * 0x1.715476p0f + shift, n = shifted - shift;
  const float r = (x - n * 0x1.62e4p-1f) - n * 0x1.7f7d1cp-20f;
  float power = 1.0f / 5040;
  power = power * r + 1.0f / 720;
  power = power * r + 1.0f / 120;
  power = power * r + 1.0f / 24;
  power = power * r + 1.0f / 6;
  power = power * r + 0.5f;
  power = power * r + 1.0f;
  power = power * r + 1.0f;
  return power * __builtin_bit_cast(
                     float, (__builtin_bit_cast(std::uint32_t, shifted) << 23) + 0x3F800000u);
}

RIDGELINE_SIMD inline float gelu_of(float z) {
  constexpr float twice = static_cast<float>(2 * gelu_factor),
                  cubic = static_cast<float>(gelu_cubic);
  return z / (1.0f + exponential(-twice * z * (1.0f + cubic * z * z)));
}

/// What dropout multiplies each element with.
RIDGELINE_SIMD inline void mask_factors(std::uint64_t seed, std::int64_t first, std::int64_t count,
                                        float* factors) {
  for (std::int64_t i = 0; i < count;) {
    const std::uint64_t bits = mask_bits(seed, (first + i) / 4);
    for (int place = static_cast<int>((first + i) % 4); place < 4 && i < count; ++place, ++i)
      factors[i] = mask_factor(bits, place);
  }
}

RIDGELINE_SIMD inline void add(const float* left, const float* right, float* out,
                               std::int64_t count) {
#pragma omp simd
  for (std::int64_t i = 0; i < count; ++i) out[i] = left[i] + right[i];
}

RIDGELINE_SIMD inline void gelu(const float* in, float* out, std::int64_t count) {
#pragma omp simd
  for (std::int64_t i = 0; i < count; ++i) out[i] = gelu_of(in[i]);
}

RIDGELINE_SIMD inline void dropout(float* out, std::int64_t count, std::uint64_t seed,
                                   std::int64_t first) {
  constexpr std::int64_t some = 256;
  float factors[some];
  for (std::int64_t begin = 0; begin < count; begin += some) {
    const std::int64_t here = count - begin < some ? count - begin : some;
    mask_factors(seed, first + begin, here, factors);
#pragma omp simd
    for (std::int64_t i = 0; i < here; ++i) out[begin + i] *= factors[i];
  }
}

/// Bias, GELU, dropout and residual at once.
RIDGELINE_SIMD inline void activate(const float* x, const float* bias, const float* residual,
                                    float* out, std::int64_t count, std::uint64_t seed,
                                    std::int64_t first) {
  constexpr std::int64_t some = 256;
  float factors[some];
  for (std::int64_t begin = 0; begin < count; begin += some) {
    const std::int64_t here = count - begin < some ? count - begin : some;
    mask_factors(seed, first + begin, here, factors);
#pragma omp simd
    for (std::int64_t i = begin; i < begin + here; ++i)
      out[i] = residual[i] + gelu_of(x[i] + bias[i]) * factors[i - begin];
  }
}

RIDGELINE_SIMD inline void layer_norm(float* out, const float* gamma, const float* beta,
                                      std::int64_t count) {
  float sum = 0, squares = 0;
#pragma omp simd reduction(+ : sum)
  for (std::int64_t i = 0; i < count; ++i) sum += out[i];
  const float mean = sum / static_cast<float>(count);
#pragma omp simd reduction(+ : squares)
  for (std::int64_t i = 0; i < count; ++i) squares += (out[i] - mean) * (out[i] - mean);
  const float inverse =
      1.0f / std::sqrt(squares / static_cast<float>(count) + static_cast<float>(epsilon));
#pragma omp simd
  for (std::int64_t i = 0; i < count; ++i) out[i] = (out[i] - mean) * inverse * gamma[i] + beta[i];
}
