#include "ui/desktop/desktop.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <thread>
#include <utility>

#include "base/elapsed.h"
#include "base/error.h"
#include "base/file.h"
#include "base/file_worker.h"
#include "base/log.h"
#include "base/shared_memory.h"
#include "base/termination_signals.h"
#include "base/text.h"
#include "client/start_lab.h"
#include "storage/notices.h"
#include "sweep/tuned_file.h"
#include "text_lesson/lesson_watcher.h"
#include "ui/desktop/actions.h"
#include "ui/desktop/draw_desktop.h"
#include "ui/drive/frame_log.h"
#include "ui/drive/script.h"
#include "ui/learn/learn.h"
#include "ui/panels/panels.h"
#include "ui/settings/settings_file.h"
#include "ui/widgets/imgui_compat.h"
#include "ui/widgets/theme.h"
#include "ui/window/canvas.h"

namespace gridstride::ui {

namespace {

using Clock = std::chrono::steady_clock;

/// The reports of a sweep wake the window; drawing at each would disturb the measurements.
constexpr double seconds_per_frame_in_sweep = 0.2;
constexpr double max_idle_seconds = 3600;
/// The first frame waits this long for the settings and the lessons of their folders, so that it looks like
/// the last session's.
constexpr double max_settings_wait_ms = 500;
/// After input, ImGui needs some frames until the layout is stable.
constexpr int settling_frames = 3;

class Desktop {
 public:
    Desktop(const DesktopConfig& config, bool in_window);
    ~Desktop();

    /// Runs until the window is closed or the script has ended. Returns false if a step of the script failed.
    bool run();
    /// Draws frames until the lab is idle, at most this long. Throws NoDevice.
    void run_until_idle(double timeout_seconds);
    void save_picture(const std::string& path) { save_png(canvas_->read_pixels(), path); }

 private:
    void frame(double wait_seconds);
    float scale() const {
        const float chosen_scale = workspace_->scale;
        return std::min(4.0F, workspace_->is_presenting ? presentation_scale(chosen_scale, canvas_->size())
                                                        : chosen_scale);
    }
    void rebuild_theme();
    nlohmann::json state() const;
    double seconds_until_redraw() const;
    /// Applies the settings as at program start.
    void apply_settings(const Settings& settings);
    Settings settings() const;
    /// Applies the settings once they are read. Continues without them if reading fails or the user stops
    /// waiting.
    void poll_settings();
    /// From here on, only changes to the current state are written to the file.
    void continue_without_settings(const std::string& problem);
    /// Takes over the lessons of the setting's folders. Returns true while some are being loaded.
    bool pump_lesson_folders();
    /// Opens the newest version of the lesson if its folder changed and has no errors.
    void reload_lessons();
    void save_settings();
    std::size_t count_saved_results() const;
    void update_autosave();

