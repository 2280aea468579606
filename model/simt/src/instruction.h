// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the functions of instructions see of the model.
//
// An instruction is a call of an LLVM intrinsic, or one statement of a string
// of inline assembly. Both are found by name in the tables of a vendor. An
// instruction whose lanes are a group is executed once, when all of its lanes
// have arrived, on the stack of the last one.

#ifndef SIMT_INSTRUCTION_H
#define SIMT_INSTRUCTION_H

#include "tile_simt_model.h"

#include <stdarg.h>

struct simt_block;
struct simt_clock;

enum { SIMT_WARPGROUP_LANES = 128, SIMT_MAX_GROUP = 128, SIMT_MAX_RANK = 5 };
/// The most of any GPU.
enum { SIMT_BLOCK_THREADS = 1024, SIMT_CLUSTER_BLOCKS = 16 };

//===----------------------------------------------------------------------===//
// Instructions
//===----------------------------------------------------------------------===//

/// An operand or a result: words [word, word + words) of a lane's array. An
/// element narrower than 32 bits of a scalar has a word of its own; vectors are
/// packed as in a register. Pointers, and addresses of assembly, have 64 bits.
/// `{a, b}` of assembly and structs of an intrinsic are one operand of several
/// elements.
struct simt_operand {
  uint16_t word, words;
  uint16_t elements; ///< 1, but for groups and structs
  uint16_t bits;     ///< of an element
  bool immediate;    ///< the same in all lanes
};

/// One instruction of the program.
struct simt_instruction {
  const char *name; ///< "llvm.nvvm.barrier.cta.sync.aligned.all", "mma.sync..."
  const char *const *tokens; ///< the parts of the name between dots
  int tokenCount;
  const char *arguments; ///< of assembly: the text behind the name
  const struct simt_operand *operands, *results;
  int operandCount, resultCount;
  int operandWords, resultWords;
  const char *place; ///< "file:line:column" of the source
  uint32_t id;       ///< position in the program, from 0
  /// Of a statement of assembly: where the operands of the whole string, `$0`
  /// and so on, are in `registers` of a call.
  const struct simt_operand *assembly;
  int assemblyCount;
  const struct simt_function *function;
};

/// A group that executes an instruction together.
enum simt_lanes {
  SIMT_THREAD,    ///< each by itself; it may wait
  SIMT_WARP,      ///< all lanes of the warp that have not returned
  SIMT_MASK,      ///< the lanes of operand `maskOperand`, of one warp
  SIMT_ACTIVE,    ///< the lanes of the wave that branches let through
  SIMT_WARPGROUP, ///< all lanes of 4 warps
};

struct simt_call {
  const struct simt_instruction *instruction;
  struct simt_block *block;
  int first; ///< the thread in the block of lane 0
  int lanes; ///< 1, the size of a warp, or SIMT_WARPGROUP_LANES
  bool active[SIMT_MAX_GROUP];
  /// Of each active lane. Results hold what the registers had before, so that
  /// an instruction that changes a register reads it there.
  const uint32_t *operands[SIMT_MAX_GROUP];
  uint32_t *results[SIMT_MAX_GROUP];
  /// Of a statement of assembly: the operands of the whole string.
  uint32_t *registers[SIMT_MAX_GROUP];
};

typedef void simt_execute(struct simt_call *call);

enum simt_flags {
  /// Synchronises: mutation tests leave it out.
  SIMT_SYNC = 1,
  SIMT_TEXT = 2, ///< of assembly: arguments are not operands, see `arguments`
};

/// A row of a table. The row whose pattern is the longest that fits wins.
struct simt_function {
  const char *pattern; ///< a name; `*` at its end stands for any rest
  enum simt_lanes lanes;
  simt_execute *execute; ///< null: a hint without effect
  /// Of assembly: so many operands in front are results. 0 for stores.
  uint8_t results;
  uint8_t maskOperand; ///< for SIMT_MASK, counted without results
  uint8_t flags;       ///< of simt_flags
};

