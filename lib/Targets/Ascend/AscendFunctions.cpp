//===- AscendFunctions.cpp - repeated statements become functions ---------===//
//
// Part of the tile project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The steps of a loop with several iterations in flight differ in their
// buffers, flags and indices alone, and so do copies of tiles with a tail:
// statements in a row that repeat so are a function, with a call for each time.
//
//===----------------------------------------------------------------------===//

#include "AscendStatements.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

#include <map>
#include <numeric>
#include <optional>

using namespace llvm;
using namespace mlir::tile::ascend;

// What a function has at least, and what it has to save, in lines.
static constexpr size_t kFewestLines = 4;
static constexpr size_t kFewestSaved = 2;
static constexpr size_t kMostStatements = 48;
// Of those that save most by the number of lines alone.
static constexpr size_t kMostTried = 40;

namespace {
/// Statements in a row. They and those in them have the numbers [first, last).
struct Row {
  const Statements *list;
  size_t begin, end; // in the list
  size_t first, last;

  Statements copy() const {
    return {list->begin() + begin, list->begin() + end};
  }
};

class FunctionFinder {
public:
  FunctionFinder(Kernel &kernel, FunctionOrder order)
      : kernel(kernel), order(order) {}
  /// Whether there are new functions.
  bool run();

private:
  /// One statement, and a number that it shares with those of its shape.
  struct Entry {
    Row row;
    size_t shape, lines;
  };
  void collectShared(const Statements &list);
  void collect(const Statements &list);
  std::string getShape(const Row &row) const;
  bool isShared(StringRef variable) const;
  bool hasOwnVariables(const Row &row) const;
  std::vector<std::vector<Row>> findRepeated() const;
  /// A function of some rows, with a call for each, and the lines that it
  /// saves.
  struct Outlined {
    KernelFunction function;
    Statements calls;
    size_t saved;
  };
  std::optional<Outlined> outline(ArrayRef<Row> rows);
  std::optional<std::string> unify(ArrayRef<std::vector<Token>> tokens,
                                   size_t at);
  std::string getParameter(std::vector<std::string> arguments, StringRef type);
  std::string makeName(unsigned work);
  void take(ArrayRef<Row> rows, Outlined &outlined);
  void sortByLines(std::vector<std::vector<Row>> &repeated);
  Statements replaceRows(Statements &list);

  Kernel &kernel;
  FunctionOrder order;
  StringSet<> shared;         // of the kernel, with one value
  std::vector<Entry> entries; // of a list, one behind the other
  StringMap<size_t> shapes;
  size_t count = 0;
  std::vector<KernelFunction> functions;
  std::map<std::pair<const Statements *, size_t>, std::pair<size_t, Statement>>
      calls;

  // Of the function that is written.
  struct Argument {
    Parameter parameter;
    std::vector<std::string> texts; // of each call
  };
  std::vector<Argument> arguments;
  StringSet<> names;
  std::vector<StringSet<>> locals;              // of each row
  std::vector<StringMap<std::string>> localMap; // to those of the first row
};
} // namespace

static size_t countPrinted(function_ref<void(raw_ostream &)> print) {
  std::string text;
  raw_string_ostream os(text);
  print(os);
  return StringRef(text).count('\n');
}

// Of most of what becomes a function.
static constexpr unsigned kDepth = 3;

size_t mlir::tile::ascend::countLines(Statements statements) {
  dropCasts(statements);
  return countPrinted(
      [&](raw_ostream &os) { printStatements(statements, kDepth, os); });
}

//===----------------------------------------------------------------------===//
// Statements
//===----------------------------------------------------------------------===//

/// What the kernel computes once, outside of its loops: functions use it as it
/// is.
void FunctionFinder::collectShared(const Statements &list) {
  for (const Statement &statement : list) {
    if (statement.kind == Statement::Loop)
      continue;
    if (statement.kind == Statement::Constant ||
        statement.kind == Statement::Tensors)
      shared.insert_range(statement.names);
    collectShared(statement.body);
    collectShared(statement.other);
  }
}

static bool hasKind(const Statements &list,
                    std::initializer_list<Statement::Kind> kinds) {
  return llvm::any_of(list, [&](const Statement &statement) {
    return is_contained(kinds, statement.kind) ||
           hasKind(statement.body, kinds) || hasKind(statement.other, kinds);
  });
}

