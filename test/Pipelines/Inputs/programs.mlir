// Programs that every pipeline refuses, with the same message at the same place.

func.func @row_below(%a: memref<64x64xf32>, %o: memref<64x64xf32>) {
  tile.kernel (%b) in (1) {
    %x = tile.alloc : memref<64x64xf32, #tile.shared>
    tile.copy %a, %x : memref<64x64xf32>, memref<64x64xf32, #tile.shared>
    tile.parallel (%i, %j) in (64, 64) {
      %c1 = arith.constant 1 : index
      %ii = arith.addi %i, %c1 : index
      // expected-error @below {{'memref.load' op index 64 exceeds dimension 0 of the buffer (64)}}
      %v = memref.load %x[%ii, %j] : memref<64x64xf32, #tile.shared>
      memref.store %v, %o[%i, %j] : memref<64x64xf32>
    }
  }
  return
}

// -----

func.func @two_blocks(%a: memref<64xf32>, %o: memref<64xf32>) {
  // expected-note @below {{blocks run in any order; let the offsets depend on the block, let one block write, or combine the values with 'tile.atomic'}}
  tile.kernel (%b) in (4) {
    %x = tile.alloc : memref<64xf32, #tile.shared>
    tile.copy %a, %x : memref<64xf32>, memref<64xf32, #tile.shared>
    // expected-error @below {{'tile.copy' op two blocks write the same element of the buffer: blocks (0) and (1) both touch [0]}}
    tile.copy %x, %o : memref<64xf32, #tile.shared>, memref<64xf32>
  }
  return
}

// -----

func.func @reverse_in_place(%a: memref<64xf32>, %o: memref<64xf32>) {
  tile.kernel (%b) in (1) {
    %x = tile.alloc : memref<64xf32, #tile.shared>
    tile.copy %a, %x : memref<64xf32>, memref<64xf32, #tile.shared>
    // expected-note @below {{iterations run in any order; combine their values with 'tile.atomic', or with 'tile.reduce' after the loop}}
    tile.parallel (%i) in (64) {
      %c63 = arith.constant 63 : index
      %j = arith.subi %c63, %i : index
      // expected-note @below {{the other access is here}}
      %v = memref.load %x[%j] : memref<64xf32, #tile.shared>
      // expected-error @below {{'memref.store' op one iteration writes what another one reads: iterations (0) and (63) both touch [0]}}
      memref.store %v, %x[%i] : memref<64xf32, #tile.shared>
    }
    tile.copy %x, %o : memref<64xf32, #tile.shared>, memref<64xf32>
  }
  return
}

// -----

func.func @shift_in_place(%a: memref<64xf32>, %o: memref<64xf32>) {
  tile.kernel (%b) in (1) {
    %x = tile.alloc : memref<64xf32, #tile.shared>
    // expected-note @below {{iterations run in any order; combine their values with 'tile.atomic', or with 'tile.reduce' after the loop}}
    tile.parallel (%i) in (63) {
      %p = affine.apply affine_map<(i) -> (i + 1)>(%i)
      // expected-note @below {{the other access is here}}
      %v = memref.load %x[%p] : memref<64xf32, #tile.shared>
      // expected-error @below {{'memref.store' op one iteration writes what another one reads: iterations (1) and (0) both touch [1]}}
      memref.store %v, %x[%i] : memref<64xf32, #tile.shared>
    }
  }
  return
}

// -----

func.func @transpose_in_place(%a: memref<64xf32>, %o: memref<64xf32>) {
  tile.kernel (%b) in (1) {
    %x = tile.alloc : memref<64x64xf32, #tile.shared>
    // expected-note @below {{iterations run in any order; combine their values with 'tile.atomic', or with 'tile.reduce' after the loop}}
    tile.parallel (%i, %j) in (64, 64) {
      // expected-note @below {{the other access is here}}
      %v = memref.load %x[%i, %j] : memref<64x64xf32, #tile.shared>
      // expected-error @below {{'memref.store' op one iteration writes what another one reads: iterations (0, 1) and (1, 0) both touch [1, 0]}}
      memref.store %v, %x[%j, %i] : memref<64x64xf32, #tile.shared>
    }
  }
  return
}

// -----

