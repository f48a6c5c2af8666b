// What the files of this lesson share.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "lesson/lesson.h"

namespace gridstride::lessons::zero_suppression {

enum class Rule { signed_value, magnitude };

namespace key {
using namespace gridstride::key;
inline constexpr Key<std::uint64_t> threshold{"threshold"};
inline constexpr Key<Rule> rule{"rule"};
}  // namespace key

using Samples = std::span<const std::int16_t>;

/// The definition: whether a sample is more than noise.
bool survives(std::int16_t sample, Rule rule, std::uint64_t threshold);

/// Of a report: "recording", the samples that come in; "waveform", before and after on one axis; "removed",
/// what was taken away of the first samples; "amplitudes", how often each value occurs and which side of the
/// threshold it is on; for compact "compaction", where some survivors went. Without one: "bytes", how long
/// samples, words and survivors are; "rule", what each rule makes of a sample. Recorded: "who", which
/// invocation takes which of the first samples; for compact "scan", the steps of a prefix sum.
std::vector<Plot> pictures(const PictureInput& input);

}  // namespace gridstride::lessons::zero_suppression
