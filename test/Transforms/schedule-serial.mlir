// RUN: tile-opt %s --tile-set-target=chip=sm_90a --tile-schedule | FileCheck %s
// RUN: tile-opt %s --tile-set-target=chip=sm_90a --tile-schedule --remarks-filter='tile-schedule' -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK

// Tensor copies that cannot run ahead of the program become ordinary ones.

// CHECK-LABEL: func.func @source_is_written
// CHECK-NOT: tile.warp_specialize
// CHECK-NOT: tma
// CHECK: return
// REMARK: [Missed] TensorCopy | Category:tile-schedule | Reason="the kernel writes its source, too"
func.func @source_is_written(%a: memref<64x1024xf32>) {
  %zero = arith.constant 0.0 : f32
  tile.kernel (%b) in (1) {
    %t = tile.alloc : memref<64x128xf32, #tile.shared>
    %f = tile.alloc : memref<64x128xf32, #tile.fragment>
    tile.pipelined %k = 0 to 8 stages(2) {
      tile.copy %a[0, %k * 128], %t {instruction = #tile.transfer<tma>} : memref<64x1024xf32>, memref<64x128xf32, #tile.shared>
      tile.copy %t, %f : memref<64x128xf32, #tile.shared>, memref<64x128xf32, #tile.fragment>
      tile.copy %f, %a[0, %k * 128] : memref<64x128xf32, #tile.fragment>, memref<64x1024xf32>
    }
  }
  return
}

// CHECK-LABEL: func.func @used_behind
// CHECK-NOT: tile.warp_specialize
// CHECK-NOT: tma
// CHECK: return
// REMARK: [Missed] TensorCopy | Category:tile-schedule | Reason="its target is used outside of the block that fills it"
func.func @used_behind(%a: memref<64x1024xf32>) {
  %zero = arith.constant 0.0 : f32
  tile.kernel (%b) in (1) {
    %t = tile.alloc : memref<64x128xf32, #tile.shared>
    %f = tile.alloc : memref<64x128xf32, #tile.fragment>
    tile.pipelined %k = 0 to 8 stages(2) {
      tile.copy %a[0, %k * 128], %t {instruction = #tile.transfer<tma>} : memref<64x1024xf32>, memref<64x128xf32, #tile.shared>
    }
    tile.copy %t, %f : memref<64x128xf32, #tile.shared>, memref<64x128xf32, #tile.fragment>
  }
  return
}

// CHECK-LABEL: func.func @used_before
// CHECK-NOT: tile.warp_specialize
// CHECK-NOT: tma
// CHECK: return
// REMARK: [Missed] TensorCopy | Category:tile-schedule | Reason="its target is used before it is filled"
func.func @used_before(%a: memref<64x1024xf32>) {
  %zero = arith.constant 0.0 : f32
  tile.kernel (%b) in (1) {
    %t = tile.alloc : memref<64x128xf32, #tile.shared>
    %f = tile.alloc : memref<64x128xf32, #tile.fragment>
    tile.pipelined %k = 0 to 8 stages(2) {
      tile.copy %t, %f : memref<64x128xf32, #tile.shared>, memref<64x128xf32, #tile.fragment>
      tile.copy %a[0, %k * 128], %t {instruction = #tile.transfer<tma>} : memref<64x1024xf32>, memref<64x128xf32, #tile.shared>
    }
  }
  return
}

// CHECK-LABEL: func.func @written_twice
// CHECK-NOT: tile.warp_specialize
// CHECK-NOT: tma
// CHECK: return
// REMARK: [Missed] TensorCopy | Category:tile-schedule | Reason="'tile.fill' writes its target, too"
func.func @written_twice(%a: memref<64x1024xf32>) {
  %zero = arith.constant 0.0 : f32
  tile.kernel (%b) in (1) {
    %t = tile.alloc : memref<64x128xf32, #tile.shared>
    %f = tile.alloc : memref<64x128xf32, #tile.fragment>
    tile.pipelined %k = 0 to 8 stages(2) {
      tile.copy %a[0, %k * 128], %t {instruction = #tile.transfer<tma>} : memref<64x1024xf32>, memref<64x128xf32, #tile.shared>
      tile.fill %t, %zero : memref<64x128xf32, #tile.shared>
      tile.copy %t, %f : memref<64x128xf32, #tile.shared>, memref<64x128xf32, #tile.fragment>
    }
  }
  return
}

// CHECK-LABEL: func.func @filled_around
// CHECK-NOT: tile.warp_specialize
// CHECK-NOT: tma
// CHECK: return
// REMARK: [Missed] TensorCopy | Category:tile-schedule | Reason="its target is filled in a loop or branch and around it"
func.func @filled_around(%a: memref<64x1024xf32>) {
  %zero = arith.constant 0.0 : f32
  tile.kernel (%b) in (1) {
    %t = tile.alloc : memref<64x128xf32, #tile.shared>
    %f = tile.alloc : memref<64x128xf32, #tile.fragment>
    tile.pipelined %k = 0 to 8 stages(2) {
      tile.copy %a[0, %k * 128], %t {instruction = #tile.transfer<tma>} : memref<64x1024xf32>, memref<64x128xf32, #tile.shared>
      tile.pipelined %l = 0 to 8 stages(2) {
        tile.copy %a[0, %l * 128], %t {instruction = #tile.transfer<tma>} : memref<64x1024xf32>, memref<64x128xf32, #tile.shared>
        tile.copy %t, %f : memref<64x128xf32, #tile.shared>, memref<64x128xf32, #tile.fragment>
      }
    }
  }
  return
}

// CHECK-LABEL: func.func @nobody_reads
// CHECK-NOT: tile.warp_specialize
// CHECK-NOT: tma
// CHECK: return
// REMARK: [Missed] TensorCopy | Category:tile-schedule | Reason="nothing reads its target"
func.func @nobody_reads(%a: memref<64x1024xf32>) {
  %zero = arith.constant 0.0 : f32
  tile.kernel (%b) in (1) {
    %t = tile.alloc : memref<64x128xf32, #tile.shared>
    %f = tile.alloc : memref<64x128xf32, #tile.fragment>
    tile.pipelined %k = 0 to 8 stages(2) {
      tile.copy %a[0, %k * 128], %t {instruction = #tile.transfer<tma>} : memref<64x1024xf32>, memref<64x128xf32, #tile.shared>
    }
  }
  return
}

// CHECK-LABEL: func.func @data_dependent
// CHECK-NOT: tile.warp_specialize
// CHECK-NOT: tma
// CHECK: return
// REMARK: [Missed] TensorCopy | Category:tile-schedule | Reason="its offsets depend on what the consumer computes"
func.func @data_dependent(%a: memref<64x1024xf32>) {
  %zero = arith.constant 0.0 : f32
  tile.kernel (%b) in (1) {
    %t = tile.alloc : memref<64x128xf32, #tile.shared>
    %f = tile.alloc : memref<64x128xf32, #tile.fragment>
    %m = tile.alloc : memref<4xi32, #tile.shared>
    tile.pipelined %k = 0 to 8 stages(2) {
      %c0 = arith.constant 0 : index
      %v = memref.load %m[%c0] : memref<4xi32, #tile.shared>
      %i = arith.index_cast %v : i32 to index
      tile.copy %a[0, %i * 128], %t {instruction = #tile.transfer<tma>} : memref<64x1024xf32>, memref<64x128xf32, #tile.shared>
      tile.copy %t, %f : memref<64x128xf32, #tile.shared>, memref<64x128xf32, #tile.fragment>
    }
  }
  return
}

// CHECK-LABEL: func.func @data_dependent_branch
// CHECK-NOT: tile.warp_specialize
// CHECK-NOT: tma
// CHECK: return
// REMARK: [Missed] TensorCopy | Category:tile-schedule | Reason="the trips of 'scf.if' around it depend on what the consumer computes"
func.func @data_dependent_branch(%a: memref<64x1024xf32>) {
  %zero = arith.constant 0.0 : f32
  tile.kernel (%b) in (1) {
    %t = tile.alloc : memref<64x128xf32, #tile.shared>
    %f = tile.alloc : memref<64x128xf32, #tile.fragment>
    %m = tile.alloc : memref<4xi32, #tile.shared>
    tile.pipelined %k = 0 to 8 stages(2) {
      %any = tile.any_of %m : memref<4xi32, #tile.shared>
      scf.if %any {
        tile.copy %a[0, %k * 128], %t {instruction = #tile.transfer<tma>} : memref<64x1024xf32>, memref<64x128xf32, #tile.shared>
        tile.copy %t, %f : memref<64x128xf32, #tile.shared>, memref<64x128xf32, #tile.fragment>
      }
    }
  }
  return
}

// CHECK-LABEL: func.func @in_while
// CHECK-NOT: tile.warp_specialize
// CHECK-NOT: tma
// CHECK: return
// REMARK: [Missed] TensorCopy | Category:tile-schedule | Reason="it is in 'scf.while'"
func.func @in_while(%a: memref<64x1024xf32>) {
  %zero = arith.constant 0.0 : f32
  tile.kernel (%b) in (1) {
    %t = tile.alloc : memref<64x128xf32, #tile.shared>
    %f = tile.alloc : memref<64x128xf32, #tile.fragment>
    %c0 = arith.constant 0 : index
    %c1 = arith.constant 1 : index
    %c8 = arith.constant 8 : index
    %end = scf.while (%x = %c0) : (index) -> index {
      %go = arith.cmpi slt, %x, %c8 : index
      scf.condition(%go) %x : index
    } do {
    ^bb0(%k: index):
      tile.copy %a[0, 0], %t {instruction = #tile.transfer<tma>} : memref<64x1024xf32>, memref<64x128xf32, #tile.shared>
      tile.copy %t, %f : memref<64x128xf32, #tile.shared>, memref<64x128xf32, #tile.fragment>
      %next = arith.addi %k, %c1 : index
      scf.yield %next : index
    }
  }
  return
}

// CHECK-LABEL: func.func @through_bits
// CHECK-NOT: tile.warp_specialize
// CHECK-NOT: tma
// CHECK: return
// REMARK: [Missed] TensorCopy | Category:tile-schedule | Reason="its target is a view"
func.func @through_bits(%a: memref<64x1024xi32>) {
  tile.kernel (%b) in (1) {
    %t = tile.alloc : memref<64x128xf32, #tile.shared>
    %f = tile.alloc : memref<64x128xf32, #tile.fragment>
    %w = tile.view %t : memref<64x128xf32, #tile.shared> to memref<64x128xi32, #tile.shared>
    tile.pipelined %k = 0 to 8 stages(2) {
      tile.copy %a[0, %k * 128], %w {instruction = #tile.transfer<tma>} : memref<64x1024xi32>, memref<64x128xi32, #tile.shared>
      tile.copy %t, %f : memref<64x128xf32, #tile.shared>, memref<64x128xf32, #tile.fragment>
    }
  }
  return
}

// CHECK-LABEL: func.func @not_pipelined
// CHECK-NOT: tile.warp_specialize
// CHECK-NOT: tma
// CHECK: return
// REMARK: [Missed] TensorCopy | Category:tile-schedule | Reason="no pipelined loop hides it"
func.func @not_pipelined(%a: memref<64x1024xf32>) {
  %zero = arith.constant 0.0 : f32
  tile.kernel (%b) in (1) {
    %t = tile.alloc : memref<64x128xf32, #tile.shared>
    %f = tile.alloc : memref<64x128xf32, #tile.fragment>
    tile.pipelined %k = 0 to 8 {
      tile.copy %a[0, %k * 128], %t {instruction = #tile.transfer<tma>} : memref<64x1024xf32>, memref<64x128xf32, #tile.shared>
      tile.copy %t, %f : memref<64x128xf32, #tile.shared>, memref<64x128xf32, #tile.fragment>
    }
  }
  return
}

// CHECK-LABEL: func.func @no_room
// CHECK-NOT: tile.warp_specialize
// CHECK-NOT: tma
// CHECK: return
// REMARK: [Missed] TensorCopy | Category:tile-schedule | Reason="1024 threads leave no room for a producer"
func.func @no_room(%a: memref<64x1024xf32>) {
  %zero = arith.constant 0.0 : f32
  tile.kernel (%b) in (1) threads(1024) {
    %t = tile.alloc : memref<64x128xf32, #tile.shared>
    %f = tile.alloc : memref<64x128xf32, #tile.fragment>
    tile.pipelined %k = 0 to 8 stages(2) {
      tile.copy %a[0, %k * 128], %t {instruction = #tile.transfer<tma>} : memref<64x1024xf32>, memref<64x128xf32, #tile.shared>
      tile.copy %t, %f : memref<64x128xf32, #tile.shared>, memref<64x128xf32, #tile.fragment>
    }
  }
  return
}

// CHECK-LABEL: func.func @serial
// CHECK: tile.pipelined %{{.*}} = 0 to 8 stages(2) {
// REMARK: [Missed] Pipeline | Category:tile-schedule | Reason="it has no asynchronous copy to shared memory"
func.func @serial(%a: memref<64x1024xf32>) {
  tile.kernel (%b) in (1) {
    %t = tile.alloc : memref<64x128xf32, #tile.shared>
    %f = tile.alloc : memref<64x128xf32, #tile.fragment>
    tile.pipelined %k = 0 to 8 stages(2) {
      tile.copy %a[0, %k * 128], %t : memref<64x1024xf32>, memref<64x128xf32, #tile.shared>
      tile.copy %t, %f : memref<64x128xf32, #tile.shared>, memref<64x128xf32, #tile.fragment>
    }
  }
  return
}

// Partitions by hand stay.
// CHECK-LABEL: func.func @by_hand
// CHECK-COUNT-1: tile.warp_specialize
// CHECK-NOT: tile.warp_specialize
func.func @by_hand() {
  tile.kernel (%b) in (1) {
    tile.warp_specialize producer {
    } consumer {
    }
  }
  return
}
