//===- Docs.cpp - target records as a support matrix ----------------------===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Records.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"

using namespace llvm;
using namespace tile::tblgen;

using Records = std::vector<const Record *>;

/// A value as one writes it: spellings, numbers, lists with commas.
static std::string text(const Init *init) {
  if (!init)
    return "";
  if (const auto *list = dyn_cast<ListInit>(init))
    return llvm::join(llvm::map_range(*list, text), ", ");
  if (const auto *bit = dyn_cast<BitInit>(init))
    return bit->getValue() ? "yes" : "no";
  if (const auto *def = dyn_cast<DefInit>(init)) {
    const Record &record = *def->getDef();
    return record.isSubClassOf("EnumCase")
               ? record.getValueAsString("spelling").str()
               : "";
  }
  return init->getAsUnquotedString();
}

static std::string textOf(const Record &record, StringRef field) {
  return text(valueOf(record, field));
}

/// maxThreadsPerSM: "max threads per SM". Words that go on in capitals or
/// digits stay as they are.
static std::string label(StringRef field) {
  SmallVector<std::string> words = {""};
  for (char c : field) {
    if (isUpper(c) && !words.back().empty() && !isUpper(words.back().back()))
      words.push_back("");
    words.back() += c;
  }
  for (std::string &word : words) {
    if (word.size() > 1 && isLower(word[1]))
      word[0] = toLower(word[0]);
  }
  return llvm::join(words, " ");
}

static void row(raw_ostream &os, ArrayRef<std::string> cells) {
  os << "| " << llvm::join(cells, " | ") << " |\n";
}

static void header(raw_ostream &os, ArrayRef<std::string> cells) {
  row(os, cells);
  os << "|" << llvm::join(SmallVector<std::string>(cells.size(), "---"), "|")
     << "|\n";
}

static void headerOfChips(raw_ostream &os, StringRef first,
                          const Records &targets) {
  std::vector<std::string> cells = {first.str()};
  for (const Record *target : targets)
    cells.push_back(textOf(*target, "name"));
  header(os, cells);
}

/// One line for each figure, one column for each chip.
static void figures(raw_ostream &os, const Records &targets, StringRef spec) {
  headerOfChips(os, "figure", targets);
  auto line = [&](StringRef name, function_ref<std::string(const Record &)> f) {
    std::vector<std::string> cells = {label(name)};
    for (const Record *target : targets)
      cells.push_back(f(*target));
    if (llvm::any_of(ArrayRef(cells).drop_front(),
                     [](const std::string &c) { return !c.empty(); }))
      row(os, cells);
  };
  for (StringRef field : {"aliases", "arch", "products", "features"})
    line(field, [&](const Record &t) { return textOf(t, field); });
  const Record *type = structOf(*targets.front()->getValueAsDef(spec));
  for (StringRef field : fieldsOf(*type)) {
    // Rows have tables of their own.
    const auto *list = dyn_cast<ListRecTy>(type->getValue(field)->getType());
    if (list && isa<RecordRecTy>(list->getElementType()) &&
        !cast<RecordRecTy>(list->getElementType())
             ->getClasses()
             .front()
             ->isSubClassOf("EnumCase"))
      continue;
    line(field, [&](const Record &t) {
      return textOf(*t.getValueAsDef(spec), field);
    });
  }
  os << "\n";
}

/// The rows of one field of all chips, each once, and who has it.
static void
matrix(raw_ostream &os, const Records &targets, ArrayRef<std::string> columns,
       function_ref<Records(const Record &)> rowsOf,
       function_ref<std::vector<std::string>(const Record &)> cells) {
  struct Line {
    std::vector<std::string> cells;
    Records owners;
  };
  std::vector<Line> lines;
  for (const Record *target : targets) {
    for (const Record *r : rowsOf(*target)) {
      std::vector<std::string> own = cells(*r);
      auto line = llvm::find_if(lines, [&](Line &l) { return l.cells == own; });
      if (line == lines.end())
        line = lines.insert(line, {own, {}});
      line->owners.push_back(target);
    }
  }
  std::vector<std::string> head(columns.begin(), columns.end());
  for (const Record *target : targets)
    head.push_back(textOf(*target, "name"));
  header(os, head);
  for (Line &line : lines) {
    for (const Record *target : targets)
      line.cells.push_back(llvm::is_contained(line.owners, target) ? "x" : "");
    row(os, line.cells);
  }
  os << "\n";
}

