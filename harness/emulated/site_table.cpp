#include "harness/emulated/site_table.hpp"

#include <utility>

namespace ridgeline::emulated {

Site& SiteTable::add(std::size_t at, const Site& site) {
  if (2 * ++used_ > sites_.size()) {
    std::vector<Site> old(2 * sites_.size());
    std::swap(old, sites_);
    used_ = 0;
    for (const Site& kept : old)
      if (kept.pc != 0) this->at(kept.pc, kept.space, kept.act, kept.bytes) = kept;
    return this->at(site.pc, site.space, site.act, site.bytes);
  }
  return sites_[at] = site;
}

std::vector<Site> SiteTable::take() {
  std::vector<Site> taken;
  for (const Site& site : sites_)
    if (site.pc != 0) taken.push_back(site);
  sites_.assign(1024, {});
  used_ = 0;
  return taken;
}

}  // namespace ridgeline::emulated
