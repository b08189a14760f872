# The CPU's oracle is attention's, of one query a head.
target_link_libraries(kernels_decode PUBLIC kernels_attention)
if(RIDGELINE_HAVE_CUDA)
  target_link_libraries(kernels_decode PRIVATE kernels_cudnn)
endif()
if(TARGET kernels_decode_emulated)
  target_link_libraries(kernels_decode_emulated PUBLIC kernels_attention_emulated)
endif()
