// Vector clocks, and the access history of one memory: who last wrote and who
// has read each byte range since.
#pragma once
#include <cstddef>
#include <cstdint>
#include <map>
#include <vector>

namespace tile_ascend {

// One component per (core, pipe) of the blocks that run at once.
using Clock = std::vector<uint32_t>;

inline void join(Clock &into, const Clock &other) {
  for (size_t i = 0; i < into.size(); ++i)
    into[i] = into[i] < other[i] ? other[i] : into[i];
}

struct Range {
  uint64_t lo, hi;
};

// Sorts and merges touching ranges.
void coalesce(std::vector<Range> &ranges);

struct Access {
  uint32_t component; // of the clock
  uint32_t epoch;     // ordinal of the instruction on its pipe
  uint32_t instr;     // index into the launch's instruction table
  bool write;
  bool atomic;
  bool cached; // stays in a data cache until that is cleaned
};

class Shadow {
public:
  // Calls conflict(earlier, lo, hi) for every earlier access in a range that
  // the new one conflicts with, then records the new one. The callback decides
  // whether the pair is ordered.
  template <typename F>
  void touch(const std::vector<Range> &ranges, const Access &access,
             F &&conflict) {
    for (const Range &range : ranges)
      touchOne(range, access, conflict);
  }

  // Calls f(writer, lo, hi) for the writers of a range that nothing has
  // overwritten.
  template <typename F>
  void forEachWriter(const Range &range, F &&f) const {
    auto it = cells.upper_bound(range.lo);
    if (it != cells.begin())
      --it;
    for (; it != cells.end() && it->first < range.hi; ++it)
      for (const Access &access : it->second.accesses)
        if (access.write && it->second.hi > range.lo)
          f(access, it->first < range.lo ? range.lo : it->first,
            it->second.hi < range.hi ? it->second.hi : range.hi);
  }

private:
  struct Cell {
    uint64_t hi;
    std::vector<Access> accesses; // the writers that nothing has overwritten,
                                  // then their readers
  };
  std::map<uint64_t, Cell> cells; // keyed by the low end; ranges are disjoint

  void split(uint64_t at);
  static void record(Cell &cell, const Access &access);

  template <typename F>
  void touchOne(const Range &range, const Access &access, F &&conflict) {
    if (range.lo >= range.hi)
      return;
    split(range.lo);
    split(range.hi);
    auto it = cells.lower_bound(range.lo);
    for (auto cell = it; cell != cells.end() && cell->first < range.hi; ++cell)
      for (const Access &earlier : cell->second.accesses)
        if (earlier.instr != access.instr && (earlier.write || access.write) &&
            !(earlier.atomic && access.atomic))
          conflict(earlier, cell->first, cell->second.hi);
    if (access.write && !access.atomic) {
      while (it != cells.end() && it->first < range.hi)
        it = cells.erase(it);
      cells.emplace_hint(it, range.lo, Cell{range.hi, {access}});
      return;
    }
    uint64_t at = range.lo;
    for (; it != cells.end() && it->first < range.hi; ++it) {
      if (at < it->first)
        cells.emplace_hint(it, at, Cell{it->first, {access}});
      record(it->second, access);
      at = it->second.hi;
    }
    if (at < range.hi)
      cells.emplace_hint(it, at, Cell{range.hi, {access}});
  }
};

} // namespace tile_ascend
