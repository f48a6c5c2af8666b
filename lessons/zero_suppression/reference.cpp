#include "zero_suppression/reference.h"

#include <algorithm>
#include <cstdlib>

namespace gridstride::lessons::zero_suppression {

namespace {

ArrayRef share(Array array) {
    return std::make_shared<const Array>(std::move(array));
}

}  // namespace

bool survives(std::int16_t sample, Rule rule, std::uint64_t threshold) {
    // In int, where -32768 has a positive twin.
    const int value = sample;
    const int limit = static_cast<int>(threshold);
    return rule == Rule::magnitude ? std::abs(value) >= limit : value >= limit;
}

std::vector<Expected> reference(const Input& input, const Values& values, const Plan& plan) {
    const auto samples = get(input, "samples").as<std::int16_t>();
    const Rule rule = values[key::rule];
    const std::uint64_t threshold = values[key::threshold];

    if (plan.main_output == "silenced") {
        Array silenced(ElementType::i16, samples.size());
        std::transform(samples.begin(), samples.end(), silenced.as<std::int16_t>().begin(),
                       [&](std::int16_t sample) {
                           return survives(sample, rule, threshold) ? sample : std::int16_t{0};
                       });
        return {{"silenced", share(std::move(silenced)), {}, nullptr}};
    }

    std::size_t count = 0;
    for (const std::int16_t sample : samples)
        count += survives(sample, rule, threshold) ? 1 : 0;
    Array kept(ElementType::i32, 2 * count);
    const auto positions = kept.as<std::int32_t>().first(count);
    const auto kept_values = kept.as<std::int32_t>().last(count);
    std::size_t next = 0;
    for (std::size_t i = 0; i < samples.size(); ++i) {
        if (!survives(samples[i], rule, threshold)) continue;
        positions[next] = static_cast<std::int32_t>(i);
        kept_values[next] = samples[i];
        ++next;
    }
    const auto kept_count = static_cast<std::uint32_t>(count);
    return {{"kept", share(std::move(kept)), {}, nullptr},
            {"kept_count", share(Array::of<std::uint32_t>({&kept_count, 1})), {}, nullptr}};
}

double compression_ratio(std::uint64_t samples, std::uint64_t kept) {
    return 2.0 * static_cast<double>(samples) / (4.0 + 6.0 * static_cast<double>(kept));
}

}  // namespace gridstride::lessons::zero_suppression
