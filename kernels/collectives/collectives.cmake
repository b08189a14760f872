target_link_libraries(kernels_collectives PUBLIC MPI::MPI_CXX)
if(RIDGELINE_HAVE_CUDA)
  target_sources(kernels_collectives PRIVATE ${folder}/cuda/ipc/peer_access.cpp)
else()  # the kernels are not built
  set_source_files_properties(${folder}/peers_test.cpp PROPERTIES HEADER_FILE_ONLY ON)
endif()
add_subdirectory(collectives/mutations)
