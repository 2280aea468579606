// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Loading: each site gets the function of its instruction.

#include "model.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

//===----------------------------------------------------------------------===//
// Names
//===----------------------------------------------------------------------===//

static bool fits(const char *pattern, const char *name) {
  size_t length = strlen(pattern);
  if (length && pattern[length - 1] == '*')
    return strncmp(pattern, name, length - 1) == 0;
  return strcmp(pattern, name) == 0;
}

static const struct simt_function *lookup(const TileSimtProgram *program,
                                          const char *name) {
  const struct simt_function *best = NULL;
  size_t longest = 0;
  for (int t = 0; program->tables[t]; ++t)
    for (const struct simt_function *row = program->tables[t]; row->pattern;
         ++row)
      if (strlen(row->pattern) >= longest && fits(row->pattern, name)) {
        best = row;
        longest = strlen(row->pattern);
      }
  return best;
}

void simt_number_instruction(TileSimtProgram *program,
                             struct simt_instruction *instruction) {
  instruction->id = ++program->instructionCount;
  if (instruction->id >= program->instructionRoom) {
    program->instructionRoom = 2 * instruction->id + 64;
    program->instructions =
        realloc(program->instructions,
                program->instructionRoom * sizeof(*program->instructions));
    if (!program->instructions)
      abort();
  }
  program->instructions[instruction->id] = instruction;
}

bool simt_find_function(TileSimtProgram *program,
                        struct simt_instruction *instruction, const char *name,
                        size_t length) {
  char *text = simt_pool_text(program->strings, name, length);
  instruction->name = text;
  int count = 1;
  for (const char *at = text; *at; ++at)
    count += *at == '.';
  char *parts = simt_pool_text(program->strings, name, length);
  const char **tokens =
      simt_pool_take(program->strings, (size_t)count * sizeof(*tokens));
  for (int i = 0; i < count; ++i) {
    tokens[i] = parts;
    parts += strcspn(parts, ".");
    *parts++ = 0;
  }
  instruction->tokens = tokens;
  instruction->tokenCount = count;
  instruction->function = lookup(program, text);
  simt_number_instruction(program, instruction);
  return instruction->function != NULL;
}

const char *simt_token(const struct simt_call *call, int index) {
  const struct simt_instruction *i = call->instruction;
  return index < i->tokenCount ? i->tokens[index] : "";
}

bool simt_has(const struct simt_call *call, const char *token) {
  const struct simt_instruction *i = call->instruction;
  for (int t = 0; t < i->tokenCount; ++t)
    if (strcmp(i->tokens[t], token) == 0)
      return true;
  return false;
}

//===----------------------------------------------------------------------===//
// Sites
//===----------------------------------------------------------------------===//

static struct simt_operand *describe(TileSimtProgram *program,
                                     const TileSimtValue *values,
                                     uint32_t count, int *words) {
  struct simt_operand *result =
      simt_pool_take(program->strings, (count + 1) * sizeof(*result));
  int next = 0;
  for (uint32_t i = 0; i < count; ++i) {
    result[i] = (struct simt_operand){.word = (uint16_t)next,
                                      .words = values[i].words,
                                      .elements = values[i].elements,
                                      .bits = values[i].bits,
                                      .immediate = values[i].immediate != 0};
    next += values[i].words;
  }
  *words = next;
  return result;
}

static bool loadSite(TileSimtProgram *program, struct simt_site *site,
                     char *error, size_t size) {
  const TileSimtSite *source = site->source;
  struct simt_instruction *in = &site->instruction;
  in->place = source->place;
  in->results =
      describe(program, source->results, source->resultCount, &in->resultWords);
  in->resultCount = (int)source->resultCount;
  in->operands = describe(program, source->operands, source->operandCount,
                          &in->operandWords);
  in->operandCount = (int)source->operandCount;
  if (source->kind == TILE_SIMT_ASSEMBLY)
    return simt_assembly_parse(program, site, error, size);
  if (source->kind != TILE_SIMT_INTRINSIC) {
    in->name = source->name;
    simt_number_instruction(program, in);
    return true;
  }
  if (simt_find_function(program, in, source->name, strlen(source->name)))
    return true;
  snprintf(error, size, "%s: the SIMT model does not know the instruction %s",
           source->place, source->name);
  return false;
}

static void chooseTables(TileSimtProgram *program) {
  int count = 0;
  if (strncmp(program->code->chip, "sm_", 3) == 0) {
    program->tables[count++] = simt_nvidia;
    program->tables[count++] = simt_nvidia_copy;
    program->tables[count++] = simt_nvidia_math;
    program->tables[count++] = simt_nvidia_mma;
    program->tables[count++] = simt_nvidia_hopper;
  } else {
    program->tables[count++] = simt_amd;
    program->tables[count++] = simt_amd_lane;
    program->tables[count++] = simt_amd_memory;
    program->tables[count++] = simt_amd_mfma;
  }
}

TileSimtProgram *tileSimtLoad(const TileSimtCode *code, char *error,
                              size_t size) {
  TileSimtProgram *program = calloc(1, sizeof(*program));
  struct simt_site *sites = calloc(code->siteCount + 1, sizeof(*sites));
  if (!program || !sites)
    abort();
  program->code = code;
  program->sites = sites;
  program->strings = simt_pool_create();
  chooseTables(program);
  for (uint32_t i = 0; i < code->siteCount; ++i) {
    sites[i].source = &code->sites[i];
    if (!loadSite(program, &sites[i], error, size)) {
      tileSimtUnload(program);
      return NULL;
    }
  }
  return program;
}

void tileSimtUnload(TileSimtProgram *program) {
  if (!program)
    return;
  simt_pool_free(program->strings);
  free(program->sites);
  free(program->instructions);
  free(program);
}
