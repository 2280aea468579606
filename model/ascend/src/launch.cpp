// The schedule: fibers for the scalar units, queues for the pipes, execution of
// queued instructions under vector clocks.
#include "launch.h"

#include <algorithm>
#include <cstring>

using namespace tile_ascend;

namespace {
thread_local Launch *activeLaunch = nullptr;
constexpr size_t kStackBytes = 256 * 1024;
// A pipe starts instructions in order but does not complete them in order; a
// seeded schedule may swap this many.
constexpr size_t kReorderWindow = 3;

using Word = uint64_t;

// Calls through a type that is not the kernel's, which the calling conventions
// of x86-64 and AArch64 allow for pointers and integers.
template <size_t... I>
#ifdef __clang__
__attribute__((no_sanitize("function")))
#endif
void callWords(TileAscendKernelFn entry, const Word *words,
               std::index_sequence<I...>) {
  reinterpret_cast<void (*)(decltype((void)I, Word())...)>(entry)(words[I]...);
}

template <size_t N>
void callIf(size_t count, TileAscendKernelFn entry, const Word *words) {
  if (count == N)
    return callWords(entry, words, std::make_index_sequence<N>());
  if constexpr (N < kMaxArgs)
    callIf<N + 1>(count, entry, words);
}

void fiberMain() {
  Launch &launch = running();
  Core &core = *launch.current;
  Word words[kMaxArgs];
  for (size_t i = 0; i < launch.params.numArgs; ++i) {
    const TileAscendArg &arg = launch.params.args[i];
    words[i] = arg.data ? reinterpret_cast<Word>(arg.data) : arg.scalar;
  }
  callIf<0>(launch.params.numArgs, launch.entry, words);
  if (core.active && core.dirtySinceBarrier) {
    // Static-tensor programming, "kernel end": the last statement is
    // PipeBarrier<PIPE_ALL>.
    Place place =
        launch.placeOf(core, "kernel end", {"", 0}, TILE_ASCEND_PIPE_S);
    launch.report(
        TILE_ASCEND_REPORT_NO_FINAL_BARRIER, place,
        "expected PipeBarrier<PIPE_ALL> after the kernel's last instruction");
  }
  if (const CachedLine *line = launch.dirtyLine(core))
    launch.report(TILE_ASCEND_REPORT_CACHE_DIRTY,
                  launch.places[line->dirtyPlace],
                  "a scalar store to GM is still in the data cache at the "
                  "kernel's end: expected DataCacheCleanAndInvalid after it");
  core.done = true;
}
} // namespace

Launch &tile_ascend::running() { return *activeLaunch; }
Core &tile_ascend::runningCore() { return *activeLaunch->current; }

Launch::Launch(TileAscendModel &model, const TileAscendLaunch &params,
               TileAscendKernelFn entry)
    : model(model), params(params), chip(*model.chip), entry(entry),
      randomState(params.seed) {
  buffers.resize(params.numArgs);
  for (size_t i = 0; i < params.numArgs; ++i) {
    const TileAscendArg &arg = params.args[i];
    if (!arg.data)
      continue;
    buffers[i].data = static_cast<uint8_t *>(arg.data);
    buffers[i].valid.assign(arg.bytes, !arg.uninitialised);
    if (arg.uninitialised)
      std::memset(arg.data, kPoison, arg.bytes);
  }
}

void Launch::run() {
  Launch *outer = activeLaunch;
  activeLaunch = this;
  uint32_t resident = residentBlocks();
  for (uint32_t first = 0; first < params.blocks && !isOver();
       first += resident, ++wave) {
    startWave(first, std::min(resident, params.blocks - first));
    runWave();
  }
  activeLaunch = outer;
}

bool Launch::isOver() const {
  return params.stopsAtReport && !model.reports.list.empty();
}

uint32_t Launch::residentBlocks() const {
  return params.residentBlocks ? params.residentBlocks : chip.cores;
}

uint64_t Launch::random() { // splitmix64
  uint64_t z = (randomState += 0x9E3779B97F4A7C15ull);
  z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9ull;
  z = (z ^ (z >> 27)) * 0x94D049BB133111EBull;
  return z ^ (z >> 31);
}

