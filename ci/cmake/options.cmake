# What a user may choose, and the flags that every target is built with.
option(RIDGELINE_PORTABLE "Link everything but glibc, MPI and the driver statically, for machines other than this one" OFF)
option(RIDGELINE_TESTS "Build tests, benchmarks, studies and their workers" ON)
option(RIDGELINE_EMULATED "Build the emulated device and the kernels for it, where CUDA parts are built" ON)
option(RIDGELINE_OUTSIDE "Build what kernels and programs of others are measured with" ON)
set(RIDGELINE_CUDA AUTO CACHE STRING "Build CUDA parts: ON, OFF, or AUTO (when a CUDA compiler is found)")
set(RIDGELINE_CUDA_ARCHITECTURES "80;90a" CACHE STRING "CUDA architectures to build machine code for; PTX is that of the highest without a letter")
option(RIDGELINE_FUZZ "Build the fuzz targets for libFuzzer, and nothing else; needs clang" OFF)
set(RIDGELINE_SANITIZE "" CACHE STRING "Sanitizers for host code, e.g. address,undefined")

set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
set(CMAKE_RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/bin)

find_program(CCACHE ccache)
if(CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  set(CMAKE_C_COMPILER_LAUNCHER ${CCACHE})
  # Without these two, ccache keeps nothing that uses a precompiled header. No file tells the time.
  set(RIDGELINE_CCACHE env CCACHE_SLOPPINESS=pch_defines,time_macros ${CCACHE})
  set(CMAKE_CXX_COMPILER_LAUNCHER ${RIDGELINE_CCACHE})
  set(CMAKE_CUDA_COMPILER_LAUNCHER ${CCACHE})
endif()

# Absolute paths stay out of binaries, so that two checkouts of one commit build the same code.
add_compile_options($<$<COMPILE_LANGUAGE:CXX>:-Wall> $<$<COMPILE_LANGUAGE:CXX>:-Wextra>
                    $<$<COMPILE_LANGUAGE:CXX>:-ffile-prefix-map=${PROJECT_SOURCE_DIR}/=>)
if(NOT PROJECT_SOURCE_DIR MATCHES " ")  # nvcc hands the host compiler its options unquoted
  add_compile_options($<$<COMPILE_LANGUAGE:CUDA>:-ffile-prefix-map=${PROJECT_SOURCE_DIR}/=>)
endif()
include_directories(${PROJECT_SOURCE_DIR})

# Without the emulated device: g++ does not instrument its kernels for addresses and for accesses
# (-fsanitize=thread) at once, and AddressSanitizer is not told when its fibers change stacks. It
# checks the accesses of kernels itself.
# Tests are linked with the sanitizers and compiled without: what they call is checked, and the
# compiler cache has their object files from the optimised build.
if(RIDGELINE_SANITIZE)
  set(sanitized $<COMPILE_LANGUAGE:CXX>,$<NOT:$<BOOL:$<TARGET_PROPERTY:RIDGELINE_IS_TEST>>>)
  foreach(option -fsanitize=${RIDGELINE_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer)
    add_compile_options($<$<AND:${sanitized}>:${option}>)
  endforeach()
  foreach(option -O1 -g1 -UNDEBUG)
    add_compile_options($<$<AND:${sanitized},$<CONFIG:Release>>:${option}>)
  endforeach()
  add_link_options(-fsanitize=${RIDGELINE_SANITIZE})
endif()
if(RIDGELINE_FUZZ)
  add_compile_options(-fsanitize=fuzzer-no-link)  # counts what is executed
endif()

if(NOT RIDGELINE_CUDA STREQUAL OFF)
  include(CheckLanguage)
  if(NOT CMAKE_CUDA_COMPILER)
    find_program(RIDGELINE_NVCC nvcc PATHS /usr/local/cuda/bin ${PROJECT_SOURCE_DIR}/.cuda/bin)  # after the PATH
    if(RIDGELINE_NVCC)
      set(CMAKE_CUDA_COMPILER ${RIDGELINE_NVCC})
    endif()
  endif()
  if(CMAKE_CUDA_COMPILER)
    list(TRANSFORM RIDGELINE_CUDA_ARCHITECTURES APPEND -real OUTPUT_VARIABLE CMAKE_CUDA_ARCHITECTURES)
    # PTX beside the machine code, from which drivers make code for GPUs that are newer than all of these. That of
    # architectures with a letter runs on no other.
    set(RIDGELINE_PTX_ARCHITECTURES ${RIDGELINE_CUDA_ARCHITECTURES})
    list(FILTER RIDGELINE_PTX_ARCHITECTURES INCLUDE REGEX "^[0-9]+$")
    list(SORT RIDGELINE_PTX_ARCHITECTURES COMPARE NATURAL ORDER DESCENDING)
    list(SUBLIST RIDGELINE_PTX_ARCHITECTURES 0 1 RIDGELINE_PTX_ARCHITECTURES)
    list(TRANSFORM RIDGELINE_PTX_ARCHITECTURES APPEND -virtual OUTPUT_VARIABLE ptx)
    list(APPEND CMAKE_CUDA_ARCHITECTURES ${ptx})
    enable_language(CUDA)
    set(RIDGELINE_HAVE_CUDA ON)
  elseif(RIDGELINE_CUDA STREQUAL ON)
    message(FATAL_ERROR "RIDGELINE_CUDA=ON, but no nvcc was found; run ci/setup or set CMAKE_CUDA_COMPILER")
  endif()
endif()
if(NOT RIDGELINE_HAVE_CUDA)
  set(RIDGELINE_HAVE_CUDA OFF)
  message(STATUS "CUDA parts are left out: no nvcc")
endif()

if(RIDGELINE_HAVE_CUDA)
  # CUDA files inherit CMAKE_CXX_STANDARD, but CMake 3.25 does not know how to ask for it.
  if(NOT DEFINED CMAKE_CUDA20_STANDARD_COMPILE_OPTION)
    set(CMAKE_CUDA20_STANDARD_COMPILE_OPTION -std=c++20)
    set(CMAKE_CUDA20_EXTENSION_COMPILE_OPTION -std=c++20)
  endif()
  # Spills, local memory and serialised wgmma cost more than the kernels can afford: they are
  # errors, the last one through strict_ptxas, because -Werror does not reach it. -v is for
  # ci/golden/kernel_resources; strict_ptxas keeps it off the screen.
  add_compile_options(
    "$<$<COMPILE_LANGUAGE:CUDA>:SHELL:-Werror all-warnings>"
    "$<$<COMPILE_LANGUAGE:CUDA>:SHELL:-Xptxas -v,-warn-spills,-warn-lmem-usage,-Werror>"
    "$<$<COMPILE_LANGUAGE:CUDA>:SHELL:-Xcompiler -Wall,-Wextra,-Wno-unused-parameter>")
  set(CMAKE_CUDA_RUNTIME_LIBRARY Static)
  list(PREPEND CMAKE_CUDA_COMPILER_LAUNCHER ${CMAKE_CURRENT_LIST_DIR}/strict_ptxas)
endif()

# ridgeline_cuda_sources(<files>...): what CUDA files among these need beyond the flags of all. nvcc
# calls what is internal to a file after a hash of the file's whole path, and these names are part
# of the device code: without a path of our own, no two checkouts build the same.
function(ridgeline_cuda_sources)
  foreach(file ${ARGN})
    if(file MATCHES "\\.cu$")
      file(RELATIVE_PATH path ${PROJECT_SOURCE_DIR} ${file})
      set_property(SOURCE ${file} APPEND PROPERTY COMPILE_OPTIONS -Xcudafe=--orig_src_path_name=${path})
    endif()
  endforeach()
endfunction()
