# find_package(Ridgeline): programs that measure kernels of yours (docs/own-kernels.md).
get_filename_component(RIDGELINE_ROOT "${CMAKE_CURRENT_LIST_DIR}/../../.." ABSOLUTE)
include("${CMAKE_CURRENT_LIST_DIR}/RidgelineBuild.cmake")

if(NOT CMAKE_BUILD_TYPE AND NOT CMAKE_CONFIGURATION_TYPES)
  message(STATUS "Ridgeline: what is timed is built as Release, since no build type is set")
  set(CMAKE_BUILD_TYPE Release CACHE STRING "Build type" FORCE)
endif()

# The CUDA runtime is part of what measures on GPUs, wherever it lies here.
set(RIDGELINE_CUDART "")
if(RIDGELINE_HAVE_CUDA)
  if(NOT CMAKE_CUDA_COMPILER)
    include(CheckLanguage)
    if(NOT CMAKE_CUDA_ARCHITECTURES)
      set(CMAKE_CUDA_ARCHITECTURES ${RIDGELINE_CUDA_ARCHITECTURES})
    endif()
    check_language(CUDA)
    if(CMAKE_CUDA_COMPILER)
      enable_language(CUDA)
    endif()
  endif()
  set(RIDGELINE_CUDART "${RIDGELINE_BUILT_CUDART}")
  if(NOT EXISTS "${RIDGELINE_CUDART}")
    find_package(CUDAToolkit QUIET)
    set(RIDGELINE_CUDART "${CUDAToolkit_LIBRARY_DIR}/libcudart_static.a")
  endif()
  if(NOT EXISTS "${RIDGELINE_CUDART}")
    set(Ridgeline_FOUND FALSE)
    set(Ridgeline_NOT_FOUND_MESSAGE
        "Ridgeline was built with CUDA, and there is no libcudart_static.a here: install a CUDA toolkit, or build Ridgeline with -DRIDGELINE_CUDA=OFF")
    return()
  endif()
endif()

