//===- TileOps.cpp - statements that call something -----------------------===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Operands.h"
#include "Random.h"
#include "Reducers.h"
#include "Refusals.h"
#include "Threads.h"

#include "Tile/Dialect/Tile/IR/Buffers.h"

#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/Utils/Utils.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSwitch.h"

using namespace mlir;
using namespace mlir::tile;
using namespace mlir::tile::tilelang;

static SmallVector<int64_t> dropUnits(ArrayRef<int64_t> extents) {
  return llvm::filter_to_vector(extents,
                                [](int64_t extent) { return extent != 1; });
}

static void remarkHints(Importer &importer, Node call,
                        ArrayRef<StringRef> without = {}) {
  for (auto [key, value] : call.get("annotations").getEntries())
    if (!llvm::is_contained(without, key.asString()) &&
        value.asInteger().value_or(1) != 0)
      importer.remarkDropped(call, "the hint '" + key.asString() + "' of T." +
                                       getCallee(call));
}

/// Whether the extents of a region are those of a tile behind unit dimensions.
static bool matchesInnermost(ArrayRef<int64_t> extents,
                             ArrayRef<int64_t> tile) {
  return extents.size() >= tile.size() && extents.take_back(tile.size()) == tile &&
         llvm::all_of(extents.drop_back(tile.size()),
                      [](int64_t extent) { return extent == 1; });
}

/// The element of a part at a distance from its beginning, dimension by
/// dimension.
static SmallVector<Value> getPlaces(Importer &importer, const Part &part,
                                    ArrayRef<Value> distance) {
  SmallVector<Value> places = importer.getIndices(part.buffer, part.begin);
  size_t extra = places.size() - part.begin.size();
  for (size_t i = 0; i < part.begin.size(); ++i) {
    AffineExpr a, b;
    bindDims(importer.context, a, b);
    OpFoldResult sum = affine::makeComposedFoldedAffineApply(
        importer.builder, importer.getLoc(Node()), a + b,
        {OpFoldResult(places[extra + i]), OpFoldResult(distance[i])});
    places[extra + i] = getValueOrCreateConstantIndexOp(
        importer.builder, importer.getLoc(Node()), sum);
  }
  return places;
}

/// Element by element: of single threads, or where extents are dynamic.
static void copyElements(Importer &importer, Node call, const Part &source,
                         const Part &target) {
  auto counts = [&](const Part &part) {
    SmallVector<unsigned> dims;
    for (auto [i, extent] : llvm::enumerate(part.extent))
      if (extent && importer.getConstant(extent) != 1)
        dims.push_back(i);
    return dims;
  };
  SmallVector<unsigned> from = counts(source), to = counts(target);
  if (from.size() != to.size()) {
    importer.refuse(call, "a T.copy between parts of different extents",
                    "give both sides the same extents");
    return;
  }
  SmallVector<Node> extents;
  for (unsigned dim : to)
    extents.push_back(target.extent[dim]);
  if (extents.empty())
    extents.push_back(Node());
  importer.forEach(call, extents, [&](ArrayRef<Value> ivs) {
    auto spread = [&](const Part &part, ArrayRef<unsigned> dims) {
      SmallVector<Value> distance(part.begin.size(), importer.constantIndex(0));
      for (auto [dim, iv] : llvm::zip(dims, ivs))
        distance[dim] = iv;
      return getPlaces(importer, part, distance);
    };
    OpBuilder &builder = importer.builder;
    Location loc = importer.getLoc(call);
    SmallVector<Value> read = spread(source, from), written = spread(target, to);
    Value value = memref::LoadOp::create(
        builder, loc, importer.getBuffer(source.buffer).value, read);
    value = importer.convert(call, value, getDataType(source),
                             getDataType(target));
    memref::StoreOp::create(builder, loc, value,
                            importer.getBuffer(target.buffer).value, written);
  });
}

