// Includes GoogleTest, and the standard headers and helpers that most tests use.
#pragma once

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <deque>
#include <filesystem>
#include <fstream>
#include <functional>
#include <limits>
#include <map>
#include <memory>
#include <numeric>
#include <optional>
#include <random>
#include <set>
#include <span>
#include <sstream>
#include <stdexcept>
#include <string>
#include <string_view>
#include <thread>
#include <tuple>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "base/array_of.h"
#include "base/error.h"
#include "base/file.h"
#include "base/message_of.h"
#include "base/scratch_folder.h"
#include "mentions.h"
#include "test_environment.h"

namespace gridstride {

namespace fs = std::filesystem;

using test::array_of;
using test::HasSubstrs;
using test::Mentions;
using test::message_of;
using test::not_thrown;
using test::ScratchFolder;
using testing::AllOf;
using testing::AnyOf;
using testing::Contains;
using testing::DoubleNear;
using testing::Each;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::Pointwise;
using testing::SizeIs;
using testing::StartsWith;

}  // namespace gridstride
