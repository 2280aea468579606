// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "TileRuntime/Npy.h"
#include "gtest/gtest.h"

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <dirent.h>
#include <fstream>
#include <iterator>
#include <string>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

namespace {

using namespace std::string_literals;

class Npy : public ::testing::Test {
protected:
  void SetUp() override {
    char name[] = "/tmp/tile-npy-XXXXXX";
    ASSERT_NE(mkdtemp(name), nullptr);
    folder = name;
    path = folder + "/a.npy";
  }
  void TearDown() override {
    tile_rt_tensor_free(&tensor);
    unlink(path.c_str());
    EXPECT_EQ(rmdir(folder.c_str()), 0) << "files left behind";
  }
  void put(const std::string &bytes) {
    std::ofstream(path, std::ios::binary) << bytes;
  }
  /// A version 1.0 file with that dictionary.
  void put(const std::string &dictionary, const std::string &data) {
    std::string text = dictionary + "\n";
    put("\x93NUMPY\x01\x00"s + char(text.size() & 255) +
        char(text.size() >> 8) + text + data);
  }
  std::string bytes() {
    std::ifstream in(path, std::ios::binary);
    return std::string(std::istreambuf_iterator<char>(in), {});
  }
  bool read(TileRtDType expected = TILE_RT_NONE) {
    tile_rt_tensor_free(&tensor);
    error.message[0] = 0;
    return tile_rt_npy_read(path.c_str(), expected, &tensor, &error);
  }
  /// The message without the path.
  std::string message() {
    std::string text = error.message;
    EXPECT_EQ(text.substr(0, path.size() + 2), path + ": ");
    return text.substr(std::min(text.size(), path.size() + 2));
  }
  double at(int64_t k) {
    return tile_rt_tensor_load(&tensor, tile_rt_tensor_offset(&tensor, k));
  }

