# The libraries of a portable build: static where the distribution has a static library, made of its
# headers where these hold all of it, and built from the distribution's source (ci/fetch_benchmark)
# elsewhere. Left to be shared are glibc, MPI (a machine's own, and needed by ridgeline-collectives
# alone) and vendor libraries, which are loaded at run time.
if(NOT RIDGELINE_FUZZ)  # AddressSanitizer sees exceptions in the shared ones alone
  add_link_options(-static-libstdc++ -static-libgcc)
endif()

# ridgeline_static(<variable> <name>): the static library, or an error that names it.
function(ridgeline_static variable name)
  execute_process(COMMAND ${CMAKE_CXX_COMPILER} -print-file-name=lib${name}.a OUTPUT_VARIABLE path OUTPUT_STRIP_TRAILING_WHITESPACE)
  if(NOT IS_ABSOLUTE "${path}")
    message(FATAL_ERROR "The portable build needs lib${name}.a; run ci/setup --portable")
  endif()
  set(${variable} ${path} PARENT_SCOPE)
endfunction()

ridgeline_static(libsqlite3 sqlite3)
set_target_properties(SQLite::SQLite3 PROPERTIES IMPORTED_LOCATION ${libsqlite3} INTERFACE_LINK_LIBRARIES
                                                 "m;Threads::Threads;${CMAKE_DL_LIBS}")

# With the flags of the shared ones, so that the compiler cache has the objects of other builds; so
# is Boost's.
set_property(TARGET Boost::context APPEND PROPERTY INTERFACE_COMPILE_DEFINITIONS BOOST_CONTEXT_DYN_LINK)
add_library(portable_fmt STATIC ${CMAKE_CURRENT_LIST_DIR}/portable/fmt.cpp)
target_compile_definitions(portable_fmt PUBLIC FMT_SHARED)
add_library(fmt::fmt ALIAS portable_fmt)

add_library(portable_toml STATIC ${CMAKE_CURRENT_LIST_DIR}/portable/toml.cpp)
target_compile_options(portable_toml PUBLIC -DTOML_HEADER_ONLY=0 -DTOML_SHARED_LIB=1)
add_library(tomlplusplus::tomlplusplus ALIAS portable_toml)

if(RIDGELINE_FUZZ)  # builds nothing that measures
  return()
endif()

ridgeline_static(libgomp gomp)
set_target_properties(OpenMP::OpenMP_CXX PROPERTIES INTERFACE_LINK_LIBRARIES "${libgomp};Threads::Threads;${CMAKE_DL_LIBS}")

set(benchmark_source ${PROJECT_SOURCE_DIR}/.cache/benchmark)
if(NOT EXISTS ${benchmark_source}/CMakeLists.txt)
  message(FATAL_ERROR "The portable build needs the source of Google Benchmark; run ci/setup --portable")
endif()
set(BENCHMARK_ENABLE_TESTING OFF)
set(BENCHMARK_ENABLE_INSTALL OFF)
set(BENCHMARK_ENABLE_WERROR OFF)
set(CMAKE_POLICY_DEFAULT_CMP0077 NEW) # these variables win over the options that the project declares
add_subdirectory(${benchmark_source} ${PROJECT_BINARY_DIR}/benchmark EXCLUDE_FROM_ALL SYSTEM)
unset(CMAKE_POLICY_DEFAULT_CMP0077)
