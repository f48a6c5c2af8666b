#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <numeric>

#include "base/text.h"
#include "base/units.h"
#include "present/verdict_text.h"
#include "ui/panels/panels.h"
#include "ui/widgets/imgui_compat.h"
#include "ui/widgets/widget_item.h"

namespace gridstride::ui {

namespace {

constexpr float min_editor_height = 120;
constexpr float min_editor_height_with_messages = 76;  // three lines
constexpr float max_list_height_fraction = 0.35F;
constexpr std::string_view declarations_tab = "declarations";  // see KernelView::declarations

std::string describe_text_origin(const Session& session) {
    const KernelEdit* const edit = session.kernel_edit();
    if (!edit)
        return find_exercise(session.lesson(), session.bench().variant()) ? tr("the starter")
                                                                          : tr("the lesson's own");
    if (edit->file.path.empty()) return tr("yours, edited");
    const bool changed = edit->source.text != edit->file.saved.text;
    return tr("yours, {} {}", changed ? tr("changes not saved to") : tr("saved in"), edit->file.path);
}

/// Returns "line 12", or the include's file and line; empty if the compiler names no line.
std::string diagnostic_location(const KernelEdit& edit, const Diagnostic& diagnostic) {
    if (diagnostic.line == 0) return {};
    if (edit.is_in_editor(diagnostic)) return tr("line {}", diagnostic.line);
    return tr("{} line {}", diagnostic.file, diagnostic.line);
}

/// Adds the shipped files that `text` includes, recursively, in the order of their #include lines. `folder`:
/// the folder of the text, below shaders/.
void add_includes(Workspace& workspace, std::string_view text, const std::filesystem::path& folder,
                  std::vector<std::string>& files) {
    for (std::string_view line : split(text, '\n')) {
        line = trim(line);
        constexpr std::string_view word = "#include";
        const std::size_t open = line.find_first_of("\"<"), close = line.find_last_of("\">");
        if (!line.starts_with(word) || open == std::string_view::npos || close <= open) continue;
        const std::string_view name = line.substr(open + 1, close - open - 1);
        // Same search order as the compiler: beside the including file, then below shaders/.
        for (const std::string& file : {(folder / name).generic_string(), std::string(name)}) {
            const std::string& source = workspace.shader_source(file);
            if (source.empty()) continue;
            if (std::ranges::find(files, file) != files.end()) break;
            files.push_back(file);
            add_includes(workspace, source, std::filesystem::path(file).parent_path(), files);
            break;
        }
    }
}

/// Marks the lines of compiler diagnostics and the lines where an exercise's requirement fails.
CodeMarks get_code_marks(const Session& session) {
    CodeMarks marks;
    const ExerciseJob* const exercise = session.exercise();
    if (exercise && !session.is_exercise_old() && exercise->experiment().variant == session.bench().variant())
        for (const RequirementResult& requirement_result : exercise->requirement_results())
            for (const trace::SourceLine& line : requirement_result.judgement.lines)
                if (line.file.empty()) marks[line.line - 1] = DiagnosticLevel::error;
    const KernelEdit* const edit = session.kernel_edit();
    if (!edit) return marks;
    for (const Diagnostic& diagnostic : edit->diagnostics) {
        if (!edit->is_in_editor(diagnostic)) continue;
        DiagnosticLevel& worst = marks[diagnostic.line - 1];
        worst = std::max(worst, diagnostic.level);
    }
    return marks;
}

void draw_title(Workspace& workspace, KernelView& view) {
    const Theme& t = theme();
    Session& session = workspace.session;
    const KernelEdit* edit = session.kernel_edit();
    const ButtonOptions small{.is_small = true};
    float width = 0;
    for (const char* label : {tr("Open …"), tr("Save …"), tr("Revert")})
        width += button_size(label, small).x + t.px(8);
    const float height = button_size(tr("Save …"), small).y;
    const glm::vec2 start = ImGui::GetCursorScreenPos();
    const float room = ImGui::GetContentRegionAvail().x;

    const std::string whole_name = edit ? edit->source.name : session.lesson_kernel_name();
    std::string origin = "— " + describe_text_origin(session);
    std::vector<Tab> files = {{"0", whole_name}};
    for (const std::string& file : view.includes)
        files.push_back({std::to_string(files.size()),
                         file == declarations_tab ? tr("declarations") : file.substr(file.rfind('/') + 1)});
    const bool has_tabs = files.size() > 1;
    const glm::vec2 names = has_tabs ? tabs_size(files, room)
                                     : glm::vec2(text_size(TextStyle::body_strong, whole_name).x, height);
    const float name_width = names.x;
    const bool one_row = name_width + text_size(TextStyle::body, tr(" — the lesson's own")).x + width < room;
    const float text_room = one_row ? room - width : room;
    const float y = start.y + (height - t.line_height(TextStyle::body)) / 2;
    ImDrawList* list = ImGui::GetWindowDrawList();
    float used_width = name_width + t.px(8);
    if (has_tabs) {
        const auto include = std::ranges::find(view.includes, workspace.shown_include);
        std::size_t file = include == view.includes.end() ? 0 : 1 + (include - view.includes.begin());
        if (file > 0) origin.clear();
        if (tabs("kernel.file", files, &file))
            workspace.shown_include = file == 0 ? "" : view.includes[file - 1];
    } else {
        const std::string name = elide(TextStyle::body_strong, whole_name, text_room);
        draw_text(list, TextStyle::body_strong, {start.x, y}, t.palette().text, name);
        used_width = text_size(TextStyle::body_strong, name + " ").x;
    }
    // If the tabs wrap, the buttons go beside the last row of tabs if they fit, else on a separate row;
    // then whose kernel it is comes behind them.
    const float row_below = std::max(height, names.y) + t.px(4);
    const bool wraps = has_tabs && names.y > 1.5F * height;
    const bool beside_last = wraps && tabs_end(files, room).x + width < room;
    const bool is_below =
        !one_row && has_tabs && (wraps || used_width + text_size(TextStyle::body, origin).x > room);
    const glm::vec2 place =
        is_below ? glm::vec2(start.x + width, y + row_below) : glm::vec2(start.x + used_width, y);
    if (!beside_last)
        draw_text(list, TextStyle::body, place, t.text_color(edit ? ColorRole::kernel : ColorRole::quiet),
                  elide(TextStyle::body, origin, std::max(0.0F, start.x + text_room - place.x)));
    register_place("kernel.title", {start, {start.x + text_room, start.y + height}},
                   whole_name + " " + origin);

    const float right = start.x + room - width + t.px(8);
    set_cursor(one_row       ? glm::vec2(right, start.y)
               : beside_last ? glm::vec2(right, start.y + names.y - height)
                             : glm::vec2(start.x, start.y + row_below));
    const std::string_view noun = session.lesson().user_source().noun;
    ButtonRows buttons(room, t.px(4));
    if (buttons.add("kernel.open", tr("Open …"),
                    {.is_small = true, .tooltip = tr("Open your own file in place of this {}", noun)}))
        open_kernel_dialog(workspace, Dialog::open_kernel);
    if (buttons.add("kernel.save", tr("Save …"),
                    {.is_small = true, .tooltip = tr("Write this text to a file: Ctrl+S in the editor")}))
        open_kernel_dialog(workspace, Dialog::save_kernel);
    if (buttons.add("kernel.revert", tr("Revert"),
                    {.is_enabled = edit != nullptr,
                     .is_small = true,
                     .tooltip = tr("Back to the lesson's own {}. Ctrl+Z restores yours.", noun)})) {
        session.revert_kernel();
        view.editor.request_focus();
    }
}

class MessageList {
 public:
    MessageList(const KernelEdit& edit, float width) : edit_(edit), width_(width) {
        const Theme& t = theme();
        for (const Diagnostic& one : edit.diagnostics)
            location_width_ = std::max(
                location_width_, text_size(TextStyle::mono, diagnostic_location(edit, one)).x + t.px(16));
        location_width_ = std::min(location_width_, width / 2);
        text_left_ = t.px(28) + location_width_;
        wrap_ = std::max(t.px(48), width - text_left_);
        for (const Diagnostic& one : edit.diagnostics) {
            const glm::vec2 size = font_->CalcTextSizeA(font_size(*font_), FLT_MAX, wrap_, one.text.data(),
                                                        one.text.data() + one.text.size());
            heights_.push_back(std::ceil(std::max(t.line_height(TextStyle::mono), size.y)) + t.px(6));
        }
    }
    float height() const {
        return std::accumulate(heights_.begin(), heights_.end(),
                               theme().line_height(TextStyle::note) + theme().px(8));
    }
    /// The height at which the whole first message is visible.
    float min_height() const {
        return height() - std::accumulate(heights_.begin() + 1, heights_.end(), 0.0F);
    }
    const Diagnostic* draw() const {
        const std::size_t errors = edit_.errors();
        const std::size_t warnings = edit_.diagnostics.size() - errors;
        std::string counts = errors > 0 ? counted(errors, "error", "errors") : "";
        if (warnings > 0)
            counts += (errors > 0 ? tr(" and ") : "") + counted(warnings, "warning", "warnings");
        const bool lead =
            std::ranges::any_of(edit_.diagnostics, [](const auto& one) { return one.line > 0; });
        const std::string_view hint = !lead                           ? "."
                                      : edit_.diagnostics.size() == 1 ? tr(". Click it to go to its line.")
                                                                      : tr(". Click one to go to its line.");
        text(TextStyle::note, theme().palette().quiet, counts + std::string(hint));
        gap(4);
        const Diagnostic* clicked = nullptr;
        for (std::size_t i = 0; i < edit_.diagnostics.size(); ++i)
            if (draw_row(i)) clicked = &edit_.diagnostics[i];
        return clicked;
    }

