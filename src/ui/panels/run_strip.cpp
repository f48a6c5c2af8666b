// One line under the picture: the newest run's verdict, its times, and where the time went.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/text.h"
#include "base/units.h"
#include "present/run_times.h"
#include "present/verdict_text.h"
#include "session/session_text.h"
#include "ui/panels/panels.h"
#include "ui/widgets/widget_item.h"

namespace gridstride::ui {

namespace {

struct StripNumber {
    const char* id;
    std::string number, error, label;

    float width() const {
        const float upper = text_size(TextStyle::mono, error.empty() ? number : number + " " + error).x;
        return std::ceil(std::max(upper, text_size(TextStyle::note, label).x));
    }
};

StripNumber make_strip_number(const char* id, const Timing& timing, std::string label) {
    const Summary summary = timing.summary();
    const Quantity time = format_time(summary.median);
    return {id, time.text(),
            summary.median_error > 0 ? "±" + format_in_unit(summary.median_error, time.unit, 2) : "",
            std::move(label)};
}

/// A part of the whole run: a segment of the GPU's bar in the plot "where_the_time_goes".
struct TimePart {
    std::string label;
    ColorRole color_role;
    double ns;
};
std::vector<TimePart> run_time_parts(const Workspace& workspace) {
    std::vector<TimePart> parts;
    const Plot* plot = workspace.find_plot("where_the_time_goes");
    const auto* figure = plot ? std::get_if<Figure>(&plot->content) : nullptr;
    if (!figure) return parts;
    for (const Series& series : figure->series)
        if (!series.y.empty() && series.y.front() > 0)
            parts.push_back({series.label, series.color_role, series.y.front()});
    return parts;
}

/// If not all names fit, the shortest parts have none.
void draw_part_names(std::vector<TimePart> parts, const Rect& area) {
    const Theme& t = theme();
    ImDrawList* list = ImGui::GetWindowDrawList();
    const auto part_width = [&](const TimePart& part) {
        return t.px(24) + text_size(TextStyle::note, part.label).x;
    };
    const auto needed = [&] {
        float width = -t.px(12);
        for (const TimePart& part : parts)
            width += part_width(part);
        return width;
    };
    while (parts.size() > 1 && needed() > area.width())
        parts.erase(std::ranges::min_element(parts, {}, &TimePart::ns));
    float x = area.min.x;
    const float middle = std::round(area.centre().y);
    for (const TimePart& part : parts) {
        list->AddRectFilled({x, middle - t.px(4)}, {x + t.px(8), middle + t.px(4)},
                            with_style_alpha(t.color(part.color_role)), t.px(2));
        draw_text(list, TextStyle::note, {x + t.px(12), area.min.y}, t.palette().quiet, part.label);
        x += part_width(part);
    }
}

void draw_time_bar(const std::vector<TimePart>& parts, const Rect& area) {
    const Theme& t = theme();
    ImDrawList* list = ImGui::GetWindowDrawList();
    double total = 0;
    std::string words;
    for (const TimePart& part : parts) {
        total += part.ns;
        words += fmt::format("{}{} {}", words.empty() ? "" : " · ", part.label, format_time(part.ns).text());
    }
    const float bottom = area.min.y + std::round(t.px(16));
    float x = area.min.x;
    for (const TimePart& part : parts) {
        const float end = x + area.width() * static_cast<float>(part.ns / total);
        list->AddRectFilled({x, area.min.y}, {std::max(end - 1, x + 1), bottom},
                            with_style_alpha(t.color(part.color_role)), t.px(2));
        x = end;
    }
    draw_part_names(parts, {{area.min.x, area.max.y - t.line_height(TextStyle::note)}, area.max});
    register_place("strip.bar", area, words, words);
}

void draw_number(const StripNumber& one, glm::vec2 at, float height) {
    const Theme& t = theme();
    ImDrawList* list = ImGui::GetWindowDrawList();
    draw_text(list, TextStyle::mono, at, t.palette().text, one.number);
    if (!one.error.empty())
        draw_text(list, TextStyle::mono, {at.x + text_size(TextStyle::mono, one.number + " ").x, at.y},
                  t.palette().quiet, one.error);
    draw_text(list, TextStyle::note, {at.x, at.y + height - t.line_height(TextStyle::note)},
              t.palette().quiet, one.label);
    register_place(one.id, {at, {at.x + one.width(), at.y + height}}, one.number + " " + one.error);
}

std::string fit_verdict(const Session& session, const VerdictText& verdict, float room) {
    if (text_size(TextStyle::body_strong, verdict.text).x <= room || !session.report() ||
        !session.bench().is_valid())
        return elide(TextStyle::body_strong, verdict.text, room);
    return elide(TextStyle::body_strong, verdict_word(*session.report()), room);
}

/// Joins the parts, without the last ones if they do not fit.
std::string fit_details(std::vector<std::string> parts, float room) {
    while (parts.size() > 1 && text_size(TextStyle::note, join(parts, " · ")).x > room)
        parts.pop_back();
    return elide(TextStyle::note, join(parts, " · "), room);
}

void draw_verdict(const Session& session, const Rect& area) {
    const Theme& t = theme();
    const VerdictText verdict = session_verdict(session);
    ImDrawList* list = ImGui::GetWindowDrawList();
    const float room = area.width();
    const std::string details = fit_details(verdict.details(), room);
    const float top = details.empty()
                          ? std::floor(area.centre().y - t.line_height(TextStyle::body_strong) / 2)
                          : area.min.y - t.px(1);
    draw_text(list, TextStyle::body_strong, {area.min.x, top}, t.text_color(verdict.color_role),
              fit_verdict(session, verdict, room));
    draw_text(list, TextStyle::note, {area.min.x, area.max.y - t.line_height(TextStyle::note)},
              t.palette().quiet, details);
    const Report* report = session.report();
    register_place("result.verdict", area, verdict.whole(),
                   report && !report->message.empty() ? describe_message(*report) : verdict.whole());
}

/// Draws verdict, numbers and bar from left to right. If not all fit, the bar is dropped first, then the last
/// numbers.
void draw_run(const Workspace& workspace, const Rect& area) {
    const Theme& t = theme();
    const Session& session = workspace.session;
    const Report* report = session.report();
    std::vector<StripNumber> numbers;
    std::vector<TimePart> parts;
    if (report && session.bench().is_valid() && !report->timings.kernel.samples.empty()) {
        const Timings& timings = report->timings;
        numbers.push_back(
            make_strip_number("strip.kernel", timings.kernel, tr(find_run_time("kernel_ns")->name)));
        numbers.push_back(make_strip_number("strip.whole", timings.wall, tr(find_run_time("wall_ns")->name)));
        numbers.back().error.clear();
        if (!timings.cpu.samples.empty()) {
            numbers.push_back(make_strip_number("strip.cpu", timings.cpu, tr("one CPU thread")));
            numbers.back().error.clear();
        }
        parts = run_time_parts(workspace);
    }
    const float gap = t.px(16), min_verdict_width = t.px(112), min_bar_width = t.px(120);
    const auto numbers_width = [&] {
        float width = 0;
        for (const StripNumber& one : numbers)
            width += one.width() + gap;
        return width;
    };
    while (!numbers.empty() && numbers_width() + min_verdict_width > area.width())
        numbers.pop_back();
    const VerdictText verdict = session_verdict(session);
    const float room = area.width() - numbers_width();
    const bool bar = !parts.empty() && room - min_verdict_width - gap >= min_bar_width;
    const float max_width = std::max(min_verdict_width, room - (bar ? min_bar_width + gap : 0));
    const float details_width = text_size(TextStyle::note, fit_details(verdict.details(), max_width)).x;
    const float verdict_width = std::min(
        max_width, std::ceil(std::max(text_size(TextStyle::body_strong, verdict.text).x, details_width)));
    draw_verdict(session, {area.min, {area.min.x + verdict_width, area.max.y}});
    float x = area.min.x + verdict_width + gap;
    const float bar_width = std::min(t.px(520), area.max.x - x - numbers_width());
    for (const StripNumber& one : numbers) {
        // The CPU's time comes after the bar, because it is not part of the run.
        if (bar && std::string_view(one.id) == "strip.cpu") {
            draw_time_bar(parts, {{x, area.min.y}, {x + bar_width, area.max.y}});
            x += bar_width + gap;
        }
        draw_number(one, {x, area.min.y}, area.height());
        x += one.width() + gap;
    }
    if (bar && (numbers.empty() || std::string_view(numbers.back().id) != "strip.cpu"))
        draw_time_bar(parts, {{x, area.min.y}, {x + bar_width, area.max.y}});
}

}  // namespace

float run_strip_height() {
    return std::round(theme().px(62));
}

void draw_run_strip(Workspace& workspace, const Rect& area) {
    const Theme& t = theme();
    Session& session = workspace.session;
    begin_panel("strip", area.min, area.size(), no_fill, false, 0);
    ImDrawList* list = ImGui::GetWindowDrawList();
    list->AddRectFilled(area.min, area.max, t.palette().panel, t.px(6));
    list->AddRect(area.min, area.max, t.palette().line, t.px(6));
    const float height = t.line_height(TextStyle::mono) + t.line_height(TextStyle::note);
    const float top = std::floor(area.centre().y - height / 2);
    const Rect inside{{area.min.x + t.px(14), top}, {area.max.x - t.px(14), top + height}};
    if (session.hides_results()) {
        const std::string_view words = tr("Answer the question to see the results.");
        const glm::vec2 at(inside.min.x, std::floor(area.centre().y - t.line_height(TextStyle::body) / 2));
        named_line("strip.held", TextStyle::body, at, t.palette().quiet, words);
        const glm::vec2 size = skip_button_size();
        set_cursor({inside.max.x - size.x, std::floor(area.centre().y - size.y / 2)});
        draw_skip_button("strip.skip", session);
    } else {
        ImGui::PushStyleVar(ImGuiStyleVar_Alpha, session.is_dimmed() ? 0.45F : 1.0F);
        draw_run(workspace, inside);
        ImGui::PopStyleVar();
    }
    end_panel();
}

}  // namespace gridstride::ui