/// Declarations of tensors stay where they are, and so does what gives a value
/// to a variable from outside.
std::string FunctionFinder::getShape(const Row &row) const {
  Statements copy = row.copy();
  if (hasKind(copy, {Statement::Section, Statement::Assigned,
                     Statement::Declared, Statement::Tensors}))
    return "at " + std::to_string(row.first);
  std::string shape;
  visitTokens(copy, kernel, [&](const Token &token) {
    shape += token.kind == Token::Variable ? "$"
             : token.kind == Token::Number ? "#"
             : token.kind == Token::Sum    ? " + #"
             : token.kind == Token::Index  ? "[#]"
                                           : token.text;
  });
  return shape;
}

/// The statements of a list, and then those of the lists in it.
void FunctionFinder::collect(const Statements &list) {
  size_t begin = entries.size();
  entries.resize(begin + list.size());
  for (size_t i = 0; i < list.size(); ++i) {
    Row row{&list, i, i + 1, count++, 0};
    collect(list[i].body);
    collect(list[i].other);
    row.last = count;
    size_t shape =
        shapes.try_emplace(getShape(row), shapes.size()).first->second;
    entries[begin + i] = {row, shape, countLines(row.copy())};
  }
}

/// Also an element of an array with a number.
bool FunctionFinder::isShared(StringRef variable) const {
  auto [name, index] = variable.split('[');
  return shared.contains(name) &&
         llvm::all_of(index.drop_back(!index.empty()), isDigit);
}

/// Whether nothing behind them uses a variable that they declare.
bool FunctionFinder::hasOwnVariables(const Row &row) const {
  StringSet<> own;
  for (size_t i = row.begin; i < row.end; ++i)
    if (const Statement &statement = (*row.list)[i]; !statement.isBlock())
      own.insert_range(statement.names);
  if (own.empty())
    return true;
  StringSet<> behind = getVariables(
      Statements(row.list->begin() + row.end, row.list->end()), kernel);
  return llvm::none_of(
      own, [&](const auto &name) { return behind.contains(name.getKey()); });
}

//===----------------------------------------------------------------------===//
// Functions
//===----------------------------------------------------------------------===//

/// Of statements that become one.
static void keepCommonLines(Statements &list, const Statements &others) {
  for (auto [statement, other] : llvm::zip_equal(list, others)) {
    if (statement.line != other.line)
      statement.line = 0;
    keepCommonLines(statement.body, other.body);
    keepCommonLines(statement.other, other.other);
  }
}

/// What a name begins with, before its number.
static StringRef getStem(StringRef name) {
  if (name[0] == '-' || isDigit(name[0]))
    return "n";
  name = name.split('[').first;
  if (name.starts_with("gm_"))
    return "extent";
  return name.rtrim("0123456789").rtrim('_');
}

/// What a parameter is called: what its arguments have in common.
static std::string getStem(ArrayRef<std::string> texts, StringRef type) {
  StringRef stem = getStem(texts[0]);
  if (llvm::any_of(texts,
                   [&](StringRef text) { return getStem(text) != stem; }))
    return isTensor(type) ? "tile" : "n";
  return stem.str();
}

/// The name of the parameter that has these arguments.
std::string FunctionFinder::getParameter(std::vector<std::string> texts,
                                         StringRef type) {
  auto known = llvm::find_if(arguments, [&](const Argument &argument) {
    return argument.texts == texts;
  });
  if (known != arguments.end())
    return known->parameter.name;
  std::string stem = getStem(texts, type), name = stem;
  // Names of the source may be words of C++ without a number behind them.
  static const StringSet<> own{"n",   "v",  "i",    "b",     "s",
                               "g",   "ub", "l1",   "l0a",   "l0b",
                               "l0c", "bt", "tile", "extent"};
  for (unsigned i = 1; (i == 1 && !own.contains(stem)) ||
                       shared.contains(name) || !names.insert(name).second;
       ++i)
    name = stem + (stem == "n" ? "" : "_") + std::to_string(i);
  arguments.push_back({{type.str(), name}, std::move(texts)});
  return name;
}

