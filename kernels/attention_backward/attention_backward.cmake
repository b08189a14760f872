if(RIDGELINE_HAVE_CUDA)
  target_link_libraries(kernels_attention_backward PRIVATE kernels_cudnn)
endif()
