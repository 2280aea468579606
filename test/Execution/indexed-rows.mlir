// Rows by a list: entries that name none, tails, types, dimensions, lists that the kernel makes, loops that run ahead.

// REQUIRES: tile-run, nvidia, amd, ascend
// RUN: tile-run %s | FileCheck %s
// RUN: tile-run %s --target=cuda --chip=sm_80 --device=model | FileCheck %s
// RUN: tile-run %s --target=cuda --chip=sm_90a --device=model | FileCheck %s
// RUN: env TILE_SIMT_SEED=3 tile-run %s --target=cuda --chip=sm_90a --device=model | FileCheck %s
// RUN: tile-run %s --target=hip --chip=gfx942 --device=model | FileCheck %s
// RUN: tile-run %s --target=hip --chip=gfx1100 --device=model | FileCheck %s
// RUN: tile-run %s --target=ascend --chip=910B | FileCheck %s
// RUN: tile-run %s --target=ascend --chip=950 | FileCheck %s
// CHECK: {{^}}21 passed, 0 failed{{$}}

// An embedding: entries below 0 and above the table give zeros, so do those behind the end of the list.

func.func @embed(%table: memref<?x40xf16> {tile.shape = "Vx40"},
                 %tokens: memref<?xi32> {tile.shape = "N", tile.init = "integers(-3,20)"},
                 %out: memref<?x40xf16> {tile.shape = "Nx40", tile.result})
    attributes {tile.reference = @embed_reference, tile.cases = ["V=17 N=100", "V=1 N=1", "V=40 N=64", "V=17 N=0", "V=0 N=5"]} {
  tile.kernel (%b) in (ceildiv(dim(%tokens, 0), 32)) threads(128) {
    %t = tile.alloc : memref<32x40xf16, #tile.shared>
    tile.gather %table[0, 0] by %tokens[%b * 32], %t
    tile.copy %t, %out[%b * 32, 0]
  }
  return
}
func.func private @embed_reference(%table: memref<?x40xf16>, %tokens: memref<?xi32>, %out: memref<?x40xf16>) {
  %c0 = arith.constant 0 : index
  %n = memref.dim %tokens, %c0 : memref<?xi32>
  %v = memref.dim %table, %c0 : memref<?x40xf16>
  %zero = arith.constant 0.0 : f16
  affine.for %i = 0 to %n {
    %e = affine.load %tokens[%i] : memref<?xi32>
    %row = arith.index_cast %e : i32 to index
    %ok = arith.cmpi ult, %row, %v : index
    affine.for %j = 0 to 40 {
      %x = scf.if %ok -> f16 {
        %y = memref.load %table[%row, %j] : memref<?x40xf16>
        scf.yield %y : f16
      } else {
        scf.yield %zero : f16
      }
      affine.store %x, %out[%i, %j] : memref<?x40xf16>
    }
  }
  return
}

// Rows of an odd length that the tile exceeds, a list of 64 bits, a padding value.

func.func @odd(%table: memref<?x?xi32> {tile.shape = "VxK", tile.init = "integers(-9,9)"},
               %list: memref<3x?xi64> {tile.shape = "3xN", tile.init = "integers(-1,9)"},
               %out: memref<?x?xi32> {tile.shape = "NxK", tile.result})
    attributes {tile.reference = @odd_reference, tile.cases = ["V=9 K=33 N=20", "V=1 K=1 N=1", "V=12 K=64 N=33"]} {
  tile.kernel (%x, %y) in (ceildiv(dim(%out, 1), 32), ceildiv(dim(%out, 0), 16)) threads(64) {
    %none = arith.constant 77 : i32
    tile.padding_value %table, %none
    %t = tile.alloc : memref<16x32xi32, #tile.fragment>
    tile.gather %table[0, %x * 32] by %list[1, %y * 16], %t
    tile.copy %t, %out[%y * 16, %x * 32]
  }
  return
}
func.func private @odd_reference(%table: memref<?x?xi32>, %list: memref<3x?xi64>, %out: memref<?x?xi32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %v = memref.dim %table, %c0 : memref<?x?xi32>
  %k = memref.dim %table, %c1 : memref<?x?xi32>
  %n = memref.dim %out, %c0 : memref<?x?xi32>
  %none = arith.constant 77 : i32
  affine.for %i = 0 to %n {
    %e = affine.load %list[1, %i] : memref<3x?xi64>
    %row = arith.index_cast %e : i64 to index
    %ok = arith.cmpi ult, %row, %v : index
    affine.for %j = 0 to %k {
      %x = scf.if %ok -> i32 {
        %y = memref.load %table[%row, %j] : memref<?x?xi32>
        scf.yield %y : i32
      } else {
        scf.yield %none : i32
      }
      affine.store %x, %out[%i, %j] : memref<?x?xi32>
    }
  }
  return
}