/// What a token of all rows is in their function; nothing if they differ in
/// what cannot be a parameter.
std::optional<std::string>
FunctionFinder::unify(ArrayRef<std::vector<Token>> tokens, size_t at) {
  const Token &first = tokens[0][at];
  std::vector<std::string> texts;
  unsigned inside = 0;
  bool isIndexed = false; // by a variable that its row declares
  for (auto [i, row] : llvm::enumerate(tokens)) {
    const std::string &text = row[at].text;
    texts.push_back(text);
    if (row[at].kind == Token::Variable)
      for (StringRef word : getIndexVariables(text))
        isIndexed |= locals[i].contains(word);
    if (row[at].kind != Token::Variable || !locals[i].contains(text))
      continue;
    ++inside;
    // A local variable is the same one of all rows.
    auto [known, isNew] = localMap[i].try_emplace(text, first.text);
    if (known->second != first.text)
      return std::nullopt;
  }
  if (inside != 0 && inside != tokens.size())
    return std::nullopt;
  if (isIndexed)
    return llvm::all_equal(texts) ? std::optional(first.text) : std::nullopt;
  bool isVariable = first.kind == Token::Variable;
  if (inside != 0 ||
      (llvm::all_equal(texts) && (!isVariable || isShared(first.text))))
    return first.text;
  // Braces take no number of another width.
  if (!isVariable && first.isFixed)
    return std::nullopt;
  std::string type = isVariable ? kernel.getType(first.text) : "int64_t";
  if (isVariable)
    for (const std::string &text : texts)
      if (kernel.getType(text) != type || kernel.ambiguous.contains(text))
        return std::nullopt;
  return getParameter(std::move(texts), type);
}

std::optional<FunctionFinder::Outlined>
FunctionFinder::outline(ArrayRef<Row> rows) {
  if (rows.size() < 2)
    return std::nullopt;
  arguments.clear();
  names.clear();
  locals.assign(rows.size(), {});
  localMap.assign(rows.size(), {});
  std::vector<std::vector<Token>> tokens;
  for (auto [i, row] : llvm::enumerate(rows)) {
    Statements copy = row.copy();
    tokens.push_back(getTokens(copy, kernel));
    collectNames(copy, locals[i]);
  }
  for (const auto &local : locals[0])
    names.insert(local.getKey());
  if (!llvm::all_equal(
          llvm::map_range(tokens, [](const auto &row) { return row.size(); })))
    return std::nullopt;
  std::vector<std::string> unified;
  for (size_t at = 0; at < tokens[0].size(); ++at) {
    bool isText = tokens[0][at].kind == Token::Text;
    std::optional<std::string> text =
        isText ? tokens[0][at].text : unify(tokens, at);
    if (!text)
      return std::nullopt;
    unified.push_back(*text);
  }
  KernelFunction function;
  function.name = "compute"; // until it is taken
  for (const Argument &argument : arguments)
    function.parameters.push_back(argument.parameter);
  function.body = rows[0].copy();
  for (const Row &row : rows)
    keepCommonLines(function.body, row.copy());
  size_t at = 0;
  mapTokens(function.body, kernel,
            [&](const Token &) { return unified[at++]; });
  // A blank line in front of it.
  KernelFunction copy = function;
  dropCasts(copy.body);
  size_t before = 0, behind = 1 + countPrinted([&](raw_ostream &os) {
                                printFunction(copy, 1, os);
                              });
  Statements all;
  for (auto [i, row] : llvm::enumerate(rows)) {
    Statement &call = all.emplace_back();
    call.kind = Statement::Call;
    call.text = function.name;
    call.line = (*row.list)[row.begin].line;
    for (const Argument &argument : arguments)
      call.values.push_back(argument.texts[i]);
    before += countLines(row.copy());
    behind += countLines({call});
  }
  if (before < behind + kFewestSaved)
    return std::nullopt;
  return Outlined{std::move(function), std::move(all), before - behind};
}

/// Statements in a row that stand in several places, those that save most
/// first.
std::vector<std::vector<Row>> FunctionFinder::findRepeated() const {
  std::vector<std::pair<size_t, std::vector<Row>>> found;
  // The rows of a number of statements, by their shape.
  std::vector<size_t> open(entries.size()), shape(entries.size(), 0);
  std::vector<size_t> lines(entries.size(), 0);
  std::iota(open.begin(), open.end(), 0);
  for (size_t length = 1; length <= kMostStatements && !open.empty();
       ++length) {
    std::map<std::pair<size_t, size_t>, std::vector<size_t>> alike;
    for (size_t first : open) {
      size_t last = first + length - 1;
      if (last < entries.size() &&
          entries[last].row.list == entries[first].row.list)
        alike[{shape[first], entries[last].shape}].push_back(first);
    }
    open.clear();
    size_t number = 0;
    for (auto &[key, places] : alike) {
      ++number;
      if (places.size() < 2)
        continue;
      std::vector<Row> apart;
      size_t taken = 0, size = 0;
      for (size_t first : places) {
        const Entry &begin = entries[first], &end = entries[first + length - 1];
        shape[first] = number;
        size = lines[first] += end.lines;
        open.push_back(first);
        // Nor is all of a function another one.
        const Statements *list = begin.row.list;
        bool isFunction =
            length == list->size() &&
            llvm::any_of(kernel.functions, [&](KernelFunction &all) {
              return &all.body == list;
            });
        if (begin.row.first < taken || isFunction)
          continue;
        taken = end.row.last;
        apart.push_back({list, begin.row.begin, end.row.end, begin.row.first,
                         end.row.last});
      }
      size_t without = apart.size() * size, with = apart.size() + size + 3;
      size_t saved = without > with ? without - with : 0;
      if (size >= kFewestLines && saved >= kFewestSaved)
        found.emplace_back(saved, std::move(apart));
    }
    llvm::sort(open);
  }
  llvm::stable_sort(
      found, [](const auto &a, const auto &c) { return a.first > c.first; });
  std::vector<std::vector<Row>> all;
  for (auto &[saved, rows] : found)
    all.push_back(std::move(rows));
  return all;
}

