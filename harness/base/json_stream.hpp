#pragma once

#include <cstddef>
#include <functional>
#include <istream>
#include <string>
#include <vector>

#include "harness/base/json.hpp"

/// Documents that are too large to be held: read piece by piece.
namespace ridgeline::json {

/// A document that is no JSON, or beyond a limit, from this line on.
class StreamError : public Error {
 public:
  StreamError(std::size_t line, const std::string& failure) : Error(failure), line(line) {}
  std::size_t line;
};

/// What a document may hold at most.
struct StreamLimits {
  int depth = 32;
  std::size_t text_bytes = 64 << 10;  // of one text, as written
  std::size_t members = 2000;         // of one object
  std::size_t values = 200'000;       // held at one time
};

/// An element of one of the arrays that were asked for.
struct Element {
  std::size_t path;     // which of the paths
  std::size_t line;     // where it begins, from 1
  Value value;          // without the elements that were taken before
  const Value& parent;  // the object that holds its array, as far as it was read; null for none
};

/// Reads one document. Elements of the arrays at `paths` ("benchmarks", "benchmarks/*/states"; ""
/// is the document itself) are taken one after the other, and not kept; the line of a member of the
/// document is not known. Returns the rest of the document.
///
/// The numbers that JSON has no word for and programs write all the same become the texts "NaN",
/// "Infinity" and "-Infinity". Two members of one key are refused. Throws StreamError.
Value read_elements(std::istream& stream, const std::vector<std::string>& paths,
                    const std::function<void(Element&&)>& take, const StreamLimits& limits = {});

}  // namespace ridgeline::json
