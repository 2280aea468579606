//===- Tuning.cpp - values of parameters that were found ------------------===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Tile/CostModel/Tuning.h"

#include "Tile/CostModel/Describe.h"
#include "Tile/Dialect/Tile/IR/Tile.h"
#include "Tile/Dialect/Tile/IR/TileAttrs.h"
#include "Tile/Driver/Backend.h"
#include "Tile/Driver/JSON.h"

#include "mlir/IR/Remarks.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/SHA256.h"

using namespace mlir;
using namespace mlir::tile;

static constexpr StringLiteral kFormat = "tile-tuning";
static constexpr int64_t kVersion = 1;
// Nobody tunes for so many sizes; larger files are something else.
static constexpr uint64_t kMaxBytes = 16 << 20;

//===----------------------------------------------------------------------===//
// Numbers by name
//===----------------------------------------------------------------------===//

std::optional<NamedNumbers> mlir::tile::parseNamedNumbers(StringRef text) {
  NamedNumbers numbers;
  SmallVector<StringRef> parts;
  llvm::SplitString(text, parts, " ,");
  for (StringRef part : parts) {
    auto [name, number] = part.split('=');
    int64_t value;
    if (name.empty() || number.getAsInteger(10, value) || value < 0 ||
        !numbers.emplace(name.str(), value).second)
      return std::nullopt;
  }
  return numbers;
}

std::string mlir::tile::formatNamedNumbers(const NamedNumbers &numbers) {
  std::string text;
  for (auto &[name, value] : numbers)
    text += (text.empty() ? "" : " ") + name + "=" + std::to_string(value);
  return text;
}

//===----------------------------------------------------------------------===//
// Files
//===----------------------------------------------------------------------===//

void TuningRecord::add(TuningEntry entry) {
  llvm::erase_if(entries, [&](const TuningEntry &old) {
    return old.function == entry.function && old.sizes == entry.sizes;
  });
  entries.push_back(std::move(entry));
}

std::string TuningRecord::write() const {
  llvm::json::Array list;
  for (const TuningEntry &entry : entries) {
    llvm::json::Object sizes, parameters;
    for (auto &[name, range] : entry.sizes)
      sizes[name] = llvm::json::Array{range.first, range.second};
    for (auto &[name, value] : entry.parameters)
      parameters[name] = value;
    list.push_back(llvm::json::Object{{"function", entry.function},
                                      {"source", entry.sourceHash},
                                      {"sizes", std::move(sizes)},
                                      {"parameters", std::move(parameters)},
                                      {"seconds", entry.seconds},
                                      {"default_seconds", entry.defaultSeconds},
                                      {"measured", entry.measured}});
  }
  llvm::json::Object object{{"format", kFormat},
                            {"version", kVersion},
                            {"chip", chip},
                            {"entries", std::move(list)}};
  return llvm::formatv("{0:2}\n", llvm::json::Value(std::move(object)));
}

static bool readSizes(const llvm::json::Object &object, TuningEntry &entry) {
  for (auto &[name, value] : object) {
    const llvm::json::Array *range = value.getAsArray();
    if (!range || range->size() != 2)
      return false;
    auto from = (*range)[0].getAsInteger(), to = (*range)[1].getAsInteger();
    if (!from || !to || *from < 0 || *from > *to)
      return false;
    entry.sizes[name.str()] = {*from, *to};
  }
  return true;
}

static bool readEntry(const llvm::json::Value &value, TuningEntry &entry) {
  const llvm::json::Object *object = value.getAsObject();
  if (!object)
    return false;
  auto function = object->getString("function");
  auto source = object->getString("source");
  const llvm::json::Object *sizes = object->getObject("sizes");
  const llvm::json::Object *parameters = object->getObject("parameters");
  auto seconds = object->getNumber("seconds");
  auto defaultSeconds = object->getNumber("default_seconds");
  auto measured = object->getBoolean("measured");
  if (!function || !source || !sizes || !parameters || !seconds ||
      !defaultSeconds || !measured || !readSizes(*sizes, entry))
    return false;
  for (auto &[name, number] : *parameters) {
    auto integer = number.getAsInteger();
    if (!integer)
      return false;
    entry.parameters[name.str()] = *integer;
  }
  entry.function = function->str();
  entry.sourceHash = source->str();
  entry.seconds = *seconds;
  entry.defaultSeconds = *defaultSeconds;
  entry.measured = *measured;
  return true;
}

static std::optional<TuningRecord> readRecord(const llvm::json::Value &value,
                                              std::string &error) {
  const llvm::json::Object *object = value.getAsObject();
  auto format = object ? object->getString("format") : std::nullopt;
  if (!format || *format != kFormat) {
    error = "expected a record of tile-tune";
    return std::nullopt;
  }
  auto version = object->getInteger("version");
  if (!version || *version != kVersion) {
    error = llvm::formatv("expected version {0} of the format, got {1}",
                          kVersion, version ? std::to_string(*version) : "none");
    return std::nullopt;
  }
  TuningRecord record;
  auto chip = object->getString("chip");
  const llvm::json::Array *entries = object->getArray("entries");
  bool good = chip && entries;
  for (size_t i = 0; good && i < entries->size(); ++i)
    good = readEntry((*entries)[i], record.entries.emplace_back());
  if (!good) {
    error = "the record is incomplete or damaged; tune again";
    return std::nullopt;
  }
  record.chip = chip->str();
  return record;
}

