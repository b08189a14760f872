# The CPU variants multiply with gemm's register tiles.
target_link_libraries(kernels_attention PUBLIC kernels_gemm)
if(RIDGELINE_HAVE_CUDA)
  target_link_libraries(kernels_attention PRIVATE kernels_cublaslt kernels_cudnn)
else()  # its kernel is not built
  set_source_files_properties(${folder}/masked_softmax_test.cpp PROPERTIES HEADER_FILE_ONLY ON)
endif()