 private:
    bool draw_row(std::size_t index) const {
        const Theme& t = theme();
        const Diagnostic& one = edit_.diagnostics[index];
        const glm::vec2 min = ImGui::GetCursorScreenPos();
        const Rect row{min, {min.x + width_, min.y + heights_[index]}};
        const std::string id = fmt::format("kernel.message.{}", index);
        advance_cursor(row.size());
        const Item item = interact(id, {"row", one.text}, row);
        ImDrawList* list = ImGui::GetWindowDrawList();
        if (item.is_hovered) list->AddRectFilled(row.min, row.max, t.palette().raised, t.px(4));
        if (item.is_focused) draw_focus_ring(row, t.px(4));
        const bool error = one.level == DiagnosticLevel::error;
        const ImU32 color_role = t.text_color(error ? ColorRole::wrong : ColorRole::caution);
        const float y = min.y + t.px(3);
        draw_text(list, TextStyle::mono, {min.x + t.px(4), y}, color_role, error ? "✗" : "!");
        draw_text(list, TextStyle::mono, {min.x + t.px(20), y}, color_role,
                  elide(TextStyle::mono, diagnostic_location(edit_, one), location_width_));
        const float down = (t.line_height(TextStyle::mono) - font_size(*font_)) / 2;
        draw_glyphs(list, font_, {min.x + text_left_, std::round(y + down)}, t.palette().text, one.text,
                    wrap_);
        return item.was_clicked;
    }

