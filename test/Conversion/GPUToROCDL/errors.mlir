// RUN: tile-opt %s --split-input-file --verify-diagnostics --tile-gpu-to-rocdl

// expected-error @below {{expected a target; run 'tile-set-target' first or give the module the attribute 'tile.target'}}
gpu.module @no_chip {
}

// -----

// expected-error @below {{expected an AMD target, got 'sm_90a'; known AMD targets: gfx90a}}
gpu.module @other_vendor attributes {tile.target = #tile.target<"sm_90a">} {
}

// -----

gpu.module @wide attributes {tile.target = #tile.target<"gfx942">} {
  gpu.func @shuffle(%v: vector<4xf32>) {
    %c = arith.constant 1 : i32
    // expected-error @below {{expected a value of 1 to 64 bits to shuffle, got 'vector<4xf32>'}}
    %0, %1 = gpu.shuffle xor %v, %c, %c : vector<4xf32>
    gpu.return
  }
}

// -----

gpu.module @unknown attributes {tile.target = #tile.target<"gfx942">} {
  gpu.func @cluster() {
    // expected-error @below {{'nvvm.cluster.arrive' cannot be lowered to code for an AMD GPU}}
    nvvm.cluster.arrive
    gpu.return
  }
}