func.func @sum_of_all(%a: memref<64xf32>, %o: memref<64xf32>) {
  tile.kernel (%b) in (1) {
    %x = tile.alloc : memref<64xf32, #tile.shared>
    %s = tile.alloc : memref<1xf32, #tile.shared>
    %c0 = arith.constant 0 : index
    // expected-note @below {{iterations run in any order; combine their values with 'tile.atomic', or with 'tile.reduce' after the loop}}
    tile.parallel (%i) in (64) {
      %v = memref.load %x[%i] : memref<64xf32, #tile.shared>
      // expected-note @below {{the other access is here}}
      %s0 = memref.load %s[%c0] : memref<1xf32, #tile.shared>
      %s1 = arith.addf %s0, %v : f32
      // expected-error @below {{'memref.store' op one iteration writes what another one reads: iterations (0) and (1) both touch [0]}}
      memref.store %s1, %s[%c0] : memref<1xf32, #tile.shared>
    }
  }
  return
}

// -----

func.func @pairs(%a: memref<64xf32>, %o: memref<64xf32>) {
  tile.kernel (%b) in (1) {
    %x = tile.alloc : memref<64xf32, #tile.shared>
    // expected-note @below {{iterations run in any order; combine their values with 'tile.atomic', or with 'tile.reduce' after the loop}}
    tile.parallel (%i) in (64) {
      %p = affine.apply affine_map<(i) -> (i floordiv 2)>(%i)
      %v = memref.load %a[%i] : memref<64xf32>
      // expected-error @below {{'memref.store' op two iterations write the same element of the buffer: iterations (0) and (1) both touch [0]}}
      memref.store %v, %x[%p] : memref<64xf32, #tile.shared>
    }
  }
  return
}

// -----

func.func @wrapped(%a: memref<64xf32>, %o: memref<64xf32>) {
  tile.kernel (%b) in (1) {
    %x = tile.alloc : memref<64xf32, #tile.shared>
    // expected-note @below {{iterations run in any order; combine their values with 'tile.atomic', or with 'tile.reduce' after the loop}}
    tile.parallel (%i) in (64) {
      %p = affine.apply affine_map<(i) -> (i mod 8)>(%i)
      %v = memref.load %a[%i] : memref<64xf32>
      // expected-error @below {{'memref.store' op two iterations write the same element of the buffer: iterations (0) and (8) both touch [0]}}
      memref.store %v, %x[%p] : memref<64xf32, #tile.shared>
    }
  }
  return
}

// -----

func.func @all_write_one(%a: memref<64xf32>, %o: memref<64xf32>) {
  tile.kernel (%b) in (1) {
    %x = tile.alloc : memref<64xf32, #tile.shared>
    %c0 = arith.constant 0 : index
    // expected-note @below {{iterations run in any order; combine their values with 'tile.atomic', or with 'tile.reduce' after the loop}}
    tile.parallel (%i) in (64) {
      %v = memref.load %a[%i] : memref<64xf32>
      // expected-error @below {{'memref.store' op two iterations write the same element of the buffer: iterations (0) and (1) both touch [0]}}
      memref.store %v, %x[%c0] : memref<64xf32, #tile.shared>
    }
  }
  return
}

// -----

func.func @columns_write_rows(%a: memref<64xf32>, %o: memref<64xf32>) {
  tile.kernel (%b) in (1) {
    %x = tile.alloc : memref<64xf32, #tile.shared>
    // expected-note @below {{iterations run in any order; combine their values with 'tile.atomic', or with 'tile.reduce' after the loop}}
    tile.parallel (%i, %j) in (64, 8) {
      %v = memref.load %a[%i] : memref<64xf32>
      // expected-error @below {{'memref.store' op two iterations write the same element of the buffer: iterations (0, 0) and (0, 1) both touch [0]}}
      memref.store %v, %x[%i] : memref<64xf32, #tile.shared>
    }
  }
  return
}

// -----

func.func @rows_write_columns(%a: memref<64xf32>, %o: memref<64xf32>) {
  tile.kernel (%b) in (1) {
    %x = tile.alloc : memref<64xf32, #tile.shared>
    // expected-note @below {{iterations run in any order; combine their values with 'tile.atomic', or with 'tile.reduce' after the loop}}
    tile.parallel (%i, %j) in (8, 64) {
      %v = memref.load %a[%j] : memref<64xf32>
      // expected-error @below {{'memref.store' op two iterations write the same element of the buffer: iterations (0, 0) and (1, 0) both touch [0]}}
      memref.store %v, %x[%j] : memref<64xf32, #tile.shared>
    }
  }
  return
}

// -----

