#include "ui/panels/desktop.h"

#include <fmt/format.h>

#include <chrono>
#include <cmath>
#include <cstdio>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>

#include "base/elapsed.h"
#include "base/error.h"
#include "base/file.h"
#include "base/log.h"
#include "base/unmaps_apart.h"
#include "ui/drive/frame_log.h"
#include "ui/drive/script.h"
#include "ui/panels/desktop_layout.h"
#include "ui/panels/panels.h"
#include "ui/panels/settings.h"
#include "ui/widgets/imgui_compat.h"
#include "ui/widgets/theme.h"
#include "ui/widgets/widgets.h"
#include "ui/window/canvas.h"

namespace gridstride::ui {

namespace {

using Clock = std::chrono::steady_clock;

/// While a run is in the air the window is drawn at this pace: the processor has better things to do.
constexpr double seconds_per_frame_in_flight = 1.0 / 30;
/// While a sweep runs its reports wake the window; drawing more often would take time from what it measures.
constexpr double seconds_per_frame_in_sweep = 0.2;
constexpr double seconds_idle = 3600;
/// After input, ImGui needs some frames until everything stands where it belongs.
constexpr int settling_frames = 3;

/// ImGui's context lives as long as the desktop.
struct ImGuiContextOwner {
    ImGuiContextOwner() {
        ImGui::CreateContext();
        ImGui::GetIO().IniFilename = nullptr;  // the layout is in our own settings
    }
    ~ImGuiContextOwner() { ImGui::DestroyContext(); }
    ImGuiContextOwner(const ImGuiContextOwner&) = delete;
    ImGuiContextOwner& operator=(const ImGuiContextOwner&) = delete;
};

class Desktop {
 public:
    Desktop(const DesktopConfig& config, bool in_window);
    ~Desktop();

    /// Until the window is closed or the script has ended.
    void run();
    /// Until the lab has nothing more to say.
    void settle(double patience_seconds);
    void save_picture(const std::string& path) { save_png(canvas_->read_pixels(), path); }
    bool script_held() const { return !script_ || script_->failure().empty(); }
    const std::string& script_failure() const { return script_->failure(); }

 private:
    void frame(bool wait, double timeout_seconds);
    void handle_keys();
    void rebuild_theme();
    nlohmann::json state() const;
    double redraw_within() const;
    void remember();
    void write_ui_map();

