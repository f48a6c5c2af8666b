#include <algorithm>

#include "transfers/transfers.h"

namespace gridstride::lessons::transfers {

namespace {

/// Both launches leave new samples on the device.
Content made_by(std::uint32_t launch, const Copies& on_device) {
    const auto is = [&](Which array, Content content) { return on_device[array].content == content; };
    if (launch == add)
        return is(pulses, Content::whole) && is(noise, Content::whole) ? Content::added : Content::spoilt;
    return is(samples, Content::added) || is(samples, Content::whole) ? Content::whole : Content::spoilt;
}

/// Needless is a trip to where the same lies already; and, from the end, what nothing behind it uses.
void find_needless(const Moment& start, std::vector<Moment>& moments) {
    std::array<bool, array_count> wanted_on_host{}, wanted_on_device{};
    wanted_on_host[samples] = true;
    for (std::size_t i = moments.size(); i-- > 0;) {
        Moment& moment = moments[i];
        const Moment& before = i > 0 ? moments[i - 1] : start;
        if (const auto array = moment.leg().trip_of) {
            bool& from = (moment.leg().up ? wanted_on_host : wanted_on_device)[*array];
            bool& to = (moment.leg().up ? wanted_on_device : wanted_on_host)[*array];
            const bool changes = moment.on_host != before.on_host || moment.on_device != before.on_device;
            moment.needless = !changes || !to;
            if (moment.needless) continue;
            to = false;
            from = true;
        } else {
            moment.needless = !wanted_on_device[samples];
            if (!moment.needless && moment.number == add) wanted_on_device = {true, true, false};
        }
    }
}

}  // namespace

bool Journey::is_right() const {
    return !moments.empty() && moments.back().on_host[samples].content == Content::whole;
}

std::uint64_t Journey::needless_trips() const {
    return static_cast<std::uint64_t>(std::ranges::count_if(
        moments, [](const Moment& moment) { return moment.needless && moment.leg().trip_of; }));
}

Journey journey_of(const Sequence& steps) {
    Journey journey;
    Moment now;
    now.on_host[pulses].content = now.on_host[noise].content = Content::whole;
    const Moment start = now;
    bool launched = false, fetched = false;
    for (const std::uint32_t step : steps.of) {
        now.number = step;
        const bool goes_up = now.leg().up;
        if (const auto array = now.leg().trip_of) {
            const Copy& from = (goes_up ? now.on_host : now.on_device)[*array];
            Copy& to = (goes_up ? now.on_device : now.on_host)[*array];
            if (goes_up && from.content == Content::nothing)
                journey.problem =
                    "up comes before down: the host has no samples yet that could go up. Put down before it.";
            to = from;
            if (to.content == Content::nothing) to.content = Content::spoilt;
            fetched = fetched || !goes_up;
        } else {
            Copy& made = now.on_device[samples];
            made = {made_by(step, now.on_device), made.version + 1};
            launched = true;
        }
        journey.moments.push_back(now);
    }
    if (!launched)
        journey.problem = "No step is a launch: nothing would run. Put in add or rectify.";
    else if (!fetched)
        journey.problem = "Nothing comes back to the host. Put in down at the end.";
    find_needless(start, journey.moments);
    return journey;
}

}  // namespace gridstride::lessons::transfers
