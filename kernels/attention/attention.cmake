# The CPU variants multiply with gemm's register tiles.
target_link_libraries(kernels_attention PUBLIC kernels_gemm)
