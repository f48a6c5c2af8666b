// Iterates over the members of an aggregate, as Boost.PFR does (whose package name differs between Debian
// releases), so that serialisation and comparison need no hand-written member lists.
#pragma once

#include <algorithm>
#include <cstddef>
#include <string_view>
#include <type_traits>
#include <utility>

namespace gridstride {

namespace members_detail {

/// Converts to any type, for counting members in unevaluated code.
struct AnyMember {
    template <class T>
    operator T() const;
};

template <class T, std::size_t... I>
constexpr bool accepts(std::index_sequence<I...>) {
    return requires {
        T{(static_cast<void>(I), AnyMember{})...};
    };
}

inline constexpr std::size_t max_members = 40;

/// Counts the members by trying from above: an aggregate accepts as many initialisers as it has members.
template <class T, std::size_t N = max_members + 1>
constexpr std::size_t count() {
    if constexpr (N == 0 || accepts<T>(std::make_index_sequence<N>{}))
        return N;
    else
        return count<T, N - 1>();
}

/// Counts the names in a list: 3 in "a3, a2, a1".
constexpr std::size_t count_names(std::string_view list) {
    return 1 + static_cast<std::size_t>(std::count(list.begin(), list.end(), ','));
}

}  // namespace members_detail

/// Calls body(first, second, …) with references to all members. T must have no bases, no C arrays and up to
/// 40 members.
template <class T, class Body>
constexpr decltype(auto) with_members(T& value, Body&& body) {
    using Plain = std::remove_const_t<T>;
    static_assert(std::is_aggregate_v<Plain>, "only an aggregate can be taken apart");
    constexpr std::size_t n = members_detail::count<Plain>();
    static_assert(n <= members_detail::max_members, "too many members: add names below");
    if constexpr (n == 0) return body();
// Defines one case for all names, one for all but the first, and so on. A macro does not expand itself, but
// its result may name it when it is scanned again (D. Mazières, "Recursive macros with C++20 __VA_OPT__").
// clang-format off
#define GRIDSTRIDE_CASE(...) \
    if constexpr (n == members_detail::count_names(#__VA_ARGS__)) { auto& [__VA_ARGS__] = value; return body(__VA_ARGS__); }
#define GRIDSTRIDE_CASES(name, ...) \
    GRIDSTRIDE_CASE(name __VA_OPT__(,) __VA_ARGS__) \
    __VA_OPT__(GRIDSTRIDE_AGAIN GRIDSTRIDE_NOTHING (__VA_ARGS__))
#define GRIDSTRIDE_AGAIN() GRIDSTRIDE_CASES
#define GRIDSTRIDE_NOTHING ()
#define GRIDSTRIDE_SCAN(...) __VA_ARGS__
#define GRIDSTRIDE_SCAN4(...) GRIDSTRIDE_SCAN(GRIDSTRIDE_SCAN(GRIDSTRIDE_SCAN(GRIDSTRIDE_SCAN(__VA_ARGS__))))
#define GRIDSTRIDE_SCAN16(...) GRIDSTRIDE_SCAN4(GRIDSTRIDE_SCAN4(GRIDSTRIDE_SCAN4(GRIDSTRIDE_SCAN4(__VA_ARGS__))))
#define GRIDSTRIDE_SCAN64(...) GRIDSTRIDE_SCAN16(GRIDSTRIDE_SCAN16(GRIDSTRIDE_SCAN16(GRIDSTRIDE_SCAN16(__VA_ARGS__))))
    GRIDSTRIDE_SCAN64(GRIDSTRIDE_CASES(
        a40, a39, a38, a37, a36, a35, a34, a33, a32, a31, a30, a29, a28, a27, a26, a25,
        a24, a23, a22, a21, a20, a19, a18, a17, a16, a15, a14, a13, a12, a11, a10, a9, a8, a7, a6, a5, a4, a3, a2, a1))
#undef GRIDSTRIDE_CASE
#undef GRIDSTRIDE_CASES
#undef GRIDSTRIDE_AGAIN
#undef GRIDSTRIDE_NOTHING
#undef GRIDSTRIDE_SCAN
#undef GRIDSTRIDE_SCAN4
#undef GRIDSTRIDE_SCAN16
#undef GRIDSTRIDE_SCAN64
    // clang-format on
}

}  // namespace gridstride
