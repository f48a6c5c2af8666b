// Sorting in linear time, for the records of a trace.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <vector>

namespace gridstride::trace {

/// Returns 0, 1, 2 … count - 1.
inline std::vector<std::uint32_t> make_indices(std::size_t count) {
    std::vector<std::uint32_t> numbers(count);
    std::iota(numbers.begin(), numbers.end(), std::uint32_t{0});
    return numbers;
}

/// Sorts the numbers by key(number), stably: to sort by several keys, sort by the least significant key
/// first. A radix sort from the least significant digit (D. E. Knuth, "The Art of Computer Programming"
/// 3, 5.2.5, algorithm R), linear for keys of bounded size.
template <class Key>
void sort_by(std::vector<std::uint32_t>& numbers, Key key) {
    constexpr unsigned bits = 11;
    constexpr std::uint64_t mask = (1U << bits) - 1;
    std::uint64_t used_bits = 0;
    for (const std::uint32_t number : numbers)
        used_bits |= std::uint64_t{key(number)};
    std::vector<std::uint32_t> sorted(numbers.size());
    for (unsigned shift = 0; shift < 64; shift += bits) {
        if ((used_bits >> shift & mask) == 0) continue;
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

/// Calls body(first, last) for each maximal half-open range in [begin, end) whose neighbours satisfy same(i,
/// i + 1).
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
