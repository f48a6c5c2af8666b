// The members of an aggregate, taken apart by the compiler, as Boost.PFR does (whose package has another name
// in each release of Debian): a member that is added is there for all who ask, without a list kept by hand.
#pragma once

#include <cstddef>
#include <type_traits>
#include <utility>

namespace gridstride {

namespace members_detail {

/// Initialises any member. Only for the compiler to look at.
struct Anything {
    template <class T>
    operator T() const;
};

template <class T, std::size_t... I>
constexpr bool takes(std::index_sequence<I...>) {
    return requires {
        T{(static_cast<void>(I), Anything{})...};
    };
}

inline constexpr std::size_t most = 32;

/// By trying from above: an aggregate takes as many initialisers as it has members, or fewer.
template <class T, std::size_t N = most + 1>
constexpr std::size_t count() {
    if constexpr (N == 0 || takes<T>(std::make_index_sequence<N>{}))
        return N;
    else
        return count<T, N - 1>();
}

}  // namespace members_detail

/// body(first, second, …) with references to all members. No bases, arrays of C's or more than 32 members.
template <class T, class Body>
constexpr decltype(auto) with_members(T& value, Body&& body) {
    using Plain = std::remove_const_t<T>;
    static_assert(std::is_aggregate_v<Plain>, "only an aggregate can be taken apart");
    constexpr std::size_t n = members_detail::count<Plain>();
    static_assert(n <= members_detail::most, "too many members: add cases below");
    if constexpr (n == 0) return body();
// clang-format off
#define GRIDSTRIDE_CASE(count, ...) \
    if constexpr (n == count) { auto& [__VA_ARGS__] = value; return body(__VA_ARGS__); }
#define M1 a1
#define M2 M1, a2
#define M3 M2, a3
#define M4 M3, a4
#define M5 M4, a5
#define M6 M5, a6
#define M7 M6, a7
#define M8 M7, a8
#define M9 M8, a9
#define M10 M9, a10
#define M11 M10, a11
#define M12 M11, a12
#define M13 M12, a13
#define M14 M13, a14
#define M15 M14, a15
#define M16 M15, a16
#define M17 M16, a17
#define M18 M17, a18
#define M19 M18, a19
#define M20 M19, a20
#define M21 M20, a21
#define M22 M21, a22
#define M23 M22, a23
#define M24 M23, a24
#define M25 M24, a25
#define M26 M25, a26
#define M27 M26, a27
#define M28 M27, a28
#define M29 M28, a29
#define M30 M29, a30
#define M31 M30, a31
#define M32 M31, a32
    GRIDSTRIDE_CASE(1, M1)
    GRIDSTRIDE_CASE(2, M2)
    GRIDSTRIDE_CASE(3, M3)
    GRIDSTRIDE_CASE(4, M4)
    GRIDSTRIDE_CASE(5, M5)
    GRIDSTRIDE_CASE(6, M6)
    GRIDSTRIDE_CASE(7, M7)
    GRIDSTRIDE_CASE(8, M8)
    GRIDSTRIDE_CASE(9, M9)
    GRIDSTRIDE_CASE(10, M10)
    GRIDSTRIDE_CASE(11, M11)
    GRIDSTRIDE_CASE(12, M12)
    GRIDSTRIDE_CASE(13, M13)
    GRIDSTRIDE_CASE(14, M14)
    GRIDSTRIDE_CASE(15, M15)
    GRIDSTRIDE_CASE(16, M16)
    GRIDSTRIDE_CASE(17, M17)
    GRIDSTRIDE_CASE(18, M18)
    GRIDSTRIDE_CASE(19, M19)
    GRIDSTRIDE_CASE(20, M20)
    GRIDSTRIDE_CASE(21, M21)
    GRIDSTRIDE_CASE(22, M22)
    GRIDSTRIDE_CASE(23, M23)
    GRIDSTRIDE_CASE(24, M24)
    GRIDSTRIDE_CASE(25, M25)
    GRIDSTRIDE_CASE(26, M26)
    GRIDSTRIDE_CASE(27, M27)
    GRIDSTRIDE_CASE(28, M28)
    GRIDSTRIDE_CASE(29, M29)
    GRIDSTRIDE_CASE(30, M30)
    GRIDSTRIDE_CASE(31, M31)
    GRIDSTRIDE_CASE(32, M32)
#undef M1
#undef M2
#undef M3
#undef M4
#undef M5
#undef M6
#undef M7
#undef M8
#undef M9
#undef M10
#undef M11
#undef M12
#undef M13
#undef M14
#undef M15
#undef M16
#undef M17
#undef M18
#undef M19
#undef M20
#undef M21
#undef M22
#undef M23
#undef M24
#undef M25
#undef M26
#undef M27
#undef M28
#undef M29
#undef M30
#undef M31
#undef M32
#undef GRIDSTRIDE_CASE
    // clang-format on
}

}  // namespace gridstride
