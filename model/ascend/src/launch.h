// State of one running kernel: cores, pipes, flags, memories, and the schedule
// that runs them.
#pragma once
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <ucontext.h>
#include <unordered_map>
#include <unordered_set>

#include "shadow.h"
#include "tile_ascend/engine.h"
#include "account.h"

namespace tile_ascend {

constexpr uint8_t kPoison = 0xFF; // NaN in every float type, so that values
                                  // nobody wrote show in results
// Kernel parameters travel as machine words; more than this many is an error.
constexpr size_t kMaxArgs = 128;
constexpr int kPipes = TILE_ASCEND_PIPE_COUNT;
constexpr uint32_t kBlock = 32; // a data block: the unit of UB addressing

struct Core;
class Launch;

// Bytes and, for each, whether a value was written there.
struct Memory {
  uint8_t *data = nullptr;
  std::vector<uint8_t> valid;
  Shadow shadow;
  std::vector<uint8_t> storage; // unless `data` is the caller's GM buffer
};

struct Region {
  Operand operand;
  std::vector<Range> ranges; // of the operand's memory
  // Poison read here is reported; otherwise it is carried along to the result.
  bool strict = true;
};

// One instruction in a pipe's queue.
struct Instr {
  enum Kind : uint8_t {
    Work,
    SetFlag,
    WaitFlag,
    Barrier,
    CrossSet,
    CrossWait
  } kind = Work;
  Pipe pipe{};
  const char *op = "";
  uint32_t id = 0; // index into Launch::places
  // What the scalar unit had waited for when it issued this.
  std::shared_ptr<const Clock> issued;
  std::vector<Region> reads, writes;
  std::function<void(Core &, Instr &)> run;
  bool atomic = false;
  bool cached = false;  // a store that stays in the data cache
  bool inOrder = false; // completes before the pipe's next instruction starts
  // Synchronisation.
  uint32_t key = 0; // (pair, id) of a flag
  uint32_t site = 0;
  uint8_t mode = 0;
  double issuedAt = 0; // of the account of time
};

struct Token {
  Clock clock;
  uint32_t site;
  uint32_t place;
  double time = 0; // when it is seen
};

// One bit: a set of a flag that is set is lost.
struct Flag {
  std::optional<Token> set;
  int pendingInProgram = 0;   // sets minus waits issued so far
  uint32_t lastSetPlace = 0;  // in the program
  uint32_t lastWaitEpoch = 0; // on the destination pipe
  uint32_t lastWaitPlace = 0;
};

struct CrossFlag {
  std::deque<Token> arrived; // the counter
  std::deque<Token> sent;    // sets that wait for their partners' (modes 0-2)
  uint8_t sentMode = 0;
};

struct Queue {
  std::deque<Instr> pending;
  Clock clock;
  uint32_t epoch = 0;
  PipeTime time;
};

// What a core's data cache may hold of one line of GM: bit i is byte i. Whether
// hardware has dropped it meanwhile is unknown, so both must be right.
struct CachedLine {
  struct Part {
    uint64_t bytes;
    Clock filled; // what had happened when it was loaded
  };
  std::vector<Part> parts;
  uint64_t dirty = 0;
  uint32_t dirtyPlace = 0;
};

struct Core {
  Launch *launch = nullptr;
  uint32_t block = 0;
  uint32_t slot = 0; // core number within the wave
  bool aic = false;
  int sub = 0;
  const char *name = "";
  Memory memories[TILE_ASCEND_MEM_COUNT];
  Queue queues[kPipes];
  // What the scalar unit has waited for, and a copy that the instructions
  // issued until its next wait share.
  Clock issue;
  std::shared_ptr<const Clock> issueSnapshot;
  std::unordered_map<uint32_t, Flag> flags;
  CrossFlag cross[32], cross4[32]; // mode 4 has flags of its own

  // Registers.
  bool maskCount = false;
  uint64_t mask[2] = {~0ull, ~0ull};
  AtomicOp atomicOp = AtomicOp::None;
  DType atomicType = DType::F32;
  float deqScale = 1;
  bool deqScaleSet = false;

  // Bookkeeping.
  bool active = true; // the kernel type includes this core
  bool initialised = false;
  bool initReported = false;
  bool dirtySinceBarrier = false;
  CoreTime time;
  uint32_t ordinal = 0;
  uint64_t ubHigh = 0; // end of the highest UB operand so far
  uint32_t ubHighPlace = 0;
  bool usesSelect = false;
  uint32_t selectPlace = 0;
  std::map<uint64_t, CachedLine> cache; // of GM; see cache.cpp

  // The kernel function runs as a fiber; it stops where the scalar unit would
  // stall.
  ucontext_t context;
  std::unique_ptr<char[]> stack;
  bool done = false;
  uint64_t priority[kPipes + 1] =
      {}; // of the pipes, then of the fiber, in a seeded schedule
  std::function<bool()> ready; // null: can run
  std::string waitsFor;        // for the deadlock report
  uint32_t waitPlace = 0;

