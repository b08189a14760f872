# Writes build_stamp.cpp:
#   cmake -DFILE=... -DSOURCE=... -DCOMPILER=... -DFLAGS=... -DCUDA=... -P build_stamp.cmake
# Run at every build, because the commit changes without any file of the build
# changing; leaves a file with the same content alone.
set(commit unknown)
set(dirty 0)
find_program(GIT git)
if(GIT)
  execute_process(COMMAND ${GIT} -C ${SOURCE} rev-parse --verify HEAD OUTPUT_VARIABLE head OUTPUT_STRIP_TRAILING_WHITESPACE
                  RESULT_VARIABLE status ERROR_QUIET)
  if(status EQUAL 0)
    set(commit ${head})
    execute_process(COMMAND ${GIT} --no-optional-locks -C ${SOURCE} status --porcelain OUTPUT_VARIABLE changes RESULT_VARIABLE status ERROR_QUIET)
    if(NOT status EQUAL 0 OR NOT changes STREQUAL "")
      set(dirty 1)
    endif()
  endif()
endif()

# As C strings that fit into the fields of BuildStamp.
foreach(fact COMPILER:120 FLAGS:500 CUDA:120)
  string(REPLACE ":" ";" fact ${fact})
  list(GET fact 0 name)
  list(GET fact 1 limit)
  string(STRIP "${${name}}" value)
  string(SUBSTRING "${value}" 0 ${limit} value)
  string(REPLACE "\\" "\\\\" value "${value}")
  string(REPLACE "\"" "\\\"" value "${value}")
  set(${name} "${value}")
endforeach()

set(content "// Written by harness/base/build_stamp.cmake.
#include \"harness/base/build_stamp.hpp\"

namespace ridgeline {
__attribute__((section(\"ridgeline_build\"))) extern const BuildStamp build_stamp{\"${commit}\", '${dirty}', \"${COMPILER}\", \"${FLAGS}\", \"${CUDA}\"};
}  // namespace ridgeline
")
set(old "")
if(EXISTS ${FILE})
  file(READ ${FILE} old)
endif()
if(NOT old STREQUAL content)
  file(WRITE ${FILE} "${content}")
endif()
