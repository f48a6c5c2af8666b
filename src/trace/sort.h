// Order in linear time, for everything that is read from a recording.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <vector>

namespace gridstride::trace {

/// 0, 1, 2 … count - 1
inline std::vector<std::uint32_t> numbers_to(std::size_t count) {
    std::vector<std::uint32_t> numbers(count);
    std::iota(numbers.begin(), numbers.end(), std::uint32_t{0});
    return numbers;
}

/// Puts the numbers in order by key(number), those of equal keys as they stood: so the last of several keys
/// is sorted by first. A radix sort from the least significant digit (D. E. Knuth, "The Art of Computer
/// Programming" 3, 5.2.5, algorithm R), linear for keys of bounded size.
template <class Key>
void sort_by(std::vector<std::uint32_t>& numbers, Key key) {
    constexpr unsigned bits = 11;
    constexpr std::uint64_t mask = (1U << bits) - 1;
    std::uint64_t used = 0;
    for (const std::uint32_t number : numbers)
        used |= std::uint64_t{key(number)};
    std::vector<std::uint32_t> sorted(numbers.size());
    for (unsigned shift = 0; shift < 64; shift += bits) {
        if ((used >> shift & mask) == 0) continue;
        const auto digit = [&](std::uint32_t number) { return std::uint64_t{key(number)} >> shift & mask; };
        std::array<std::uint32_t, mask + 2> begin{};
        for (const std::uint32_t number : numbers)
            ++begin[digit(number) + 1];
        std::partial_sum(begin.begin(), begin.end(), begin.begin());
        for (const std::uint32_t number : numbers)
            sorted[begin[digit(number)]++] = number;
        numbers.swap(sorted);
    }
}

/// body(begin, end) for each stretch of places from `begin` up to `end` whose neighbours are the same.
template <class Same, class Body>
void for_each_run(std::size_t begin, std::size_t end, Same same, Body body) {
    while (begin < end) {
        std::size_t next = begin + 1;
        while (next < end && same(next - 1, next))
            ++next;
        body(begin, next);
        begin = next;
    }
}

}  // namespace gridstride::trace
