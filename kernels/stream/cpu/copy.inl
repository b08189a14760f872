RIDGELINE_SIMD void copy_through_caches(const float* a, float* c, std::int64_t count) {
  constexpr std::int64_t lanes = vector_bytes / 4;
  std::int64_t i = 0;
  for (; i + 4 * lanes <= count; i += 4 * lanes) {
#pragma GCC unroll 4
    for (int vector = 0; vector < 4; ++vector)
      *reinterpret_cast<LooseFloats*>(c + i + vector * lanes) =
          *reinterpret_cast<const LooseFloats*>(a + i + vector * lanes);
  }
  for (; i < count; ++i) c[i] = a[i];
}

/// `c` must be a multiple of 64.
RIDGELINE_SIMD void copy_past_caches(const float* a, float* c, std::int64_t count) {
  constexpr int lanes = vector_bytes / 4;
  std::int64_t i = 0;
  for (; i + 64 <= count; i += 64) {
#pragma GCC unroll 16
    for (int at = 0; at < 64; at += lanes) {
      const Floats value = *reinterpret_cast<const LooseFloats*>(a + i + at);
      store_past_caches(c + i + at, value);
    }
  }
  for (; i < count; ++i) c[i] = a[i];
}
