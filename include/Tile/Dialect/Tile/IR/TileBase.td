//===- TileBase.td - the tile dialect and its op classes ---*- tablegen -*-===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TILE_DIALECT_TILE_IR_TILEBASE
#define TILE_DIALECT_TILE_IR_TILEBASE

include "mlir/IR/OpBase.td"
include "mlir/Interfaces/SideEffectInterfaces.td"
include "Tile/Dialect/Tile/IR/TileInterfaces.td"

def Tile_Dialect : Dialect {
  let name = "tile";
  let cppNamespace = "::mlir::tile";
  let summary = "tile-level kernels: data flow between tiles, independent of the target";
  let description = [{
    A kernel in the `tile` dialect describes how tiles move and what is computed on them; the distribution over threads is
    left to the compiler. Buffers are ordinary memrefs whose memory space is one of the `tile` spaces (`#tile.shared`,
    `#tile.fragment`, …); a memref without a memory space is in global memory. Scalar code inside `tile.parallel` is
    ordinary MLIR (`arith`, `math`, `memref`, `scf`).

    **Semantics.** The CPU lowering (`convert-tile-to-cpu`) defines every op. Four rules hold for all ops:

    1. A read outside the bounds of a *global* buffer yields the buffer's padding value (default 0, see
    `tile.padding_value`); a
       write outside the bounds is dropped. Accesses outside of a tile are errors, rejected at compile time
       (`tile-verify-semantics`); where an index comes from data, so that nobody knows, a read of an element outside yields 0
       and a write is dropped. A region of a tile at an offset from data has to lie in the tile (`tile.assume`).
    2. Tile ops are collective: all threads of the block reach them together. They are illegal inside `tile.parallel` and
       under control flow that differs between threads.
    3. Ops take effect in program order. Only schedules introduce asynchrony.
    4. Conversions between element types round to nearest even; to integers they truncate towards zero and saturate (NaN
       becomes 0); to narrower integers they wrap; to `i1`, a truth value, all but zero becomes true; to small floats
       without infinity an overflow becomes NaN, and in `f4E2M1FN`, which has no NaN, the largest magnitude.

    **Text.** The types of buffers behind a colon may be left out where the buffers are defined further up in the text, so
    `tile.copy %a[%i * 64, 0], %t` is complete. Wherever an op takes an index, a number or a condition, an expression may stand:
    `tile.fill %acc, 0.0`, `tile.kernel (%x) in (ceildiv(dim(%a, 0), 128))`; the body of `tile.parallel`, which has the grammar,
    may consist of them. Passes see the same ops: the parser makes those that an expression stands for, and puts them at the end
    of the innermost block that defines one of its names or of the other operands, so before the op. Elements of buffers are read
    in bodies of `tile.parallel` only.

    **Parameters.** A tile may have extents `?` that are computed from parameters (`tile.param`), wherever an op wants a static
    shape. `tile-bind-parameters`, early in every pipeline, makes them static.

    **How a function is run.** `tile-run` reads discardable attributes. On a function: `tile.reference = @f` names a
    function of the same type that computes the expected results; `tile.cases = ["M=64 N=32", …]` lists the sizes to run;
    `tile.atol` and `tile.rtol` (floats) are the tolerances. On an argument: `tile.shape = "MxN"` names the extents of a
    dynamic memref; `tile.init` is how it is filled (`normal`, `uniform(lo,hi)`, `integers(lo,hi)`, `offsets(last)`, which
    do not fall from 0 to `last`, `permutation`, `mask(probability)`, `zeros`, `ones`, `iota`, `poison`), where integers may
    be sizes, `integers(0, N - 1)`; `tile.result` marks what is compared with the reference (and poisoned first unless
    `tile.init` says otherwise).

    **What a call must fulfil.** Dynamic extents to which `tile.shape` gives one name are the same number, and
    `tile.shape = "MxK%8"` says that `K` is a positive multiple of 8, wherever it stands. An extent may follow from one that another
    dimension has: `tile.shape = "Nxceildiv(K, 2)"`, and so may `floordiv(K, 2)`, `K * 2`, `K + 1` and `K - 1`. `tile.align = 16`
    says that a buffer begins at a multiple of 16 bytes. A launch checks all of these, with an error that names the argument, and
    compilers use multiples and equal extents.
  }];
  let dependentDialects = ["::mlir::affine::AffineDialect", "::mlir::arith::ArithDialect", "::mlir::math::MathDialect",
    "::mlir::memref::MemRefDialect", "::mlir::scf::SCFDialect"];
  let useDefaultAttributePrinterParser = 0;
  let useDefaultTypePrinterParser = 0;
  let hasOperationAttrVerify = 1;
  let hasRegionArgAttrVerify = 1;
  let extraClassDeclaration = [{
    void registerAttributes();
    Attribute parseAttribute(DialectAsmParser &parser, Type type) const override;
    void printAttribute(Attribute attr, DialectAsmPrinter &printer) const override;
    Type parseType(DialectAsmParser &parser) const override;
    void printType(Type type, DialectAsmPrinter &printer) const override;
    std::optional<ParseOpHook> getParseOperationHook(StringRef name) const override;
  }];
}

class Tile_Op<string mnemonic, list<Trait> traits = []>
    : Op<Tile_Dialect, mnemonic, traits> {
  // By name: see BytecodeProperties.h.
  let useCustomPropertiesEncoding = 1;
}

// Reached by all threads of a block together; see rule 2 of the dialect.
def Tile_Collective : NativeOpTrait<"Collective"> {
  let cppNamespace = "::mlir::tile";
}

// An op whose memory effects follow from its accesses.
class Tile_AccessOp<string mnemonic, list<Trait> traits = []>
    : Tile_Op<mnemonic, traits # [
        Tile_Collective,
        DeclareOpInterfaceMethods<Tile_AccessOpInterface>,
        DeclareOpInterfaceMethods<MemoryEffectsOpInterface>]> {
  let extraClassDefinition = [{
    void $cppClass::getEffects(
        SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>> &effects) {
      addAccessEffects(getOperation(), effects);
    }
  }];
}

// A statement about the program that computes nothing; it stays where it is until a lowering has read it.
class Tile_HintOp<string mnemonic, list<Trait> traits = []>
    : Tile_Op<mnemonic, traits # [MemoryEffects<[MemWrite]>]>;

#endif // TILE_DIALECT_TILE_IR_TILEBASE
