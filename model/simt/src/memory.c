// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Memory with its history: what has been written, and who accessed each byte
// last.

#define _GNU_SOURCE 1
#include "model.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

//===----------------------------------------------------------------------===//
// Pages
//===----------------------------------------------------------------------===//

void *simt_pages_take(size_t bytes) {
  void *memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  return memory == MAP_FAILED ? NULL : memory;
}

void simt_pages_clear(void *memory, size_t bytes) {
  // Asking for few pages costs more than writing them.
  if (bytes <= 1 << 14)
    memset(memory, 0, bytes);
  else
    madvise(memory, bytes, MADV_DONTNEED);
}

void simt_pages_free(void *memory, size_t bytes) {
  if (memory)
    munmap(memory, bytes);
}

static size_t cellBytes(const struct simt_memory *memory) {
  return (size_t)memory->bytes * sizeof(struct simt_cell) + 1;
}

static size_t bitBytes(const struct simt_memory *memory) {
  return (size_t)memory->bytes / 8 + 1;
}

static void setWritten(struct simt_memory *memory, uint64_t offset,
                       size_t bytes) {
  for (; bytes && offset % 8; --bytes, ++offset)
    memory->written[offset / 8] |= (uint8_t)(1u << offset % 8);
  memset(&memory->written[offset / 8], 0xFF, bytes / 8);
  offset += bytes & ~(size_t)7;
  for (bytes %= 8; bytes; --bytes, ++offset)
    memory->written[offset / 8] |= (uint8_t)(1u << offset % 8);
}

static bool isWritten(const struct simt_memory *memory, uint64_t offset) {
  return memory->written[offset / 8] >> offset % 8 & 1;
}

//===----------------------------------------------------------------------===//
// Global memory
//===----------------------------------------------------------------------===//

static struct simt_memory *allocations;

struct simt_memory *simt_allocations(void) {
  return allocations;
}

static void release(struct simt_memory *memory) {
  simt_pages_free((void *)(uintptr_t)memory->base, memory->bytes + 1);
  simt_pages_free(memory->cells, cellBytes(memory));
  simt_pages_free(memory->written, bitBytes(memory));
  free(memory);
}

void *tileSimtAlloc(size_t bytes) {
  struct simt_memory *memory = calloc(1, sizeof(*memory));
  if (!memory)
    return NULL;
  memory->bytes = bytes;
  memory->base = (uint64_t)(uintptr_t)simt_pages_take(bytes + 1);
  memory->cells = simt_pages_take(cellBytes(memory));
  memory->written = simt_pages_take(bitBytes(memory));
  if (!memory->base || !memory->cells || !memory->written) {
    release(memory);
    return NULL;
  }
  memory->next = allocations;
  allocations = memory;
  return (void *)(uintptr_t)memory->base;
}

bool tileSimtFree(void *pointer) {
  for (struct simt_memory **at = &allocations; *at; at = &(*at)->next)
    if ((*at)->base == (uint64_t)(uintptr_t)pointer) {
      struct simt_memory *memory = *at;
      *at = memory->next;
      release(memory);
      return true;
    }
  return !pointer;
}

static struct simt_memory *findGlobal(uint64_t address) {
  for (struct simt_memory **at = &allocations; *at; at = &(*at)->next)
    if (address - (*at)->base < (*at)->bytes) {
      // The next search begins with it.
      struct simt_memory *found = *at;
      *at = found->next;
      found->next = allocations;
      return allocations = found;
    }
  return NULL;
}

void tileSimtWritten(void *pointer, size_t bytes) {
  for (struct simt_memory *at = allocations; at; at = at->next)
    at->before = 0;
  uint64_t address = (uint64_t)(uintptr_t)pointer;
  struct simt_memory *memory = findGlobal(address);
  if (memory && bytes <= memory->bytes - (address - memory->base))
    setWritten(memory, address - memory->base, bytes);
}

