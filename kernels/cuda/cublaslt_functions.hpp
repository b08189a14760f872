#pragma once

#include <string>

#include <cublasLt.h>

#include "harness/device/library.hpp"

namespace ridgeline::kernels::cublaslt {

/// What is called of cuBLASLt, with the types that its header declares.
struct Functions {
  decltype(&cublasLtCreate) create;
  decltype(&cublasLtMatmulDescCreate) operation_create;
  decltype(&cublasLtMatmulDescSetAttribute) operation_set;
  decltype(&cublasLtMatrixLayoutCreate) layout_create;
  decltype(&cublasLtMatrixLayoutSetAttribute) layout_set;
  decltype(&cublasLtMatmulPreferenceCreate) preference_create;
  decltype(&cublasLtMatmulPreferenceSetAttribute) preference_set;
  decltype(&cublasLtMatmulPreferenceDestroy) preference_destroy;
  decltype(&cublasLtMatmulAlgoGetHeuristic) heuristic;
  decltype(&cublasLtMatmul) matmul;
  std::string missing;  // why they cannot be called; empty when they can
};

inline Functions load() {
  const device::Library library{"libcublasLt.so.13", "libcublasLt.so.12"};
  Functions table{};
  const auto find = [&]<class Function>(const char* name, Function*& function) {
    function = library.function<Function>(name);
    if (function == nullptr && table.missing.empty())
      table.missing =
          library.loaded() ? "libcublasLt.so lacks " + std::string(name) : library.reason();
  };
  find("cublasLtCreate", table.create);
  find("cublasLtMatmulDescCreate", table.operation_create);
  find("cublasLtMatmulDescSetAttribute", table.operation_set);
  find("cublasLtMatrixLayoutCreate", table.layout_create);
  find("cublasLtMatrixLayoutSetAttribute", table.layout_set);
  find("cublasLtMatmulPreferenceCreate", table.preference_create);
  find("cublasLtMatmulPreferenceSetAttribute", table.preference_set);
  find("cublasLtMatmulPreferenceDestroy", table.preference_destroy);
  find("cublasLtMatmulAlgoGetHeuristic", table.heuristic);
  find("cublasLtMatmul", table.matmul);
  return table;
}

/// The library is opened at the first call.
inline const Functions& functions() {
  static const Functions table = load();
  return table;
}

}  // namespace ridgeline::kernels::cublaslt
