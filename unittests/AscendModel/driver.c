/* The driver header is C11, and these calls go through it as C. */
#include "tile_ascend_model.h"

/* Runs a kernel without arguments on one block and returns what the launch returned. */
int runFromC(const char *chipName, TileAscendKernelFn kernel, uint64_t *instructions);

int runFromC(const char *chipName, TileAscendKernelFn kernel, uint64_t *instructions) {
  TileAscendModel *model = tileAscendModelCreate(tileAscendChipByName(chipName));
  TileAscendLaunch launch = {.kernel = "k", .blocks = 1};
  tileAscendModelRegister(model, "k", kernel);
  int reports = tileAscendModelLaunch(model, &launch);
  *instructions = tileAscendModelStats(model).instructions;
  tileAscendModelDestroy(model);
  return reports;
}