void Launch::startWave(uint32_t firstBlock, uint32_t blocks) {
  static const char *const names[] = {"aic", "aiv0", "aiv1"};
  cores.clear();
  order.clear();
  size_t components = size_t(blocks) * 3 * kPipes;
  for (uint32_t i = 0; i < blocks * 3; ++i) {
    Core &core = cores.emplace_back();
    core.launch = this;
    core.block = firstBlock + i / 3;
    core.slot = i;
    core.aic = i % 3 == 0;
    core.sub = core.aic ? 0 : static_cast<int>(i % 3) - 1;
    core.name = names[i % 3];
    core.issue.assign(components, 0);
    for (Queue &queue : core.queues)
      queue.clock.assign(components, 0);
    for (uint64_t &priority : core.priority)
      priority = random();
    order.push_back(&core);
    core.stack.reset(new char[kStackBytes]);
    getcontext(&core.context);
    core.context.uc_stack.ss_sp = core.stack.get();
    core.context.uc_stack.ss_size = kStackBytes;
    core.context.uc_link = &scheduler;
    makecontext(&core.context, fiberMain, 0);
  }
}

void Launch::runWave() {
  bool progress = true;
  while (progress) {
    if (isOver())
      return;
    progress = false;
    for (size_t i = 0; i < order.size() && !progress; ++i) {
      progress = stepCore(*order[i]);
      if (progress && params.seed && random() % 16 == 0)
        std::swap(order[i], order[random() % order.size()]);
    }
  }
  bool finished = std::all_of(cores.begin(), cores.end(), [](const Core &core) {
    return core.done && core.drained();
  });
  if (finished)
    finishWave();
  else
    reportDeadlock();
}

// Runs one actor of the core: a pipe, or the scalar unit. Program order (seed
// 0) empties the pipes, oldest instruction first, before it issues more.
bool Launch::stepCore(Core &core) {
  auto better = [&](int a, int b) {
    if (params.seed)
      return core.priority[a] > core.priority[b];
    return a < kPipes && core.queues[a].pending.front().id <
                             core.queues[b].pending.front().id;
  };
  int best = -1;
  for (int actor = 0; actor <= kPipes; ++actor)
    if (canRun(core, actor) && (best < 0 || better(actor, best)))
      best = actor;
  if (best < 0)
    return false;
  if (params.seed && random() % 16 == 0)
    core.priority[best] = random();
  if (best == kPipes)
    resume(core);
  else
    execute(core, core.queues[best]);
  return true;
}

bool Launch::canRun(Core &core, int actor) {
  if (actor == kPipes)
    return !core.done && (!core.ready || core.ready());
  const Queue &queue = core.queues[actor];
  if (queue.pending.empty())
    return false;
  const Instr &head = queue.pending.front();
  if (head.kind == Instr::WaitFlag)
    return core.flags[head.key].set.has_value();
  if (head.kind == Instr::CrossWait)
    return !(head.mode == 4 ? core.cross4 : core.cross)[head.key]
                .arrived.empty();
  return true;
}

void Launch::resume(Core &core) {
  core.ready = nullptr;
  current = &core;
  swapcontext(&scheduler, &core.context);
  current = nullptr;
}

void Launch::block(Core &core, std::function<bool()> ready,
                   std::string waitsFor, uint32_t place) {
  if (ready())
    return;
  core.ready = std::move(ready);
  core.waitsFor = std::move(waitsFor);
  core.waitPlace = place;
  swapcontext(&core.context, &scheduler);
}

void Launch::enqueue(Core &core, Instr instr) {
  Queue &queue = core.queues[instr.pipe];
  if (queue.pending.size() >= chip.queueDepth)
    block(
        core, [&] { return queue.pending.size() < chip.queueDepth; },
        std::string("room in the queue of ") + pipeNameOf(instr.pipe),
        instr.id);
  if (!core.issueSnapshot)
    core.issueSnapshot = std::make_shared<const Clock>(core.issue);
  instr.issued = core.issueSnapshot;
  core.dirtySinceBarrier = true;
  model.time.issue(chip, core, queue, instr);
  queue.pending.push_back(std::move(instr));
}

