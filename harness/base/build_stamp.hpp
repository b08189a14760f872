#pragma once

namespace ridgeline {

/// Facts of a build, written into a source by build_stamp.cmake whenever they change. Of fixed size
/// and in a section of its own, so that two commits with the same code have the same code and the
/// same hash of it.
struct BuildStamp {
  char commit[64];
  char dirty;  // '1' when the checkout differed from the commit
  char compiler[128];
  char flags[512];
  char cuda[128];
};

/// Of the program that is linked with the source that build_stamp.cmake wrote.
extern const BuildStamp build_stamp;

}  // namespace ridgeline