// A part of a vocabulary: the offset is added to the entries that name a row, and -1 stays none.

func.func @partition(%table: memref<16x32xf32>, %tokens: memref<64xi32> {tile.init = "integers(-1,64)"},
                     %out: memref<64x32xf32> {tile.result}) attributes {tile.reference = @partition_reference} {
  tile.kernel (%b) in (2) threads(128) {
    %t = tile.alloc : memref<32x32xf32, #tile.shared>
    tile.gather %table[%b * 8 - 12, 0] by %tokens[%b * 32], %t
    tile.copy %t, %out[%b * 32, 0]
  }
  return
}
func.func private @partition_reference(%table: memref<16x32xf32>, %tokens: memref<64xi32>, %out: memref<64x32xf32>) {
  %c0 = arith.constant 0 : index
  %c16 = arith.constant 16 : index
  %zero = arith.constant 0.0 : f32
  affine.for %i = 0 to 64 {
    %e = affine.load %tokens[%i] : memref<64xi32>
    %entry = arith.index_cast %e : i32 to index
    %row = affine.apply affine_map<(e, i) -> (e + (i floordiv 32) * 8 - 12)>(%entry, %i)
    %named = arith.cmpi sge, %entry, %c0 : index
    %below = arith.cmpi ult, %row, %c16 : index
    %ok = arith.andi %named, %below : i1
    affine.for %j = 0 to 32 {
      %x = scf.if %ok -> f32 {
        %y = memref.load %table[%row, %j] : memref<16x32xf32>
        scf.yield %y : f32
      } else {
        scf.yield %zero : f32
      }
      affine.store %x, %out[%i, %j] : memref<64x32xf32>
    }
  }
  return
}

// Each head has its own rows in the second dimension.

func.func @heads(%kv: memref<3x?x64xf16> {tile.shape = "3xNx64"}, %list: memref<3x24xi32> {tile.init = "integers(-2,30)"},
                 %out: memref<3x24x64xf16> {tile.result})
    attributes {tile.reference = @heads_reference, tile.cases = ["N=25", "N=40"]} {
  tile.kernel (%h) in (3) threads(128) {
    %t = tile.alloc : memref<24x64xf16, #tile.shared>
    tile.gather %kv[%h, 0, 0] [1, 24, 64] by %list[%h, 0] dim(1), %t
    tile.copy %t, %out[%h, 0, 0] [1, 24, 64]
  }
  return
}
func.func private @heads_reference(%kv: memref<3x?x64xf16>, %list: memref<3x24xi32>, %out: memref<3x24x64xf16>) {
  %c1 = arith.constant 1 : index
  %n = memref.dim %kv, %c1 : memref<3x?x64xf16>
  %zero = arith.constant 0.0 : f16
  affine.for %h = 0 to 3 {
    affine.for %i = 0 to 24 {
      %e = affine.load %list[%h, %i] : memref<3x24xi32>
      %row = arith.index_cast %e : i32 to index
      %ok = arith.cmpi ult, %row, %n : index
      affine.for %j = 0 to 64 {
        %x = scf.if %ok -> f16 {
          %y = memref.load %kv[%h, %row, %j] : memref<3x?x64xf16>
          scf.yield %y : f16
        } else {
          scf.yield %zero : f16
        }
        affine.store %x, %out[%h, %i, %j] : memref<3x24x64xf16>
      }
    }
  }
  return
}

// The sum of listed rows: on GPUs with asynchronous copies those of later steps are under way.

