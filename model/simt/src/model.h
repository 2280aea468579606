// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The state of a launch.

#ifndef SIMT_MODEL_H
#define SIMT_MODEL_H

#include "instruction.h"
#include "tile_simt_model.h"

#include <setjmp.h>

enum { SIMT_ARENA_BYTES = 1 << 18 };

//===----------------------------------------------------------------------===//
// Programs
//===----------------------------------------------------------------------===//

/// Part of an operand of assembly: words of the registers, or a constant.
struct simt_source {
  int word, words; ///< of the registers; words 0: the constant
  uint64_t number; ///< the constant, or what is added to an address
  bool negated;    ///< a predicate with `!`
  bool address;    ///< has 64 bits whatever the register has
  const struct simt_instruction *special; ///< reads `%laneid` and the like
};

/// A statement of assembly: an instruction, a branch, or both absent: a label.
struct simt_statement {
  struct simt_instruction instruction;
  struct simt_source predicate; ///< words 0: always
  /// For each element of the operands, and of the results (words 0: nowhere).
  struct simt_source *operands, *results;
  int operandCount, resultCount;
  int target; ///< of a branch, or -1
};

struct simt_site {
  const TileSimtSite *source;
  struct simt_instruction instruction;
  struct simt_statement *statements; ///< of assembly
  int statementCount;
  int registerWords; ///< of assembly: operands and declared registers
};

struct TileSimtProgram {
  const TileSimtCode *code;
  struct simt_site *sites;
  const struct simt_function *tables[8];        ///< the last one is null
  const struct simt_instruction **instructions; ///< by id, from 1
  uint32_t instructionCount, instructionRoom;
  bool *reached; ///< by id, where somebody wants to know; or null
  struct simt_pool *strings;
};

/// Memory that is freed at once.
struct simt_pool;
struct simt_pool *simt_pool_create(void);
void *simt_pool_take(struct simt_pool *pool, size_t bytes); ///< zeros
char *simt_pool_text(struct simt_pool *pool, const char *text, size_t length);
void simt_pool_free(struct simt_pool *pool);

struct simt_run;
/// What a report has left of simt_take, on stacks that nobody returns to.
void simt_give_all(struct simt_run *run);

/// Gives the instruction a number.
void simt_number_instruction(TileSimtProgram *program,
                             struct simt_instruction *instruction);
/// Fills in function, name and tokens. False where no row fits.
bool simt_find_function(TileSimtProgram *program,
                        struct simt_instruction *instruction, const char *name,
                        size_t length);

//===----------------------------------------------------------------------===//
// Assembly
//===----------------------------------------------------------------------===//

/// Reads the text of a site. False with the reason in `error`.
bool simt_assembly_parse(TileSimtProgram *program, struct simt_site *site,
                         char *error, size_t size);
struct simt_thread;
void simt_assembly_run(struct simt_thread *thread, struct simt_site *site,
                       const uint32_t *operands, uint32_t *results);

//===----------------------------------------------------------------------===//
// Fibers
//===----------------------------------------------------------------------===//

struct simt_fiber {
  void *stack; ///< lowest byte; null: none yet
  size_t bytes;
  void *top; ///< the stack pointer while it does not run
};

/// False where there is no memory for a stack.
bool simt_fiber_start(struct simt_fiber *fiber, void (*run)(void));
/// What `run` calls first.
void simt_fiber_begin(void);
/// Goes on with the fiber, and saves this thread's stack pointer in `*from`.
void simt_fiber_resume(void **from, const struct simt_fiber *fiber);
/// Goes back to where the fiber was resumed, and saves its stack pointer.
void simt_fiber_suspend(void **from, void *resumed);
/// The same for the last time.
_Noreturn void simt_fiber_end(void *resumed);
/// Whether a stack may be used again that the fiber has not returned from.
bool simt_fiber_abandon(struct simt_fiber *fiber);

//===----------------------------------------------------------------------===//
// Clocks
//===----------------------------------------------------------------------===//

/// Times of the agents of blocks that run together.
struct simt_part {
  int uses;
  uint32_t base, count; ///< of components
  uint32_t times[];
};

struct simt_clock {
  int uses, count;
  struct simt_part *parts[]; ///< by base
};

struct simt_clock *simt_clock_use(struct simt_clock *clock);
void simt_clock_drop(struct simt_clock *clock);
/// The time of a component that the clock has; 0: none.
uint32_t simt_clock_time(const struct simt_clock *clock, uint32_t component);
/// `*clock` takes over what `other` has; both may be null.
void simt_clock_join(struct simt_clock **clock, const struct simt_clock *other);
void simt_clock_set(struct simt_clock **clock, uint32_t base, uint32_t count,
                    struct simt_epoch epoch);
