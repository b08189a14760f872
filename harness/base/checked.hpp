#pragma once

#include "harness/base/names.hpp"

namespace ridgeline {

/// How much of an output was compared with the oracle's, the least first.
enum class Checked {
  sample,      // the oracle's rows or elements that a seed picked
  by_variant,  // such a sample, and every element with the output of a variant that the oracle had
               // found right, whole, on a smaller problem
  whole,       // every element
};

inline std::span<const Name<Checked>> names(Checked) {
  static constexpr Name<Checked> names[] = {
      {Checked::sample, "sample"}, {Checked::by_variant, "by_variant"}, {Checked::whole, "whole"}};
  return names;
}

}  // namespace ridgeline
