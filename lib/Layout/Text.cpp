//===- Text.cpp - The text form of layouts --------------------------------===//
//
// Part of the tile project, under the licence in the root of this repository.
//
//===----------------------------------------------------------------------===//

#include "Tile/Layout/Layout.h"

using namespace tile::layout;

//===----------------------------------------------------------------------===//
// Printing
//===----------------------------------------------------------------------===//

static std::string digitStr(const Digit &digit) {
  std::string text = std::to_string(digit.extent) + " ";
  if (digit.stride == 0)
    return text + "none";
  text += axisName(digit.axis);
  if (digit.stride != 1)
    text += "*" + std::to_string(digit.stride);
  return text;
}

static std::string digitsStr(const std::vector<Digit> &digits) {
  std::string text;
  for (size_t i = 0; i < digits.size(); ++i)
    text += (i ? ", " : "") + digitStr(digits[i]);
  return text;
}

std::string Layout::str() const {
  std::string text;
  for (const Dim &dim : dims_) {
    text += "[" + std::to_string(dim.extent);
    if (!dim.digits.empty())
      text += ": " + digitsStr(dim.digits);
    text += "]";
  }
  if (dims_.empty())
    text = "[]";
  if (!copies_.empty())
    text += " rep(" + digitsStr(copies_) + ")";
  if (!swizzle_.isIdentity())
    text += " swizzle(" + std::to_string(swizzle_.bits) + ", " +
            std::to_string(swizzle_.base) + ", " +
            std::to_string(swizzle_.shift) + ")";
  return text;
}

//===----------------------------------------------------------------------===//
// Parsing
//===----------------------------------------------------------------------===//

namespace {
class Parser {
public:
  Parser(std::string_view text) : text(text) {}

  Result<Layout> parse() {
    bool ok = parseDims() && parseCopies() && parseSwizzle();
    if (ok && !atEnd())
      ok = expected("the end of the layout");
    if (!ok)
      return fail(reason);
    Result<Layout> layout = Layout::get(dims, copies, swizzle);
    if (!layout)
      return fail("column 1: ", layout.reason());
    return layout;
  }

private:
  void skipSpace() {
    while (pos < text.size() && (text[pos] == ' ' || text[pos] == '\t' ||
                                 text[pos] == '\n' || text[pos] == '\r'))
      ++pos;
  }

  bool atEnd() {
    skipSpace();
    return pos == text.size();
  }

  bool expected(const std::string &what) {
    std::string got = "the end";
    if (!atEnd()) {
      size_t end = pos + 1;
      while (isWord(text[pos]) && end < text.size() && isWord(text[end]))
        ++end;
      got = "'" + std::string(text.substr(pos, end - pos)) + "'";
    }
    return error("expected " + what + ", got " + got);
  }

  bool error(const std::string &message) {
    reason = "column " + std::to_string(pos + 1) + ": " + message;
    return false;
  }

  static bool isDigit(char c) { return c >= '0' && c <= '9'; }
  static bool isWord(char c) { return isDigit(c) || (c >= 'a' && c <= 'z'); }

  bool peek(char c) { return !atEnd() && text[pos] == c; }

  bool take(char c) {
    if (!peek(c))
      return false;
    ++pos;
    return true;
  }

  bool expect(char c) {
    return take(c) || expected("'" + std::string(1, c) + "'");
  }

  std::string_view peekWord() {
    skipSpace();
    size_t end = pos;
    while (end < text.size() && isWord(text[end]))
      ++end;
    return text.substr(pos, end - pos);
  }

  bool takeKeyword(std::string_view word) {
    if (peekWord() != word)
      return false;
    pos += word.size();
    return true;
  }

  bool parseInt(int64_t &value) {
    if (atEnd() || !isDigit(text[pos]))
      return expected("a number");
    size_t end = pos;
    value = 0;
    for (; end < text.size() && isDigit(text[end]); ++end) {
      if (value > kMaxPositions)
        return error("expected a number up to " +
                     std::to_string(kMaxPositions) + ", got a larger one");
      value = value * 10 + (text[end] - '0');
    }
    pos = end;
    return true;
  }

  bool parseDigit(std::vector<Digit> &digits) {
    Digit digit{1, Axis::Reg, 0};
    if (!parseInt(digit.extent))
      return false;
    if (!takeKeyword("none")) {
      std::string_view word = peekWord();
      std::optional<Axis> axis = axisNamed(word);
      if (!axis)
        return expected("an axis (reg, lane, warp, block, device, offset or "
                        "none)");
      pos += word.size();
      digit.axis = *axis;
      digit.stride = 1;
      if (take('*') && !parseInt(digit.stride))
        return false;
    }
    digits.push_back(digit);
    return true;
  }

  bool parseDigits(std::vector<Digit> &digits) {
    do {
      if (!parseDigit(digits))
        return false;
    } while (take(','));
    return true;
  }

  bool parseDims() {
    if (!peek('['))
      return expected("'['");
    while (take('[')) {
      if (dims.empty() && take(']'))
        return true; // a scalar
      Dim &dim = dims.emplace_back();
      if (!parseInt(dim.extent))
        return false;
      if (take(':') && !parseDigits(dim.digits))
        return false;
      if (!expect(']'))
        return false;
    }
    return true;
  }

  bool parseCopies() {
    if (!takeKeyword("rep"))
      return true;
    return expect('(') && parseDigits(copies) && expect(')');
  }

  bool parseSwizzle() {
    if (!takeKeyword("swizzle"))
      return true;
    if (!expect('('))
      return false;
    int *fields[] = {&swizzle.bits, &swizzle.base, &swizzle.shift};
    for (int i = 0; i < 3; ++i) {
      if (i > 0 && !expect(','))
        return false;
      skipSpace();
      size_t start = pos;
      int64_t value = 0;
      if (!parseInt(value))
        return false;
      if (value > 48) {
        pos = start;
        return error("expected a number up to 48, got " +
                     std::to_string(value));
      }
      *fields[i] = static_cast<int>(value);
    }
    return expect(')');
  }

  std::string_view text;
  size_t pos = 0;
  std::string reason;
  std::vector<Dim> dims;
  std::vector<Digit> copies;
  Swizzle swizzle;
};
} // namespace

Result<Layout> Layout::parse(std::string_view text) {
  return Parser(text).parse();
}
