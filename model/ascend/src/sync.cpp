// Flags, barriers and cross-core flags: legality when issued, clocks when
// executed. Sources: the pages SetFlag/WaitFlag (ISASI), PipeBarrier (ISASI),
// CrossCoreSetFlag, CrossCoreWaitFlag and "intra-core synchronisation overview"
// of the API manual.
#include "launch.h"

#include <algorithm>

using namespace tile_ascend;

namespace {

constexpr uint32_t kFlagIds = 8;
const char *const pipeNames[] = {"S", "V", "M", "MTE1", "MTE2", "MTE3", "FIX"};

// Registers the site and says whether it takes part in this launch. A call in a
// function is a site for each flag: what it is called for differs.
bool enterSite(Core &core, const char *api, const std::string &name,
               const std::string &id, Loc loc,
               uint64_t TileAscendStats::*counter, uint32_t *site) {
  TileAscendModel &model = core.launch->model;
  *site = model.site(
      loc, format("%s<%s>%s", api, name.c_str(),
                  id.empty() ? "" : format("(%s)", id.c_str()).c_str()));
  if (model.sites[*site].times == 0)
    return false;
  ++model.sites[*site].executed;
  ++(model.stats.*counter);
  ++core.ordinal;
  return true;
}

uint32_t flagKey(Pipe src, Pipe dst, uint32_t id) {
  return static_cast<uint32_t>(src) << 8 | static_cast<uint32_t>(dst) << 4 | id;
}

// Checks what SetFlag and WaitFlag have in common. False: the call has no
// meaning and is dropped.
bool checkFlag(Core &core, const Place &place, Pipe src, Pipe dst, int32_t id) {
  Launch &launch = *core.launch;
  const uint8_t *pairs = core.aic ? launch.chip.aicPairs : launch.chip.aivPairs;
  if (!(pairs[src] >> dst & 1)) {
    launch.report(TILE_ASCEND_REPORT_FLAG_PAIR, place,
                  format("%s cannot signal %s on an %s", pipeNames[src],
                         pipeNames[dst], core.aic ? "AIC" : "AIV"));
    return false;
  }
  if (id < 0 || id >= static_cast<int32_t>(kFlagIds)) {
    launch.report(
        TILE_ASCEND_REPORT_FLAG_ID, place,
        format("expected an event id below %u, got %d", kFlagIds, id));
    return false;
  }
  if (id >= launch.chip.userEvents)
    launch.report(TILE_ASCEND_REPORT_FLAG_ID, place,
                  format("event id %d is reserved: expected an id below %u", id,
                         launch.chip.userEvents));
  return true;
}

Instr makeSync(Core &core, Instr::Kind kind, Pipe pipe, const Place &place,
               uint32_t site) {
  Instr instr;
  instr.kind = kind;
  instr.pipe = pipe;
  instr.op = place.op;
  instr.id = core.launch->addPlace(place);
  instr.site = site;
  return instr;
}

const char *const flagNames[2] = {"SetFlag", "WaitFlag"};

bool crossIdValid(Core &core, const Place &place, uint8_t mode, uint32_t *id) {
  const TileAscendChip &chip = core.launch->chip;
  if (!(chip.crossModes >> mode & 1)) {
    core.launch->report(
        TILE_ASCEND_REPORT_CROSS_MODE, place,
        format("cross-core mode %u does not exist on %s", mode, chip.name));
    return false;
  }
  // Mode 4: ids 0-10 belong to AIV0 and, on the AIC only, 16-26 to AIV1.
  bool good = mode == 4 ? *id <= 10 || (core.aic && *id >= 16 && *id <= 26)
                        : *id < chip.crossFlags;
  if (!good) {
    core.launch->report(TILE_ASCEND_REPORT_CROSS_ID, place,
                        format("expected a cross-core flag id below %u, got %u "
                               "(hardware keeps its low 4 bits)",
                               mode == 4 ? 11u : chip.crossFlags, *id));
    *id &= 15;
  }
  return true;
}

bool crossKernelValid(Core &core, const Place &place, uint8_t mode) {
  Launch &launch = *core.launch;
  int type = launch.kernelType;
  bool mixed = type == TILE_ASCEND_KERNEL_MIX_AIC_1_1 ||
               type == TILE_ASCEND_KERNEL_MIX_AIC_1_2;
  bool only = type == TILE_ASCEND_KERNEL_AIC_ONLY ||
              type == TILE_ASCEND_KERNEL_AIV_ONLY;
  if (!mixed && (mode != 0 || only)) {
    launch.report(TILE_ASCEND_REPORT_CROSS_KERNEL_TYPE, place,
                  format("cross-core mode %u needs a %s kernel type: this one "
                         "starts no flag scheduler for it",
                         mode, mode ? "MIX_AIC_1_1 or MIX_AIC_1_2" : "MIX"));
    return false;
  }
  // Mode 0 waits for every block, so all of them must run at once.
  if (mode == 0 && launch.params.blocks > launch.residentBlocks()) {
    launch.report(TILE_ASCEND_REPORT_CROSS_MODE, place,
                  format("cross-core mode 0 expects at most %u blocks, which "
                         "run at once, got %u",
                         launch.residentBlocks(), launch.params.blocks));
    return false;
  }
  return true;
}

void arrive(Core &core, CrossFlag &flag, uint32_t id, const Token &token) {
  Launch &launch = *core.launch;
  flag.arrived.push_back(token);
  if (flag.arrived.size() > launch.chip.crossMax)
    launch.report(TILE_ASCEND_REPORT_CROSS_OVERFLOW, launch.places[token.place],
                  format("expected the counter of cross-core flag %u of %s to "
                         "stay at most %u, got %zu",
                         id, core.name, launch.chip.crossMax,
                         flag.arrived.size()));
}

// A core has the scalar unit and the pipes that flags may name there.
bool hasPipe(const Core &core, Pipe pipe) {
  const TileAscendChip &chip = core.launch->chip;
  return pipe == TILE_ASCEND_PIPE_S ||
         (core.aic ? chip.aicPairs : chip.aivPairs)[pipe];
}

// The cores whose sets mode 0, 1 or 2 combines with this one's, and the cores
// that the combined signal reaches.
void crossPartners(Core &core, uint8_t mode, std::vector<Core *> *senders,
                   std::vector<Core *> *receivers) {
  for (Core &other : core.launch->cores) {
    if (!core.launch->inKernel(other))
      continue;
    if (mode == 0 && other.aic == core.aic) {
      senders->push_back(&other);
      receivers->push_back(&other);
    } else if (mode && other.block == core.block) {
      if (other.aic == core.aic)
        senders->push_back(&other);
      if (mode == 1 ? !other.aic : other.aic != core.aic)
        receivers->push_back(&other);
    }
  }
}

void crossSignal(Core &core, uint32_t id, uint8_t mode, const Token &token) {
  if (mode == 4) {
    // An AIV talks to the AIC's ids from 16 * sub on; the AIC's ids from 16 on
    // are AIV1's.
    uint32_t target = core.aic ? id / 16 : 0;
    for (Core &other : core.launch->cores)
      if (other.block == core.block && other.aic != core.aic &&
          (other.aic || other.sub == static_cast<int>(target))) {
        uint32_t there =
            core.aic ? id % 16 : id + 16 * static_cast<uint32_t>(core.sub);
        arrive(other, other.cross4[there], there, token);
      }
    return;
  }
  CrossFlag &own = core.cross[id];
  own.sent.push_back(token);
  own.sentMode = mode;
  std::vector<Core *> senders, receivers;
  crossPartners(core, mode, &senders, &receivers);
  for (Core *sender : senders)
    if (sender->cross[id].sent.empty())
      return;
  Token all = token;
  for (Core *sender : senders) {
    Token part = std::move(sender->cross[id].sent.front());
    sender->cross[id].sent.pop_front();
    join(all.clock, part.clock);
    all.time = std::max(all.time, part.time);
    core.launch->model.unite(all.site, part.site);
  }
  for (Core *receiver : receivers)
    arrive(*receiver, receiver->cross[id], id, all);
}

// Takes the oldest token of a flag, which the caller knows to be there.
Token take(Core &core, std::deque<Token> &tokens, uint32_t site) {
  Token token = std::move(tokens.front());
  tokens.pop_front();
  core.launch->model.unite(site, token.site);
  return token;
}

// Sets a flag. The wait before must have cleared it: whether it has in this
// schedule or not, something must say so.
void raiseFlag(Core &core, Flag &flag, Pipe dst, Token token) {
  Launch &launch = *core.launch;
  bool isTaken =
      !flag.set && token.clock[core.component(dst)] >= flag.lastWaitEpoch;
  if (!isTaken)
    launch.report(
        TILE_ASCEND_REPORT_FLAG_DOUBLE_SET, launch.places[token.place],
        format("SetFlag may run before %s has waited for the previous set of "
               "this flag",
               pipeNames[dst]),
        &launch.places[flag.set ? flag.set->place : flag.lastWaitPlace]);
  if (!flag.set)
    flag.set = std::move(token);
}

// Clears a flag, which the caller knows to be set. The wait is an event of its
// own on the waiting pipe, so that a later set can be seen to follow it; what
// the scalar unit issues after a wait does so anyway.
Token clearFlag(Core &core, Flag &flag, Pipe dst, const Instr &instr) {
  Token token = std::move(*flag.set);
  flag.set.reset();
  core.launch->model.unite(instr.site, token.site);
  flag.lastWaitEpoch = dst == TILE_ASCEND_PIPE_S ? 0 : ++core.queues[dst].epoch;
  flag.lastWaitPlace = instr.id;
  return token;
}

} // namespace

