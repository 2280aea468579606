# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Writes forward attention with its references: heads that share keys, causal masks, sequences of different lengths.

The layout is tokens x heads x D, with sequences one after another: sequence b has lengths[b] tokens. Queries and keys
of a sequence are equally many.
"""
import math

# Element type, D, query heads of each key head, causal, threads, and rows of a tile of queries and of keys.
KERNELS = [
    ("f16", 64, 1, False, 128, 64, 64), ("f16", 64, 4, True, 128, 64, 64), ("bf16", 64, 2, False, 256, 128, 64),
    ("f16", 128, 1, True, 128, 64, 64), ("bf16", 128, 8, False, 128, 64, 32), ("f16", 128, 2, True, 256, 128, 64),
    ("f16", 256, 1, False, 128, 64, 32), ("bf16", 256, 2, True, 256, 64, 32), ("f16", 40, 1, True, 128, 64, 64),
]
# H counts key heads, T is at least B times the longest sequence.
CASES = ["B=3 H=2 T=600", "B=1 H=1 T=200"]


def attention(element, d, group, causal, threads, rows, keys):
    name = f"attention_{element}_d{d}_g{group}{'_causal' * causal}_t{threads}"
    scale = 1.0 / math.sqrt(d)
    heads, kv = f"memref<?x?x{d}x{element}>", f"memref<?x?x{d}x{element}>"
    q_tile, kv_tile = f"memref<{rows}x{d}x{element}, #tile.shared>", f"memref<{keys}x{d}x{element}, #tile.shared>"
    scores, weights = (f"memref<{rows}x{keys}x{e}, #tile.fragment>" for e in ("f32", element))
    out, column = f"memref<{rows}x{d}xf32, #tile.fragment>", f"memref<{rows}xf32, #tile.fragment>"
    end = f"""%below = affine.apply affine_map<(x) -> (x * {rows} + {rows})>(%x)
      %visited = arith.minsi %below, %length : index""" if causal else \
        "%visited = arith.addi %length, %c0 : index"
    visible = f"""%query = affine.apply affine_map<(x, i) -> (x * {rows} + i)>(%x, %i)
          %past = arith.cmpi sle, %key, %query : index
          %here = arith.cmpi slt, %key, %length : index
          %visible = arith.andi %past, %here : i1""" if causal else \
        "%visible = arith.cmpi slt, %key, %length : index"
    last = "%last = arith.addi %i, %c1 : index" if causal else "%last = arith.addi %length, %c0 : index"
    # 2^-8 of bf16 and 2^-11 of f16 are lost of the weights, and of the result.
    atol, rtol = (4.0e-3, 1.5625e-2) if element == "bf16" else (5.0e-4, 1.953125e-3)
    start = """scf.for %h = %c0 to %b step %c1 iter_args(%tokens = %c0) -> index {
      %one = memref.load %lengths[%h] : memref<?xi32>
      %more = arith.index_cast %one : i32 to index
      %next = arith.addi %tokens, %more : index
      scf.yield %next : index
    }"""
    return f"""