static void translateCopy(Importer &importer, Node call) {
  SmallVector<Node> args = call.getElementsOf("args");
  std::optional<Part> source, target;
  if (args.size() >= 2) {
    source = importer.getPart(args[0]);
    target = importer.getPart(args[1]);
  }
  if (!source || !target) {
    importer.refuse(call, "a T.copy of something else than parts of buffers",
                    "name the parts with slices");
    return;
  }
  if (call.get("annotations").lookup("dst_block")) {
    importer.refuse(call, getConstruct("copy_cluster"),
                    getWayOut("copy_cluster"));
    return;
  }
  remarkHints(importer, call);
  auto from = importer.getExtents(*source), to = importer.getExtents(*target);
  bool spread =
      llvm::any_of(ArrayRef<Part>{*source, *target}, [&](const Part &part) {
        Buffer buffer = importer.getBuffer(part.buffer);
        // The extents of a view of memory are known to elements alone.
        return buffer.perThread ||
               isa_and_nonnull<memref::CollapseShapeOp, memref::ExpandShapeOp>(
                   buffer.value.getDefiningOp());
      });
  if (!from || !to || importer.inParallel || spread)
    return copyElements(importer, call, *source, *target);
  if (dropUnits(*from) != dropUnits(*to)) {
    importer.refuse(call,
                    "a T.copy between parts of different extents, " +
                        formatShape(*from) + " and " + formatShape(*to),
                    "give both sides the same extents");
    return;
  }
  BufferRegion read = importer.getRegion(*source, *from);
  BufferRegion written = importer.getRegion(*target, *to);
  auto [sourceMap, sourceSizes] = getAttributes(importer, read);
  auto [targetMap, targetSizes] = getAttributes(importer, written);
  // The whole buffer on one side is the size of the other one.
  if (sourceMap && !targetMap && matchesInnermost(*from, *to))
    sourceSizes = {};
  if (targetMap && !sourceMap && matchesInnermost(*to, *from))
    targetSizes = {};
  DataType old = getDataType(*source), made = getDataType(*target);
  bool converts = read.getType().getElementType() !=
                  written.getType().getElementType();
  bool narrow = made.isFloat() &&
                written.getType().getElementTypeBitWidth() <= 8;
  CopyOp::create(importer.builder, importer.getLoc(call), read.buffer,
                 read.operands, written.buffer, written.operands, sourceMap,
                 sourceSizes, targetMap, targetSizes,
                 converts && old.isUnsigned(), converts && narrow,
                 InstructionAttr(), IntegerAttr(), TransferAttr(), Value());
}

static void translateFill(Importer &importer, Node call) {
  SmallVector<Node> args = call.getElementsOf("args");
  std::optional<Part> part =
      args.size() < 2 ? std::nullopt : importer.getPart(args[0]);
  if (!part) {
    importer.refuse(call, "a T.fill of something else than a part of a buffer",
                    "name the part with slices");
    return;
  }
  Buffer buffer = importer.getBuffer(part->buffer);
  Type element = buffer.getType().getElementType();
  Location loc = importer.getLoc(call);
  Value value;
  std::optional<int64_t> number = importer.getConstant(args[1]);
  if (number && args[1].is("IntImm"))
    value = importer.constant(element, *number);
  else
    value = importer.convert(call, importer.getValue(args[1]),
                             DataType(args[1].getString("dtype")),
                             getDataType(*part));
  if (!importer.inParallel && !buffer.perThread && importer.isWhole(*part)) {
    FillOp::create(importer.builder, loc, buffer.value, value);
    return;
  }
  importer.forEach(call, part->extent, [&](ArrayRef<Value> ivs) {
    SmallVector<Value> places = getPlaces(importer, *part, ivs);
    memref::StoreOp::create(importer.builder, loc, value, buffer.value, places);
  });
}