static void issueSetFlag(Core &core, Pipe src, Pipe dst, int32_t id,
                         const Place &place, uint32_t site) {
  Launch &launch = *core.launch;
  Instr instr = makeSync(core, Instr::SetFlag, src, place, site);
  instr.key = flagKey(src, dst, static_cast<uint32_t>(id));
  Flag &flag = core.flags[instr.key];
  if (++flag.pendingInProgram > 1)
    launch.report(TILE_ASCEND_REPORT_FLAG_DOUBLE_SET, place,
                  format("flag %s_%s id %d is set again with no wait between",
                         pipeNames[src], pipeNames[dst], id),
                  &launch.places[flag.lastSetPlace]);
  flag.lastSetPlace = instr.id;
  if (src != TILE_ASCEND_PIPE_S)
    return launch.enqueue(core, std::move(instr));
  raiseFlag(core, flag, dst,
            {launch.completed(core, src), site, instr.id,
             launch.seenAfter(core, src, TILE_ASCEND_COST_FLAG)});
}

void tile_ascend::setFlag(AscendC::HardEvent event, int32_t id, Loc loc) {
  Core &core = runningCore();
  Launch &launch = *core.launch;
  Pipe src = static_cast<Pipe>(static_cast<int>(event) >> 4),
       dst = static_cast<Pipe>(static_cast<int>(event) & 15);
  uint32_t site;
  if (!enterSite(core, flagNames[0],
                 format("%s_%s", pipeNames[src], pipeNames[dst]),
                 std::to_string(id), loc, &TileAscendStats::setFlags, &site))
    return;
  Place place = launch.placeOf(core, flagNames[0], loc, src);
  if (!checkFlag(core, place, src, dst, id))
    return;
  for (int i = 0; i < launch.model.sites[site].times; ++i)
    issueSetFlag(core, src, dst, id, place, site);
}

