//===- Importer.cpp - functions, reports, and the entry -------------------===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Importer.h"
#include "Gathers.h"
#include "Parts.h"
#include "Reducers.h"
#include "Rotations.h"
#include "Rounding.h"
#include "SameTiles.h"
#include "Stages.h"
#include "Sweeps.h"
#include "ThreadCopies.h"
#include "Variables.h"

#include "Tile/Analysis/UnwrittenReads.h"
#include "Tile/Import/TileLang.h"
#include "Tile/InitAll.h"

#include "mlir/IR/Remarks.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Tools/mlir-translate/Translation.h"
#include "mlir/Transforms/Passes.h"
#include "llvm/Support/SourceMgr.h"

using namespace mlir;
using namespace mlir::tile;
using namespace mlir::tile::tilelang;

bool tilelang::anyNode(Node root, function_ref<bool(Node)> predicate) {
  SmallVector<Node> work;
  llvm::DenseSet<unsigned> seen;
  if (root)
    work.push_back(root);
  while (!work.empty()) {
    Node node = work.pop_back_val();
    if (!node || !seen.insert(node.getId()).second)
      continue;
    if (predicate(node))
      return true;
    // In the order of the program.
    SmallVector<Node> children = node.getChildren();
    work.append(children.rbegin(), children.rend());
  }
  return false;
}

StringRef tilelang::getCallee(Node call) {
  if (!call.is("Call"))
    return {};
  StringRef name = call.get("op").asString();
  return name.contains('.') ? name.rsplit('.').second : name;
}

Descent::Descent(Importer &importer, Node at) : importer(importer) {
  ++importer.depth;
  allowed = importer.budget > 0 && importer.depth < 1000;
  if (importer.budget > 0)
    --importer.budget;
  if (!allowed)
    importer.refuse(at, "a program of this size",
                    "split it into several functions");
}

Descent::~Descent() { --importer.depth; }

Importer::Importer(ModuleOp module, Node root)
    : context(module.getContext()),
      builder(OpBuilder::atBlockEnd(module.getBody())), module(module),
      root(root) {}

Location Importer::getLoc(Node at) {
  for (Node node : {at, statement}) {
    Node span = node.get("span");
    if (span.is("SequentialSpan"))
      span = span.getElementsOf("spans").empty()
                 ? Node()
                 : span.getElementsOf("spans").front();
    Node source = span.get("source_name");
    StringRef file = source.getText();
    std::optional<int64_t> line = span.getInteger("line");
    if (!file.empty() && line.value_or(0) > 0)
      return FileLineColLoc::get(context, file, *line,
                                 std::max<int64_t>(
                                     span.getInteger("column").value_or(1), 1));
  }
  return module.getLoc();
}

Location Importer::getNamedLoc(Node at, StringRef name) {
  return NameLoc::get(builder.getStringAttr(name), getLoc(at));
}

void Importer::refuse(Node at, const Twine &construct, StringRef wayOut) {
  std::string text = construct.str();
  if (!refused.insert(text).second)
    return;
  emitError(getLoc(at)) << "cannot import " << text << ": " << wayOut;
}

Value Importer::refuse(Node at, Type type, const Twine &construct,
                       StringRef wayOut) {
  refuse(at, construct, wayOut);
  return constant(type, int64_t(0));
}

void Importer::remarkDropped(Node at, const Twine &what) {
  remark::missed(getLoc(at), remark::RemarkOpts::name("ImportedOtherwise")
                                 .category("tile-import")
                                 .function(""))
      << what.str();
}

void Importer::setPadding(Node block, Node data, Node value) {
  auto found = scope.storage.find(data.getId());
  if (found == scope.storage.end() || !kernel || inParallel)
    return refuse(block, "T.annotate_safe_value of something else",
                  "annotate a T.Tensor of the function, once in a kernel");
  Value buffer = scope.buffers.lookup(found->second).value;
  Type type = cast<MemRefType>(buffer.getType()).getElementType();
  std::optional<double> number = value.getNumber("value");
  if (value.is("float"))
    number = value.asNumber();
  if (!number && !value.asInteger())
    return refuse(block, "T.annotate_safe_value with a computed value",
                  "give it a constant");
  Value padding = number ? constant(type, *number)
                         : constant(type, *value.asInteger());
  PaddingValueOp::create(builder, getLoc(block), buffer, padding);
}

void Importer::setCluster(Node block, Node dims) {
  SmallVector<int64_t> extents;
  for (Node extent : dims.getElements())
    extents.push_back(extent.asInteger().value_or(0));
  if (!kernel || llvm::all_of(extents, [](int64_t e) { return e == 1; }))
    return;
  ArrayRef<int64_t> grid = kernel.getStaticGrid();
  extents.resize(grid.size(), 1);
  for (auto [extent, blocks] : llvm::zip(extents, grid))
    if (extent < 1 || ShapedType::isDynamic(blocks) || blocks % extent)
      return remarkDropped(block, "the cluster: it does not divide the grid");
  kernel.setCluster(extents);
}