void Launch::execute(Core &core, Queue &queue) {
  size_t pick = 0;
  auto &pending = queue.pending;
  auto mayPass = [&](const Instr &instr) {
    return instr.kind == Instr::Work && !instr.inOrder;
  };
  if (params.seed && mayPass(pending.front()) &&
      !(chip.orderedPipes >> pending.front().pipe & 1)) {
    size_t window = 1;
    while (window < std::min(pending.size(), kReorderWindow) &&
           mayPass(pending[window]))
      ++window;
    pick = random() % window;
  }
  Instr instr = std::move(pending[pick]);
  pending.erase(pending.begin() + static_cast<std::ptrdiff_t>(pick));
  join(queue.clock, *instr.issued);
  if (instr.kind == Instr::Work)
    executeWork(core, queue, instr);
  else
    executeSync(core, queue, instr);
}

void Launch::executeWork(Core &core, Queue &queue, Instr &instr) {
  model.time.work(chip, core, queue, instr, places[instr.id]);
  ++queue.epoch;
  for (const Region &region : instr.reads)
    touch(core, instr, region, false);
  for (const Region &region : instr.writes)
    touch(core, instr, region, true);
  for (const Region &region : instr.reads)
    if (region.strict)
      checkUninit(core, instr, region);
  for (const Region &region : instr.writes)
    if (instr.atomic) // reads what it adds to
      checkUninit(core, instr, region);
  instr.run(core, instr);
  if (instr.inOrder || (chip.orderedPipes >> instr.pipe & 1))
    queue.clock[core.component(instr.pipe)] = queue.epoch;
}

double Launch::seenAfter(const Core &core, Pipe pipe,
                         TileAscendCost cost) const {
  const PipeTime &time = core.queues[pipe].time;
  return model.time.cost(chip, cost) + (pipe == TILE_ASCEND_PIPE_S
                                            ? core.time.now
                                            : std::max(time.free, time.done));
}

// Everything the pipe has executed so far is complete.
Clock Launch::completed(const Core &core, Pipe pipe) const {
  Clock clock =
      pipe == TILE_ASCEND_PIPE_S ? core.issue : core.queues[pipe].clock;
  clock[core.component(pipe)] = core.queues[pipe].epoch;
  return clock;
}

Core &Launch::ownerOf(Core &core, Unit unit) {
  if (unit == Unit::Own)
    return core;
  return cores[core.slot / 3 * 3 + static_cast<uint32_t>(unit) - 1];
}

Memory &Launch::memoryOf(Core &core, const Operand &operand) {
  if (operand.mem == TILE_ASCEND_GM)
    return buffers[static_cast<size_t>(operand.buffer)];
  Memory &memory = ownerOf(core, operand.unit).memories[operand.mem];
  if (!memory.data) {
    memory.storage.assign(chip.memBytes[operand.mem], kPoison);
    memory.valid.assign(memory.storage.size(), 0);
    memory.data = memory.storage.data();
  }
  return memory;
}

void Launch::reportRace(Mem mem, Range range, const Place &late,
                        bool lateWrites, const Place &early, bool earlyWrites) {
  // On one core the program's order names the race, whatever ran first.
  if (early.block == late.block && early.core == late.core &&
      early.ordinal > late.ordinal)
    return reportRace(mem, range, early, earlyWrites, late, lateWrites);
  TileAscendReportKind kind = !lateWrites   ? TILE_ASCEND_REPORT_RACE_RAW
                              : earlyWrites ? TILE_ASCEND_REPORT_RACE_WAW
                                            : TILE_ASCEND_REPORT_RACE_WAR;
  report(
      kind, late,
      format("%s %s on %s %s %s bytes [%llu, %llu) that %s on %s %s %s, with "
             "nothing that orders them",
             late.op, lateWrites ? "writes" : "reads", late.core,
             pipeNameOf(late.pipe), memName(mem),
             static_cast<unsigned long long>(range.lo),
             static_cast<unsigned long long>(range.hi), early.op, early.core,
             pipeNameOf(early.pipe), earlyWrites ? "wrote" : "read"),
      &early);
}

