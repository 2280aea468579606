// An all-gather by copies of the device: a kernel that does the same, and the numbers of its arguments for whoever launches it.

// REQUIRES: tile-translate, tile-run, nvidia
// RUN: tile-translate %s --tile-to-gpu-metadata --chip=sm_90a -o - | FileCheck %s --check-prefix=METADATA
// RUN: for n in 1 2 4 7; do tile-run %s --ranks=$n || exit 1; done | FileCheck %s --check-prefix=RIGHT

// RUN: for seed in 0 5; do env TILE_SIMT_SEED=$seed tile-run %s --target=cuda --device=model --chip=sm_90a --no-notes --ranks=3; done \
// RUN:   | FileCheck %s --check-prefix=RIGHT
// RUN: env TILE_SIMT_MUTATE=1 tile-run %s --target=cuda --device=model --chip=sm_90a --no-notes --ranks=2 | FileCheck %s --check-prefix=MUTATE

// METADATA:      "copies": {
// METADATA-NEXT:   "flags": 3,
// METADATA-NEXT:   "source": 1,
// METADATA-NEXT:   "target": 2
// METADATA-NOT:  "copies"

// RIGHT-NOT: FAIL
// RIGHT:     {{^[1-9][0-9]*}} passed, 0 failed

// MUTATE:    {{[1-9][0-9]* synchronisations, [1-9][0-9]* reported, [0-9]+ redundant, 0 missed}}

func.func @gather(%w: !world.ranks, %x: memref<1030xi16>, %all: memref<?x1030xi16, #world.symmetric> {tile.shape = "ranksx1030"},
                  %flags: memref<?xi32, #world.symmetric> {tile.shape = "ranks", tile.init = "zeros"},
                  %y: memref<?x1030xi16> {tile.shape = "ranksx1030", tile.result}) attributes {world.reference = @gather_ref} {
  world.all_gather %x to %all over %w algorithm(copy_engine) signal %flags
    : memref<1030xi16>, memref<?x1030xi16, #world.symmetric>, !world.ranks, memref<?xi32, #world.symmetric>
  tile.kernel (%from) in (dim(%y, 0)) {
    %me = world.rank %w
    %t = tile.alloc : memref<1030xi16, #tile.shared>
    %own = arith.cmpi eq, %me, %from : index
    scf.if %own {
      tile.copy %x, %t
    } else {
      %arrived = world.wait %flags[%from] ge 1
      %theirs = world.acquire %all after %arrived
      tile.copy %theirs[%from, 0] [1, 1030], %t
    }
    tile.copy %t, %y[%from, 0] [1, 1030]
  }
  return
}
func.func @gather_ref(%x: memref<?x1030xi16>, %all: memref<?x?x1030xi16>, %flags: memref<?x?xi32>, %y: memref<?x?x1030xi16>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c1030 = arith.constant 1030 : index
  %n = memref.dim %x, %c0 : memref<?x1030xi16>
  scf.for %r = %c0 to %n step %c1 {
    scf.for %k = %c0 to %n step %c1 {
      scf.for %i = %c0 to %c1030 step %c1 {
        %v = memref.load %x[%k, %i] : memref<?x1030xi16>
        memref.store %v, %y[%r, %k, %i] : memref<?x?x1030xi16>
      }
    }
  }
  return
}