/// The clock has all that these components will ever do.
void simt_clock_cover(struct simt_clock **clock, uint32_t base, uint32_t count);
/// Whether the actor knows of what the component did at that time.
bool simt_is_known(const struct simt_actor *actor, uint32_t component,
                   uint32_t time);

struct simt_state {
  const void *key;
  void *data;
  void (*end)(void *data); ///< with the block; or null
  struct simt_state *next;
};

struct simt_check {
  void (*run)(struct simt_block *block, int thread);
  struct simt_check *next;
};

enum simt_status {
  SIMT_READY,
  SIMT_COLLECTING, ///< waits for the lanes of an instruction
  SIMT_WAITING,    ///< for a condition
  SIMT_RETURNED,
};

/// Who an atomic or a fence orders.
enum simt_scope {
  SIMT_OF_BLOCK,
  SIMT_OF_DEVICE, ///< of one rank
  SIMT_OF_SYSTEM,
  SIMT_SCOPES
};

struct simt_thread {
  struct simt_block *block;
  int index; ///< in the block
  enum simt_status status;
  struct simt_fiber fiber;
  // What it waits for.
  const struct simt_instruction *at;
  const uint32_t *operands;
  uint32_t *results, *registers;
  bool (*ready)(void *argument);
  void *argument;
  const char *what;
  // Clocks. `own` are the times of its agents that it knows, which are not in
  // `knows`; `issued` those of the last operations.
  struct simt_clock *knows, *sees;
  struct simt_clock *snapshot; ///< of `knows` with `own`, or null
  uint32_t own[SIMT_AGENTS], issued[SIMT_AGENTS];
  /// The clock at the last fence whose scope is so wide, for atomics after it;
  /// and what atomics before the next such fence have read.
  struct simt_sync fenced[SIMT_SCOPES], read[SIMT_SCOPES];
  bool accessed;      ///< memory, since its time went on
  bool waitedForGrid; ///< for the launch before
  uint32_t component; ///< its first; agents follow
  uint32_t polls;     ///< since it last let others run
  struct simt_state *states;
  struct simt_check *checks; ///< when it returns
  /// Words of registers that hold no result yet, or null.
  bool (*late)(struct simt_block *block, int thread, uint32_t word);
};

/// Agents of a block for operations that are waited for one by one.
enum { SIMT_LONE_AGENTS = 32 };

struct simt_block {
  struct simt_cohort *cohort;
  struct simt_dim index;
  int rank; ///< in the cluster
  int threads;
  int returned;
  struct simt_thread *thread;
  uint32_t lone;                        ///< component of its first lone agent
  uint32_t loneTimes[SIMT_LONE_AGENTS]; ///< of the last operations
  uint32_t loneCount;                   ///< of all operations
  struct simt_memory *shared;
  struct simt_places *places; ///< of atomics of its scope
  struct simt_state *states;
};

/// Blocks that run together: one, a cluster, or a grid.
struct simt_cohort {
  struct simt_run *run;
  struct simt_grid *grid;
  struct simt_cohort *next;
  struct simt_pool *pool; ///< of states
  int blocks;
  uint32_t base, components;
  struct simt_block *block;
  int returned; ///< blocks
};

struct simt_effect {
  uint64_t number;
  struct simt_block *block;
  void (*run)(struct simt_block *block, void *data);
  struct simt_effect *next;
  _Alignas(16) uint8_t data[];
};

/// One kernel that a rank launches.
struct simt_grid {
  struct simt_launch launch;
  TileSimtProgram *program;
  const TileSimtKernel *kernel;
  void *const *parameters;
  int rank;
  uint32_t base, components; ///< of the clocks, for all its cohorts
  uint32_t started, cohorts; ///< of all
  uint32_t *order;
  uint32_t cohortBlocks;
  uint64_t begin; ///< the turn from which on it may run
  /// What its threads know of the grid before, and leave to the one behind.
  struct simt_sync before, after;
};

/// A device of its own with a queue of kernels.
struct simt_rank {
  struct simt_grid *grids;
  int count, at;              ///< `at` is the one that runs
  int live;                   ///< cohorts
  uint32_t base, components;  ///< of all its grids
  struct simt_places *places; ///< of atomics of its scope
  uint64_t pausedUntil;       ///< turn
};