  uint32_t component(Pipe pipe) const { return slot * kPipes + pipe; }
  bool drained() const;
};

struct Place {
  const char *op;
  Loc loc;
  uint32_t block;
  uint32_t ordinal;
  uint32_t wave;
  Pipe pipe;
  const char *core;
};

struct Site {
  std::string file;
  uint32_t line;
  std::string api;
  uint32_t parent; // union-find over signalling sites
  uint64_t executed = 0;
  // 0 where a mutation deletes it, 2 where one repeats it.
  int times = 1;
};

struct Kernel {
  std::string name;
  TileAscendKernelFn entry;
};

struct Reports {
  std::vector<TileAscendReport> list;
  std::deque<std::string> messages;
  std::unordered_set<std::string> names; // the kernel's own may be unloaded
  std::unordered_map<std::string, size_t> index;

  void add(TileAscendReportKind kind, const Place &at, const Place *other,
           const std::string &message);
  TileAscendPlace keep(const Place &place);
  void clear();
};

} // namespace tile_ascend

struct TileAscendModel {
  const TileAscendChip *chip;
  std::vector<tile_ascend::Kernel> kernels;
  std::vector<tile_ascend::Site> sites;
  std::vector<size_t> skipFromEnvironment;
  tile_ascend::Reports reports;
  TileAscendStats stats{};
  tile_ascend::TimeAccount time;
  std::string error, text, json;

  uint32_t site(const tile_ascend::Loc &loc, const std::string &api);
  uint32_t rootOf(uint32_t site) const;
  void unite(uint32_t a, uint32_t b);
};

namespace tile_ascend {

class Launch {
public:
  Launch(TileAscendModel &model, const TileAscendLaunch &params,
         TileAscendKernelFn entry);
  void run();

  // Called from kernel code, on the fiber of a core.
  Place placeOf(const Core &core, const char *op, Loc loc, Pipe pipe) const;
  uint32_t addPlace(const Place &place);
  void report(TileAscendReportKind kind, const Place &at,
              const std::string &message, const Place *other = nullptr);
  void enqueue(Core &core, Instr instr);
  // Stalls the scalar unit until `ready`.
  void block(Core &core, std::function<bool()> ready, std::string waitsFor,
             uint32_t place);
  void setKernelType(Core &core, int type);
  void scalarWork(Core &core, const Place &place, const Region &region,
                  bool write, void *value);
  // Writes back the dirty bytes of [operand's start, end of its line), or of
  // all lines, and drops them.
  void cleanCache(Core &core, const Place &place, const Operand *operand);
  // The first dirty line, or null.
  const CachedLine *dirtyLine(const Core &core) const;
  void drainAndJoin(Core &core);
  void joinIssue(Core &core, const Clock &clock);
  // A part of an instruction's operands that only its execution knows.
  void touchLate(Core &core, const Instr &instr, const Region &region,
                 bool write);
  Clock completed(const Core &core, Pipe pipe) const;
  bool inKernel(const Core &core) const;
  uint32_t residentBlocks() const;

  // The core that an operand's memory belongs to.
  Core &ownerOf(Core &core, Unit unit);
  Memory &memoryOf(Core &core, const Operand &operand);
  int32_t findBuffer(const void *pointer, int64_t *offset) const;

  // When others see that a pipe has executed all so far, in the account of
  // time.
  double seenAfter(const Core &core, Pipe pipe, TileAscendCost cost) const;

  TileAscendModel &model;
  const TileAscendLaunch &params;
  const TileAscendChip &chip;
  TileAscendKernelFn entry;
  int kernelType = TILE_ASCEND_KERNEL_MIX_AIC_1_2;
  uint32_t wave = 0;
  std::deque<Core> cores;
  std::vector<Place> places;
  std::vector<Memory> buffers;
  Core *current = nullptr;

private:
  void startWave(uint32_t firstBlock, uint32_t blocks);
  void runWave();
  bool isOver() const;
  bool stepCore(Core &core);
  bool canRun(Core &core, int actor);
  void resume(Core &core);
  void execute(Core &core, Queue &queue);
  Instr startScalar(Core &core, const Place &place);
  template <typename F>
  void forEachLater(Core &core, const CachedLine::Part &part, const Region &run,
                    F &&f);
  void checkStale(Core &core, const Instr &instr, const Region &region);
  void fillCache(Core &core, const Region &region, bool write, uint32_t place);
  void writeBack(Core &core, const Instr &instr, uint64_t key,
                 const CachedLine &line, uint64_t bytes);
  void executeSync(Core &core, Queue &queue, Instr &instr);
  void executeWork(Core &core, Queue &queue, Instr &instr);
  void touch(Core &core, const Instr &instr, const Region &region, bool write);
  void reportRace(Mem mem, Range range, const Place &late, bool lateWrites,
                  const Place &early, bool earlyWrites);
  void checkUninit(Core &core, const Instr &instr, const Region &region);
  void finishWave();
  void reportDeadlock();
  uint64_t random();

  std::vector<Core *> order; // in which cores get a turn
  ucontext_t scheduler;
  uint64_t randomState = 0;
};

// The launch that the running kernel code belongs to.
Launch &running();
Core &runningCore();

std::string format(const char *text, ...) __attribute__((format(printf, 1, 2)));
const char *memName(Mem mem);
const char *pipeNameOf(Pipe pipe);

} // namespace tile_ascend
