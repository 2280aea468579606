#include "tile_ascend_host.h"

#include <stdio.h>

int (*tileAscendHostOnReport)(const char *text);

/* The buffers of a launch, so that it can be run again. */
typedef struct {
  const TileAscendArg *args;
  size_t count;
  unsigned char **copies;
} Snapshot;

static Snapshot takeSnapshot(const TileAscendArg *args, size_t count) {
  Snapshot s = {args, count, calloc(count + 1, sizeof(*s.copies))};
  for (size_t i = 0; i < count; ++i) {
    if (!args[i].data || !(s.copies[i] = malloc(args[i].bytes + 1)))
      continue;
    memcpy(s.copies[i], args[i].data, args[i].bytes);
  }
  return s;
}

static void restore(const Snapshot *s) {
  for (size_t i = 0; i < s->count; ++i)
    if (s->copies[i])
      memcpy(s->args[i].data, s->copies[i], s->args[i].bytes);
}

static bool isSame(const Snapshot *s) {
  for (size_t i = 0; i < s->count; ++i)
    if (s->copies[i] &&
        memcmp(s->args[i].data, s->copies[i], s->args[i].bytes) != 0)
      return false;
  return true;
}

static void freeSnapshot(Snapshot *s) {
  for (size_t i = 0; i < s->count; ++i)
    free(s->copies[i]);
  free(s->copies);
}

/* Deletes each synchronisation, and each group of those that signal each other,
 * in turn. */
static void mutate(TileAscendModel *model, const TileAscendLaunch *launch,
                   const Snapshot *before) {
  Snapshot after = takeSnapshot(launch->args, launch->numArgs);
  size_t sites = tileAscendModelSyncSiteCount(model);
  size_t reported = 0, changed = 0, groups = 0, found = 0;
  uint32_t last = 0;
  for (size_t i = 0; i < sites; ++i) {
    uint32_t group = tileAscendModelSyncSite(model, i).group;
    last = group > last ? group : last;
  }
  for (size_t i = 0; i < sites; ++i) {
    tileAscendModelSkipNoSync(model);
    tileAscendModelSkipSync(model, i, true);
    restore(before);
    if (tileAscendModelLaunch(model, launch) != 0) {
      ++reported;
      continue;
    }
    changed += !isSame(&after);
    TileAscendSyncSite site = tileAscendModelSyncSite(model, i);
    printf("  not reported: %s at %s:%u\n", site.api, site.file, site.line);
  }
  for (uint32_t group = 0; group <= last; ++group) {
    bool any = false;
    tileAscendModelSkipNoSync(model);
    for (size_t i = 0; i < sites; ++i)
      if (tileAscendModelSyncSite(model, i).group == group) {
        tileAscendModelSkipSync(model, i, true);
        any = true;
      }
    if (!any)
      continue;
    ++groups;
    restore(before);
    found += tileAscendModelLaunch(model, launch) != 0;
  }
  tileAscendModelSkipNoSync(model);
  printf("%s: %zu synchronisations, %zu of them reported when deleted, %zu "
         "others change the result; %zu groups, %zu of them reported\n",
         launch->kernel, sites, reported, changed, groups, found);
  fflush(stdout);
  for (size_t i = 0; i < after.count; ++i)
    if (after.copies[i])
      memcpy(after.args[i].data, after.copies[i], after.args[i].bytes);
  freeSnapshot(&after);
}

static const char *getOption(const char *name, const char *otherwise) {
  const char *value = getenv(name);
  return value && *value ? value : otherwise;
}

static void fail(const char *text) {
  if (tileAscendHostOnReport)
    tileAscendHostOnReport(text);
  else
    fprintf(stderr, "%s\n", text);
}

void tileAscendHostLaunch(const char *name, TileAscendKernelFn kernel,
                          int64_t blocks, const TileAscendArg *args,
                          size_t count) {
  if (blocks <= 0)
    return;
  if (blocks > UINT16_MAX)
    return fail("a kernel has more than 65535 blocks; let each block of "
                "a smaller grid do several, with tile.persistent");
  const char *chip = getOption("TILE_ASCEND_CHIP", "910B");
  const TileAscendChip *record = tileAscendChipByName(chip);
  if (!record)
    return fail("TILE_ASCEND_CHIP: expected 910B or 950");
  TileAscendModel *model = tileAscendModelCreate(record);
  tileAscendModelRegister(model, name, kernel);
  TileAscendLaunch launch = {0};
  launch.kernel = name;
  launch.blocks = (uint32_t)blocks;
  launch.args = args;
  launch.numArgs = count;
  launch.seed = strtoull(getOption("TILE_ASCEND_SEED", "0"), NULL, 0);
  bool mutates = strcmp(getOption("TILE_ASCEND_MUTATE", "0"), "0") != 0;
  Snapshot before = {args, 0, NULL};
  if (mutates)
    before = takeSnapshot(args, count);
  int reports = tileAscendModelLaunch(model, &launch);
  if (reports < 0)
    fail(tileAscendModelError(model));
  else if (reports > 0)
    fail(tileAscendModelReportText(model));
  else if (mutates)
    mutate(model, &launch, &before);
  freeSnapshot(&before);
  tileAscendModelDestroy(model);
}
