// What the files of this lesson share: its parameters, where the copies of its arrays are, and its pictures.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "lesson/lesson.h"

namespace gridstride::lessons::transfers {

enum class Fetch { all, counted };

namespace key {
using namespace gridstride::key;
inline constexpr Key<HostMemory> memory{"memory"};
inline constexpr Key<std::uint64_t> pieces{"pieces"};
inline constexpr Key<std::uint64_t> rounds{"rounds"};
inline constexpr Key<Waiting> waiting{"waiting"};
inline constexpr Key<Sequence> steps{"steps"};
inline constexpr Key<Fetch> fetch{"fetch"};
}  // namespace key

/// samples: what the launches make.
enum Which : std::size_t { pulses, noise, samples, array_count };
/// What a plan's step does to the arrays: a trip of one of them, or a launch that makes samples.
struct Leg {
    const char* id;
    const char* says;
    std::optional<Which> trip_of = {};
    bool up = false;
};
enum LegNumber : std::uint32_t { pulses_up, noise_up, add, rectify, down, up };
inline constexpr Leg legs[] = {{"pulses_up", "the pulses to the device", pulses, true},
                               {"noise_up", "the noise to the device", noise, true},
                               {"add", "launch: pulses plus noise"},
                               {"rectify", "launch: what is negative becomes positive"},
                               {"down", "the samples to the host", samples},
                               {"up", "the samples to the device", samples, true}};

/// How far an array has come where it lies: not there; there, but made from what was not; pulses plus noise;
/// what it is to be.
enum class Content { nothing, spoilt, added, whole };
struct Copy {
    Content content = Content::nothing;
    int version = 0;  ///< counts what kernels made of the array
    bool operator==(const Copy&) const = default;
};
using Copies = std::array<Copy, array_count>;
struct Moment {
    std::uint32_t number = 0;
    Copies on_host, on_device;  ///< behind the step
    bool needless =
        false;  ///< a trip to where the same lies already, or nothing behind it uses what it makes

    const Leg& leg() const { return legs[number]; }
};
/// What the steps do to the copies, one after another. Where they are no plan, `problem` says why, as a
/// sentence.
struct Journey {
    std::vector<Moment> moments;
    std::string problem;

    bool is_right() const;                 ///< the host ends with what it is to have
    std::uint64_t needless_trips() const;  ///< launches left out
};
Journey journey_of(const Sequence& steps);

/// "waveform": the first samples; "copies", computed: where each array is and whether it is valid, a column a
/// step; "trips", measured: every trip and launch to scale.
std::vector<Plot> pictures(const PictureInput& input);

}  // namespace gridstride::lessons::transfers
