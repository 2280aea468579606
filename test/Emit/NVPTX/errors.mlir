// RUN: tile-translate --tile-to-ptx --split-input-file --verify-diagnostics %s
// RUN: not tile-translate --tile-to-ptx --chip=sm_12 %S/Inputs/no-chip.mlir 2>&1 | FileCheck %s --check-prefix=CHIP
// RUN: not tile-translate --tile-to-ptx --chip=gfx942 %S/Inputs/no-chip.mlir 2>&1 | FileCheck %s --check-prefix=AMD
// RUN: not tile-translate --tile-to-ptx %S/Inputs/no-chip.mlir 2>&1 | FileCheck %s --check-prefix=NONE
// RUN: tile-translate --tile-to-ptx --chip=sm_89 %S/Inputs/no-chip.mlir | FileCheck %s --check-prefix=SM89
// RUN: not tile-translate --tile-to-cubin --ptxas=/no/such/ptxas --chip=sm_89 %S/Inputs/no-chip.mlir 2>&1 | FileCheck %s --check-prefix=LOST
// RUN: env TILE_PTXAS=/no/such/ptxas not tile-translate --tile-to-cubin --chip=sm_89 %S/Inputs/no-chip.mlir 2>&1 | FileCheck %s --check-prefix=ENV
// RUN: not tile-translate --tile-to-cubin --ptxas=%S/Inputs/broken-ptxas.sh --chip=sm_89 %S/Inputs/no-chip.mlir -o %t.cubin 2>&1 | FileCheck %s --check-prefix=BROKEN
// RUN: not ls %t.cubin
// RUN: not tile-translate --tile-to-ptx --gpu-opt-level=4 --chip=sm_89 %S/Inputs/no-chip.mlir 2>&1 | FileCheck %s --check-prefix=LEVEL

// CHIP: error: unknown target 'sm_12'
// AMD: error: expected an NVIDIA target, got 'gfx942'; known NVIDIA targets: 
// NONE: error: expected a target; give the option 'chip' or the module the attribute 'tile.target'
// SM89: .target sm_89
// LOST: error: the assembler '/no/such/ptxas' that is given cannot be run: No such file or directory
// ENV: error: the assembler '/no/such/ptxas' that is named by TILE_PTXAS cannot be run: No such file or directory
// BROKEN: error: {{.*}}broken-ptxas.sh failed with exit code 3: ptx, line 1; fatal   : it is Friday
// LEVEL: error: expected --gpu-opt-level to be 0 to 3, got 4

// expected-error @below {{holds no kernel}}
gpu.module @empty attributes {tile.target = #tile.target<"sm_90a">} {
}

// -----

// expected-error @below {{expected the kernels of one function, got those of 2 (@f, @g); choose one with --gpu-function}}
module {
  gpu.module @a attributes {tile.target = #tile.target<"sm_90a">} {
    gpu.func @k() kernel attributes {tile.launch = #tile.launch<kernel = "k", function = "f">} {
      gpu.return
    }
  }
  gpu.module @g attributes {tile.target = #tile.target<"sm_90a">} {
    gpu.func @k() kernel {
      gpu.return
    }
  }
}

// -----

gpu.module @a attributes {tile.target = #tile.target<"sm_90a">} {
  gpu.func @k(%x: f64, %p: !llvm.ptr<1>) kernel {
    // expected-error @below {{'math.erf' on 'f64' is not available on an NVIDIA GPU}}
    %y = math.erf %x : f64
    llvm.store %y, %p : f64, !llvm.ptr<1>
    gpu.return
  }
}

// -----

// expected-error @below {{holds no gpu.module to make code from}}
module {
}

// -----

gpu.module @a attributes {tile.target = #tile.target<"sm_90a">} {
  gpu.func @k(%x: vector<4xi32>, %p: !llvm.ptr<1>) kernel {
    %c = arith.constant 1 : i32
    // expected-error @below {{expected a value of 1 to 64 bits to shuffle, got 'vector<4xi32>'}}
    %y, %v = gpu.shuffle xor %x, %c, %c : vector<4xi32>
    llvm.store %y, %p : vector<4xi32>, !llvm.ptr<1>
    gpu.return
  }
}

// -----

gpu.module @a attributes {tile.target = #tile.target<"sm_90a">} {
  gpu.func @v() kernel attributes {tile.launch = #tile.launch<kernel = "v", arguments = [<"x", memref<?xf32>>], general = "k",
                                                              conditions = [<size, argument = 0, min = 1>]>} {
    gpu.return
  }
  // expected-error @below {{expected 'k', the general form of the version 'v', got 'other'}}
  gpu.func @other() kernel attributes {tile.launch = #tile.launch<kernel = "other", arguments = [<"x", memref<?xf32>>]>} {
    gpu.return
  }
}

// -----

// expected-error @below {{expected 'k', the general form of the version 'v', got no such kernel}}
gpu.module @a attributes {tile.target = #tile.target<"sm_90a">} {
  gpu.func @v() kernel attributes {tile.launch = #tile.launch<kernel = "v", arguments = [<"x", memref<?xf32>>], general = "k",
                                                              conditions = [<size, argument = 0, min = 1>]>} {
    gpu.return
  }
}
