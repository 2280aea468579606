// Lists whose length is in memory. Whether an access leaves the list for every length was decided by eliminating all variables,
// which took 4 s for @histogram; one legal length for which it does not is enough.
//
// RUN: tile-opt-plain %s --tile-verify-semantics --verify-diagnostics -o /dev/null

func.func @list(%lengths: memref<?xi32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %zero = arith.constant 0 : i32
  tile.kernel (%b) in (8) {
    %list = tile.alloc : memref<2x4096xi32, #tile.shared>
    tile.fill %list, %zero : memref<2x4096xi32, #tile.shared>
    %length = memref.load %lengths[%b] : memref<?xi32>
    scf.for %round = %c0 to %c4 step %c1 {
      %half = affine.apply affine_map<(d0) -> (d0 mod 2)>(%round)
      tile.parallel (%tx) in (1024) {
        %n = arith.index_cast %length : i32 to index
        %trips = affine.apply affine_map<(d0) -> ((d0 + 1023) floordiv 1024)>(%n)
        scf.for %s = %c0 to %trips step %c1 {
          %i = affine.apply affine_map<(d0, d1) -> (d0 * 1024 + d1)>(%s, %tx)
          %inside = arith.cmpi slt, %i, %n : index
          scf.if %inside {
            %v = memref.load %list[%half, %i] : memref<2x4096xi32, #tile.shared>
            memref.store %v, %list[%half, %i] : memref<2x4096xi32, #tile.shared>
          }
        }
      }
    }
  }
  return
}

func.func @histogram(%x: memref<?x?xi16>, %starts: memref<?xi32>, %ends: memref<?xi32>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %c8 = arith.constant 8 : i16
  %rows = memref.dim %x, %c0 : memref<?x?xi16>
  %n = memref.dim %x, %c1 : memref<?x?xi16>
  tile.kernel (%b) in (%rows) {
    %histogram = tile.alloc : memref<257xi32, #tile.shared>
    tile.fill %histogram, %zero : memref<257xi32, #tile.shared>
    %start = memref.load %starts[%b] : memref<?xi32>
    %end = memref.load %ends[%b] : memref<?xi32>
    tile.parallel (%tx) in (1024) {
      %trips = affine.apply affine_map<()[s0] -> ((s0 + 4095) floordiv 4096)>()[%n]
      scf.for %s = %c0 to %trips step %c1 {
        scf.for %j = %c0 to %c4 step %c1 {
          %i = affine.apply affine_map<(d0, d1, d2) -> (d0 * 4096 + d1 * 4 + d2)>(%s, %tx, %j)
          %e = arith.index_cast %end : i32 to index
          %before = arith.cmpi slt, %i, %e : index
          %f = arith.index_cast %start : i32 to index
          %behind = arith.cmpi sge, %i, %f : index
          %valid = arith.cmpi slt, %i, %n : index
          %some = arith.andi %behind, %valid : i1
          %all = arith.andi %before, %some : i1
          scf.if %all {
            %v = memref.load %x[%b, %i] : memref<?x?xi16>
            %high = arith.shrui %v, %c8 : i16
            %bin = arith.index_castui %high : i16 to index
            tile.atomic add %one, %histogram[%bin] : i32, memref<257xi32, #tile.shared>
          }
        }
      }
    }
  }
  return
}

// Where the assumptions leave only lengths that lead out of it, it is still an error.
func.func @too_long(%n: index) {
  %zero = arith.constant 0 : i32
  %c4097 = arith.constant 4097 : index
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %long = arith.cmpi sge, %n, %c4097 : index
  tile.assume %long
  tile.kernel (%b) in (8) {
    %list = tile.alloc : memref<4096xi32, #tile.shared>
    scf.for %i = %c0 to %n step %c1 {
      // expected-error @+1 {{exceeds dimension 0 of the buffer (4096)}}
      memref.store %zero, %list[%i] : memref<4096xi32, #tile.shared>
    }
  }
  return
}
