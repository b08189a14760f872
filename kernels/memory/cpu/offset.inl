RIDGELINE_SIMD void copy_from(const float* in, float* out, std::int64_t count) {
  constexpr int lanes = vector_bytes / 4;
  std::int64_t i = 0;
  for (; i + lanes <= count; i += lanes)
    *reinterpret_cast<LooseFloats*>(out + i) = *reinterpret_cast<const LooseFloats*>(in + i);
  for (; i < count; ++i) out[i] = in[i];
}
