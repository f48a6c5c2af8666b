#include "story/story.h"

#include <fmt/format.h>
#include <md4c.h>

#include <algorithm>
#include <functional>

#include "base/error.h"
#include "base/file.h"
#include "story/story_blocks.h"
#include "story/story_mistakes.h"

namespace gridstride {

namespace {

std::string attribute_text(const MD_ATTRIBUTE& attribute) {
    return std::string(attribute.text, attribute.size);
}

/// Builds a Story from md4c's callbacks, in the order of the text.
class StoryBuilder {
 public:
    StoryBuilder(std::string_view markdown, std::string file_name)
        : markdown_(markdown), known_place_(markdown.data()), file_name_(std::move(file_name)) {
        story_.file = file_name_;
    }

    void enter_block(MD_BLOCKTYPE type, void* detail) {
        switch (type) {
            case MD_BLOCK_H:
                heading_level_ = static_cast<MD_BLOCK_H_DETAIL*>(detail)->level;
                spans_.clear();
                break;
            case MD_BLOCK_P:
                if (!list_) spans_.clear();
                break;
            case MD_BLOCK_UL:
                begin_list(false);
                break;
            case MD_BLOCK_OL:
                begin_list(true);
                break;
            case MD_BLOCK_LI:
                spans_.clear();
                break;
            case MD_BLOCK_CODE: {
                const MD_ATTRIBUTE& info = static_cast<MD_BLOCK_CODE_DETAIL*>(detail)->info;
                go_to(info.text);
                fence_line_ = line_;
                info_ = attribute_text(info);
                code_.clear();
                in_code_ = true;
                break;
            }
            case MD_BLOCK_TABLE:
                table_ = TableBlock{};
                break;
            case MD_BLOCK_THEAD:
                in_head_ = true;
                break;
            case MD_BLOCK_TBODY:
                in_head_ = false;
                break;
            case MD_BLOCK_TR:
                if (!in_head_) table_->rows.emplace_back();
                break;
            case MD_BLOCK_TH:
            case MD_BLOCK_TD:
                spans_.clear();
                break;
            default:
                break;
        }
    }

    void leave_block(MD_BLOCKTYPE type) {
        switch (type) {
            case MD_BLOCK_H:
                add_heading();
                break;
            case MD_BLOCK_P:
                // Inside a list item, the item takes the text when it ends.
                if (!list_) {
                    last_paragraph_ = spans_;
                    add(Paragraph{std::move(spans_)});
                }
                break;
            case MD_BLOCK_LI:
                list_->items.push_back(std::move(spans_));
                break;
            case MD_BLOCK_UL:
            case MD_BLOCK_OL:
                add(std::move(*list_));
                list_.reset();
                break;
            case MD_BLOCK_CODE:
                in_code_ = false;
                add_code();
                break;
            case MD_BLOCK_TH:
                table_->header.push_back(std::move(spans_));
                break;
            case MD_BLOCK_TD:
                table_->rows.back().push_back(std::move(spans_));
                break;
            case MD_BLOCK_TABLE:
                add(std::move(*table_));
                table_.reset();
                break;
            default:
                break;
        }
    }

    void span(MD_SPANTYPE type, bool entered) {
        const int step = entered ? 1 : -1;
        if (type == MD_SPAN_STRONG) strong_ += step;
        if (type == MD_SPAN_EM) emphasis_ += step;
        if (type == MD_SPAN_CODE) inline_code_ += step;
    }

    void text(MD_TEXTTYPE type, std::string_view content) {
        go_to(content.data());
        if (in_code_) {
            code_ += content;
            return;
        }
        std::string_view shown = content;
        if (type == MD_TEXT_SOFTBR || type == MD_TEXT_BR) shown = " ";
        const Span style{"", strong_ > 0, emphasis_ > 0, inline_code_ > 0};
        if (!spans_.empty() && spans_.back().strong == style.strong &&
            spans_.back().emphasis == style.emphasis && spans_.back().code == style.code) {
            spans_.back().text += shown;
        } else {
            spans_.push_back(style);
            spans_.back().text = shown;
        }
    }

    Spans take_spans() { return std::move(last_paragraph_); }