static std::string shape(const Record &r) {
  int64_t min = r.getValueAsInt("nMin"), max = r.getValueAsInt("nMax");
  std::string n = std::to_string(min);
  if (max != min)
    n += formatv("..{0} by {1}", max, r.getValueAsInt("nStep"));
  return formatv("{0} x {1} x {2}", r.getValueAsInt("m"), n,
                 r.getValueAsInt("k"));
}

static std::vector<std::string> mmaCells(const Record &r) {
  std::string types = textOf(r, "a");
  if (textOf(r, "b") != types)
    types += " by " + textOf(r, "b");
  if (int64_t block = r.getValueAsInt("scaleBlock"))
    types += formatv(", {0} for each {1}", textOf(r, "scale"), block);
  if (r.getValueAsBit("sparse"))
    types += "; A 2:4 sparse, too";
  std::string from = llvm::join(
      llvm::map_range(*r.getValueAsListInit("aSpaces"), text), " or ");
  return {"`" + textOf(r, "instruction") + "`",
          shape(r),
          types,
          textOf(r, "c"),
          from,
          textOf(r, "bSpace"),
          textOf(r, "layout")};
}

static std::vector<std::string> copyCells(const Record &r) {
  std::string size = textOf(r, "widths");
  if (int64_t granule = r.getValueAsInt("granule"))
    size = "multiples of " + std::to_string(granule);
  std::string notes;
  if (r.getValueAsBit("boundsChecked"))
    notes += "check bounds ";
  if (r.getValueAsBit("transposes"))
    notes += "transpose";
  return {"`" + textOf(r, "instruction") + "`", textOf(r, "engine"),
          textOf(r, "from") + " to " + textOf(r, "to"), size,
          StringRef(notes).trim().str()};
}

static Records ascendRows(const Record &target, StringRef field) {
  return target.getValueAsDef("ascend")->getValueAsListOfDefs(field);
}

static void ascendTables(raw_ostream &os, const Records &targets) {
  auto table = [&](StringRef title, StringRef field,
                   ArrayRef<std::string> columns, ArrayRef<StringRef> shown) {
    os << "### " << title << "\n\n";
    matrix(
        os, targets, columns,
        [&](const Record &t) { return ascendRows(t, field); },
        [&](const Record &r) {
          std::vector<std::string> cells;
          for (StringRef field : shown)
            cells.push_back(textOf(r, field));
          return cells;
        });
  };
  table("Memories", "memories",
        {"memory", "core", "bytes", "for programs", "alignment", "format"},
        {"space", "core", "bytes", "userBytes", "align", "format"});
  table("Flags", "flagPairs", {"core", "from", "to"}, {"core", "src", "dst"});
  table("Barriers", "barriers", {"core", "pipes"}, {"core", "engines"});
  table("Vector instructions", "vectorOps", {"instruction", "types"},
        {"name", "types"});
  table("Casts", "casts", {"from", "to"}, {"from", "to"});
  table("Casts of Fixpipe", "fixpipeCasts", {"from", "to"}, {"from", "to"});
}

bool tile::tblgen::emitDocs(raw_ostream &os, const RecordKeeper &records) {
  std::map<std::string, Records> byVendor;
  for (const Record *target : checkedTargets(records))
    byVendor[textOf(*target, "vendor")].push_back(target);
  os << "# Targets\n\n"
        "Generated from `include/Tile/Target/*.td` by `tile-tblgen "
        "-gen-target-docs`; the sources of the figures stand\nthere. `x`: the "
        "chip has it. Sizes of matrices are M x N x K in elements, sizes of "
        "copies bytes of one thread or, for an\nengine, of one instruction. A "
        "matrix instruction whose layout is empty and whose operands are "
        "registers is known but\ncannot be chosen yet.\n\n";
  for (StringRef vendor : {"NVIDIA", "AMD", "Ascend", "CPU"}) {
    const Records &targets = byVendor[vendor.str()];
    if (targets.empty())
      continue;
    os << "## " << vendor << "\n\n";
    figures(os, targets,
            vendor == "Ascend" ? "ascend"
            : vendor == "CPU"  ? "cpu"
                               : "gpu");
    if (vendor == "CPU")
      continue;
    os << "### Matrix instructions\n\n";
    matrix(
        os, targets,
        {"instruction", "M x N x K", "A and B", "C", "A from", "B from",
         "layout"},
        [](const Record &t) { return t.getValueAsListOfDefs("mmas"); },
        mmaCells);
    os << "### Copies\n\n";
    matrix(
        os, targets, {"instruction", "engine", "path", "bytes", "can"},
        [](const Record &t) { return t.getValueAsListOfDefs("copies"); },
        copyCells);
    if (vendor == "Ascend")
      ascendTables(os, targets);
  }
  return false;
}