//===----------------------------------------------------------------------===//
// Shared memory
//===----------------------------------------------------------------------===//

// By the upper bits of its addresses; those of MAP_32BIT are below 2 GiB.
static struct simt_memory *arenas[(UINT64_C(1) << 31) / SIMT_ARENA_BYTES];
static struct simt_block *owners[sizeof(arenas) / sizeof(*arenas)];
static struct simt_memory *unusedArenas;

#ifndef MAP_32BIT
#define MAP_32BIT 0
#endif

static struct simt_memory *makeArena(void) {
  struct simt_memory *arena = calloc(1, sizeof(*arena));
  if (!arena)
    return NULL;
  // Twice the room has an aligned half.
  char *room =
      mmap(NULL, 2 * SIMT_ARENA_BYTES, PROT_READ | PROT_WRITE,
           MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_32BIT, -1, 0);
  arena->bytes = SIMT_ARENA_BYTES;
  arena->cells = simt_pages_take(cellBytes(arena));
  arena->written = simt_pages_take(bitBytes(arena));
  uint64_t start = (uint64_t)(uintptr_t)room;
  arena->base =
      (start + SIMT_ARENA_BYTES - 1) & ~(uint64_t)(SIMT_ARENA_BYTES - 1);
  if (room == MAP_FAILED || !arena->cells || !arena->written ||
      arena->base / SIMT_ARENA_BYTES >= sizeof(arenas) / sizeof(*arenas)) {
    free(arena);
    return NULL;
  }
  munmap(room, arena->base - start);
  munmap((char *)(uintptr_t)arena->base + SIMT_ARENA_BYTES,
         SIMT_ARENA_BYTES - (arena->base - start));
  arenas[arena->base / SIMT_ARENA_BYTES] = arena;
  return arena;
}

struct simt_memory *simt_arena_take(uint32_t bytes) {
  struct simt_memory *arena = unusedArenas ? unusedArenas : makeArena();
  if (!arena)
    return NULL;
  if (arena == unusedArenas)
    unusedArenas = arena->next;
  arena->bytes = bytes;
  return arena;
}

void simt_arena_give(struct simt_memory *arena) {
  simt_pages_clear(arena->cells, cellBytes(arena));
  simt_pages_clear(arena->written, bitBytes(arena));
  owners[arena->base / SIMT_ARENA_BYTES] = NULL;
  arena->next = unusedArenas;
  unusedArenas = arena;
}

void simt_arena_own(struct simt_block *block) {
  owners[block->shared->base / SIMT_ARENA_BYTES] = block;
}

uint32_t simt_shared_base(const struct simt_block *block) {
  return (uint32_t)block->shared->base;
}

struct simt_block *simt_block_at(const struct simt_block *block,
                                 uint64_t address) {
  uint64_t index = address / SIMT_ARENA_BYTES;
  struct simt_block *owner =
      index < sizeof(owners) / sizeof(*owners) ? owners[index] : NULL;
  return owner && owner->cohort == block->cohort ? owner : NULL;
}

//===----------------------------------------------------------------------===//
// Readers
//===----------------------------------------------------------------------===//

// Reads of a byte that are not ordered. Bytes with the same history share one.
enum { kReaders = 8 };

struct reader {
  uint32_t component, time, site; ///< flags on the component: an atomic
};

struct readers {
  uint32_t uses, count;
  struct reader items[kReaders];
};

static struct readers *lists;
static uint32_t listCount, listRoom, *unusedLists, unusedListCount;

static uint32_t takeList(void) {
  if (unusedListCount)
    return unusedLists[--unusedListCount];
  if (listCount == listRoom) {
    listRoom = listRoom ? 2 * listRoom : 1024;
    lists = realloc(lists, listRoom * sizeof(*lists));
    unusedLists = realloc(unusedLists, listRoom * sizeof(*unusedLists));
    if (!lists || !unusedLists)
      abort();
  }
  return listCount++;
}

