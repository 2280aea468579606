#include "tile_ascend_host.h"

#include "host_time.h"

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

/* What became of a deletion over all launches of a kernel: a flag may be needed
 * for some sizes alone. */
typedef struct {
  char *name; /* the call, or the first one of a group, and its place */
  bool reported, changed;
} Mutant;

typedef struct {
  Mutant *items;
  size_t count;
} MutantList;

typedef struct Mutation {
  struct Mutation *next;
  char *kernel;
  MutantList sites, groups, repeats;
} Mutation;

static Mutation *mutations;

static char *copyText(const char *text) {
  char *copy = malloc(strlen(text) + 1);
  return copy ? strcpy(copy, text) : NULL;
}

static Mutant *findMutant(MutantList *list, TileAscendSyncSite site) {
  char name[256];
  snprintf(name, sizeof(name), "%s at line %u", site.api, site.line);
  for (size_t i = 0; i < list->count; ++i)
    if (strcmp(list->items[i].name, name) == 0)
      return &list->items[i];
  list->items = realloc(list->items, (list->count + 1) * sizeof(*list->items));
  list->items[list->count] = (Mutant){copyText(name), false, false};
  return &list->items[list->count++];
}

static void printMutants(const char *kernel, const char *what,
                         const MutantList *list) {
  size_t needed = 0, missed = 0;
  for (size_t i = 0; i < list->count; ++i) {
    const Mutant *mutant = &list->items[i];
    needed += mutant->reported;
    missed += !mutant->reported && mutant->changed;
    if (!mutant->reported)
      printf("  %s: %s %s\n", mutant->changed ? "missed" : "redundant", what,
             mutant->name);
  }
  printf("%s: %zu %ss emitted, %zu needed, %zu redundant, %zu missed\n", kernel,
         list->count, what, needed, list->count - needed - missed, missed);
}

static void printRepeats(const char *kernel, const MutantList *list) {
  size_t missed = 0;
  for (size_t i = 0; i < list->count; ++i) {
    missed += !list->items[i].reported;
    if (!list->items[i].reported)
      printf("  missed: %s made twice\n", list->items[i].name);
  }
  printf("%s: %zu sets made twice, %zu reported, %zu missed\n", kernel,
         list->count, list->count - missed, missed);
}

static void freeMutants(MutantList *list) {
  for (size_t i = 0; i < list->count; ++i)
    free(list->items[i].name);
  free(list->items);
}

static void printMutations(void) {
  while (mutations) {
    Mutation *mutation = mutations;
    mutations = mutation->next;
    printMutants(mutation->kernel, "synchronisation", &mutation->sites);
    printMutants(mutation->kernel, "group", &mutation->groups);
    printRepeats(mutation->kernel, &mutation->repeats);
    freeMutants(&mutation->sites);
    freeMutants(&mutation->groups);
    freeMutants(&mutation->repeats);
    free(mutation->kernel);
    free(mutation);
  }
  fflush(stdout);
}

static Mutation *findMutation(const char *kernel) {
  if (!mutations)
    atexit(printMutations);
  Mutation **at = &mutations;
  for (; *at; at = &(*at)->next)
    if (strcmp((*at)->kernel, kernel) == 0)
      return *at;
  *at = calloc(1, sizeof(**at));
  (*at)->kernel = copyText(kernel);
  return *at;
}

/* Orders of the pipes in which a mutant is tried before it counts as redundant:
 * what the clocks do not see may still change numbers in one of them. */
enum { kOrders = 6 };

/* Runs the kernel without the synchronisations that are skipped: what is
 * reported, or changes, in program order. */
static void runMutant(TileAscendModel *model, const TileAscendLaunch *launch,
                      const Snapshot *before, const Snapshot *after,
                      Mutant *mutant) {
  restore(before);
  if (tileAscendModelLaunch(model, launch) != 0)
    mutant->reported = true;
  else
    mutant->changed |= !isSame(after);
}

/* Whether the whole kernel computes the same in each order. Sums of several
 * blocks do not. */
static bool hasOneResult(TileAscendModel *model, const TileAscendLaunch *launch,
                         const Snapshot *before, const Snapshot *after) {
  TileAscendLaunch other = *launch;
  bool isOne = true;
  for (other.seed = launch->seed + 1;
       isOne && other.seed <= launch->seed + kOrders; ++other.seed) {
    restore(before);
    isOne = tileAscendModelLaunch(model, &other) == 0 && isSame(after);
  }
  return isOne;
}

static void tryMutant(TileAscendModel *model, const TileAscendLaunch *launch,
                      const Snapshot *before, const Snapshot *after,
                      const bool *skipped, bool anyOrder, Mutant *mutant) {
  size_t count = tileAscendModelSyncSiteCount(model);
  for (size_t i = 0; i < count; ++i)
    tileAscendModelSkipSync(model, i, skipped[i]);
  TileAscendLaunch order = *launch;
  uint64_t last = launch->seed + (anyOrder ? kOrders : 0);
  for (; order.seed <= last && !mutant->reported; ++order.seed)
    runMutant(model, &order, before, after, mutant);
  tileAscendModelSkipNoSync(model);
}

/* Makes each set of a flag twice in turn. */
static void repeatSets(TileAscendModel *model, const TileAscendLaunch *launch,
                       const Snapshot *before, const Snapshot *after,
                       MutantList *list) {
  size_t count = tileAscendModelSyncSiteCount(model);
  for (size_t i = 0; i < count; ++i) {
    TileAscendSyncSite site = tileAscendModelSyncSite(model, i);
    if (!strstr(site.api, "SetFlag"))
      continue;
    tileAscendModelRepeatSync(model, i);
    runMutant(model, launch, before, after, findMutant(list, site));
    tileAscendModelSkipNoSync(model);
  }
}

