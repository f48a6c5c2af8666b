// Arrays that expressions generate: iota(n), integers(n, below), permutation(n) and others.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "base/array.h"

namespace gridstride::expression {

/// The numbers that an expression such as integers(n, 6) generates.
struct GeneratedNumbers {
    enum class Kind { iota, integers, permutation, cycle, uniform, normal };
    Kind kind;
    std::uint64_t count;
    std::uint64_t below = 1;  ///< of integers

    bool is_random() const { return kind != Kind::iota; }
    ElementType type() const {
        return kind == Kind::uniform || kind == Kind::normal ? ElementType::f32 : ElementType::u32;
    }
};
std::string_view name(GeneratedNumbers::Kind kind);

/// Throws Refusal for a count, or a limit of integers, that is out of range.
void require_generated(const GeneratedNumbers& numbers);
/// Returns the numbers. The same seed and stream give the same numbers on every machine.
Array generate(const GeneratedNumbers& numbers, std::uint64_t seed, std::uint32_t stream);

/// Returns random words, one for each element.
std::vector<std::uint32_t> generate_words(std::uint64_t count, std::uint64_t seed, std::uint32_t stream);
/// Maps a random word to a whole number below `limit`.
std::uint32_t below(std::uint32_t word, std::uint64_t limit);

/// Shuffles with the words: R. Durstenfeld, "Algorithm 235: Random permutation", CACM 7, 1964. With
/// `single_cycle`, the permutation is one cycle: S. Sattolo, "An algorithm to generate a random cyclic
/// permutation", Information Processing Letters 22, 1986.
template <class T>
void shuffle_with(std::span<T> items, const std::vector<std::uint32_t>& words, bool single_cycle = false) {
    for (std::size_t i = items.size(); i > 1; --i)
        std::swap(items[i - 1], items[below(words[i - 1], single_cycle ? i - 1 : i)]);
}

}  // namespace gridstride::expression
