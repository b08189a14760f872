# Multiply-adds are those of the family arithmetic, its oracle included.
target_link_libraries(kernels_occupancy PUBLIC kernels_arithmetic)
