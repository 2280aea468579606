//===- Records.cpp - target records as the backends see them --------------===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Records.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/TableGen/Error.h"

using namespace llvm;
using namespace tile::tblgen;

static bool inOrder(const Record *a, const Record *b) {
  return a->getID() < b->getID();
}

std::vector<const Record *>
tile::tblgen::definitionsInOrder(const RecordKeeper &records, StringRef name) {
  // TableGen sorts by name.
  std::vector<const Record *> found =
      records.getAllDerivedDefinitions(name).vec();
  llvm::sort(found, inOrder);
  return found;
}

std::vector<Enum> tile::tblgen::enumerations(const RecordKeeper &records) {
  std::vector<Enum> enums;
  for (const Record *def : definitionsInOrder(records, "EnumCase")) {
    StringRef name = def->getValueAsString("enumName");
    auto it = llvm::find_if(enums, [&](Enum &e) { return e.name == name; });
    if (it == enums.end())
      it = enums.insert(it, {name, {}});
    it->cases.push_back(def);
  }
  return enums;
}

std::vector<const Record *> tile::tblgen::structs(const RecordKeeper &records) {
  std::vector<const Record *> found;
  for (const auto &[name, record] : records.getClasses()) {
    std::vector<const Record *> supers = record->getSuperClasses();
    if (supers.size() == 1 && supers.front()->getName() == "Struct")
      found.push_back(record.get());
  }
  llvm::sort(found, inOrder);
  return found;
}

const Record *tile::tblgen::structOf(const Record &record) {
  if (!record.isSubClassOf("Struct"))
    return nullptr;
  return record.getRecords().getClass(record.getValueAsString("structName"));
}

std::vector<StringRef> tile::tblgen::fieldsOf(const Record &structClass) {
  std::vector<StringRef> fields;
  for (const RecordVal &value : structClass.getValues()) {
    if (!structClass.isTemplateArg(value.getNameInit()) &&
        value.getName() != "structName")
      fields.push_back(value.getName());
  }
  return fields;
}

const Init *tile::tblgen::valueOf(const Record &record, StringRef field) {
  const RecordVal *value = record.getValue(field);
  if (isa<UnsetInit>(value->getValue())) {
    const auto *type = dyn_cast<RecordRecTy>(value->getType());
    if (type && !type->getClasses().empty() &&
        type->getClasses().front()->isSubClassOf("Struct"))
      return nullptr;
    PrintFatalError(record.getLoc(), "expected field '" + field + "' of " +
                                         record.getValueAsString("structName") +
                                         " to be set");
  }
  return value->getValue();
}

static void checkMma(const Record &target, const Record &row) {
  int64_t min = row.getValueAsInt("nMin"), max = row.getValueAsInt("nMax"),
          step = row.getValueAsInt("nStep");
  if (min < 1 || step < 1 || max < min || (max - min) % step != 0)
    PrintFatalError(target.getLoc(),
                    "expected N of '" + row.getValueAsString("instruction") +
                        "' to go from nMin to nMax in whole steps, got " +
                        Twine(min) + " to " + Twine(max) + " by " +
                        Twine(step));
}

std::vector<const Record *>
tile::tblgen::checkedTargets(const RecordKeeper &records) {
  std::vector<const Record *> targets = definitionsInOrder(records, "Target");
  StringMap<const Record *> names;
  for (const Record *target : targets) {
    // A field that is not set is an error whoever asks for it first.
    for (StringRef field : fieldsOf(*structOf(*target)))
      (void)valueOf(*target, field);
    std::vector<StringRef> own = target->getValueAsListOfStrings("aliases");
    own.push_back(target->getValueAsString("name"));
    for (StringRef name : own) {
      auto [it, inserted] = names.try_emplace(name, target);
      if (!inserted) {
        PrintError(target->getLoc(), "target '" + name + "' exists already");
        PrintFatalNote(it->second->getLoc(), "it is defined here");
      }
    }
    auto isSet = [&](StringRef field) {
      return valueOf(*target, field) != nullptr;
    };
    if (llvm::count_if(ArrayRef<StringRef>{"gpu", "ascend", "cpu"}, isSet) != 1)
      PrintFatalError(target->getLoc(),
                      "expected exactly one of 'gpu', 'ascend' and 'cpu' to be "
                      "set");
    for (const Record *row : target->getValueAsListOfDefs("mmas"))
      checkMma(*target, *row);
  }
  return targets;
}
