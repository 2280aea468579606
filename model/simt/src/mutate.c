// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Mutation tests: each synchronisation of a program is left out in turn. The
// model must report it, unless the results are the same all the same.

#include "model.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/// The contents of all allocations, and which bytes have been written.
struct saved {
  struct simt_memory *memory;
  uint8_t *bytes, *written;
  struct saved *next;
};

static struct saved *save(void) {
  struct saved *all = NULL;
  for (struct simt_memory *m = simt_allocations(); m; m = m->next) {
    struct saved *one = calloc(1, sizeof(*one));
    size_t bits = (size_t)m->bytes / 8 + 1;
    if (!one || !(one->bytes = malloc((size_t)m->bytes + 1)) ||
        !(one->written = malloc(bits)))
      abort();
    one->memory = m;
    memcpy(one->bytes, (void *)(uintptr_t)m->base, (size_t)m->bytes);
    memcpy(one->written, m->written, bits);
    one->next = all;
    all = one;
  }
  return all;
}

static void restore(const struct saved *all) {
  for (; all; all = all->next) {
    memcpy((void *)(uintptr_t)all->memory->base, all->bytes,
           (size_t)all->memory->bytes);
    memcpy(all->memory->written, all->written,
           (size_t)all->memory->bytes / 8 + 1);
  }
}

static bool isAsSaved(const struct saved *all) {
  for (; all; all = all->next)
    if (memcmp((void *)(uintptr_t)all->memory->base, all->bytes,
               (size_t)all->memory->bytes) != 0)
      return false;
  return true;
}

static void drop(struct saved *all) {
  for (struct saved *next; all; all = next) {
    next = all->next;
    free(all->bytes);
    free(all->written);
    free(all);
  }
}

enum { kSeeds = 3, kRankSeeds = 8, kMostSeeds = kRankSeeds };

/// Of several ranks, who waits for whom depends on the order.
static int countSeeds(const struct simt_job *job) {
  return job->count > 1 ? kRankSeeds : kSeeds;
}

/// Runs the kernels as they are, and keeps what they leave for each seed: blocks
/// that add floats do so in another order. False with a report.
static bool runAll(struct simt_job job, const struct saved *before,
                   struct saved *after[kMostSeeds], int *rank, char *report,
                   size_t size) {
  for (int i = 0; i < countSeeds(&job); ++i, ++job.seed) {
    restore(before);
    if (!simt_run_job(&job, rank, report, size))
      return false;
    after[i] = save();
  }
  return true;
}

/// What has been left out so far.
struct counts {
  int all, redundant, missed;
};

/// Leaves out one instruction of the kernel.
static void leaveOut(struct simt_job job, const char *kernel,
                     const struct saved *before,
                     struct saved *const after[kMostSeeds],
                     struct counts *counts) {
  char text[1024];
  bool reported = false, same = true;
  ++counts->all;
  for (int i = 0; i < countSeeds(&job) && !reported; ++i, ++job.seed) {
    restore(before);
    int ignored;
    reported = !simt_run_job(&job, &ignored, text, sizeof(text));
    same &= reported || isAsSaved(after[i]);
  }
  if (reported)
    return;
  counts->redundant += same;
  counts->missed += !same;
  printf("%s: %s: %s is left out: %s\n", job.skip->place, kernel,
         job.skip->name,
         same ? "nothing changes" : "wrong results without a report");
}

/// Whether an earlier kernel of the first rank is of the same program.
static bool isRepeated(const TileSimtRank *rank, int32_t kernel) {
  for (int32_t i = 0; i < kernel; ++i)
    if (rank->programs[i] == rank->programs[kernel])
      return true;
  return false;
}

/// Of several ranks, atomics that order are signals and waits.
static bool isMutant(const struct simt_job *job,
                     const struct simt_instruction *instruction) {
  return simt_is_sync(instruction) ||
         (job->count > 1 && !instruction->function);
}

/// All ranks run the same kernels.
static bool mutate(const struct simt_job *job, int *rank, char *report,
                   size_t size) {
  const TileSimtRank *first = &job->ranks[0];
  struct saved *before = save(), *after[kMostSeeds] = {NULL};
  for (int32_t i = 0; i < first->count; ++i)
    if (!isRepeated(first, i) &&
        !(first->programs[i]->reached =
              calloc(first->programs[i]->instructionCount + 1, sizeof(bool))))
      abort();
  bool good = runAll(*job, before, after, rank, report, size);
  struct counts counts = {0};
  for (int32_t i = 0; i < first->count; ++i) {
    if (isRepeated(first, i))
      continue;
    TileSimtProgram *program = first->programs[i];
    bool *reached = program->reached;
    program->reached = NULL;
    for (uint32_t id = 1; good && id <= program->instructionCount; ++id) {
      struct simt_job one = *job;
      one.skip = program->instructions[id];
      // The program may have other kernels.
      if (reached[id] && isMutant(job, one.skip))
        leaveOut(one, first->kernels[i], before, after, &counts);
    }
    free(reached);
  }
  if (good) {
    printf("%s: %d synchronisations, %d reported, %d redundant, %d missed\n",
           first->count ? first->kernels[0] : "nothing", counts.all,
           counts.all - counts.redundant - counts.missed, counts.redundant,
           counts.missed);
    restore(after[0]);
  }
  fflush(stdout);
  drop(before);
  for (int i = 0; i < kMostSeeds; ++i)
    drop(after[i]);
  return good;
}

bool tileSimtMutate(TileSimtProgram *program, const char *kernel,
                    const TileSimtLaunch *launch, char *report, size_t size) {
  TileSimtRank alone = {&program, &kernel, launch, 1};
  struct simt_job job = {.ranks = &alone, .count = 1, .seed = launch->seed};
  int rank;
  return mutate(&job, &rank, report, size);
}

bool tileSimtMutateRanks(const TileSimtRank *ranks, int32_t count,
                         uint64_t seed, int32_t *rank, char *report,
                         size_t size) {
  struct simt_job job = {.ranks = ranks, .count = count, .seed = seed};
  return mutate(&job, rank, report, size);
}
