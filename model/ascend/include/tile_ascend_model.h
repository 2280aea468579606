/* Host driver of the Ascend model: runs Ascend C kernels on a CPU and reports
 * what hardware would punish silently.
 *
 * A kernel is an `extern "C" __global__ __aicore__` function compiled against
 * this folder's kernel_operator.h. The driver starts one AIC and two AIV per
 * block as the kernel's type says, gives each its memories, and runs every pipe
 * as its own in-order queue under a seeded schedule. Hazards are found by
 * vector clocks, so they are reported whatever the schedule.
 */
#ifndef TILE_ASCEND_MODEL_H
#define TILE_ASCEND_MODEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Instruction queues of one core, in the vendor's names. */
typedef enum {
  TILE_ASCEND_PIPE_S,
  TILE_ASCEND_PIPE_V,
  TILE_ASCEND_PIPE_M,
  TILE_ASCEND_PIPE_MTE1,
  TILE_ASCEND_PIPE_MTE2,
  TILE_ASCEND_PIPE_MTE3,
  TILE_ASCEND_PIPE_FIX,
  TILE_ASCEND_PIPE_COUNT,
} TileAscendPipe;

typedef enum {
  TILE_ASCEND_GM,
  TILE_ASCEND_UB,
  TILE_ASCEND_L1,
  TILE_ASCEND_L0A,
  TILE_ASCEND_L0B,
  TILE_ASCEND_L0C,
  TILE_ASCEND_BT,
  TILE_ASCEND_FB,
  TILE_ASCEND_MEM_COUNT,
} TileAscendMem;

/* Everything the model knows about a chip; the code has no other chip constant.
 * A set of pipes is a bit set over TileAscendPipe. */
typedef struct {
  const char *name;
  uint32_t npuArch; /* __NPU_ARCH__ */
  /* AI cores that run at once; a launch may override it. */
  uint32_t cores;

  /* Usable bytes (0 for GM), and the alignment of an operand's address. */
  uint32_t memBytes[TILE_ASCEND_MEM_COUNT];
  uint32_t memAlign[TILE_ASCEND_MEM_COUNT];
  /* Bytes at the end of UB that Select modes 1 and 2 use. */
  uint32_t ubReserve;

  /* Instructions that a pipe's queue holds before issue stalls. */
  uint32_t queueDepth;
  /* For each source pipe, the destinations that SetFlag may name. */
  uint8_t aicPairs[TILE_ASCEND_PIPE_COUNT];
  uint8_t aivPairs[TILE_ASCEND_PIPE_COUNT];
  /* The pipes that PipeBarrier may name. */
  uint8_t aicBarriers;
  uint8_t aivBarriers;
  /* The pipes whose instructions complete in order. */
  uint8_t orderedPipes;
  /* Event ids below this are free; the others below 8 are reserved. */
  uint8_t userEvents;

  /* Number of cross-core flag ids, bit set of modes, and largest counter. */
  uint8_t crossFlags;
  uint8_t crossModes;
  uint8_t crossMax;
  /* CrossCoreWaitFlag stalls the pipe it names; otherwise it stalls all. */
  bool crossWaitOnePipe;

  /* DataCacheCleanAndInvalid takes CACHELINE_ATOMIC. */
  bool cleanAtomic;

  bool l0aNz;   /* L0A holds Nz fractals; otherwise Zz */
  bool gmToL0;  /* LoadData from GM exists, and Fill of L0A and L0B */
  bool l1ToGm;  /* DataCopy from L1 to GM exists */
  bool l0cToUb; /* Fixpipe from L0C to the UB of an AIV exists */
  bool ubToL1;  /* DataCopy from UB to the L1 of the AIC exists */
  /* Compare takes int32_t in every mode; otherwise only EQ. */
  bool compareInt32;
  /* From this many 16x16 tiles on, Mmad needs no barrier before the next one on
   * the same L0C tile. */
  uint32_t mmadOrderedTiles;
  uint32_t mmadAlign; /* of Mmad's destination */
  /* Bytes that DataCopy's blockLen and dstGap count towards BT. */
  uint32_t biasUnit;
} TileAscendChip;

/* "910B" (also 910C; arch 2201) or "950" (arch 3510); otherwise NULL. */
const TileAscendChip *tileAscendChipByName(const char *name);

/* What went wrong. tileAscendReportKindName gives the kebab-case name. */
typedef enum {
#define TILE_ASCEND_REPORT(ID, NAME) TILE_ASCEND_REPORT_##ID,
#include "tile_ascend/reports.def"
#undef TILE_ASCEND_REPORT
  TILE_ASCEND_REPORT_COUNT,
} TileAscendReportKind;

