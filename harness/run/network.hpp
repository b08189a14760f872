#pragma once

#include <filesystem>
#include <string>

namespace ridgeline::run {

/// The interfaces of this host that say how fast their links are, by name: "eth0 10 Gbit/s,
/// mlx5_0:1 400 Gbit/s". At most 16; empty where none says. `sys` is where the kernel shows them,
/// /sys. Source: Linux, Documentation/ABI/testing/sysfs-class-net (speed, in Mbit/s; -1 or an error
/// when it is not known) and Documentation/ABI/stable/sysfs-class-infiniband (rate: "400 Gb/sec (4X
/// NDR)").
std::string network_links(const std::filesystem::path& sys);

}  // namespace ridgeline::run