func.func @overlapping_windows(%a: memref<64xf32>, %o: memref<64xf32>) {
  tile.kernel (%b) in (1) {
    %x = tile.alloc : memref<64xf32, #tile.shared>
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c4 = arith.constant 4 : index
    // expected-note @below {{iterations run in any order; combine their values with 'tile.atomic', or with 'tile.reduce' after the loop}}
    tile.parallel (%i) in (16) {
      scf.for %k = %c0 to %c4 step %c1 {
        %p = affine.apply affine_map<(i, k) -> (i * 3 + k)>(%i, %k)
        %v = memref.load %a[%p] : memref<64xf32>
        // expected-error @below {{'memref.store' op two iterations write the same element of the buffer: iterations (0) and (1) both touch [3]}}
        memref.store %v, %x[%p] : memref<64xf32, #tile.shared>
      }
    }
  }
  return
}

// -----

func.func @global_element(%a: memref<64xf32>, %o: memref<64xf32>) {
  tile.kernel (%b) in (1) {
    // expected-note @below {{iterations run in any order; combine their values with 'tile.atomic', or with 'tile.reduce' after the loop}}
    tile.parallel (%i) in (64) {
      %c3 = arith.constant 3 : index
      %v = memref.load %a[%i] : memref<64xf32>
      // expected-error @below {{'memref.store' op two iterations write the same element of the buffer: iterations (0) and (1) both touch [3]}}
      memref.store %v, %o[%c3] : memref<64xf32>
    }
  }
  return
}

// -----

func.func @blocks_overlap(%a: memref<64xf32>, %o: memref<64xf32>) {
  // expected-note @below {{blocks run in any order; let the offsets depend on the block, let one block write, or combine the values with 'tile.atomic'}}
  tile.kernel (%b) in (2) {
    %x = tile.alloc : memref<64xf32, #tile.shared>
    // expected-error @below {{'tile.copy' op two blocks write the same element of the buffer: blocks (0) and (1) both touch [32]}}
    tile.copy %x, %o[%b * 32] : memref<64xf32, #tile.shared>, memref<64xf32>
  }
  return
}

// -----

func.func @blocks_share_rows(%a: memref<64xf32>, %o: memref<64xf32>) {
  // expected-note @below {{blocks run in any order; let the offsets depend on the block, let one block write, or combine the values with 'tile.atomic'}}
  tile.kernel (%b) in (8) {
    %x = tile.alloc : memref<64xf32, #tile.shared>
    tile.parallel (%i) in (64) {
      %v = memref.load %x[%i] : memref<64xf32, #tile.shared>
      // expected-error @below {{'memref.store' op two blocks write the same element of the buffer: blocks (0) and (1) both touch [0]}}
      memref.store %v, %o[%i] : memref<64xf32>
    }
  }
  return
}

// -----

func.func @blocks_of_one_row(%a: memref<64xf32>, %o: memref<256xf32>) {
  // expected-note @below {{blocks run in any order; let the offsets depend on the block, let one block write, or combine the values with 'tile.atomic'}}
  tile.kernel (%b, %c) in (4, 4) {
    %x = tile.alloc : memref<64xf32, #tile.shared>
    // expected-error @below {{'tile.copy' op two blocks write the same element of the buffer: blocks (0, 0) and (0, 1) both touch [0]}}
    tile.copy %x, %o[%b * 64] : memref<64xf32, #tile.shared>, memref<256xf32>
  }
  return
}

// -----

func.func @before_the_tile(%a: memref<64xf32>, %o: memref<64xf32>) {
  tile.kernel (%b) in (1) {
    %x = tile.alloc : memref<64xf32, #tile.shared>
    tile.parallel (%i) in (64) {
      %p = affine.apply affine_map<(i) -> (i - 1)>(%i)
      // expected-error @below {{'memref.load' op index -1 falls below dimension 0 of the buffer (64)}}
      %v = memref.load %x[%p] : memref<64xf32, #tile.shared>
      memref.store %v, %o[%i] : memref<64xf32>
    }
  }
  return
}

// -----

func.func @store_past_the_tile(%a: memref<64xf32>, %o: memref<64xf32>) {
  tile.kernel (%b) in (1) {
    %x = tile.alloc : memref<64xf32, #tile.shared>
    tile.parallel (%i) in (65) {
      %v = memref.load %a[%i] : memref<64xf32>
      // expected-error @below {{'memref.store' op index 64 exceeds dimension 0 of the buffer (64)}}
      memref.store %v, %x[%i] : memref<64xf32, #tile.shared>
    }
  }
  return
}

// -----