    Story take() {
        if (story_.title.empty()) throw StoryError(file_name_ + ":1: the first line is the title: # Title");
        if (story_.steps.empty())
            throw StoryError(file_name_ + ": a story has steps, each under a ## heading");
        return std::move(story_);
    }

 private:
    void begin_list(bool ordered) {
        if (list_)
            throw StoryError(place_in_story(file_name_, line_, step_title()) +
                             ": lists do not nest; write two lists");
        list_ = ListBlock{ordered, {}};
    }

    void add_heading() {
        std::string title;
        for (const Span& piece : spans_)
            title += piece.text;
        if (heading_level_ == 1)
            story_.title = title;
        else if (heading_level_ == 2)
            story_.steps.push_back({title, {}});
        else
            add(Subheading{std::move(spans_)});
        spans_.clear();
    }

    void add_code() { add(make_fenced_block(info_, code_, {file_name_, step_title(), fence_line_})); }

    std::string step_title() const { return story_.steps.empty() ? "" : story_.steps.back().title; }

    /// md4c tells no lines, but most of what it hands out points into the text that it reads.
    void go_to(const char* at) {
        const std::less<> before;
        const char* const end = markdown_.data() + markdown_.size();
        if (before(at, known_place_) || !before(at, end)) return;
        line_ += static_cast<std::size_t>(std::count(known_place_, at, '\n'));
        known_place_ = at;
    }

    void add(Block block) {
        // What stands before the first step introduces the file to its writers.
        if (!story_.steps.empty()) story_.steps.back().blocks.push_back(std::move(block));
    }

    std::string_view markdown_;
    const char* known_place_;  ///< of the text, in line_
    std::size_t line_ = 1;
    std::size_t fence_line_ = 1;
    std::string file_name_;
    Story story_;
    unsigned heading_level_ = 0;
    Spans spans_;
    Spans last_paragraph_;
    int strong_ = 0, emphasis_ = 0, inline_code_ = 0;
    bool in_code_ = false;
    bool in_head_ = false;
    std::string info_, code_;
    std::optional<ListBlock> list_;
    std::optional<TableBlock> table_;
};

/// md4c is C: an exception must not pass through it, so it is kept and thrown afterwards.
struct Parsing {
    StoryBuilder builder;
    std::exception_ptr failure;

