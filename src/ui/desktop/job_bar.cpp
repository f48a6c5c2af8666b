// The job queue in the top bar: the running job, its progress, Stop, and a list of the waiting jobs.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "session/session_text.h"
#include "ui/desktop/draw_desktop.h"
#include "ui/widgets/widget_item.h"
#include "ui/widgets/widgets.h"

namespace gridstride::ui {

namespace {

/// Shorter jobs end before a user has read their titles.
constexpr double min_shown_seconds = 1;

constexpr ButtonOptions stop_options{.is_small = true};

float fraction_done(const JobProgress& progress) {
    // A single run reports no progress before it ends.
    if (progress.total < 2) return -1;
    return static_cast<float>(progress.done) / static_cast<float>(progress.total);
}

/// Returns the title, or only the kind of job if there is little room for the part after the colon.
std::string fit_title(const JobState& job, float room) {
    const std::string title = job.job->title(), kind = title.substr(0, title.find(':'));
    const bool has_room = room >= text_size(TextStyle::note, kind).x + theme().px(60);
    return elide(TextStyle::note, has_room ? title : kind, room);
}

void draw_title(const JobState& job, const Rect& area) {
    const Theme& t = theme();
    ImDrawList* const list = ImGui::GetWindowDrawList();
    const std::string words =
        longest_fitting_text(TextStyle::note, describe_progress(job), area.width() - t.px(80));
    const float width = words.empty() ? 0 : text_size(TextStyle::note, words).x + t.px(12);
    const float top = area.min.y + std::round(t.px(2));
    draw_text(list, TextStyle::note, {area.min.x, top}, t.palette().text,
              fit_title(job, area.width() - width));
    draw_text_right(list, TextStyle::note, {area.max.x, top}, t.palette().quiet, words);
}

void draw_job_list(Session& session, const std::vector<JobState>& jobs, glm::vec2 corner) {
    const Theme& t = theme();
    ImGui::SetNextWindowSize({t.px(400), 0});
    if (!begin_menu("jobs", corner)) return;
    for (std::size_t i = 0; i < jobs.size(); ++i) {
        if (i > 0) {
            gap(4);
            separator();
            gap(8);
        }
        const std::string id = fmt::format("jobs.{}", i + 1);
        const glm::vec2 start = cursor();
        const glm::vec2 stop = button_size(tr("Stop"), stop_options);
        const float right = start.x + content_width();
        const std::string title = jobs[i].job->title(), words = describe_state(jobs[i]);
        named_line(id, TextStyle::body, start, t.palette().text,
                   elide(TextStyle::body, title, right - stop.x - t.px(12) - start.x), title + " · " + words);
        ImDrawList* const list = ImGui::GetWindowDrawList();
        const float below = start.y + t.line_height(TextStyle::body);
        draw_text(list, TextStyle::note, {start.x, below}, t.palette().quiet, words);
        const float height = t.line_height(TextStyle::body) + t.line_height(TextStyle::note);
        set_cursor({right - stop.x, std::floor(start.y + (height - stop.y) / 2)});
        if (!jobs[i].is_stopping && button(id + ".stop", tr("Stop"), stop_options))
            session.stop_job(jobs[i].job);
        set_cursor({start.x, start.y + height});
    }
    ImGui::EndPopup();
}

}  // namespace

std::vector<JobState> jobs_to_show(const Session& session) {
    if (session.jobs().empty()) return {};
    std::vector<JobState> jobs = session.jobs().states();
    std::erase_if(jobs, [](const JobState& job) { return job.seconds < min_shown_seconds; });
    return jobs;
}

glm::vec2 job_bar_size() {
    return glm::round(glm::vec2(300, 28) * theme().scale());
}

void draw_job_bar(Session& session, const std::vector<JobState>& jobs, const Rect& area) {
    if (jobs.empty()) return;
    const Theme& t = theme();
    float right = area.max.x;
    const auto place = [&](glm::vec2 size) {
        right -= size.x;
        set_cursor({right, std::floor(area.centre().y - size.y / 2)});
        right -= std::round(t.px(8));
    };
    const JobState& job = jobs.front();
    place(button_size(tr("Stop"), stop_options));
    ButtonOptions stop = stop_options;
    stop.is_enabled = !job.is_stopping;
    stop.tooltip = tr("Stops this job; finished measurements are kept");
    if (button("jobs.stop", tr("Stop"), stop)) session.stop_job(job.job);
    if (jobs.size() > 1) {
        const std::string waiting = tr("{} waiting", jobs.size() - 1);
        place(chip_size(waiting));
        if (chip("jobs.waiting", waiting, tr("All jobs, in the order of the queue")))
            ImGui::OpenPopup("jobs");
    }
    draw_job_list(session, jobs, {area.max.x, area.max.y + t.px(12)});
    const Rect words{area.min, {right, area.max.y}};
    draw_title(job, words);
    set_cursor({words.min.x, words.max.y - std::round(t.px(3))});
    progress_line(fraction_done(job.progress), words.width());
    const std::string all = job.job->title() + " · " + describe_progress(job).front();
    register_place("jobs.first", words, all, all);
}

}  // namespace gridstride::ui
