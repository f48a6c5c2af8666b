#include "story/story.h"

#include <fmt/format.h>
#include <md4c.h>

#include <algorithm>
#include <cctype>
#include <cstdint>
#include <functional>
#include <set>
#include <tuple>

#include "base/error.h"
#include "base/file.h"
#include "base/find_in_folders.h"
#include "base/text.h"
#include "story/block_reader.h"
#include "story/front_matter.h"
#include "story/glossary.h"

namespace gridstride {

namespace {

/// Builds a Story from md4c's callbacks, which arrive in text order.
class StoryBuilder {
 public:
    enum class Kind { story, page };

    /// `line` is the line of the file at which the Markdown begins. A page is stored as one step without a
    /// title.
    StoryBuilder(std::string_view markdown, std::size_t line, Story story, Kind kind,
                 std::vector<std::string> errors)
        : markdown_(markdown),
          line_position_(markdown.data()),
          line_(line),
          is_page_(kind == Kind::page),
          story_(std::move(story)),
          errors_(std::move(errors)) {
        if (is_page_) story_.steps.emplace_back();
    }

    void enter_block(MD_BLOCKTYPE type, void* detail) {
        switch (type) {
            case MD_BLOCK_H:
                heading_level_ = static_cast<MD_BLOCK_H_DETAIL*>(detail)->level;
                break;
            case MD_BLOCK_UL:
            case MD_BLOCK_OL:
                if (list_depth_++ > 0) fail("lists do not nest; write two lists");
                list_.emplace();
                if (type == MD_BLOCK_OL) list_->first = static_cast<MD_BLOCK_OL_DETAIL*>(detail)->start;
                break;
            case MD_BLOCK_CODE: {
                const MD_ATTRIBUTE& info = static_cast<MD_BLOCK_CODE_DETAIL*>(detail)->info;
                advance_to(info.text);
                fence_line_ = line_;
                info_.assign(info.text, info.size);
                code_.clear();
                is_in_code_ = true;
                break;
            }
            case MD_BLOCK_HTML:
                html_.clear();
                break;
            case MD_BLOCK_TABLE:
                table_ = TableBlock{};
                break;
            case MD_BLOCK_TR:
                table_->rows.emplace_back();
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
                // Text inside a list item is added when the item ends.
                if (!list_) add(Paragraph{std::move(spans_)});
                break;
            case MD_BLOCK_LI:
                list_->items.push_back(std::move(spans_));
                break;
            case MD_BLOCK_UL:
            case MD_BLOCK_OL:
                if (--list_depth_ > 0) break;
                add(std::move(*list_));
                list_.reset();
                break;
            case MD_BLOCK_CODE:
                is_in_code_ = false;
                if (is_page_)
                    add(CodeBlock{code_, info_, fence_line_});
                else
                    add(make_fenced_block(info_, code_, {story_.file, step_title(), fence_line_}));
                break;
            case MD_BLOCK_HTML:
                add_id();
                break;
            case MD_BLOCK_THEAD:
                table_->rows.clear();  // the row so far is the header
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

    void span(MD_SPANTYPE type, const void* detail, bool entered) {
        const int step = entered ? 1 : -1;
        if (type == MD_SPAN_STRONG) strong_ += step;
        if (type == MD_SPAN_EM) emphasis_ += step;
        if (type == MD_SPAN_CODE) inline_code_ += step;
        if (type == MD_SPAN_A) {
            if (!entered) record_term();
            link_.clear();
            if (entered) {
                const MD_ATTRIBUTE& target = static_cast<const MD_SPAN_A_DETAIL*>(detail)->href;
                link_.assign(target.text, target.size);
            }
        }
    }

    void text(MD_TEXTTYPE type, std::string_view content) {
        advance_to(content.data());
        if (is_in_code_) {
            code_ += content;
            return;
        }
        if (type == MD_TEXT_HTML) {
            html_ += content;
            return;
        }
        std::string_view shown = content;
        if (type == MD_TEXT_SOFTBR || type == MD_TEXT_BR) shown = " ";
        const Span style{"", strong_ > 0, emphasis_ > 0, inline_code_ > 0, link_};
        if (!spans_.empty() && spans_.back().is_strong == style.is_strong &&
            spans_.back().emphasis == style.emphasis && spans_.back().code == style.code &&
            spans_.back().link == style.link) {
            spans_.back().text += shown;
        } else {
            spans_.push_back(style);
            spans_.back().text = shown;
        }
    }

    void add_errors(std::vector<std::string> errors) {
        std::ranges::move(errors, std::back_inserter(errors_));
    }

    /// Throws StoryError.
    Story take() {
        if (story_.title.empty())
            errors_.push_back(story_.file + ":1: it has no title: write # Title before its text");
        if (story_.steps.empty())
            errors_.push_back(story_.file + ":1: it has no steps: write each under a ## heading");
        if (!errors_.empty()) throw StoryError(std::move(errors_));
        if (!is_page_) assign_missing_ids();
        return std::move(story_);
    }

 private:
    void add_heading() {
        std::string title;
        for (const Span& piece : spans_)
            title += piece.text;
        if (heading_level_ == 1)
            story_.title = title;
        else if (heading_level_ == 2 && !is_page_)
            story_.steps.push_back({.title = title, .id = {}, .line = line_});
        else
            add(Subheading{std::move(spans_), heading_level_});
        spans_.clear();
    }

    void assign_missing_ids() {
        for (std::size_t i = 0; i < story_.steps.size(); ++i) {
            StoryStep& step = story_.steps[i];
            const std::string unnamed_id = fmt::format("{}{}", missing_id_prefix, i + 1);
            if (step.id.empty()) step.id = unnamed_id;
            for (std::size_t block = 0; block < step.blocks.size(); ++block) {
                const auto give = [&](auto* asks) {
                    if (asks && asks->id.empty()) asks->id = fmt::format("{}_{}", unnamed_id, block);
                };
                give(std::get_if<PredictBlock>(&step.blocks[block]));
                give(std::get_if<MakeBlock>(&step.blocks[block]));
            }
        }
    }

    /// An HTML comment below a step's heading is its id; other HTML is an error.
    void add_id() {
        std::string_view text = std::string_view(html_).substr(0, html_.find_last_not_of('\n') + 1);
        text = trim(text);
        constexpr std::string_view open = "<!-- id:", close = "-->";
        if (!text.starts_with(open) || !text.ends_with(close))
            fail(fmt::format(
                "{} is HTML, which is not shown. The id of a step is written <!-- id: who_adds -->",
                quote_text(text)));
        if (story_.steps.empty() || !story_.steps.back().blocks.empty() || !story_.steps.back().id.empty())
            fail("<!-- id: … --> may occur once, directly below a step's heading");
        text.remove_prefix(open.size());
        text.remove_suffix(close.size());
        if (const std::string error = find_id_error(trim(text)); !error.empty()) fail(error);
        story_.steps.back().id = trim(text);
    }

    /// Records the term if the link that ends leads to the glossary.
    void record_term() {
        if (spans_.empty() || spans_.back().link.empty() || story_.steps.empty()) return;
        if (const std::string_view term = linked_term(spans_.back()); !term.empty())
            story_.steps.back().terms.push_back({std::string(term), line_});
    }

    [[noreturn]] void fail(const std::string& reason) const {
        throw StoryError(format_story_error(story_.file, line_, step_title(), reason));
    }
    std::string step_title() const { return story_.steps.empty() ? "" : story_.steps.back().title; }

    /// md4c reports no line numbers, but most of its text pointers point into the parsed text.
    void advance_to(const char* at) {
        const std::less<> before;
        const char* const end = markdown_.data() + markdown_.size();
        if (before(at, line_position_) || !before(at, end)) return;
        line_ += static_cast<std::size_t>(std::count(line_position_, at, '\n'));
        line_position_ = at;
    }

    void add(Block block) {
        // Text before the first step is for the file's authors.
        if (!story_.steps.empty()) story_.steps.back().blocks.push_back(std::move(block));
    }

    std::string_view markdown_;
    const char* line_position_;  ///< the position in the text that line_ belongs to
    std::size_t line_;
    std::size_t fence_line_ = 1;
    bool is_page_;
    Story story_;
    unsigned heading_level_ = 0;
    Spans spans_;  ///< of the current block
    int strong_ = 0, emphasis_ = 0, inline_code_ = 0;
    std::string link_;
    bool is_in_code_ = false;
    std::string info_, code_, html_;
    std::size_t list_depth_ = 0;
    std::optional<ListBlock> list_;
    std::optional<TableBlock> table_;
    std::vector<std::string> errors_;
};

/// md4c is C: an exception must not pass through it. An error of the story is added to the others; any other
/// exception is stored and rethrown afterwards.
struct ParseState {
    StoryBuilder builder;
    std::exception_ptr failure;
};

template <class F>
int call_guarded(void* parsing, F work) {
    auto& [builder, failure] = *static_cast<ParseState*>(parsing);
    try {
        work(builder);
        return 0;
    } catch (StoryError& error) {
        builder.add_errors(std::move(error.errors));
        return 0;
    } catch (...) {
        failure = std::current_exception();
        return 1;
    }
}

/// Markdown ends a link target at a space, so `[they](term:workgroup memory)` becomes `[they](<term:workgroup
/// memory>)`, except in code.
std::string quote_term_links(std::string_view markdown) {
    constexpr std::string_view open = "](term:";
    std::string whole;
    bool in_fence = false;
    for (const std::string_view line : split(markdown, '\n')) {
        if (trim(line).starts_with("```")) in_fence = !in_fence;
        bool in_code = in_fence;
        std::size_t close = std::string_view::npos;
        for (std::size_t i = 0; i < line.size(); ++i) {
            if (line[i] == '`' && !in_fence) in_code = !in_code;
            if (!in_code && line.substr(i).starts_with(open)) {
                close = line.find(')', i);
                if (close != std::string_view::npos) {
                    whole += "](<";
                    ++i;
                    continue;
                }
            }
            if (i == close) whole += '>';
            whole += line[i];
        }
        whole += '\n';
    }
    return whole;
}

Story parse(std::string_view whole_text, const std::string& file_name, StoryBuilder::Kind kind) {
    FrontMatter front;
    if (kind == StoryBuilder::Kind::story) front = read_front_matter(whole_text, file_name);
    const std::string markdown = quote_term_links(whole_text.substr(front.size));
    ParseState state{
        StoryBuilder(markdown, front.lines + 1,
                     {.head = std::move(front.head), .file = file_name, .title = {}, .steps = {}}, kind,
                     std::move(front.errors)),
        nullptr};
    MD_PARSER parser{};
    parser.flags = MD_FLAG_TABLES | MD_FLAG_NOHTMLSPANS;
    if (kind == StoryBuilder::Kind::page) parser.flags |= MD_FLAG_NOHTMLBLOCKS;
    parser.enter_block = [](MD_BLOCKTYPE type, void* detail, void* user) {
        return call_guarded(user, [&](StoryBuilder& builder) { builder.enter_block(type, detail); });
    };
    parser.leave_block = [](MD_BLOCKTYPE type, void*, void* user) {
        return call_guarded(user, [&](StoryBuilder& builder) { builder.leave_block(type); });
    };
    parser.enter_span = [](MD_SPANTYPE type, void* detail, void* user) {
        return call_guarded(user, [&](StoryBuilder& builder) { builder.span(type, detail, true); });
    };
    parser.leave_span = [](MD_SPANTYPE type, void* detail, void* user) {
        return call_guarded(user, [&](StoryBuilder& builder) { builder.span(type, detail, false); });
    };
    parser.text = [](MD_TEXTTYPE type, const MD_CHAR* text, MD_SIZE size, void* user) {
        return call_guarded(user, [&](StoryBuilder& builder) { builder.text(type, {text, size}); });
    };
    const int failed = md_parse(markdown.data(), static_cast<MD_SIZE>(markdown.size()), &parser, &state);
    if (state.failure) std::rethrow_exception(state.failure);
    if (failed != 0) throw StoryError(file_name + ": the Markdown parser ran out of memory");
    return state.builder.take();
}

}  // namespace

Story parse_story(std::string_view markdown, const std::string& file_name) {
    return parse(markdown, file_name, StoryBuilder::Kind::story);
}

Page parse_page(std::string_view markdown, const std::string& file_name) {
    Story story = parse(markdown, file_name, StoryBuilder::Kind::page);
    return {std::move(story.title), std::move(story.steps.front().blocks)};
}

Spans parse_inline(std::string_view markdown) {
    try {
        const Story story = parse_story(fmt::format("# T\n## S\n{}\n", markdown), "text");
        const std::vector<Block>& blocks = story.steps.front().blocks;
        if (blocks.empty()) return {};
        if (const auto* paragraph = std::get_if<Paragraph>(&blocks.front()); paragraph && blocks.size() == 1)
            return paragraph->spans;
    } catch (const StoryError&) {
    }
    // Anything but a single paragraph is shown as plain text.
    return {Span{std::string(markdown)}};
}

std::filesystem::path story_folder(const Lesson& lesson) {
    return lesson.folder.empty() ? data_directory() / "lessons" / lesson.id
                                 : std::filesystem::path(lesson.folder);
}

std::vector<StoryFile> story_files(const Lesson& lesson) {
    std::vector<StoryFile> files;
    std::error_code none;
    for (const auto& entry : std::filesystem::directory_iterator(story_folder(lesson), none)) {
        const std::string file_name = entry.path().filename().string();
        const std::vector<std::string_view> parts = split(file_name, '.');
        if (parts.size() < 3 || parts.size() > 4 || parts.front() != "story" || parts.back() != "md")
            continue;
        files.push_back({std::string(parts.size() == 4 ? parts[1] : ""), std::string(parts[parts.size() - 2]),
                         entry.path()});
    }
    std::ranges::sort(files, {}, [](const StoryFile& file) { return std::tie(file.name, file.language); });
    return files;
}

Story load_story(const Lesson& lesson, std::string_view language, std::string_view name) {
    const auto folder = story_folder(lesson);
    const std::string start = name.empty() ? "story" : fmt::format("story.{}", name);
    const auto path = folder / fmt::format("{}.{}.md", start, language);
    const bool exists = std::filesystem::exists(path);
    Story story = read_story_file(exists ? path : folder / fmt::format("{}.en.md", start));
    story.language = exists ? language : "en";
    return story;
}

Story read_story_file(const std::filesystem::path& path) {
    const std::filesystem::path shipped = path.lexically_relative(data_directory());
    const bool ships = !shipped.empty() && *shipped.begin() != "..";
    return parse_story(remove_byte_order_mark(read_file(path)), (ships ? shipped : path).generic_string());
}

std::vector<std::string> story_languages() {
    std::set<std::string> languages;
    for (const Lesson* lesson : all_lessons())
        for (const StoryFile& file : story_files(*lesson))
            languages.insert(file.language);
    return {languages.begin(), languages.end()};
}

std::optional<std::string> apply(const Lesson& lesson, const Setting& setting, Experiment& experiment) {
    if (setting.name == "variant") {
        if (!find_variant(lesson, setting.value))
            return fmt::format("{} has no variant named {}.", lesson.id, setting.value);
        experiment.variant = setting.value;
        return std::nullopt;
    }
    const Parameter* parameter = find(lesson.parameters, setting.name);
    if (!parameter) return fmt::format("{} has no parameter named {}.", lesson.id, setting.name);
    try {
        const Value value = parse(*parameter, setting.value);
        if (auto reason = refusal(*parameter, value, Limits{})) return reason;
        experiment.values.set(parameter->id, value);
        return std::nullopt;
    } catch (const Refusal& refused) {
        return refused.what();
    }
}

void apply(const Lesson& lesson, const std::vector<Setting>& settings, Experiment& experiment) {
    std::vector<std::string> reasons;
    for (const Setting& setting : settings)
        if (auto reason = apply(lesson, setting, experiment)) reasons.push_back(*reason);
    if (!reasons.empty()) throw Refusal(std::move(reasons));
}

Experiment experiment_of_step(const Lesson& lesson, const Story& story, std::size_t step) {
    Experiment experiment = default_experiment(lesson);
    for (std::size_t i = 0; i <= step && i < story.steps.size(); ++i)
        for (const Block& block : story.steps[i].blocks)
            if (const auto* set = std::get_if<SetBlock>(&block))
                for (const Setting& setting : set->settings)
                    if (const auto reason = apply(lesson, setting, experiment))
                        throw StoryError(format_story_error(story.file, setting.line, story.steps[i].title,
                                                            "set: " + *reason));
    const MakeBlock* const make = step < story.steps.size() ? find_make_block(story.steps[step]) : nullptr;
    if (make && find_variant(lesson, make->exercise)) experiment.variant = make->exercise;
    return experiment;
}

bool is_kernel_marker(std::string_view line) {
    line = trim(line);
    constexpr std::string_view opens = "// [";
    if (!line.starts_with(opens)) return false;
    line.remove_prefix(opens.size());
    if (line.starts_with("build ")) return true;
    if (line.starts_with('/')) line.remove_prefix(1);
    // "// [0, 1]" and "// [sic] …" are comments of the kernel's author.
    const auto in_names = [](unsigned char c) { return std::isalnum(c) || c == '_' || c == '-'; };
    return line.size() > 1 && std::ranges::find_if_not(line, in_names) == line.end() - 1 &&
           line.back() == ']';
}

std::string kernel_region(std::string_view source, std::string_view name) {
    const std::string open = fmt::format("// [{}]", name);
    const std::string close = fmt::format("// [/{}]", name);
    bool inside = name.empty();
    bool found = inside;
    std::size_t indent = std::string::npos;
    std::vector<std::string_view> lines;
    while (!source.empty()) {
        const std::size_t end = source.find('\n');
        const std::string_view line = source.substr(0, end);
        source.remove_prefix(end == std::string_view::npos ? source.size() : end + 1);
        if (is_kernel_marker(line)) {
            if (trim(line) == open) inside = found = true;
            if (trim(line) == close) inside = false;
            continue;
        }
        if (!inside) continue;
        indent = std::min(indent, line.find_first_not_of(" \t"));
        lines.push_back(line);
    }
    if (!found)
        throw StoryError(fmt::format("there is no region \"{}\": mark it with {} and {}", name, open, close));
    std::string text;
    for (std::string_view line : lines) {
        if (line.size() > indent && indent != std::string::npos) line.remove_prefix(indent);
        text += line;
        text += '\n';
    }
    return text;
}

namespace {

constexpr std::uintmax_t max_shown_bytes = std::uintmax_t{1} << 20;

/// Throws FileError if there is no such file among those that a story may show.
std::string read_shown_file(const std::string& story_file, const std::string& file) {
    const std::vector<std::filesystem::path> folders = {data_directory() / "shaders",
                                                        (data_directory() / story_file).parent_path()};
    std::vector<std::filesystem::path> candidates;
    for (const std::filesystem::path& folder : folders)
        candidates.push_back(folder / file);
    const FolderSearchResult found = find_in_folders(canonical_folders(folders), candidates);
    if (!found.file.empty()) return read_file(found.file, max_shown_bytes);
    throw FileError(
        found.leads_outside
            ? fmt::format("{} is outside the shipped shaders and the story's own folder. A story can only "
                          "show files in these; name one of them.",
                          quote_text(file))
            : fmt::format(
                  "there is no file {} among the shipped shaders or beside the story. Correct the name.",
                  quote_text(file)));
}

}  // namespace

std::string kernel_excerpt(const Lesson& lesson, const Story& story, const StoryStep& step,
                           const KernelBlock& block) {
    const auto fail = [&](const std::string& reason) {
        return StoryError(format_story_error(story.file, block.line, step.title, "kernel: " + reason));
    };
    std::string region;
    try {
        const std::string* const loaded = lesson.files ? lesson.files->find_text(block.file) : nullptr;
        const std::string source = loaded ? *loaded : read_shown_file(story.file, block.file);
        region = kernel_region(remove_byte_order_mark(source), block.region);
    } catch (const FileError& error) {
        throw fail(error.what());
    } catch (const StoryError& error) {
        throw fail(fmt::format("in {} {}", block.file, error.what()));
    }
    if (region.empty()) throw fail(fmt::format("the region \"{}\" of {} is empty", block.region, block.file));
    return region;
}

}  // namespace gridstride
