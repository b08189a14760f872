# One function per kind of room. Sources are globbed, so that a new file needs no list to be edited;
# tests (`*_test.cpp`) and benchmarks (`*_bench.cpp`) stand beside the code and become one program
# per room.

# Writes `file` unless it has that content already, so that nothing is rebuilt for nothing.
function(ridgeline_write file content)
  if(EXISTS ${file})
    file(READ ${file} old)
    if(old STREQUAL content)
      return()
    endif()
  endif()
  file(WRITE ${file} "${content}")
endfunction()

# ridgeline_unmeasured(<target>): a target that nothing is timed in. It is optimised for the time it
# takes to compile, and the standard library checks its indices.
function(ridgeline_unmeasured target level)
  target_compile_options(${target} PRIVATE $<$<AND:$<COMPILE_LANGUAGE:CXX>,$<CONFIG:Release,RelWithDebInfo>>:-O${level}>)
  target_compile_definitions(${target} PRIVATE _GLIBCXX_ASSERTIONS)
endfunction()

# ridgeline_comparable(<program>): a program whose file tells what each part of its code refers to, so
# that a gate finds the cases whose code has not changed (harness/code). The relocations stay, and
# every section of an object file stays one of its own. Portable programs hold whole libraries, whose
# thousands of sections take a linker minutes.
include(CheckLinkerFlag)
set(RIDGELINE_COMPARABLE_FLAGS -Wl,--emit-relocs)
foreach(sections .text .rodata .data .bss .gcc_except_table .nvFatBinSegment)
  string(APPEND RIDGELINE_COMPARABLE_FLAGS ",--unique=${sections}*")
endforeach()
check_linker_flag(CXX ${RIDGELINE_COMPARABLE_FLAGS} RIDGELINE_LINKER_COMPARES)
function(ridgeline_comparable program)
  if(RIDGELINE_LINKER_COMPARES AND NOT RIDGELINE_PORTABLE)
    target_link_options(${program} PRIVATE ${RIDGELINE_COMPARABLE_FLAGS})
  endif()
endfunction()

# What every test includes, compiled once: half of what a test costs is Google Test's header. It
# stands beside the builds, one for each set of flags: where a test's command says the same, the
# compiler cache serves the tests of one build to the next.
if(RIDGELINE_TESTS)
  string(TOUPPER "${CMAKE_BUILD_TYPE}" config)
  string(MD5 flags "${CMAKE_CXX_COMPILER} ${CMAKE_CXX_FLAGS} ${CMAKE_CXX_FLAGS_${config}}")
  get_filename_component(folder ${PROJECT_BINARY_DIR}/../test_headers/${flags} ABSOLUTE)
  set(RIDGELINE_TEST_HEADERS ${folder}/test_headers.hpp)
  set(header ${CMAKE_CURRENT_LIST_DIR}/test_headers.hpp)
  add_library(precompiled_test_headers OBJECT ${header})
  set_source_files_properties(${header} PROPERTIES LANGUAGE CXX COMPILE_OPTIONS "-fPIE;-x;c++-header")
  target_link_libraries(precompiled_test_headers PRIVATE GTest::gtest fmt::fmt OpenMP::OpenMP_CXX Threads::Threads)
  ridgeline_unmeasured(precompiled_test_headers 0)
  set_target_properties(precompiled_test_headers PROPERTIES RIDGELINE_IS_TEST ON UNITY_BUILD OFF
                                                            POSITION_INDEPENDENT_CODE OFF)  # as programs are
  add_custom_command(
    OUTPUT ${RIDGELINE_TEST_HEADERS}.gch
    COMMAND ${CMAKE_COMMAND} -E copy_if_different ${header} ${RIDGELINE_TEST_HEADERS}
    COMMAND ${CMAKE_COMMAND} -E copy_if_different $<TARGET_OBJECTS:precompiled_test_headers> ${RIDGELINE_TEST_HEADERS}.gch
    DEPENDS $<TARGET_OBJECTS:precompiled_test_headers> ${header})
  add_custom_target(test_headers DEPENDS ${RIDGELINE_TEST_HEADERS}.gch)
endif()