func.func @bag(%table: memref<?x128xf32> {tile.shape = "Vx128", tile.init = "integers(-4,4)"},
               %list: memref<?xi32> {tile.shape = "N", tile.init = "integers(-1,50)"},
               %out: memref<128xf32> {tile.result})
    attributes {tile.reference = @bag_reference, tile.cases = ["V=50 N=100", "V=50 N=16", "V=50 N=17", "V=50 N=0", "V=1 N=3"]} {
  tile.kernel (%b) in (1) threads(128) {
    %t = tile.alloc : memref<16x128xf32, #tile.shared>
    %sum = tile.alloc : memref<128xf32, #tile.fragment>
    tile.fill %sum, 0.0
    tile.pipelined %k = 0 to ceildiv(dim(%list, 0), 16) stages(3) {
      tile.gather %table[0, 0] by %list[%k * 16], %t
      tile.reduce sum %t, %sum dim(0) {combine}
    }
    tile.copy %sum, %out
  }
  return
}
func.func private @bag_reference(%table: memref<?x128xf32>, %list: memref<?xi32>, %out: memref<128xf32>) {
  %c0 = arith.constant 0 : index
  %n = memref.dim %list, %c0 : memref<?xi32>
  %v = memref.dim %table, %c0 : memref<?x128xf32>
  %zero = arith.constant 0.0 : f32
  affine.for %j = 0 to 128 {
    %sum = affine.for %i = 0 to %n iter_args(%old = %zero) -> f32 {
      %e = affine.load %list[%i] : memref<?xi32>
      %row = arith.index_cast %e : i32 to index
      %ok = arith.cmpi ult, %row, %v : index
      %x = scf.if %ok -> f32 {
        %y = memref.load %table[%row, %j] : memref<?x128xf32>
        scf.yield %y : f32
      } else {
        scf.yield %zero : f32
      }
      %new = arith.addf %old, %x : f32
      affine.yield %new : f32
    }
    affine.store %sum, %out[%j] : memref<128xf32>
  }
  return
}

// Row j of the input goes where its entry says; others keep what they had.

func.func @scatter(%x: memref<?x24xf32> {tile.shape = "Nx24"}, %place: memref<?xi32> {tile.shape = "N", tile.init = "iota"},
                   %out: memref<?x24xf32> {tile.shape = "Mx24", tile.result, tile.init = "ones"})
    attributes {tile.reference = @scatter_reference, tile.cases = ["N=40 M=50", "N=40 M=11", "N=1 M=1", "N=0 M=2"]} {
  tile.kernel (%b) in (ceildiv(dim(%x, 0), 16)) threads(64) {
    %t = tile.alloc : memref<16x24xf32, #tile.shared>
    tile.copy %x[%b * 16, 0], %t
    tile.scatter %t, %out[-3, 0] by %place[%b * 16]
  }
  return
}
func.func private @scatter_reference(%x: memref<?x24xf32>, %place: memref<?xi32>, %out: memref<?x24xf32>) {
  %c0 = arith.constant 0 : index
  %n = memref.dim %x, %c0 : memref<?x24xf32>
  %m = memref.dim %out, %c0 : memref<?x24xf32>
  affine.for %i = 0 to %n {
    %e = affine.load %place[%i] : memref<?xi32>
    %entry = arith.index_cast %e : i32 to index
    %row = affine.apply affine_map<(e) -> (e - 3)>(%entry)
    %ok = arith.cmpi ult, %row, %m : index
    scf.if %ok {
      affine.for %j = 0 to 24 {
        %v = affine.load %x[%i, %j] : memref<?x24xf32>
        memref.store %v, %out[%row, %j] : memref<?x24xf32>
      }
    }
  }
  return
}

// Out of a fragment, by a list of which the last entries are none.

func.func @scatter_fragment(%x: memref<32x64xf16>, %place: memref<32xi32> {tile.init = "iota"},
                            %out: memref<32x64xf16> {tile.result, tile.init = "zeros"})
    attributes {tile.reference = @scatter_fragment_reference} {
  tile.kernel (%b) in (1) threads(128) {
    %t = tile.alloc : memref<32x64xf16, #tile.fragment>
    %at = tile.alloc : memref<32xi32, #tile.shared>
    tile.copy %x, %t
    tile.copy %place, %at
    tile.parallel (%i) in (32) do %at[%i] = select(%at[%i] > 20, -1, 31 - %at[%i])
    tile.scatter %t, %out[0, 0] by %at[0]
  }
  return
}
func.func private @scatter_fragment_reference(%x: memref<32x64xf16>, %place: memref<32xi32>, %out: memref<32x64xf16>) {
  affine.for %i = 0 to 32 {
    affine.if affine_set<(i) : (20 - i >= 0)>(%i) {
      affine.for %j = 0 to 64 {
        %v = affine.load %x[%i, %j] : memref<32x64xf16>
        affine.store %v, %out[31 - %i, %j] : memref<32x64xf16>
      }
    }
  }
  return
}