static void dropReaders(const struct simt_cell *cell) {
  if (!(cell->reader & SIMT_FLAG))
    return;
  uint32_t index = cell->reader & ~SIMT_FLAG;
  if (--lists[index].uses == 0)
    unusedLists[unusedListCount++] = index;
}

static int getReaders(const struct simt_cell *cell, struct reader *items) {
  if (cell->reader & SIMT_FLAG) {
    const struct readers *list = &lists[cell->reader & ~SIMT_FLAG];
    memcpy(items, list->items, list->count * sizeof(*items));
    return (int)list->count;
  }
  if (!cell->reader)
    return 0;
  *items = (struct reader){cell->reader, cell->readTime, cell->readSite};
  return 1;
}

static void setReaders(struct simt_cell *cell, const struct reader *items,
                       int count) {
  if (!count || (count == 1 && !(items->component & SIMT_FLAG))) {
    cell->reader = count ? items->component : 0;
    cell->readTime = count ? items->time : 0;
    cell->readSite = count ? items->site : 0;
    return;
  }
  uint32_t index = takeList();
  lists[index] = (struct readers){.uses = 1, .count = (uint32_t)count};
  memcpy(lists[index].items, items, (size_t)count * sizeof(*items));
  cell->reader = index | SIMT_FLAG;
  cell->readTime = cell->readSite = 0;
}

void simt_memory_settle(void) {
  for (struct simt_memory *at = allocations; at; at = at->next) {
    if (at->used)
      simt_pages_clear(at->cells, cellBytes(at));
    at->before = (at->used ? SIMT_READ : 0) | (at->wrote ? SIMT_WRITE : 0);
    at->used = at->wrote = false;
  }
  listCount = unusedListCount = 0;
}

//===----------------------------------------------------------------------===//
// Races
//===----------------------------------------------------------------------===//

/// An access that is checked.
struct access {
  const struct simt_actor *actor;
  struct simt_thread *thread;
  uint64_t address;
  size_t bytes;
  int kind;
  const char *memory;
};

/// Whether the access and an earlier one, of a component with its flags, are
/// atomic to each other.
static bool areAtomic(const struct access *a, uint32_t other) {
  if (!(a->kind & SIMT_ATOMIC) || !(other & SIMT_FLAG))
    return false;
  const struct simt_block *block = a->actor->block;
  const struct simt_grid *grid = block->cohort->grid;
  const struct simt_rank *rank = &block->cohort->run->ranks[grid->rank];
  uint32_t component = other & SIMT_COMPONENT;
  uint32_t own = (uint32_t)block->threads * SIMT_AGENTS;
  if (a->kind & SIMT_BLOCK || other & SIMT_NARROW)
    return component - (block->lone - own) < own + SIMT_LONE_AGENTS;
  if (a->kind & SIMT_DEVICE || other & SIMT_ON_DEVICE)
    return component - rank->base < rank->components;
  return true;
}

/// Whether what the component did at that time comes before the actor.
static bool isBefore(const struct access *a, const struct simt_clock *clock,
                     uint32_t component, uint32_t time) {
  if (clock)
    return simt_clock_time(clock, component) >= time;
  uint32_t agent = component - a->thread->component;
  if (agent < SIMT_AGENTS && a->thread->own[agent] >= time)
    return true;
  return simt_clock_time(a->thread->knows, component) >= time;
}

/// The grid that has the component.
static const struct simt_grid *findGrid(const struct simt_run *run,
                                        uint32_t component) {
  const struct simt_rank *rank = run->ranks;
  while (component - rank->base >= rank->components)
    ++rank;
  const struct simt_grid *grid = rank->grids;
  while (component - grid->base >= grid->components)
    ++grid;
  return grid;
}

