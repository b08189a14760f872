#pragma once

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <map>
#include <string>

#include <fmt/core.h>
#include <unistd.h>

namespace ridgeline::code {

/// Sources by name: a small program that is built as Ridgeline's workers are. Two suites make their
/// cases of the tables of two families.
using Sources = std::map<std::string, std::string>;

inline Sources sources() {
  return {{"family.hpp", R"(
#pragma once
namespace ridgeline {
struct Shape { virtual int area() const; };
inline int common(int x) { int sum = 0; while (x > 1) { sum += x % 7; x /= 3; } return sum; }
struct Variant { const char* idea; int (*launch)(int); };
struct Table { Variant rows[3]; };
namespace gemm { Table variants(); Table device_variants(); Variant oracle(); }
namespace scan { Table variants(); }
namespace worker { int all_suites(); }
}
)"},
          {"gemm_table.cpp", R"(
#include "family.hpp"
namespace ridgeline::gemm {
namespace on_cpu { Variant naive(); Variant tiled(); Variant shaped(); }
Table variants() { return {{on_cpu::naive(), on_cpu::tiled(), on_cpu::shaped()}}; }
}
)"},
          {"scan_table.cpp", R"(
#include "family.hpp"
namespace ridgeline::scan {
namespace on_cpu { Variant one(); Variant two(); }
Table variants() { return {{on_cpu::one(), on_cpu::two()}}; }
}
)"},
          {"naive.cpp", R"(
#include "family.hpp"
namespace ridgeline::gemm::on_cpu {
namespace { int launch(int x); }
Variant naive() { return {"plain", launch}; }
}
extern volatile char pool[] __attribute__((weak));
namespace ridgeline::gemm::on_cpu {
namespace { int launch(int x) { return common(x) + 11 + (pool ? pool[0] : 0); } }
}
)"},
          {"tiled.cpp", R"(
#include "family.hpp"
namespace ridgeline::gemm::on_cpu {
namespace {
const int tiles[8] = {1, 2, 4, 8, 16, 32, 64, 128};
int launch(int x) {
  switch (x) {
    case 0: return 5;
    case 1: return common(7);
    case 2: return common(8) * 3;
    case 3: return common(9) + 4;
    case 4: return common(10) - 5;
    case 5: return common(11) ^ 6;
    default: return tiles[x & 7];
  }
}
}
Variant tiled() { return {"in tiles", launch}; }
}
)"},
          {"shaped.cpp", R"(
#include "family.hpp"
namespace ridgeline::gemm::on_cpu {
namespace {
struct Square : Shape { int area() const override { return 25; } };
struct Line : Shape {};
const Square square;
const Line line;
const Shape* const shapes[2] = {&square, &line};
int launch(int x) {
  try { return shapes[x & 1]->area(); } catch (int) { return 1; }
}
}
Variant shaped() { return {"by shapes", launch}; }
}
)"},
          {"shape.cpp", R"(
#include "family.hpp"
namespace ridgeline {
int Shape::area() const { return 1; }
}
)"},
          {"one.cpp", R"(
#include "family.hpp"
namespace ridgeline::scan::on_cpu {
namespace { double launch_all(int x) { return x * 2.5; }
int launch(int x) { return static_cast<int>(launch_all(x)); } }
Variant one() { return {"one", launch}; }
}
)"},
          {"two.cpp", R"(
#include "family.hpp"
namespace ridgeline::scan::on_cpu {
namespace { thread_local int calls = 3; int launch(int x) { return x + ++calls; } }
Variant two() { return {"two", launch}; }
}
)"},
          {"gemm_suite.cpp", R"(
#include "family.hpp"
namespace ridgeline::suites {
int gemm() { const Table table = gemm::variants(); return table.rows[1].launch(3) + gemm::oracle().launch(2); }
}
)"},
          {"scan_suite.cpp", R"(
#include "family.hpp"
namespace ridgeline::suites {
int scan() { const Table table = scan::variants(); return table.rows[1].launch(3); }
}
)"},
          {"oracle.cpp", R"(
#include "family.hpp"
namespace ridgeline::gemm {
namespace { int launch(int x) { return common(x) + 100; } }
Variant oracle() { return {"oracle", launch}; }
}
)"},
          {"suites_table.cpp", R"(
#include "family.hpp"
namespace ridgeline {
namespace suites { int gemm(); int scan(); }
int worker::all_suites() { return suites::gemm() + suites::scan(); }
}
)"},
          {"main.cpp", R"(
#include <cstdio>
#include "family.hpp"
static int start = std::puts("begin");
int main() {
  std::puts(__FILE__);
  return ridgeline::worker::all_suites() + start;
}
)"}};
}

/// Compiles and links `sources` below a folder of its own, and removes it in the end.
class BuiltProgram {
 public:
  explicit BuiltProgram(const Sources& sources, const std::string& compile = "-O2",
                        const std::string& link = RIDGELINE_COMPARABLE_FLAGS)
      : folder_(std::filesystem::temp_directory_path() /
                fmt::format("ridgeline_code_{}_{}", getpid(), ++count())) {
    std::filesystem::create_directories(folder_);
    std::string files, libraries;
    for (const auto& [name, text] : sources) std::ofstream(folder_ / name) << text;
    for (const auto& [name, text] : sources) {
      if (name.ends_with(".cpp")) files += " " + (folder_ / name).string();
      if (!name.ends_with(".cu")) continue;
      files += " " + compile_kernels(name, compile);
      libraries = cuda_libraries();
    }
    const std::string command = fmt::format(
        "{} -std=c++20 -fPIE -pie -pthread -ffile-prefix-map={}/= {} {} {} {} -o {}", RIDGELINE_CXX,
        folder_.string(), compile, files, link, libraries, file().string());
    built_ = std::system(command.c_str()) == 0;  // NOLINT(concurrency-mt-unsafe)
  }
  BuiltProgram(const BuiltProgram&) = delete;
  ~BuiltProgram() { std::filesystem::remove_all(folder_); }

  bool built() const { return built_; }
  std::filesystem::path file() const { return folder_ / "program"; }

 private:
#ifdef RIDGELINE_NVCC
  /// As ci/cmake compiles them; the object's file.
  std::string compile_kernels(const std::string& name, const std::string& options) const {
    const std::string source = (folder_ / name).string(), object = source + ".o";
    const std::string command = fmt::format(
        "{} -std=c++20 -arch=sm_80 {} -Xcompiler=-fPIC,-ffile-prefix-map={}/= "
        "-Xcudafe=--orig_src_path_name={} -c {} -o {}",
        RIDGELINE_NVCC, options, folder_.string(), name, source, object);
    return std::system(command.c_str()) == 0 ? object : "";  // NOLINT(concurrency-mt-unsafe)
  }
  static std::string cuda_libraries() {
    const auto toolkit = std::filesystem::path(RIDGELINE_NVCC).parent_path().parent_path();
    return fmt::format(
        "-L{0}/lib64 -L{0}/lib -L{0}/targets/x86_64-linux/lib -lcudart_static -ldl -lrt",
        toolkit.string());
  }
#else
  static std::string compile_kernels(const std::string&, const std::string&) { return {}; }
  static std::string cuda_libraries() { return {}; }
#endif
  static int& count() {
    static int programs = 0;
    return programs;
  }
  std::filesystem::path folder_;
  bool built_ = false;
};

}  // namespace ridgeline::code