/// A list with calls in the place of rows.
Statements FunctionFinder::replaceRows(Statements &list) {
  Statements replaced;
  for (size_t i = 0; i < list.size();) {
    if (auto call = calls.find({&list, i}); call != calls.end()) {
      replaced.push_back(std::move(call->second.second));
      i = call->second.first;
      continue;
    }
    Statements body = replaceRows(list[i].body),
               other = replaceRows(list[i].other);
    replaced.push_back(std::move(list[i++]));
    replaced.back().body = std::move(body);
    replaced.back().other = std::move(other);
  }
  return replaced;
}

/// Those that save most lines come first.
void FunctionFinder::sortByLines(std::vector<std::vector<Row>> &repeated) {
  std::vector<std::pair<size_t, std::vector<Row>>> saved;
  for (std::vector<Row> &rows : repeated) {
    llvm::erase_if(rows, [&](const Row &row) { return !hasOwnVariables(row); });
    if (auto outlined =
            saved.size() < kMostTried ? outline(rows) : std::nullopt)
      saved.emplace_back(outlined->saved, std::move(rows));
  }
  llvm::stable_sort(
      saved, [](const auto &a, const auto &c) { return a.first > c.first; });
  repeated.clear();
  for (auto &[lines, rows] : saved)
    repeated.push_back(std::move(rows));
}

static unsigned getWork(const Statements &list) {
  unsigned work = 0;
  for (const Statement &statement : list)
    work |= statement.work | getWork(statement.body) | getWork(statement.other);
  return work;
}

/// By what it does, and a number.
std::string FunctionFinder::makeName(unsigned work) {
  std::string stem, name;
  for (auto [one, verb] : {std::pair(Loads, "load"),
                           {Multiplies, "multiply"},
                           {Computes, "compute"},
                           {Stores, "store"}})
    if (work & one)
      stem += stem.empty() ? std::string(verb)
                           : char(toUpper(verb[0])) + std::string(verb + 1);
  stem = work ? stem : "signal";
  name = stem;
  for (unsigned i = 2;
       kernel.types.contains(name) || !kernel.functionNames.insert(name).second;
       ++i)
    name = stem + std::to_string(i);
  return name;
}

void FunctionFinder::take(ArrayRef<Row> rows, Outlined &outlined) {
  unsigned work = getWork(outlined.function.body);
  std::string name = makeName(work);
  for (auto [row, call] : llvm::zip_equal(rows, outlined.calls)) {
    call.text = name;
    call.work = work;
    calls[{row.list, row.begin}] = {row.end, std::move(call)};
  }
  outlined.function.name = name;
  for (const Parameter &parameter : outlined.function.parameters)
    kernel.addVariable(parameter.type, parameter.name);
  functions.push_back(std::move(outlined.function));
}

bool FunctionFinder::run() {
  for (const Parameter &parameter : kernel.entry.parameters)
    shared.insert(parameter.name);
  collectShared(kernel.entry.body);
  for (const KernelFunction &function : kernel.functions)
    collect(function.body);
  collect(kernel.entry.body);
  std::vector<std::vector<Row>> repeated = findRepeated();
  if (order == FunctionOrder::Lines)
    sortByLines(repeated);
  std::vector<Row> taken;
  for (std::vector<Row> &rows : repeated) {
    size_t all = rows.size();
    llvm::erase_if(rows, [&](const Row &row) {
      return !hasOwnVariables(row) ||
             llvm::any_of(taken, [&](const Row &other) {
               return other.first < row.last && row.first < other.last;
             });
    });
    // The others in the next round.
    if (order == FunctionOrder::Lines && rows.size() != all)
      continue;
    if (std::optional<Outlined> outlined = outline(rows)) {
      llvm::append_range(taken, rows);
      take(rows, *outlined);
    }
  }
  for (KernelFunction &function : kernel.functions)
    function.body = replaceRows(function.body);
  kernel.entry.body = replaceRows(kernel.entry.body);
  llvm::append_range(kernel.functions, functions);
  return !taken.empty();
}

