#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "harness/emulated/report.hpp"

namespace ridgeline::emulated {

/// Sites by pc, space and act: a hash table with open addresses, because it is asked at every
/// request.
class SiteTable {
 public:
  Site& at(std::uint32_t pc, Space space, Act act, int bytes) {
    for (std::size_t i = slot(pc);; i = (i + 1) & (sites_.size() - 1)) {
      Site& site = sites_[i];
      if (site.pc == pc && site.space == space && site.act == act) return site;
      if (site.pc == 0) return add(i, {pc, act, space, bytes});
    }
  }
  std::vector<Site> take();  // empties the table

 private:
  std::size_t slot(std::uint32_t pc) const { return (pc * 2654435761u >> 8) & (sites_.size() - 1); }
  Site& add(std::size_t at, const Site& site);

  std::vector<Site> sites_ = std::vector<Site>(1024);
  std::size_t used_ = 0;
};

}  // namespace ridgeline::emulated
