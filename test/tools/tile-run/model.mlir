// REQUIRES: nvidia
// RUN: tile-run %s --target=cuda --chip=sm_80 --device=model --func=copy | FileCheck %s --check-prefix=COPY
// RUN: not tile-run %s --device=model 2>&1 | FileCheck %s --check-prefix=CPU
// RUN: not tile-run %s --target=cuda --device=gpu 2>&1 | FileCheck %s --check-prefix=OTHER
// RUN: not tile-run %s --target=cuda --device=model --save=%t 2>&1 | FileCheck %s --check-prefix=SAVE
// RUN: env TILE_CUDA_DRIVER=/no/driver.so not tile-run %s --target=cuda 2>&1 | FileCheck %s --check-prefix=NONE

// COPY: copy - 0 equal
// CPU: tile-run: --device=model needs --target=cuda or hip
// OTHER: tile-run: --device: expected 'model', got 'gpu'
// SAVE: tile-run: --ptxas, --save, --flush-l2 and --dump-ir=ptx are not for --device=model
// NONE: tile-run: no CUDA driver: /no/driver.so{{.*}}; --device=model runs kernels on a model

func.func @copy(%x: memref<100xf32>, %y: memref<100xf32> {tile.result}) attributes {tile.reference = @copy_reference} {
  tile.kernel (%b) in (1) threads(128) {
    %t = tile.alloc : memref<100xf32, #tile.shared>
    tile.copy %x, %t : memref<100xf32>, memref<100xf32, #tile.shared>
    tile.copy %t, %y : memref<100xf32, #tile.shared>, memref<100xf32>
  }
  return
}

func.func @copy_reference(%x: memref<100xf32>, %y: memref<100xf32>) {
  memref.copy %x, %y : memref<100xf32> to memref<100xf32>
  return
}