std::optional<TuningRecord>
mlir::tile::readTuningRecord(StringRef path, std::string &error) {
  auto buffer = llvm::MemoryBuffer::getFile(path, /*IsText=*/true);
  if (!buffer) {
    error = buffer.getError().message();
    return std::nullopt;
  }
  if ((*buffer)->getBufferSize() > kMaxBytes) {
    error = "expected a record of tile-tune, got a file of " +
            std::to_string((*buffer)->getBufferSize()) + " bytes";
    return std::nullopt;
  }
  llvm::Expected<llvm::json::Value> value =
      parseJSON((*buffer)->getBuffer());
  if (value)
    return readRecord(*value, error);
  llvm::consumeError(value.takeError());
  error = "expected a record of tile-tune, got no JSON";
  return std::nullopt;
}

//===----------------------------------------------------------------------===//
// Sources
//===----------------------------------------------------------------------===//

std::string mlir::tile::hashSource(ModuleOp module, StringRef function) {
  // The same for linalg and the kernels that it becomes.
  FailureOr<OwningOpRef<ModuleOp>> prepared = prepareEstimate(module);
  if (failed(prepared))
    return "";
  OwningOpRef<ModuleOp> copy = std::move(*prepared);
  (*copy)->removeAttr(kBindingsAttrName);
  (*copy)->removeAttr("tile.target");
  (void)keepFunctions(*copy, {function.str()});
  auto named = copy->lookupSymbol<FunctionOpInterface>(function);
  for (StringRef name : {"tile.cases", "tile.atol", "tile.rtol"})
    named->removeAttr(name);
  std::string text;
  llvm::raw_string_ostream os(text);
  copy->print(os, OpPrintingFlags().printGenericOpForm());
  llvm::SHA256 hash;
  hash.update(text);
  return llvm::toHex(hash.final(), /*LowerCase=*/true);
}

static bool matches(const TuningEntry &entry, const NamedNumbers &sizes) {
  return llvm::all_of(entry.sizes, [&](const auto &named) {
    auto size = sizes.find(named.first);
    return size != sizes.end() && named.second.first <= size->second &&
           size->second <= named.second.second;
  });
}

static LogicalResult bind(ModuleOp module, const TuningEntry &entry) {
  std::vector<std::string> bindings;
  for (auto &[name, value] : entry.parameters)
    bindings.push_back(name + "=" + std::to_string(value));
  // What was asked for by hand goes before.
  if (auto given = module->getAttrOfType<DictionaryAttr>(kBindingsAttrName))
    llvm::erase_if(bindings, [&](StringRef binding) {
      return given.contains(binding.split('=').first);
    });
  return addBindings(module, bindings);
}

LogicalResult mlir::tile::applyTuning(ModuleOp module, StringRef path,
                                      StringRef chip, StringRef function,
                                      StringRef sizes) {
  std::string error;
  std::optional<TuningRecord> record = readTuningRecord(path, error);
  if (!record)
    return module.emitError("cannot use the tuning record '")
           << path << "': " << error;
  auto target = module->getAttrOfType<TargetAttr>("tile.target");
  std::string name = chip.empty() && target ? getTarget(target).name.str() : chip.str();
  // Code for a CPU is made for the one that is here.
  const ::tile::target::Target *recorded =
      ::tile::target::lookupTarget(record->chip);
  bool isCPU = name.empty() && recorded &&
               recorded->vendor == ::tile::target::Vendor::CPU;
  if (name != record->chip && !isCPU)
    return module.emitError("cannot use the tuning record '")
           << path << "': it is for " << record->chip << ", not for "
           << (name.empty() ? "a module without a chip" : name);
  std::optional<NamedNumbers> known = parseNamedNumbers(sizes);
  if (!known)
    return module.emitError("expected sizes NAME=NUMBER of at least 0, each "
                            "once, got '")
           << sizes << "'";
  std::string hash = hashSource(module, function);
  bool isKnown = false;
  for (const TuningEntry &entry : record->entries) {
    if (entry.function != function)
      continue;
    if (entry.sourceHash != hash)
      return module.emitError("cannot use the tuning record '")
             << path << "': it is of another version of '@" << function
             << "'; tune again";
    isKnown = true;
    if (matches(entry, *known))
      return bind(module, entry);
  }
  auto options = remark::RemarkOpts::name("Tuning").category("tile-apply-tuning");
  remark::missed(module.getLoc(), options)
      << remark::reason("'@{0}' has its defaults: the record has {1}", function,
                        isKnown ? "no entry of these sizes"
                                : "no entry of this function");
  return success();
}
