#include <fmt/chrono.h>
#include <fmt/format.h>

#include <ctime>
#include <filesystem>
#include <utility>

#include "assignment/assignment.h"
#include "base/error.h"
#include "base/file.h"
#include "base/text.h"
#include "base/units.h"
#include "lesson/kernel_file.h"
#include "session/trace_file.h"
#include "text_lesson/lesson_folders.h"
#include "ui/panels/panels.h"
#include "ui/widgets/widget_item.h"

namespace gridstride::ui {

namespace {

void skip_questions_and_run(Session& session) {
    while (const auto question = session.open_question())
        session.skip_question(*question);
    session.run();
}

/// Returns false if the dialog is to be closed.
bool draw_run_unanswered(Workspace& workspace, const Rect& screen) {
    const Theme& t = theme();
    bool keep_open = begin_dialog("run_unanswered", tr("Run without an answer?"), screen.min, screen.max,
                                  {t.px(480), t.px(196)});
    text_wrapped(
        TextStyle::body, t.palette().text,
        tr("This run would answer the open question. You remember more if you guess first, even if the "
           "guess is wrong."));
    gap(16);
    if (button("run_unanswered.no", tr("Back to the question"),
               {.emphasis = Emphasis::primary, .shortcut = "Esc"}))
        keep_open = false;
    ImGui::SameLine(0, t.px(8));
    if (button("run_unanswered.yes", tr("Run and skip the question"))) {
        skip_questions_and_run(workspace.session);
        keep_open = false;
    }
    end_dialog();
    return keep_open;
}

/// Returns the file name extensions of the user's own kernels or programs in this lesson.
std::vector<std::string> source_extensions(const Lesson& lesson) {
    if (!lesson.has_programs()) return {".comp", ".glsl"};
    return {std::filesystem::path(lesson.variants.front().kernel).extension().string()};
}

bool draw_export_dialog(Workspace& workspace, const Rect& screen) {
    const bool sweep = workspace.export_data.what == ExportSource::sweep;
    const auto write = [&](const std::string& path) -> FileWorker::Task {
        return [&workspace, reports = workspace.export_data.reports,
                path](FileProgress& progress) -> FileWorker::Completion {
            const CsvText csv = make_csv(reports, &progress);
            write_file(path, csv.text, &progress);
            return [&workspace, path, rows = csv.rows] {
                workspace.show_notice(tr("Wrote {} to {}.", counted(rows, "row", "rows"), path));
            };
        };
    };
    return workspace.files.draw(
        {.window = "export",
         .id = "export",
         .title = sweep ? tr("Export the sweep as CSV") : tr("Export all runs as CSV"),
         .what =
             tr("One row per sample, {}{}. The command line writes the same columns.",
                counted(workspace.export_data.rows, "row", "rows"),
                !sweep && workspace.session.sweeps().newest() ? tr(", including those of the sweeps") : ""),
         .extensions = {".csv"},
         .verb_id = "write",
         .verb = tr("Write"),
         .writes = true,
         .work = write},
        workspace.export_file, screen);
}

/// Compares two paths as text, after making them absolute: "./x.csv" equals its absolute path. Does not
/// access the disk.
bool is_same_path(const std::string& a, const std::string& b) {
    std::error_code error;
    const auto normalized = [&](const std::string& path) {
        return std::filesystem::absolute(path, error).lexically_normal();
    };
    return !a.empty() && normalized(a) == normalized(b);
}

bool draw_open_dialog(Workspace& workspace, const Rect& screen) {
    Session& session = workspace.session;
    const auto back_to_lesson = [&] {
        if (!session.bench().experiment().input.numbers) return false;
        const bool pressed = button("open.lesson", tr("Back to the lesson's input"));
        ImGui::SameLine(0, theme().px(8));
        if (pressed) session.use_lesson_input();
        return pressed;
    };
    const auto use = [&workspace](const std::string& path) -> FileWorker::Task {
        const InputFileState chosen = std::exchange(workspace.input_file_state, {});
        return [&workspace, path, lesson = &workspace.session.lesson(),
                values = workspace.session.bench().values(),
                choice = is_same_path(chosen.path, path) ? chosen.choice : FileChoice()](
                   FileProgress& progress) -> FileWorker::Completion {
            try {
                UserData data = read_input(path, *lesson, values, choice, &progress);
                return [&workspace, lesson, path, data = std::move(data)] {
                    workspace.session.use_input(*lesson, data, path);
                };
            } catch (const NeedsChoice& several) {
                return [&workspace, path, question = several.question] {
                    workspace.input_file_state = {path, question, {}};
                };
            }
        };
    };
    const bool keep_open =
        workspace.files.draw({.window = "open",
                              .id = "open",
                              .title = tr("Your own data"),
                              .what = tr("A file to use in place of the lesson's input: {}.",
                                         join(session.lesson().input_files, ", ")),
                              .extensions = session.lesson().input_files,
                              .verb_id = "use",
                              .verb = tr("Use it"),
                              .work = use,
                              .draw_extra_button = back_to_lesson},
                             workspace.data_file, screen);
    if (keep_open || !workspace.input_file_state.question) return keep_open;
    workspace.dialog = Dialog::input_question;
    return true;
}

FileWorker::Task kernel_read_work(Workspace& workspace, const std::string& path) {
    const Session& session = workspace.session;
    return [&workspace, path, lesson = &session.lesson(),
            variant = session.bench().variant()](FileProgress& progress) -> FileWorker::Completion {
        KernelSource source = read_kernel(path, &progress);
        return [&workspace, path, lesson, variant, source = std::move(source)] {
            Session& now = workspace.session;
            if (&now.lesson() != lesson || now.bench().variant() != variant)
                throw Refusal(tr("{} was read for {}, which is no longer on the bench. Open it again.",
                                 source.name, variant));
            now.use_kernel(source, is_shipped(path) ? "" : path);
            workspace.show_notice(tr("Opened the {} {}.", lesson->user_source().noun, source.name));
        };
    };
}

FileWorker::Task kernel_write_work(Workspace& workspace, const std::string& path) {
    return [&workspace, path, text = workspace.kernel_text(),
            noun = workspace.session.lesson().user_source().noun](
               FileProgress& progress) -> FileWorker::Completion {
        write_file(path, text, &progress);
        return [&workspace, path, text, noun] {
            workspace.session.mark_kernel_saved(path, text);
            workspace.show_notice(tr("Wrote the {} to {}.", noun, path));
        };
    };
}

/// Returns the solutions of the lesson's exercises, which the file list must not show.
std::vector<std::string> solution_files(const Lesson& lesson) {
    std::vector<std::string> names;
    for (const Variant& exercise : lesson.exercises)
        names.push_back(std::filesystem::path(exercise.solution).filename().string());
    return names;
}

bool draw_kernel_dialog(Workspace& workspace, bool saves, const Rect& screen) {
    const KernelEdit* edit = workspace.session.kernel_edit();
    const Lesson& lesson = workspace.session.lesson();
    const char* const kernel_text = saves
                                        ? tr("The file to write this GLSL to. Its includes are then searched "
                                             "for beside it and in the shipped shaders.")
                                        : tr("A compute shader in GLSL, at most 4 MiB. It replaces this "
                                             "variant's kernel and must have the same bindings.");
    const char* const program_text =
        saves ? tr("The file to write this program to. The files that it names are then searched for in its "
                   "folder.")
              : tr("A program as a text file, at most 64 KiB. It replaces this variant's program; the files "
                   "that it names are searched for in its folder.");
    return workspace.files.draw({.window = "kernel.dialog",
                                 .id = "kernel",
                                 .title = saves ? tr("Save the {}", lesson.user_source().noun)
                                                : tr("Open your own {}", lesson.user_source().noun),
                                 .what = lesson.has_programs() ? program_text : kernel_text,
                                 .extensions = source_extensions(lesson),
                                 .verb_id = "accept",
                                 .verb = saves ? tr("Save") : tr("Open"),
                                 .writes = saves,
                                 .replace_without_asking = edit ? edit->file.path : "",
                                 .samples = data_directory() / "shaders" / lesson.id,
                                 .hidden_names = solution_files(lesson),
                                 .work =
                                     [&workspace, saves](const std::string& path) {
                                         return saves ? kernel_write_work(workspace, path)
                                                      : kernel_read_work(workspace, path);
                                     }},
                                workspace.kernel_file, screen);
}

FileWorker::Task trace_read_work(Workspace& workspace, const std::string& path) {
    return [&workspace, path](FileProgress& progress) -> FileWorker::Completion {
        const std::shared_ptr<const AnalyzedTrace> trace = read_trace_file(path, &progress);
        return [&workspace, trace] {
            Session& session = workspace.session;
            if (trace->experiment().lesson != session.lesson().id)
                throw Refusal(tr("{} belongs to the lesson {}. Open that lesson first.", trace->file,
                                 trace->experiment().lesson));
            session.traces().set(trace);
        };
    };
}

FileWorker::Task trace_write_work(Workspace& workspace, const std::string& path) {
    return [&workspace, path,
            trace = workspace.session.traces().newest()](FileProgress& progress) -> FileWorker::Completion {
        write_file(path, encode_trace(*trace), &progress);
        return [&workspace, path] { workspace.show_notice(tr("Wrote the trace to {}.", path)); };
    };
}

bool draw_trace_dialog(Workspace& workspace, bool saves, const Rect& screen) {
    return workspace.files.draw(
        {.window = "recording.dialog",
         .id = "recording",
         .title = saves ? tr("Save the trace") : tr("Open a trace"),
         .what =
             saves ? tr("The trace includes the kernel's text. Only this version of Gridstride can open it.")
                   : tr("A trace of the open lesson, saved by this version of Gridstride."),
         .extensions = {".recording"},
         .verb_id = "accept",
         .verb = saves ? tr("Save") : tr("Open"),
         .writes = saves,
         .work =
             [&workspace, saves](const std::string& path) {
                 return saves ? trace_write_work(workspace, path) : trace_read_work(workspace, path);
             }},
        workspace.trace_file, screen);
}

bool draw_browse(Workspace& workspace, const Rect& screen) {
    const bool first = workspace.dialog == Dialog::browse_a;
    std::string& chosen = first ? workspace.compare.path_a : workspace.compare.path_b;
    const auto choose = [&chosen](const std::string& path) -> FileWorker::Task {
        return [&chosen, path](FileProgress&) -> FileWorker::Completion {
            return [&chosen, path] { chosen = path; };
        };
    };
    const bool keep_open =
        workspace.files.draw({.window = "browse",
                              .id = "browse",
                              .title = first ? tr("File a, the baseline") : tr("File b, compared with a"),
                              .what = tr("A CSV file of measurements."),
                              .extensions = {".csv"},
                              .verb_id = "choose",
                              .verb = tr("Choose"),
                              .work = choose},
                             workspace.compare_file, screen);
    if (!keep_open) workspace.dialog = Dialog::compare;
    return true;
}

bool draw_compare(Workspace& workspace, const Rect& screen) {
    const CompareAction action = draw_compare_dialog(workspace.compare, screen);
    if (action == CompareAction::none || action == CompareAction::close) return action == CompareAction::none;
    const bool first = action == CompareAction::browse_a;
    workspace.compare_file = {.path = first ? workspace.compare.path_a : workspace.compare.path_b};
    workspace.dialog = first ? Dialog::browse_a : Dialog::browse_b;
    return true;
}

/// Returns false if the dialog is to be closed.
bool draw_dialog(Workspace& workspace, const Rect& screen) {
    switch (workspace.dialog) {
        case Dialog::none:
        case Dialog::find:  // drawn by the window, because they can lead to any page
        case Dialog::keys:
        case Dialog::hand_in:
        case Dialog::save_hand_in:
        case Dialog::load_lessons:
        case Dialog::lesson_folders:
            break;
        case Dialog::help:
            return draw_help(workspace.help, screen);
        case Dialog::run_unanswered:
            return draw_run_unanswered(workspace, screen);
        case Dialog::export_csv:
            return draw_export_dialog(workspace, screen);
        case Dialog::open_data:
            return draw_open_dialog(workspace, screen);
        case Dialog::input_question:
            return draw_input_question(workspace, screen);
        case Dialog::open_kernel:
        case Dialog::save_kernel:
            return draw_kernel_dialog(workspace, workspace.dialog == Dialog::save_kernel, screen);
        case Dialog::save_progress:
        case Dialog::load_progress:
            return draw_progress_dialog(workspace, screen);
        case Dialog::save_trace:
        case Dialog::open_trace:
            return draw_trace_dialog(workspace, workspace.dialog == Dialog::save_trace, screen);
        case Dialog::compare:
            return draw_compare(workspace, screen);
        case Dialog::browse_a:
        case Dialog::browse_b:
            return draw_browse(workspace, screen);
    }
    return true;
}

}  // namespace

std::string home_path(const std::string& name) {
    return (home_directory() / name).string();
}

void run_or_ask(Workspace& workspace) {
    Session& session = workspace.session;
    if (const auto block = session.prediction_to_decide())
        workspace.decide(*block);
    else if (session.has_open_question() && !session.kernel_edit() && !session.can_run())
        workspace.dialog = Dialog::run_unanswered;
    else if (session.exercise_block())
        grade_exercise(workspace);
    else
        session.run();
}

glm::vec2 skip_button_size() {
    return button_size(tr("Skip the question"), {.is_small = true});
}

void draw_skip_button(std::string_view id, Session& session) {
    if (button(id, tr("Skip the question"),
               {.is_small = true, .tooltip = tr("Shows the results without an answer")}))
        skip_questions_and_run(session);
}

void grade_exercise(Workspace& workspace) {
    workspace.session.grade_exercise();
    // Hints and a solution are drawn below the requirements and may have pushed them out of view.
    reveal_widget("make.requirement.0");
}

void open_export(Workspace& workspace, ExportSource what) {
    const Session& session = workspace.session;
    const bool sweep = what == ExportSource::sweep;
    if (!(sweep ? session.sweeps().has_reports() : session.has_reports())) return;
    FileName& file = workspace.export_file;
    if (file.path.empty() || workspace.export_data.what != what)
        file.path = fmt::format("gridstride-{}{}-{:%Y%m%d-%H%M%S}.csv",
                                (sweep ? *session.sweeps().newest()->spec().lesson : session.lesson()).id,
                                sweep ? "-sweep" : "", fmt::localtime(std::time(nullptr)));
    file.clear_problem();
    Reports reports = sweep ? session.sweeps().reports() : session.all_reports();
    const std::size_t rows = csv_row_count(reports);
    workspace.export_data = {what, std::move(reports), rows};
    workspace.show_notice("");
    workspace.dialog = Dialog::export_csv;
}

void open_kernel_dialog(Workspace& workspace, Dialog dialog) {
    const Session& session = workspace.session;
    const KernelEdit* edit = session.kernel_edit();
    FileName& file = workspace.kernel_file;
    if (edit && !edit->file.path.empty())
        file.path = edit->file.path;
    else if (dialog == Dialog::save_kernel)
        file.path = session.lesson_kernel_name();
    file.clear_problem();
    workspace.dialog = dialog;
}

void open_trace_dialog(Workspace& workspace, Dialog dialog) {
    FileName& file = workspace.trace_file;
    if (file.path.empty()) file.path = workspace.session.bench().variant() + ".recording";
    file.clear_problem();
    workspace.dialog = dialog;
}

void open_dropped_file(Workspace& workspace, const std::vector<std::string>& paths) {
    if (paths.empty()) return;
    if (workspace.plot_save_dialog.is_open || workspace.files.is_busy() ||
        workspace.folder_question.is_busy())
        return workspace.show_notice(
            tr("A file is being read or written. Close the dialog, then drop the file again."), true);
    const std::string& path = paths.front();
    const Lesson& lesson = workspace.session.lesson();
    const std::vector<std::string>& data = lesson.input_files;
    const bool is_kernel = has_extension(path, source_extensions(lesson));
    workspace.show_notice(
        paths.size() == 1 ? ""
                          : tr("{} files were dropped and only {} is opened. Drop one at a time.",
                               paths.size(), quote_text(std::filesystem::path(path).filename().string())));
    workspace.input_file_state = {};
    if (!is_kernel && (data.empty() || !has_extension(path, data)))
        return ask_to_load_lessons(workspace, path, true);
    FileName& file = is_kernel ? workspace.kernel_file : workspace.data_file;
    file = {.path = path, .accepts_at_once = true};
    workspace.files.close();
    workspace.dialog = is_kernel ? Dialog::open_kernel : Dialog::open_data;
}

void refuse_dropped_file(Workspace& workspace, const std::filesystem::path& file) {
    const Lesson& lesson = workspace.session.lesson();
    const std::vector<std::string>& data = lesson.input_files;
    workspace.show_notice(
        tr("{} cannot be opened here. Drop a {} ({}){}, a lesson's folder, or {}.",
           quote_text(file.filename().string()), lesson.user_source().noun,
           join(source_extensions(lesson), ", "),
           data.empty() ? "" : tr(", data for this lesson ({})", join(data, ", ")), assignment_file),
        true);
}

void ask_to_load_lessons(Workspace& workspace, const std::string& path, bool was_dropped) {
    workspace.files.close();
    const std::filesystem::path file(path);
    const std::string folder =
        text_lesson::lesson_folder_of(file.filename() == assignment_file ? file.parent_path() : file)
            .string();
    workspace.folder_question = {
        .loader = std::make_unique<text_lesson::FolderLoader>(folder, workspace.lesson_folders.wake()),
        .was_dropped = was_dropped,
        .loads_at_start = !was_dropped};
    workspace.folder_question.loader->find();
    workspace.dialog = Dialog::load_lessons;
}

void draw_dialogs(Workspace& workspace, const Rect& screen) {
    // The keyboard must not type into the kernel behind the dialog.
    if (workspace.has_dialog() && workspace.kernel_has_keyboard) release_keyboard();
    if (workspace.dialog != Dialog::help) workspace.help.discard_page();
    if (!draw_dialog(workspace, screen)) workspace.dialog = Dialog::none;
    draw_plot_saving(workspace, screen);
}

}  // namespace gridstride::ui
