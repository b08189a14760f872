#include "harness/emulated/program/rewriter/rewrite.hpp"

#include <algorithm>
#include <string>

#include <gtest/gtest.h>

namespace ridgeline::program {
namespace rewrite_test {

Rewritten rewritten(const std::string& text) {
  Source source;
  source.text = "# 1 \"program.cu\"\n" + text;
  return rewrite(std::move(source));
}

/// Whether `text` becomes something with `part` in it, spaces aside.
testing::AssertionResult becomes(const std::string& text, std::string part) {
  std::string made = rewritten(text).text;
  std::erase(made, ' ');
  std::erase(part, ' ');
  if (made.find(part) != std::string::npos) return testing::AssertionSuccess();
  return testing::AssertionFailure() << made;
}

TEST(Rewriter, AKernelAsksWhetherItIsLaunched) {
  EXPECT_TRUE(
      becomes("__global__ void k(float* x, int) {}",
              "k(float* x, int ridgeline_p1 ) { if (::ridgeline::program::is_launching())"));
  EXPECT_TRUE(becomes("template <class T, int = 4> __global__ void k(T* x, const T (&)[3]) {}",
                      "::ridgeline::program::InFunction<decltype(x)>::Type,"
                      "typename ::ridgeline::program::InFunction<decltype(ridgeline_p1)>::Type)>"
                      "(k<T,ridgeline_t1>), x, ridgeline_p1)"));
  EXPECT_TRUE(becomes("template <class... T> __global__ void k(T* __restrict__... x) {}",
                      "InFunction<decltype(x)>::Type...)>(k<T...>), x...)"));
  EXPECT_FALSE(
      becomes("template <class... T> __global__ void k(T* __restrict__... x) {}", "__restrict__"));
  EXPECT_TRUE(becomes("template <> __global__ void k<float>(float* x) {}", "(k<float>), x)"));
  EXPECT_TRUE(becomes("__global__ void __cluster_dims__(2, 1, 1) k(int x) {}", "::dim3(2,1,1)"));
  EXPECT_EQ(rewritten("__global__ void k(int); void f(int) {}").kernels, 0);
}

TEST(Rewriter, AParameterMayHaveItsKernelsName) {
  EXPECT_TRUE(
      becomes("namespace a::b { namespace { __global__ void k(int* k) {} } }", ">(::a::b::k), k)"));
  EXPECT_TRUE(becomes("namespace a { } __global__ void b::k(int* k) {}", ">(::b::k), k)"));
  EXPECT_TRUE(becomes("extern \"C\" { __global__ void k(int* k) {} }", ">(::k), k)"));
}

TEST(Rewriter, RequirementsOfTemplatesAreNoParameters) {
  for (const char* each : {"requires (sizeof(T) < 8) && (sizeof(T) > 1)", "requires ::ns::Small<T>",
                           "requires f(T{})", "requires A<T>::value || !B<T, 2>"})
    EXPECT_TRUE(becomes(std::string("template <class T> ") + each +
                            " __host__ __device__ int f(T t) { return t + threadIdx.x; }",
                        "int f(T t) { return t + (::ridgeline::emulated::thread_index()).x; }"))
        << each;
}

TEST(Rewriter, WordsOfNvccThatAreNoMacrosHaveAMeaning) {
  EXPECT_TRUE(becomes("__device__ __noinline__ int f() { return 1; }",
                      "__attribute__((noinline)) int f()"));
  const std::string text = "__attribute__((__noinline__)) int f() { return 1; }";
  EXPECT_TRUE(becomes(text, text));
}

TEST(Rewriter, TextureReferencesHaveANameOfTheirOwn) {
  EXPECT_TRUE(becomes("texture<float, 2> t;", "ridgeline_texture_reference<float, 2> t;"));
  const std::string text = "template <class T> class texture {}; texture<int> t;";
  EXPECT_TRUE(becomes(text, text));  // the program's own
  for (const std::string compares :
       {"int f(int texture, int n) { return texture < n; }", "bool b = m.texture < 7, c = 3 > d;",
        "bool b = p->texture < 5, c = 3 > d;", "bool b = texture < a && c > d;",
        "bool b = texture < a || c > d;"})
    EXPECT_TRUE(becomes(compares, compares)) << compares;
}

TEST(Rewriter, LaunchesOfEveryFormAreCalls) {
  for (const auto& [launch, call] :
       {std::pair{"k<<<1, 32>>>(x);", "(configure(1, 32), k(x));"},
        {"k << <1, 32 >> > (x);", "(configure(1, 32 ), k (x));"},
        {"k<float, 4><<<n / 2, f<3>(), s, t>>>(x, y);",
         "(configure(n/2, f<3>(), s, t), k<float, 4>(x, y));"},
        {"if (a) k<<<a < b ? a : b, c > d>>>();", "if (a) (configure(a < b ? a : b, c > d), k());"},
        {"k<<<g<A<B>>(x), 32>>>(x);", "(configure(g<A<B>>(x), 32), k(x));"},
        {"k<<<dim3(1, 2), {3, 4}>>>(x);", "(configure(dim3(1, 2), {3, 4}), k(x));"},
        {"ns::S<int>::k<<<1, 2>>>(x);", "(configure(1, 2), ns::S<int>::k(x));"},
        {"q<T, (P > 1 ? 4 : 5)><<<1, 2>>>(x);", "(configure(1, 2), q<T, (P > 1 ? 4 : 5)>(x));"},
        {"if (a) { q<(1 << 4)><<<1, 2>>>(x); }", "if (a) { (configure(1, 2), q<(1 << 4)>(x)); }"},
        {"(*table[i])<<<1, 2>>>(x);", "(configure(1, 2), (*table[i])(x));"},
        {"t.k[i]<<<1, 2>>>(x);", "(configure(1, 2), t.k[i](x));"}}) {
    std::string made = rewritten(std::string("void f() { ") + launch + " }").text, wanted = call;
    for (std::string* text : {&made, &wanted}) std::erase(*text, ' ');
    for (std::size_t at = made.find("::ridgeline::program::"); at != std::string::npos;
         at = made.find("::ridgeline::program::"))
      made.erase(at, 22);
    EXPECT_NE(made.find(wanted), std::string::npos) << made << "\nhas no\n" << wanted;
  }
}

TEST(Rewriter, ShiftsAndTemplatesAreNoLaunches) {
  const std::string text =
      "void f() { x << 3; A<B<C<int>>> a; std::cout << \"<<<1>>>\" << '\\''; }";
  EXPECT_NE(rewritten(text).text.find(text.substr(10)), std::string::npos);
  EXPECT_TRUE(rewritten(text).problems.empty());
}

TEST(Rewriter, TheHostMayHaveNamesOfTheDevice) {
  EXPECT_TRUE(becomes("void f() { dim3 blockDim(4), threadIdx; c.gridDim = blockDim; }",
                      "dim3 blockDim(4), threadIdx; c.gridDim = blockDim;"));
  EXPECT_TRUE(becomes("__device__ int f() { return threadIdx.x + s.blockIdx; }",
                      "return (::ridgeline::emulated::thread_index()).x + s.blockIdx;"));
  EXPECT_TRUE(becomes("void f() { g([=] __device__ (int i) { return blockIdx.x; }); blockIdx; }",
                      "return (::ridgeline::emulated::block_index()).x; }); blockIdx;"));
  EXPECT_TRUE(
      becomes("void f() { clock(); exit(1); }", "clock(); ::ridgeline::program::leave(1);"));
  EXPECT_TRUE(becomes("__device__ void f() { clock(); }", "::ridgeline::program::device_clock()"));
}

TEST(Rewriter, SharedMemoryIsOfABlock) {
  EXPECT_TRUE(becomes("__global__ void k() { extern __shared__ __align__(16) float s[]; s[0]; }",
                      "float * const s = (float *)::ridgeline::emulated::dynamic_shared();"));
  EXPECT_TRUE(becomes("extern __shared__ int s[]; __global__ void k() { s[1] = 2; }",
                      "(ridgeline_dynamic_s())[1] = 2;"));
  for (const char* own : {"k() { __shared__ int s[4]; s[1] = 2; }", "k(int* s) { s[1] = 2; }",
                          "k() { int* s = x; s[1] = 2; }", "k() { const int* s; s[1] = 2; }"})
    EXPECT_TRUE(
        becomes("extern __shared__ int s[]; __global__ void " + std::string(own), "s[1] = 2; }"))
        << own;
  EXPECT_TRUE(becomes("__shared__ extern int s[]; __global__ void k() { for (;i * s[0] < n;) {} }",
                      "i * (ridgeline_dynamic_s())[0]"));
  EXPECT_TRUE(becomes("__global__ void k() { __shared__ alignas(256) float s[4]; }",
                      "thread_local __attribute__((aligned(128))) __attribute__((aligned(256)))"));
}

TEST(Rewriter, MainIsCalledByTheProgramAroundIt) {
  const Rewritten made = rewritten("int main(int, char**) { if (a) { } }");
  EXPECT_TRUE(made.has_main);
  EXPECT_NE(made.text.find("ridgeline_program_main(int, char**) { if (a) { } return 0;}"),
            std::string::npos)
      << made.text;
  EXPECT_FALSE(rewritten("struct S { int main() { return 1; } };").has_main);
}

TEST(Rewriter, EachTokenKeepsItsLine) {
  const std::string text =
      "__global__ void k() {}\nvoid f() {\n  k\n  <<<1,\n     2>>>(\n  );\n  last();\n}\n";
  const std::string made = rewritten(text).text;
  const auto line_of = [](const std::string& in, const char* word) {
    return std::count(in.begin(), in.begin() + static_cast<std::ptrdiff_t>(in.find(word)), '\n');
  };
  EXPECT_EQ(line_of(made, "last"), line_of(text, "last") + 1);  // and the marker
}

TEST(Rewriter, InlinePtxBecomesCalls) {
  EXPECT_TRUE(
      becomes("__device__ void f() { asm volatile(\"mov.u32 %0, %%laneid;\" : \"=r\"(x)); }",
              "put(ridgeline_0, ::ridgeline::program::ptx::lane());"));
  EXPECT_TRUE(
      becomes("__device__ void f() { asm(\"ld.global.nc.u32 %0, [%1];\" : \"=r\"(x) : \"l\"(p)); }",
              "load_read_only("));
  EXPECT_TRUE(becomes("__device__ void f() { asm volatile(\"bar.sync %0, 64;\" :: \"r\"(n)); }",
                      "barrier_sync_named("));
  EXPECT_TRUE(
      becomes("__device__ void f() { asm volatile(\"bar.sync 2;\"); }", "barrier_sync_named("));
  EXPECT_TRUE(
      becomes("__device__ void f() { asm volatile(\"barrier.cta.arrive.aligned 3, 96;\"); }",
              "barrier_arrive_named("));
  EXPECT_TRUE(becomes("__device__ void f() { asm(\"cp.async.commit_group;\\n\" ::: \"memory\"); }",
                      "::ridgeline::emulated::copy_commit();"));
  EXPECT_TRUE(
      becomes("__device__ void f() { asm(\"{.reg .pred p; setp.lt.s32 p, %1, 4; @p mov.b32 "
              "%0, 1;}\" : \"=r\"(x) : \"r\"(threadIdx.x)); }",
              "if (ridgeline_register_p) {"));
}

TEST(Rewriter, WhatIsNotModelledHasItsLine) {
  const Rewritten made =
      rewritten("\n__device__ void f() {\n  asm(\"wgmma.fence.sync.aligned;\");\n}\n");
  ASSERT_EQ(made.problems.size(), 1u);
  EXPECT_EQ(made.problems[0].place, "program.cu:3");
  EXPECT_EQ(made.problems[0].what, "inline PTX: wgmma.fence.sync.aligned is not modelled");
}

TEST(Rewriter, HostileTextEnds) {
  for (const char* text : {"",
                           "{",
                           "}",
                           "((((",
                           "template <",
                           "__global__",
                           "k<<<",
                           "asm(",
                           "R\"(",
                           "__global__ void k(",
                           "void f() { k<<<>>>( }",
                           "extern __shared__ x;",
                           "struct",
                           "operator",
                           "__global__ void (",
                           "[",
                           "\"",
                           "# 1 \"",
                           "<<<>>>()",
                           "__device__ void f() { asm( }",
                           "__shared__",
                           "void f() { <<<1>>>(); }"})
    rewritten(text);
}

}  // namespace rewrite_test
}  // namespace ridgeline::program