/// The names of dynamic extents, which are equal where they are the same
/// variable, and its value.
void Importer::nameExtents(func::FuncOp function, ArrayRef<Node> buffers) {
  for (auto [i, buffer] : llvm::enumerate(buffers)) {
    auto type = dyn_cast<MemRefType>(function.getArgument(i).getType());
    if (!buffer || !type)
      continue;
    std::string names;
    bool isDynamic = false;
    SmallVector<Node> shape = buffer.getElementsOf("shape");
    for (int64_t dim = 0; dim < int64_t(shape.size()); ++dim) {
      Node extent = shape[dim];
      if (dim)
        names += 'x';
      if (!type.isDynamicDim(dim)) {
        names += std::to_string(type.getDimSize(dim));
        continue;
      }
      isDynamic = true;
      if (!extent.is("Var")) {
        names += "D" + std::to_string(i) + "_" + std::to_string(dim);
        continue;
      }
      // An `x` would divide two extents.
      for (char c : extent.getString("name"))
        names += c == 'x' ? 'X' : c;
      if (!scope.vars.count(extent.getId())) {
        Value index = constantIndex(dim);
        scope.vars[extent.getId()] = memref::DimOp::create(
            builder, getNamedLoc(extent, extent.getString("name")),
            function.getArgument(i), index);
      }
    }
    if (isDynamic)
      function.setArgAttr(i, "tile.shape", builder.getStringAttr(names));
  }
  for (auto [i, buffer] : llvm::enumerate(buffers))
    if (buffer && isa<MemRefType>(function.getArgument(i).getType()))
      for (auto [dim, extent] : llvm::enumerate(buffer.getElementsOf("shape")))
        if (!extent.is("Var"))
          solveExtent(extent, function.getArgument(i), dim);
}

/// A variable that is in no extent but one, `a · v + c`, follows from that.
void Importer::solveExtent(Node extent, Value buffer, int64_t dim) {
  Node unknown;
  bool isLinear = true;
  AffineExpr v = builder.getAffineDimExpr(0);
  AffineExpr expr = getAffine(extent, /*expand=*/false, [&](Node part) {
    isLinear &= part.is("Var") && !scope.vars.count(part.getId()) &&
                (!unknown || unknown == part);
    unknown = part;
    return v;
  });
  expr.walk([&](AffineExpr part) {
    isLinear &= part.getKind() != AffineExprKind::FloorDiv &&
                part.getKind() != AffineExprKind::Mod;
  });
  if (!isLinear || !unknown)
    return;
  auto at = [&](int64_t value) {
    AffineExpr number = expr.replace(v, builder.getAffineConstantExpr(value));
    return cast<AffineConstantExpr>(simplifyAffineExpr(number, 0, 0))
        .getValue();
  };
  int64_t offset = at(0), factor = at(1) - offset;
  if (factor < 1)
    return;
  Location loc = getNamedLoc(unknown, unknown.getString("name"));
  Value size = memref::DimOp::create(builder, loc, buffer, dim);
  scope.vars[unknown.getId()] =
      makeIndex(unknown, (v - offset).floorDiv(factor), {size});
}

/// What TileLang leaves open, and the dialect refuses, is decided: such tiles
/// begin with zeros.
static void fillUnwrittenTiles(Importer &importer, func::FuncOp function) {
  OpBuilder::InsertionGuard guard(importer.builder);
  for (UnwrittenRead &unwritten : findUnwrittenReads(function)) {
    TypedValue<MemRefType> tile = unwritten.tile.getResult();
    auto name = dyn_cast<NameLoc>(tile.getLoc());
    emitWarning(unwritten.read->getLoc())
        << "'" << (name ? name.getName().getValue() : "a tile")
        << "' is read before anything is written to it: it begins with zeros "
           "here, and with anything in TileLang";
    importer.builder.setInsertionPointAfter(unwritten.tile);
    Value zero =
        importer.constant(tile.getType().getElementType(), int64_t(0));
    FillOp::create(importer.builder, unwritten.tile.getLoc(), tile, zero);
  }
}

/// Says in larger ops what the program says in smaller ones, and what partitions
/// of warps mean together.
static void raise(Importer &importer, func::FuncOp function) {
  promoteVariables(function);
  raiseGathers(function);
  raiseThreadCopies(function);
  joinTerms(function);
  joinSweeps(function);
  joinStages(function);
  splitTiles(function);
  joinSameTiles(function);
  undoRotations(function);
  fillUnwrittenTiles(importer, function);
}