void tile_ascend::waitFlag(AscendC::HardEvent event, int32_t id, Loc loc) {
  Core &core = runningCore();
  Launch &launch = *core.launch;
  Pipe src = static_cast<Pipe>(static_cast<int>(event) >> 4),
       dst = static_cast<Pipe>(static_cast<int>(event) & 15);
  std::string name = format("%s_%s", pipeNames[src], pipeNames[dst]);
  uint32_t site;
  if (!enterSite(core, flagNames[1], name, std::to_string(id), loc,
                 &TileAscendStats::waitFlags, &site))
    return;
  Place place = launch.placeOf(core, flagNames[1], loc, dst);
  if (!checkFlag(core, place, src, dst, id))
    return;
  Instr instr = makeSync(core, Instr::WaitFlag, dst, place, site);
  instr.key = flagKey(src, dst, static_cast<uint32_t>(id));
  Flag &flag = core.flags[instr.key];
  // A wait that precedes its set in program order only works while the queues
  // have room.
  if (--flag.pendingInProgram < 0)
    launch.report(TILE_ASCEND_REPORT_FLAG_NO_SET, place,
                  format("expected a set of flag %s id %d before this wait",
                         name.c_str(), id));
  if (dst != TILE_ASCEND_PIPE_S)
    return launch.enqueue(core, std::move(instr));
  launch.block(
      core, [&flag] { return flag.set.has_value(); },
      format("flag %s id %d", name.c_str(), id), instr.id);
  Token token = clearFlag(core, flag, dst, instr);
  core.time.now = std::max(core.time.now, token.time);
  launch.joinIssue(core, token.clock);
}

