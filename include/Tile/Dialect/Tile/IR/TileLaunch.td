//===- TileLaunch.td - how a kernel is launched ------------*- tablegen -*-===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The attribute `tile.launch` of a lowered kernel. Expressions are affine in the symbols of the launch, s0, s1, ..., and may
// multiply and divide by symbols. docs/LaunchMetadata.md is the text that the runtime gets.
//
//===----------------------------------------------------------------------===//

#ifndef TILE_DIALECT_TILE_IR_TILELAUNCH
#define TILE_DIALECT_TILE_IR_TILELAUNCH

include "Tile/Dialect/Tile/IR/TileAttrs.td"

def Tile_LaunchSymbolKind : Tile_Enum<"LaunchSymbolKind", "the source of a symbol", [
    I32EnumAttrCase<"Size", 0, "size">,          // of a dimension of an argument
    I32EnumAttrCase<"Stride", 1, "stride">,      // likewise, in elements
    I32EnumAttrCase<"Scalar", 2, "scalar">,      // an integer argument
    I32EnumAttrCase<"Multiprocessors", 3, "multiprocessors">,  // of the device
    I32EnumAttrCase<"Min", 4, "min">,            // the least of some expressions
    I32EnumAttrCase<"Max", 5, "max">             // the greatest of some expressions
  ]>;

def Tile_LaunchParameterKind : Tile_Enum<"LaunchParameterKind", "the source of a parameter", [
    I32EnumAttrCase<"Pointer", 0, "pointer">,    // to the first element of an argument
    I32EnumAttrCase<"Size", 1, "size">,          // of a dimension of an argument
    I32EnumAttrCase<"Stride", 2, "stride">,      // likewise, in elements
    I32EnumAttrCase<"Value", 3, "value">,        // an expression
    I32EnumAttrCase<"Scalar", 4, "scalar">,      // an argument as it is
    I32EnumAttrCase<"TensorMap", 5, "tensor_map">,
    I32EnumAttrCase<"Workspace", 6, "workspace">  // to a byte of the workspace
  ]>;

class Tile_LaunchPart<string name, string text> : AttrDef<Tile_Dialect, name> {
  let mnemonic = text;
}

// An index, or -1 where the kind has none.
def Tile_LaunchIndex : DefaultValuedParameter<"int64_t", "-1">;

def Tile_LaunchSymbolAttr : Tile_LaunchPart<"LaunchSymbol", "launch_symbol"> {
  let summary = "a number that is known when a kernel is launched";
  let description = [{
    `min` and `max` combine `values`, which use earlier symbols. The number must be at least `least` and a multiple of
    `multiple`.

    ```mlir
    func.func private @symbols() attributes {examples = [
      #tile.launch_symbol<"N", size, argument = 0, dim = 1, multiple = 8, least = 1>,
      #tile.launch_symbol<"blocks", min, values = [s0 ceildiv 64, s1]>
    ]}
    ```
  }];
  let parameters = (ins StringRefParameter<"in error messages">:$name, EnumParameter<Tile_LaunchSymbolKind>:$kind,
    Tile_LaunchIndex:$argument, Tile_LaunchIndex:$dim, DefaultValuedParameter<"int64_t", "1">:$multiple,
    DefaultValuedParameter<"int64_t", "::std::numeric_limits<int64_t>::min()">:$least,
    OptionalArrayRefParameter<"AffineExpr">:$values);
  let assemblyFormat = [{
    `<` $name `,` $kind (`,` struct($argument, $dim, $multiple, $least, custom<Expressions>($values))^)? `>`
  }];
}

def Tile_LaunchArgumentAttr : Tile_LaunchPart<"LaunchArgument", "launch_argument"> {
  let summary = "what the caller of a kernel passes, and must fulfil";
  let description = [{
    The type is that of the function: a memref or a scalar. Of a memref, `align` is the alignment of its first element in
    bytes; `shape` and, unless it is dense and row-major, `strides` are what its sizes and strides must equal, `?` for any
    number.

    ```mlir
    func.func private @arguments() attributes {examples = [
      #tile.launch_argument<"A", memref<?x?xf16, strided<[?, 1]>>, align = 16, shape = [s0, s1], strides = [?, 1]>,
      #tile.launch_argument<"alpha", f32>
    ]}
    ```
  }];
  let parameters = (ins StringRefParameter<"as in the source, or empty">:$name, "Type":$type,
    DefaultValuedParameter<"int64_t", "1">:$align, OptionalArrayRefParameter<"AffineExpr">:$shape,
    OptionalArrayRefParameter<"AffineExpr">:$strides);
  let assemblyFormat = [{
    `<` $name `,` $type (`,` struct($align, custom<Expressions>($shape), custom<Expressions>($strides))^)? `>`
  }];
}

