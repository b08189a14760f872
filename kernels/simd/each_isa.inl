// Includes the file RIDGELINE_SIMD_LOOPS in namespaces baseline, avx2 and avx512. Its functions
// carry RIDGELINE_SIMD, which allows the namespace's instructions, and use the vector types of
// kernels/simd/vectors.hpp. To be included inside the namespace of the code that uses the loops.
namespace baseline {
using namespace simd::baseline;
#define RIDGELINE_SIMD
#include RIDGELINE_SIMD_LOOPS
#undef RIDGELINE_SIMD
}  // namespace baseline

#if defined(__x86_64__)
namespace avx2 {
using namespace simd::avx2;
#define RIDGELINE_SIMD [[gnu::target("avx2,fma")]]
#include RIDGELINE_SIMD_LOOPS
#undef RIDGELINE_SIMD
}  // namespace avx2

namespace avx512 {
using namespace simd::avx512;
#define RIDGELINE_SIMD [[gnu::target("avx512f,fma,prefer-vector-width=512")]]
#include RIDGELINE_SIMD_LOOPS
#undef RIDGELINE_SIMD
}  // namespace avx512
#endif
