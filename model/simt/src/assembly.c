// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Strings of inline assembly: read once, then run statement by statement.

#include "model.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { kNames = 256, kElements = 512, kLabels = 64, kWords = 1024 };

struct name {
  char text[32];
  int word, bits;
};

struct label {
  char text[32];
  int statement; ///< where it stands, or the one that branches
};

/// A site that is read.
struct reader {
  TileSimtProgram *program;
  struct simt_site *site;
  struct simt_operand *registers; ///< `$0` and so on
  int registerCount;
  struct name names[kNames];
  int nameCount;
  struct label labels[kLabels], branches[kLabels];
  int labelCount, branchCount;
  int words;
  const char *at, *end; ///< of the statement
  char *error;
  size_t size;
};

static bool fail(struct reader *r, const char *what) {
  const char *text = r->site->source->name;
  snprintf(r->error, r->size,
           "%s: the SIMT model cannot read inline assembly: %s: \"%.*s\"",
           r->site->source->place, what, (int)strcspn(text, "\n"), text);
  return false;
}

//===----------------------------------------------------------------------===//
// Operands
//===----------------------------------------------------------------------===//

static void skipSpace(struct reader *r) {
  while (r->at < r->end && isspace((unsigned char)*r->at))
    ++r->at;
}

static bool take(struct reader *r, char c) {
  skipSpace(r);
  if (r->at == r->end || *r->at != c)
    return false;
  ++r->at;
  return true;
}

static bool isNamePart(char c) {
  return isalnum((unsigned char)c) || strchr("_%.$", c);
}

/// A name, cut to the size.
static void readName(struct reader *r, char *text, size_t size) {
  skipSpace(r);
  size_t length = 0;
  for (; r->at < r->end && isNamePart(*r->at); ++r->at)
    if (length + 1 < size)
      text[length++] = *r->at;
  text[length] = 0;
}

/// `$3` or `${3:x}`.
static bool readRegister(struct reader *r, struct simt_source *source,
                         int *bits) {
  bool braced = take(r, '{');
  char *end;
  long index = strtol(r->at, &end, 10);
  if (end == r->at || index < 0 || index >= r->registerCount)
    return fail(r, "expected the number of an operand behind '$'");
  r->at = end;
  if (braced) {
    while (r->at < r->end && *r->at != '}')
      ++r->at;
    take(r, '}');
  }
  const struct simt_operand *o = &r->registers[index];
  *source = (struct simt_source){.word = o->word, .words = o->words};
  *bits = o->bits;
  return true;
}

/// 5, -5, 0x5, 0f3F800000, 0d3FF0000000000000.
static bool readNumber(struct reader *r, uint64_t *number) {
  skipSpace(r);
  const char *at = r->at;
  bool negative = at < r->end && *at == '-';
  at += negative;
  if (at == r->end || !isdigit((unsigned char)*at))
    return false;
  char *end;
  if (at[0] == '0' && at[1] && strchr("fFdD", at[1]))
    *number = strtoull(at + 2, &end, 16);
  else
    *number = strtoull(at, &end, 0);
  if (*end == 'U')
    ++end;
  if (negative)
    *number = -*number;
  r->at = end;
  return true;
}

static const struct simt_instruction *readSpecial(struct reader *r,
                                                  const char *text) {
  static const struct simt_operand result = {
      .words = 1, .bits = 32, .elements = 1};
  struct simt_instruction *in =
      simt_pool_take(r->program->strings, sizeof(*in));
  in->place = r->site->source->place;
  in->results = &result;
  in->resultCount = in->resultWords = 1;
  return simt_find_function(r->program, in, text, strlen(text)) ? in : NULL;
}

/// A register, a predicate or a constant.
static bool readSimple(struct reader *r, struct simt_source *source,
                       int *bits) {
  *source = (struct simt_source){0};
  *bits = 64;
  bool negated = take(r, '!');
  skipSpace(r);
  if (r->at < r->end && *r->at == '$' && r->at + 1 < r->end &&
      (isdigit((unsigned char)r->at[1]) || r->at[1] == '{')) {
    ++r->at;
    if (!readRegister(r, source, bits))
      return false;
    source->negated = negated;
    return true;
  }
  if (readNumber(r, &source->number))
    return true;
  char text[32];
  readName(r, text, sizeof(text));
  if (strcmp(text, "_") == 0) {
    *bits = 32;
    return true;
  }
  for (int i = r->nameCount - 1; i >= 0; --i)
    if (strcmp(r->names[i].text, text) == 0) {
      *bits = r->names[i].bits;
      *source = (struct simt_source){.word = r->names[i].word,
                                     .words = *bits > 32 ? 2 : 1,
                                     .negated = negated};
      return true;
    }
  if (text[0] == '%' && (source->special = readSpecial(r, text))) {
    *bits = 32;
    return true;
  }
  return fail(r, "unknown operand");
}