func.func @{name}(
    %lengths: memref<?xi32> {{tile.shape = "B", tile.init = "integers(0,200)"}},
    %q: {heads} {{tile.shape = "TxGx{d}"}}, %k: {kv} {{tile.shape = "TxHx{d}"}}, %v: {kv} {{tile.shape = "TxHx{d}"}},
    %o: {heads} {{tile.shape = "TxGx{d}", tile.init = "zeros", tile.result}})
    attributes {{tile.reference = @{name}_reference, tile.atol = {atol}, tile.rtol = {rtol},
                tile.cases = [{", ".join(f'"{c} G={int(c.split()[1][2:]) * group}"' for c in CASES)}]}} {{
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %zero = arith.constant 0.0 : f32
  %lowest = arith.constant 0xFF800000 : f32
  %scale = arith.constant {scale * math.log2(math.e):.9f} : f32
  %batches = memref.dim %lengths, %c0 : memref<?xi32>
  %count = memref.dim %q, %c1 : {heads}
  // No sequence is longer than 200.
  %blocks = arith.constant {(200 + rows - 1) // rows} : index
  tile.kernel (%x, %g, %b) in (%blocks, %count, %batches) threads({threads}) {{
    %qs = tile.alloc : {q_tile}
    %ks = tile.alloc : {kv_tile}
    %vs = tile.alloc : {kv_tile}
    %s = tile.alloc : {scores}
    %p = tile.alloc : {weights}
    %acc = tile.alloc : {out}
    %max = tile.alloc : {column}
    %sum = tile.alloc : {column}
    %fade = tile.alloc : {column}
    %first = {start}
    %size = memref.load %lengths[%b] : memref<?xi32>
    %length = arith.index_cast %size : i32 to index
    %begin = affine.apply affine_map<(x) -> (x * {rows})>(%x)
    %some = arith.cmpi slt, %begin, %length : index
    scf.if %some {{
      %head = affine.apply affine_map<(g) -> (g floordiv {group})>(%g)
      tile.fill %acc, %zero : {out}
      tile.fill %sum, %zero : {column}
      tile.fill %max, %lowest : {column}
      tile.copy %q[%first + %x * {rows}, %g, 0] [{rows}, 1, {d}], %qs : {heads}, {q_tile}
      {end}
      %steps = affine.apply affine_map<(n) -> (n ceildiv {keys})>(%visited)
      tile.pipelined %t = 0 to %steps stages(2) {{
        tile.copy %k[%first + %t * {keys}, %head, 0] [{keys}, 1, {d}], %ks : {kv}, {kv_tile}
        tile.copy %v[%first + %t * {keys}, %head, 0] [{keys}, 1, {d}], %vs : {kv}, {kv_tile}
        tile.gemm %qs, %ks, %s {{clear, transpose_b}} : {q_tile}, {kv_tile}, {scores}
        tile.parallel (%i, %j) in ({rows}, {keys}) {{
          %key = affine.apply affine_map<(t, j) -> (t * {keys} + j)>(%t, %j)
          {visible}
          %score = memref.load %s[%i, %j] : {scores}
          %scaled = arith.mulf %score, %scale : f32
          %masked = arith.select %visible, %scaled, %lowest : f32
          memref.store %masked, %s[%i, %j] : {scores}
        }}
        tile.copy %max, %fade : {column}, {column}
        tile.reduce max %s, %max dim(1) {{combine}} : {scores}, {column}
        tile.parallel (%i) in ({rows}) {{
          %before = memref.load %fade[%i] : {column}
          %now = memref.load %max[%i] : {column}
          %d = arith.subf %before, %now : f32
          %f = math.exp2 %d : f32
          %l = memref.load %sum[%i] : {column}
          %faded = arith.mulf %l, %f : f32
          memref.store %f, %fade[%i] : {column}
          memref.store %faded, %sum[%i] : {column}
        }}
        tile.parallel (%i, %j) in ({rows}, {keys}) {{
          %score = memref.load %s[%i, %j] : {scores}
          %now = memref.load %max[%i] : {column}
          %d = arith.subf %score, %now : f32
          %e = math.exp2 %d : f32
          memref.store %e, %s[%i, %j] : {scores}
        }}
        tile.parallel (%i, %j) in ({rows}, {d}) {{
          %f = memref.load %fade[%i] : {column}
          %old = memref.load %acc[%i, %j] : {out}
          %faded = arith.mulf %old, %f : f32
          memref.store %faded, %acc[%i, %j] : {out}
        }}
        tile.reduce sum %s, %sum dim(1) {{combine}} : {scores}, {column}
        tile.copy %s, %p : {scores}, {weights}
        tile.gemm %p, %vs, %acc : {weights}, {kv_tile}, {out}
      }}
      tile.parallel (%i, %j) in ({rows}, {d}) {{
        %query = affine.apply affine_map<(x, i) -> (x * {rows} + i)>(%x, %i)
        %inside = arith.cmpi slt, %query, %length : index
        scf.if %inside {{
          %row = arith.addi %first, %query : index
          %total = memref.load %acc[%i, %j] : {out}
          %l = memref.load %sum[%i] : {column}
          %mean = arith.divf %total, %l : f32
          %r = arith.truncf %mean : f32 to {element}
          memref.store %r, %o[%row, %g, %j] : {heads}
        }}
      }}
    }}
  }}
  return
}}
// One query at a time: all scores, their softmax, the weighted mean.
func.func @{name}_reference(%lengths: memref<?xi32>, %q: {heads}, %k: {kv}, %v: {kv}, %o: {heads}) {{
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %size = arith.constant {d} : index
  %group = arith.constant {group} : index
  %zero = arith.constant 0.0 : f64
  %lowest = arith.constant 0xFFF0000000000000 : f64
  %scale = arith.constant {scale!r} : f64
  %batches = memref.dim %lengths, %c0 : memref<?xi32>
  %count = memref.dim %q, %c1 : {heads}
  %tokens = memref.dim %q, %c0 : {heads}
  %scores = memref.alloc(%tokens) : memref<?xf64>
  %end = scf.for %b = %c0 to %batches step %c1 iter_args(%first = %c0) -> index {{
    %length32 = memref.load %lengths[%b] : memref<?xi32>
    %length = arith.index_cast %length32 : i32 to index
    scf.for %g = %c0 to %count step %c1 {{
      %h = arith.divui %g, %group : index
      scf.for %i = %c0 to %length step %c1 {{
        {last}
        %row = arith.addi %first, %i : index
        %max = scf.for %j = %c0 to %last step %c1 iter_args(%old = %lowest) -> f64 {{
          %key = arith.addi %first, %j : index
          %dot = scf.for %d = %c0 to %size step %c1 iter_args(%acc = %zero) -> f64 {{
            %x = memref.load %q[%row, %g, %d] : {heads}
            %y = memref.load %k[%key, %h, %d] : {kv}
            %xd = arith.extf %x : {element} to f64
            %yd = arith.extf %y : {element} to f64
            %product = arith.mulf %xd, %yd : f64
            %next = arith.addf %acc, %product : f64
            scf.yield %next : f64
          }}
          %score = arith.mulf %dot, %scale : f64
          memref.store %score, %scores[%j] : memref<?xf64>
          %new = arith.maximumf %old, %score : f64
          scf.yield %new : f64
        }}
        %sum = scf.for %j = %c0 to %last step %c1 iter_args(%acc = %zero) -> f64 {{
          %score = memref.load %scores[%j] : memref<?xf64>
          %d = arith.subf %score, %max : f64
          %e = math.exp %d : f64
          memref.store %e, %scores[%j] : memref<?xf64>
          %next = arith.addf %acc, %e : f64
          scf.yield %next : f64
        }}
        scf.for %d = %c0 to %size step %c1 {{
          %total = scf.for %j = %c0 to %last step %c1 iter_args(%acc = %zero) -> f64 {{
            %key = arith.addi %first, %j : index
            %e = memref.load %scores[%j] : memref<?xf64>
            %y = memref.load %v[%key, %h, %d] : {kv}
            %yd = arith.extf %y : {element} to f64
            %product = arith.mulf %e, %yd : f64
            %next = arith.addf %acc, %product : f64
            scf.yield %next : f64
          }}
          %mean = arith.divf %total, %sum : f64
          %r = arith.truncf %mean : f64 to {element}
          memref.store %r, %o[%row, %g, %d] : {heads}
        }}
      }}
    }}
    %after = arith.addi %first, %length : index
    scf.yield %after : index
  }}
  memref.dealloc %scores : memref<?xf64>
  return
}}"""


if __name__ == "__main__":
    print("\n".join(attention(*kernel) for kernel in KERNELS))
