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
  bool reported, changed;
} Outcome;

/* A synchronisation of the text. Its group are those that signal each other in
 * any launch: where a loop has one round, what is set before it and what is
 * left behind it do not meet, and are one flag all the same. */
typedef struct {
  char *name; /* the call and its place */
  Outcome alone, repeated;
  Outcome group; /* deleted with its group as it was known by then, of which
                    this one is the first */
  size_t first;  /* an earlier one of its group, or itself */
  bool isSet;
} Mutant;

typedef struct Mutation {
  struct Mutation *next;
  char *kernel;
  Mutant *sites;
  size_t count;
} Mutation;

static Mutation *mutations;

static char *copyText(const char *text) {
  char *copy = malloc(strlen(text) + 1);
  return copy ? strcpy(copy, text) : NULL;
}

static size_t findSite(Mutation *mutation, TileAscendSyncSite site) {
  char name[256];
  snprintf(name, sizeof(name), "%s at line %u", site.api, site.line);
  size_t count = mutation->count;
  for (size_t i = 0; i < count; ++i)
    if (strcmp(mutation->sites[i].name, name) == 0)
      return i;
  mutation->sites =
      realloc(mutation->sites, (count + 1) * sizeof(*mutation->sites));
  mutation->sites[count] = (Mutant){.name = copyText(name),
                                    .first = count,
                                    .isSet = strstr(site.api, "SetFlag")};
  return mutation->count++;
}

static size_t findFirst(const Mutation *mutation, size_t site) {
  while (mutation->sites[site].first != site)
    site = mutation->sites[site].first;
  return site;
}

/* Makes one group of the two. What either was seen to do without it stays known
 * of the whole: who deletes more is not reported less. */
static void joinGroups(Mutation *mutation, size_t a, size_t b) {
  size_t first = findFirst(mutation, a), second = findFirst(mutation, b);
  if (first == second)
    return;
  if (second < first) {
    size_t other = first;
    first = second;
    second = other;
  }
  Outcome *whole = &mutation->sites[first].group;
  const Outcome *part = &mutation->sites[second].group;
  whole->reported |= part->reported;
  whole->changed |= part->changed;
  mutation->sites[second].first = first;
}

typedef struct {
  size_t count, needed, missed;
} Tally;

static void addOutcome(Tally *tally, const char *what, const char *name,
                       Outcome outcome) {
  bool isMissed = !outcome.reported && outcome.changed;
  ++tally->count;
  tally->needed += outcome.reported;
  tally->missed += isMissed;
  if (!outcome.reported)
    printf("  %s: %s %s\n", isMissed ? "missed" : "redundant", what, name);
}

static void printTally(const char *kernel, const char *what, Tally tally) {
  printf("%s: %zu %ss emitted, %zu needed, %zu redundant, %zu missed\n", kernel,
         tally.count, what, tally.needed,
         tally.count - tally.needed - tally.missed, tally.missed);
}

static void printSites(const Mutation *mutation) {
  Tally tally = {0};
  for (size_t i = 0; i < mutation->count; ++i)
    addOutcome(&tally, "synchronisation", mutation->sites[i].name,
               mutation->sites[i].alone);
  printTally(mutation->kernel, "synchronisation", tally);
}

static void printGroups(const Mutation *mutation) {
  Tally tally = {0};
  for (size_t i = 0; i < mutation->count; ++i)
    if (mutation->sites[i].first == i)
      addOutcome(&tally, "group", mutation->sites[i].name,
                 mutation->sites[i].group);
  printTally(mutation->kernel, "group", tally);
}

static void printRepeats(const Mutation *mutation) {
  size_t count = 0, missed = 0;
  for (size_t i = 0; i < mutation->count; ++i) {
    const Mutant *site = &mutation->sites[i];
    count += site->isSet;
    missed += site->isSet && !site->repeated.reported;
    if (site->isSet && !site->repeated.reported)
      printf("  missed: %s made twice\n", site->name);
  }
  printf("%s: %zu sets made twice, %zu reported, %zu missed\n",
         mutation->kernel, count, count - missed, missed);
}

static void printMutations(void) {
  while (mutations) {
    Mutation *mutation = mutations;
    mutations = mutation->next;
    printSites(mutation);
    printGroups(mutation);
    printRepeats(mutation);
    for (size_t i = 0; i < mutation->count; ++i)
      free(mutation->sites[i].name);
    free(mutation->sites);
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
                      Outcome *outcome) {
  restore(before);
  if (tileAscendModelLaunch(model, launch) != 0)
    outcome->reported = true;
  else
    outcome->changed |= !isSame(after);
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
                      const bool *skipped, bool anyOrder, Outcome *outcome) {
  size_t count = tileAscendModelSyncSiteCount(model);
  for (size_t i = 0; i < count; ++i)
    tileAscendModelSkipSync(model, i, skipped[i]);
  TileAscendLaunch order = *launch;
  uint64_t last = launch->seed + (anyOrder ? kOrders : 0);
  for (; order.seed <= last && !outcome->reported; ++order.seed)
    runMutant(model, &order, before, after, outcome);
  tileAscendModelSkipNoSync(model);
}

/* Makes each set of a flag twice in turn. */
static void repeatSets(TileAscendModel *model, const TileAscendLaunch *launch,
                       const Snapshot *before, const Snapshot *after,
                       Mutation *mutation, const size_t *sites) {
  size_t count = tileAscendModelSyncSiteCount(model);
  for (size_t i = 0; i < count; ++i) {
    Mutant *site = &mutation->sites[sites[i]];
    if (!site->isSet)
      continue;
    tileAscendModelRepeatSync(model, i);
    runMutant(model, launch, before, after, &site->repeated);
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

/* The sites of the text that those of a launch are, with the groups that the
 * launch and all before it have seen. */
static size_t *findSites(Mutation *mutation, TileAscendModel *model) {
  size_t count = tileAscendModelSyncSiteCount(model);
  size_t *sites = calloc(count + 1, sizeof(*sites));
  for (size_t i = 0; i < count; ++i)
    sites[i] = findSite(mutation, tileAscendModelSyncSite(model, i));
  for (size_t i = 0; i < count; ++i)
    joinGroups(mutation, sites[i],
               sites[tileAscendModelSyncSite(model, i).group]);
  return sites;
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
  size_t *sites = findSites(mutation, model);
  bool *skipped = calloc(count + 1, sizeof(*skipped));
  bool *isDone = calloc(mutation->count + 1, sizeof(*isDone));
  bool anyOrder = hasOneResult(model, launch, before, &after);
  for (size_t i = 0; i < count; ++i) {
    skipped[i] = true;
    tryMutant(model, launch, before, &after, skipped, anyOrder,
              &mutation->sites[sites[i]].alone);
    skipped[i] = false;
  }
  for (size_t i = 0; i < count; ++i) {
    size_t first = findFirst(mutation, sites[i]);
    if (isDone[first])
      continue;
    isDone[first] = true;
    for (size_t k = 0; k < count; ++k)
      skipped[k] = findFirst(mutation, sites[k]) == first;
    tryMutant(model, launch, before, &after, skipped, anyOrder,
              &mutation->sites[first].group);
  }
  repeatSets(model, launch, before, &after, mutation, sites);
  restore(&results);
  free(skipped);
  free(isDone);
  free(sites);
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
