// RUN: tile-translate --tile-to-ptx %s | FileCheck %s
// RUN: tile-translate --tile-to-ptx --chip=sm_80 %s | FileCheck %s
// RUN: tile-opt %s --tile-to-gpu-pipeline | FileCheck %s --check-prefix=IR
// RUN: not tile-translate --tile-to-ptx --chip=sm_90a %s 2>&1 | FileCheck %s --check-prefix=OTHER
// RUN: sed 's/"sm_80"/"910B"/' %s | not tile-translate --tile-to-ptx 2>&1 | FileCheck %s --check-prefix=ASCEND
// RUN: sed 's/"sm_80"/"910B"/' %s | not tile-opt --tile-to-gpu-pipeline 2>&1 | FileCheck %s --check-prefix=GPU

// The chip of the module is the one that code is made for, and no option says otherwise.

// CHECK: .target sm_80
// IR: gpu.module @f_gpu attributes {tile.target = #tile.target<"sm_80">}
// OTHER: error: 'tile.target' names 'sm_80', but the option 'chip' names 'sm_90a'; leave one of them out
// ASCEND: error: expected an NVIDIA target, got '910B'; known NVIDIA targets: sm_80, sm_86, sm_89, sm_90a, sm_100a
// GPU: error: expected a GPU target, got '910B'; known GPU targets: sm_80, {{.*}}gfx942

module attributes {tile.target = #tile.target<"sm_80">} {
  func.func @f(%a: memref<8xf32>, %b: memref<8xf32>) {
    tile.kernel (%k) in (1) {
      tile.parallel (%i) in (8) {
        %x = memref.load %a[%i] : memref<8xf32>
        memref.store %x, %b[%i] : memref<8xf32>
      }
    }
    return
  }
}
