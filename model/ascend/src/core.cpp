// Kernel-visible core state, types and names.
#include <cstdarg>

#include "instruction.h"

using namespace tile_ascend;

std::string tile_ascend::format(const char *text, ...) {
  va_list args, again;
  va_start(args, text);
  va_copy(again, args);
  int length = std::vsnprintf(nullptr, 0, text, args);
  va_end(args);
  std::string result(static_cast<size_t>(length), '\0');
  std::vsnprintf(result.data(), result.size() + 1, text, again);
  va_end(again);
  return result;
}

const char *tile_ascend::memName(Mem mem) {
  static const char *const names[] = {"GM",  "UB",  "L1", "L0A",
                                      "L0B", "L0C", "BT", "FB"};
  return names[mem];
}

const char *tile_ascend::pipeNameOf(Pipe pipe) {
  static const char *const names[] = {"S",    "V",    "M",  "MTE1",
                                      "MTE2", "MTE3", "FIX"};
  return names[pipe];
}

uint32_t tile_ascend::bitsOf(DType type) {
  static const uint8_t bits[] = {4,  8,  8,  16, 16, 16, 16, 32,
                                 32, 32, 64, 64, 64, 8,  8};
  return bits[static_cast<int>(type)];
}

const char *tile_ascend::nameOf(DType type) {
  static const char *const names[] = {
      "int4b_t", "int8_t",     "uint8_t", "int16_t",  "uint16_t",
      "half",    "bfloat16_t", "int32_t", "uint32_t", "float",
      "int64_t", "uint64_t",   "double",  "fp8_e4m3fn_t", "fp8_e5m2_t"};
  return names[static_cast<int>(type)];
}

// General constraints page, table 1: logical positions and physical memories on
// 2201 and 3510.
Mem tile_ascend::memOf(AscendC::TPosition position) {
  switch (position) {
  case AscendC::TPosition::A1:
  case AscendC::TPosition::B1:
  case AscendC::TPosition::C1:
  case AscendC::TPosition::TSCM:
    return TILE_ASCEND_L1;
  case AscendC::TPosition::A2:
    return TILE_ASCEND_L0A;
  case AscendC::TPosition::B2:
    return TILE_ASCEND_L0B;
  case AscendC::TPosition::C2:
    return TILE_ASCEND_BT;
  case AscendC::TPosition::CO1:
    return TILE_ASCEND_L0C;
  case AscendC::TPosition::C2PIPE2GM:
    return TILE_ASCEND_FB;
  case AscendC::TPosition::VECIN:
  case AscendC::TPosition::VECOUT:
  case AscendC::TPosition::VECCALC:
    return TILE_ASCEND_UB;
  default:
    return TILE_ASCEND_GM;
  }
}

bool tile_ascend::enterTask(int kernelType) {
  Core &core = runningCore();
  core.launch->kernelType = kernelType;
  core.active = core.launch->inKernel(core);
  return core.active;
}

void tile_ascend::initSocState(uint32_t arch, Loc loc) {
  Core &core = runningCore();
  Launch &launch = *core.launch;
  if (arch != launch.chip.npuArch)
    launch.report(
        TILE_ASCEND_REPORT_ARCH,
        launch.placeOf(core, "InitSocState", loc, TILE_ASCEND_PIPE_S),
        format("the kernel is compiled for architecture %u, but %s has %u",
               arch, launch.chip.name, launch.chip.npuArch));
  core.initialised = true;
  core.maskCount = false;
  core.atomicOp = AtomicOp::None;
  resetMask();
}

bool tile_ascend::isAic() { return runningCore().aic; }

int64_t tile_ascend::blockIdx() {
  const Core &core = runningCore();
  bool two =
      core.launch->kernelType == TILE_ASCEND_KERNEL_MIX_AIC_1_2 && !core.aic;
  return two ? int64_t(core.block) * 2 + core.sub : core.block;
}

