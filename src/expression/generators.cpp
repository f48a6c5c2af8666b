#include "expression/generators.h"

#include <numeric>

#include "base/error.h"
#include "base/random.h"
#include "base/strict_math.h"
#include "base/units.h"

namespace gridstride::expression {

namespace {

constexpr std::uint64_t max_generated = std::uint64_t{1} << 28;

}  // namespace

std::string_view name(GeneratedNumbers::Kind kind) {
    static constexpr std::string_view names[] = {"iota",  "integers", "permutation",
                                                 "cycle", "uniform",  "normal"};
    return names[static_cast<std::size_t>(kind)];
}

void require_generated(const GeneratedNumbers& numbers) {
    if (numbers.count < 1 || numbers.count > max_generated)
        throw Refusal("{} cannot generate {} elements. Use a count from 1 to {}.", name(numbers.kind),
                      format_count(numbers.count), format_count(max_generated));
    if (numbers.below < 1 || numbers.below > UINT32_MAX)
        throw Refusal("integers(count, below) needs a limit from 1 to {}, not {}.", format_count(UINT32_MAX),
                      format_count(numbers.below));
}

std::vector<std::uint32_t> generate_words(std::uint64_t count, std::uint64_t seed, std::uint32_t stream) {
    std::vector<std::uint32_t> words(count);
    fill_random_u32(words, seed, stream);
    return words;
}

std::uint32_t below(std::uint32_t word, std::uint64_t limit) {
    return static_cast<std::uint32_t>((word * limit) >> 32);
}

Array generate(const GeneratedNumbers& numbers, std::uint64_t seed, std::uint32_t stream) {
    Array array(numbers.type(), numbers.count);
    switch (numbers.kind) {
        case GeneratedNumbers::Kind::uniform:
            fill_uniform_f32(array.as<float>(), seed, stream);
            break;
        case GeneratedNumbers::Kind::normal:
            fill_normal_f32(array.as<float>(), seed, stream, 0, 1);
            break;
        case GeneratedNumbers::Kind::integers:
            fill_random_u32(array.as<std::uint32_t>(), seed, stream);
            for (std::uint32_t& number : array.as<std::uint32_t>())
                number = below(number, numbers.below);
            break;
        default:
            std::iota(array.as<std::uint32_t>().begin(), array.as<std::uint32_t>().end(), 0U);
            if (numbers.is_random())
                shuffle_with(array.as<std::uint32_t>(), generate_words(numbers.count, seed, stream),
                             numbers.kind == GeneratedNumbers::Kind::cycle);
    }
    return array;
}

}  // namespace gridstride::expression