static void translateGemm(Importer &importer, Node call) {
  SmallVector<Node> args = call.getElementsOf("args");
  if (args.size() < 10) {
    importer.refuse(call, "T.gemm with " + Twine(args.size()) + " operands",
                    "trace it with TileLang 0.1.11 or later");
    return;
  }
  auto flag = [&](unsigned i) {
    return importer.getConstant(args[i]).value_or(0) != 0;
  };
  std::optional<int64_t> clear = importer.getConstant(args[9]);
  remarkHints(importer, call, {"is_wgmma", "wg_wait", "is_tcgen05"});
  if (Node both = call.get("annotations").lookup("use_2cta");
      both && both.asInteger().value_or(0)) {
    importer.refuse(call, "a gemm of two blocks", "leave use_2cta out");
    return;
  }
  auto a = getOperand(importer, call, args[0], 2, true);
  auto b = getOperand(importer, call, args[1], 2, true);
  auto c = getOperand(importer, call, args[2], 2, clear.value_or(0) == 0,
                      MemorySpace::Fragment);
  if (!a || !b || !c)
    return;
  widen(importer, call, *a, *b);
  Value clearIf;
  if (!clear)
    clearIf = importer.getMatching(args[9], importer.builder.getI1Type());
  auto typeOf = [&](unsigned i) { return getDataType(*importer.getPart(args[i])); };
  // As TileLang's products do, for which tensor cores have no f32.
  bool rounds = a->getType().getElementType().isF32();
  auto gemm = GemmOp::create(
      importer.builder, importer.getLoc(call), a->tile, b->tile, c->tile,
      clearIf, flag(3), flag(4), clear.value_or(0) != 0,
      !typeOf(0).isFloat() && typeOf(0).isUnsigned(),
      !typeOf(1).isFloat() && typeOf(1).isUnsigned(), /*async=*/false,
      getPolicy(importer, args[8]),
      rounds ? Precision::TF32 : Precision::IEEE, InstructionAttr(), MmaAttr());
  (void)gemm;
  writeBack(importer, call, *c);
}

static void translateReduce(Importer &importer, Node call) {
  SmallVector<Node> args = call.getElementsOf("args");
  auto kind = args.size() < 5 ? std::optional<ReduceKind>()
                              : getReduceKind(args[2].asString());
  if (!kind) {
    importer.refuse(call, "a reduction of this kind",
                    "use sum, max, min, abssum, absmax or a bitwise one");
    return;
  }
  remarkHints(importer, call, {"nan_propagate"});
  std::optional<Part> from = importer.getPart(args[0]);
  std::optional<Part> to = importer.getPart(args[1]);
  size_t rank = from ? from->begin.size() : 0;
  bool clear = importer.getConstant(args[4]).value_or(1) != 0;
  std::optional<int64_t> dim = importer.getConstant(args[3]);
  auto source = getOperand(importer, call, args[0], rank, true);
  auto target =
      getOperand(importer, call, args[1], to ? to->begin.size() : 0, !clear);
  if (!source || !target || !dim)
    return;
  auto type = cast<MemRefType>(source->tile.getType());
  Type wanted = cast<MemRefType>(target->tile.getType()).getElementType();
  bool sums = *kind == ReduceKind::Sum || *kind == ReduceKind::AbsSum;
  if (type.getElementType() != wanted && !(sums && wanted.isF32())) {
    auto wide = MemRefType::get(type.getShape(), wanted,
                                MemRefLayoutAttrInterface(),
                                type.getMemorySpace());
    Value converted = AllocOp::create(importer.builder, importer.getLoc(call),
                                      wide, LayoutAttr(), IntegerAttr());
    copy(importer, call, getWholeRegion(source->tile),
         getWholeRegion(converted));
    source->tile = converted;
  }
  Node propagate = call.get("annotations").lookup("nan_propagate");
  bool isFloat = isa<FloatType>(wanted);
  ReduceOp::create(importer.builder, importer.getLoc(call), *kind, source->tile,
                   target->tile, *dim, /*combine=*/!clear,
                   propagate && isFloat && !sums &&
                       propagate.asInteger().value_or(0) != 0,
                   !isFloat && getDataType(*from).isUnsigned());
  writeBack(importer, call, *target);
}

template <ScanKind kind>
static void translateScan(Importer &importer, Node call) {
  SmallVector<Node> args = call.getElementsOf("args");
  if (args.size() < 4)
    return importer.refuse(call, "a scan with too few operands",
                           "give source, target, dimension and direction");
  std::optional<Part> from = importer.getPart(args[0]);
  size_t rank = from ? from->begin.size() : 0;
  auto source = getOperand(importer, call, args[0], rank, true);
  auto target = args[0] == args[1]
                    ? source
                    : getOperand(importer, call, args[1], rank, false);
  std::optional<int64_t> dim = importer.getConstant(args[2]);
  if (!source || !target || !dim)
    return;
  ScanOp::create(importer.builder, importer.getLoc(call), kind, source->tile,
                 target->tile, *dim,
                 importer.getConstant(args[3]).value_or(0) != 0,
                 !getDataType(*from).isFloat() && getDataType(*from).isUnsigned());
  writeBack(importer, call, *target);
}

