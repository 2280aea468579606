// Puzzle 7: attention in which every query, key and value is one number.

!matrix = memref<?x?xf32>

func.func @scalar_attention(
    %q: !matrix {tile.shape = "BxS"}, %k: !matrix {tile.shape = "BxS"}, %v: !matrix {tile.shape = "BxS"},
    %o: !matrix {tile.shape = "BxS", tile.result})
    attributes {tile.reference = @scalar_attention_reference, tile.atol = 1.0e-12, tile.rtol = 1.0e-5,
                tile.cases = ["B=256 S=16384", "B=33 S=1000", "B=17 S=129", "B=16 S=128", "B=3 S=127", "B=5 S=1",
                              "B=1 S=1"]} {
  tile.kernel (%block) in (ceildiv(dim(%q, 0), 16)) threads(128) {
    // your code here
  }
  return
}
