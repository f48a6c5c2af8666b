#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/units.h"
#include "present/verdict_words.h"
#include "ui/panels/panels.h"

namespace gridstride::ui {

namespace {

/// A stop as a person would type it: three significant digits.
double rounded(double value) {
    if (value == 0) return 0;
    const double unit = std::pow(10.0, 2 - std::floor(std::log10(std::abs(value))));
    return std::round(value * unit) / unit;
}

/// Stops of a real: equal steps, or on a logarithmic scale equal ratios.
std::vector<Value> stops_of_real(const Parameter& parameter, double highest) {
    constexpr int pieces = 100;
    const bool by_ratio = parameter.scale == Scale::logarithmic && parameter.minimum > 0;
    std::vector<Value> stops;
    for (int i = 0; i <= pieces; ++i) {
        const double part = static_cast<double>(i) / pieces;
        const double stop = by_ratio ? parameter.minimum * std::pow(highest / parameter.minimum, part)
                                     : parameter.minimum + (highest - parameter.minimum) * part;
        stops.emplace_back(i == pieces ? highest : rounded(stop));
    }
    return stops;
}

/// Squares and halves of squares, in powers of two.
std::vector<Value> stops_of_extent(const Parameter& parameter, double highest) {
    const Extent fallback = std::get<Extent>(parameter.fallback);
    const std::uint32_t y = fallback.y > 0 ? 1 : 0, z = fallback.z > 0 ? 1 : 0;
    std::vector<Value> stops;
    if (parameter.automatic) stops.emplace_back(Extent{0, y, z});
    for (Extent at{1, 1, z}; static_cast<double>(at.product()) <= highest;) {
        stops.emplace_back(at);
        (at.x > at.y ? at.y : at.z > 0 && at.y > at.z ? at.z : at.x) *= 2;
    }
    return stops;
}

/// The stops of a parameter's track, smallest first, as far as the device allows; "auto" comes before them
/// where it has a meaning. Counts stop at powers of two, workgroup sizes also half-way between; whatever else
/// is wanted is typed.
std::vector<Value> stops_of(const Parameter& parameter, const Limits& device) {
    const double highest = maximum(parameter, device);
    if (std::holds_alternative<double>(parameter.fallback)) return stops_of_real(parameter, highest);
    if (std::holds_alternative<Extent>(parameter.fallback)) return stops_of_extent(parameter, highest);
    std::vector<Value> stops;
    const auto add = [&](double stop) { stops.emplace_back(static_cast<std::uint64_t>(stop)); };
    if (parameter.automatic) add(0);
    if (parameter.scale == Scale::linear) {
        constexpr double most_stops = 100;
        const double step = std::max(1.0, std::ceil((highest - parameter.minimum) / most_stops));
        for (double stop = parameter.minimum; stop < highest; stop += step)
            add(stop);
    } else {
        for (double stop = std::max(1.0, parameter.minimum); stop < highest; stop *= 2) {
            add(stop);
            if (parameter.scale == Scale::powers_of_two && stop >= 2 && stop * 1.5 <= highest)
                add(stop * 1.5);
        }
    }
    add(highest);
    return stops;
}

double number_of(const Value& value) {
    if (const auto* count = std::get_if<std::uint64_t>(&value)) return static_cast<double>(*count);
    if (const auto* real = std::get_if<double>(&value)) return *real;
    return 0;
}

/// Where a value stands among the stops, 0 … 1: a number also between two of them.
float position_of(const Value& value, const std::vector<Value>& stops) {
    const auto* extent = std::get_if<Extent>(&value);
    const auto above = std::find_if(stops.begin(), stops.end(), [&](const Value& stop) {
        if (!extent) return number_of(stop) >= number_of(value);
        const Extent& at = std::get<Extent>(stop);
        return at == *extent || (at.x > 0 && extent->x > 0 && at.product() >= extent->product());
    });
    if (above == stops.begin()) return 0;
    if (above == stops.end()) return 1;
    auto index = static_cast<double>(above - stops.begin());
    if (!extent) {
        const double low = number_of(*(above - 1));
        index += (number_of(value) - low) / (number_of(*above) - low) - 1;
    }
    return static_cast<float>(index / static_cast<double>(stops.size() - 1));
}

void draw_remarks(const Session& session, std::string_view parameter) {
    for (const Remark& remark : session.remarks())
        if (remark.parameter == parameter) note_text(remark.text, remark.severity);
}

void draw_choice(Session& session, const Parameter& parameter) {
    std::vector<Option> options;
    for (const Parameter::Choice& one : parameter.choices)
        options.push_back({one.id, one.label});
    std::size_t index = std::get<ChoiceIndex>(session.values().at(parameter.id)).index;
    if (choice("bench." + parameter.id, parameter.label, options, &index))
        session.set_value(parameter.id, ChoiceIndex{static_cast<std::uint32_t>(index)});
}

/// Steps through stops; any other value can be typed.
void draw_slider(Session& session, const Parameter& parameter) {
    const Value& value = session.values().at(parameter.id);
    const std::vector<Value> stops = stops_of(parameter, session.device() ? *session.device() : Limits{});
    float position = position_of(value, stops);
    std::string shown = format(parameter, value);
    std::string suffix;
    const auto* count = std::get_if<std::uint64_t>(&value);
    const auto* extent = std::get_if<Extent>(&value);
    if (count) shown = format_count(*count);
    if (count ? parameter.automatic && *count == 0 : extent && extent->x == 0) {
        suffix = "auto";
        shown = "";
        if (session.asked() && session.asked()->valid()) {
            const Dispatch& main = session.asked()->plan.main();
            shown = count ? format_count(main.workgroup_count()) : text_of(main.grid);
        }
    }
    const auto last = static_cast<int>(stops.size()) - 1;
    const SliderResult result =
        slider("bench." + parameter.id, parameter.label, shown, suffix, &position, last, parameter.help);
    if (result.text_entered) {
        std::string typed = result.text;
        // People copy numbers with their thousands parted.
        if (!extent)
            for (const std::string_view space : {" ", "\u2009", "\u00A0", "\u202F"})
                for (std::size_t at = typed.find(space); at != std::string::npos; at = typed.find(space))
                    typed.erase(at, space.size());
        session.set_text(parameter, typed);
    } else if (result.moved) {
        const Value& moved =
            stops[static_cast<std::size_t>(std::lround(static_cast<double>(position) * last))];
        if (moved != value) session.set_value(parameter.id, moved);
    }
}

/// A row of a quiet box: a label, a number in the mono face at the right, and what is uncertain about it.
struct NumberRow {
    std::string label;
    Quantity quantity;
    std::string error = {};
    std::optional<Ink> ink = {};  ///< of the number; nullopt: as text has
};

void draw_numbers(const std::vector<NumberRow>& rows) {
    const Theme& t = theme();
    float unit_width = 0, error_width = 0;
    for (const NumberRow& row : rows) {
        unit_width = std::max(unit_width, text_size(Type::mono, row.quantity.unit).x);
        error_width = std::max(error_width, text_size(Type::mono, row.error).x);
    }
    const float line = t.line_height(Type::mono);
    const float padding = t.px(12);
    const glm::vec2 min = ImGui::GetCursorScreenPos();
    const float width = ImGui::GetContentRegionAvail().x;
    const glm::vec2 max{min.x + width, min.y + line * static_cast<float>(rows.size()) + 2 * padding};
    ImDrawList* list = ImGui::GetWindowDrawList();
    list->AddRectFilled(min, max, t.palette().raised, t.px(6));
    list->AddRect(min, max, t.palette().line, t.px(6));
    // Digits, units and errors stand under each other.
    const float left = min.x + padding, right = max.x - padding;
    const float unit = right - (error_width > 0 ? error_width + t.px(8) : 0) - unit_width;
    const float number = unit - t.px(8);
    float y = min.y + padding;
    for (const NumberRow& row : rows) {
        const ImU32 ink = row.ink ? t.as_text(*row.ink) : t.palette().text;
        const float room = number - text_size(Type::mono, row.quantity.number).x - t.px(8) - left;
        draw_text(list, Type::mono, {left, y}, t.palette().quiet, elide(Type::mono, row.label, room));
        draw_text_right(list, Type::mono, {number, y}, ink, row.quantity.number);
        draw_text(list, Type::mono, {unit, y}, ink, row.quantity.unit);
        draw_text_right(list, Type::mono, {right, y}, t.palette().quiet, row.error);
        y += line;
    }
    ImGui::Dummy({width, max.y - min.y});
}

NumberRow time_row(const char* label, const Timing& timing) {
    if (timing.samples.empty()) return {label, {"–", ""}};
    const Summary summary = timing.summary();
    const Quantity time = format_time(summary.median);
    return {label, time,
            summary.median_error > 0 ? "±" + number_in_unit(summary.median_error, time.unit, 2) : ""};
}

/// Beside its fraction of what the device can do at best: a copy of its own memory, or of staging.
NumberRow rate_row(const char* label, double rate, std::optional<double> fraction) {
    if (rate <= 0) return {label, {"–", ""}};
    return {label, format_bandwidth(rate), fraction ? short_percent(*fraction) : ""};
}

void draw_measured(const Session& session) {
    const Report* report = session.report();
    const bool own = report && report->experiment.kernel.has_value();
    section_label(own ? "Measured · your own kernel" : "Measured");
    if (!report || report->timings.kernel.samples.empty()) {
        gap(4);
        note_text(report ? why_no_times(report) : "Run once to see the times.");
        return;
    }
    gap(4);
    ImGui::PushStyleVar(ImGuiStyleVar_Alpha, session.stale() ? 0.45F : 1.0F);
    const Timings& timings = report->timings;
    draw_numbers(
        {time_row("kernel", timings.kernel), time_row("upload", timings.upload),
         time_row("download", timings.download), time_row("wall", timings.wall),
         rate_row(report->cache.from_cache() ? "rate from cache" : "bandwidth", report->bytes_per_second(),
                  report->fraction_of_copy_ceiling()),
         rate_row("upload rate", report->upload_bytes_per_second(), report->fraction_of_upload_ceiling()),
         rate_row("download rate", report->download_bytes_per_second(),
                  report->fraction_of_download_ceiling())});
    ImGui::PopStyleVar();
    gap(4);
    const Summary kernel = timings.kernel.summary();
    std::string note = fmt::format(
        "Medians of {} samples, ± half of the 95 % interval. Kernel from {} (5th percentile) to {} "
        "(95th).",
        kernel.count, format_time(kernel.p5).text(), format_time(kernel.p95).text());
    if (timings.kernel_repeats > 1)
        note += fmt::format(" Kernel batched: {} repeats a sample.", timings.kernel_repeats);
    if (timings.provisional) note += " First samples, still settling.";
    if (report->launch.slices > 1)
        note += fmt::format(" The launch was cut into {} slices.", format_count(report->launch.slices));
    if (const std::string cache = cache_in_words(report->cache); !cache.empty())
        note += fmt::format(" Cache {}.", cache);
    if (report->ceilings) note += " Per cent of a rate: of this device's best copy.";
    if (timings.host_clock) note += " This device has no timestamps: times are the host clock's.";
    note_text(note);
    if (timings.kernel.noisy && report->final)
        note_text("Noisy: the kernel's median had not settled after the last sample.", Severity::caution);
    if (report->device.is_cpu)
        note_text("A software device: the direction of a change counts, not the size of a number.");
}

void draw_against_pinned(const Session& session) {
    const HistoryEntry* pinned = session.pinned();
    const Report* report = session.report();
    if (!pinned || !report || pinned->report.timings.kernel.samples.empty() ||
        report->timings.kernel.samples.empty())
        return;
    const Summary now = report->timings.kernel.summary();
    const Summary then = pinned->report.timings.kernel.summary();
    if (then.median <= 0) return;
    gap(16);
    section_label(fmt::format("Kernel against run {}", pinned->number));
    gap(4);
    const double change = now.median / then.median - 1;
    // Relative errors of a quotient add up in squares.
    const double error =
        (1 + change) * std::hypot(now.median_error / now.median, then.median_error / then.median);
    const bool same = std::abs(change) <= error;
    draw_numbers({{.label = pinned->report.experiment.variant,
                   .quantity = {fmt::format("{}{}", change < 0 ? "−" : "+",
                                            format_significant(std::abs(change) * 100, 2)),
                                "%"},
                   .error = "±" + format_significant(error * 100, 2),
                   .ink = same ? std::nullopt : std::optional(change < 0 ? Ink::right : Ink::wrong)}});
    gap(4);
    note_text(same         ? "Within the uncertainty: the two cannot be told apart."
              : change < 0 ? "Less time than the pinned run."
                           : "More time than the pinned run.");
}

/// The panel's title with the one button that runs or stops at its right.
void draw_title(Session& session) {
    const Theme& t = theme();
    const bool running = session.in_flight();
    const ButtonOptions options{.enabled = running || (session.valid() && session.device() != nullptr),
                                .small = true,
                                .shortcut = running ? "Esc" : "F5",
                                .tooltip = running ? "Give this run up" : "Measure again"};
    const std::string_view label = running ? "Stop" : "Run again";
    const glm::vec2 start = ImGui::GetCursorScreenPos();
    const glm::vec2 size = button_size(label, options);
    const float right = start.x + ImGui::GetContentRegionAvail().x;
    text(Type::panel_title, t.palette().text, "Bench");
    const glm::vec2 next = ImGui::GetCursorScreenPos();
    ImGui::SetCursorScreenPos({right - size.x, start.y + (t.line_height(Type::panel_title) - size.y) / 2});
    if (button(running ? "bench.stop" : "bench.run", label, options)) {
        if (running)
            session.stop();
        else
            session.run();
    }
    ImGui::SetCursorScreenPos(next);
}

/// Where the numbers come from: the lesson, or a file of the user's.
void draw_input(Workspace& workspace) {
    const Theme& t = theme();
    const UserData& data = workspace.session.experiment().input;
    gap(8);
    const ButtonOptions options{.small = true,
                                .tooltip = "Use a file of your own in place of the lesson's input"};
    const std::string label = data.numbers ? elide(Type::note, data.name, t.px(160)) : "lesson's own …";
    const glm::vec2 start = ImGui::GetCursorScreenPos();
    const glm::vec2 size = button_size(label, options);
    const float right = start.x + ImGui::GetContentRegionAvail().x;
    draw_text(ImGui::GetWindowDrawList(), Type::body,
              {start.x, start.y + (size.y - t.line_height(Type::body)) / 2}, t.palette().quiet, "Input");
    ImGui::SetCursorScreenPos({right - size.x, start.y});
    if (button("bench.input", label, options)) {
        workspace.data_file.forget_problem();
        workspace.dialog = Dialog::open_data;
    }
}

void draw_parameter(Session& session, const Parameter& parameter) {
    gap(8);
    if (!parameter.choices.empty())
        draw_choice(session, parameter);
    else
        draw_slider(session, parameter);
    draw_remarks(session, parameter.id);
}

}  // namespace

void draw_bench_panel(Workspace& workspace, const Rect& area) {
    const Theme& t = theme();
    Session& session = workspace.session;
    begin_panel("bench", area.min, area.size(), t.palette().panel);
    draw_title(session);
    gap(8);

    std::vector<Option> options;
    std::size_t index = 0;
    const auto& variants = session.lesson().variants;
    for (std::size_t i = 0; i < variants.size(); ++i) {
        options.push_back({variants[i].id, variants[i].summary});
        if (variants[i].id == session.variant()) index = i;
    }
    if (choice("bench.variant", "Variant", options, &index)) session.set_variant(variants[index].id);
    draw_remarks(session, "");
    // One reads: workgroups of such a size, so many of them, for so many elements; then what is the lesson's
    // own.
    const std::vector<Parameter>& parameters = session.lesson().parameters;
    std::vector<std::string_view> first = {key::workgroup_size.id, key::workgroup.id, key::workgroup_count.id,
                                           key::grid.id};
    first.insert(first.end(), session.lesson().domain.begin(), session.lesson().domain.end());
    for (const std::string_view id : first)
        if (const Parameter* const parameter = find(parameters, id)) draw_parameter(session, *parameter);
    for (const Parameter& parameter : parameters)
        if (parameter.id != key::seed.id &&
            std::find(first.begin(), first.end(), parameter.id) == first.end())
            draw_parameter(session, parameter);
    if (!session.lesson().input_files.empty()) draw_input(workspace);
    gap(16);
    draw_measured(session);
    draw_against_pinned(session);
    gap(16);
    // Seldom touched, so it comes last.
    draw_parameter(session, *find(parameters, key::seed.id));
    end_panel();
}

}  // namespace gridstride::ui