static void translateTranspose(Importer &importer, Node call) {
  SmallVector<Node> args = call.getElementsOf("args");
  if (args.size() < 2)
    return importer.refuse(call, "T.transpose with too few operands",
                           "give source and target");
  auto source = getOperand(importer, call, args[0], 2, true);
  auto target = getOperand(importer, call, args[1], 2, false);
  if (!source || !target)
    return;
  TransposeOp::create(importer.builder, importer.getLoc(call), source->tile,
                      target->tile);
  writeBack(importer, call, *target);
}

static void translateIm2Col(Importer &importer, Node call) {
  SmallVector<Node> args = call.getElementsOf("args");
  SmallVector<int64_t> numbers;
  for (size_t i = 4; i < args.size() && i < 8; ++i)
    numbers.push_back(importer.getConstant(args[i]).value_or(-1));
  std::optional<Part> image =
      args.size() < 8 ? std::nullopt : importer.getPart(args[0]);
  std::optional<Part> part =
      args.size() < 8 ? std::nullopt : importer.getPart(args[1]);
  auto extents = part ? importer.getExtents(*part) : std::nullopt;
  if (!image || !extents || extents->size() < 2 || !importer.isWhole(*part) ||
      llvm::is_contained(numbers, -1))
    return importer.refuse(call, "a T.im2col of this form",
                           "give it an image, a tile of two dimensions and "
                           "constant numbers");
  auto target = getOperand(importer, call, args[1], 2, false);
  if (!target)
    return;
  SmallVector<Value> operands;
  AffineExpr row = importer.getAffine(args[2], operands) *
                   (*extents)[extents->size() - 2];
  AffineExpr column = importer.getAffine(args[3], operands) * extents->back();
  auto map = AffineMap::get(operands.size(), 0, {row, column},
                            importer.context);
  Im2ColOp::create(importer.builder, importer.getLoc(call),
                   importer.getBuffer(image->buffer).value, operands,
                   target->tile, map, {numbers[0], numbers[0]}, numbers[1],
                   numbers[2], numbers[3]);
}

template <AtomicKind kind>
static void translateTileAtomic(Importer &importer, Node call) {
  SmallVector<Node> args = call.getElementsOf("args");
  std::optional<Part> target =
      args.size() < 2 ? std::nullopt : importer.getPart(args[1]);
  auto extents = target ? importer.getExtents(*target) : std::nullopt;
  if (!extents)
    return importer.refuse(call, "an atomic update of a part of dynamic extents",
                           "update element by element in T.Parallel");
  remarkHints(importer, call);
  bool isUnsigned = kind != AtomicKind::Add && !getDataType(*target).isFloat() &&
                    getDataType(*target).isUnsigned();
  std::optional<Part> from = importer.getPart(args[0]);
  if (!from || args[0].is("BufferLoad")) {
    // One value for each element.
    importer.forEach(call, target->extent, [&](ArrayRef<Value> ivs) {
      Value value = importer.convert(call, importer.getValue(args[0]),
                                     DataType(args[0].getString("dtype")),
                                     getDataType(*target));
      SmallVector<Value> places = getPlaces(importer, *target, ivs);
      auto map = AffineMap::getMultiDimIdentityMap(places.size(),
                                                   importer.context);
      AtomicOp::create(importer.builder, importer.getLoc(call), Type(), kind,
                       value, importer.getBuffer(target->buffer).value, places,
                       AffineMapAttr::get(map), DenseI64ArrayAttr(),
                       isUnsigned, /*instruction=*/TransferAttr());
    });
    return;
  }
  auto source =
      getOperand(importer, call, args[0], from->begin.size(), true);
  if (!source)
    return;
  BufferRegion region = importer.getRegion(*target, *extents);
  auto [map, sizes] = getAttributes(importer, region);
  AtomicOp::create(importer.builder, importer.getLoc(call), Type(), kind,
                   source->tile, region.buffer, region.operands, map, sizes,
                   isUnsigned, /*instruction=*/TransferAttr());
}

