#include "lesson/building_blocks.h"

#include <fmt/format.h>

#include <atomic>
#include <cmath>
#include <limits>
#include <numeric>
#include <type_traits>
#include <vector>

#include "base/error.h"
#include "base/format_exact.h"
#include "base/language.h"
#include "base/parallel_for.h"
#include "base/random.h"
#include "base/strict_math.h"
#include "base/units.h"
#include "launch/extent.h"
#include "lesson/input_remarks.h"

namespace gridstride {

Array uniform_f32(std::size_t count, std::uint64_t seed, double low, double high, std::uint32_t stream) {
    Array array(ElementType::f32, count);
    const auto numbers = array.as<float>();
    fill_uniform_f32(numbers, seed, stream);
    if (low == 0 && high == 1) return array;
    parallel_for(count, std::size_t{1} << 16, [&](std::size_t begin, std::size_t end) {
        for (std::size_t i = begin; i < end; ++i)
            numbers[i] = static_cast<float>(low + (high - low) * double{numbers[i]});
    });
    return array;
}

Array normal_f32(std::size_t count, std::uint64_t seed, double mean, double deviation, std::uint32_t stream) {
    Array array(ElementType::f32, count);
    fill_normal_f32(array.as<float>(), seed, stream, mean, deviation);
    return array;
}

namespace {

/// Only integers must be exact as f32: decimal fractions such as 0.1 never are.
bool has_integers(const UserData& data) {
    return !is_float(data.numbers->type()) || data.stored_type.ends_with("i64");
}

std::string describe_infinite(double number, ElementType type) {
    return tr("{} is not a finite number as {}, whose largest number is {:.6g}. Remove or replace it.",
              format_exact(number), name(type),
              type == ElementType::f16 ? largest_f16 : double{std::numeric_limits<float>::max()});
}

/// T: float or Half.
template <class T>
std::string check_rounding(double number, bool integers) {
    const double rounded = static_cast<T>(number);
    const std::string_view type = name(ElementTypeOf<T>::value);
    if (std::isfinite(number) && !std::isfinite(rounded))
        return describe_infinite(number, ElementTypeOf<T>::value);
    if (!integers || rounded == number) return {};
    return tr(
        "{} does not hold the whole number {} exactly; its nearest is {}. Scale the numbers down, or, if "
        "rounding is acceptable, save array.astype(\"float{}\").",
        type, format_exact(number), format_exact(rounded), 8 * sizeof(T));
}

}  // namespace

NumberCheck max_magnitude_check(double max_magnitude, std::string sentence) {
    return [max_magnitude, sentence = std::move(sentence)](double number) {
        return std::abs(number) <= max_magnitude ? std::string()
                                                 : fmt::format(fmt::runtime(sentence), format_exact(number),
                                                               fmt::format("{:g}", max_magnitude));
    };
}

template <class T>
ArrayRef convert_user_numbers(const UserData& data, const NumberCheck& check) {
    const Array& user_numbers = *data.numbers;
    if (user_numbers.type() == ElementTypeOf<T>::value && !is_float(user_numbers.type())) return data.numbers;
    Array numbers(ElementTypeOf<T>::value, user_numbers.count());
    const auto out = numbers.as<T>();
    const bool integers = has_integers(data);
    const auto check_converted = [&](double number) {
        std::string reason = check ? check(number) : std::string();
        if constexpr (is_float(ElementTypeOf<T>::value))
            if (reason.empty()) reason = check_rounding<T>(number, integers);
        return reason;
    };
    constexpr std::size_t none = SIZE_MAX;
    std::atomic<std::size_t> first_unfit = none;
    parallel_for(out.size(), std::size_t{1} << 16, [&](std::size_t begin, std::size_t end) {
        for (std::size_t i = begin; i < end; ++i) {
            const double number = user_numbers.number(i);
            if (!check_converted(number).empty()) {
                for (std::size_t current_first = first_unfit;
                     i < current_first && !first_unfit.compare_exchange_weak(current_first, i);) {
                }
                return;
            }
            out[i] = static_cast<T>(number);
        }
    });
    if (first_unfit != none)
        throw Refusal(fmt::format("{}: {}", matrix_position(first_unfit, data.width),
                                  check_converted(user_numbers.number(first_unfit))));
    return share(std::move(numbers));
}
template ArrayRef convert_user_numbers<std::int16_t>(const UserData&, const NumberCheck&);
template ArrayRef convert_user_numbers<std::int32_t>(const UserData&, const NumberCheck&);
template ArrayRef convert_user_numbers<std::uint32_t>(const UserData&, const NumberCheck&);
template ArrayRef convert_user_numbers<Half>(const UserData&, const NumberCheck&);
template ArrayRef convert_user_numbers<float>(const UserData&, const NumberCheck&);

ArrayRef convert_user_numbers(const UserData& data, ElementType type) {
    const auto convert_whole = [&]<class T>(T) {
        constexpr double low = std::numeric_limits<T>::min(), high = std::numeric_limits<T>::max();
        return convert_user_numbers<T>(data, [&](double number) {
            return number == std::trunc(number) && number >= low && number <= high
                       ? std::string()
                       : fmt::format(
                             "{} is not a whole number from {} to {}, which {} needs. Give whole "
                             "numbers in this range.",
                             number, low, high, name(type));
        });
    };
    switch (type) {
        case ElementType::f32:
            return convert_user_numbers<float>(data);
        case ElementType::f16:
            return convert_user_numbers<Half>(data);
        case ElementType::i32:
            return convert_whole(std::int32_t{});
        case ElementType::u32:
            return convert_whole(std::uint32_t{});
        default:
            throw std::logic_error(fmt::format("Files have no numbers of type {}.", name(type)));
    }
}

void require_numbers(const Array& matrix, std::uint64_t columns, const NumberCheck& check) {
    const std::size_t unfit =
        parallel_find(matrix.count(), 1, [&](std::size_t i) { return !check(matrix.number(i)).empty(); });
    if (unfit == matrix.count()) return;
    throw Refusal(fmt::format("{}: {}", matrix_position(unfit, columns), check(matrix.number(unfit))));
}

std::string check_finite_f32(double number) {
    if (std::isfinite(static_cast<float>(number))) return {};
    return describe_infinite(number, ElementType::f32);
}

Array sum_in_order(const Array& numbers) {
    const auto sum_of = [](const auto all) {
        const auto sum = std::accumulate(all.begin(), all.end(), typename decltype(all)::value_type{0});
        return Array::of(std::span(&sum, 1));
    };
    if (numbers.type() == ElementType::u32) return sum_of(numbers.as<std::uint32_t>());
    return numbers.type() == ElementType::f32 ? sum_of(numbers.as<float>()) : sum_of(numbers.as<double>());
}

double sum_magnitudes(const Array& all, std::size_t count) {
    return parallel_sum(count, std::size_t{1} << 14, [&](std::size_t begin, std::size_t end) {
        std::vector<double> numbers(end - begin);
        all.numbers(begin, numbers);
        double magnitude = 0;
        for (const double number : numbers)
            magnitude += std::abs(number);
        return magnitude;
    });
}

Array& scratch_array(ElementType type, std::size_t count) {
    thread_local Array room;
    if (room.type() != type || room.count() != count) {
        room = {};
        room = Array(type, count);
    }
    return room;
}

namespace {

template <class T>
NumberSummary summarize_part(std::span<const T> numbers) {
    using Compared = std::conditional_t<std::is_same_v<T, Half>, float, T>;
    auto smallest = static_cast<Compared>(numbers.front()), largest = smallest;
    NumberSummary part;
    for (const T one : numbers) {
        const auto number = static_cast<Compared>(one);
        part.sum += static_cast<double>(number);
        if constexpr (std::is_floating_point_v<Compared>) part.nan_count += std::isnan(number);
        smallest = std::min(smallest, number);
        largest = std::max(largest, number);
    }
    part.smallest = static_cast<double>(smallest);
    part.largest = static_cast<double>(largest);
    return part;
}

}  // namespace

NumberSummary summarize_numbers(const Array& numbers) {
    constexpr std::size_t block = std::size_t{1} << 16;
    std::vector<NumberSummary> parts(divide_up(numbers.count(), block));
    parallel_for(parts.size(), 4, [&](std::size_t begin, std::size_t end) {
        for (std::size_t p = begin; p < end; ++p)
            parts[p] = numbers.visit([&](auto all) {
                return summarize_part(all.subspan(p * block, std::min(block, all.size() - p * block)));
            });
    });
    NumberSummary all;
    for (const NumberSummary& part : parts) {
        all.sum += part.sum;
        all.smallest = std::min(all.smallest, part.smallest);
        all.largest = std::max(all.largest, part.largest);
        all.nan_count += part.nan_count;
    }
    if (all.nan_count > 0) all.smallest = all.largest = std::numeric_limits<double>::quiet_NaN();
    return all;
}

std::vector<double> sample_numbers(const Array& array, std::size_t max_count) {
    std::vector<double> numbers(std::min(array.count(), max_count));
    if (numbers.size() == array.count())
        array.numbers(0, numbers);
    else
        for (std::size_t i = 0; i < numbers.size(); ++i)
            numbers[i] = array.number(i * array.count() / numbers.size());
    return numbers;
}

std::vector<double> spaced_numbers(double from, double to, std::size_t count, AxisScale scale) {
    std::vector<double> all(count);
    for (std::size_t i = 0; i < count; ++i) {
        const auto parts = static_cast<double>(std::max<std::size_t>(count, 2) - 1);
        all[i] = scale == AxisScale::linear ? from + (to - from) * static_cast<double>(i) / parts
                                            : from * std::pow(to / from, static_cast<double>(i) / parts);
    }
    return all;
}

Array copy_slice(const Array& all, std::size_t first, std::size_t count) {
    return all.visit(
        [&]<class T>(std::span<const T> elements) { return Array::of<T>(elements.subspan(first, count)); });
}

Series make_histogram(std::span<const double> numbers, double low, double width, std::size_t bins,
                      double weight) {
    Series bars{.mark = Mark::bars, .x = std::vector<double>(bins), .y = std::vector<double>(bins)};
    for (std::size_t bin = 0; bin < bins; ++bin)
        bars.x[bin] = low + (static_cast<double>(bin) + 0.5) * width;
    const double last = static_cast<double>(bins) - 1;
    for (const double number : numbers)
        if (!std::isnan(number))
            bars.y[static_cast<std::size_t>(std::clamp((number - low) / width, 0.0, last))] += weight;
    return bars;
}

Cells::Numbers matrix_corner(std::string label, const Array& numbers, std::uint64_t pitch) {
    constexpr std::uint64_t max_extent = 256;
    const std::uint64_t rows = std::min(numbers.count() / pitch, max_extent),
                        columns = std::min(pitch, max_extent);
    Array corner(ElementType::f32, rows * columns);
    double low = std::numeric_limits<double>::infinity(), high = -low;
    for (std::uint64_t row = 0; row < rows; ++row)
        for (std::uint64_t column = 0; column < columns; ++column) {
            const double number = numbers.number(row * pitch + column);
            corner.as<float>()[row * columns + column] = static_cast<float>(number);
            if (!std::isfinite(number)) continue;
            low = std::min(low, number);
            high = std::max(high, number);
        }
    if (low >= high) {  // all are the same, or none is finite
        low = std::isfinite(low) ? low : 0;
        high = low + 1;
    }
    return {std::move(label), columns, share(std::move(corner)), low, high};
}

Cells remove_unused_kinds(Cells cells) {
    std::vector<std::uint8_t> places(cells.kinds.size());
    std::vector<Cells::Kind> used;
    for (std::size_t kind = 0; kind < cells.kinds.size(); ++kind) {
        const bool is_used = std::ranges::any_of(cells.rows, [&](const Cells::Row& row) {
            return std::ranges::find(row.kinds, kind) != row.kinds.end();
        });
        places[kind] = static_cast<std::uint8_t>(used.size());
        if (is_used) used.push_back(cells.kinds[kind]);
    }
    for (Cells::Row& row : cells.rows)
        for (std::uint8_t& kind : row.kinds)
            kind = places.at(kind);
    cells.kinds = std::move(used);
    return cells;
}

Timeline::Row make_timeline_row(const Report& run) {
    struct PhaseStyle {
        const char* before;  ///< the step's label
        ColorRole color_role;
    };
    static const PhaseStyle by_phase[] = {{tr("upload "), ColorRole::upload},
                                          {"", ColorRole::kernel},
                                          {tr("download "), ColorRole::download},
                                          {"", ColorRole::cpu}};
    Timeline::Row row{run.experiment.variant, {}, run.timings.wall.median().value_or(0)};
    const double invisible_ns = row.end_ns / 1000;
    const auto end_of = [](const auto& part) { return part.start_ns + part.duration_ns; };
    for (const StepTime& step : run.timeline) {
        const auto& [before, color_role] = by_phase[static_cast<std::size_t>(step.phase)];
        Timeline::Bar bar{before + step.label, color_role, step.start_ns, step.duration_ns};
        // Long copies are split into pieces and long launches into slices. Merge pieces without a visible gap
        // into one bar.
        if (!row.bars.empty() && row.bars.back().label == bar.label &&
            bar.start_ns - end_of(row.bars.back()) < invisible_ns)
            row.bars.back().duration_ns = end_of(bar) - row.bars.back().start_ns;
        else
            row.bars.push_back(std::move(bar));
    }
    // The bars are those of the last run, which may be longer than the median.
    if (!row.bars.empty()) row.end_ns = std::max(row.end_ns, end_of(row.bars.back()));
    return row;
}

std::optional<Plot> make_variant_timeline(const PictureInput& input) {
    const Experiment& bench = input.prepared.experiment;
    Timeline timeline;
    std::string missing;
    for (const Variant& variant : input.prepared.lesson->variants) {
        const Report* latest = nullptr;
        const auto consider = [&](const Report* run) {
            if (run && run->experiment.variant == variant.id && run->experiment.values == bench.values &&
                run->experiment.input == bench.input && !run->timeline.empty() &&
                !run->timings.wall.samples.empty())
                latest = run;
        };
        std::for_each(input.history.begin(), input.history.end(), consider);
        consider(input.report);  // it may not be in the history yet
        if (latest)
            timeline.rows.push_back(make_timeline_row(*latest));
        else
            missing += (missing.empty() ? "" : ", ") + variant.id;
    }
    if (timeline.rows.empty()) return std::nullopt;
    std::string note = tr(
        "The steps of the last run of each variant. A row ends at the median duration. Between bars the host "
        "copies, submits and waits.");
    if (!missing.empty()) note += tr(" Not run with these values yet: {}.", missing);
    return Plot{.id = "timeline",
                .title = tr("What happened when"),
                .content = std::move(timeline),
                .note = std::move(note)};
}

}  // namespace gridstride