const char *tileAscendReportKindName(TileAscendReportKind kind);

/* Where an instruction is: `core` is "aic", "aiv0" or "aiv1"; `ordinal` counts
 * the instructions of that core from 1. */
typedef struct {
  const char *op;
  const char *file;
  uint32_t line;
  const char *core;
  uint32_t block;
  TileAscendPipe pipe;
  uint32_t ordinal;
} TileAscendPlace;

typedef struct {
  TileAscendReportKind kind;
  TileAscendPlace at;
  bool hasOther; /* a race, a deadlock partner or an overlapping operand names a
                    second place */
  TileAscendPlace other;
  const char *message;
  uint64_t count; /* how often the same kind was seen at the same places */
} TileAscendReport;

typedef struct TileAscendModel TileAscendModel;

TileAscendModel *tileAscendModelCreate(const TileAscendChip *chip);
void tileAscendModelDestroy(TileAscendModel *model);

/* Kernel parameters are GM_ADDR pointers or integers of at most 64 bits: each
 * travels as one machine word. */
typedef void (*TileAscendKernelFn)(void);
void tileAscendModelRegister(TileAscendModel *model, const char *name,
                             TileAscendKernelFn entry);

typedef struct {
  void *data;         /* GM buffer, or NULL for a scalar */
  uint64_t bytes;     /* size of the buffer, for bounds checks */
  uint64_t scalar;    /* value when data is NULL */
  bool uninitialised; /* an output or workspace without values: the launch fills
                       * it with poison, and reading it first is an error */
} TileAscendArg;

typedef enum {
  TILE_ASCEND_KERNEL_AIV_ONLY,
  TILE_ASCEND_KERNEL_AIC_ONLY,
  TILE_ASCEND_KERNEL_MIX_AIV_1_0,
  TILE_ASCEND_KERNEL_MIX_AIC_1_0,
  TILE_ASCEND_KERNEL_MIX_AIC_1_1,
  TILE_ASCEND_KERNEL_MIX_AIC_1_2,
} TileAscendKernelType;

typedef struct {
  const char *kernel;
  uint32_t blocks;
  const TileAscendArg *args;
  size_t numArgs;
  uint64_t seed; /* 0: program order; else an adversarial order drawn from the
                    seed */
  uint32_t residentBlocks; /* blocks that run at once; 0: chip->cores */
  bool stopsAtReport; /* the first report ends it: whether there is one, not
                         which ones there are */
} TileAscendLaunch;

/* Runs the kernel to its end. Returns the number of distinct reports, or -1
 * when the launch itself is wrong (see tileAscendModelError). Reports and
 * statistics are those of the last launch. */
int tileAscendModelLaunch(TileAscendModel *model,
                          const TileAscendLaunch *launch);
const char *tileAscendModelError(const TileAscendModel *model);

size_t tileAscendModelReportCount(const TileAscendModel *model);
const TileAscendReport *tileAscendModelReport(const TileAscendModel *model,
                                              size_t index);
/* Valid until the next launch. */
const char *tileAscendModelReportText(TileAscendModel *model);
const char *tileAscendModelReportJson(TileAscendModel *model);

typedef struct {
  uint64_t instructions; /* all but synchronisation */
  uint64_t setFlags, waitFlags, pipeBarriers, crossSets, crossWaits;
} TileAscendStats;
TileAscendStats tileAscendModelStats(const TileAscendModel *model);

/* A synchronisation call in the source, for one flag. Sites are numbered in the order in
 * which they are first reached; the table lives as long as the model, so a
 * number found in one launch names the same site in the next. */
typedef struct {
  const char *file;
  uint32_t line;
  const char *api; /* e.g. "SetFlag<MTE2_V>(0)" */
  uint32_t group;  /* sites that signal each other share a group: a set and the
                      waits it met */
  uint64_t executed; /* in the last launch */
  bool skipped;
} TileAscendSyncSite;

size_t tileAscendModelSyncSiteCount(const TileAscendModel *model);
TileAscendSyncSite tileAscendModelSyncSite(const TileAscendModel *model,
                                           size_t site);

/* Mutation testing: the skipped sites do nothing in later launches. The
 * environment variable TILE_ASCEND_SKIP_SYNC (a comma separated list of site
 * numbers) does the same for a program that one cannot change. */
void tileAscendModelSkipSync(TileAscendModel *model, size_t site, bool skip);
/* The site's call is made twice in later launches. */
void tileAscendModelRepeatSync(TileAscendModel *model, size_t site);
/* Ends both. */
void tileAscendModelSkipNoSync(TileAscendModel *model);

#ifdef __cplusplus
}
#endif
#endif /* TILE_ASCEND_MODEL_H */
