// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The Ascend model as a device. All but its kernels is the CPU's.

#include "TileRuntime/Model.h"

#include <pthread.h>

enum { kReportBytes = 960 }; // with what stands before it, an error's

static bool launch(TileRtDevice *device, void *code, const TileRtLaunch *l,
                   TileRtStream stream, TileRtError *error) {
  (void)device;
  (void)stream;
  char report[kReportBytes] = "";
  ((const TileRtModelImage *)code)->run(l->parameters, report, sizeof(report));
  // An error is one line.
  for (char *at = report; *at; ++at)
    if (*at == '\n')
      *at = at[1] ? ';' : 0;
  return !*report || tile_rt_fail(error, "the model reports: %s", report);
}

static TileRtDeviceOps ops;
static TileRtDevice model = {.ops = &ops,
                             .id = {TILE_RT_DL_CPU, 0},
                             .name = "Ascend model",
                             .multiprocessors = 1};
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void fillTable(void) {
  // Loading copies an image, which is as large as the CPU's.
  _Static_assert(sizeof(TileRtModelImage) == sizeof(TileRtHostImage), "");
  ops = *tile_rt_cpu_device()->ops;
  ops.target = "ascend-model";
  ops.prepare = NULL;
  ops.launch = launch;
  model.l2Bytes = tile_rt_cpu_device()->l2Bytes;
}

TileRtDevice *tile_rt_model_device(void) {
  pthread_once(&once, fillTable);
  return &model;
}