/// The tables, each ended by a row without a pattern.
extern const struct simt_function simt_nvidia[];        // nvidia.c
extern const struct simt_function simt_nvidia_copy[];   // nvidia_copy.c
extern const struct simt_function simt_nvidia_math[];   // nvidia_math.c
extern const struct simt_function simt_nvidia_mma[];    // nvidia_mma.c
extern const struct simt_function simt_nvidia_hopper[]; // nvidia_hopper.c
extern const struct simt_function simt_amd[];           // amd.c
extern const struct simt_function simt_amd_lane[];      // amd_lane.c
extern const struct simt_function simt_amd_memory[];    // amd_memory.c
extern const struct simt_function simt_amd_mfma[];      // amd_mfma.c

/// Whether a part of the name is `token`; the part at `index`, or "".
bool simt_has(const struct simt_call *call, const char *token);
const char *simt_token(const struct simt_call *call, int index);

static inline uint32_t simt_word(const struct simt_call *call, int lane,
                                 int operand) {
  return call->operands[lane][call->instruction->operands[operand].word];
}
/// An operand of up to 64 bits, extended by zeros.
static inline uint64_t simt_number(const struct simt_call *call, int lane,
                                   int operand) {
  const struct simt_operand *o = &call->instruction->operands[operand];
  const uint32_t *at = &call->operands[lane][o->word];
  return o->words > 1 ? at[0] | (uint64_t)at[1] << 32 : at[0];
}
static inline const uint32_t *simt_words(const struct simt_call *call, int lane,
                                         int operand) {
  return &call->operands[lane][call->instruction->operands[operand].word];
}
static inline uint32_t *simt_result(const struct simt_call *call, int lane,
                                    int result) {
  return &call->results[lane][call->instruction->results[result].word];
}
/// Sets a result of up to 64 bits.
static inline void simt_set(const struct simt_call *call, int lane, int result,
                            uint64_t value) {
  uint32_t *at = simt_result(call, lane, result);
  at[0] = (uint32_t)value;
  if (call->instruction->results[result].words > 1)
    at[1] = (uint32_t)(value >> 32);
}

//===----------------------------------------------------------------------===//
// Blocks
//===----------------------------------------------------------------------===//

struct simt_dim {
  uint32_t x, y, z;
};

/// The same for all blocks.
struct simt_launch {
  struct simt_dim grid, block, cluster; ///< a cluster of 1 x 1 x 1 is none
  int threads;                          ///< of a block
  int warpSize;
  uint32_t sharedBytes; ///< static and dynamic
  const char *chip;     ///< "sm_90a"
  uint64_t seed;
  bool cooperative, pdl;
};

const struct simt_launch *simt_launch_of(const struct simt_block *block);
struct simt_dim simt_block_index(const struct simt_block *block);
struct simt_dim simt_thread_index(const struct simt_block *block, int thread);
/// Blocks of the cluster, in the order of their rank; and its own rank.
struct simt_block *simt_cluster_block(const struct simt_block *block, int rank);
int simt_cluster_rank(const struct simt_block *block);
int simt_cluster_size(const struct simt_block *block);
/// Shared memory has 32-bit addresses. Each block's begins at a multiple of
/// 256 KiB, so that 18 bits of an address are an offset.
uint32_t simt_shared_base(const struct simt_block *block);
/// The block whose shared memory has the address, or null.
struct simt_block *simt_block_at(const struct simt_block *block,
                                 uint64_t address);

/// State of an instruction set in a block (mbarriers, groups ...): made of
/// zeros at the first call, freed with the block. `key` is any address, `end`
/// what gives back what the state holds, or null.
void *simt_state(struct simt_block *block, const void *key, size_t bytes,
                 void (*end)(void *data));
/// The same for one thread of the block.
void *simt_thread_state(struct simt_block *block, int thread, const void *key,
                        size_t bytes);

/// The next number of the seed's sequence.
uint32_t simt_random(struct simt_block *block);