struct simt_run {
  TileSimtProgram *program; ///< of the thread that runs
  struct simt_rank *ranks;
  int rankCount;
  struct simt_cohort *live;
  struct simt_thread *current; ///< null: the scheduler runs
  void *scheduler;             ///< its stack pointer
  jmp_buf stop;
  uint64_t seed; ///< 0: all in order
  uint64_t random, progress, turn, timer;
  struct simt_pool *pool;
  struct simt_piece *pieces;  ///< of simt_take
  struct simt_places *places; ///< of atomics of its scope
  struct simt_effect *effects, **lastEffect;
  uint64_t effectCount;
  struct simt_message *messages, **lastMessage; ///< on their way
  const struct simt_instruction *skip;          ///< is left out, or null
  bool failed;
  int failedRank;
  char *report;
  size_t size;
};

/// The launch of this thread of the host.
extern _Thread_local struct simt_run *simt_running;

/// What is run: `skip` is left out, unless it is null.
struct simt_job {
  const TileSimtRank *ranks;
  int count;
  uint64_t seed;
  const struct simt_instruction *skip;
};

/// False with a report, and with the rank that it is about in `*rank`.
bool simt_run_job(const struct simt_job *job, int *rank, char *report,
                  size_t size);

/// Whether mutation tests leave the instruction out.
bool simt_is_sync(const struct simt_instruction *instruction);
const struct simt_instruction *simt_find_sync(const TileSimtProgram *program,
                                              int number);

/// An atomic access, with TILE_SIMT_ACQUIRE, _RELEASE and the scopes.
void simt_order(const struct simt_actor *actor, uint64_t address,
                uint32_t flags, bool write);
/// What an atomic write leaves at its address, for each scope; and leaves it.
void simt_order_collect(const struct simt_actor *actor, uint32_t flags,
                        struct simt_sync left[SIMT_SCOPES]);
void simt_order_leave(struct simt_run *run, uint64_t address, uint32_t block,
                      int rank, struct simt_sync left[SIMT_SCOPES]);
/// The widest scope that the flags allow.
enum simt_scope simt_scope_of(const struct simt_run *run, uint32_t flags);
void simt_order_clear(struct simt_places *places);

/// Before an access: it sees what its actor knows of.
void simt_deliver_known(const struct simt_actor *actor, uint64_t address,
                        size_t bytes);
/// What is due, of all ranks; or what comes next, if there is any.
void simt_deliver_due(struct simt_run *run);
bool simt_deliver_next(struct simt_run *run);
void simt_drop_messages(struct simt_run *run);

/// Goes on with other threads until the scheduler comes back.
void simt_park(struct simt_thread *thread);
void simt_schedule(struct simt_run *run);
/// Executes an instruction for a thread, whose operands and results are set.
void simt_dispatch(struct simt_thread *thread,
                   const struct simt_instruction *instruction);
/// Whether all lanes are there that execute what the thread is at; executes.
bool simt_collect(struct simt_thread *thread, bool stalled);
void simt_run_effect(struct simt_run *run, struct simt_effect **at);

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

#define SIMT_FLAG (UINT32_C(1) << 31)
/// On the component of an atomic: its scope is the block; the device.
#define SIMT_NARROW (UINT32_C(1) << 30)
#define SIMT_ON_DEVICE (UINT32_C(1) << 29)
#define SIMT_COMPONENT (SIMT_ON_DEVICE - 1)

/// What is known of a byte since the launch began. Components are 0 where there
/// was nobody.
struct simt_cell {
  uint32_t writer, writeTime, writeSite; ///< a flag on the writer: an atomic
  uint32_t reader, readTime, readSite;   ///< a flag: the number of a list
};

/// Memory with its history: an allocation, or the shared memory of a block.
struct simt_memory {
  uint64_t base, bytes;
  struct simt_cell *cells;
  uint8_t *written; ///< a bit a byte
  bool used, wrote; ///< since the launch began
  /// How the launch before has accessed it: SIMT_READ, SIMT_WRITE. Null where
  /// the host has come between.
  int before;
  struct simt_memory *next;
};

/// All of global memory.
struct simt_memory *simt_allocations(void);

/// Zeros that take memory when they are touched; and zeros again.
void *simt_pages_take(size_t bytes);
void simt_pages_clear(void *memory, size_t bytes);
void simt_pages_free(void *memory, size_t bytes);

/// Shared memory for a block that begins; null where there is no room.
struct simt_memory *simt_arena_take(uint32_t bytes);
void simt_arena_give(struct simt_memory *arena);
/// The arena has addresses of this block.
void simt_arena_own(struct simt_block *block);
/// Forgets what the launch has done.
void simt_memory_settle(void);
/// simt_access, where the bytes to be written are known: those that are there
/// already may be written at once by several threads.
void *simt_touch(const struct simt_actor *actor, uint64_t address, size_t bytes,
                 size_t align, int access, const void *data);

#endif // SIMT_MODEL_H
