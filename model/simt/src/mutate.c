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

enum { kSeeds = 3 };

/// Runs the kernel as it is, and keeps what it leaves for each seed: blocks
/// that add floats do so in another order. False with a report.
static bool runAll(TileSimtProgram *program, const char *kernel,
                   TileSimtLaunch launch, const struct saved *before,
                   struct saved *after[kSeeds], char *report, size_t size) {
  for (int i = 0; i < kSeeds; ++i, ++launch.seed) {
    restore(before);
    if (!tileSimtLaunch(program, kernel, &launch, report, size))
      return false;
    after[i] = save();
  }
  return true;
}

bool tileSimtMutate(TileSimtProgram *program, const char *kernel,
                    const TileSimtLaunch *launch, char *report, size_t size) {
  struct saved *before = save(), *after[kSeeds] = {NULL};
  TileSimtLaunch one = *launch;
  one.skip = 0;
  bool *reached = calloc(program->instructionCount + 1, sizeof(*reached));
  if (!reached)
    abort();
  program->reached = reached;
  bool good = runAll(program, kernel, one, before, after, report, size);
  program->reached = NULL;
  int all = tileSimtCountSync(program), count = 0, redundant = 0, missed = 0;
  char text[1024];
  for (int i = 0; good && i < all; ++i) {
    // The program may have other kernels.
    if (!reached[simt_find_sync(program, i)->id])
      continue;
    ++count;
    bool reported = false, same = true;
    for (int seed = 0; seed < kSeeds && !reported; ++seed) {
      restore(before);
      one.skip = i + 1;
      one.seed = launch->seed + (uint64_t)seed;
      reported = !tileSimtLaunch(program, kernel, &one, text, sizeof(text));
      same &= reported || isAsSaved(after[seed]);
    }
    if (reported)
      continue;
    redundant += same;
    missed += !same;
    const struct simt_instruction *in = simt_find_sync(program, i);
    printf("%s: %s: %s is left out: %s\n", in->place, kernel, in->name,
           same ? "nothing changes" : "wrong results without a report");
  }
  if (good)
    printf("%s: %d synchronisations, %d reported, %d redundant, %d missed\n",
           kernel, count, count - redundant - missed, redundant, missed);
  fflush(stdout);
  if (good)
    restore(after[0]);
  free(reached);
  drop(before);
  for (int i = 0; i < kSeeds; ++i)
    drop(after[i]);
  return good;
}