LogicalResult Importer::importFunction(Node function, StringRef name) {
  SmallVector<Node> params = function.getElementsOf("params");
  llvm::DenseMap<unsigned, Node> bufferOf;
  for (auto [param, buffer] : function.get("buffer_map").getEntries())
    bufferOf[param.getId()] = buffer;
  scope = Scope();
  SmallVector<Node> buffers;
  SmallVector<Type> types;
  SmallVector<Location> locs;
  statement = function;
  for (Node param : params) {
    Node buffer = bufferOf.lookup(param.getId());
    if (!buffer && DataType(param.getString("dtype")).element == "handle") {
      refuse(param,
             "'" + param.getString("name") + "', an argument that is a pointer",
             "pass a T.Tensor");
      return failure();
    }
    buffers.push_back(buffer);
    types.push_back(buffer ? Type(getBufferType(buffer)) : getType(param));
    Node named = buffer ? buffer : param;
    locs.push_back(getNamedLoc(named, named.getString("name")));
  }
  std::string symbol = name.empty() ? "main" : name.str();
  for (char &c : symbol)
    if (!llvm::isAlnum(c) && c != '_')
      c = '_';
  auto op = func::FuncOp::create(builder, getLoc(function), symbol,
                                 builder.getFunctionType(types, {}));
  Block *body = op.addEntryBlock();
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToEnd(body);
  for (auto [i, param] : llvm::enumerate(params)) {
    Value argument = op.getArgument(i);
    argument.setLoc(locs[i]);
    if (!buffers[i]) {
      scope.vars[param.getId()] = argument;
      continue;
    }
    Buffer made;
    made.value = argument;
    scope.buffers[buffers[i].getId()] = made;
    scope.storage[buffers[i].get("data").getId()] = buffers[i].getId();
  }
  nameExtents(op, buffers);
  Node attributes = function.get("attrs").get("__dict__");
  for (Node index : attributes.lookup("tilelang_out_idx").getElements()) {
    int64_t place = index.asInteger().value_or(INT64_MAX);
    place += place < 0 ? params.size() : 0;
    if (place >= 0 && place < int64_t(params.size()) && buffers[place])
      op.setArgAttr(place, "tile.result", builder.getUnitAttr());
  }
  if (attributes.lookup("code_block_source"))
    refuse(function, "a kernel of foreign code (T.CUDASourceCodeKernel)",
           "write it with T");
  // A kernel of one block has no loop over blocks.
  bool hasThreads = false;
  bool hasBlocks = anyNode(function.get("body"), [&](Node node) {
    hasThreads |= getCallee(node) == "launch_thread_idx";
    return node.get("thread_binding").getString("thread_tag").starts_with(
        "blockIdx");
  });
  if (hasBlocks)
    translate(function.get("body"));
  else if (hasThreads)
    translateKernel(function.get("body"));
  else
    refuse(function, "a function without T.Kernel", "write one around its body");
  func::ReturnOp::create(builder, getLoc(function));
  setRounding(op, wantsFastMath(attributes));
  if (refused.empty())
    raise(*this, op);
  return success(refused.empty());
}

LogicalResult Importer::run() {
  if (root.is("PrimFunc"))
    return importFunction(
        root, root.get("attrs").get("__dict__").lookup("global_symbol").asString());
  if (!root.is("IRModule"))
    return emitError(module.getLoc())
           << "expected a PrimFunc or an IRModule, got '"
           << (root ? root.getKind() : "None") << "'";
  bool ok = true;
  for (auto [name, function] : root.get("functions").getEntries())
    if (function.is("PrimFunc"))
      ok &= succeeded(importFunction(function, name.getString("name_hint")));
  return success(ok);
}

OwningOpRef<ModuleOp> tile::importTileLang(StringRef json, StringRef name,
                                           MLIRContext *context) {
  Location file = FileLineColLoc::get(context, name, 1, 1);
  llvm::Expected<std::unique_ptr<ObjectGraph>> graph = ObjectGraph::parse(json);
  if (!graph) {
    emitError(file) << "cannot read TVM's JSON: "
                       << llvm::toString(graph.takeError());
    return {};
  }
  OwningOpRef<ModuleOp> module = ModuleOp::create(file);
  if (failed(Importer(*module, (*graph)->getRoot()).run()) ||
      failed(verify(*module)))
    return {};
  // A kernel that does nothing is launched all the same.
  WalkResult dead = module->walk([](KernelOp kernel) {
    return wouldOpBeTriviallyDead(kernel) ? WalkResult::interrupt()
                                          : WalkResult::skip();
  });
  if (dead.wasInterrupted())
    return module;
  // Constants and indices are made where they are used.
  PassManager passes(context);
  passes.enableVerifier(false);
  passes.addPass(createCSEPass());
  if (failed(passes.run(*module)))
    return {};
  return module;
}

void tile::registerTileLangTranslations() {
  TranslateRegistration registration(
      "import-tilelang",
      "read a PrimFunc of TileLang, as tvm.ir.save_json writes it",
      [](const std::shared_ptr<llvm::SourceMgr> &sources, raw_ostream &os,
         MLIRContext *context) -> LogicalResult {
        DialectRegistry registry;
        registerAllDialects(registry);
        context->appendDialectRegistry(registry);
        context->loadAllAvailableDialects();
        const llvm::MemoryBuffer *text =
            sources->getMemoryBuffer(sources->getMainFileID());
        OwningOpRef<ModuleOp> module =
            importTileLang(text->getBuffer(), text->getBufferIdentifier(),
                           context);
        if (!module)
          return failure();
        module->print(os, OpPrintingFlags().printNameLocAsPrefix());
        return success();
      });
}