void Launch::touch(Core &core, const Instr &instr, const Region &region,
                   bool write) {
  const Queue &queue = core.queues[instr.pipe];
  const Clock &clock = queue.clock;
  Access access{
      core.component(instr.pipe), queue.epoch,          instr.id, write,
      write && instr.atomic,      write && instr.cached};
  auto conflict = [&](const Access &earlier, uint64_t lo, uint64_t hi) {
    const Place &before = places[earlier.instr];
    if (before.wave != wave || clock[earlier.component] < earlier.epoch)
      reportRace(region.operand.mem, {lo, hi}, places[instr.id], write, before,
                 earlier.write);
    else if (earlier.cached && earlier.component != access.component)
      report(TILE_ASCEND_REPORT_CACHE_DIRTY, places[instr.id],
             format("%s on %s %s needs GM bytes [%llu, %llu), which %s left in "
                    "the data cache of %s: expected DataCacheCleanAndInvalid "
                    "after it",
                    instr.op, core.name, pipeNameOf(instr.pipe),
                    static_cast<unsigned long long>(lo),
                    static_cast<unsigned long long>(hi), before.op,
                    before.core),
             &before);
  };
  memoryOf(core, region.operand).shadow.touch(region.ranges, access, conflict);
}

void Launch::touchLate(Core &core, const Instr &instr, const Region &region,
                       bool write) {
  touch(core, instr, region, write);
  if (!write && region.strict)
    checkUninit(core, instr, region);
}

void Launch::checkUninit(Core &core, const Instr &instr, const Region &region) {
  const Memory &memory = memoryOf(core, region.operand);
  for (const Range &range : region.ranges)
    if (const void *hole = std::memchr(memory.valid.data() + range.lo, 0,
                                       range.hi - range.lo)) {
      uint64_t at = static_cast<uint64_t>(static_cast<const uint8_t *>(hole) -
                                          memory.valid.data());
      report(TILE_ASCEND_REPORT_UNINIT_READ, places[instr.id],
             format("%s reads %s byte %llu, which nothing has written",
                    instr.op, memName(region.operand.mem),
                    static_cast<unsigned long long>(at)));
      return;
    }
}

void Launch::joinIssue(Core &core, const Clock &clock) {
  join(core.issue, clock);
  core.issueSnapshot = nullptr;
}

void Launch::drainAndJoin(Core &core) {
  Clock all = core.issue;
  for (int pipe = 0; pipe < kPipes; ++pipe)
    join(all, completed(core, static_cast<Pipe>(pipe)));
  joinIssue(core, all);
  for (const Queue &queue : core.queues)
    core.time.now = std::max({core.time.now, queue.time.free, queue.time.done});
  core.dirtySinceBarrier = false;
}

Instr Launch::startScalar(Core &core, const Place &place) {
  Instr instr;
  instr.pipe = TILE_ASCEND_PIPE_S;
  instr.op = place.op;
  instr.id = addPlace(place);
  Queue &queue = core.queues[TILE_ASCEND_PIPE_S];
  queue.clock = core.issue;
  queue.clock[core.component(TILE_ASCEND_PIPE_S)] =
      queue.epoch; // scalar instructions complete in order
  ++queue.epoch;
  return instr;
}

void Launch::scalarWork(Core &core, const Place &place, const Region &region,
                        bool write, void *value) {
  Instr instr = startScalar(core, place);
  bool isGlobal = region.operand.mem == TILE_ASCEND_GM;
  core.time.now += model.time.cost(chip, isGlobal ? TILE_ASCEND_COST_SCALAR_GM
                                                  : TILE_ASCEND_COST_SCALAR_UB);
  if (isGlobal) {
    instr.cached = write;
    if (!write)
      checkStale(core, instr, region);
    fillCache(core, region, write, instr.id);
  }
  touch(core, instr, region, write);
  if (!write)
    checkUninit(core, instr, region);
  Memory &memory = memoryOf(core, region.operand);
  const Range &range = region.ranges[0];
  if (write) {
    std::memcpy(memory.data + range.lo, value, range.hi - range.lo);
    std::memset(memory.valid.data() + range.lo, 1, range.hi - range.lo);
  } else {
    std::memcpy(value, memory.data + range.lo, range.hi - range.lo);
  }
}