static void translateAssertion(Importer &importer, Node call) {
  SmallVector<Node> args = call.getElementsOf("args");
  if (args.empty())
    return;
  Value condition =
      importer.getMatching(args[0], importer.builder.getI1Type());
  StringRef message = args.size() > 1 ? args[1].asString() : "";
  DeviceAssertOp::create(importer.builder, importer.getLoc(call), condition,
                         message.empty() ? "an assertion does not hold"
                                         : message);
}

static void translateAssume(Importer &importer, Node call) {
  SmallVector<Node> args = call.getElementsOf("args");
  if (args.empty())
    return;
  Value condition =
      importer.getMatching(args[0], importer.builder.getI1Type());
  AssumeOp::create(importer.builder, importer.getLoc(call), condition);
}

static void translateAtomic(Importer &importer, Node call) {
  (void)importer.updateAtomically(call, /*wantsOld=*/false);
}

static void translateAtomicStore(Importer &importer, Node call) {
  SmallVector<Node> args = call.getElementsOf("args");
  Node element = args.size() < 2 ? Node() : args[0];
  SmallVector<Node> inner = element.getElementsOf("args");
  if (inner.empty() || !inner[0].is("BufferLoad"))
    return importer.refuse(call, "a pointer", "name the element of a buffer");
  Value value = importer.getValue(args[1]);
  value = importer.convert(call, value, DataType(args[1].getString("dtype")),
                           DataType(inner[0].getString("dtype")));
  importer.store(call, inner[0].get("buffer"),
                 inner[0].getElementsOf("indices"), value);
}

/// Asynchronous work that is done at once: one of the orders that the program
/// allows, if all threads do the same.
template <void (*translate)(Importer &, Node)>
static void translateAtOnce(Importer &importer, Node call) {
  StringRef name = getCallee(call);
  if (!importer.partitions.empty() && !importer.schedules)
    return importer.refuse(call, getConstruct(name), getWayOut(name));
  importer.remarkDropped(call, "asynchrony: T." + name + " is done at once");
  translate(importer, call);
}

/// Elements that a thread copies from one pointer to another, or zeros where
/// the predicate does not hold.
static void translateElementCopy(Importer &importer, Node call) {
  SmallVector<Node> args = call.getElementsOf("args");
  std::optional<int64_t> count =
      args.size() < 3 ? std::nullopt : importer.getConstant(args[2]);
  Node to = args.empty() || args[0].getElementsOf("args").empty()
                ? Node()
                : args[0].getElementsOf("args").front();
  if (!count || *count < 1 || *count > 64 || !to.is("BufferLoad"))
    return importer.refuse(call, getConstruct(getCallee(call)),
                           getWayOut(getCallee(call)));
  OpBuilder &builder = importer.builder;
  Location loc = importer.getLoc(call);
  Value holds;
  if (args.size() > 3)
    holds = importer.getMatching(args[3], builder.getI1Type());
  SmallVector<Value> places = importer.getIndices(
      to.get("buffer"), to.getElementsOf("indices"));
  for (int64_t i = 0; i < *count; ++i) {
    Value element = importer.loadPointer(args[1], i);
    if (holds) {
      Value zero = importer.constant(element.getType(), int64_t(0));
      element = arith::SelectOp::create(builder, loc, holds, element, zero);
    }
    SmallVector<Value> place = places;
    if (i)
      place.back() = arith::AddIOp::create(builder, loc, place.back(),
                                           importer.constantIndex(i));
    memref::StoreOp::create(builder, loc, element,
                            importer.getBuffer(to.get("buffer")).value, place);
  }
}

static void skip(Importer &, Node) {}

static void leave(Importer &importer, Node call) { importer.leaveLoop(call); }

static void skipHint(Importer &importer, Node call) {
  importer.remarkDropped(call, "the hint '" + getCallee(call) + "'");
}

static void skipBarrier(Importer &importer, Node call) {
  if (importer.inParallel)
    return importer.refuse(call, "a barrier among statements of single threads",
                           "move it out of the branch");
  importer.remarkDropped(call, "T.sync_threads: barriers are inserted");
}

