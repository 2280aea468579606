//===- LayoutOpInterface.td - interface of layout inference -*- tablegen -*-===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TILE_TRANSFORMS_LAYOUTOPINTERFACE
#define TILE_TRANSFORMS_LAYOUTOPINTERFACE

include "mlir/IR/OpBase.td"

def Tile_LayoutOpInterface : OpInterface<"TileLayoutOpInterface"> {
  let cppNamespace = "::mlir::tile";
  let description = [{
    Tells where an op wants the elements of its tiles. `tile-infer-layout` asks nobody else; a target attaches the interface
    to ops of its own as an external model.
  }];
  let methods = [
    InterfaceMethod<[{
        Appends the operands that the op can use in one memory space only. Others are copied there before the op, and back
        after it if it writes them.
      }],
      "void", "getPlacements", (ins "::llvm::SmallVectorImpl<::mlir::tile::OperandPlacement> &":$placements),
      "", "(void)placements;">,
    InterfaceMethod<[{
        Proposes layouts for buffers that have none. `Strict`: what the op's instruction dictates, whatever is known.
        `Common`: what follows from the layouts that are known; asked again whenever one of them changes. `Free`: what suits
        the op, where nothing follows. `Default`: what it takes if nobody else cares.
      }],
      "void", "inferLayouts", (ins "::mlir::tile::LayoutLevel":$level, "::mlir::tile::LayoutState &":$state)>,
    InterfaceMethod<[{
        Appends what the op needs of each tile, all layouts being known. A buffer that is laid out otherwise is converted for
        this op.
      }],
      "void", "getRequirements",
      (ins "const ::mlir::tile::LayoutState &":$state,
           "::llvm::SmallVectorImpl<::mlir::tile::LayoutRequirement> &":$requirements),
      "", "(void)state; (void)requirements;">,
    InterfaceMethod<[{
        Bytes of shared memory that threads exchange elements through while the op runs, all layouts being known.
      }],
      "int64_t", "getScratchBytes", (ins "const ::mlir::tile::LayoutState &":$state),
      "", "(void)state; return 0;">,
    InterfaceMethod<"Whether the op's code takes many registers of a thread beside those of its tiles.",
      "bool", "hasManyTemporaries", (ins), "", "return false;">
  ];
}

def Tile_ViewLayoutInterface : OpInterface<"TileViewLayoutInterface"> {
  let cppNamespace = "::mlir::tile";
  let description = [{
    Of a view: how the layout of the buffer behind it is seen through it. A view without the interface hides the layout.
  }];
  let methods = [
    InterfaceMethod<"The layout of the view, given that of its source; nothing where the view hides it.",
      "::std::optional<::tile::layout::Layout>", "getViewLayout", (ins "const ::tile::layout::Layout &":$source)>,
    InterfaceMethod<"The layout of the source that gives the view this one; nothing where there is none.",
      "::std::optional<::tile::layout::Layout>", "getSourceLayout", (ins "const ::tile::layout::Layout &":$view)>
  ];
}

#endif // TILE_TRANSFORMS_LAYOUTOPINTERFACE
