//===- Reference.cpp - the reference of the language, by name -------------===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Reference.h"

#include "llvm/ADT/StringExtras.h"

using namespace mlir::tile;
using llvm::StringRef;

static constexpr const char *kPages[] = {
#include "ReferencePages.inc"
};

/// Attributes of ops are tables in HTML.
static constexpr llvm::StringLiteral kRow = "<tr><td>";

/// The text between two others, and none where one of them is missing.
static StringRef between(StringRef text, StringRef before, StringRef behind) {
  size_t begin = text.find(before);
  if (begin == StringRef::npos)
    return {};
  text = text.drop_front(begin + before.size());
  size_t end = text.find(behind);
  return end == StringRef::npos ? StringRef() : text.take_front(end);
}

/// The name of "### `tile.copy` (tile::CopyOp)", or of the attribute or type
/// whose syntax is "#tile.fact<".
static StringRef findName(StringRef section) {
  StringRef heading = section.take_until([](char c) { return c == '\n'; });
  if (StringRef name = between(heading, "`", "`"); !name.empty())
    return name;
  StringRef syntax = between(section, "Syntax:\n\n```\n", "\n```");
  if (!syntax.starts_with("#") && !syntax.starts_with("!"))
    return {};
  return syntax.take_until([](char c) { return c == '<' || c == '\n'; });
}

void Reference::addEntry(StringRef section) {
  Entry entry;
  entry.name = findName(section);
  // Interfaces, and enumerations, which attributes show.
  if (entry.name.empty() || places.contains(entry.name))
    return;
  entry.text = section.rtrim();
  entry.summary = between(section, "\n_", "_\n");
  StringRef rows = between(section, "#### Attributes:", "</table>");
  for (size_t at = rows.find(kRow); at != StringRef::npos; at = rows.find(kRow)) {
    auto [row, next] = rows.drop_front(at + kRow.size()).split("</td></tr>");
    auto [name, rest] = row.split("</td><td>");
    auto [type, text] = rest.split("</td><td>");
    entry.attributes.push_back(
        {between(name, "<code>", "</code>"), type, text});
    rows = next;
  }
  places[entry.name] = entries.size();
  entries.push_back(std::move(entry));
}

void Reference::addPage(StringRef page) {
  auto [ignored, rest] = page.split("\n### ");
  while (!rest.empty()) {
    auto [section, next] = rest.split("\n### ");
    // The last one of a chapter ends where the next chapter begins.
    addEntry(section.take_front(section.find("\n## ")));
    rest = next;
  }
}

Reference::Reference() {
  for (const char *page : kPages)
    addPage(page);
}

const Reference &Reference::get() {
  static const Reference reference;
  return reference;
}

const Reference::Entry *Reference::find(StringRef name) const {
  auto place = places.find(name);
  return place == places.end() ? nullptr : &entries[place->second];
}
