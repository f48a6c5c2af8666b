#include <fmt/format.h>

#include <cmath>
#include <string>

#include "base/error.h"
#include "ui/learn/learn.h"
#include "ui/learn/question.h"
#include "ui/panels/panels.h"
#include "ui/text/rich_text.h"
#include "ui/widgets/widget_item.h"
#include "ui/widgets/widgets.h"

namespace gridstride::ui {

namespace {

using Result = RequirementJudgement::Result;

struct RequirementText {
    const char* mark;
    ImU32 color;
    std::string beside;  ///< quiet, after the sentence
    std::string below;   ///< below it, in the mark's colour
};

RequirementText describe_requirement(const RequirementResult* requirement_result) {
    const Palette& p = theme().palette();
    if (!requirement_result) return {"○", p.quiet, "", ""};
    std::string cases;
    if (requirement_result->all_cases > 0 && (requirement_result->cases > 0 || requirement_result->is_judged))
        cases = tr("{} of {} cases", requirement_result->cases, requirement_result->all_cases);
    if (!requirement_result->refused.empty())
        cases += tr(", {} cannot run: {}", requirement_result->refused.size(),
                    requirement_result->refused.front().reason);
    if (!requirement_result->is_judged) return {"○", p.quiet, std::move(cases), ""};
    const RequirementJudgement& judgement = requirement_result->judgement;
    switch (judgement.result) {
        case Result::ok:
            return {"✓", verdict_color(Outcome::Result::right), cases.empty() ? judgement.sentence : cases,
                    ""};
        case Result::failed:
            return {"✗", verdict_color(Outcome::Result::wrong), std::move(cases), judgement.sentence};
        default:
            return {"○", verdict_color(Outcome::Result::undecided), std::move(cases), judgement.sentence};
    }
}

/// Draws the button that shows the failing case: its trace, or its values on the bench.
void draw_failing_case_button(Workspace& workspace, const MakeRequirement& requirement,
                              const RequirementResult& requirement_result, std::size_t index) {
    if (!requirement_result.failing) return;
    const bool inside = requirement.uses_trace();
    if (requirement.what && !inside) return;
    if (!button(fmt::format("make.show.{}", index), inside ? tr("Show it inside") : tr("Show this case"),
                {.is_small = true,
                 .tooltip = inside ? tr("Traces this run and shows what its invocations did")
                                   : tr("Puts these values on the bench and runs your kernel with them")}))
        return;
    Session& session = workspace.session;
    session.use_experiment(*requirement_result.failing);
    if (inside) session.trace_run();
    open_tab(workspace, inside ? "inside" : "picture");
}

void draw_requirement(Workspace& workspace, const MakeRequirement& requirement,
                      const RequirementResult* requirement_result, std::size_t index, float width) {
    const Theme& t = theme();
    const RequirementText words = describe_requirement(requirement_result);
    const float indent = std::round(t.px(24));
    const glm::vec2 start = cursor();
    draw_text(ImGui::GetWindowDrawList(), TextStyle::body_strong, start, words.color, words.mark);
    const auto line = [&](const Spans& spans, TextStyle type, std::optional<ImU32> color = std::nullopt) {
        set_cursor({start.x + indent, cursor().y});
        draw_spans(spans, type, width - indent, color);
    };
    line(parse_spans(requirement.sentence), TextStyle::body);
    if (!words.beside.empty()) line({{words.beside}}, TextStyle::note, t.palette().quiet);
    if (!words.below.empty()) line({{words.below}}, TextStyle::note, words.color);
    register_place(fmt::format("make.requirement.{}", index), {start, {start.x + width, cursor().y}},
                   fmt::format("{} {}", words.mark, words.below.empty() ? words.beside : words.below));
    if (requirement_result && requirement_result->failing) {
        gap(4);
        set_cursor({start.x + indent, cursor().y});
        draw_failing_case_button(workspace, requirement, *requirement_result, index);
    }
    set_cursor({start.x, cursor().y});
}

void draw_hint(const MakeBlock& make, std::size_t index, float width) {
    const Theme& t = theme();
    const float padding = std::round(t.px(12));
    const Spans heading = {{tr("Hint {} of {}", index + 1, make.hints.size()), true}};
    const Spans& words = parse_spans(make.hints[index]);
    const float room = width - 2 * padding;
    const float first = spans_height(heading, TextStyle::note, room);
    const float height = first + spans_height(words, TextStyle::note, room) + 2 * padding;
    const Rect box{cursor(), cursor() + glm::vec2(width, std::ceil(height))};
    ImGui::GetWindowDrawList()->AddRectFilled(box.min, box.max, t.palette().raised, t.px(6));
    register_place(fmt::format("make.hint.{}", index), box, make.hints[index]);
    set_cursor(box.min + glm::vec2(padding));
    draw_spans(heading, TextStyle::note, room);
    set_cursor(box.min + glm::vec2(padding, padding + first));
    draw_spans(words, TextStyle::note, room);
    set_cursor({box.min.x, box.max.y});
    ImGui::Dummy({0, 0});
}

void draw_start_over(Workspace& workspace, const MakeBlock& make, Workspace::ExerciseHelp& help) {
    Session& session = workspace.session;
    if (make.exercise.empty()) return;
    const ButtonOptions quiet{.emphasis = Emphasis::quiet, .is_small = true};
    if (const KernelEdit* const edit = session.kernel_edit()) {
        if (!button("make.start_over", tr("Start over"), quiet)) return;
        help.before = edit->source;
        session.revert_kernel();
    } else if (help.before && button("make.undo", tr("Undo start over"), quiet)) {
        session.use_kernel(*std::exchange(help.before, std::nullopt), "");
    }
}

Workspace::ExerciseHelp& get_help(Workspace& workspace, const MakeBlock& make) {
    return workspace.exercise_help[workspace.session.lesson().id + "." + make.id];
}

}  // namespace

std::vector<HelpButton> help_buttons(Workspace& workspace, const MakeBlock& make) {
    Workspace::ExerciseHelp& help = get_help(workspace, make);
    std::vector<HelpButton> buttons;
    if (help.hints < make.hints.size())
        buttons.push_back({"story.hint", tr("Hint"), false,
                           [&help] { reveal_widget(fmt::format("make.hint.{}", help.hints++)); }});
    const Variant* const exercise = find_exercise(workspace.session.lesson(), make.exercise);
    if (exercise && !exercise->solution.empty() && !is_solution_locked(workspace, make))
        buttons.push_back({"make.solution", tr("Solution"), help.solution, [&help] {
                               help.solution = !help.solution;
                               if (help.solution) reveal_widget("make.solution.text");
                           }});
    return buttons;
}

void draw_exercise(Workspace& workspace, const MakeBlock& make, float width) {
    const Theme& t = theme();
    Session& session = workspace.session;
    const ExerciseJob* const job = session.exercise();
    Workspace::ExerciseHelp& help = get_help(workspace, make);

    section_label(tr("DONE WHEN"));
    gap(4);
    for (std::size_t i = 0; i < make.requirements.size(); ++i) {
        if (i > 0) {
            gap(6);
            separator();
            gap(6);
        }
        draw_requirement(workspace, make.requirements[i], job ? &job->requirement_results()[i] : nullptr, i,
                         width);
    }
    gap(8);
    const auto say = [&](std::string_view id, ImU32 color, const std::string& words) {
        const NamedBlock block(id, words);
        draw_spans({{words}}, TextStyle::note, width, color);
        gap(4);
    };
    if (job && !job->problem().empty())
        say("make.problem", t.text_color(ColorRole::wrong), "✗ " + job->problem());
    if (job && job->is_finished() && session.is_exercise_old())
        say("make.old", t.text_color(ColorRole::caution), tr("! Changed since the last check. Check again."));
    else if (job && job->is_done())
        say("make.done", t.text_color(ColorRole::right),
            job->is_shipped_solution() ? tr("✓ Completed with the shipped solution.")
                                       : tr("✓ Completed. Continue, or improve it."));
    else if (session.progress().step_progress(session.lesson(), session.shown_step()).is_solved)
        say("make.done", t.palette().quiet, tr("✓ You have completed this exercise on this device."));
    for (std::size_t i = 0; i < help.hints; ++i) {
        draw_hint(make, i, width);
        gap(8);
    }
    draw_start_over(workspace, make, help);
    const Variant* const exercise = find_exercise(session.lesson(), make.exercise);
    if (!help.solution || !exercise) return;
    gap(8);
    draw_code("make.solution.text",
              tr("A solution: {}", exercise->solution.substr(exercise->solution.rfind('/') + 1)),
              kernel_region(workspace.shader_source(exercise->solution), ""));
}

}  // namespace gridstride::ui
