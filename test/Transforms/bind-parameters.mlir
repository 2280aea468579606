// RUN: tile-opt %s --tile-inline-calls --tile-bind-parameters | FileCheck %s --check-prefixes=CHECK,DEFAULT
// RUN: tile-opt %s --tile-inline-calls --tile-bind-parameters='bindings="BM=64,stages=4 tall=1"' | FileCheck %s --check-prefixes=CHECK,BOUND
// RUN: tile-opt %s --tile-inline-calls --tile-bind-parameters='bindings=BM=64' --remarks-filter='tile-bind-parameters' 2>&1 | FileCheck %s --check-prefix=REMARK
// RUN: tile-run %s | FileCheck %s --check-prefix=RESULT
// RUN: tile-run %s --param=BM=64 --param=stages=4 | FileCheck %s --check-prefix=RESULT
// RUN: tile-run %s --target=ascend --param=BM=64 --param=stages=1 | FileCheck %s --check-prefix=RESULT
// RUN: tile-translate %s --tile-to-ptx --chip=sm_80 --param=BM=64 --gpu-function=copies | FileCheck %s --check-prefix=PTX
// RUN: tile-opt %s --tile-to-nvvm-pipeline -o /dev/null
// RUN: tile-opt %s --tile-to-rocdl-pipeline -o /dev/null

// CHECK-NOT: tile.param
// CHECK-NOT: tile.bindings
tile.param @BM = 32 in [32, 64, 128]
tile.param @stages = 2 in [1, 2, 3, 4]
tile.param @tall = 0 in [0, 1]

// REMARK: remark: [Passed] Parameters | Category:tile-bind-parameters
// REMARK-SAME: BM=64
// REMARK-SAME: stages=2

// A function for tiles of any size; it takes the extent from its tile.
func.func private @double(%t: memref<?x16xf32, #tile.fragment>) {
  %c0 = arith.constant 0 : index
  %rows = memref.dim %t, %c0 : memref<?x16xf32, #tile.fragment>
  tile.parallel (%x, %y) in (%rows, 16) {
    %v = memref.load %t[%x, %y] : memref<?x16xf32, #tile.fragment>
    %d = arith.addf %v, %v : f32
    memref.store %d, %t[%x, %y] : memref<?x16xf32, #tile.fragment>
  }
  return
}

// CHECK-LABEL: func.func @copies
// DEFAULT:       tile.kernel
// DEFAULT:         tile.alloc : memref<32x16xf32, #tile.shared>
// DEFAULT:         tile.alloc : memref<16xf32, #tile.shared>
// DEFAULT:         tile.pipelined %{{.*}} = 0 to 4 stages(2)
// DEFAULT:           tile.copy %{{.*}}[%{{.*}} * 32, %{{.*}} * 16]
// DEFAULT:           tile.parallel ({{.*}}) in (32, 16)
// BOUND:           tile.alloc : memref<64x16xf32, #tile.shared>
// BOUND:           tile.alloc : memref<32xf32, #tile.shared>
// BOUND:           tile.pipelined %{{.*}} = 0 to 4 stages(4)
// BOUND:             tile.copy %{{.*}}[%{{.*}} * 64, %{{.*}} * 16]
// BOUND:             tile.parallel ({{.*}}) in (64, 16)
// PTX: .visible .entry copies
func.func @copies(%a: memref<?x64xf32> {tile.shape = "Mx64"},
                  %b: memref<?x64xf32> {tile.shape = "Mx64", tile.result})
    attributes {tile.reference = @reference, tile.cases = ["M=1", "M=128", "M=200"]} {
  %bm = tile.get_param @BM
  %tall = tile.get_param @tall
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %c2048 = arith.constant 2048 : index
  %size = arith.muli %bm, %c4 : index
  %fits = arith.cmpi ule, %size, %c2048 : index
  tile.require %fits, "a row of blocks is at most 2048 bytes"
  %half = arith.shrui %bm, %c1 : index
  %m = memref.dim %a, %c0 : memref<?x64xf32>
  %blocks = arith.ceildivui %m, %bm : index
  tile.kernel (%i) in (%blocks) {
    %s = tile.alloc(%bm) : memref<?x16xf32, #tile.shared>
    %unused = tile.alloc(%half) : memref<?xf32, #tile.shared>
    %f = tile.alloc(%bm) : memref<?x16xf32, #tile.fragment>
    %zero = arith.constant 0.0 : f32
    tile.fill %unused, %zero : memref<?xf32, #tile.shared>
    tile.pipelined %k = 0 to 4 stages(@stages) {
      tile.copy %a[%i * symbol(%bm), %k * 16], %s : memref<?x64xf32>, memref<?x16xf32, #tile.shared>
      tile.copy %s, %f : memref<?x16xf32, #tile.shared>, memref<?x16xf32, #tile.fragment>
      func.call @double(%f) : (memref<?x16xf32, #tile.fragment>) -> ()
      tile.copy %f, %b[%i * symbol(%bm), %k * 16] : memref<?x16xf32, #tile.fragment>, memref<?x64xf32>
    }
  }
  return
}

// A tile of known size for the function of tiles of any size.
// CHECK-LABEL: func.func @fixed
// CHECK-NOT:     memref.cast
func.func @fixed(%b: memref<48x16xf32> {tile.result}) attributes {tile.reference = @fixed_reference} {
  %one = arith.constant 1.0 : f32
  tile.kernel (%i) in (1) {
    %f = tile.alloc : memref<48x16xf32, #tile.fragment>
    tile.fill %f, %one : memref<48x16xf32, #tile.fragment>
    %any = memref.cast %f : memref<48x16xf32, #tile.fragment> to memref<?x16xf32, #tile.fragment>
    func.call @double(%any) : (memref<?x16xf32, #tile.fragment>) -> ()
    tile.copy %f, %b : memref<48x16xf32, #tile.fragment>, memref<48x16xf32>
  }
  return
}

func.func private @reference(%a: memref<?x64xf32>, %b: memref<?x64xf32>) {
  linalg.add ins(%a, %a : memref<?x64xf32>, memref<?x64xf32>) outs(%b : memref<?x64xf32>)
  return
}
func.func private @fixed_reference(%b: memref<48x16xf32>) {
  %two = arith.constant 2.0 : f32
  linalg.fill ins(%two : f32) outs(%b : memref<48x16xf32>)
  return
}
// RESULT: 4 passed, 0 failed
