// RUN: tile-opt-plain %s --ascend-verify-sync --split-input-file --verify-diagnostics

func.func @barrier() {
  tile.kernel (%b) in (1) {
    // expected-error@+1 {{'ascend.pipe_barrier' op the vector core has no barrier of 'm'}}
    ascend.pipe_barrier m
  }
  return
}

// -----

func.func @flag() {
  tile.kernel (%b) in (1) {
    ascend.section cube {
      // expected-error@+1 {{'ascend.set_flag' op the cube core has no flags from 'mte2' to 'v'}}
      ascend.set_flag mte2 to v id(0)
      ascend.wait_flag mte2 to v id(0)
    }
  }
  return
}

// -----

func.func @wait() {
  tile.kernel (%b) in (1) {
    // expected-error@+1 {{'ascend.wait_flag' op the vector core has no flags from 'mte1' to 'm'}}
    ascend.wait_flag mte1 to m id(0)
  }
  return
}

// -----

func.func @cross_pipe() {
  tile.kernel (%b) in (1) {
    ascend.section cube {
      // expected-error@+1 {{'ascend.cross_core_set_flag' op the cube core has no pipe 'v'}}
      ascend.cross_core_set_flag v id(1)
    }
    ascend.section vector {
      ascend.cross_core_wait_flag id(1)
    }
  }
  return
}

// -----

func.func @alone() {
  tile.kernel (%b) in (1) {
    // expected-error@+1 {{'ascend.cross_core_set_flag' op the kernel has no code of the other core}}
    ascend.cross_core_set_flag mte3 id(1)
  }
  return
}

// -----

// A section that holds a flag alone is the code of a core.
func.func @flag_alone() {
  tile.kernel (%b) in (1) {
    ascend.section cube {
      ascend.cross_core_wait_flag id(1)
    }
    ascend.section vector {
      ascend.cross_core_set_flag mte3 id(1)
    }
  }
  return
}

// -----

// The fractals of two loads alternate, so that none is written twice.
func.func @alternate() {
  tile.kernel (%b) in (1) {
    ascend.section cube {
      %x = tile.alloc {ascend.address = 0 : i64} : memref<1024xf16, #tile.l1>
      %a = tile.alloc {ascend.address = 0 : i64} : memref<2048xf16, #tile.l0a>
      %even = memref.reinterpret_cast %a to offset: [0], sizes: [4, 16, 16], strides: [512, 16, 1]
        : memref<2048xf16, #tile.l0a> to memref<4x16x16xf16, strided<[512, 16, 1]>, #tile.l0a>
      %odd = memref.reinterpret_cast %a to offset: [256], sizes: [4, 16, 16], strides: [512, 16, 1]
        : memref<2048xf16, #tile.l0a> to memref<4x16x16xf16, strided<[512, 16, 1], offset: 256>, #tile.l0a>
      ascend.load_data %odd, %x repeat(4) stride(1)
        : memref<4x16x16xf16, strided<[512, 16, 1], offset: 256>, #tile.l0a>, memref<1024xf16, #tile.l1>
      ascend.load_data %even, %x repeat(4) stride(1)
        : memref<4x16x16xf16, strided<[512, 16, 1]>, #tile.l0a>, memref<1024xf16, #tile.l1>
      ascend.pipe_barrier mte1
    }
  }
  return
}

// -----

// The second one writes the odd fractals from the third on.
func.func @meet() {
  tile.kernel (%b) in (1) {
    ascend.section cube {
      %x = tile.alloc {ascend.address = 0 : i64} : memref<1024xf16, #tile.l1>
      %a = tile.alloc {ascend.address = 0 : i64} : memref<4096xf16, #tile.l0a>
      %odd = memref.reinterpret_cast %a to offset: [256], sizes: [4, 16, 16], strides: [512, 16, 1]
        : memref<4096xf16, #tile.l0a> to memref<4x16x16xf16, strided<[512, 16, 1], offset: 256>, #tile.l0a>
      %later = memref.reinterpret_cast %a to offset: [768], sizes: [4, 16, 16], strides: [512, 16, 1]
        : memref<4096xf16, #tile.l0a> to memref<4x16x16xf16, strided<[512, 16, 1], offset: 768>, #tile.l0a>
      // expected-note@+1 {{the other one is here}}
      ascend.load_data %odd, %x repeat(4) stride(1)
        : memref<4x16x16xf16, strided<[512, 16, 1], offset: 256>, #tile.l0a>, memref<1024xf16, #tile.l1>
      // expected-error@+1 {{nothing orders this instruction of pipe 'mte1' after one of pipe 'mte1': write after write}}
      ascend.load_data %later, %x repeat(4) stride(1)
        : memref<4x16x16xf16, strided<[512, 16, 1], offset: 768>, #tile.l0a>, memref<1024xf16, #tile.l1>
    }
  }
  return
}

// -----

// Another distance: the fifth fractal of the first one is the third of the second.
func.func @distances() {
  tile.kernel (%b) in (1) {
    ascend.section cube {
      %x = tile.alloc {ascend.address = 0 : i64} : memref<1024xf16, #tile.l1>
      %a = tile.alloc {ascend.address = 0 : i64} : memref<4096xf16, #tile.l0a>
      %two = memref.reinterpret_cast %a to offset: [0], sizes: [4, 16, 16], strides: [512, 16, 1]
        : memref<4096xf16, #tile.l0a> to memref<4x16x16xf16, strided<[512, 16, 1]>, #tile.l0a>
      %three = memref.reinterpret_cast %a to offset: [256], sizes: [4, 16, 16], strides: [768, 16, 1]
        : memref<4096xf16, #tile.l0a> to memref<4x16x16xf16, strided<[768, 16, 1], offset: 256>, #tile.l0a>
      // expected-note@+1 {{the other one is here}}
      ascend.load_data %two, %x repeat(4) stride(1)
        : memref<4x16x16xf16, strided<[512, 16, 1]>, #tile.l0a>, memref<1024xf16, #tile.l1>
      // expected-error@+1 {{nothing orders this instruction of pipe 'mte1' after one of pipe 'mte1': write after write}}
      ascend.load_data %three, %x repeat(4) stride(1)
        : memref<4x16x16xf16, strided<[768, 16, 1], offset: 256>, #tile.l0a>, memref<1024xf16, #tile.l1>
    }
  }
  return
}