namespace {
using Translate = void (*)(Importer &, Node);
} // namespace

static Translate getTranslation(StringRef name) {
  static const llvm::StringMap<Translate> translations = {
      {"copy", translateCopy},
      {"fill", translateFill},
      {"gemm", translateGemm},
      {"gemm_py", translateGemm},
      {"gemm_sp", translateSparseGemm},
      {"gemm_sp_py", translateSparseGemm},
      {"reduce", translateReduce},
      {"cumsum", translateScan<ScanKind::Sum>},
      {"cummax", translateScan<ScanKind::Max>},
      {"transpose", translateTranspose},
      {"im2col", translateIm2Col},
      {"c2d_im2col", translateIm2Col},
      {"atomicadd", translateTileAtomic<AtomicKind::Add>},
      {"atomicmax", translateTileAtomic<AtomicKind::Max>},
      {"atomicmin", translateTileAtomic<AtomicKind::Min>},
      {"atomic_store_elem_op", translateAtomicStore},
      {"reducer_init", initializeReducer},
      {"reducer_update", updateReducerCall},
      {"finalize_reducer", skip},
      {"finalize_reducer_v2", finalizeReducer},
      {"device_assert", translateAssertion},
      {"device_assert_with_msg", translateAssertion},
      {"assume", translateAssume},
      {"type_annotation", skip},
      {"rng_init", beginNumbers},
      {"break_loop", leave},
      {"continue_loop", leave},
      {"loop_break", leave},
      // Asynchronous forms.
      {"async_copy", translateAtOnce<translateCopy>},
      {"tma_copy", translateAtOnce<translateCopy>},
      {"ptx_cp_async", translateAtOnce<translateElementCopy>},
      {"wgmma_gemm", translateAtOnce<translateGemm>},
      {"tcgen05_gemm", translateAtOnce<translateGemm>},
      {"wait_wgmma", translateAtOnce<skip>},
      {"mbarrier_wait_parity", translateAtOnce<skip>},
      {"mbarrier_expect_tx", translateAtOnce<skip>},
      {"ptx_arrive_barrier", translateAtOnce<skip>},
      {"ptx_arrive_barrier_expect_tx", translateAtOnce<skip>},
      {"ptx_cp_async_barrier_noinc", translateAtOnce<skip>},
      {"ptx_commit_group", translateAtOnce<skip>},
      {"ptx_wait_group", translateAtOnce<skip>},
      {"warpgroup_arrive", translateAtOnce<skip>},
      {"warpgroup_wait", translateAtOnce<skip>},
      {"warpgroup_commit_batch", translateAtOnce<skip>},
      {"tcgen05_mma_arrive", translateAtOnce<skip>},
      {"tcgen05_before_thread_sync", translateAtOnce<skip>},
      {"tcgen05_after_thread_sync", translateAtOnce<skip>},
      {"deallocate_tmem", translateAtOnce<skip>},
      {"fence_proxy_async", translateAtOnce<skip>},
      {"tma_store_arrive", translateAtOnce<skip>},
      {"tma_store_wait", translateAtOnce<skip>},
      // Barriers and hints.
      {"tvm_storage_sync", skipBarrier},
      {"sync_threads", skipBarrier},
      {"sync_warp", skipBarrier},
      {"syncwarp", skipBarrier},
      {"set_max_nreg", skipHint},
      {"no_set_max_nreg", skipHint},
      {"annotate_producer_reg_dealloc", skipHint},
      {"annotate_consumer_reg_alloc", skipHint},
      {"pdl_sync", skipHint},
      {"pdl_trigger", skipHint},
  };
  if (name.starts_with("atomic_") && !name.contains("load") &&
      !name.contains("store"))
    return translateAtomic;
  return translations.lookup(name);
}

void Importer::evaluate(Node call) {
  ownWrites.clear();
  StringRef name = getCallee(call);
  if (Translate translate = getTranslation(name))
    return translate(*this, call);
  DataType type(call.getString("dtype"));
  if (type.element == "handle" || type.element == "void" ||
      type.element.empty())
    refuse(call, getConstruct(name), getWayOut(name));
  else
    (void)evaluateCall(call);
}
