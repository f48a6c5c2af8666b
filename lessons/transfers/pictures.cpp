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
    // What is mapped makes no trips.
    if (asked.variant->id != "add" || asked.values()[key::memory] == HostMemory::mapped) return std::nullopt;
    return Sequence{{pulses_up, noise_up, add, down}};
}

/// What is added, and what it was before: the first pulse and the silence behind it.
Plot waveform_picture(const Report& report) {
    constexpr std::size_t few = 512;
    Figure figure{.x = {.label = "sample", .whole_numbers = true}, .y = {.label = "level"}};
    const auto draw = [&](const Array* numbers, const char* label, Ink ink) {
        if (numbers) figure.series.push_back(first_of(*numbers, few, label, Mark::line, ink));
    };
    draw(find(report.input, "noise"), "noise", Ink::download);
    const Array* const sum = find(report.outputs, "sum");
    draw(sum ? sum : find(report.outputs, "samples"), sum ? "sum" : "samples", Ink::kernel);
    draw(find(report.input, "pulses"), "pulses", Ink::upload);
    return {.id = "waveform",
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
    for (const Moment& moment : journey.moments) {
        done.kinds.push_back(moment.needless ? needless : moment.leg().trip_of ? trip : launch);
        done.written.emplace_back(moment.leg().id);
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
    return {.id = "copies",
            .title = "Where the valid copy is",
            .origin = Origin::computed,
            .content = without_unused_kinds(std::move(cells)),
            .note = "A column is a step of the plan, and what lies where behind it."};
}

/// What the run's trips and launches took, to scale.
Plot trips_picture(const Sequence& steps, const Report& report) {
    const Journey journey = journey_of(steps);
    constexpr Ink inks[] = {Ink::upload, Ink::kernel, Ink::download};
    Timeline timeline{.rows = {{"to the device", {}, 0}, {"launches", {}, 0}, {"to the host", {}, 0}}};
    double needless_ns = 0, end = 0;
    for (const StepTime& entry : report.timeline) {
        Timeline::Bar bar{entry.label, inks[static_cast<std::size_t>(entry.phase)], entry.start_ns,
                          entry.duration_ns};
        end = std::max(end, entry.start_ns + entry.duration_ns);
        // An upload in pieces is more steps than these; there none is needless.
        if (entry.step < journey.moments.size() && journey.moments[entry.step].needless) {
            needless_ns += entry.duration_ns;
            bar = {"needless", Ink::wrong, entry.start_ns, entry.duration_ns, /*striped=*/true};
        }
        timeline.rows[static_cast<std::size_t>(entry.phase)].bars.push_back(std::move(bar));
    }
    const std::uint64_t bytes = report.uploaded_bytes + report.downloaded_bytes;
    std::string note = fmt::format("{} crossed between host and device.", bytes_text(bytes));
    if (needless_ns > 0)
        note += fmt::format(" Nobody needed the striped ones: {} of {}.", format_time(needless_ns).text(),
                            format_time(end).text());
    return {.id = "trips",
            .title = "The trips of the last run",
            .content = std::move(timeline),
            .note = std::move(note)};
}

}  // namespace

std::vector<Plot> pictures(const PictureInput& input) {
    std::vector<Plot> all;
    const std::optional<Sequence> steps = steps_of(input.asked);
    if (steps && journey_of(*steps).problem.empty()) {
        all.push_back(copies_picture(input.asked, *steps));
        if (input.report && !input.report->timeline.empty())
            all.push_back(trips_picture(*steps, *input.report));
    }
    if (input.report && !input.report->input.empty()) all.push_back(waveform_picture(*input.report));
    return all;
}

}  // namespace gridstride::lessons::transfers