//===----------------------------------------------------------------------===//
// Reports
//===----------------------------------------------------------------------===//

/// Reports what hardware would punish silently, and ends the launch. `thread`
/// is that of the block, or -1. Text: lower case, expected and got.
_Noreturn void simt_report(struct simt_block *block, int thread,
                           const struct simt_instruction *instruction,
                           const char *format, ...)
    __attribute__((format(printf, 4, 5)));
/// The same for a lane of a call, or -1 for the group.
_Noreturn void simt_fail(const struct simt_call *call, int lane,
                         const char *format, ...)
    __attribute__((format(printf, 3, 4)));

//===----------------------------------------------------------------------===//
// Waiting
//===----------------------------------------------------------------------===//

/// Parks the thread of a SIMT_THREAD instruction until `ready(argument)`.
/// `what` says what it waits for in a report of a deadlock.
void simt_wait(struct simt_call *call, bool (*ready)(void *argument),
               void *argument, const char *what);
/// Lets others run: for instructions that poll. Endless polling is reported.
void simt_yield(struct simt_call *call);
/// The threads of the block that have not returned.
int simt_live_threads(const struct simt_block *block);
/// Calls `check` when the thread returns: once, however often it is asked for.
void simt_at_return(struct simt_block *block, int thread,
                    void (*check)(struct simt_block *block, int thread));
/// From now on, a word for which `late` is true stands for a result that is not
/// there yet: operands of instructions and what is stored must be none.
void simt_watch(struct simt_block *block, int thread,
                bool (*late)(struct simt_block *block, int thread,
                             uint32_t word));

//===----------------------------------------------------------------------===//
// Clocks
//===----------------------------------------------------------------------===//
//
// Each thread has a vector clock. So that asynchronous operations race with the
// code around them until they have been waited for, each thread has further
// agents, one for each engine, with components of their own in the clocks. What
// an agent does is ordered behind what its thread knew when the operation was
// issued, and before what a thread does that has joined the agent's time.
//
// A second clock says what of this the async proxy may see: accesses of threads
// enter it when fence.proxy.async copies the first clock into it.

enum simt_agent {
  SIMT_SELF,   ///< the thread
  SIMT_ASYNC,  ///< cp.async; loads to LDS
  SIMT_BULK,   ///< bulk and tensor copies
  SIMT_MATRIX, ///< wgmma, tcgen05
  SIMT_AGENTS
};

/// A point in time of an agent.
struct simt_epoch {
  uint32_t component, time;
};

/// A clock that threads leave and others take: in barriers, at the addresses
/// of atomics. Zeros are an empty one; free it with simt_sync_clear.
struct simt_sync {
  struct simt_clock *clock, *async;
};

/// What the thread knows enters `sync`; the thread's time goes on.
void simt_release(struct simt_block *block, int thread, struct simt_sync *sync);
/// The thread knows what is in `sync`.
void simt_acquire(struct simt_block *block, int thread,
                  const struct simt_sync *sync);
void simt_sync_clear(struct simt_sync *sync);
/// The completion of an asynchronous operation enters `sync`.
void simt_release_epoch(struct simt_block *block, struct simt_epoch epoch,
                        struct simt_sync *sync);
/// The thread has waited for the operation.
void simt_join(struct simt_block *block, int thread, struct simt_epoch epoch);
/// fence.proxy.async: the async proxy may see all that the thread knows.
void simt_fence_async(struct simt_block *block, int thread);
/// A fence of the generic proxy. Relaxed atomics before one that acquires, and
/// after one that releases, order; flags TILE_SIMT_ACQUIRE, TILE_SIMT_RELEASE,
/// and scopes.
void simt_fence(struct simt_block *block, int thread, uint32_t flags);
/// What relaxed atomics do: what the thread knew at its last fence that
/// releases enters `sync`, and it knows what is in `sync` after its next that
/// acquires.
void simt_leave_fenced(struct simt_block *block, int thread,
                       struct simt_sync *sync);