int64_t tile_ascend::blockNum() { return running().params.blocks; }
int64_t tile_ascend::subBlockIdx() { return runningCore().sub; }

int32_t tile_ascend::gmBuffer(const void *pointer, int64_t *offset) {
  return running().findBuffer(pointer, offset);
}

void tile_ascend::checkTensor(const char *op, const Operand &tensor,
                              uint32_t elements, Loc loc) {
  Core &core = runningCore();
  Launch &launch = *core.launch;
  Place place = launch.placeOf(core, op, loc, TILE_ASCEND_PIPE_S);
  uint32_t alignment = launch.chip.memAlign[tensor.mem],
           capacity = launch.chip.memBytes[tensor.mem];
  if (tensor.addr % alignment)
    launch.report(TILE_ASCEND_REPORT_MISALIGNED, place,
                  format("expected a tensor address in %s that is a multiple "
                         "of %u, got %lld",
                         memName(tensor.mem), alignment,
                         static_cast<long long>(tensor.addr)));
  else if (tensor.addr + tensor.bytes > static_cast<int64_t>(capacity))
    launch.report(
        TILE_ASCEND_REPORT_CAPACITY, place,
        format("a tensor of %u x %s at byte %lld of %s ends at %lld, but there "
               "are %u bytes",
               elements, nameOf(tensor.type),
               static_cast<long long>(tensor.addr), memName(tensor.mem),
               static_cast<long long>(tensor.addr + tensor.bytes), capacity));
}

void tile_ascend::scalarAccess(const Operand &element, bool write, void *value,
                               Loc loc) {
  Instruction instruction(write ? "SetValue" : "GetValue", TILE_ASCEND_PIPE_S,
                          loc);
  uint32_t bytes = bytesOf(element.type);
  std::vector<Range> ranges = span(element, 0, bytes);
  instruction.inMemory(element, {TILE_ASCEND_GM, TILE_ASCEND_UB},
                       "a scalar access");
  instruction.require(element.addr % bytes == 0, TILE_ASCEND_REPORT_MISALIGNED,
                      format("expected a multiple of %u, got %lld", bytes,
                             static_cast<long long>(element.addr)));
  if (!instruction.good() ||
      !instruction.inBounds(element, ranges, write ? "writes" : "reads"))
    return;
  Core &core = instruction.core;
  core.launch->scalarWork(core, instruction.place, {element, ranges, true},
                          write, value);
  core.dirtySinceBarrier = true;
}

void tile_ascend::cleanCache(const Operand &tensor, bool whole, bool atomic,
                             Loc loc) {
  Instruction instruction("DataCacheCleanAndInvalid", TILE_ASCEND_PIPE_S, loc);
  Core &core = instruction.core;
  instruction.require(!atomic || instruction.chip.cleanAtomic,
                      TILE_ASCEND_REPORT_PARAM_RANGE,
                      format("CACHELINE_ATOMIC does not exist on %s",
                             instruction.chip.name));
  // One past the end is nobody's.
  if (!whole && !instruction.inBounds(tensor, span(tensor, 0, 1), "cleans"))
    return;
  if (instruction.good())
    core.launch->cleanCache(core, instruction.place, whole ? nullptr : &tensor);
}

void tile_ascend::setMaskMode(bool counter) {
  runningCore().maskCount = counter;
}

void tile_ascend::setVectorMask(uint64_t high, uint64_t low) {
  Core &core = runningCore();
  core.mask[0] = low;
  core.mask[1] = high;
}

void tile_ascend::resetMask() { setVectorMask(~uint64_t(0), ~uint64_t(0)); }

void tile_ascend::setAtomic(AtomicOp op, DType type) {
  Core &core = runningCore();
  core.atomicOp = op;
  core.atomicType = type;
}

void tile_ascend::setDeqScale(half scale) {
  Core &core = runningCore();
  core.deqScale = scale;
  core.deqScaleSet = true;
}
