// Makes a pair of connected sockets.
#pragma once

#include <gtest/gtest.h>
#include <sys/socket.h>

#include <array>

namespace gridstride::lab {

inline std::array<int, 2> sockets() {
    std::array<int, 2> ends{};
    EXPECT_EQ(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()), 0);
    return ends;
}

}  // namespace gridstride::lab
