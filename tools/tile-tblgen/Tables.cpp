//===- Tables.cpp - target records as constant tables ---------------------===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Records.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/TableGen/TableGenBackend.h"

using namespace llvm;
using namespace tile::tblgen;

static void emitEnums(raw_ostream &os, ArrayRef<Enum> enums) {
  os << "#ifdef GET_TARGET_ENUMS\n#undef GET_TARGET_ENUMS\n";
  for (const Enum &e : enums) {
    os << formatv("enum class {0} : uint8_t {{\n", e.name);
    for (const Record *c : e.cases)
      os << "  " << c->getValueAsString("enumerator") << ",\n";
    os << formatv("};\ninline constexpr unsigned kNum{0}s = {1};\n", e.name,
                  e.cases.size());
    os << formatv("llvm::StringRef stringify({0} value);\n", e.name);
    os << formatv("std::optional<{0}> symbolize{0}(llvm::StringRef text);\n\n",
                  e.name);
  }
  os << "#endif\n\n";
}

static void emitEnumDefinitions(raw_ostream &os, ArrayRef<Enum> enums) {
  os << "#ifdef GET_TARGET_ENUM_DEFS\n#undef GET_TARGET_ENUM_DEFS\n";
  for (const Enum &e : enums) {
    os << formatv("static constexpr llvm::StringLiteral k{0}Names[] = {{\n",
                  e.name);
    for (const Record *c : e.cases)
      os << formatv("  \"{0}\",\n", c->getValueAsString("spelling"));
    os << formatv("};\nllvm::StringRef tile::target::stringify({0} value) {{\n"
                  "  return k{0}Names[static_cast<unsigned>(value)];\n}\n",
                  e.name);
    os << formatv(
        "std::optional<{0}> tile::target::symbolize{0}(llvm::StringRef text) "
        "{{\n  for (unsigned i = 0; i < kNum{0}s; ++i)\n"
        "    if (k{0}Names[i] == text)\n      return static_cast<{0}>(i);\n"
        "  return std::nullopt;\n}\n\n",
        e.name);
  }
  for (const Enum &e : enums) {
    if (!e.cases.front()->getValue("bitWidth"))
      continue;
    os << formatv("static constexpr uint8_t k{0}Bits[] = {{", e.name);
    for (const Record *c : e.cases)
      os << c->getValueAsInt("bitWidth") << ", ";
    os << formatv("};\nint tile::target::getBitWidth({0} value) {{\n"
                  "  return k{0}Bits[static_cast<unsigned>(value)];\n}\n",
                  e.name);
  }
  os << "#endif\n\n";
}

namespace {
/// Writes values as C++ initialisers. Lists and records become constants of
/// their own, each text once, above the place that uses them.
class TableEmitter {
public:
  TableEmitter(raw_ostream &os) : os(os) {}

  std::string value(const Init *init) {
    if (const auto *number = dyn_cast<IntInit>(init))
      return std::to_string(number->getValue());
    if (const auto *bit = dyn_cast<BitInit>(init))
      return bit->getValue() ? "true" : "false";
    if (const auto *text = dyn_cast<StringInit>(init))
      return formatv("\"{0}\"", text->getValue());
    if (const auto *list = dyn_cast<ListInit>(init))
      return array(*list);
    const Record &def = *cast<DefInit>(init)->getDef();
    if (const Record *type = structOf(def))
      return "&" + constant(type->getName().str(), "", fields(def));
    return (def.getValueAsString("enumName") +
            "::" + def.getValueAsString("enumerator"))
        .str();
  }

  /// "{1, 2}", one for each field of the struct.
  std::string fields(const Record &record) {
    std::vector<std::string> values;
    for (StringRef field : fieldsOf(*structOf(record))) {
      const Init *init = valueOf(record, field);
      values.push_back(init ? value(init) : "nullptr");
    }
    return "{" + llvm::join(values, ", ") + "}";
  }

private:
  std::string array(const ListInit &list) {
    if (list.empty())
      return "{}";
    std::vector<std::string> elements;
    for (const Init *init : list) {
      const auto *def = dyn_cast<DefInit>(init);
      bool isRow = def && structOf(*def->getDef());
      elements.push_back(isRow ? "\n  " + fields(*def->getDef()) : value(init));
    }
    return constant(elementType(list), "[]",
                    "{" + llvm::join(elements, ", ") + "}");
  }

  static std::string elementType(const ListInit &list) {
    const RecTy *type = list.getElementType();
    if (isa<IntRecTy>(type))
      return "int64_t";
    if (isa<StringRecTy>(type))
      return "llvm::StringRef";
    const Record &def = *cast<DefInit>(list.getElement(0))->getDef();
    const Record *row = structOf(def);
    return (row ? row->getName() : def.getValueAsString("enumName")).str();
  }

  std::string constant(const std::string &type, StringRef suffix,
                       const std::string &text) {
    auto [it, inserted] =
        names.try_emplace(type + text, "k" + std::to_string(names.size()));
    if (inserted)
      os << formatv("static constexpr {0} {1}{2} = {3};\n", type, it->second,
                    suffix, text);
    return it->second;
  }

  raw_ostream &os;
  StringMap<std::string> names;
};
} // namespace

/// The initialisers go by position: the structs must have the same fields in
/// the same order.
static void emitFieldChecks(raw_ostream &os, const RecordKeeper &records) {
  for (const Record *type : structs(records)) {
    std::vector<StringRef> fields = fieldsOf(*type);
    for (size_t i = 0; i + 1 < fields.size(); ++i)
      os << formatv("static_assert(offsetof({0}, {1}) < offsetof({0}, {2}));\n",
                    type->getName(), fields[i], fields[i + 1]);
  }
}

bool tile::tblgen::emitTables(raw_ostream &os, const RecordKeeper &records) {
  std::vector<const Record *> targets = checkedTargets(records);
  emitSourceFileHeader("Targets", os, records);
  std::vector<Enum> enums = enumerations(records);
  emitEnums(os, enums);
  emitEnumDefinitions(os, enums);
  os << "#ifdef GET_TARGET_TABLES\n#undef GET_TARGET_TABLES\n";
  emitFieldChecks(os, records);
  TableEmitter tables(os);
  std::string rows;
  for (const Record *target : targets)
    rows += "  " + tables.fields(*target) + ",\n";
  os << "static constexpr Target kTargets[] = {\n" << rows << "};\n#endif\n";
  return false;
}