def Tile_LaunchParameterAttr : Tile_LaunchPart<"LaunchParameter", "launch_parameter"> {
  let summary = "a parameter of a kernel";
  let description = [{
    Sizes, strides and values are passed as `type`, `i64` unless it is given. The `value` of a workspace is the byte that the
    pointer begins at; so is that of a tensor map whose tensor lies there.

    ```mlir
    func.func private @parameters() attributes {examples = [
      #tile.launch_parameter<pointer, argument = 0>,
      #tile.launch_parameter<value, value = s0 ceildiv 64, type = i32>,
      #tile.launch_parameter<workspace, value = s0 * 4>
    ]}
    ```
  }];
  let parameters = (ins EnumParameter<Tile_LaunchParameterKind>:$kind, Tile_LaunchIndex:$argument, Tile_LaunchIndex:$dim,
    Tile_LaunchIndex:$map, OptionalParameter<"AffineExpr">:$value, OptionalParameter<"Type">:$type);
  let assemblyFormat = [{
    `<` $kind (`,` struct($argument, $dim, $map, custom<Expression>($value), $type)^)? `>`
  }];
}

def Tile_TensorMapAttr : Tile_LaunchPart<"TensorMap", "tensor_map"> {
  let summary = "the tensor map of an argument or a workspace";
  let description = [{
    An `argument` of -1 says that the tensor lies in the workspace, where the parameter says. Dimension 0 is the fastest.
    `strides`, in bytes, are those of dimensions 1 and up; `swizzle` is the span in bytes, 0 for none.

    ```mlir
    func.func private @map() attributes {example =
      #tile.tensor_map<argument = 0, element = f16, sizes = [s1, s0], strides = [s1 * 2], box = [64, 128], swizzle = 128,
                       l2_promotion = 256>}
    ```
  }];
  let parameters = (ins "int64_t":$argument, "Type":$element, ArrayRefParameter<"AffineExpr">:$sizes,
    OptionalArrayRefParameter<"AffineExpr">:$strides, ArrayRefParameter<"int64_t">:$box,
    DefaultValuedParameter<"int64_t", "0">:$swizzle, DefaultValuedParameter<"int64_t", "0">:$l2_promotion);
  let assemblyFormat = [{
    `<` struct($argument, $element, custom<Expressions>($sizes), custom<Expressions>($strides), custom<List>($box),
               $swizzle, $l2_promotion) `>`
  }];
}

def Tile_LaunchAttr : Tile_LaunchPart<"Launch", "launch"> {
  let summary = "how a kernel is launched";
  let description = [{
    Stands on a function of device code as `tile.launch`. `function` is the function that the kernel comes from, `runtime`
    what launches it.

    `workspace` is the bytes of all that the function allocates: kernels of one function share it, one after the other, and it
    is not theirs any more when the function is called again.

    A kernel with `general` is a version of the kernel of that name in the same module, and is launched in its place where
    all `conditions` hold. The first version whose conditions hold is taken.

    ```mlir
    func.func private @launch() attributes {tile.launch = #tile.launch<
      kernel = "scale_0", function = "scale", runtime = "cuda", chip = "sm_90a", symbols = [<"N", size, argument = 0, dim = 0>],
      arguments = [<"x", memref<?xf32>, align = 16, shape = [s0]>, <"by", f32>],
      parameters = [<pointer, argument = 0>, <scalar, argument = 1>, <size, argument = 0, dim = 0>],
      grid = [s0 ceildiv 256], block = [128], general = "scale_0_general",
      conditions = [<size, argument = 0, multiple = 4>]>}
    ```
  }];
  let parameters = (ins StringRefParameter<"symbol in the image">:$kernel, StringRefParameter<"", [{""}]>:$function,
    StringRefParameter<"", [{""}]>:$runtime, StringRefParameter<"", [{""}]>:$chip,
    OptionalArrayRefParameter<"LaunchSymbolAttr">:$symbols, OptionalArrayRefParameter<"LaunchArgumentAttr">:$arguments,
    OptionalArrayRefParameter<"TensorMapAttr">:$maps, OptionalArrayRefParameter<"LaunchParameterAttr">:$parameters,
    OptionalArrayRefParameter<"AffineExpr">:$grid, OptionalArrayRefParameter<"int64_t">:$block,
    OptionalArrayRefParameter<"int64_t">:$cluster, DefaultValuedParameter<"int64_t", "0">:$shared,
    OptionalParameter<"AffineExpr">:$workspace,
    StringRefParameter<"", [{""}]>:$general, OptionalArrayRefParameter<"FactAttr">:$conditions);
  let assemblyFormat = [{
    `<` struct($kernel, $function, $runtime, $chip, custom<List>($symbols), custom<List>($arguments), custom<List>($maps),
               custom<List>($parameters), custom<Expressions>($grid), custom<List>($block), custom<List>($cluster), $shared,
               custom<Expression>($workspace), $general, custom<List>($conditions))
    `>`
  }];
  let genVerifyDecl = 1;
}

#endif // TILE_DIALECT_TILE_IR_TILELAUNCH