func.func @region_in_a_loop(%a: memref<64xf32>, %o: memref<64xf32>) {
  tile.kernel (%b) in (1) {
    %x = tile.alloc : memref<64xf32, #tile.shared>
    %y = tile.alloc : memref<16xf32, #tile.shared>
    tile.pipelined %k = 0 to 5 stages(1) {
      // expected-error @below {{'tile.copy' op region of size 16 at offset 64 exceeds dimension 0 of the buffer (64)}}
      tile.copy %x[%k * 16], %y : memref<64xf32, #tile.shared>, memref<16xf32, #tile.shared>
    }
  }
  return
}

// -----

func.func @columns_past_the_tile(%a: memref<64xf32>, %o: memref<64x64xf32>) {
  tile.kernel (%b) in (1) {
    %x = tile.alloc : memref<64x64xf32, #tile.shared>
    tile.parallel (%i, %j) in (64, 64) {
      %p = affine.apply affine_map<(j) -> (j * 2)>(%j)
      // expected-error @below {{'memref.load' op index 64 exceeds dimension 1 of the buffer (64)}}
      %v = memref.load %x[%i, %p] : memref<64x64xf32, #tile.shared>
      memref.store %v, %o[%i, %j] : memref<64x64xf32>
    }
  }
  return
}

// -----

func.func @allocated_elsewhere(%a: memref<64xf32>, %o: memref<64xf32>) {
  tile.kernel (%b) in (1) {
    // expected-error @below {{'memref.alloc' op cannot allocate a buffer in 'shared' memory; use 'tile.alloc'}}
    %x = memref.alloc() : memref<64xf32, #tile.shared>
    tile.copy %a, %x : memref<64xf32>, memref<64xf32, #tile.shared>
  }
  return
}

// -----

func.func @local_of_iteration(%a: memref<64xf32>, %o: memref<64xf32>) {
  tile.kernel (%b) in (1) {
    %x = tile.alloc : memref<64xf32, #tile.local>
    // expected-note @below {{the iterations are of this loop}}
    tile.parallel (%i) in (64) {
      %v = memref.load %a[%i] : memref<64xf32>
      // expected-error @below {{'memref.store' op indexes a buffer in 'local' memory by iteration variable 0, but each iteration has a buffer of its own; use a constant index, an inner 'scf.for', or a buffer in 'fragment' memory}}
      memref.store %v, %x[%i] : memref<64xf32, #tile.local>
    }
  }
  return
}

// -----

func.func @barrier_of_some(%f: f32) {
  tile.kernel (%b) in (1) {
    %x = tile.alloc : memref<64xf32, #tile.shared>
    // expected-note @below {{this value may differ between threads}}
    %t = gpu.thread_id x
    %c0 = arith.constant 0 : index
    %first = arith.cmpi eq, %t, %c0 : index
    // expected-note @below {{the control flow is here}}
    scf.if %first {
      // expected-error @below {{'tile.fill' op must be reached by all threads of the block, but the condition of 'scf.if' may differ between threads}}
      tile.fill %x, %f : memref<64xf32, #tile.shared>
    }
  }
  return
}

// -----

func.func @guarded_store(%a: memref<64xf32>, %o: memref<64xf32>) {
  tile.kernel (%b) in (1) {
    %x = tile.alloc : memref<64xf32, #tile.shared>
    %c32 = arith.constant 32 : index
    tile.parallel (%i) in (64) {
      %less = arith.cmpi slt, %i, %c32 : index
      scf.if %less {
        %p = affine.apply affine_map<(i) -> (i + 64)>(%i)
        %v = memref.load %a[%i] : memref<64xf32>
        // expected-error @below {{'memref.store' op index 64 exceeds dimension 0 of the buffer (64)}}
        memref.store %v, %x[%p] : memref<64xf32, #tile.shared>
      }
    }
  }
  return
}

// -----

func.func @vectors_of_two_dimensions(%x: memref<?x?xf32>, %y: memref<64xf32>) {
  tile.kernel (%b) in (1) {
    tile.parallel (%i) in (64) {
      // expected-error @below {{a vector of 2 dimensions may leave the bounds of the global buffer; access it in vectors of 1 dimension}}
      %v = vector.load %x[%i, %i] : memref<?x?xf32>, vector<2x4xf32>
    }
  }
  return
}

// -----

func.func @complex(%x: memref<?xcomplex<f32>>) {
  tile.kernel (%b) in (1) {
    tile.parallel (%i) in (64) {
      // expected-error @below {{no safe value for elements of 'complex<f32>'; give one with 'tile.safe_value'}}
      %v = memref.load %x[%i] : memref<?xcomplex<f32>>
    }
  }
  return
}
