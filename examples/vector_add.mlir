// Vector addition, c = a + b.
//
// Shows a minimal kernel: a grid of blocks, and a `tile.parallel` whose body is ordinary scalar code. The compiler
// distributes it over threads, and no bounds check is needed: reads past the end yield 0, writes are dropped.
//
//   tile-run examples/vector_add.mlir             all cases below
//   tile-run examples/vector_add.mlir N=12345     another size

!vector = memref<?xf32>

func.func @vector_add(
    %a: !vector {tile.shape = "N"}, %b: !vector {tile.shape = "N"}, %c: !vector {tile.shape = "N", tile.result})
    attributes {
      tile.reference = @vector_add_reference,
      tile.cases = ["N=1048576", "N=100003", "N=1024", "N=1023", "N=1025", "N=1", "N=0"],
      // One f32 addition: both sides round the exact sum once.
      tile.atol = 0.0, tile.rtol = 0.0} {
  tile.kernel (%block) in (ceildiv(dim(%a, 0), 1024)) threads(256) {
    tile.parallel (%i) in (1024) do
      %c[%block * 1024 + %i] = %a[%block * 1024 + %i] + %b[%block * 1024 + %i]
  }
  return
}

func.func @vector_add_reference(%a: !vector, %b: !vector, %c: !vector) {
  %c0 = arith.constant 0 : index
  %n = memref.dim %a, %c0 : !vector
  affine.for %i = 0 to %n {
    %x = affine.load %a[%i] : !vector
    %y = affine.load %b[%i] : !vector
    %xd = arith.extf %x : f32 to f64
    %yd = arith.extf %y : f32 to f64
    %sum = arith.addf %xd, %yd : f64
    %r = arith.truncf %sum : f64 to f32
    affine.store %r, %c[%i] : !vector
  }
  return
}
