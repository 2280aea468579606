func.func @collatz(%x: memref<?xi32> {tile.shape="N"}, %y: memref<?xi32> {tile.shape="N"}, %t: memref<1xi32>) {
  %c0 = arith.constant 0 : index
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %two = arith.constant 2 : i32
  %three = arith.constant 3 : i32
  %most = arith.constant 100 : i32
  tile.kernel (%b) in (ceildiv(dim(%x, 0), 32)) {
    tile.parallel (%i) in (32) {
      %p = affine.apply affine_map<(b, i) -> (b * 32 + i)>(%b, %i)
      %v = memref.load %x[%p] : memref<?xi32>
      %r:2 = scf.while (%n = %v, %c = %zero) : (i32, i32) -> (i32, i32) {
        %more = arith.cmpi sgt, %n, %one : i32
        scf.condition(%more) %n, %c : i32, i32
      } do {
      ^bb0(%n: i32, %c: i32):
        %rest = arith.remsi %n, %two : i32
        %even = arith.cmpi eq, %rest, %zero : i32
        %next = scf.if %even -> i32 {
          %half = arith.divsi %n, %two : i32
          scf.yield %half : i32
        } else {
          %triple = arith.muli %n, %three : i32
          %up = arith.addi %triple, %one : i32
          scf.yield %up : i32
        }
        %d = arith.addi %c, %one : i32
        scf.yield %next, %d : i32, i32
      }
      memref.store %r#1, %y[%p] : memref<?xi32>
    }
  }
  // Around tiles: doubled until they sum up to 100.
  tile.kernel (%b) in (1) {
    %a = tile.alloc : memref<8xi32, #tile.shared>
    %s = tile.alloc : memref<1xi32, #tile.shared>
    tile.fill %a, 1
    tile.fill %s, 0
    scf.while : () -> () {
      %sum = memref.load %s[%c0] : memref<1xi32, #tile.shared>
      %more = arith.cmpi slt, %sum, %most : i32
      scf.condition(%more)
    } do {
      tile.parallel (%i) in (8) do %a[%i] = %a[%i] * 2
      tile.reduce sum %a, %s dim(0)
      scf.yield
    }
    tile.copy %s, %t
  }
  return
}