/// What a statement is made of while it is read.
struct statement {
  struct simt_operand operands[64];
  int operandCount;
  struct simt_source elements[kElements];
  int elementCount;
  int results; ///< operands in front that are
};

static bool addElement(struct reader *r, struct statement *s,
                       struct simt_operand *operand) {
  if (s->elementCount == kElements)
    return fail(r, "too many operands");
  int bits;
  struct simt_source *source = &s->elements[s->elementCount++];
  if (!readSimple(r, source, &bits))
    return false;
  bool constant = !source->words && !source->special;
  operand->bits = (uint16_t)bits;
  operand->immediate = constant;
  operand->words = (uint16_t)(operand->words + (bits > 32 ? 2 : 1));
  ++operand->elements;
  return true;
}

static struct simt_operand *addOperand(struct reader *r, struct statement *s) {
  enum { kMost = sizeof(s->operands) / sizeof(*s->operands) };
  if (s->operandCount == kMost) {
    fail(r, "too many operands");
    return NULL;
  }
  return memset(&s->operands[s->operandCount++], 0, sizeof(*s->operands));
}

static bool readOperand(struct reader *r, struct statement *s);

static bool readGroup(struct reader *r, struct statement *s) {
  struct simt_operand *operand = addOperand(r, s);
  if (!operand)
    return false;
  do
    if (!addElement(r, s, operand))
      return false;
  while (take(r, ','));
  return take(r, '}') || fail(r, "expected '}'");
}

/// `[address + 16]`, or `[map, {x, y}]`, which is two operands.
static bool readAddress(struct reader *r, struct statement *s) {
  struct simt_operand *operand = addOperand(r, s);
  if (!operand || !addElement(r, s, operand))
    return false;
  struct simt_source *source = &s->elements[s->elementCount - 1];
  source->address = true;
  operand->words = 2;
  operand->bits = 64;
  uint64_t more = 0;
  if (take(r, '+')) {
    if (!readNumber(r, &more))
      return fail(r, "expected a number behind '+'");
    source->number += more;
  }
  while (take(r, ','))
    if (!readOperand(r, s))
      return false;
  return take(r, ']') || fail(r, "expected ']'");
}

static bool readOperand(struct reader *r, struct statement *s) {
  if (take(r, '{'))
    return readGroup(r, s);
  if (take(r, '['))
    return readAddress(r, s);
  struct simt_operand *operand = addOperand(r, s);
  return operand && addElement(r, s, operand);
}

static bool readOperands(struct reader *r, struct statement *s, int results) {
  for (int i = 0;; ++i) {
    if (!readOperand(r, s))
      return false;
    if (i < results)
      s->results = s->operandCount;
    if (take(r, '|')) {
      --i;
      continue;
    }
    if (!take(r, ','))
      break;
  }
  skipSpace(r);
  return r->at == r->end || fail(r, "expected ',' or the end of a statement");
}

//===----------------------------------------------------------------------===//
// Statements
//===----------------------------------------------------------------------===//

static bool addName(struct reader *r, const char *text, int bits) {
  if (r->nameCount == kNames || r->words + 2 > kWords)
    return fail(r, "too many registers");
  struct name *name = &r->names[r->nameCount++];
  snprintf(name->text, sizeof(name->text), "%s", text);
  name->word = r->words;
  name->bits = bits;
  r->words += bits > 32 ? 2 : 1;
  return true;
}

/// `.reg .b32 a, b<4>`
static bool readDeclaration(struct reader *r) {
  char type[32], text[24];
  readName(r, type, sizeof(type));
  int bits =
      strcmp(type, ".pred") == 0 ? 1 : atoi(type + strcspn(type, "0123456789"));
  if (bits == 0)
    return fail(r, "expected a type of registers");
  do {
    readName(r, text, sizeof(text));
    if (!take(r, '<')) {
      if (!addName(r, text, bits))
        return false;
      continue;
    }
    uint64_t count;
    if (!readNumber(r, &count) || !take(r, '>'))
      return fail(r, "expected a number of registers");
    for (uint64_t i = 0; i < count; ++i) {
      char numbered[32];
      snprintf(numbered, sizeof(numbered), "%.20s%d", text, (int)(i % 1000));
      if (!addName(r, numbered, bits))
        return false;
    }
  } while (take(r, ','));
  return true;
}

static struct simt_operand *copyOperands(struct reader *r,
                                         const struct simt_operand *from,
                                         int count, int *words) {
  struct simt_operand *copy =
      simt_pool_take(r->program->strings, (size_t)(count + 1) * sizeof(*copy));
  *words = 0;
  for (int i = 0; i < count; ++i) {
    copy[i] = from[i];
    copy[i].word = (uint16_t)*words;
    *words += from[i].words;
  }
  return copy;
}

