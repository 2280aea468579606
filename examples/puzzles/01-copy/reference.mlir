func.func @copy_reference(%a: memref<?xf16>, %b: memref<?xf16>) {
  memref.copy %a, %b : memref<?xf16> to memref<?xf16>
  return
}