    DesktopConfig config_;
    std::unique_ptr<TerminationSignals>
        end_signals_;  ///< constructed before any thread starts; null: offscreen
    BackgroundUnmapper unmaps_apart_;
    std::unique_ptr<ImGuiContext, void (*)(ImGuiContext*)> imgui_{ImGui::CreateContext(),
                                                                  ImGui::DestroyContext};
    std::unique_ptr<Canvas> canvas_;
    std::unique_ptr<lab::Client> client_;
    std::optional<Session> session_;
    std::optional<Autosave> autosave_;
    std::optional<Workspace> workspace_;
    std::optional<text_lesson::LessonWatcher> watcher_;
    std::unique_ptr<Theme> theme_;
    std::optional<ScriptPlayer> script_;
    std::optional<FrameLog> frame_log_;
    std::shared_ptr<SettingsFile> settings_file_;  ///< used by the reader's thread, then by autosave's
    FileWorker reading_settings_;
    std::optional<Settings> read_settings_;
    Clock::time_point last_save_ = Clock::now();
    Clock::time_point last_drawn_ = Clock::now();
    std::size_t saved_results_ = 0;
    int frames_to_settle_ = settling_frames;
};

Desktop::Desktop(const DesktopConfig& config, bool in_window)
    : config_(config), end_signals_(in_window ? std::make_unique<TerminationSignals>() : nullptr) {
    ImGui::GetIO().IniFilename = nullptr;  // the layout is stored in our own settings
    if (config.use_settings_file) {
        settings_file_ = std::make_shared<SettingsFile>(settings_path());
        reading_settings_.start([this, file = settings_file_](FileProgress&) -> FileWorker::Completion {
            return [this, settings = file->read()] { read_settings_ = settings; };
        });
    }
    if (!config.frame_log.empty()) frame_log_.emplace(config.frame_log);
    if (!config.ui_script.empty()) script_.emplace(config.ui_script);
    canvas_ = in_window ? open_window("Gridstride", config.width, config.height)
                        : make_offscreen(config.width, config.height);
    if (end_signals_) end_signals_->on_signal([canvas = canvas_.get()] { canvas->wake(); });
    client_ = lab::start_lab({.device = config.device,
                              .deadline_seconds = config.deadline_seconds,
                              .on_change = [canvas = canvas_.get()] { canvas->wake(); }});

    session_.emplace(*client_, config.language);
    session_->set_wake([canvas = canvas_.get()] { canvas->wake(); });
    if (config.use_settings_file) session_->set_tuned_file(tuned_file());
    workspace_.emplace(*session_);
    workspace_->assignment = config.assignment;
    workspace_->plot_maker.start_thread([canvas = canvas_.get()] { canvas->wake(); });
    workspace_->files.set_wake([canvas = canvas_.get()] { canvas->wake(); });
    workspace_->lesson_folders.set_wake([canvas = canvas_.get()] { canvas->wake(); });
    workspace_->compare.worker.wake = [canvas = canvas_.get()] { canvas->wake(); };
    workspace_->hand_in.worker.wake = [canvas = canvas_.get()] { canvas->wake(); };
    workspace_->toggle_full_screen = [canvas = canvas_.get()] { canvas->toggle_full_screen(); };
    const Clock::time_point start = Clock::now();
    const auto wait_while = [&](auto is_busy) {
        while (is_busy() && milliseconds_since(start) < max_settings_wait_ms)
            std::this_thread::sleep_for(std::chrono::milliseconds(1));
    };
    std::optional<std::string> problem;
    wait_while([&] { return reading_settings_.is_busy() && !(problem = reading_settings_.take()); });
    const Settings settings = read_settings_.value_or(Settings{});
    workspace_->lesson_folders.load(settings.lesson_folders);
    wait_while([&] { return pump_lesson_folders(); });
    apply_settings(settings);
    if (reading_settings_.is_busy()) workspace_->pending_settings = settings_path().string();
    if (problem && !problem->empty()) continue_without_settings(*problem);
    if (config.use_settings_file) {
        autosave_.emplace(*session_, sessions_folder(), [canvas = canvas_.get()] { canvas->wake(); });
        workspace_->autosave = &*autosave_;
    }
    watcher_.emplace([canvas = canvas_.get()] { canvas->wake(); });
    rebuild_theme();
    if (script_) canvas_->before_new_frame = [this] { script_->feed_input(); };
}

void Desktop::apply_settings(const Settings& settings) {
    workspace_->files.places = settings.files;
    workspace_->layout = settings.layout;
    workspace_->language = settings.language;
    workspace_->mode = config_.theme.empty()      ? settings.mode
                       : config_.theme == "light" ? Mode::light
                                                  : Mode::dark;
    workspace_->reduces_motion = settings.reduces_motion;
    workspace_->scale = config_.scale        ? static_cast<float>(*config_.scale)
                        : settings.scale > 0 ? settings.scale
                                             : canvas_->content_scale();
    session_->restore_progress(settings.story_progress);

    const bool shows_course =
        config_.assignment || (!session_->progress().last_entry() && config_.file.empty());
    workspace_->page = config_.lesson.empty() && shows_course ? Page::course : Page::lesson;
    const CourseEntry* entry =
        config_.lesson.empty() ? session_->progress().last_entry() : find_course_entry(config_.lesson);
    if (!entry) entry = &course().front();
    const LastPosition left = session_->progress().last_position(*entry);
    session_->open(*entry, config_.step ? find_step(*entry, *config_.step)
                                        : find_step_by_id(*entry, left.step).value_or(0));
    if (left.is_at_end && !config_.step) step_forward(*workspace_);
    // The lesson behind the course page does not count as begun.
    if (workspace_->page == Page::course) session_->restore_progress(settings.story_progress);
}

Settings Desktop::settings() const {
    return {.mode = workspace_->mode,
            .reduces_motion = workspace_->reduces_motion,
            .scale = workspace_->scale,
            .layout = workspace_->layout,
            .story_progress = session_->progress().story_progress(),
            .files = workspace_->files.places,
            .lesson_folders = workspace_->lesson_folders.folders(),
            .language = workspace_->language};
}

void Desktop::poll_settings() {
    if (!reading_settings_.is_busy()) return;
    if (workspace_->pending_settings.empty()) {
        reading_settings_.cancel();
        continue_without_settings({});
    } else if (const std::optional<std::string> problem = reading_settings_.take()) {
        workspace_->pending_settings.clear();
        if (!problem->empty()) return continue_without_settings(*problem);
        workspace_->lesson_folders.load(read_settings_->lesson_folders);
        apply_settings(*read_settings_);
    }
}

void Desktop::continue_without_settings(const std::string& problem) {
    settings_file_ = std::make_shared<SettingsFile>(settings_path(), settings());
    if (!problem.empty()) workspace_->show_notice(tr("Your settings are not used. ") + problem, true);
}

Desktop::~Desktop() {
    // Everything that wakes the canvas must end before it.
    if (end_signals_) end_signals_->on_signal({});
    watcher_.reset();
    if (autosave_) save_settings();
    autosave_.reset();
    client_.reset();
    set_theme(nullptr);
}

void Desktop::rebuild_theme() {
    theme_ = std::make_unique<Theme>(workspace_->mode, scale());
    set_theme(theme_.get());
    canvas_->rebuild_fonts();
    frames_to_settle_ = settling_frames;
}

bool Desktop::pump_lesson_folders() {
    text_lesson::FolderSetting& folders = workspace_->lesson_folders;
    if (!folders.pump()) return folders.is_busy();
    frames_to_settle_ = settling_frames;
    if (const text_lesson::FolderLoader* const failed = folders.first_failed())
        workspace_->show_notice(tr("Not all lessons were loaded. ") + failed->errors().front(), true);
    return folders.is_busy();
}

void Desktop::reload_lessons() {
    watcher_->start();  // for lessons that were loaded since
    for (const text_lesson::LessonChange& change : watcher_->take()) {
        frames_to_settle_ = settling_frames;  // its errors are drawn
        if (session_->lesson().id != change.id) continue;
        workspace_->forget_sources();
        if (!change.has_errors) session_->reopen();
    }
}

void Desktop::save_settings() {
    if (reading_settings_.is_busy()) return;
    last_save_ = Clock::now();
    saved_results_ = count_saved_results();
    autosave_->queue_extra_write([file = settings_file_, now = settings()] { file->write(now); });
}

/// Predictions that are pending or closed, and completed exercises. When the count changes, the settings are
/// saved at once, so that a crash loses none.
std::size_t Desktop::count_saved_results() const {
    const StoryProgress& story_progress = session_->progress().story_progress();
    return story_progress.solved_exercises.size() +
           static_cast<std::size_t>(std::ranges::count_if(story_progress.predictions, [](const auto& one) {
               return one.second.is_pending || one.second.is_closed();
           }));
}

void Desktop::update_autosave() {
    if (autosave_->update()) frames_to_settle_ = settling_frames;
    std::vector<std::string> notices = take_notices();
    const bool any = !notices.empty();
    const auto news = autosave_->take_message();
    if (news) notices.push_back(news->sentence);
    if (any || news) workspace_->show_notice(join(notices, " "), any || news->is_bad);
}

void Desktop::frame(double wait_seconds) {
    const bool waits = wait_seconds > 0;
    const Clock::time_point before = Clock::now();
    const bool has_input = canvas_->begin_frame(waits, wait_seconds);
    const Stopwatch frame;
    const bool ended_early = waits && milliseconds_since(before) < wait_seconds * 1000 - 1;
    poll_settings();
    pump_lesson_folders();
    reload_lessons();
    const bool has_changed = session_->pump();
    // During a job, reports and the window system's answers to a frame wake the window too. They are drawn
    // with the job's progress line.
    const bool is_progress = !has_input && session_->has_active_jobs();
    if ((ended_early || has_changed) && !is_progress) frames_to_settle_ = settling_frames;
    if (autosave_) update_autosave();
    if (workspace_->refresh_plots()) frames_to_settle_ = settling_frames;
    begin_widgets();
    open_dropped_file(*workspace_, std::exchange(canvas_->dropped_files, {}));
    perform_key_actions(*workspace_);
    draw_desktop(*workspace_, canvas_->size());
    ImGui::Render();
    const ElapsedTime build = frame.spent();
    const bool is_due = !waits || frames_to_settle_ > 0 || !session_->has_active_jobs() ||
                        milliseconds_since(last_drawn_) >= animation_frame_pause() * 1000;
    const FrameTimes times = is_due ? canvas_->end_frame() : FrameTimes();
    if (is_due) last_drawn_ = Clock::now();
    continue_picture(workspace_->plot_save_dialog, *canvas_);
    const double frame_ms = frame.spent().wall_ms;
    if (times.present_ms > 0) set_frame_cost(frame_ms / 1000);
    if (frame_log_) frame_log_->add(build, times, frame_ms);
    if (frames_to_settle_ > 0) --frames_to_settle_;
    if (theme_->mode() != workspace_->mode || theme_->scale() != scale()) rebuild_theme();
    theme_->set_reduces_motion(workspace_->reduces_motion);
}

double Desktop::seconds_until_redraw() const {
    if (frames_to_settle_ > 0) return 0;
    double within = std::min({max_idle_seconds, widgets_redraw_delay(), session_->seconds_until_compile()});
    if (autosave_) within = std::min(within, autosave_->seconds_until_due());
    // Fewer frames leave the CPU to the run, which needs it on a software driver.
    if (session_->has_active_jobs()) within = std::min(within, animation_frame_pause());
    if (session_->sweeps().state() == SweepState::running)
        within = std::min(within, seconds_per_frame_in_sweep);
    if (script_ && !script_->is_finished()) within = std::min(within, script_->seconds_until_due());
    return within;
}

nlohmann::json Desktop::state() const {
    const Session& session = *session_;
    nlohmann::json state = {
        {"page", workspace_->page == Page::course ? "course" : "lesson"},
        {"mode", workspace_->layout.arrangement == Arrangement::bench ? "bench" : "learn"},
        {"presenting", workspace_->is_presenting},
        {"asks_first", session.has_open_question()},
        {"lesson", session.entry().id},
        {"step", session.step() + 1},
        {"steps", session.story().steps.size()},
        {"at_end", is_on_last_page(*workspace_)},
        {"variant", session.bench().variant()},
        {"runs", session.runs().all().size()},
        {"in_flight", session.has_active_jobs()},
        {"valid", session.bench().is_valid()},
        {"stale", session.is_stale()},
        {"kernel", session.kernel_edit() ? "edited" : "own"},
        {"errors", session.kernel_edit() ? session.kernel_edit()->errors() : 0},
        {"status", nullptr},
        {"device_losses", canvas_->losses()},
        {"notice", workspace_->notice}};
    const std::shared_ptr<const AnalyzedTrace> trace = session.traces().newest();
    state["recording"] = session.is_tracing()      ? "running"
                         : !trace                  ? "none"
                         : !trace->problem.empty() ? "failed"
                         : session.is_trace_old()  ? "old"
                                                   : "done";
    constexpr const char* sweep_states[] = {"none", "running", "stopped", "done"};
    const SweepProgress sweep =
        session.sweeps().newest() ? session.sweeps().newest()->sweep_progress() : SweepProgress{};
    state["sweep"] = sweep_states[static_cast<std::size_t>(session.sweeps().state())];
    state["sweep_done"] = sweep.done;
    state["sweep_cells"] = sweep.cells;
    for (const Parameter& parameter : session.lesson().parameters)
        state["values"][parameter.id] = format(parameter, session.bench().values().at(parameter.id));
    std::string remarks;
    for (const Remark& remark : session.bench().remarks())
        remarks += remark.text + "\n";
    state["remarks"] = remarks;
    if (const Report* report = session.report()) {
        state["status"] = name(report->status);
        state["message"] = report->message;
        for (const Fact& fact : report->result) {
            if (const auto* count = std::get_if<std::uint64_t>(&fact.value))
                state["result"][fact.id] = *count;
            if (const auto* real = std::get_if<double>(&fact.value)) state["result"][fact.id] = *real;
        }
    }
    for (const WidgetRect& widget : widget_map())
        if (!widget.value.empty()) state["widgets"][widget.id] = widget.value;
    state["predictions_decided"] =
        std::ranges::count_if(session.progress().story_progress().predictions,
                              [](const auto& one) { return one.second.outcome.has_value(); });
    return state;
}

bool Desktop::run() {
    const ScriptHost host{
        [this] {
            return !session_->has_active_jobs() && !workspace_->has_pending_plots() &&
                   session_->sweeps().state() != SweepState::running && !client_->is_busy() &&
                   !workspace_->compare.reading() && !workspace_->files.is_busy() &&
                   !workspace_->lesson_folders.is_busy() && !workspace_->folder_question.is_busy() &&
                   !session_->tuned_launches().is_writing() && !(autosave_ && autosave_->is_restoring()) &&
                   session_->device() != nullptr && std::isinf(session_->seconds_until_compile());
        },
        [this] { return state(); },
        [this](const std::string& path) { save_picture(path); },
        [this](Loss what) { canvas_->simulate_loss(what); },
        [this](const std::string& path) { canvas_->dropped_files.push_back(path); },
        [this](std::uint32_t samples) { session_->set_samples(samples); }};
    if (!config_.file.empty()) canvas_->dropped_files.push_back(config_.file);
    while (!canvas_->is_close_requested() && !(end_signals_ && end_signals_->was_received())) {
        frame(seconds_until_redraw());
        if (script_) {
            script_->after_frame(host);
            if (script_->is_finished()) break;
        }
        const bool is_new = count_saved_results() != saved_results_;
        if (autosave_ && (is_new || milliseconds_since(last_save_) > 2000)) save_settings();
    }
    if (!config_.ui_map.empty()) write_file(config_.ui_map, widget_map_json());
    if (!script_ || script_->failure().empty()) return true;
    fmt::print(stderr, "gridstride: the script stopped: {}\n", escape_controls(script_->failure()));
    return false;
}

void Desktop::run_until_idle(double timeout_seconds) {
    const Clock::time_point start = Clock::now();
    const auto busy = [this] {
        if (!session_->device_problem().empty()) return false;
        return session_->device() == nullptr || session_->has_active_jobs() || client_->is_busy() ||
               workspace_->has_pending_plots();
    };
    bool run_requested = false;
    while ((busy() || !run_requested) && milliseconds_since(start) < timeout_seconds * 1000) {
        frame(animation_frame_pause());
        // A screenshot shows results, unless the story has an open question.
        if (!run_requested && session_->device() && !session_->has_active_jobs() && !session_->report() &&
            session_->can_run())
            session_->run();
        run_requested = session_->device() != nullptr || !session_->device_problem().empty();
    }
    for (int i = 0; i < settling_frames; ++i)
        frame(0);
    if (!session_->device_problem().empty()) throw NoDevice(session_->device_problem());
}

}  // namespace

bool run_desktop(const DesktopConfig& config) {
    Desktop desktop(config, true);
    return desktop.run();
}

bool save_screenshot(const DesktopConfig& config, const std::string& output) {
    Desktop desktop(config, false);
    desktop.run_until_idle(60);
    const bool passed = config.ui_script.empty() || desktop.run();
    desktop.save_picture(output);
    return passed;
}

}  // namespace gridstride::ui
