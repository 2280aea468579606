#include "host_time.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Launches of one kernel that take equally long are printed once. */
typedef struct Account {
  struct Account *next;
  char *kernel;
  char chip[16];
  uint32_t blocks;
  TileAscendTime time;
} Account;

static Account *accounts;

static const char *const pipeNames[TILE_ASCEND_PIPE_COUNT] = {
    [TILE_ASCEND_PIPE_S] = "S",       [TILE_ASCEND_PIPE_V] = "V",
    [TILE_ASCEND_PIPE_M] = "M",       [TILE_ASCEND_PIPE_MTE1] = "MTE1",
    [TILE_ASCEND_PIPE_MTE2] = "MTE2", [TILE_ASCEND_PIPE_MTE3] = "MTE3",
    [TILE_ASCEND_PIPE_FIX] = "FIX"};

static double share(const TileAscendTime *time, double cycles, uint32_t cores) {
  double all = time->cycles * cores;
  return all > 0 ? 100 * cycles / all : 0;
}

static void printCores(const TileAscendTime *time, const char *what,
                       uint32_t cores, const double *busy) {
  if (cores == 0)
    return;
  printf("  %u %s cores:", cores, what);
  for (int pipe = 0; pipe < TILE_ASCEND_PIPE_COUNT; ++pipe)
    if (busy[pipe] > 0)
      printf("  %s %.1f %%", pipeNames[pipe], share(time, busy[pipe], cores));
  printf("\n");
}

static void printAccount(const Account *account) {
  const TileAscendTime *time = &account->time;
  const char *critical = "S", *kind = "";
  double most = 0;
  for (int pipe = 0; pipe < TILE_ASCEND_PIPE_COUNT; ++pipe)
    for (int cube = 0; cube < 2; ++cube) {
      double part =
          cube ? share(time, time->cubeBusy[pipe], time->cubeCores)
               : share(time, time->vectorBusy[pipe], time->vectorCores);
      if (part <= most)
        continue;
      most = part;
      critical = pipeNames[pipe];
      kind = cube ? "cube" : "vector";
    }
  printf("%s on %s: %u blocks in %u waves, about %.0f cycles; the critical "
         "pipe is %s of the %s cores, %.1f %%\n",
         account->kernel, account->chip, account->blocks, time->waves,
         time->cycles, critical, kind, most);
  printCores(time, "cube", time->cubeCores, time->cubeBusy);
  printCores(time, "vector", time->vectorCores, time->vectorBusy);
  uint32_t cores = time->cubeCores + time->vectorCores;
  printf("  issue waited %.1f %% for queues and %.1f %% for other cores\n",
         share(time, time->queueStall, cores),
         share(time, time->crossStall, cores));
}

static void printFigures(const char *chip) {
  const TileAscendChip *record = tileAscendChipByName(chip);
  printf("an estimate, of these figures of %s:\n", chip);
  for (int i = 0; i < TILE_ASCEND_COST_COUNT; ++i) {
    TileAscendFigure figure = tileAscendCost(record, (TileAscendCost)i);
    printf("  %-10s %s: %g %s (%s)\n",
           figure.origin == TILE_ASCEND_DOCUMENTED ? "documented" : "assumed",
           figure.name, figure.value, figure.unit, figure.source);
  }
}

static void printAccounts(void) {
  const char *figures = getenv("TILE_ASCEND_TIME");
  if (accounts && figures && strcmp(figures, "figures") == 0)
    printFigures(accounts->chip);
  while (accounts) {
    Account *account = accounts;
    accounts = account->next;
    printAccount(account);
    free(account->kernel);
    free(account);
  }
  fflush(stdout);
}

void tileAscendHostKeepTime(const char *chip, const char *kernel,
                            uint32_t blocks, TileAscendTime time) {
  if (!accounts)
    atexit(printAccounts);
  Account **at = &accounts;
  for (; *at; at = &(*at)->next)
    if (strcmp((*at)->kernel, kernel) == 0 && (*at)->blocks == blocks &&
        (*at)->time.cycles == time.cycles)
      return;
  Account *account = calloc(1, sizeof(*account));
  char *name = malloc(strlen(kernel) + 1);
  if (!account || !name) {
    free(account);
    free(name);
    return;
  }
  account->kernel = strcpy(name, kernel);
  snprintf(account->chip, sizeof(account->chip), "%s", chip);
  account->blocks = blocks;
  account->time = time;
  *at = account;
}

bool tileAscendHostWriteTrace(const char *path, const char *events) {
  size_t length = strlen(path) + 5;
  char *part = malloc(length);
  if (!part)
    return false;
  snprintf(part, length, "%s.new", path);
  FILE *file = fopen(part, "w");
  bool good = file && fprintf(file, "[\n%s{}]\n", events) > 0;
  if (file)
    good &= fclose(file) == 0;
  good = good && rename(part, path) == 0;
  if (!good && file)
    remove(part);
  free(part);
  return good;
}
