# One function a kind of room. Sources are globbed, so that a new file needs no list to be edited; tests (`*_test.cpp`) and
# benchmarks (`*_bench.cpp`) stand beside the code and become one program a room.

include(GoogleTest)

# ridgeline_tests(<name> <folder> <libraries>...): <name>_test from *_test.cpp, <name>_bench from *_bench.cpp. A subfolder
# with a CMakeLists.txt is a room of its own.
function(ridgeline_tests name folder)
  file(GLOB tests CONFIGURE_DEPENDS ${folder}/*_test.cpp ${folder}/*/*_test.cpp)
  file(GLOB benches CONFIGURE_DEPENDS ${folder}/*_bench.cpp ${folder}/*/*_bench.cpp)
  file(GLOB rooms CONFIGURE_DEPENDS ${folder}/*/CMakeLists.txt)
  foreach(room ${rooms})
    get_filename_component(room ${room} DIRECTORY)
    list(FILTER tests EXCLUDE REGEX "^${room}/")
    list(FILTER benches EXCLUDE REGEX "^${room}/")
  endforeach()
  if(tests)
    add_executable(${name}_test ${tests})
    target_link_libraries(${name}_test PRIVATE ${ARGN} GTest::gtest_main)
    gtest_discover_tests(${name}_test TEST_PREFIX ${name}: NO_PRETTY_VALUES DISCOVERY_TIMEOUT 60 PROPERTIES TIMEOUT 300)
  endif()
  if(benches)
    add_executable(${name}_bench ${benches})
    target_link_libraries(${name}_bench PRIVATE ${ARGN} benchmark::benchmark_main)
  endif()
endfunction()

# ridgeline_room(<name> LINK <libraries>...): library ridgeline_<name> from the current folder's *.cpp, subfolders left out,
# and its tests.
function(ridgeline_room name)
  cmake_parse_arguments(room "" "" "LINK;SOURCES;EXCLUDE" ${ARGN})
  file(GLOB sources CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/*.cpp)
  list(FILTER sources EXCLUDE REGEX "_(test|bench|main)\\.cpp$")
  foreach(file ${room_EXCLUDE})
    list(REMOVE_ITEM sources ${CMAKE_CURRENT_SOURCE_DIR}/${file})
  endforeach()
  list(APPEND sources ${room_SOURCES})
  if(sources)
    add_library(ridgeline_${name} STATIC ${sources})
    target_link_libraries(ridgeline_${name} PUBLIC ${room_LINK})
  else()
    add_library(ridgeline_${name} INTERFACE)
    target_link_libraries(ridgeline_${name} INTERFACE ${room_LINK})
  endif()
  ridgeline_tests(${name} ${CMAKE_CURRENT_SOURCE_DIR} ridgeline_${name})
endfunction()

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

# ridgeline_family(<name>): library kernels_<name> from kernels/<name>: its own *.cpp and one variant a file in cpu/, cuda/
# and mpi/. Writes `<name>::variants()`: a table of calls such as on_cuda::shared_tiled(), so a misnamed function fails to link.
function(ridgeline_family name)
  set(folder ${CMAKE_CURRENT_SOURCE_DIR}/${name})
  file(GLOB sources CONFIGURE_DEPENDS ${folder}/*.cpp)
  list(FILTER sources EXCLUDE REGEX "_(test|bench)\\.cpp$")
  set(declarations "")
  set(rows "")
  foreach(kind cpu cuda mpi)
    if(kind STREQUAL cuda AND NOT RIDGELINE_HAVE_CUDA)
      continue()
    endif()
    file(GLOB files CONFIGURE_DEPENDS ${folder}/${kind}/*.cpp ${folder}/${kind}/*.cu)
    list(FILTER files EXCLUDE REGEX "_(test|bench)\\.cpp$")
    set(hopper "")
    if("90a" IN_LIST RIDGELINE_CUDA_ARCHITECTURES)
      file(GLOB hopper CONFIGURE_DEPENDS ${folder}/${kind}/sm_90a/*.cu)
    endif()
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
      string(APPEND rows "      {\"${variant}\", device::Kind::${device_kind}, on_${kind}::${variant}()},\n")
    endforeach()
    ridgeline_cuda_sources(${files} ${hopper})
    list(APPEND sources ${files})
    string(APPEND declarations "namespace on_${kind} {\n${calls}}  // namespace on_${kind}\n")
  endforeach()
  set(table ${PROJECT_BINARY_DIR}/generated/${name}_variants.cpp)
  ridgeline_write(${table} "// Written by ci/cmake/rooms.cmake from the files in kernels/${name}.
#include \"kernels/${name}/${name}.hpp\"

namespace ridgeline::${name} {
${declarations}
kernels::Table<Variant> variants() {
  return {
${rows}  };
}
}  // namespace ridgeline::${name}
")
  add_library(kernels_${name} STATIC ${sources} ${table})
  target_link_libraries(kernels_${name} PUBLIC ridgeline_device OpenMP::OpenMP_CXX)
  ridgeline_tests(kernels_${name} ${folder} kernels_${name} ridgeline_backends)
  set_property(GLOBAL APPEND PROPERTY RIDGELINE_FAMILIES ${name})
  if(TARGET ridgeline_emulated)
    ridgeline_emulated_family(${name})
  endif()
endfunction()
