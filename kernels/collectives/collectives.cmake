target_link_libraries(kernels_collectives PUBLIC MPI::MPI_CXX)