# ridgeline_add_suite(<name> <files>...): the program <name>, a worker over the cases that the files
# add, and where the emulated device is installed and there are .cu files, <name>-emulated. The .cu
# files are left out of <name> where there is no CUDA compiler; RIDGELINE_CUDA is defined where they
# are part of a program.
function(ridgeline_add_suite name)
  if(NOT name MATCHES "^[A-Za-z0-9_.+-]+$")
    message(FATAL_ERROR "ridgeline_add_suite: '${name}' is not made of letters, digits and _.+-: cases are called after it")
  endif()
  set(host ${ARGN})
  list(FILTER host EXCLUDE REGEX "\\.cu$")
  set(kernels ${ARGN})
  list(FILTER kernels INCLUDE REGEX "\\.cu$")
  if(NOT ARGN)
    message(FATAL_ERROR "ridgeline_add_suite: ${name} has no files")
  endif()

  # The commit is looked up at every build.
  set(stamp ${CMAKE_CURRENT_BINARY_DIR}/${name}_build_stamp.cpp)
  string(TOUPPER "${CMAKE_BUILD_TYPE}" type)
  add_custom_target(${name}_build_stamp
    COMMAND ${CMAKE_COMMAND} -DFILE=${stamp} -DSOURCE=${CMAKE_CURRENT_SOURCE_DIR}
            "-DCOMPILER=${CMAKE_CXX_COMPILER_ID} ${CMAKE_CXX_COMPILER_VERSION}"
            "-DFLAGS=${CMAKE_BUILD_TYPE} ${CMAKE_CXX_FLAGS} ${CMAKE_CXX_FLAGS_${type}}"
            "-DCUDA=${CMAKE_CUDA_COMPILER_VERSION}" -P ${RIDGELINE_ROOT}/lib/ridgeline/build_stamp.cmake
    BYPRODUCTS ${stamp} COMMENT "" VERBATIM)

  ridgeline_suite_program(${name} ${name} false ${host})
  target_link_options(${name} PRIVATE ${RIDGELINE_LINK_FLAGS})
  target_link_libraries(${name} PRIVATE -Wl,--start-group ${RIDGELINE_LIBRARIES} ${RIDGELINE_DEVICE_LIBRARIES}
                                        -Wl,--end-group ${RIDGELINE_CUDART} -fopenmp -pthread -ldl -lrt)
  if(kernels AND CMAKE_CUDA_COMPILER AND RIDGELINE_HAVE_CUDA)
    target_sources(${name} PRIVATE ${kernels})
    target_compile_definitions(${name} PRIVATE RIDGELINE_CUDA=1)
    target_compile_options(${name} PRIVATE $<$<COMPILE_LANGUAGE:CUDA>:-std=c++20>)
    set_target_properties(${name} PROPERTIES CUDA_RUNTIME_LIBRARY None)
  elseif(kernels)
    message(STATUS "Ridgeline: ${name} is built without ${kernels}: there is no CUDA compiler here, or Ridgeline was built without one")
  endif()

  if(NOT kernels OR NOT RIDGELINE_EMULATED_LIBRARIES OR NOT CMAKE_CXX_COMPILER_ID STREQUAL GNU)
    return()
  endif()
  set(program ${name}-emulated)
  ridgeline_suite_program(${program} ${name} true ${host})
  target_compile_definitions(${program} PRIVATE RIDGELINE_CUDA=1)
  target_compile_options(${program} PRIVATE -fno-pie)
  set(wrappers "")
  foreach(kernel ${kernels})
    get_filename_component(file ${kernel} ABSOLUTE)
    string(MD5 hash ${file})
    get_filename_component(base ${file} NAME_WE)
    set(wrapper ${CMAKE_CURRENT_BINARY_DIR}/${name}_emulated_kernels/${base}_${hash}.cpp)
    file(CONFIGURE OUTPUT ${wrapper} CONTENT "#include \"${file}\"\n")
    list(APPEND wrappers ${wrapper})
  endforeach()
  add_library(${name}_emulated_kernels OBJECT ${wrappers})
  set_target_properties(${name}_emulated_kernels PROPERTIES
                        CXX_COMPILER_LAUNCHER ${RIDGELINE_ROOT}/lib/ridgeline/compile_kernels)
  target_compile_options(${name}_emulated_kernels PRIVATE -std=c++20 -ffile-prefix-map=${CMAKE_CURRENT_SOURCE_DIR}/=
                                                          ${RIDGELINE_EMULATED_FLAGS})
  target_include_directories(${name}_emulated_kernels PRIVATE ${RIDGELINE_ROOT}/include)
  foreach(folder ${RIDGELINE_CUDA_HEADERS} ${CMAKE_CUDA_TOOLKIT_INCLUDE_DIRECTORIES} ${CUDAToolkit_INCLUDE_DIRS})
    target_include_directories(${name}_emulated_kernels SYSTEM PRIVATE ${folder} ${folder}/cccl)
  endforeach()
  target_link_options(${program} PRIVATE -no-pie ${RIDGELINE_LINK_FLAGS})
  target_link_libraries(${program} PRIVATE ${name}_emulated_kernels -Wl,--start-group ${RIDGELINE_LIBRARIES}
                                           ${RIDGELINE_EMULATED_LIBRARIES} -Wl,--end-group -fopenmp -pthread -ldl -lrt)
endfunction()

# What both programs of a suite have in common.
function(ridgeline_suite_program program suite emulated)
  set(main ${CMAKE_CURRENT_BINARY_DIR}/${program}_main.cpp)
  file(CONFIGURE OUTPUT ${main} CONTENT "#include \"harness/outside/main.hpp\"

int main(int argc, char** argv) {
  return ridgeline::outside::main(argc, argv, {\"${suite}\", \"${program}\", R\"(${CMAKE_CURRENT_SOURCE_DIR})\", ${emulated}});
}
")
  add_executable(${program} ${ARGN} ${main} ${CMAKE_CURRENT_BINARY_DIR}/${suite}_build_stamp.cpp)
  add_dependencies(${program} ${suite}_build_stamp)
  target_include_directories(${program} PRIVATE ${RIDGELINE_ROOT}/include)
  target_compile_options(${program} PRIVATE $<$<COMPILE_LANGUAGE:CXX>:-std=c++20>
                         $<$<COMPILE_LANGUAGE:CXX>:-fopenmp>
                         $<$<COMPILE_LANGUAGE:CXX>:-ffile-prefix-map=${CMAKE_CURRENT_SOURCE_DIR}/=>)
endfunction()
