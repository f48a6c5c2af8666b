#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/units.h"
#include "present/verdict_words.h"
#include "ui/panels/panels.h"
#include "ui/panels/rates_table.h"
#include "ui/widgets/widgets.h"

namespace gridstride::ui {

namespace {

/// A stop as a person would type it: three significant digits.
double rounded(double value) {
    if (value == 0) return 0;
    const double unit = std::pow(10.0, 2 - std::floor(std::log10(std::abs(value))));
    return std::round(value * unit) / unit;
}

/// Stops of a real: equal steps, or on a logarithmic scale equal ratios.
std::vector<double> stops_of_real(const Parameter& parameter, double highest) {
    constexpr int pieces = 100;
    const bool by_ratio = parameter.scale == Scale::logarithmic && parameter.minimum > 0;
    std::vector<double> stops;
    for (int i = 0; i <= pieces; ++i) {
        const double part = static_cast<double>(i) / pieces;
        const double stop = by_ratio ? parameter.minimum * std::pow(highest / parameter.minimum, part)
                                     : parameter.minimum + (highest - parameter.minimum) * part;
        // What is excluded is no place to stop at.
        if (i == 0 && parameter.minimum_excluded) continue;
        stops.push_back(i == pieces ? highest : rounded(stop));
    }
    return stops;
}

/// The stops of a parameter's track, smallest first. Counts stop at powers of two, workgroup sizes also
/// half-way between; whatever else is wanted is typed.
std::vector<double> stops_of(const Parameter& parameter, const Limits& device) {
    const double highest = maximum(parameter, device);
    if (std::holds_alternative<double>(parameter.fallback)) return stops_of_real(parameter, highest);
    std::vector<double> stops;
    if (parameter.automatic) stops.push_back(0);
    if (parameter.scale == Scale::linear) {
        constexpr double most_stops = 100;
        const double step = std::max(1.0, std::ceil((highest - parameter.minimum) / most_stops));
        for (double stop = parameter.minimum; stop < highest; stop += step)
            stops.push_back(stop);
    } else {
        for (double stop = std::max(1.0, parameter.minimum); stop < highest; stop *= 2) {
            stops.push_back(stop);
            if (parameter.scale == Scale::powers_of_two && stop >= 2 && stop * 1.5 <= highest)
                stops.push_back(stop * 1.5);
        }
    }
    stops.push_back(highest);
    return stops;
}

double number_of(const Value& value) {
    if (const auto* count = std::get_if<std::uint64_t>(&value)) return static_cast<double>(*count);
    if (const auto* real = std::get_if<double>(&value)) return *real;
    return 0;
}

/// Where a value stands among the stops, 0 … 1.
float position_of(double value, const std::vector<double>& stops) {
    const auto above = std::lower_bound(stops.begin(), stops.end(), value);
    if (above == stops.begin()) return 0;
    if (above == stops.end()) return 1;
    const auto index = static_cast<double>(above - stops.begin());
    const double low = *(above - 1);
    const double part = (value - low) / (*above - low);
    return static_cast<float>((index - 1 + part) / static_cast<double>(stops.size() - 1));
}

double value_at(float position, const std::vector<double>& stops) {
    const double index = std::round(static_cast<double>(position) * static_cast<double>(stops.size() - 1));
    return stops[static_cast<std::size_t>(std::clamp(index, 0.0, static_cast<double>(stops.size() - 1)))];
}

void draw_remarks(const Session& session, std::string_view parameter) {
    const Theme& t = theme();
    for (const Remark& remark : session.remarks()) {
        if (remark.parameter != parameter) continue;
        switch (remark.severity) {
            case Severity::note:
                text_wrapped(Type::note, t.palette().quiet, remark.text);
                break;
            case Severity::caution:
                text_wrapped(Type::note, t.as_text(Ink::caution), "! " + remark.text);
                break;
            case Severity::refusal:
                text_wrapped(Type::note, t.as_text(Ink::wrong), "✗ " + remark.text);
                break;
        }
    }
}

void draw_choice(Session& session, const Parameter& parameter) {
    std::vector<Option> options;
    for (const Parameter::Choice& one : parameter.choices)
        options.push_back({one.id, one.label});
    std::size_t index = std::get<ChoiceIndex>(session.values().at(parameter.id)).index;
    if (choice("bench." + parameter.id, parameter.label, options, &index))
        session.set_value(parameter.id, ChoiceIndex{static_cast<std::uint32_t>(index)});
}

/// Squares and halves of squares, in powers of two, as far as the device allows; "auto" first where it has a
/// meaning.
std::vector<Extent> extent_stops(const Parameter& parameter, const Limits& device) {
    const Extent fallback = std::get<Extent>(parameter.fallback);
    std::vector<Extent> stops;
    if (parameter.automatic) stops.push_back({0, fallback.y > 0 ? 1u : 0u, fallback.z > 0 ? 1u : 0u});
    for (Extent at{1, 1, fallback.z > 0 ? 1u : 0u};
         static_cast<double>(at.product()) <= maximum(parameter, device);) {
        stops.push_back(at);
        (at.x > at.y ? at.y : at.z > 0 && at.y > at.z ? at.z : at.x) *= 2;
    }
    return stops;
}

/// Steps through stops; any other extent can be typed.
void draw_extent(Session& session, const Parameter& parameter) {
    const auto value = std::get<Extent>(session.values().at(parameter.id));
    const std::vector<Extent> stops =
        extent_stops(parameter, session.device() ? *session.device() : Limits{});
    const auto last = static_cast<float>(stops.size() - 1);
    const auto above = std::find_if(stops.begin(), stops.end(), [&](const Extent& stop) {
        return stop == value || (stop.x > 0 && value.x > 0 && stop.product() >= value.product());
    });
    float position = std::min(static_cast<float>(above - stops.begin()), last) / std::max(last, 1.0F);
    std::string shown = format(parameter, value), suffix;
    if (value.x == 0) {
        const bool known = session.asked() && session.asked()->valid();
        shown = known ? text_of(session.asked()->plan.main().grid) : "";
        suffix = "auto";
    }
    const SliderResult result = slider("bench." + parameter.id, parameter.label, shown, suffix, &position,
                                       static_cast<int>(stops.size()) - 1, parameter.help);
    if (result.text_entered)
        session.set_text(parameter, result.text);
    else if (result.moved)
        session.set_value(parameter.id, stops[static_cast<std::size_t>(std::lround(position * last))]);
}

void draw_slider(Session& session, const Parameter& parameter) {
    const Value& value = session.values().at(parameter.id);
    const Limits device = session.device() ? *session.device() : Limits{};
    const std::vector<double> stops = stops_of(parameter, device);
    float position = position_of(number_of(value), stops);
    std::string shown = format(parameter, value);
    std::string suffix;
    if (const auto* count = std::get_if<std::uint64_t>(&value)) {
        shown = format_count(*count);
        if (parameter.automatic && *count == 0) {
            const bool known = session.asked() && session.asked()->valid();
            shown = known ? format_count(session.asked()->plan.main().workgroup_count()) : "";
            suffix = "auto";
        }
    }
    const SliderResult result = slider("bench." + parameter.id, parameter.label, shown, suffix, &position,
                                       static_cast<int>(stops.size()) - 1, parameter.help);
    if (result.text_entered) {
        // People copy numbers with their thousands parted.
        std::string typed = result.text;
        for (const std::string_view space : {" ", "\u2009", "\u00A0", "\u202F"})
            for (std::size_t at = typed.find(space); at != std::string::npos; at = typed.find(space))
                typed.erase(at, space.size());
        session.set_text(parameter, typed);
    } else if (result.moved) {
        const double number = value_at(position, stops);
        const Value moved =
            std::holds_alternative<double>(value) ? Value(number) : Value(static_cast<std::uint64_t>(number));
        if (!(moved == value)) session.set_value(parameter.id, moved);
    }
}

/// Rows of a quiet box: a label, a number in the mono face at the right, and what is uncertain about it.
/// Drawn once all rows are known, so that no column is narrower than what stands in it.
class NumberBox {
 public:
    void row(std::string_view label, const Quantity& quantity, std::string_view error = {}, ImU32 color = 0) {
        rows_.push_back({std::string(label), quantity, std::string(error), color});
        unit_width_ = std::max(unit_width_, text_size(Type::mono, quantity.unit).x);
        error_width_ = std::max(error_width_, text_size(Type::mono, error).x);
    }
    void draw() const {
        const Theme& t = theme();
        const float line = t.line_height(Type::mono);
        const float padding = t.px(12);
        const glm::vec2 min = ImGui::GetCursorScreenPos();
        const float width = ImGui::GetContentRegionAvail().x;
        const glm::vec2 max{min.x + width, min.y + line * static_cast<float>(rows_.size()) + 2 * padding};
        ImDrawList* list = ImGui::GetWindowDrawList();
        list->AddRectFilled(min, max, t.palette().raised, t.px(6));
        list->AddRect(min, max, t.palette().line, t.px(6));
        // Digits, units and errors stand under each other.
        const float right = max.x - padding;
        const float unit = right - (error_width_ > 0 ? error_width_ + t.px(8) : 0) - unit_width_;
        const float number = unit - t.px(8);
        float y = min.y + padding;
        for (const Row& row : rows_) {
            const ImU32 ink = row.color != 0 ? row.color : t.palette().text;
            const float left = min.x + padding;
            const float room = number - text_size(Type::mono, row.quantity.number).x - t.px(8) - left;
            draw_text(list, Type::mono, {left, y}, t.palette().quiet, elide(Type::mono, row.label, room));
            draw_text_right(list, Type::mono, {number, y}, ink, row.quantity.number);
            draw_text(list, Type::mono, {unit, y}, ink, row.quantity.unit);
            draw_text_right(list, Type::mono, {right, y}, t.palette().quiet, row.error);
            y += line;
        }
        ImGui::Dummy({width, max.y - min.y});
    }