    const KernelEdit& edit_;
    float width_;
    ImFont* font_ = theme().font(TextStyle::mono);
    float location_width_ = 0, text_left_ = 0, wrap_ = 0;
    std::vector<float> heights_;
};

KernelFile get_kernel_file(const KernelEdit* edit) {
    return edit ? edit->file : KernelFile();
}

/// Returns the editor for the variant on the bench, updated with the session's text.
KernelView& get_kernel_view(Workspace& workspace) {
    const Session& session = workspace.session;
    const std::string& kernel_text = workspace.kernel_text();
    const std::string key = session.lesson().id + "/" + session.bench().variant();
    KernelView& view =
        workspace.kernel_views.try_emplace(key, KernelView{CodeEditor(kernel_text)}).first->second;
    CodeText& text = view.editor.text();
    if (text.text() != kernel_text) text.replace_all(kernel_text);
    if (std::exchange(view.session_revision, session.revision()) != session.revision())
        view.files[text.document()] = get_kernel_file(session.kernel_edit());
    const bool has_new_text = std::exchange(view.revision, text.revision()) != text.revision();
    std::string declarations = workspace.kernel_declarations();
    if (has_new_text || declarations != view.declarations) {
        const Variant& variant = *find_variant(session.lesson(), session.bench().variant());
        view.declarations = std::move(declarations);
        view.includes.clear();
        if (!view.declarations.empty()) view.includes.emplace_back(declarations_tab);
        add_includes(workspace, view.declarations, {}, view.includes);
        add_includes(workspace, text.text(), std::filesystem::path(variant.kernel).parent_path(),
                     view.includes);
    }
    return view;
}

CodeEditor& get_include_editor(Workspace& workspace, const KernelView& kernel, const std::string& file) {
    const std::string& source =
        file == declarations_tab ? kernel.declarations : workspace.shader_source(file);
    CodeEditor& editor =
        workspace.kernel_views.try_emplace(file, KernelView{CodeEditor(source, true)}).first->second.editor;
    if (editor.text().text() != source) editor.text().replace_all(source);
    return editor;
}

void draw_include(Workspace& workspace, const KernelView& kernel) {
    const std::string& file = workspace.shown_include;
    named_text(
        "kernel.status", TextStyle::note, theme().palette().quiet,
        file == declarations_tab
            ? tr("Generated from the names in the kernel, and compiled before its first line. Read-only.")
            : tr("{} is part of the lesson and read-only.", file));
    gap(8);
    CodeEditor& editor = get_include_editor(workspace, kernel, file);
    editor.draw("kernel.include", ImGui::GetContentRegionAvail(), {});
    workspace.kernel_has_keyboard = editor.is_focused();
}

void draw_messages(Workspace& workspace, const KernelEdit& edit, KernelView& view, float height) {
    const Theme& t = theme();
    gap(8);
    ImGui::BeginChild("kernel.messages", {0, height}, false, ImGuiWindowFlags_NoNav);
    const MessageList messages(edit, ImGui::GetContentRegionAvail().x - t.px(4));
    const Diagnostic* clicked = messages.draw();
    if (clicked && edit.is_in_editor(*clicked)) {
        view.editor.go_to_line(clicked->line - 1);
    } else if (clicked && std::ranges::find(view.includes, clicked->file) != view.includes.end()) {
        workspace.shown_include = clicked->file;
        get_include_editor(workspace, view, clicked->file).go_to_line(std::max(1U, clicked->line) - 1);
    }
    ImGui::EndChild();
}

}  // namespace

VerdictText kernel_status(const Session& session) {
    const auto say = [](ColorRole color_role, std::string_view words) {
        return VerdictText{with_mark(color_role, words), color_role};
    };
    const KernelEdit* edit = session.kernel_edit();
    const UserSource& text = session.lesson().user_source();
    const std::string_view noun = text.noun, participle = text.attempt_participle;
    if (!edit)
        return say(ColorRole::quiet, tr("Edit this {} to make it yours. It is {} when you pause, or at "
                                        "once if you press F5. Escape leaves the editor.",
                                        noun, participle));
    const std::string title = edit->last_good ? tr("your last {} that {}", noun, text.success_past)
                                              : tr("the lesson's own {}", noun);
    if (edit->state == KernelState::good) {
        // A kernel that compiles may still be wrong, so the verdict of its newest run comes first.
        const Report* const report = session.report();
        if (report && !session.is_stale() && !session.hides_results() &&
            report->experiment.kernel == edit->source && report_color(*report) == ColorRole::wrong)
            return say(ColorRole::wrong,
                       tr("It {}. Its verdict: {}.", text.success_verb, verdict_without_mark(*report)));
        const std::size_t warnings = edit->diagnostics.size() - edit->errors();
        return say(ColorRole::right,
                   warnings > 0
                       ? tr("It {}, with {}.", text.success_verb, counted(warnings, "warning", "warnings"))
                       : tr("It {}. Runs of this variant use your {}.", text.success_verb, noun));
    }
    if (edit->state == KernelState::bad) {
        const Diagnostic* error = edit->first_error();
        std::string place = error ? diagnostic_location(*edit, *error) : "";
        // The text compiles, but the kernel does not fit these bindings, these values or this device.
        if (place.empty())
            return say(ColorRole::wrong, tr("It cannot be run; the results are those of {}.", title));
        if (edit->is_in_editor(*error)) place.front() = 'L';
        return say(ColorRole::wrong,
                   tr("{} {}; the results are those of {}.", place, text.failure_verb, title));
    }
    if (session.is_compiling())
        return say(ColorRole::quiet, tr("{} for the first time …", text.attempt_phrase));
    if (!session.device()) return say(ColorRole::quiet, tr("It is {} once the device is open.", participle));
    if (!session.bench().can_compile())
        return say(ColorRole::caution,
                   tr("The values on the bench cannot be run. It is {} once they can.", participle));
    if (edit->due)
        return say(ColorRole::quiet, tr("Not {} yet; the results are those of {}.", participle,
                                        edit->last_good ? tr("your last {} that was", noun) : title));
    return say(ColorRole::caution,
               tr("Stopped before its first result, so it is not known to work. Press F5 to run it again."));
}

void draw_kernel_status(std::string_view id, const Session& session) {
    const VerdictText status = kernel_status(session);
    named_text(id, TextStyle::note, theme().text_color(status.color_role), status.text);
}

void draw_kernel_panel(Workspace& workspace) {
    const Theme& t = theme();
    Session& session = workspace.session;
    const Variant* variant = find_variant(session.lesson(), session.bench().variant());
    if (!variant) return;
    const std::string& lesson_text = workspace.lesson_kernel_text();
    KernelView& view = get_kernel_view(workspace);
    draw_title(workspace, view);
    gap(4);
    if (std::ranges::find(view.includes, workspace.shown_include) != view.includes.end())
        return draw_include(workspace, view);
    if (lesson_text.empty() && !session.kernel_edit()) {
        text_wrapped(
            TextStyle::body, t.text_color(ColorRole::wrong),
            session.lesson().folder.empty()
                ? tr("✗ shaders/{} cannot be read. Install Gridstride again to restore it.", variant->kernel)
                : tr("✗ {} cannot be read. Restore the file, and open the lesson again.", variant->kernel));
        return;
    }
    draw_kernel_status("kernel.status", session);
    gap(8);

    const KernelEdit* edit = session.kernel_edit();
    CodeEditor& editor = view.editor;
    const glm::vec2 room = ImGui::GetContentRegionAvail();
    const bool has_messages = edit && !edit->diagnostics.empty();
    float whole_list = 0, list_height = 0;
    if (has_messages) {
        const MessageList list(*edit, room.x - t.px(4));
        whole_list = list.height();
        const float share = std::floor(room.y * max_list_height_fraction);
        list_height = std::min(whole_list, std::max(share, std::min(list.min_height(), room.y / 2)));
    }
    float height = std::floor(room.y - (has_messages ? list_height + t.px(8) : 0));
    // If the panel is too low for the editor and the list, the panel scrolls and the list does not.
    const float min_editor = t.px(has_messages ? min_editor_height_with_messages : min_editor_height);
    if (height < min_editor) {
        height = min_editor;
        list_height = whole_list;
    }
    const bool changed = editor.draw("kernel.text", {room.x, height}, get_code_marks(session));
    // The messages refer to the text before this frame's edit, so they are drawn before it is applied.
    if (has_messages) draw_messages(workspace, *edit, view, list_height);
    workspace.kernel_has_keyboard = editor.is_focused();
    if (!changed) return;
    const CodeText& now = editor.text();
    const KernelFile& file = view.files.try_emplace(now.document(), get_kernel_file(edit)).first->second;
    const bool is_original = now.text() == lesson_text && file.saved.folder.empty();
    if (is_original)
        session.revert_kernel();
    else
        session.edit_kernel(now.text(), &file);
}

}  // namespace gridstride::ui
