# -fsanitize=thread calls a function before each access to memory (harness/emulated/accesses.cpp has
# them; the sanitizer's library is not linked). The other flags keep one access of the source one
# access of the code: without them, wide loads are split, stores are copied into both ways of a
# branch, and lanes meet later than the source says. The kernel language comes first, before a
# source includes CUDA's own headers of 16-bit numbers.
set(RIDGELINE_EMULATED_FLAGS -O1 -g -fno-tree-sra -fno-reorder-blocks -fno-thread-jumps -ffp-contract=off -fno-pie
    -fsanitize=thread --param=tsan-distinguish-volatile=1 -include harness/emulated/language.hpp
    -Wno-unknown-pragmas)

# Also for kernels of the user's, which are checked and not counted alone: room behind variables, for
# compile_kernels, indices of local arrays (harness/emulated/local_indices.cpp), and functions that
# forget to return a value (harness/emulated/unreachable_places.cpp).
set(RIDGELINE_CHECKED_FLAGS -DRIDGELINE_SHARED_GUARD=1024 -fsanitize=bounds -fsanitize=unreachable
    -fno-sanitize=return)
if(CMAKE_CXX_COMPILER_VERSION VERSION_GREATER_EQUAL 12)
  # What is in a variable before it is written: harness/cli/unset_variables.hpp.
  list(APPEND RIDGELINE_CHECKED_FLAGS -ftrivial-auto-var-init=pattern)
endif()

# compile_kernels runs the compiler and refuses sources whose accesses it could not count. With
# ccache it goes between it and the compiler, so that what was accepted once is found again; its file
# is part of the key, since another version makes other code of the same source.
set(RIDGELINE_COMPILE_KERNELS ${PROJECT_BINARY_DIR}/lib/ridgeline/compile_kernels)
set(launcher ${CMAKE_COMMAND} -E env CCACHE_PREFIX=${RIDGELINE_COMPILE_KERNELS} CCACHE_EXTRAFILES=${RIDGELINE_COMPILE_KERNELS}
             ${CMAKE_CXX_COMPILER_LAUNCHER})
if(NOT CMAKE_CXX_COMPILER_LAUNCHER MATCHES "(^|/)ccache$")
  set(launcher ${RIDGELINE_COMPILE_KERNELS})
endif()
set(RIDGELINE_COMPILE_KERNELS_LAUNCHER ${launcher})

# ridgeline_emulated_kernels(<library> <files.cu>...): the kernels of these files, compiled by the
# host compiler for the emulated device. Programs that link the library are not
# position-independent, so that an address of code has 32 bits.
function(ridgeline_emulated_kernels library)
  set(wrappers "")
  foreach(file ${ARGN})
    file(RELATIVE_PATH path ${PROJECT_SOURCE_DIR} ${file})
    set(wrapper ${PROJECT_BINARY_DIR}/generated/emulated/${path}.cpp)  # a .cu file is nvcc's in its own folder
    ridgeline_write(${wrapper} "#include \"${path}\"\n")
    list(APPEND wrappers ${wrapper})
  endforeach()
  add_library(${library} STATIC ${wrappers})
  set_target_properties(${library} PROPERTIES POSITION_INDEPENDENT_CODE OFF UNITY_BUILD OFF)
  target_compile_options(${library} PRIVATE ${RIDGELINE_EMULATED_FLAGS})
  set_target_properties(${library} PROPERTIES CXX_COMPILER_LAUNCHER "${RIDGELINE_COMPILE_KERNELS_LAUNCHER}")
  set_source_files_properties(${wrappers} PROPERTIES OBJECT_DEPENDS ${RIDGELINE_COMPILE_KERNELS})
  target_link_libraries(${library} PUBLIC ridgeline_emulated)
  target_link_options(${library} INTERFACE -no-pie)
endfunction()

# ridgeline_emulated_family(<name>): the family kernels/<name> once more, with its CUDA variants
# alone and its oracle for devices, for the emulated device: library kernels_<name>_emulated, and the
# family's test.
function(ridgeline_emulated_family name)
  set(folder ${CMAKE_CURRENT_SOURCE_DIR}/${name})
  file(GLOB files CONFIGURE_DEPENDS ${folder}/cuda/*.cu ${folder}/cuda/sm_90a/*.cu)
  file(GLOB own_kernels CONFIGURE_DEPENDS ${folder}/*.cu)
  if(NOT files AND NOT own_kernels)
    return()
  endif()
  ridgeline_device_oracle(${name} ON)
  set(declarations "")
  set(rows "")
  foreach(file ${files})
    get_filename_component(variant ${file} NAME_WE)
    string(APPEND declarations "Variant ${variant}();\n")
    string(APPEND rows "      {\"${variant}\", device::Kind::emulated, on_cuda::${variant}()},\n")
  endforeach()
  set(table ${PROJECT_BINARY_DIR}/generated/${name}_emulated_variants.cpp)
  ridgeline_write(${table} "// Written by harness/emulated/emulated.cmake from the files in kernels/${name}/cuda.
#include \"kernels/${name}/${name}.hpp\"

namespace ridgeline::${name} {
namespace on_cuda {
${declarations}}  // namespace on_cuda
kernels::Table<Variant> variants() {
  return {
${rows}  };
}
kernels::Table<Variant> device_variants() { return variants(); }
${RIDGELINE_DEVICE_ORACLE}}  // namespace ridgeline::${name}
")
  ridgeline_emulated_kernels(kernels_${name}_emulated ${files} ${own_kernels})
  # The family's own sources and the table join the kernels: the one calls the other.
  target_sources(kernels_${name}_emulated PRIVATE $<TARGET_OBJECTS:kernels_${name}_shared>)
  add_library(kernels_${name}_emulated_table OBJECT ${table})
  target_link_libraries(kernels_${name}_emulated_table PRIVATE ridgeline_emulated)
  target_sources(kernels_${name}_emulated PRIVATE $<TARGET_OBJECTS:kernels_${name}_emulated_table>)
  target_link_libraries(kernels_${name}_emulated PUBLIC OpenMP::OpenMP_CXX)
  ridgeline_test(kernels_${name}_emulated_test FILTER *emulated_* LINK kernels_${name}_emulated
                 SOURCES $<FILTER:$<TARGET_OBJECTS:kernels_${name}_test>,EXCLUDE,/register_tile>)
endfunction()