# ridgeline_test(<program> SOURCES <files>... LINK <libraries>... [FILTER <tests>]): a program of
# Google Test, which is one test of ctest and writes a line per test case to
# test-results/<program>.xml in the build folder. The target `tests` builds all of them. Does
# nothing without RIDGELINE_TESTS.
add_custom_target(tests)
function(ridgeline_test program)
  if(NOT RIDGELINE_TESTS)
    return()
  endif()
  cmake_parse_arguments(test "" "FILTER" "SOURCES;LINK" ${ARGN})
  add_executable(${program} ${test_SOURCES})
  target_link_libraries(${program} PRIVATE ${test_LINK} OpenMP::OpenMP_CXX GTest::gtest_main)
  ridgeline_unmeasured(${program} 0)
  target_compile_options(${program} PRIVATE -Winvalid-pch -include ${RIDGELINE_TEST_HEADERS})
  # In every build of as many files, told by their places in it, so that the compiler cache has those
  # of the other builds.
  set_target_properties(${program} PROPERTIES UNITY_BUILD_BATCH_SIZE 8 RIDGELINE_IS_TEST ON)
  if(CMAKE_CXX_COMPILER_LAUNCHER STREQUAL "${RIDGELINE_CCACHE}")
    list(INSERT CMAKE_CXX_COMPILER_LAUNCHER 1 CCACHE_BASEDIR=${PROJECT_SOURCE_DIR})
    set_target_properties(${program} PROPERTIES CXX_COMPILER_LAUNCHER "${CMAKE_CXX_COMPILER_LAUNCHER}")
  endif()
  # The compiler does not name a precompiled header among what it read.
  set(compiled ${test_SOURCES})
  if(CMAKE_UNITY_BUILD)
    list(LENGTH test_SOURCES sources)
    math(EXPR last "(${sources} - 1) / 8")
    foreach(batch RANGE ${last})
      list(APPEND compiled ${CMAKE_CURRENT_BINARY_DIR}/CMakeFiles/${program}.dir/Unity/unity_${batch}_cxx.cxx)
    endforeach()
  endif()
  set_source_files_properties(${compiled} PROPERTIES OBJECT_DEPENDS ${RIDGELINE_TEST_HEADERS}.gch)
  add_dependencies(${program} test_headers)
  add_dependencies(tests ${program})
  set(filter "")
  if(test_FILTER)
    set(filter --gtest_filter=${test_FILTER})
  endif()
  add_test(NAME ${program} COMMAND ${program} --gtest_brief=1 ${filter}
                                   --gtest_output=xml:${PROJECT_BINARY_DIR}/test-results/${program}.xml)
  set_tests_properties(${program} PROPERTIES TIMEOUT 600)
endfunction()

# ridgeline_told(<file> <definition> <value>): one file of a program is told a path of this build, and
# the flags of its other files stay those of other builds.
function(ridgeline_told file definition value)
  set_property(SOURCE ${file} APPEND PROPERTY COMPILE_DEFINITIONS ${definition}="${value}")
endfunction()

# Rooms whose tests are left out under a sanitizer. They compute, format and look up: they handle no
# memory of their own, no process and no foreign input, and the assertions of the standard library
# stand in their optimised code.
set(RIDGELINE_UNSANITIZED analysis catalogue cli present record stats)