void tile_ascend::pipeBarrier(pipe_t pipe, Loc loc) {
  Core &core = runningCore();
  Launch &launch = *core.launch;
  const char *name = pipe == PIPE_ALL ? "ALL" : pipeNames[pipe];
  uint32_t site;
  if (!enterSite(core, "PipeBarrier", format("PIPE_%s", name), "", loc,
                 &TileAscendStats::pipeBarriers, &site))
    return;
  Place place = launch.placeOf(core, "PipeBarrier", loc,
                               pipe == PIPE_ALL ? TILE_ASCEND_PIPE_S
                                                : static_cast<Pipe>(pipe));
  if (pipe == PIPE_ALL) {
    launch.block(
        core, [&core] { return core.drained(); }, "all pipes to finish",
        launch.addPlace(place));
    return launch.drainAndJoin(core);
  }
  uint8_t legal = core.aic ? launch.chip.aicBarriers : launch.chip.aivBarriers;
  if (!(legal >> pipe & 1))
    return launch.report(
        TILE_ASCEND_REPORT_BARRIER_PIPE, place,
        format("PipeBarrier<PIPE_%s> does not exist on an %s of %s", name,
               core.aic ? "AIC" : "AIV", launch.chip.name));
  launch.enqueue(core, makeSync(core, Instr::Barrier, static_cast<Pipe>(pipe),
                                place, site));
}

void tile_ascend::crossSet(uint8_t mode, pipe_t pipe, uint32_t id, Loc loc) {
  Core &core = runningCore();
  Launch &launch = *core.launch;
  uint32_t site;
  std::string name =
      format("%u, PIPE_%s", mode, pipe == PIPE_ALL ? "ALL" : pipeNames[pipe]);
  if (!enterSite(core, "CrossCoreSetFlag", name, std::to_string(id), loc,
                 &TileAscendStats::crossSets, &site))
    return;
  Place place = launch.placeOf(core, "CrossCoreSetFlag", loc,
                               pipe == PIPE_ALL ? TILE_ASCEND_PIPE_S
                                                : static_cast<Pipe>(pipe));
  if (!crossIdValid(core, place, mode, &id) ||
      !crossKernelValid(core, place, mode))
    return;
  if (pipe == PIPE_ALL || (pipe == PIPE_S && mode != 4))
    return launch.report(
        TILE_ASCEND_REPORT_CROSS_PIPE, place,
        "CrossCoreSetFlag expects one pipe of V, M, MTE1, MTE2, MTE3, FIX");
  if (!hasPipe(core, place.pipe))
    return launch.report(TILE_ASCEND_REPORT_CROSS_PIPE, place,
                         format("CrossCoreSetFlag expects a pipe of an %s, got "
                                "PIPE_%s",
                                core.aic ? "AIC" : "AIV",
                                pipeNames[place.pipe]));
  if (const CachedLine *line = launch.dirtyLine(core))
    launch.report(TILE_ASCEND_REPORT_CACHE_DIRTY, place,
                  "scalar stores to GM stay in this core's data cache: "
                  "expected DataCacheCleanAndInvalid before the signal",
                  &launch.places[line->dirtyPlace]);
  for (int i = 0; i < launch.model.sites[site].times; ++i) {
    Instr instr =
        makeSync(core, Instr::CrossSet, static_cast<Pipe>(pipe), place, site);
    instr.key = id;
    instr.mode = mode;
    if (pipe == PIPE_S)
      crossSignal(core, id, mode,
                  {launch.completed(core, TILE_ASCEND_PIPE_S), site, instr.id,
                   launch.seenAfter(core, TILE_ASCEND_PIPE_S,
                                    TILE_ASCEND_COST_CROSS_FLAG)});
    else
      launch.enqueue(core, std::move(instr));
  }
}