void simt_take_at_fence(struct simt_block *block, int thread,
                        const struct simt_sync *sync);
/// All of these threads (of one block) know what each knew.
void simt_join_threads(struct simt_block *block, const int *threads, int count);

//===----------------------------------------------------------------------===//
// Memory
//===----------------------------------------------------------------------===//

/// Who accesses memory, from where, and what it knows.
struct simt_actor {
  struct simt_block *block;
  int thread;
  const struct simt_instruction *instruction;
  struct simt_epoch epoch;
  /// Earlier reads are compared with the first, earlier writes with the second.
  /// Null: the thread's, as they are.
  struct simt_clock *knows, *sees;
};

/// The thread of a lane itself.
struct simt_actor simt_self(const struct simt_call *call, int lane);
/// An operation that the lane issues to an engine: it gets the engine's next
/// time and keeps what the lane knows; with `async`, it sees only the writes
/// that the async proxy may see. It may outlive the call; end it with
/// simt_actor_end.
struct simt_actor simt_issue(const struct simt_call *call, int lane,
                             enum simt_agent agent, bool async);
/// The same for an operation that is waited for by itself, in no order with the
/// others of its thread: of an agent of the block.
struct simt_actor simt_issue_alone(const struct simt_call *call, int lane,
                                   bool async);
void simt_actor_end(struct simt_actor *actor);

enum simt_access {
  SIMT_READ = 1,
  SIMT_WRITE = 2,
  /// Does not race with other atomics.
  SIMT_ATOMIC = 4,
  /// Bytes that nobody has written may be read.
  SIMT_ANY = 8,
  /// Of atomics: only those of the block, or of the device, are atomic to each
  /// other.
  SIMT_BLOCK = 16,
  SIMT_DEVICE = 32,
};

/// Checks an access (bounds, alignment, bytes never written, races), notes it
/// and returns the bytes; one that neither reads nor writes has bounds alone.
/// An error is reported and does not return.
void *simt_access(const struct simt_actor *actor, uint64_t address,
                  size_t bytes, size_t align, int access);
/// The same for spaces: a shared address must be in the shared memory of a
/// block of the cluster, a global one in an allocation.
enum simt_space { SIMT_ANY_SPACE, SIMT_GLOBAL, SIMT_SHARED };
void simt_check_space(const struct simt_actor *actor, uint64_t address,
                      enum simt_space space);

/// The launch before has ended, for this thread.
void simt_wait_for_grid(struct simt_block *block, int thread);

void simt_read(const struct simt_actor *actor, uint64_t address, size_t bytes,
               size_t align, void *out);
void simt_write(const struct simt_actor *actor, uint64_t address, size_t bytes,
                size_t align, const void *data);

/// An atomic write of up to 8 bytes, or an addition to them, that has been
/// checked; flags TILE_SIMT_RELEASE and scopes. Of the scope of the system,
/// others see it later.
void simt_signal(const struct simt_actor *actor, uint64_t address, size_t bytes,
                 uint32_t flags, bool add, uint64_t value);
/// Nanoseconds, more each time that somebody looks.
uint64_t simt_time(struct simt_block *block);

//===----------------------------------------------------------------------===//
// Late effects
//===----------------------------------------------------------------------===//

/// Memory that is given back before the launch ends. What is not, after a
/// report, is freed with the launch.
void *simt_take(size_t bytes); ///< zeros
void simt_give(void *memory);  ///< or null

/// Runs `effect(block, data)` later: at a moment that the seed chooses, when
/// simt_finish asks for it, or when no thread can run. `data` is copied.
/// Returns a number, never 0; those of a thread and agent grow.
uint64_t simt_defer(struct simt_block *block,
                    void (*effect)(struct simt_block *block, void *data),
                    const void *data, size_t bytes);
/// Runs it now unless it has been.
void simt_finish(struct simt_block *block, uint64_t effect);
bool simt_finished(const struct simt_block *block, uint64_t effect);

#endif // SIMT_INSTRUCTION_H