static const char *getOption(const char *name, const char *otherwise) {
  const char *value = getenv(name);
  return value && *value ? value : otherwise;
}

/* As many blocks as TILE_ASCEND_MUTATE_BLOCKS says, at most: all have the same
 * code. A mutant is known by its first report. */
static TileAscendLaunch getMutantLaunch(const TileAscendLaunch *whole) {
  TileAscendLaunch launch = *whole;
  uint64_t most =
      strtoull(getOption("TILE_ASCEND_MUTATE_BLOCKS", "0"), NULL, 0);
  if (most > 0 && most < launch.blocks)
    launch.blocks = (uint32_t)most;
  launch.stopsAtReport = true;
  return launch;
}

/* Deletes each synchronisation, and each group of those that signal each other,
 * in turn; makes each set of a flag twice. The results that stay are those of
 * the whole launch. */
static void mutate(TileAscendModel *model, const TileAscendLaunch *whole,
                   const Snapshot *before) {
  Snapshot results = takeSnapshot(whole->args, whole->numArgs);
  TileAscendLaunch part = getMutantLaunch(whole), *launch = &part;
  restore(before);
  (void)tileAscendModelLaunch(model, launch);
  Snapshot after = takeSnapshot(launch->args, launch->numArgs);
  Mutation *mutation = findMutation(launch->kernel);
  size_t count = tileAscendModelSyncSiteCount(model);
  uint32_t *groups = calloc(count + 1, sizeof(*groups));
  for (size_t i = 0; i < count; ++i)
    groups[i] = tileAscendModelSyncSite(model, i).group;
  bool *skipped = calloc(count + 1, sizeof(*skipped));
  bool anyOrder = hasOneResult(model, launch, before, &after);
  for (size_t i = 0; i < count; ++i) {
    skipped[i] = true;
    tryMutant(model, launch, before, &after, skipped, anyOrder,
              findMutant(&mutation->sites, tileAscendModelSyncSite(model, i)));
    skipped[i] = false;
  }
  for (size_t first = 0; first < count; ++first) {
    bool isFirst = true;
    for (size_t i = 0; i < first; ++i)
      isFirst &= groups[i] != groups[first];
    if (!isFirst)
      continue;
    for (size_t i = 0; i < count; ++i)
      skipped[i] = groups[i] == groups[first];
    tryMutant(
        model, launch, before, &after, skipped, anyOrder,
        findMutant(&mutation->groups, tileAscendModelSyncSite(model, first)));
  }
  repeatSets(model, launch, before, &after, &mutation->repeats);
  restore(&results);
  free(skipped);
  free(groups);
  freeSnapshot(&after);
  freeSnapshot(&results);
}

/* Runs the kernel again in other orders of the pipes, and leaves the results of
 * the first run. The number of reports of the first order that has any. */
static int tryOrders(TileAscendModel *model, const TileAscendLaunch *launch,
                     uint64_t orders, const Snapshot *before) {
  Snapshot after = takeSnapshot(launch->args, launch->numArgs);
  TileAscendLaunch other = *launch;
  int reports = 0;
  for (uint64_t i = 0; i < orders && reports == 0; ++i) {
    ++other.seed;
    restore(before);
    reports = tileAscendModelLaunch(model, &other);
  }
  restore(&after);
  freeSnapshot(&after);
  return reports;
}

static void fail(const char *text) {
  if (tileAscendHostOnReport)
    tileAscendHostOnReport(text);
  else
    fprintf(stderr, "%s\n", text);
}

void tileAscendHostLaunch(const char *chip, const char *name,
                          TileAscendKernelFn kernel, int64_t blocks,
                          const TileAscendArg *args, size_t count) {
  if (blocks <= 0)
    return;
  if (blocks > UINT16_MAX)
    return fail("a kernel has more than 65535 blocks; let each block of "
                "a smaller grid do several, with tile.persistent");
  const TileAscendChip *record = tileAscendChipByName(chip);
  if (!record)
    return fail("the model does not know the chip of the kernel");
  TileAscendModel *model = tileAscendModelCreate(record);
  tileAscendModelRegister(model, name, kernel);
  TileAscendLaunch launch = {0};
  launch.kernel = name;
  launch.blocks = (uint32_t)blocks;
  launch.args = args;
  launch.numArgs = count;
  launch.seed = strtoull(getOption("TILE_ASCEND_SEED", "0"), NULL, 0);
  uint64_t orders = strtoull(getOption("TILE_ASCEND_ORDERS", "0"), NULL, 0);
  bool mutates = strcmp(getOption("TILE_ASCEND_MUTATE", "0"), "0") != 0;
  Snapshot before = {args, 0, NULL};
  if (mutates || orders > 0)
    before = takeSnapshot(args, count);
  const char *trace = getOption("TILE_ASCEND_TRACE", NULL);
  if (trace)
    tileAscendModelKeepTrace(model);
  int reports = tileAscendModelLaunch(model, &launch);
  if (reports == 0 && getOption("TILE_ASCEND_TIME", NULL))
    tileAscendHostKeepTime(chip, name, launch.blocks,
                           tileAscendModelTime(model));
  if (reports == 0 && trace &&
      !tileAscendHostWriteTrace(trace, tileAscendModelTrace(model)))
    fail("the timeline of TILE_ASCEND_TRACE cannot be written");
  if (reports == 0 && orders > 0)
    reports = tryOrders(model, &launch, orders, &before);
  if (reports < 0)
    fail(tileAscendModelError(model));
  else if (reports > 0)
    fail(tileAscendModelReportText(model));
  else if (mutates)
    mutate(model, &launch, &before);
  freeSnapshot(&before);
  tileAscendModelDestroy(model);
}
