#include "harness/worker/hosts.hpp"

#include <algorithm>
#include <fstream>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <system_error>
#include <vector>

#include <arpa/inet.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <ifaddrs.h>
#include <net/if.h>
#include <netinet/in.h>
#include <unistd.h>

#include "harness/base/text.hpp"

namespace ridgeline::worker {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t most_hosts = 100, most_bytes = 4000;  // of one host's facts

/// Empty where the file cannot be read, as the rate of an interface that is down.
std::string first_line(const fs::path& file) {
  std::string line;
  std::getline(std::ifstream(file), line);
  return line;
}

std::vector<std::string> names_in(const fs::path& folder) {
  std::vector<std::string> names;
  std::error_code none;
  for (const fs::directory_entry& each : fs::directory_iterator(folder, none))
    names.push_back(each.path().filename().string());
  std::ranges::sort(names);
  return names;
}

/// By interface; without those that are valid on their link alone.
std::map<std::string, std::vector<std::string>> addresses() {
  std::map<std::string, std::vector<std::string>> found;
  ifaddrs* all = nullptr;
  if (getifaddrs(&all) != 0) return found;
  const std::unique_ptr<ifaddrs, decltype(&freeifaddrs)> owned(all, freeifaddrs);
  for (const ifaddrs* each = all; each != nullptr; each = each->ifa_next) {
    if (each->ifa_addr == nullptr || (each->ifa_flags & IFF_LOOPBACK) != 0) continue;
    char text[INET6_ADDRSTRLEN] = {};
    if (each->ifa_addr->sa_family == AF_INET) {
      inet_ntop(AF_INET, &reinterpret_cast<sockaddr_in*>(each->ifa_addr)->sin_addr, text,
                sizeof text);
    } else if (each->ifa_addr->sa_family == AF_INET6) {
      const auto& address = reinterpret_cast<sockaddr_in6*>(each->ifa_addr)->sin6_addr;
      if (!IN6_IS_ADDR_LINKLOCAL(&address)) inet_ntop(AF_INET6, &address, text, sizeof text);
    }
    if (*text != '\0') found[each->ifa_name].emplace_back(text);
  }
  return found;
}

/// "0-3, 8".
std::string ranges_of(const std::vector<int>& ranks) {
  std::vector<std::string> ranges;
  for (std::size_t i = 0; i < ranks.size();) {
    std::size_t last = i;
    while (last + 1 < ranks.size() && ranks[last + 1] == ranks[last] + 1) ++last;
    ranges.push_back(last == i ? std::to_string(ranks[i])
                               : fmt::format("{}-{}", ranks[i], ranks[last]));
    i = last + 1;
  }
  return fmt::format("{}", fmt::join(ranges, ", "));
}

/// Facts as one text, of names and values that end with NUL.
std::string packed(const record::Facts& facts) {
  std::string text;
  for (const auto& [name, value] : facts) {
    const std::string entry = printable(name, 200) + '\0' + printable(value, 2000) + '\0';
    if (text.size() + entry.size() <= most_bytes) text += entry;
  }
  return text;
}

record::Facts unpacked(const std::string& text) {
  record::Facts facts;
  for (std::size_t at = 0; at < text.size();) {
    const std::string name = text.c_str() + at, value = text.c_str() + at + name.size() + 1;
    facts[name] = value;
    at += name.size() + value.size() + 2;
  }
  return facts;
}

/// The texts of all ranks, on every rank.
std::vector<std::string> gathered(measure::Group& group, const std::string& mine) {
  const auto longest = static_cast<std::size_t>(group.max(static_cast<double>(mine.size())));
  const auto ranks = static_cast<std::size_t>(group.size());
  std::string padded = mine, all(ranks * longest, '\0');
  padded.resize(longest);
  group.gather(padded.data(), longest, all.data());
  std::vector<std::int64_t> sizes(ranks);
  const auto size = static_cast<std::int64_t>(mine.size());
  group.gather(&size, sizeof size, sizes.data());
  std::vector<std::string> texts;
  for (std::size_t i = 0; i < ranks; ++i)
    texts.push_back(all.substr(i * longest, static_cast<std::size_t>(sizes[i])));
  return texts;
}

}  // namespace

std::string links_of_host(const fs::path& sys) {
  std::vector<std::string> links;
  const auto known = addresses();
  for (const std::string& name : names_in(sys / "class/net")) {
    const auto addressed = known.find(name);
    if (addressed == known.end()) continue;  // down, or the loopback
    const std::string rate = first_line(sys / "class/net" / name / "speed");
    links.push_back(fmt::format("{} {}", name, fmt::join(addressed->second, " ")));
    if (!rate.empty() && rate.front() != '-') links.back() += fmt::format(" at {} Mb/s", rate);
  }
  for (const std::string& name : names_in(sys / "class/infiniband"))
    for (const std::string& port : names_in(sys / "class/infiniband" / name / "ports")) {
      links.push_back(fmt::format("{} port {}", name, port));
      const std::string rate =
          first_line(sys / "class/infiniband" / name / "ports" / port / "rate");
      if (!rate.empty()) links.back() += " at " + rate;
    }
  return fmt::format("{}", fmt::join(links, "; "));
}

record::Facts facts_of_host(const device::Discovery& found) {
  char name[256] = {};
  gethostname(name, sizeof name - 1);
  record::Facts facts{{"name", name}, {"links", links_of_host("/sys")}};
  for (const device::Facts& device : found.devices)
    if (device.kind == device::Kind::cpu) {
      facts["cpu"] = fmt::format("{}, {} cores", device.name, device.units);
    } else if (device.kind == device::Kind::cuda) {
      std::string& gpus = facts["gpus"];
      gpus += fmt::format("{}{} {}", gpus.empty() ? "" : ", ", device.name, device.uuid);
    }
  return facts;
}

record::Facts hosts_of(measure::Group& group, const record::Facts& mine) {
  const int first = group.here().first;
  std::vector<int> firsts(static_cast<std::size_t>(group.size()));
  group.gather(&first, sizeof first, firsts.data());
  const std::vector<std::string> told =
      gathered(group, first == group.rank() ? packed(mine) : std::string());
  std::map<int, std::vector<int>> ranks;  // by the first rank of a machine
  for (std::size_t rank = 0; rank < firsts.size(); ++rank)
    ranks[firsts[rank]].push_back(static_cast<int>(rank));
  record::Facts all{{"hosts", std::to_string(ranks.size())}};
  std::size_t number = 0;
  for (const auto& [of, its_ranks] : ranks) {
    if (number == most_hosts) break;
    const std::string host = fmt::format("host{}", number++);
    all[host + ".ranks"] = ranges_of(its_ranks);
    for (const auto& [name, value] : unpacked(told.at(static_cast<std::size_t>(of))))
      all[name == "name" ? host : fmt::format("{}.{}", host, name)] = value;
  }
  return all;
}

}  // namespace ridgeline::worker