void Launch::finishWave() {
  model.time.endWave(cores);
  for (Core &core : cores) {
    for (auto &[key, flag] : core.flags)
      if (flag.set)
        report(TILE_ASCEND_REPORT_FLAG_LEFT_SET, places[flag.set->place],
               format("flag %s_%s id %u is still set at the kernel's end",
                      pipeNameOf(static_cast<Pipe>(key >> 8)),
                      pipeNameOf(static_cast<Pipe>(key >> 4 & 15)), key & 15));
    for (const CrossFlag *bank : {core.cross, core.cross4})
      for (uint32_t id = 0; id < 32; ++id) {
        if (!bank[id].arrived.empty())
          report(TILE_ASCEND_REPORT_CROSS_LEFT,
                 places[bank[id].arrived.front().place],
                 format("expected the counter of cross-core flag %u of %s to "
                        "be 0 at the kernel's end, got %zu",
                        id, core.name, bank[id].arrived.size()));
        if (!bank[id].sent.empty())
          report(TILE_ASCEND_REPORT_CROSS_LEFT,
                 places[bank[id].sent.front().place],
                 format("cross-core flag %u was set by %s but not by every "
                        "core that mode %u combines",
                        id, core.name, bank[id].sentMode));
      }
  }
}

void Launch::reportDeadlock() {
  for (Core &core : cores) {
    if (!core.done && core.ready)
      report(TILE_ASCEND_REPORT_DEADLOCK, places[core.waitPlace],
             format("%s of block %u waits forever for %s", core.name,
                    core.block, core.waitsFor.c_str()));
    for (const Queue &queue : core.queues) {
      if (queue.pending.empty())
        continue;
      const Instr &head = queue.pending.front();
      report(TILE_ASCEND_REPORT_DEADLOCK, places[head.id],
             format("%s %s of block %u waits forever in %s", core.name,
                    pipeNameOf(head.pipe), core.block, head.op));
    }
  }
}

bool Core::drained() const {
  return std::all_of(std::begin(queues), std::end(queues),
                     [](const Queue &queue) { return queue.pending.empty(); });
}

bool Launch::inKernel(const Core &core) const {
  switch (kernelType) {
  case TILE_ASCEND_KERNEL_AIV_ONLY:
  case TILE_ASCEND_KERNEL_MIX_AIV_1_0:
    return !core.aic && core.sub == 0;
  case TILE_ASCEND_KERNEL_AIC_ONLY:
  case TILE_ASCEND_KERNEL_MIX_AIC_1_0:
    return core.aic;
  case TILE_ASCEND_KERNEL_MIX_AIC_1_1:
    return core.aic || core.sub == 0;
  default:
    return true;
  }
}

Place Launch::placeOf(const Core &core, const char *op, Loc loc,
                      Pipe pipe) const {
  return {op, loc, core.block, core.ordinal, wave, pipe, core.name};
}

uint32_t Launch::addPlace(const Place &place) {
  places.push_back(place);
  return static_cast<uint32_t>(places.size() - 1);
}

void Launch::report(TileAscendReportKind kind, const Place &at,
                    const std::string &message, const Place *other) {
  model.reports.add(kind, at, other, message);
}

int32_t Launch::findBuffer(const void *pointer, int64_t *offset) const {
  auto address = reinterpret_cast<uintptr_t>(pointer);
  for (size_t i = 0; i < buffers.size(); ++i) {
    auto base = reinterpret_cast<uintptr_t>(buffers[i].data);
    if (buffers[i].data && address >= base &&
        address <= base + buffers[i].valid.size()) {
      // The end of one buffer may be the start of the next, to which such a
      // pointer more likely belongs.
      if (address == base + buffers[i].valid.size() && i + 1 < buffers.size())
        continue;
      *offset = static_cast<int64_t>(address - base);
      return static_cast<int32_t>(i);
    }
  }
  *offset = 0;
  return -1;
}
