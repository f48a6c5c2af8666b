#include <algorithm>

#include "lesson/stock.h"
#include "zero_suppression/zero_suppression.h"

namespace gridstride::lessons::zero_suppression {

namespace {

using Silenced = std::span<std::int16_t>;

/// Noise is what lies in [from, to]. Compared in 16 bits, so that the compiler's vector instructions take as
/// many samples at a time as fit.
struct Noise {
    std::int16_t from, to;
};

std::uint64_t silence_part(Samples samples, Silenced silenced, Noise noise) {
    // So many at a time as the 16-bit count of them can hold; they are still in the cache when they are
    // counted.
    constexpr std::size_t block = 4096;
    std::uint64_t kept = 0;
    for (std::size_t start = 0; start < samples.size(); start += block) {
        const std::size_t here = std::min(block, samples.size() - start);
        const std::int16_t* in = samples.data() + start;
        std::int16_t* out = silenced.data() + start;
        for (std::size_t i = 0; i < here; ++i)
            out[i] = ((in[i] >= noise.from) & (in[i] <= noise.to)) ? std::int16_t{0} : in[i];
        std::uint16_t not_zero = 0;
        for (std::size_t i = 0; i < here; ++i)
            not_zero = static_cast<std::uint16_t>(not_zero + (out[i] != 0 ? 1 : 0));
        kept += not_zero;
    }
    return kept;
}

}  // namespace

double on_cpu(const Input& input, const Values& values, InParts in_parts) {
    const Samples samples = get(input, "samples").as<std::int16_t>();
    // Where the result goes stays between calls, because a program that works on one recording after another
    // has its memory already: fresh memory would be timed page by page.
    thread_local Array room;
    if (room.count() != samples.size()) room = Array(ElementType::i16, samples.size());
    const Silenced silenced = room.as<std::int16_t>();
    // Nothing is noise at threshold 0 by magnitude: a range that is empty.
    const auto below = static_cast<std::int16_t>(static_cast<int>(values[key::threshold]) - 1);
    const bool is_signed = values[key::rule] == Rule::signed_value;
    const Noise noise{is_signed ? std::int16_t{INT16_MIN} : static_cast<std::int16_t>(-below), below};
    return in_parts(samples.size(), std::size_t{1} << 16, [&](std::size_t begin, std::size_t end) {
        return static_cast<double>(
            silence_part(samples.subspan(begin, end - begin), silenced.subspan(begin, end - begin), noise));
    });
}

}  // namespace gridstride::lessons::zero_suppression