 private:
    struct Row {
        std::string label;
        Quantity quantity;
        std::string error;
        ImU32 color;
    };
    std::vector<Row> rows_;
    float unit_width_ = 0, error_width_ = 0;
};

void time_row(NumberBox& box, std::string_view label, const Timing& timing) {
    if (timing.samples.empty()) {
        box.row(label, {"–", ""});
        return;
    }
    const Summary summary = timing.summary();
    const Quantity time = format_time(summary.median);
    box.row(label, time,
            summary.median_error > 0 ? "±" + number_in_unit(summary.median_error, time.unit, 2) : "");
}

void rate_row(NumberBox& box, std::string_view label, double rate, std::optional<double> fraction) {
    if (rate > 0)
        box.row(label, format_bandwidth(rate), fraction ? short_percent(*fraction) : "");
    else
        box.row(label, {"–", ""});
}

void draw_measured(const Session& session) {
    const Theme& t = theme();
    const Report* report = session.report();
    const bool own = report && report->experiment.kernel.has_value();
    section_label(own ? "Measured · your own kernel" : "Measured");
    if (!report || report->timings.kernel.samples.empty()) {
        gap(4);
        text_wrapped(Type::note, t.palette().quiet,
                     report ? why_no_times(report) : "Run once to see the times.");
        return;
    }
    gap(4);
    ImGui::PushStyleVar(ImGuiStyleVar_Alpha, session.stale() ? 0.45F : 1.0F);
    NumberBox box;
    time_row(box, "kernel", report->timings.kernel);
    time_row(box, "upload", report->timings.upload);
    time_row(box, "download", report->timings.download);
    time_row(box, "wall", report->timings.wall);
    // Each beside its fraction of what the device can do at best: a copy of its own memory, or of staging.
    rate_row(box, report->cache.from_cache() ? "rate from cache" : "bandwidth", report->bytes_per_second(),
             report->fraction_of_copy_ceiling());
    rate_row(box, "upload rate", report->upload_bytes_per_second(), report->fraction_of_upload_ceiling());
    rate_row(box, "download rate", report->download_bytes_per_second(),
             report->fraction_of_download_ceiling());
    box.draw();
    ImGui::PopStyleVar();
    gap(4);
    const Timings& timings = report->timings;
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
    text_wrapped(Type::note, t.palette().quiet, note);
    if (timings.kernel.noisy && report->final)
        text_wrapped(Type::note, t.as_text(Ink::caution),
                     "! Noisy: the kernel's median had not settled after the last sample.");
    if (report->device.is_cpu)
        text_wrapped(Type::note, t.palette().quiet,
                     "A software device: the direction of a change counts, not the size of a number.");
}

void draw_against_pinned(const Session& session) {
    const HistoryEntry* pinned = session.pinned();
    const Report* report = session.report();
    if (!pinned || !report || pinned->report.timings.kernel.samples.empty() ||
        report->timings.kernel.samples.empty())
        return;
    const Theme& t = theme();
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
    NumberBox box;
    const ImU32 color =
        std::abs(change) <= error ? t.palette().text : t.as_text(change < 0 ? Ink::right : Ink::wrong);
    box.row(pinned->report.experiment.variant,
            {fmt::format("{}{}", change < 0 ? "−" : "+", format_significant(std::abs(change) * 100, 2)), "%"},
            "±" + format_significant(error * 100, 2), color);
    box.draw();
    gap(4);
    text_wrapped(Type::note, t.palette().quiet,
                 std::abs(change) <= error ? "Within the uncertainty: the two cannot be told apart."
                 : change < 0              ? "Less time than the pinned run."
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
        workspace.open_problem.clear();
        workspace.show_open = true;
        workspace.wants_focus = true;
    }
}

void draw_parameter(Session& session, const Parameter& parameter) {
    gap(8);
    if (!parameter.choices.empty())
        draw_choice(session, parameter);
    else if (std::holds_alternative<Extent>(parameter.fallback))
        draw_extent(session, parameter);
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