# ridgeline_tests(<name> <folder> <libraries>...): <name>_test from *_test.cpp, <name>_bench from
# *_bench.cpp. A subfolder with a CMakeLists.txt is a room of its own.
function(ridgeline_tests name folder)
  if(NOT RIDGELINE_TESTS OR (RIDGELINE_SANITIZE AND name IN_LIST RIDGELINE_UNSANITIZED))
    return()
  endif()
  file(GLOB tests CONFIGURE_DEPENDS ${folder}/*_test.cpp ${folder}/*/*_test.cpp)
  file(GLOB benches CONFIGURE_DEPENDS ${folder}/*_bench.cpp ${folder}/*/*_bench.cpp)
  file(GLOB rooms CONFIGURE_DEPENDS ${folder}/*/CMakeLists.txt)
  foreach(room ${rooms})
    get_filename_component(room ${room} DIRECTORY)
    list(FILTER tests EXCLUDE REGEX "^${room}/")
    list(FILTER benches EXCLUDE REGEX "^${room}/")
  endforeach()
  if(tests)
    ridgeline_test(${name}_test SOURCES ${tests} LINK ${ARGN})
  endif()
  if(benches)
    add_executable(${name}_bench ${benches})
    target_link_libraries(${name}_bench PRIVATE ${ARGN} benchmark::benchmark_main)
  endif()
endfunction()

# ridgeline_room(<name> LINK <libraries>... [UNMEASURED <optimisation>]): library ridgeline_<name>
# from the current folder's *.cpp, subfolders left out, and its tests.
function(ridgeline_room name)
  cmake_parse_arguments(room "" "UNMEASURED" "LINK;SOURCES;EXCLUDE" ${ARGN})
  file(GLOB sources CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/*.cpp)
  list(FILTER sources EXCLUDE REGEX "_(test|bench|main)\\.cpp$")
  foreach(file ${room_EXCLUDE})
    list(REMOVE_ITEM sources ${CMAKE_CURRENT_SOURCE_DIR}/${file})
  endforeach()
  list(APPEND sources ${room_SOURCES})
  if(sources)
    add_library(ridgeline_${name} STATIC ${sources})
    target_link_libraries(ridgeline_${name} PUBLIC ${room_LINK})
    if(DEFINED room_UNMEASURED)
      ridgeline_unmeasured(ridgeline_${name} ${room_UNMEASURED})
    endif()
  else()
    add_library(ridgeline_${name} INTERFACE)
    target_link_libraries(ridgeline_${name} INTERFACE ${room_LINK})
  endif()
  ridgeline_tests(${name} ${CMAKE_CURRENT_SOURCE_DIR} ridgeline_${name})
endfunction()

# ridgeline_device_oracle(<name> <built>): C++ that defines `<name>::device_oracle()`: the oracle in
# kernels/<name>/oracle.cu, or none where that is not built. Empty for a family without such a file.
function(ridgeline_device_oracle name built)
  set(RIDGELINE_DEVICE_ORACLE "" PARENT_SCOPE)
  if(NOT EXISTS ${CMAKE_CURRENT_SOURCE_DIR}/${name}/oracle.cu)
    return()
  endif()
  set(code "DeviceOracle device_oracle() { return {}; }\n")
  if(built)
    set(code "namespace on_cuda {\nDeviceOracle oracle();\n}  // namespace on_cuda
DeviceOracle device_oracle() { return on_cuda::oracle(); }\n")
  endif()
  set(RIDGELINE_DEVICE_ORACLE "${code}" PARENT_SCOPE)
endfunction()

# ridgeline_family(<name>): library kernels_<name> from kernels/<name>: its own *.cpp and one
# variant a file in cpu/, cuda/ and mpi/. Writes `<name>::variants()`: a table of calls such as
# on_cuda::shared_tiled(), so a misnamed function fails to link; `<name>::device_variants()`, its rows
# of GPUs; and the oracle of devices, which is no variant.
function(ridgeline_family name)
  set(folder ${CMAKE_CURRENT_SOURCE_DIR}/${name})
  file(GLOB own CONFIGURE_DEPENDS ${folder}/*.cpp)
  list(FILTER own EXCLUDE REGEX "_(test|bench)\\.cpp$")
  # What the CPU's and the emulated device's programs have in common is compiled once.
  set(shared ${own})
  list(FILTER shared EXCLUDE REGEX "/register_tile|/panel_softmax")
  list(REMOVE_ITEM own ${shared})
  add_library(kernels_${name}_shared OBJECT ${shared})
  target_link_libraries(kernels_${name}_shared PUBLIC ridgeline_device OpenMP::OpenMP_CXX)
  set(sources ${own} $<TARGET_OBJECTS:kernels_${name}_shared>)
  set(declarations "")
  set(rows "")
  set(device_rows "")
  foreach(kind cpu cuda mpi)
    if(kind STREQUAL cuda AND NOT RIDGELINE_HAVE_CUDA)
      continue()
    endif()
    file(GLOB files CONFIGURE_DEPENDS ${folder}/${kind}/*.cpp ${folder}/${kind}/*.cu)
    list(FILTER files EXCLUDE REGEX "_(test|bench)\\.cpp$")
    # In every build, so that all GPUs list the same cases, and profiles can name them; others than
    # Hopper's say that they do not support them.
    file(GLOB hopper CONFIGURE_DEPENDS ${folder}/${kind}/sm_90a/*.cu)
    if(hopper)
      add_library(kernels_${name}_sm_90a OBJECT ${hopper})
      set_target_properties(kernels_${name}_sm_90a PROPERTIES CUDA_ARCHITECTURES 90a-real)
      list(APPEND sources $<TARGET_OBJECTS:kernels_${name}_sm_90a>)
    endif()
    set(calls "")
    foreach(file ${files} ${hopper})
      get_filename_component(variant ${file} NAME_WE)
      string(APPEND calls "Variant ${variant}();\n")
      set(device_kind ${kind})
      if(kind STREQUAL mpi)
        set(device_kind cpu)
      endif()
      set(row "      {\"${variant}\", device::Kind::${device_kind}, on_${kind}::${variant}()},\n")
      string(APPEND rows "${row}")
      if(kind STREQUAL cuda)
        string(APPEND device_rows "${row}")
      endif()
    endforeach()
    ridgeline_cuda_sources(${files} ${hopper})
    list(APPEND sources ${files})
    string(APPEND declarations "namespace on_${kind} {\n${calls}}  // namespace on_${kind}\n")
  endforeach()
  # Kernels that are no variant: the oracle's, and what a variant shares or computes between calls.
  file(GLOB own_kernels CONFIGURE_DEPENDS ${folder}/*.cu)
  if(RIDGELINE_HAVE_CUDA)
    ridgeline_cuda_sources(${own_kernels})
    list(APPEND sources ${own_kernels})
  endif()
  ridgeline_device_oracle(${name} ${RIDGELINE_HAVE_CUDA})
  set(table ${PROJECT_BINARY_DIR}/generated/${name}_variants.cpp)
  ridgeline_write(${table} "// Written by ci/cmake/rooms.cmake from the files in kernels/${name}.
#include \"kernels/${name}/${name}.hpp\"

namespace ridgeline::${name} {
${declarations}
kernels::Table<Variant> variants() {
  return {
${rows}  };
}
kernels::Table<Variant> device_variants() {
  return {
${device_rows}  };
}
${RIDGELINE_DEVICE_ORACLE}}  // namespace ridgeline::${name}
")
  # What refers to one of these functions does not refer to all that the others name (harness/code).
  set_source_files_properties(${table} PROPERTIES COMPILE_OPTIONS -ffunction-sections)
  add_library(kernels_${name} STATIC ${sources} ${table})
  target_link_libraries(kernels_${name} PUBLIC ridgeline_device OpenMP::OpenMP_CXX)
  set_target_properties(kernels_${name} PROPERTIES UNITY_BUILD OFF)  # a kernel's code does not depend on its neighbours
  # The emulated device's program leaves these tests out, and takes the others' objects.
  file(GLOB of_cpu CONFIGURE_DEPENDS ${folder}/register_tile*_test.cpp)
  set_source_files_properties(${of_cpu} PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
  ridgeline_tests(kernels_${name} ${folder} kernels_${name} ridgeline_backends)
  # Which variants no other GPU than Hopper's does, for tests on other devices.
  file(GLOB hopper CONFIGURE_DEPENDS ${folder}/cuda/sm_90a/*.cu)
  list(TRANSFORM hopper REPLACE ".*/(.*)\\.cu" "\\1")
  list(JOIN hopper " " for_hopper)
  set_source_files_properties(${folder}/${name}_test.cpp PROPERTIES COMPILE_DEFINITIONS
                              RIDGELINE_FOR_HOPPER=" ${for_hopper} ")
  set_property(GLOBAL APPEND PROPERTY RIDGELINE_FAMILIES ${name})
  if(TARGET ridgeline_emulated)
    ridgeline_emulated_family(${name})
  endif()
endfunction()
