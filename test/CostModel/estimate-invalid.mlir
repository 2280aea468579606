// RUN: not tile-opt %s --split-input-file --tile-estimate="chip=sm_90a sizes=M=4" -o /dev/null 2>&1 >/dev/null | FileCheck %s
// RUN: not tile-opt %S/estimate.mlir --tile-estimate -o /dev/null 2>&1 | FileCheck %s --check-prefix=CHIP
// RUN: not tile-opt %S/estimate.mlir --tile-estimate=chip=sm_99 -o /dev/null 2>&1 | FileCheck %s --check-prefix=UNKNOWN
// RUN: not tile-opt %S/estimate.mlir --tile-estimate=chip=sm_120a -o /dev/null 2>&1 | FileCheck %s --check-prefix=UNRATED
// RUN: not tile-opt %S/estimate.mlir --tile-estimate="chip=sm_80 format=xml" -o /dev/null 2>&1 | FileCheck %s --check-prefix=FORMAT
// RUN: not tile-opt %S/estimate.mlir --tile-estimate="chip=sm_80 sizes=N=x" -o /dev/null 2>&1 | FileCheck %s --check-prefix=SIZES
// RUN: not tile-opt %S/estimate.mlir --tile-estimate="chip=sm_80 sizes=N=1,N=2" -o /dev/null 2>&1 | FileCheck %s --check-prefix=TWICE
// CHIP: error: expected a chip to estimate for (910B, 950, avx512, generic, gfx942, neon, sm_80, sm_90a, x86-64-v3)
// UNKNOWN: error: unknown target 'sm_99'
// UNRATED: error: nothing is known of how fast sm_120a is; there are figures of 910B, 950,
// FORMAT: error: expected the format 'text' or 'json', got 'xml'
// SIZES: error: expected sizes NAME=NUMBER of at least 0, each once, got 'N=x'
// TWICE: error: expected sizes NAME=NUMBER of at least 0, each once, got 'N=1,N=2'

// CHECK: error: expected the size 'N' in 'M=4'; give all sizes: N=…
func.func @size(%x: memref<?xf32> {tile.shape = "N"}) {
  tile.kernel (%b) in (dim(%x, 0)) {
  }
  return
}

// -----

// CHECK: error: expected the size 'arg0.0' in 'M=4'; give all sizes: arg0.0=…
func.func @unnamed(%x: memref<?xf32>) {
  tile.kernel (%b) in (dim(%x, 0)) {
  }
  return
}

// -----

// CHECK: 'tile.pipelined' op cannot be estimated: its trip count is not computed from sizes and parameters
func.func @trips(%x: memref<8xindex>) {
  tile.kernel (%b) in (8) {
    %n = memref.load %x[%b] : memref<8xindex>
    tile.pipelined %s = 0 to %n {
    }
  }
  return
}

// -----

// CHECK: 'tile.kernel' op cannot be estimated: its grid is not computed from sizes and parameters
func.func @grid(%x: memref<8xindex>) {
  %c0 = arith.constant 0 : index
  %n = memref.load %x[%c0] : memref<8xindex>
  tile.kernel (%b) in (%n) {
  }
  return
}

// -----

// CHECK: 'tile.parallel' op cannot be estimated: an extent is not computed from sizes and parameters
func.func @extent(%x: memref<8xindex>) {
  tile.kernel (%b) in (8) {
    %n = memref.load %x[%b] : memref<8xindex>
    tile.parallel (%i) in (%n) {
    }
  }
  return
}

// -----

// CHECK: error: the parameters do not meet this requirement: too many
tile.param @p = 4 in [4]
func.func @unmet() {
  %p = tile.get_param @p
  tile.require %p <= 3, "too many"
  tile.kernel (%b) in (8) {
  }
  return
}

// -----

// CHECK: 'tile.require' op expected a condition of parameters and constants
func.func @condition(%x: memref<8xi1>) {
  %c0 = arith.constant 0 : index
  %n = memref.load %x[%c0] : memref<8xi1>
  tile.require %n, "of data"
  tile.kernel (%b) in (8) {
  }
  return
}