  std::string folder, path;
  TileRtTensor tensor = {};
  TileRtError error;
};

// The bytes of numpy.save(path, numpy.array([1, -2, 300], dtype="int16")).
const std::string savedByNumPy =
    "\x93NUMPY\x01\x00v\x00"
    "{'descr': '<i2', 'fortran_order': False, 'shape': (3,), }"
    "                                                            \n"
    "\x01\x00\xfe\xff\x2c\x01"s;

TEST_F(Npy, ReadsWhatNumPyWrites) {
  ASSERT_EQ(savedByNumPy.size(), 128u + 6);
  put(savedByNumPy);
  ASSERT_TRUE(read()) << error.message;
  EXPECT_EQ(tensor.dtype, TILE_RT_I16);
  ASSERT_EQ(tensor.rank, 1);
  EXPECT_EQ(tensor.shape[0], 3);
  EXPECT_EQ(at(0), 1);
  EXPECT_EQ(at(1), -2);
  EXPECT_EQ(at(2), 300);
}

TEST_F(Npy, WritesWhatNumPyWrites) {
  int16_t data[] = {1, -2, 300};
  int64_t shape[] = {3};
  ASSERT_TRUE(tile_rt_tensor_view(&tensor, TILE_RT_I16, 1, shape, nullptr, data,
                                  nullptr));
  ASSERT_TRUE(tile_rt_npy_write(path.c_str(), &tensor, &error));
  EXPECT_EQ(bytes(), savedByNumPy);
}

TEST_F(Npy, VersionsTwoAndThree) {
  for (char version : {2, 3}) {
    std::string text = "{'descr': '|u1', 'fortran_order': False, "
                       "'shape': (2, 2), }\n";
    put("\x93NUMPY"s + version + "\x00"s + char(text.size()) + "\0\0\0"s +
        text + "\x01\x02\x03\xff");
    ASSERT_TRUE(read()) << error.message;
    EXPECT_EQ(at(3), 255);
  }
}

TEST_F(Npy, BigEndianFortranAndOtherSpellings) {
  put("{\"shape\": (2L, 2), 'fortran_order':True , 'descr':'>i4'}",
      "\0\0\0\1\0\0\0\2\0\0\0\3\xff\xff\xff\xff"s);
  ASSERT_TRUE(read()) << error.message;
  EXPECT_EQ(at(0), 1);
  EXPECT_EQ(at(1), 3);
  EXPECT_EQ(at(2), 2);
  EXPECT_EQ(at(3), -1);
  EXPECT_TRUE(tile_rt_tensor_is_column_major(&tensor));
  // A column-major tensor goes back in Fortran order.
  ASSERT_TRUE(tile_rt_npy_write(path.c_str(), &tensor, &error));
  EXPECT_NE(bytes().find("'descr': '<i4', 'fortran_order': True, 'shape': "
                         "(2, 2), }"),
            std::string::npos);
  EXPECT_EQ(bytes().substr(128), "\1\0\0\0\2\0\0\0\3\0\0\0\xff\xff\xff\xff"s);
}

TEST_F(Npy, ScalarsAndEmptyArrays) {
  put("{'descr': '<f8', 'fortran_order': False, 'shape': (), }",
      "\0\0\0\0\0\0\x04\x40"s);
  ASSERT_TRUE(read()) << error.message;
  EXPECT_EQ(tensor.rank, 0);
  EXPECT_EQ(at(0), 2.5);
  ASSERT_TRUE(tile_rt_npy_write(path.c_str(), &tensor, &error));
  EXPECT_NE(bytes().find("'shape': (), }"), std::string::npos);
  put("{'descr': '<f4', 'fortran_order': False, 'shape': (0, 5), }", "");
  ASSERT_TRUE(read()) << error.message;
  EXPECT_EQ(tile_rt_tensor_count(&tensor), 0);
}

TEST_F(Npy, EveryTypeComesBack) {
  const char *names[] = {"",    "|b1", "|V1", "|i1", "<i2", "<i4", "<i8",
                         "|u1", "<u2", "<u4", "<u8", "<f2", "|V2", "<f4",
                         "<f8", "|V1", "|V1", "|V1", "|V1", "|V1", "|V1"};
  static_assert(std::size(names) == TILE_RT_DTYPE_COUNT, "a name a type");
  for (int i = 1; i < TILE_RT_DTYPE_COUNT; ++i) {
    TileRtDType dtype = TileRtDType(i);
    TileRtTensor original;
    int64_t shape[] = {3, 4};
    ASSERT_TRUE(tile_rt_tensor_alloc(&original, dtype, 2, shape, 0, nullptr));
    for (int k = 0; k < 12; ++k)
      tile_rt_tensor_store(&original, k, k % 5);
    ASSERT_TRUE(tile_rt_npy_write(path.c_str(), &original, &error));
    EXPECT_NE(bytes().find("{'descr': '"s + names[i] + "', "),
              std::string::npos)
        << bytes();
    ASSERT_TRUE(read(dtype)) << error.message;
    EXPECT_TRUE(tile_rt_tensor_expect(&tensor, "back", dtype, 2, shape, &error))
        << error.message;
    for (int k = 0; k < 12; ++k)
      EXPECT_EQ(at(k), tile_rt_tensor_load(&original, k));
    tile_rt_tensor_free(&original);
  }
}

TEST_F(Npy, RawDataNeedsAType) {
  put("{'descr': '|V2', 'fortran_order': False, 'shape': (1,), }", "\x80\x3f");
  EXPECT_FALSE(read());
  EXPECT_EQ(message(),
            "expected an element type for the raw data, got '|V2' alone");
  ASSERT_TRUE(read(TILE_RT_BF16)) << error.message;
  EXPECT_EQ(at(0), 1);
  EXPECT_FALSE(read(TILE_RT_F8E5M2));
  EXPECT_EQ(message(), "expected f8E5M2, got '|V2'");
  // Bytes are a usual disguise of small floats.
  put("{'descr': '|u1', 'fortran_order': False, 'shape': (2,), }", "\x38\xc0");
  ASSERT_TRUE(read(TILE_RT_F8E4M3FN)) << error.message;
  EXPECT_EQ(at(0), 1);
  EXPECT_EQ(at(1), -2);
  ASSERT_TRUE(read(TILE_RT_I4)) << error.message;
  EXPECT_EQ(tensor.shape[0], 4);
  EXPECT_EQ(at(0), -8);
  EXPECT_EQ(at(1), 3);
  EXPECT_EQ(at(3), -4);
}

TEST_F(Npy, StridedTensorsAreGathered) {
  int8_t data[] = {0, 1, 2, 3, 4, 5, 6, 7};
  int64_t shape[] = {2, 2}, strides[] = {4, 2};
  ASSERT_TRUE(tile_rt_tensor_view(&tensor, TILE_RT_I8, 2, shape, strides, data,
                                  nullptr));
  ASSERT_TRUE(tile_rt_npy_write(path.c_str(), &tensor, &error));
  EXPECT_EQ(bytes().substr(128), "\0\2\4\6"s);
}

TEST_F(Npy, FileErrors) {
  EXPECT_FALSE(read());
  EXPECT_EQ(message(),
            "expected a readable file, got 'no such file or directory'");
  put("\x93NUM");
  EXPECT_FALSE(read());
  EXPECT_EQ(message(), "expected a .npy file, got 4 bytes");
  put("PK\x03\x04 a zip file");
  EXPECT_FALSE(read());
  EXPECT_EQ(message(), "expected the magic \"\\x93NUMPY\", got bytes 50 4b 03 "
                       "04 20 61");
  put("\x93NUMPY\x04\x00v\x00"s);
  EXPECT_FALSE(read());
  EXPECT_EQ(message(), "expected format version 1.0, 2.0 or 3.0, got 4.0");
  put("\x93NUMPY\x02\x00v\x00"s);
  EXPECT_FALSE(read());
  EXPECT_EQ(message(), "expected 4 bytes of header length, got 2");
  put(savedByNumPy.substr(0, 30));
  EXPECT_FALSE(read());
  EXPECT_EQ(message(), "expected 118 bytes of header, got 20");
  put("\x93NUMPY\x02\x00\xff\xff\xff\xff"s);
  EXPECT_FALSE(read());
  EXPECT_EQ(message(),
            "expected a header of at most 1048576 bytes, got 4294967295");
  put(savedByNumPy.substr(0, 128 + 5));
  EXPECT_FALSE(read());
  EXPECT_EQ(message(), "expected 6 bytes of data, got 5");
  EXPECT_EQ(tensor.data, nullptr);
  put(savedByNumPy + "x");
  EXPECT_FALSE(read());
  EXPECT_EQ(message(), "expected 6 bytes of data, got 7");
  put(savedByNumPy);
  EXPECT_FALSE(read(TILE_RT_F16));
  EXPECT_EQ(message(), "expected f16, got i16 ('<i2')");
  EXPECT_FALSE(tile_rt_npy_read(path.c_str(), TILE_RT_F16, &tensor, nullptr));
}

TEST_F(Npy, HeaderErrors) {
  const char *cases[][2] = {
      {"", "expected '{' at byte 1 of the header, got its end"},
      {"[1]", "expected '{' at byte 0 of the header, got \"[1]?\""},
      {"{}", "expected the keys descr, fortran_order and shape, got none"},
      {"{'descr': '<f4', 'shape': (1,)}",
       "expected the keys descr, fortran_order and shape, got descr shape"},
      {"{'color': 1}", "expected 'descr', 'fortran_order' or 'shape' at byte 1 "
                       "of the header, got \"'color': 1}?\""},
      {"{'descr': [('a', '<f4')]}",
       "expected the name of an element type at byte 10 of the header, got "
       "\"[('a', '<f4')]}?\""},
      {"{'fortran_order': 1}", "expected True or False at byte 18 of the "
                               "header, got \"1}?\""},
      {"{'shape': (1, -2)}",
       "expected a size at byte 14 of the header, got \"-2)}?\""},
      {"{'shape': (1 2)}",
       "expected ',' or ')' at byte 13 of the header, got \"2)}?\""},
      {"{'shape': (99999999999999999999,)}",
       "expected a size of 63 bits at byte 29 of the header, got \"99,)}?\""},
      {"{'shape': (1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1)}",
       "expected a rank of at most 16 at byte 43 of the header, got \"1)}?\""},
      {"{'shape' (1,)}",
       "expected ':' at byte 9 of the header, got \"(1,)}?\""},
      {"{'shape': (1,) 'descr'}",
       "expected ',' or '}' at byte 15 of the header, got \"'descr'}?\""},
      {"{'descr': '<f4', 'fortran_order': False, 'shape': (1,)} x",
       "expected the end of the header at byte 56 of the header, got \"x?\""},
      {"{'descr': '<c8', 'fortran_order': False, 'shape': (1,)}",
       "expected an element type b1, i1-i8, u1-u8 or f2-f8, got '<c8'"},
      {"{'descr': '<i4', 'fortran_order': False, 'shape': (9999999999,)}",
       "expected 39999999996 bytes of data, got 0"},
      {"{'descr': '<i4', 'fortran_order': False, "
       "'shape': (9999999999,9999999999)}",
       "tensor: expected a type that fits in memory, got "
       "9999999999x9999999999xi32"},
  };
  for (auto &[header, expected] : cases) {
    put(header, "");
    EXPECT_FALSE(read()) << header;
    EXPECT_EQ(message(), expected) << header;
  }
}

TEST_F(Npy, EveryTruncationIsAnErrorNotACrash) {
  for (size_t size = 0; size < savedByNumPy.size(); ++size) {
    put(savedByNumPy.substr(0, size));
    EXPECT_FALSE(read()) << size;
  }
}

TEST_F(Npy, PackedErrors) {
  int64_t shape[] = {2, 3};
  ASSERT_TRUE(tile_rt_tensor_alloc(&tensor, TILE_RT_I4, 2, shape, 0, nullptr));
  EXPECT_FALSE(tile_rt_npy_write(path.c_str(), &tensor, &error));
  EXPECT_EQ(message(), "expected an even last dimension, got 2x3xi4");
  put("{'descr': '|V1', 'fortran_order': True, 'shape': (1, 1)}", "x");
  EXPECT_FALSE(read(TILE_RT_I4));
  EXPECT_EQ(message(), "expected rows of packed i4, got fortran order");
  put("{'descr': '|V1', 'fortran_order': False, 'shape': ()}", "x");
  EXPECT_FALSE(read(TILE_RT_I4));
  EXPECT_EQ(message(), "expected rows of packed i4, got rank 0");
}

TEST_F(Npy, WriteErrorsLeaveNothingBehind) {
  int64_t shape[] = {1024};
  ASSERT_TRUE(tile_rt_tensor_alloc(&tensor, TILE_RT_F32, 1, shape, 0, nullptr));
  std::string nowhere = folder + "/none/a.npy";
  EXPECT_FALSE(tile_rt_npy_write(nowhere.c_str(), &tensor, &error));
  EXPECT_EQ(
      error.message,
      nowhere +
          ": expected a writable folder, got 'no such file or directory'");
  // A full disk, as far as a test can have one.
  put("precious");
  signal(SIGXFSZ, SIG_IGN);
  rlimit old, tiny;
  getrlimit(RLIMIT_FSIZE, &old);
  tiny = old;
  tiny.rlim_cur = 1000;
  setrlimit(RLIMIT_FSIZE, &tiny);
  EXPECT_FALSE(tile_rt_npy_write(path.c_str(), &tensor, &error));
  setrlimit(RLIMIT_FSIZE, &old);
  signal(SIGXFSZ, SIG_DFL);
  EXPECT_EQ(message(), "expected to write 4224 bytes, got 'file too large'");
  EXPECT_EQ(bytes(), "precious");
  TileRtTensor empty = {};
  EXPECT_FALSE(tile_rt_npy_write(path.c_str(), &empty, &error));
  EXPECT_EQ(message(), "expected a tensor, got an empty one");
}

TEST_F(Npy, LongPathsLeaveRoomForTheMessage) {
  std::string longPath = folder + "/" + std::string(2000, 'x');
  EXPECT_FALSE(
      tile_rt_npy_read(longPath.c_str(), TILE_RT_NONE, &tensor, &error));
  EXPECT_EQ(error.message,
            "..." + std::string(300, 'x') +
                ": expected a readable file, got 'file name too long'");
}

} // namespace
