// Inputs, expected results and launches of the hand-written kernels. Values are
// small integers and eighths: sums are exact.
#pragma once
#include <random>

#include "Harness.h"
#include "Kernels.h"

template <typename T>
std::vector<T> randomValues(size_t count, unsigned seed) {
  std::mt19937 random(seed);
  std::vector<T> values(count);
  for (T &value : values)
    value = T((static_cast<int>(random() % 17) - 8) / 8.0f);
  return values;
}

template <typename T>
size_t differences(const std::vector<T> &got,
                   const std::vector<float> &expected) {
  size_t count = 0;
  for (size_t i = 0; i < expected.size(); ++i)
    count += !(static_cast<float>(got[i]) == expected[i]);
  return count;
}

inline std::vector<float> product(const std::vector<half> &a,
                                  const std::vector<half> &b, size_t m,
                                  size_t n, size_t k) {
  std::vector<float> c(m * n, 0.0f);
  for (size_t i = 0; i < m; ++i)
    for (size_t l = 0; l < k; ++l)
      for (size_t j = 0; j < n; ++j)
        c[i * n + j] += float(a[i * k + l]) * float(b[l * n + j]);
  return c;
}

struct VaddData {
  explicit VaddData(size_t count)
      : a(randomValues<float>(count, 1)), b(randomValues<float>(count, 2)),
        c(count) {}
  int run(Device &device, uint64_t seed) {
    return device.run(
        vaddKernel, 2,
        {Device::in(a), Device::in(b), Device::out(c), Device::word(c.size())},
        seed);
  }
  size_t wrong() const {
    std::vector<float> expected(c.size());
    for (size_t i = 0; i < c.size(); ++i)
      expected[i] = a[i] + b[i];
    return differences(c, expected);
  }
  std::vector<float> a, b, c;
};

struct MatmulData {
  static constexpr int blocks = 2, K = kMatmulK * kMatmulSteps;
  std::vector<half> a = randomValues<half>(blocks * kMatmulM * K, 3),
                    b = randomValues<half>(K * kMatmulN, 4);
  std::vector<float> c = std::vector<float>(blocks * kMatmulM * kMatmulN);
  int run(Device &device, uint64_t seed) {
    return device.run(matmulKernel, blocks,
                      {Device::in(a), Device::in(b), Device::out(c)}, seed);
  }
  size_t wrong() const {
    return differences(c, product(a, b, blocks * kMatmulM, kMatmulN, K));
  }
};

struct MixData {
  static constexpr int blocks = 2, M = blocks * kMixTiles * kMixM;
  std::vector<half> a = randomValues<half>(M * kMixK, 5),
                    b = randomValues<half>(kMixK * kMixN, 6),
                    d = randomValues<half>(M * kMixN, 7),
                    c = std::vector<half>(M * kMixN),
                    workspace = std::vector<half>(blocks * kMixM * kMixN);
  int run(Device &device, uint64_t seed) {
    return device.run(matmulAddKernel, blocks,
                      {Device::in(a), Device::in(b), Device::in(d),
                       Device::out(c), Device::out(workspace)},
                      seed);
  }
  size_t wrong() const {
    std::vector<float> expected = product(a, b, M, kMixN, kMixK);
    for (size_t i = 0; i < expected.size(); ++i)
      expected[i] = half(float(half(expected[i])) + float(d[i]));
    return differences(c, expected);
  }
};

struct TailData {
  std::vector<half> a = randomValues<half>(16 * kTailK, 8),
                    b = randomValues<half>(kTailK * 16, 9);
  std::vector<float> c = std::vector<float>(16 * 16);
  int run(Device &device, uint64_t seed,
          void (*kernel)(GM_ADDR, GM_ADDR, GM_ADDR) = kTailKernel) {
    return device.run(kernel, 1, {Device::in(a), Device::in(b), Device::out(c)},
                      seed);
  }
  size_t wrong() const { return differences(c, product(a, b, 16, 16, kTailK)); }
};