void tile_ascend::crossWait(uint8_t mode, pipe_t pipe, uint32_t id, Loc loc) {
  Core &core = runningCore();
  Launch &launch = *core.launch;
  uint32_t site;
  std::string name =
      format("%u, PIPE_%s", mode, pipe == PIPE_ALL ? "ALL" : pipeNames[pipe]);
  if (!enterSite(core, "CrossCoreWaitFlag", name, std::to_string(id), loc,
                 &TileAscendStats::crossWaits, &site))
    return;
  Place place = launch.placeOf(core, "CrossCoreWaitFlag", loc,
                               pipe == PIPE_ALL ? TILE_ASCEND_PIPE_S
                                                : static_cast<Pipe>(pipe));
  if (!crossIdValid(core, place, mode, &id) ||
      !crossKernelValid(core, place, mode))
    return;
  Instr instr = makeSync(core, Instr::CrossWait, place.pipe, place, site);
  instr.key = id;
  instr.mode = mode;
  if (launch.chip.crossWaitOnePipe && place.pipe != TILE_ASCEND_PIPE_S)
    return launch.enqueue(core, std::move(instr));
  // The issue of every pipe stops; what is already in the queues goes on.
  CrossFlag &flag = (mode == 4 ? core.cross4 : core.cross)[id];
  launch.block(
      core, [&flag] { return !flag.arrived.empty(); },
      format("cross-core flag %u", id), instr.id);
  Token token = take(core, flag.arrived, site);
  core.time.crossStall += std::max(0.0, token.time - core.time.now);
  core.time.now = std::max(core.time.now, token.time);
  launch.joinIssue(core, token.clock);
}

void Launch::executeSync(Core &core, Queue &queue, Instr &instr) {
  Pipe pipe = instr.pipe;
  switch (instr.kind) {
  case Instr::SetFlag:
    model.time.hold(queue, instr, 0);
    raiseFlag(core, core.flags[instr.key],
              static_cast<Pipe>(instr.key >> 4 & 15),
              {completed(core, pipe), instr.site, instr.id,
               seenAfter(core, pipe, TILE_ASCEND_COST_FLAG)});
    break;
  case Instr::WaitFlag: {
    Token token = clearFlag(core, core.flags[instr.key], pipe, instr);
    model.time.hold(queue, instr, token.time);
    join(queue.clock, token.clock);
    break;
  }
  case Instr::Barrier:
    model.time.hold(queue, instr, queue.time.done);
    queue.clock[core.component(pipe)] = queue.epoch;
    break;
  case Instr::CrossSet:
    model.time.hold(queue, instr, 0);
    crossSignal(core, instr.key, instr.mode,
                {completed(core, pipe), instr.site, instr.id,
                 seenAfter(core, pipe, TILE_ASCEND_COST_CROSS_FLAG)});
    break;
  case Instr::CrossWait: {
    Token token =
        take(core,
             (instr.mode == 4 ? core.cross4 : core.cross)[instr.key].arrived,
             instr.site);
    model.time.hold(queue, instr, token.time);
    join(queue.clock, token.clock);
    break;
  }
  case Instr::Work:
    break;
  }
}
