// The data cache between a core's scalar unit and GM. Nothing keeps it and GM
// consistent (pages "DataCacheCleanAndInvalid" and "system caches"): a line that
// was read stays as it was, a store stays in its line, and a dirty line goes
// back as a whole. Lines are found by vector clocks like everything else, so
// that no order hides a fault.
#include <algorithm>

#include "launch.h"

using namespace tile_ascend;

namespace {
constexpr uint64_t kLine = 64;
constexpr uint32_t kBufferShift = 48;

// GM buffers start at a line, as the device's allocations do.
uint64_t lineKey(const Operand &operand, uint64_t at) {
  return static_cast<uint64_t>(operand.buffer) << kBufferShift | at / kLine;
}

uint64_t lineStart(uint64_t key) {
  return (key & ((uint64_t(1) << kBufferShift) - 1)) * kLine;
}

// The bytes from `lo` to `hi` of a line, as bits.
uint64_t bytesOfLine(uint64_t lo, uint64_t hi) {
  uint64_t count = hi - lo;
  uint64_t ones = count >= kLine ? ~uint64_t(0) : (uint64_t(1) << count) - 1;
  return ones << lo % kLine;
}

template <typename F>
void forEachRun(uint64_t bytes, uint64_t start, F &&f) {
  for (uint64_t lo = 0; lo < kLine; ++lo) {
    if (!(bytes >> lo & 1))
      continue;
    uint64_t hi = lo;
    while (hi < kLine && bytes >> hi & 1)
      ++hi;
    f(Range{start + lo, start + hi});
    lo = hi;
  }
}

// Calls f(key, bytes) for each line of a range.
template <typename F>
void forEachLine(const Region &region, F &&f) {
  for (const Range &range : region.ranges)
    for (uint64_t lo = range.lo; lo < range.hi;) {
      uint64_t hi = std::min(range.hi, lo / kLine * kLine + kLine);
      f(lineKey(region.operand, lo), bytesOfLine(lo, hi));
      lo = hi;
    }
}
} // namespace

// Calls f(place, lo, hi) for what somebody else has written to a run of bytes
// after the cache took them. What nothing orders is a race, which touch()
// reports.
template <typename F>
void Launch::forEachLater(Core &core, const CachedLine::Part &part,
                          const Region &run, F &&f) {
  const Clock &now = core.queues[TILE_ASCEND_PIPE_S].clock;
  uint32_t own = core.component(TILE_ASCEND_PIPE_S);
  memoryOf(core, run.operand)
      .shadow.forEachWriter(
          run.ranges[0], [&](const Access &writer, uint64_t lo, uint64_t hi) {
            const Place &before = places[writer.instr];
            if (writer.component != own && before.wave == wave &&
                now[writer.component] >= writer.epoch &&
                part.filled[writer.component] < writer.epoch)
              f(before, lo, hi);
          });
}

void Launch::checkStale(Core &core, const Instr &instr, const Region &region) {
  forEachLine(region, [&](uint64_t key, uint64_t bytes) {
    auto line = core.cache.find(key);
    if (line == core.cache.end())
      return;
    for (const CachedLine::Part &part : line->second.parts)
      forEachRun(part.bytes & bytes, lineStart(key), [&](const Range &run) {
        forEachLater(
            core, part, {region.operand, {run}, false},
            [&](const Place &before, uint64_t lo, uint64_t hi) {
              report(TILE_ASCEND_REPORT_CACHE_STALE, places[instr.id],
                     format("%s reads GM bytes [%llu, %llu) from a line that "
                            "the data cache of %s may hold from before %s on "
                            "%s %s wrote them: expected "
                            "DataCacheCleanAndInvalid between",
                            instr.op, static_cast<unsigned long long>(lo),
                            static_cast<unsigned long long>(hi), core.name,
                            before.op, before.core, pipeNameOf(before.pipe)),
                     &before);
            });
      });
  });
}

void Launch::fillCache(Core &core, const Region &region, bool write,
                       uint32_t place) {
  uint64_t size = memoryOf(core, region.operand).valid.size();
  forEachLine(region, [&](uint64_t key, uint64_t bytes) {
    CachedLine &line = core.cache[key];
    uint64_t start = lineStart(key),
             missing = bytesOfLine(start, std::min(size, start + kLine));
    for (const CachedLine::Part &part : line.parts)
      missing &= ~part.bytes;
    if (missing)
      line.parts.push_back(
          {missing, completed(core, TILE_ASCEND_PIPE_S)});
    if (!write)
      return;
    line.dirty |= bytes;
    line.dirtyPlace = place;
  });
}

const CachedLine *Launch::dirtyLine(const Core &core) const {
  for (const auto &[key, line] : core.cache)
    if (line.dirty)
      return &line;
  return nullptr;
}

// The dirty bytes are written now. The others are written as they were read:
// that loses what somebody else has written meanwhile.
void Launch::writeBack(Core &core, const Instr &instr, uint64_t key,
                       const CachedLine &line, uint64_t bytes) {
  Operand operand{TILE_ASCEND_GM, static_cast<int32_t>(key >> kBufferShift), 0,
                  0, DType::U8};
  for (const CachedLine::Part &part : line.parts)
    forEachRun(
        part.bytes & bytes & ~line.dirty, lineStart(key),
        [&](const Range &run) {
          Region region{operand, {run}, false};
          forEachLater(
              core, part, region,
              [&](const Place &before, uint64_t lo, uint64_t hi) {
                report(TILE_ASCEND_REPORT_CACHE_DIRTY, places[instr.id],
                       format("%s writes a line back with GM bytes [%llu, "
                              "%llu) as they were before %s on %s %s wrote "
                              "them",
                              instr.op, static_cast<unsigned long long>(lo),
                              static_cast<unsigned long long>(hi), before.op,
                              before.core, pipeNameOf(before.pipe)),
                       &before);
              });
          touch(core, instr, region, false);
        });
  forEachRun(line.dirty & bytes, lineStart(key), [&](const Range &run) {
    touch(core, instr, {operand, {run}, false}, true);
  });
}

void Launch::cleanCache(Core &core, const Place &place,
                        const Operand *operand) {
  Instr instr = startScalar(core, place);
  auto clean = [&](uint64_t key, CachedLine &line, uint64_t bytes) {
    if (line.dirty & bytes)
      writeBack(core, instr, key, line, bytes);
    line.dirty &= ~bytes;
    auto &parts = line.parts;
    for (CachedLine::Part &part : parts)
      part.bytes &= ~bytes;
    parts.erase(std::remove_if(
                    parts.begin(), parts.end(),
                    [](const CachedLine::Part &part) { return !part.bytes; }),
                parts.end());
  };
  if (!operand) {
    for (auto &[key, line] : core.cache)
      clean(key, line, ~uint64_t(0));
    core.cache.clear();
    return;
  }
  // An address inside of a line: only the bytes from there on.
  auto at = static_cast<uint64_t>(operand->addr);
  auto line = core.cache.find(lineKey(*operand, at));
  if (line != core.cache.end())
    clean(line->first, line->second, ~uint64_t(0) << at % kLine);
}