static void describe(const struct simt_run *run, uint32_t component, char *text,
                     size_t size) {
  static const char *const agents[] = {"", "a copy of ", "a bulk copy of ",
                                       "a matrix product of "};
  const struct simt_grid *grid = findGrid(run, component);
  uint32_t own = (uint32_t)grid->launch.threads * SIMT_AGENTS;
  uint32_t each = own + SIMT_LONE_AGENTS;
  uint32_t number = (component - grid->base) / each;
  uint32_t local = (component - grid->base) % each;
  uint32_t block =
      grid->order[number / grid->cohortBlocks] * grid->cohortBlocks +
      number % grid->cohortBlocks;
  char rank[24] = "";
  if (run->rankCount > 1)
    snprintf(rank, sizeof(rank), " of rank %d", grid->rank);
  if (local >= own)
    snprintf(text, size, "a bulk copy of block %u%s", block, rank);
  else
    snprintf(text, size, "%sthread %u of block %u%s",
             agents[local % SIMT_AGENTS], local / SIMT_AGENTS, block, rank);
}

static const char *placeOf(const struct simt_run *run, uint32_t component,
                           uint32_t site, const char **name) {
  const struct simt_instruction *in =
      findGrid(run, component)->program->instructions[site];
  *name = in->name;
  return in->place;
}

static _Noreturn void reportRace(const struct access *a, uint64_t offset,
                                 bool wrote, uint32_t component,
                                 uint32_t site) {
  const struct simt_run *run = a->actor->block->cohort->run;
  char self[80], other[80];
  const char *name;
  describe(run, a->actor->epoch.component, self, sizeof(self));
  describe(run, component & SIMT_COMPONENT, other, sizeof(other));
  const char *place = placeOf(run, component & SIMT_COMPONENT, site, &name);
  bool atomic = a->kind & SIMT_ATOMIC && component & SIMT_FLAG;
  bool narrow = a->kind & SIMT_BLOCK || component & SIMT_NARROW;
  simt_report(a->actor->block, a->actor->thread, a->actor->instruction,
              "race in %s at byte %llu: %s %s what %s %s (%s at %s); %s",
              a->memory, (unsigned long long)offset, self,
              a->kind & SIMT_WRITE ? "writes" : "reads", other,
              wrote ? "wrote" : "read", name, place,
              !atomic  ? "nothing orders the two"
              : narrow ? "expected atomics of a wider scope than the block"
                       : "expected atomics of a wider scope than the device");
}

/// Checks and changes the history of a byte. `same`: it keeps its value.
static void enterByte(const struct access *a, struct simt_cell *cell,
                      uint64_t offset, bool same) {
  const struct simt_actor *actor = a->actor;
  uint32_t writer = cell->writer & SIMT_COMPONENT;
  if (writer && !same && !areAtomic(a, cell->writer) &&
      !isBefore(a, actor->sees, writer, cell->writeTime))
    reportRace(a, offset, true, cell->writer, cell->writeSite);
  struct reader readers[kReaders + 1];
  int count = getReaders(cell, readers), kept = 0;
  for (int i = 0; i < count; ++i) {
    struct reader *r = &readers[i];
    uint32_t reader = r->component & SIMT_COMPONENT;
    bool before = isBefore(a, actor->knows, reader, r->time);
    if (!before && a->kind & SIMT_WRITE && !same &&
        !areAtomic(a, r->component))
      reportRace(a, offset, false, r->component, r->site);
    if (!before && !(a->kind & SIMT_WRITE) && reader != actor->epoch.component)
      readers[kept++] = *r;
  }
  uint32_t component = actor->epoch.component |
                       (a->kind & SIMT_ATOMIC ? SIMT_FLAG : 0) |
                       (a->kind & SIMT_BLOCK ? SIMT_NARROW : 0) |
                       (a->kind & SIMT_DEVICE ? SIMT_ON_DEVICE : 0);
  if (a->kind & SIMT_WRITE) {
    setReaders(cell, NULL, 0);
    cell->writer = component;
    cell->writeTime = actor->epoch.time;
    cell->writeSite = actor->instruction->id;
    return;
  }
  // With too many, those of other warps say more.
  if (kept == kReaders) {
    uint32_t warp = SIMT_AGENTS * 32;
    int at = (int)(actor->epoch.time % kReaders);
    for (int i = 0; i < kept; ++i)
      if ((readers[i].component & SIMT_COMPONENT) / warp ==
          actor->epoch.component / warp)
        at = i;
    readers[at] = readers[--kept];
  }
  readers[kept++] =
      (struct reader){component, actor->epoch.time, actor->instruction->id};
  setReaders(cell, readers, kept);
}

