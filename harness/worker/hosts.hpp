#pragma once

#include <filesystem>

#include "harness/device/facts.hpp"
#include "harness/measure/group.hpp"
#include "harness/record/facts.hpp"

namespace ridgeline::worker {

/// What connects this host to others, as far as `sys` (/sys) says: its network interfaces but
/// the loopback, with their addresses and rates ("eth0 10.0.0.1 at 10000 Mb/s"), and its InfiniBand
/// ports ("mlx5_0 port 1 at 200 Gb/sec (4X HDR)"), in alphabetical order, between semicolons.
std::string links_of_host(const std::filesystem::path& sys);

/// Of this host: "name", "links", and of the devices that `found` lists "cpu" and "gpus".
record::Facts facts_of_host(const device::Discovery& found);

/// The hosts of a group, told by all its ranks together, in the order of their first ranks:
/// "host0" names the host of rank 0, "host0.ranks" its ranks ("0-3"), and "host0.links" and so
/// on are its facts. The same on every rank. At most 100 of them; "hosts" counts all.
record::Facts hosts_of(measure::Group& group, const record::Facts& mine);

}  // namespace ridgeline::worker