//===----------------------------------------------------------------------===//
// Functions with one call
//===----------------------------------------------------------------------===//

/// Calls `visit` for the lists of a kernel and its functions.
static void
walkKernel(Kernel &kernel,
           function_ref<void(KernelFunction &, Statements &)> visit) {
  auto walk = [&](KernelFunction &function) {
    walkLists(function.body, [&](Statements &list) { visit(function, list); });
  };
  for (KernelFunction &function : kernel.functions)
    walk(function);
  walk(kernel.entry);
}

/// Puts the body of a function in the place of its call; false if a variable of
/// the body is one of the function around the call.
static bool inlineCall(Kernel &kernel, KernelFunction &callee,
                       KernelFunction &around, Statements &list, size_t at) {
  StringMap<std::string> given;
  for (auto [parameter, value] :
       llvm::zip_equal(callee.parameters, list[at].values))
    given[parameter.name] = value;
  StringSet<> own, others = getVariables(around.body, kernel);
  collectNames(callee.body, own);
  for (const Parameter &parameter : around.parameters)
    others.insert(parameter.name);
  StringSet<> values = getVariables({list[at]}, kernel);
  if (llvm::any_of(own, [&](const auto &name) {
        bool isCounter = name.getKey() == kCall || name.getKey() == kRound;
        return (isCounter ? values : others).contains(name.getKey());
      }))
    return false;
  mapTokens(callee.body, kernel, [&](const Token &token) {
    auto argument = given.find(token.text);
    return token.kind == Token::Variable && argument != given.end()
               ? argument->second
               : token.text;
  });
  Statements body = std::move(callee.body);
  list.erase(list.begin() + at);
  list.insert(list.begin() + at, std::make_move_iterator(body.begin()),
              std::make_move_iterator(body.end()));
  return true;
}

/// Of functions whose other calls became those of functions around them, one
/// call is left: they go to its place. Whether there were any.
static bool inlineSingleCalls(Kernel &kernel) {
  bool isChanged = false;
  for (size_t i = 0; i < kernel.functions.size();) {
    KernelFunction &callee = kernel.functions[i];
    unsigned count = 0;
    KernelFunction *around = nullptr;
    Statements *place = nullptr;
    size_t index = 0;
    walkKernel(kernel, [&](KernelFunction &function, Statements &list) {
      for (auto [at, statement] : llvm::enumerate(list))
        if (statement.kind == Statement::Call &&
            statement.text == callee.name) {
          ++count;
          std::tie(around, place, index) = std::tuple(&function, &list, at);
        }
    });
    if (count != 1 || !inlineCall(kernel, callee, *around, *place, index)) {
      ++i;
      continue;
    }
    kernel.functions.erase(kernel.functions.begin() + i);
    isChanged = true;
    i = 0;
  }
  return isChanged;
}

static bool callsFunction(const Statements &list, StringRef name) {
  return llvm::any_of(list, [&](const Statement &statement) {
    return (statement.kind == Statement::Call && statement.text == name) ||
           callsFunction(statement.body, name) ||
           callsFunction(statement.other, name);
  });
}

/// Each function behind those that it calls, of this round or another.
static void sortFunctions(std::vector<KernelFunction> &functions) {
  std::vector<KernelFunction> sorted;
  while (!functions.empty()) {
    auto next = llvm::find_if(functions, [&](const KernelFunction &function) {
      return llvm::none_of(functions, [&](const KernelFunction &other) {
        return callsFunction(function.body, other.name);
      });
    });
    assert(next != functions.end() && "a function does not call itself");
    sorted.push_back(std::move(*next));
    functions.erase(next);
  }
  functions = std::move(sorted);
}

void mlir::tile::ascend::outlineRepeated(Kernel &kernel, FunctionOrder order) {
  // What went to the place of a call may be like what stands elsewhere.
  do {
    while (FunctionFinder(kernel, order).run()) {
    }
  } while (inlineSingleCalls(kernel));
  sortFunctions(kernel.functions);
}