    DesktopConfig config_;
    UnmapsApart unmaps_apart_;
    ImGuiContextOwner imgui_;
    std::unique_ptr<Canvas> canvas_;
    std::unique_ptr<lab::Client> client_;
    std::optional<Session> session_;
    std::optional<Workspace> workspace_;
    std::unique_ptr<Theme> theme_;
    std::optional<ScriptPlayer> script_;
    std::optional<FrameLog> frame_log_;
    std::string remembered_;
    Clock::time_point last_remembered_ = Clock::now();
    int frames_to_settle_ = settling_frames;
};

Desktop::Desktop(const DesktopConfig& config, bool in_window) : config_(config) {
    if (!config.frame_log.empty()) frame_log_.emplace(config.frame_log);
    if (!config.ui_script.empty()) script_.emplace(config.ui_script);
    canvas_ = in_window ? open_window("Gridstride", config.width, config.height)
                        : make_offscreen(config.width, config.height);
    client_ = lab::start_lab({.device = config.device,
                              .deadline_seconds = config.deadline_seconds,
                              .on_change = [canvas = canvas_.get()] { canvas->wake(); }});

    const Settings settings = config.remembers ? load_settings(settings_file()) : Settings{};
    session_.emplace(*client_, config.language);
    workspace_.emplace(*session_);
    workspace_->plot_maker.start_thread([canvas = canvas_.get()] { canvas->wake(); });
    workspace_->layout = settings.layout;
    workspace_->mode = config.theme.empty()      ? settings.mode
                       : config.theme == "light" ? Mode::light
                                                 : Mode::dark;
    workspace_->scale = config.scale         ? static_cast<float>(*config.scale)
                        : settings.scale > 0 ? settings.scale
                                             : canvas_->content_scale();
    for (const auto& [key, prediction] : settings.predictions)
        session_->restore_prediction(key, prediction);

    const Lesson* lesson = find_lesson(config.lesson.empty() ? settings.lesson : config.lesson);
    if (!lesson) lesson = all_lessons().front();
    std::size_t step = config.step ? *config.step - 1 : lesson->id == settings.lesson ? settings.step : 0;
    session_->open(*lesson, step);
    if (config.step && session_->story_problem().empty() && *config.step > session_->story().steps.size())
        throw Refusal(fmt::format("--step {} is past the end: the story of {} has {} steps.", *config.step,
                                  lesson->id, session_->story().steps.size()));
    rebuild_theme();
    if (script_) canvas_->before_new_frame = [this] { script_->feed_input(); };
}

Desktop::~Desktop() {
    // The lab's thread wakes the canvas: it must end first.
    if (config_.remembers) remember();
    client_.reset();
    set_theme(nullptr);
}

void Desktop::rebuild_theme() {
    theme_ = std::make_unique<Theme>(workspace_->mode, workspace_->scale);
    set_theme(theme_.get());
    canvas_->rebuild_fonts();
    frames_to_settle_ = settling_frames;
}

void Desktop::remember() {
    Settings settings;
    settings.mode = workspace_->mode;
    settings.scale = workspace_->scale;
    settings.language = config_.language;
    settings.lesson = session_->lesson().id;
    settings.step = session_->step();
    settings.layout = workspace_->layout;
    settings.predictions = session_->predictions();
    std::string text = format_settings(settings);
    last_remembered_ = Clock::now();
    if (text == remembered_) return;
    try {
        std::filesystem::create_directories(settings_file().parent_path());
        write_file(settings_file(), text);
        remembered_ = std::move(text);
    } catch (const std::exception& error) {
        spdlog::debug("the settings were not written: {}", error.what());
    }
}

void Desktop::handle_keys() {
    Session& session = *session_;
    Workspace& workspace = *workspace_;
    if (workspace.show_keys || workspace.show_export || workspace.show_open || workspace.compare.open ||
        workspace.plot_saving.open() || workspace.kernel_dialog != KernelDialog::none)
        return;
    constexpr Modifiers ctrl{.ctrl = true};
    if (key_pressed_with(Key::f5, {}) || key_pressed_with(Key::enter, ctrl)) {
        if (const auto block = session.prediction_to_decide())
            session.decide_prediction(*block);
        else
            session.run();
    }
    if (key_pressed_with(Key::escape, {}) && !key_taken(Key::escape)) {
        // What was asked for last ends first.
        if (session.in_flight())
            session.stop();
        else
            session.stop_sweep();
    }
    const bool next = (key_pressed_with(Key::right, {}) && !key_taken(Key::right)) ||
                      (key_pressed_with(Key::page_down, {}) && !key_taken(Key::page_down));
    const bool back = (key_pressed_with(Key::left, {}) && !key_taken(Key::left)) ||
                      (key_pressed_with(Key::page_up, {}) && !key_taken(Key::page_up));
    if (next && session.step() + 1 < session.story().steps.size()) session.go_to_step(session.step() + 1);
    if (back && session.step() > 0) session.go_to_step(session.step() - 1);
    if (key_pressed_with(Key::s, ctrl)) {
        if (workspace.kernel_has_keyboard)
            open_kernel_dialog(workspace, KernelDialog::save);
        else
            open_export(workspace);
    }
    if (key_pressed_with(Key::p, ctrl) && session.selected()) session.pin(session.selected()->number);
    if (key_pressed_with(Key::f1, {})) workspace.show_keys = true;
    if (key_pressed_with(Key::f11, {})) canvas_->toggle_full_screen();
    if (key_pressed_with(Key::plus, ctrl)) workspace.scale = std::min(3.0F, workspace.scale + 0.25F);
    if (key_pressed_with(Key::minus, ctrl)) workspace.scale = std::max(0.5F, workspace.scale - 0.25F);
    if (key_pressed_with(Key::digit_0, ctrl)) workspace.scale = 1;
}

void Desktop::frame(bool wait, double timeout_seconds) {
    const Clock::time_point before = Clock::now();
    canvas_->begin_frame(wait, timeout_seconds);
    const Clock::time_point start = Clock::now();
    // Something ended the wait before its time: input, or a report.
    if (wait && milliseconds_since(before) < timeout_seconds * 1000 - 1) frames_to_settle_ = settling_frames;
    if (session_->pump()) frames_to_settle_ = settling_frames;
    if (workspace_->refresh_plots()) frames_to_settle_ = settling_frames;
    begin_widgets();
    handle_keys();
    draw_desktop(*workspace_, canvas_->size());
    ImGui::Render();
    const double build_ms = milliseconds_since(start);
    const FrameTimes times = canvas_->end_frame();
    if (workspace_->plot_saving.wants_pixels()) take_pixels(workspace_->plot_saving, canvas_->read_pixels());
    if (frame_log_) frame_log_->add(build_ms, times, milliseconds_since(start));
    if (frames_to_settle_ > 0) --frames_to_settle_;
    if (theme_->mode() != workspace_->mode || theme_->scale() != workspace_->scale) rebuild_theme();
}

double Desktop::redraw_within() const {
    double within = std::min(seconds_idle, widgets_redraw_within());
    if (session_->in_flight()) within = std::min(within, seconds_per_frame_in_flight);
    if (session_->sweep_state() == SweepState::running) within = std::min(within, seconds_per_frame_in_sweep);
    within = std::min(within, session_->seconds_until_compile());
    if (frames_to_settle_ > 0) within = 0;
    if (script_ && !script_->finished()) within = std::min(within, script_->seconds_until_due());
    return within;
}

nlohmann::json Desktop::state() const {
    const Session& session = *session_;
    nlohmann::json state = {{"lesson", session.lesson().id},
                            {"step", session.step() + 1},
                            {"steps", session.story().steps.size()},
                            {"variant", session.variant()},
                            {"runs", session.history().size()},
                            {"in_flight", session.in_flight()},
                            {"valid", session.valid()},
                            {"stale", session.stale()},
                            {"kernel", session.kernel_edit() ? "edited" : "own"},
                            {"errors", session.kernel_edit() ? session.kernel_edit()->errors() : 0},
                            {"status", nullptr},
                            {"device_losses", canvas_->losses()},
                            {"notice", workspace_->notice}};
    constexpr const char* sweep_states[] = {"none", "running", "stopped", "done"};
    const SweepProgress sweep = session.sweep() ? session.sweep()->progress() : SweepProgress{};
    state["sweep"] = sweep_states[static_cast<std::size_t>(session.sweep_state())];
    state["sweep_done"] = sweep.done;
    state["sweep_cells"] = sweep.cells;
    for (const Parameter& parameter : session.lesson().parameters)
        state["values"][parameter.id] = format(parameter, session.values().at(parameter.id));
    std::string remarks;
    for (const Remark& remark : session.remarks())
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
    std::size_t decided = 0;
    for (const auto& [key, prediction] : session.predictions())
        decided += prediction.outcome ? 1 : 0;
    state["predictions_decided"] = decided;
    return state;
}

void Desktop::write_ui_map() {
    write_file(config_.ui_map, widget_map_json());
}

void Desktop::run() {
    const ScriptHost host{[this] {
                              return !session_->in_flight() && !workspace_->plots_are_due() &&
                                     session_->sweep_state() != SweepState::running && !client_->busy() &&
                                     !workspace_->compare.reading() && session_->device() != nullptr &&
                                     std::isinf(session_->seconds_until_compile());
                          },
                          [this] { return state(); }, [this](const std::string& path) { save_picture(path); },
                          [this](Loss what) { canvas_->pretend_lost(what); }};
    while (!canvas_->close_requested()) {
        const double within = redraw_within();
        frame(within > 0, within);
        if (script_) {
            script_->after_frame(host);
            if (script_->finished()) break;
        }
        if (config_.remembers && milliseconds_since(last_remembered_) > 2000) remember();
    }
    if (!config_.ui_map.empty()) write_ui_map();
}

void Desktop::settle(double patience_seconds) {
    const Clock::time_point start = Clock::now();
    const auto busy = [this] {
        if (!session_->no_device().empty()) return false;
        return session_->device() == nullptr || session_->in_flight() || client_->busy() ||
               workspace_->plots_are_due();
    };
    bool asked = false;
    while ((busy() || !asked) && milliseconds_since(start) < patience_seconds * 1000) {
        frame(true, seconds_per_frame_in_flight);
        // A picture of the window is a picture of results, also where the story would ask first.
        if (!asked && session_->device() && !session_->in_flight() && !session_->report()) session_->run();
        asked = session_->device() != nullptr || !session_->no_device().empty();
    }
    for (int i = 0; i < settling_frames; ++i)
        frame(false, 0);
    if (!session_->no_device().empty()) throw NoDevice(session_->no_device());
}

bool say_failure(const Desktop& desktop) {
    if (desktop.script_held()) return true;
    fmt::print(stderr, "gridstride: the script stopped: {}\n", desktop.script_failure());
    return false;
}

}  // namespace

bool run_desktop(const DesktopConfig& config) {
    Desktop desktop(config, true);
    desktop.run();
    return say_failure(desktop);
}

bool save_screenshot(const DesktopConfig& config, const std::string& output) {
    Desktop desktop(config, false);
    desktop.settle(60);
    if (!config.ui_script.empty()) desktop.run();
    desktop.save_picture(output);
    return say_failure(desktop);
}

}  // namespace gridstride::ui