static bool isSame(const struct simt_cell *a, const struct simt_cell *b) {
  return memcmp(a, b, sizeof(*a)) == 0;
}

/// Enters the access into the history of all bytes.
static void enter(const struct access *a, struct simt_memory *memory,
                  uint64_t offset, const uint8_t *data) {
  memory->used = true;
  const uint8_t *old = (const uint8_t *)(uintptr_t)a->address;
  struct simt_cell before, after;
  bool known = false;
  for (size_t i = 0; i < a->bytes; ++i) {
    struct simt_cell *cell = &memory->cells[offset + i];
    bool same = data && data[i] == old[i];
    if (known && !same && isSame(cell, &before)) {
      // Neighbours have the same history.
      *cell = after;
      if (after.reader & SIMT_FLAG)
        ++lists[after.reader & ~SIMT_FLAG].uses;
      dropReaders(&before);
      continue;
    }
    struct simt_cell was = *cell;
    enterByte(a, cell, offset + i, same);
    after = *cell;
    before = was;
    known = !same;
    // `before` is still compared with; what is dropped may be taken again.
    if (was.reader & SIMT_FLAG) {
      known = known && lists[was.reader & ~SIMT_FLAG].uses > 1;
      dropReaders(&was);
    }
  }
}

//===----------------------------------------------------------------------===//
// Accesses
//===----------------------------------------------------------------------===//

static bool isLocal(const struct simt_thread *thread, uint64_t address) {
  return address - (uint64_t)(uintptr_t)thread->fiber.stack <
         thread->fiber.bytes;
}

static struct simt_memory *findMemory(const struct simt_actor *actor,
                                      uint64_t address, const char **name) {
  if (address >> 32) {
    *name = "global memory";
    return findGlobal(address);
  }
  *name = "shared memory";
  struct simt_block *owner = simt_block_at(actor->block, address);
  return owner ? owner->shared : NULL;
}

static _Noreturn void reportBounds(const struct access *a,
                                   const struct simt_memory *memory) {
  const char *verb = a->kind & SIMT_WRITE ? "writes" : "reads";
  if (memory)
    simt_report(a->actor->block, a->actor->thread, a->actor->instruction,
                "out of bounds: %s %zu bytes at byte %lld of %s, which has "
                "%llu bytes",
                verb, a->bytes, (long long)(a->address - memory->base),
                a->memory, (unsigned long long)memory->bytes);
  // What it probably misses.
  const struct simt_memory *near = NULL;
  for (const struct simt_memory *at = allocations; at; at = at->next)
    if (!near || llabs((long long)(a->address - at->base)) <
                     llabs((long long)(a->address - near->base)))
      near = at;
  if (near && a->address >> 32)
    simt_report(a->actor->block, a->actor->thread, a->actor->instruction,
                "out of bounds: %s %zu bytes of %s that belong to no buffer, "
                "%lld bytes from the start of one of %llu bytes",
                verb, a->bytes, a->memory, (long long)(a->address - near->base),
                (unsigned long long)near->bytes);
  simt_report(a->actor->block, a->actor->thread, a->actor->instruction,
              "out of bounds: %s %zu bytes of %s at address 0x%llx, which "
              "belong to no buffer",
              verb, a->bytes, a->memory, (unsigned long long)a->address);
}

