// Tiles for which shared memory has no room are in registers where loops of one
// layout compute with them between two copies, and where rows by a list are an
// operand of two gemms.

// REQUIRES: tile-run, amd
// RUN: tile-run %s N=100 --func=norm --target=hip --chip=gfx942 --device=model --check=cpu --no-notes '--arg=0:integers(-2,2)' | FileCheck %s
// RUN: tile-run %s N=100 --func=rows --target=hip --chip=gfx942 --device=model --check=cpu --no-notes '--arg=0:integers(-1,1)' \
// RUN:   '--arg=1:integers(-1,1)' '--arg=2:integers(-1,110)' | FileCheck %s
// CHECK: {{^}}1 passed, 0 failed{{$}}

// RUN: tile-opt %s --tile-to-gpu-pipeline=chip=gfx942 -o /dev/null --remarks-filter='tile-infer-layout' 2>&1 | FileCheck %s --check-prefix=REMARK
// REMARK-COUNT-2: [Passed] TileInRegisters | Category:tile-infer-layout | Reason="{{[0-9]+}} bytes do not fit into 65536"
// A chip with room for all keeps them.
// RUN: tile-opt %s --tile-to-gpu-pipeline=chip=sm_90a -o /dev/null --remarks-filter='tile-infer-layout' 2>&1 | FileCheck %s --check-prefix=ROOM
// ROOM-NOT: TileInRegisters

func.func @norm(%x: memref<?x512xf32> {tile.shape = "Nx512"}, %y: memref<?x512xf32> {tile.shape = "Nx512", tile.result}) {
  %zero = arith.constant 0.0 : f32
  tile.kernel (%b) in (ceildiv(dim(%x, 0), 64)) threads(256) {
    %xs = tile.alloc : memref<64x512xf32, #tile.shared>
    %squares = tile.alloc : memref<64x512xf32, #tile.fragment>
    %sums = tile.alloc : memref<64xf32, #tile.fragment>
    tile.pipelined %k = 0 to 2 stages(2) {
      tile.copy %x[%b * 64, 0], %xs : memref<?x512xf32>, memref<64x512xf32, #tile.shared>
      tile.parallel (%i, %j) in (64, 512) {
        %v = memref.load %xs[%i, %j] : memref<64x512xf32, #tile.shared>
        %s = arith.mulf %v, %v : f32
        memref.store %s, %squares[%i, %j] : memref<64x512xf32, #tile.fragment>
      }
      tile.reduce sum %squares, %sums dim(1) : memref<64x512xf32, #tile.fragment>, memref<64xf32, #tile.fragment>
      tile.parallel (%i, %j) in (64, 512) {
        %v = memref.load %xs[%i, %j] : memref<64x512xf32, #tile.shared>
        %s = memref.load %sums[%i] : memref<64xf32, #tile.fragment>
        %q = arith.divf %v, %s : f32
        %isNegative = arith.cmpf olt, %v, %zero : f32
        scf.if %isNegative {
          memref.store %q, %xs[%i, %j] : memref<64x512xf32, #tile.shared>
        }
      }
    }
    tile.copy %xs, %y[%b * 64, 0] : memref<64x512xf32, #tile.shared>, memref<?x512xf32>
  }
  return
}

func.func @rows(%q: memref<64x512xf16>, %kv: memref<?x512xf16> {tile.shape = "Nx512"}, %list: memref<128xi32>, %y: memref<64x512xf32> {tile.result}) {
  %zero = arith.constant 0.0 : f32
  tile.kernel (%b) in (1) threads(256) {
    %qs = tile.alloc : memref<64x512xf16, #tile.shared>
    %kvs = tile.alloc : memref<64x512xf16, #tile.shared>
    %ps = tile.alloc : memref<64x64xf16, #tile.shared>
    %s = tile.alloc : memref<64x64xf32, #tile.fragment>
    %o = tile.alloc : memref<64x512xf32, #tile.fragment>
    tile.fill %o, %zero : memref<64x512xf32, #tile.fragment>
    tile.copy %q, %qs : memref<64x512xf16>, memref<64x512xf16, #tile.shared>
    tile.pipelined %i = 0 to 2 stages(2) {
      tile.gather %kv[0, 0] by %list[%i * 64], %kvs : memref<?x512xf16>, memref<128xi32>, memref<64x512xf16, #tile.shared>
      tile.gemm %qs, %kvs, %s {clear, transpose_b} : memref<64x512xf16, #tile.shared>, memref<64x512xf16, #tile.shared>, memref<64x64xf32, #tile.fragment>
      tile.copy %s, %ps : memref<64x64xf32, #tile.fragment>, memref<64x64xf16, #tile.shared>
      tile.gemm %ps, %kvs, %o : memref<64x64xf16, #tile.shared>, memref<64x512xf16, #tile.shared>, memref<64x512xf32, #tile.fragment>
    }
    tile.copy %o, %y : memref<64x512xf32, #tile.fragment>, memref<64x512xf32>
  }
  return
}
