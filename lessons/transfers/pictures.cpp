#include <fmt/format.h>

#include <algorithm>

#include "base/units.h"
#include "lesson/stock.h"
#include "transfers/transfers.h"

namespace gridstride::lessons::transfers {

namespace {

/// The plan's steps, of the two variants that have such.
std::optional<Sequence> steps_of(const Prepared& asked) {
    if (asked.variant->id == "chain") return asked.values()[key::steps];
    if (asked.variant->id != "add") return std::nullopt;
    Sequence steps;
    for (const Move move : {Move::pulses_up, Move::noise_up, Move::add, Move::down})
        steps.of.push_back(static_cast<std::uint32_t>(move));
    return steps;
}

/// "sum_down" where the samples are called so.
std::string name_of(const Prepared& asked, std::uint32_t step) {
    if (asked.variant->id == "add" && Move{step} == Move::down) return "sum_down";
    return find(asked.lesson->parameters, key::steps.id)->choices[step].id;
}

Phase phase_of(Move move) {
    const Trip trip = trip_of(move);
    return !trip.of ? Phase::kernel : trip.up ? Phase::upload : Phase::download;
}

/// What is added, and what it was before: the first pulse and the silence behind it.
std::optional<Plot> waveform_picture(const Report& report) {
    constexpr std::size_t few = 512;
    Figure figure{.x = {.label = "sample", .whole_numbers = true}, .y = {.label = "level"}};
    const auto add = [&](const Array* numbers, const char* label, Ink ink) {
        if (!numbers || numbers->type() != ElementType::f32) return;
        Series series{.label = label, .ink = ink};
        for (std::size_t i = 0; i < std::min(few, numbers->count()); ++i)
            series.y.push_back(numbers->number(i));
        figure.series.push_back(std::move(series));
    };
    add(find(report.input, "noise"), "noise", Ink::download);
    const Array* const sum = find(report.outputs, "sum");
    add(sum ? sum : find(report.outputs, "samples"), sum ? "sum" : "samples", Ink::kernel);
    add(find(report.input, "pulses"), "pulses", Ink::upload);
    if (figure.series.empty()) return std::nullopt;
    return Plot{.id = "waveform",
                .title = "Pulses and noise",
                .origin = report.computed ? Origin::computed : Origin::measured,
                .content = std::move(figure),
                .note = "The first samples."};
}

/// A column a step: what it is, and behind it where the arrays are.
Plot copies_picture(const Prepared& asked, const Sequence& steps) {
    enum Cell : std::uint8_t { nothing, valid, old, spoilt, trip, launch, needless };
    Cells cells{.kinds = {{"", Ink::quiet, Cells::Fill::empty},
                          {"a valid copy", Ink::right},
                          {"an old one", Ink::quiet, Cells::Fill::hatched},
                          {"made of nothing", Ink::wrong, Cells::Fill::outlined},
                          {"a trip", Ink::upload},
                          {"a launch", Ink::kernel},
                          {"needless", Ink::wrong, Cells::Fill::hatched}},
                .cell_name = "step"};
    const Journey journey = journey_of(steps);
    Cells::Row done{.label = "step"};
    for (std::size_t i = 0; i < steps.of.size(); ++i) {
        done.kinds.push_back(journey.moments[i].needless                          ? needless
                             : phase_of(journey.moments[i].move) == Phase::kernel ? launch
                                                                                  : trip);
        done.written.push_back(name_of(asked, steps.of[i]));
    }
    cells.rows.push_back(std::move(done));
    const auto kind_of = [](const Copy& copy, const Copy& other) {
        if (copy.content == Content::nothing) return nothing;
        if (copy.content == Content::spoilt) return spoilt;
        return copy.version < other.version ? old : valid;
    };
    const std::string names[] = {"pulses", "noise", asked.plan.main_output};
    for (const bool on_host : {true, false})
        for (std::size_t array = 0; array < array_count; ++array) {
            Cells::Row row{.label = fmt::format("{} on the {}", names[array], on_host ? "host" : "device")};
            for (const Moment& moment : journey.moments) {
                const Copy &host = moment.on_host[array], &device = moment.on_device[array];
                row.kinds.push_back(on_host ? kind_of(host, device) : kind_of(device, host));
            }
            cells.rows.push_back(std::move(row));
        }
    // The legend has what there is.
    for (std::size_t kind = 0; kind < cells.kinds.size(); ++kind)
        if (std::ranges::none_of(cells.rows, [&](const Cells::Row& row) {
                return std::ranges::find(row.kinds, kind) != row.kinds.end();
            }))
            cells.kinds[kind].label.clear();
    return {.id = "copies",
            .title = "Where the valid copy is",
            .origin = Origin::computed,
            .content = std::move(cells),
            .note = "A column is a step of the plan, and what lies where behind it."};
}

/// What the run's trips and launches took, to scale.
std::optional<Plot> trips_picture(const Sequence& steps, const Report& report) {
    if (report.timeline.empty()) return std::nullopt;
    const Journey journey = journey_of(steps);
    Timeline timeline{.rows = {{"to the device", {}, 0}, {"launches", {}, 0}, {"to the host", {}, 0}}};
    double needless_ns = 0, end = 0;
    std::size_t at = 0;  // the step; it leaves several entries where it goes piece by piece
    const StepTime* last = nullptr;
    for (const StepTime& entry : report.timeline) {
        if (entry.phase == Phase::host) continue;
        if (last && (last->phase != entry.phase || last->label != entry.label)) ++at;
        while (at < journey.moments.size() && phase_of(journey.moments[at].move) != entry.phase)
            ++at;
        last = &entry;
        const bool needless = at < journey.moments.size() && journey.moments[at].needless;
        if (needless) needless_ns += entry.duration_ns;
        end = std::max(end, entry.start_ns + entry.duration_ns);
        const Ink ink = needless                       ? Ink::wrong
                        : entry.phase == Phase::upload ? Ink::upload
                        : entry.phase == Phase::kernel ? Ink::kernel
                                                       : Ink::download;
        const std::size_t row = entry.phase == Phase::upload ? 0 : entry.phase == Phase::kernel ? 1 : 2;
        timeline.rows[row].bars.push_back(
            {needless ? "needless" : entry.label, ink, entry.start_ns, entry.duration_ns, needless});
    }
    const std::uint64_t bytes = report.uploaded_bytes + report.downloaded_bytes;
    std::string note =
        fmt::format("{} crossed between host and device.", format_bytes(static_cast<double>(bytes)).text());
    if (needless_ns > 0)
        note += fmt::format(" Nobody needed the striped ones: {} of {}.", format_time(needless_ns).text(),
                            format_time(end).text());
    return Plot{.id = "trips",
                .title = "The trips of the last run",
                .content = std::move(timeline),
                .note = std::move(note)};
}

}  // namespace

std::vector<Plot> pictures(const PictureInput& input) {
    std::vector<Plot> all;
    const auto add = [&](std::optional<Plot> plot) {
        if (plot) all.push_back(std::move(*plot));
    };
    const std::optional<Sequence> steps = steps_of(input.asked);
    if (steps && journey_of(*steps).problem.empty()) {
        all.push_back(copies_picture(input.asked, *steps));
        if (input.report) add(trips_picture(*steps, *input.report));
    }
    if (input.report) add(waveform_picture(*input.report));
    return all;
}

}  // namespace gridstride::lessons::transfers