/// A launch that may begin before the one in front of it has ended.
static void checkGrid(const struct access *a, const struct simt_memory *memory,
                      uint64_t offset) {
  bool conflict =
      memory->before & SIMT_WRITE || (memory->before && a->kind & SIMT_WRITE);
  if (conflict && !a->thread->waitedForGrid &&
      simt_launch_of(a->actor->block)->pdl)
    simt_report(a->actor->block, a->actor->thread, a->actor->instruction,
                "%s byte %llu of memory that the launch before %s; expected "
                "griddepcontrol.wait in front of it",
                a->kind & SIMT_WRITE ? "writes" : "reads",
                (unsigned long long)offset,
                memory->before & SIMT_WRITE ? "writes" : "reads");
}

void *simt_touch(const struct simt_actor *actor, uint64_t address, size_t bytes,
                 size_t align, int kind, const void *data) {
  struct access a = {.actor = actor,
                     .thread = &actor->block->thread[actor->thread],
                     .address = address,
                     .bytes = bytes,
                     .kind = kind};
  void *result = (void *)(uintptr_t)address;
  if (isLocal(a.thread, address))
    return result;
  if (align > 1 && address % align)
    simt_report(actor->block, actor->thread, actor->instruction,
                "misaligned: expected an address that is a multiple of %zu, "
                "got 0x%llx",
                align, (unsigned long long)address);
  struct simt_memory *memory = findMemory(actor, address, &a.memory);
  uint64_t offset = memory ? address - memory->base : 0;
  if (!memory || offset >= memory->bytes || bytes > memory->bytes - offset)
    reportBounds(&a, memory);
  if (kind & SIMT_READ && !(kind & SIMT_ANY))
    for (size_t i = 0; i < bytes; ++i)
      if (!isWritten(memory, offset + i))
        simt_report(actor->block, actor->thread, actor->instruction,
                    "reads byte %llu of %s, which nobody has written",
                    (unsigned long long)(offset + i), a.memory);
  if (!(kind & (SIMT_READ | SIMT_WRITE)))
    return result;
  if (!actor->knows)
    a.thread->accessed = true;
  if (actor->block->cohort->run->messages)
    simt_deliver_known(actor, address, bytes);
  checkGrid(&a, memory, offset);
  enter(&a, memory, offset, kind & SIMT_ATOMIC ? NULL : data);
  if (kind & SIMT_WRITE) {
    memory->wrote = true;
    setWritten(memory, offset, bytes);
  }
  return result;
}

void *simt_access(const struct simt_actor *actor, uint64_t address,
                  size_t bytes, size_t align, int access) {
  return simt_touch(actor, address, bytes, align, access, NULL);
}

void simt_read(const struct simt_actor *actor, uint64_t address, size_t bytes,
               size_t align, void *out) {
  memcpy(out, simt_touch(actor, address, bytes, align, SIMT_READ, NULL), bytes);
}

void simt_write(const struct simt_actor *actor, uint64_t address, size_t bytes,
                size_t align, const void *data) {
  memcpy(simt_touch(actor, address, bytes, align, SIMT_WRITE, data), data,
         bytes);
}

void simt_wait_for_grid(struct simt_block *block, int thread) {
  block->thread[thread].waitedForGrid = true;
  simt_acquire(block, thread, &block->cohort->grid->before);
}

void simt_check_space(const struct simt_actor *actor, uint64_t address,
                      enum simt_space space) {
  static const char *const names[] = {"", "global", "shared"};
  bool shared = simt_block_at(actor->block, address) != NULL;
  if ((space == SIMT_SHARED && !shared) || (space == SIMT_GLOBAL && shared))
    simt_report(actor->block, actor->thread, actor->instruction,
                "expected an address of %s memory, got 0x%llx", names[space],
                (unsigned long long)address);
}