    template <class F>
    int guarded(F&& work) {
        try {
            work(builder);
            return 0;
        } catch (...) {
            failure = std::current_exception();
            return 1;
        }
    }
};

Parsing& parsing(void* user) {
    return *static_cast<Parsing*>(user);
}

void run_parser(std::string_view markdown, const std::string& file_name, Parsing& state) {
    MD_PARSER parser{};
    parser.flags = MD_FLAG_TABLES | MD_FLAG_NOHTML;
    parser.enter_block = [](MD_BLOCKTYPE type, void* detail, void* user) {
        return parsing(user).guarded([&](StoryBuilder& builder) { builder.enter_block(type, detail); });
    };
    parser.leave_block = [](MD_BLOCKTYPE type, void*, void* user) {
        return parsing(user).guarded([&](StoryBuilder& builder) { builder.leave_block(type); });
    };
    parser.enter_span = [](MD_SPANTYPE type, void*, void* user) {
        return parsing(user).guarded([&](StoryBuilder& builder) { builder.span(type, true); });
    };
    parser.leave_span = [](MD_SPANTYPE type, void*, void* user) {
        return parsing(user).guarded([&](StoryBuilder& builder) { builder.span(type, false); });
    };
    parser.text = [](MD_TEXTTYPE type, const MD_CHAR* text, MD_SIZE size, void* user) {
        return parsing(user).guarded([&](StoryBuilder& builder) { builder.text(type, {text, size}); });
    };
    const int failed = md_parse(markdown.data(), static_cast<MD_SIZE>(markdown.size()), &parser, &state);
    if (state.failure) std::rethrow_exception(state.failure);
    if (failed != 0) throw StoryError(file_name + ": the Markdown parser ran out of memory");
}

}  // namespace

std::string place_in_story(const std::string& file, std::size_t line, const std::string& step) {
    return step.empty() ? fmt::format("{}:{}", file, line)
                        : fmt::format("{}:{}: step \"{}\"", file, line, step);
}

Story parse_story(std::string_view markdown, const std::string& file_name) {
    Parsing state{StoryBuilder(markdown, file_name), nullptr};
    run_parser(markdown, file_name, state);
    return state.builder.take();
}

Spans parse_inline(std::string_view markdown) {
    Parsing state{StoryBuilder(markdown, "text"), nullptr};
    try {
        run_parser(markdown, "text", state);
    } catch (const StoryError&) {
        // A line that is more than one paragraph is shown as it was written.
        return {Span{std::string(markdown)}};
    }
    return state.builder.take_spans();
}

Story load_story(const Lesson& lesson, std::string_view language) {
    const auto folder = data_directory() / "lessons" / lesson.id;
    auto path = folder / fmt::format("story.{}.md", language);
    if (!std::filesystem::exists(path)) path = folder / "story.en.md";
    return read_story_file(path);
}

void apply(const Lesson& lesson, const std::vector<Setting>& settings, Experiment& experiment) {
    std::vector<std::string> reasons;
    for (const Setting& setting : settings) {
        if (setting.name == "variant") {
            if (find_variant(lesson, setting.value))
                experiment.variant = setting.value;
            else
                reasons.push_back(fmt::format("{} has no variant named {}.", lesson.id, setting.value));
            continue;
        }
        const Parameter* parameter = find(lesson.parameters, setting.name);
        if (!parameter) {
            reasons.push_back(fmt::format("{} has no parameter named {}.", lesson.id, setting.name));
            continue;
        }
        try {
            const Value value = parse(*parameter, setting.value);
            if (const auto reason = refusal(*parameter, value, Limits{}))
                reasons.push_back(*reason);
            else
                experiment.values.set(parameter->id, value);
        } catch (const Refusal& refused) {
            reasons.push_back(refused.what());
        }
    }
    if (!reasons.empty()) throw Refusal(std::move(reasons));
}

namespace {

void apply_to_step(const Lesson& lesson, const Story& story, std::size_t step, const Setting& setting,
                   Experiment& experiment) {
    try {
        apply(lesson, {setting}, experiment);
    } catch (const Refusal& refused) {
        throw StoryError(fmt::format("{}: set: {}",
                                     place_in_story(story.file, setting.line, story.steps[step].title),
                                     refused.what()));
    }
}

}  // namespace

Experiment experiment_of_step(const Lesson& lesson, const Story& story, std::size_t step) {
    Experiment experiment = default_experiment(lesson);
    for (std::size_t i = 0; i <= step && i < story.steps.size(); ++i)
        for (const Block& block : story.steps[i].blocks)
            if (const auto* set = std::get_if<SetBlock>(&block))
                for (const Setting& setting : set->settings)
                    apply_to_step(lesson, story, i, setting, experiment);
    return experiment;
}

SourceRegion kernel_region(std::string_view source, std::string_view name) {
    const std::string open = fmt::format("// [{}]", name);
    const std::string close = fmt::format("// [/{}]", name);
    SourceRegion region;
    region.text.reserve(source.size());
    bool inside = name.empty();
    bool found = inside;
    std::size_t line_number = 0;
    std::size_t indent = std::string::npos;
    std::vector<std::string_view> lines;
    while (!source.empty()) {
        const std::size_t end = source.find('\n');
        const std::string_view line = source.substr(0, end);
        source.remove_prefix(end == std::string_view::npos ? source.size() : end + 1);
        ++line_number;
        const std::size_t start = line.find_first_not_of(" \t");
        const std::string_view trimmed =
            start == std::string_view::npos ? std::string_view{} : line.substr(start);
        if (!name.empty() && trimmed == open) {
            inside = found = true;
            region.first_line = line_number + 1;
            continue;
        }
        if (!name.empty() && trimmed == close) {
            inside = false;
            continue;
        }
        const bool marker = trimmed.starts_with("// [") && trimmed.ends_with("]");
        if (!inside || marker) continue;
        if (!trimmed.empty()) indent = std::min(indent, start);
        lines.push_back(line);
    }
    if (!found)
        throw StoryError(fmt::format("there is no region \"{}\": mark it with {} and {}", name, open, close));
    for (std::string_view line : lines) {
        if (line.size() > indent && indent != std::string::npos) line.remove_prefix(indent);
        region.text += line;
        region.text += '\n';
    }
    return region;
}

}  // namespace gridstride
