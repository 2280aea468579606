#include "shadow.h"

#include <algorithm>

using namespace tile_ascend;

void tile_ascend::coalesce(std::vector<Range> &ranges) {
  auto byLow = [](const Range &a, const Range &b) { return a.lo < b.lo; };
  if (!std::is_sorted(ranges.begin(), ranges.end(), byLow))
    std::sort(ranges.begin(), ranges.end(), byLow);
  size_t kept = 0;
  for (const Range &range : ranges) {
    if (range.lo >= range.hi)
      continue;
    if (kept && range.lo <= ranges[kept - 1].hi)
      ranges[kept - 1].hi = std::max(ranges[kept - 1].hi, range.hi);
    else
      ranges[kept++] = range;
  }
  ranges.resize(kept);
}

void Shadow::split(uint64_t at) {
  auto it = cells.upper_bound(at);
  if (it == cells.begin())
    return;
  --it;
  if (it->first == at || it->second.hi <= at)
    return;
  Cell upper = it->second;
  it->second.hi = at;
  cells.emplace_hint(std::next(it), at, std::move(upper));
}

// A newer access of the same pipe and sort stands for the older one: epochs of
// one pipe only grow.
void Shadow::record(Cell &cell, const Access &access) {
  for (Access &old : cell.accesses)
    if (old.component == access.component && old.write == access.write &&
        old.atomic == access.atomic) {
      old = access;
      return;
    }
  cell.accesses.push_back(access);
}
