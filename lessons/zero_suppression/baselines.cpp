#include "zero_suppression/baselines.h"

#include <algorithm>
#include <atomic>

#include "base/parallel_for.h"

namespace gridstride::lessons::zero_suppression {

namespace {

using Samples = std::span<const std::int16_t>;
using Silenced = std::span<std::int16_t>;

/// Where the result goes. It stays between calls, because a program that works on one recording after another
/// has its memory already: fresh memory would be timed page by page.
Silenced room_for(std::size_t count) {
    thread_local Array room;
    if (room.count() != count) room = Array(ElementType::i16, count);
    return room.as<std::int16_t>();
}

/// Noise is what lies in [from, to]. Compared in 16 bits, so that the compiler's vector instructions take as
/// many samples at a time as fit.
struct Noise {
    std::int16_t from;
    std::int16_t to;
};

/// Nothing is noise at threshold 0 by magnitude: a range that is empty.
Noise noise_of(const Values& values) {
    const auto below = static_cast<std::int16_t>(static_cast<int>(values[key::threshold]) - 1);
    if (values[key::rule] == Rule::signed_value) return {INT16_MIN, below};
    return {static_cast<std::int16_t>(-below), below};
}

std::uint64_t silence(Samples samples, Silenced silenced, Noise noise) {
    // So many at a time as the 16-bit count of them can hold; they are still in the cache when they are
    // counted.
    constexpr std::size_t block = 4096;
    std::uint64_t kept = 0;
    for (std::size_t start = 0; start < samples.size(); start += block) {
        const std::size_t here = std::min(block, samples.size() - start);
        const std::int16_t* in = samples.data() + start;
        std::int16_t* out = silenced.data() + start;
        for (std::size_t i = 0; i < here; ++i)
            out[i] = (in[i] >= noise.from) & (in[i] <= noise.to) ? std::int16_t{0} : in[i];
        std::uint16_t not_zero = 0;
        for (std::size_t i = 0; i < here; ++i)
            not_zero = static_cast<std::uint16_t>(not_zero + (out[i] != 0 ? 1 : 0));
        kept += not_zero;
    }
    return kept;
}

}  // namespace

double one_thread(const Input& input, const Values& values) {
    const Samples samples = get(input, "samples").as<std::int16_t>();
    return static_cast<double>(silence(samples, room_for(samples.size()), noise_of(values)));
}

double all_threads(const Input& input, const Values& values) {
    const Samples samples = get(input, "samples").as<std::int16_t>();
    const Silenced silenced = room_for(samples.size());
    const Noise noise = noise_of(values);
    std::atomic<std::uint64_t> kept = 0;
    parallel_for(samples.size(), std::size_t{1} << 16, [&](std::size_t begin, std::size_t end) {
        kept += silence(samples.subspan(begin, end - begin), silenced.subspan(begin, end - begin), noise);
    });
    return static_cast<double>(kept);
}

}  // namespace gridstride::lessons::zero_suppression