static struct simt_source *
copySources(struct reader *r, const struct simt_source *from, int count) {
  struct simt_source *copy =
      simt_pool_take(r->program->strings, (size_t)(count + 1) * sizeof(*copy));
  memcpy(copy, from, (size_t)count * sizeof(*copy));
  return copy;
}

static void finish(struct reader *r, struct statement *s,
                   struct simt_statement *out) {
  struct simt_instruction *in = &out->instruction;
  int resultElements = 0;
  for (int i = 0; i < s->results; ++i)
    resultElements += s->operands[i].elements;
  in->results = copyOperands(r, s->operands, s->results, &in->resultWords);
  in->resultCount = s->results;
  in->operandCount = s->operandCount - s->results;
  in->operands = copyOperands(r, s->operands + s->results, in->operandCount,
                              &in->operandWords);
  out->results = copySources(r, s->elements, resultElements);
  out->resultCount = resultElements;
  out->operandCount = s->elementCount - resultElements;
  out->operands =
      copySources(r, s->elements + resultElements, out->operandCount);
  in->assembly = r->registers;
  in->assemblyCount = r->registerCount;
}

static struct simt_statement *addStatement(struct reader *r) {
  struct simt_statement *one = &r->site->statements[r->site->statementCount++];
  one->target = -1;
  one->instruction.place = r->site->source->place;
  return one;
}

static bool readInstruction(struct reader *r, struct simt_statement *out) {
  skipSpace(r);
  const char *name = r->at;
  while (r->at < r->end && !isspace((unsigned char)*r->at))
    ++r->at;
  size_t length = (size_t)(r->at - name);
  skipSpace(r);
  struct simt_instruction *in = &out->instruction;
  in->arguments =
      simt_pool_text(r->program->strings, r->at, (size_t)(r->end - r->at));
  if (strncmp(name, "bra", 3) == 0 && (length == 3 || name[3] == '.')) {
    if (r->branchCount == kLabels)
      return fail(r, "too many branches");
    struct label *branch = &r->branches[r->branchCount++];
    readName(r, branch->text, sizeof(branch->text));
    branch->statement = r->site->statementCount - 1;
    return true;
  }
  if (!simt_find_function(r->program, in, name, length)) {
    snprintf(r->error, r->size,
             "%s: the SIMT model does not know the instruction %s",
             r->site->source->place, in->name);
    return false;
  }
  struct statement *s = calloc(1, sizeof(*s));
  if (!s)
    abort();
  // Other assemblers than NVIDIA's separate arguments in ways of their own.
  bool good = r->at == r->end || in->function->flags & SIMT_TEXT ||
              readOperands(r, s, in->function->results);
  if (good)
    finish(r, s, out);
  free(s);
  return good;
}

static bool readStatement(struct reader *r) {
  char label[32];
  for (;;) {
    // Scopes only bound names, the later of which win.
    while (take(r, '{') || take(r, '}'))
      ;
    const char *start = r->at;
    readName(r, label, sizeof(label));
    // `::` is within the name of an instruction.
    if (*label && r->at + 1 < r->end && r->at[1] != ':' && take(r, ':')) {
      if (r->labelCount == kLabels)
        return fail(r, "too many labels");
      struct label *one = &r->labels[r->labelCount++];
      memcpy(one->text, label, sizeof(label));
      one->statement = r->site->statementCount;
      continue;
    }
    r->at = start;
    break;
  }
  skipSpace(r);
  if (r->at == r->end)
    return true;
  if (strncmp(r->at, ".reg", 4) == 0 && isspace((unsigned char)r->at[4])) {
    r->at += 4;
    return readDeclaration(r);
  }
  struct simt_statement *out = addStatement(r);
  int bits;
  if (take(r, '@') && !readSimple(r, &out->predicate, &bits))
    return false;
  return readInstruction(r, out);
}

static bool resolve(struct reader *r) {
  for (int i = 0; i < r->branchCount; ++i) {
    struct simt_statement *from =
        &r->site->statements[r->branches[i].statement];
    for (int l = 0; l < r->labelCount; ++l)
      if (strcmp(r->labels[l].text, r->branches[i].text) == 0)
        from->target = r->labels[l].statement;
    if (from->target < 0)
      return fail(r, "a branch to an unknown label");
  }
  return true;
}

/// The end of a statement, at `;`, a line end that another assembler separates
/// by, or a comment.
static const char *findEnd(const struct reader *r, const char *at) {
  bool ptx = strncmp(r->program->code->chip, "sm_", 3) == 0;
  while (*at && *at != ';' && (ptx || *at != '\n'))
    ++at;
  return at;
}

