// An editor for GLSL with line numbers, syntax colours and marks at lines.
#pragma once

#include <imgui.h>

#include <cstddef>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"
#include "ui/text/code_text.h"
#include "ui/text/glsl_colours.h"
#include "ui/text/visible_lines.h"

namespace gridstride::ui {

/// Lines, from 0, with a diagnostic of the compiler, and its highest level.
using CodeMarks = std::map<std::size_t, DiagnosticLevel>;

/// A text and the state of its view. Lines with kernel markup are hidden, see is_kernel_marker().
class CodeEditor {
 public:
    explicit CodeEditor(std::string text = {}, bool is_read_only = false)
        : text_(std::move(text)), read_only_(is_read_only) {}

    CodeText& text() { return text_; }
    const CodeText& text() const { return text_; }
    void request_focus() { wants_focus_ = true; }
    /// Puts the caret at the first character of a line, brings it into view and takes the keyboard.
    void go_to_line(std::size_t line);

    /// Draws the editor at the cursor, `size` in pixels. Returns true if keys, the mouse or a script changed
    /// the text. `marks` apply to the text before the change.
    bool draw(std::string_view id, glm::vec2 size, const CodeMarks& marks);
    bool is_focused() const { return is_focused_; }  ///< had the keyboard in the last frame
    /// Returns the bytes of text that the last frame laid out: only those in view.
    std::size_t bytes_laid_out() const { return bytes_laid_out_; }

 private:
    struct Colors {
        std::uint64_t revision = ~std::uint64_t{0};
        std::vector<GlslPiece> pieces;
        std::size_t columns = 0;  ///< of the longest line
    };
    struct Metrics {
        float line, column, gutter, padding;
        glm::vec2 origin;  ///< screen position of the first row's first character
    };
    /// Repeats `move` while the caret is on a hidden line.
    template <typename Move>
    void move_caret(Move move);
    void handle_keys();
    void handle_characters();
    void handle_shortcuts();
    void handle_mouse(const Metrics& metrics, bool is_pressed, bool is_held);
    void keep_caret_in_view(const Metrics& metrics, float height);
    void scroll_to_caret(const Metrics& metrics, glm::vec2 view);
    void show_caret_in_panel(const Metrics& metrics, glm::vec2 min, glm::vec2 max);
    void draw_lines(std::string_view id, const Metrics& metrics, const CodeMarks& marks, glm::vec2 min,
                    glm::vec2 max);
    void draw_selection(const Metrics& metrics, std::size_t line, float y);

    CodeText text_;
    bool read_only_;
    Colors colors_;
    VisibleLines shown_;
    bool is_focused_ = false;
    bool reveal_caret_ = false;
    bool reveal_in_panel_ = false;  ///< one frame later, after the editor has scrolled
    bool wants_focus_ = false;
    std::size_t lines_in_view_ = 1;
    float height_ = 0;  ///< of the view in the last frame, in pixels
    std::size_t bytes_laid_out_ = 0;
};

}  // namespace gridstride::ui