bool simt_assembly_parse(TileSimtProgram *program, struct simt_site *site,
                         char *error, size_t size) {
  struct reader *r = calloc(1, sizeof(*r));
  if (!r)
    abort();
  const TileSimtSite *source = site->source;
  *r = (struct reader){
      .program = program, .site = site, .error = error, .size = size};
  // Results first, as `$0` and so on count.
  uint32_t total = source->resultCount + source->operandCount;
  r->registers =
      simt_pool_take(program->strings, (total + 1) * sizeof(*r->registers));
  r->registerCount = (int)total;
  for (uint32_t i = 0; i < total; ++i) {
    const TileSimtValue *value =
        i < source->resultCount ? &source->results[i]
                                : &source->operands[i - source->resultCount];
    r->registers[i] = (struct simt_operand){.word = (uint16_t)r->words,
                                            .words = value->words,
                                            .elements = value->elements,
                                            .bits = value->bits,
                                            .immediate = value->immediate != 0};
    r->words += value->words;
  }
  size_t most = 1;
  for (const char *at = source->name; *at; ++at)
    most += *at == ';' || *at == '\n';
  site->statements =
      simt_pool_take(program->strings, most * sizeof(*site->statements));
  bool good = r->words <= kWords || fail(r, "too many operands");
  for (const char *at = source->name; good && *at;) {
    r->at = at;
    r->end = findEnd(r, at);
    good = readStatement(r);
    at = *r->end ? r->end + 1 : r->end;
  }
  good = good && resolve(r);
  site->registerWords = r->words;
  free(r);
  return good;
}

//===----------------------------------------------------------------------===//
// Running
//===----------------------------------------------------------------------===//

static uint64_t load(struct simt_thread *thread,
                     const struct simt_source *source,
                     const uint32_t *registers) {
  if (source->special) {
    uint32_t word = 0;
    thread->operands = NULL;
    thread->results = &word;
    simt_dispatch(thread, source->special);
    return word;
  }
  if (!source->words)
    return source->number;
  uint64_t value = registers[source->word];
  if (source->words > 1)
    value |= (uint64_t)registers[source->word + 1] << 32;
  if (source->address)
    value += source->number;
  return source->negated ? !value : value;
}

static void runStatement(struct simt_thread *thread,
                         const struct simt_statement *s, uint32_t *registers) {
  uint32_t operands[kWords], results[kWords];
  const struct simt_instruction *in = &s->instruction;
  // Elements come in the order of their words.
  uint32_t *to = operands;
  const struct simt_source *source = s->operands;
  for (int o = 0; o < in->operandCount; ++o)
    for (int e = 0; e < in->operands[o].elements; ++e) {
      uint64_t value = load(thread, source++, registers);
      *to++ = (uint32_t)value;
      if (in->operands[o].words / in->operands[o].elements > 1)
        *to++ = (uint32_t)(value >> 32);
    }
  uint32_t *at = results;
  for (int i = 0; i < s->resultCount; ++i) {
    for (int w = 0; w < s->results[i].words; ++w)
      *at++ = registers[s->results[i].word + w];
    if (!s->results[i].words)
      *at++ = 0;
  }
  thread->operands = operands;
  thread->results = results;
  thread->registers = registers;
  simt_dispatch(thread, in);
  at = results;
  for (int i = 0; i < s->resultCount; ++i) {
    for (int w = 0; w < s->results[i].words; ++w)
      registers[s->results[i].word + w] = *at++;
    if (!s->results[i].words)
      ++at;
  }
}

void simt_assembly_run(struct simt_thread *thread, struct simt_site *site,
                       const uint32_t *operands, uint32_t *results) {
  uint32_t registers[kWords];
  const struct simt_instruction *in = &site->instruction;
  const TileSimtSite *source = site->source;
  memset(registers, 0, (size_t)site->registerWords * sizeof(*registers));
  if (in->operandWords)
    memcpy(registers + in->resultWords, operands,
           (size_t)in->operandWords * sizeof(*operands));
  for (uint32_t i = 0; i < source->operandCount; ++i)
    if (source->operands[i].tied >= 0)
      memcpy(&registers[in->results[source->operands[i].tied].word],
             &operands[in->operands[i].word],
             source->operands[i].words * sizeof(*operands));
  for (int i = 0; i < site->statementCount;) {
    const struct simt_statement *s = &site->statements[i++];
    if (s->predicate.words && !load(thread, &s->predicate, registers))
      continue;
    if (s->instruction.function)
      runStatement(thread, s, registers);
    else if (s->target >= 0)
      i = s->target;
  }
  if (in->resultWords)
    memcpy(results, registers, (size_t)in->resultWords * sizeof(*results));
}
