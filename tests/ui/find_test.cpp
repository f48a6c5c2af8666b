// The command palette (Ctrl+K): its ranking, the item that was used last, and access by mouse and keyboard.
#include "ui/desktop/find.h"
#include "base/text.h"
#include "jobs/fake_lab.h"
#include "story/glossary.h"
#include "test_includes.h"
#include "ui/desktop/actions.h"
#include "ui/desktop/draw_desktop.h"
#include "ui/desktop/fuzzy.h"
#include "ui/drive/script.h"
#include "ui/panels/panels.h"
#include "ui/ui_frame.h"

namespace gridstride::ui::find_test {

// A matched letter scores 16. The start of a word adds 8, or 16 for the first letter of a word of the query.
// A letter directly after the previous match adds 4, or 8 if its run begins at the start of a word. A gap
// costs 3, and 1 for each further letter.
TEST(Fuzzy, MatchesScoresComputedByHand) {
    EXPECT_EQ(fuzzy_score("", "anything"), 0);
    EXPECT_EQ(fuzzy_score("ab", "ab"), 16 + 16 + 16 + 8);
    EXPECT_EQ(fuzzy_score("ab", "a b"), 16 + 16 - 3 + 16 + 8);
    EXPECT_EQ(fuzzy_score("ab", "xab"), 16 + 16 + 4);
    EXPECT_EQ(fuzzy_score("ab", "axxb"), 16 + 16 - 3 - 1 + 16);
    EXPECT_EQ(fuzzy_score("ab", "axxb ab"), 16 + 16 + 16 + 8) << "the best of several matches";
    EXPECT_EQ(fuzzy_score("AB", "aB"), 56) << "case does not matter";
}

TEST(Fuzzy, FindsWordsInAnyOrder) {
    EXPECT_EQ(fuzzy_score("ba", "ab"), std::nullopt);
    EXPECT_EQ(fuzzy_score("b a", "ab"), 16 + 32);
    EXPECT_EQ(fuzzy_score("a c", "ab"), std::nullopt);
    EXPECT_EQ(fuzzy_score("a", ""), std::nullopt);
}

TEST(Actions, KeysAreValidAndUnique) {
    std::set<std::string> keys, ids;
    for (const Action& one : all_actions()) {
        EXPECT_TRUE(ids.insert(std::string(one.id)).second) << one.id;
        if (one.keys.empty()) continue;
        for (const std::string_view key : split(one.keys, ',')) {
            const std::string name(trim(key));
            EXPECT_TRUE(parse_key_press(name).has_value()) << name;
            EXPECT_TRUE(keys.insert(name).second) << name;
        }
    }
}

class FindTest : public DrawnTest {
 protected:
    FindTest() : session_(lab_, "en"), workspace_(session_) {
        session_.open(*find_course_entry("reduction"), 2);
        body_ = [this] {
            perform_key_actions(workspace_);
            draw_desktop(workspace_, screen.size());
        };
    }
    void open() {
        frames();
        DrawnTest::press(*key_from_name("k"), {.ctrl = true});
        frames();
        ASSERT_EQ(workspace_.dialog, Dialog::find);
    }
    void type(const std::string& text) {
        DrawnTest::type(text);
        frames();
    }
    void press(Key key) {
        DrawnTest::press(key);
        frames();
    }
    static std::string row(int number) { return widget_value("palette.found." + std::to_string(number)); }

    FakeLab lab_;
    Session session_;
    Workspace workspace_;
};

TEST_F(FindTest, ListsAllDeclaredItems) {
    std::set<std::string> names;
    for (const PaletteItem& one : all_palette_items(workspace_))
        EXPECT_TRUE(names.insert(one.name()).second) << "twice: " << one.name();
    for (const Lesson* lesson : all_lessons())
        EXPECT_TRUE(names.contains("Lesson: " + lesson->title));
    for (const Parameter& parameter : session_.lesson().parameters)
        EXPECT_TRUE(names.contains("Control: " + parameter.label));
    for (const Term& term : glossary())
        EXPECT_TRUE(names.contains("Term: " + term.name));
    EXPECT_TRUE(names.contains("Setting: Dark or light theme"));
    EXPECT_EQ(
        std::ranges::count_if(names, [](const std::string& name) { return name.starts_with("Step: "); }) >
            static_cast<std::ptrdiff_t>(session_.story().steps.size()),
        true)
        << "the steps of the other lessons too";
}

TEST_F(FindTest, EnterPerformsTheFirstMatch) {
    open();
    type("table runs");
    EXPECT_EQ(row(1), "Open or close the table of runs");
    const bool before = workspace_.layout.runs_open();
    press(Key::enter);
    EXPECT_EQ(workspace_.dialog, Dialog::none);
    EXPECT_NE(workspace_.layout.runs_open(), before);
    open();
    EXPECT_EQ(row(1), "Open or close the table of runs") << "what was used last comes first";
    press(Key::escape);
    EXPECT_EQ(workspace_.dialog, Dialog::none);
}

TEST_F(FindTest, ArrowsMoveTheSelectionAndAClickChooses) {
    open();
    type("histogram");
    ASSERT_NE(row(2), "not there");
    press(Key::down);
    EXPECT_EQ(workspace_.command_palette.chosen, 1u);
    press(Key::up);
    press(Key::up);
    EXPECT_EQ(workspace_.command_palette.chosen, 0u) << "the selection stops at the first row";
    click("palette.found.1");
    EXPECT_EQ(workspace_.dialog, Dialog::none);
    EXPECT_EQ(session_.lesson().id, "histogram");
}

TEST_F(FindTest, IdOpensItsStep) {
    for (const PaletteItem& one : all_palette_items(workspace_))
        for (const std::string_view alias : split(one.alias, ',')) {
            PaletteView query;
            query.query = trim(alias);
            EXPECT_EQ(find_palette_items({one}, query).size(), 1u) << one.name();
        }
    struct Case {
        std::string id;
        ItemKind kind;
    };
    for (const Case& one : {Case{"who_adds_the_partial_sums", ItemKind::step},
                            Case{"who_adds_the_partial_sums_parts", ItemKind::question},
                            Case{"maximum_place", ItemKind::exercise}}) {
        open();
        workspace_.command_palette.query.clear();
        record_drawn_texts(true);
        type(one.id);
        const std::vector<DrawnText> row_texts = drawn_texts();
        record_drawn_texts(false);
        EXPECT_GE(std::ranges::count(row_texts, one.id, &DrawnText::text), 1) << "the row shows it";
        const std::vector<PaletteItem> rows =
            find_palette_items(all_palette_items(workspace_), workspace_.command_palette);
        ASSERT_FALSE(rows.empty()) << one.id;
        EXPECT_EQ(rows.front().alias, one.id);
        EXPECT_TRUE(rows.front().shows_alias);
        EXPECT_EQ(rows.front().kind, one.kind);
        press(Key::enter);
        EXPECT_EQ(workspace_.dialog, Dialog::none);
        const StoryStep& step = session_.shown_step();
        const MakeBlock* const make = find_make_block(step);
        EXPECT_TRUE(
            step.id == one.id || (make && make->id == one.id) ||
            std::ranges::any_of(question_blocks(step),
                                [&](std::size_t block) { return get_question(step, block).id == one.id; }))
            << one.id << " is not in " << step.id;
    }
}

TEST_F(FindTest, RowsShowTheMatchedText) {
    std::size_t shortened_count = 0;
    for (const PaletteItem& one : all_palette_items(workspace_)) {
        if (one.kind != ItemKind::question) continue;
        EXPECT_THAT(one.title, testing::Not(testing::ContainsRegex("[`*]|\\]\\(")))
            << "the title contains markup: " << one.title;
        for (const std::string_view word : split(one.title, ' ')) {
            if (word.empty()) continue;
            const std::string shown = excerpt(TextStyle::body, one.title, word, 420);
            EXPECT_LE(text_size(TextStyle::body, shown).x, 420);
            EXPECT_NE(to_lower(shown).find(to_lower(std::string(word))), std::string::npos)
                << word << " in " << shown;
            shortened_count += shown.starts_with("…");
        }
    }
    EXPECT_GT(shortened_count, 100u);
    open();
    record_drawn_texts(true);
    const std::vector<PaletteItem> all = all_palette_items(workspace_);
    const std::string longest = std::ranges::max_element(all, {}, [](const PaletteItem& one) {
                                    return one.kind == ItemKind::question ? one.title.size() : 0;
                                })->title;
    const std::string last_words = longest.substr(longest.rfind(' ', longest.size() - 12) + 1);
    type(last_words);
    const std::vector<DrawnText> shown = drawn_texts();
    EXPECT_TRUE(std::ranges::any_of(shown, [&](const DrawnText& one) {
        return one.text.starts_with("…") && one.text.find(last_words) != std::string::npos;
    })) << last_words;
    press(Key::escape);
    open();
    type("what_a_barrier_is_for_choice_2");
    const std::vector<DrawnText> row_texts = drawn_texts();
    record_drawn_texts(false);
    const std::vector<PaletteItem> rows =
        find_palette_items(all_palette_items(workspace_), workspace_.command_palette);
    EXPECT_EQ(widget_value("palette.meaning"), rows.front().title) << "the whole question";
    EXPECT_TRUE(std::ranges::any_of(row_texts, [&](const DrawnText& one) {
        return one.text.find("Reduction") != std::string::npos &&
               one.text.find(rows.front().alias) != std::string::npos;
    })) << "the row names the lesson";
}

TEST_F(FindTest, ScatteredLettersMatchTitlesButNotQuestions) {
    EXPECT_EQ(substring_score("brr", "a barrier"), std::nullopt);
    EXPECT_EQ(substring_score("BARR a", "a barrier"), fuzzy_score("BARR a", "a barrier"));
    PaletteView query;
    query.query = "hstgrm";
    const std::vector<PaletteItem> rows = find_palette_items(all_palette_items(workspace_), query);
    ASSERT_FALSE(rows.empty());
    EXPECT_EQ(rows.front().title, "Histogram");
    EXPECT_EQ(std::ranges::count(rows, ItemKind::question, &PaletteItem::kind), 0);
}

TEST_F(FindTest, LessonNameListsItsPartsInStoryOrder) {
    PaletteView query;
    query.query = "reduction";
    const std::vector<PaletteItem> rows = find_palette_items(all_palette_items(workspace_), query);
    EXPECT_EQ(rows.front().kind, ItemKind::lesson);
    std::size_t last = 0;
    for (const PaletteItem& one : rows)
        if (one.place.starts_with("Reduction ") && fuzzy_score(query.query, one.title) == std::nullopt &&
            !one.shows_alias) {
            const std::size_t step = std::stoul(one.place.substr(10));
            EXPECT_GE(step, last) << one.title;
            last = step;
        }
    EXPECT_EQ(last, session_.story().steps.size());
}

TEST_F(FindTest, KeyNamesFindTheirAction) {
    for (const Action& one : all_actions()) {
        if (one.id == "find" || one.keys.empty() || !one.is_possible(workspace_)) continue;
        PaletteView query;
        query.query = one.keys.substr(0, one.keys.find(','));
        const std::vector<PaletteItem> rows = find_palette_items(all_palette_items(workspace_), query);
        EXPECT_TRUE(std::ranges::any_of(rows, [&](const PaletteItem& row) { return row.title == one.what; }))
            << query.query;
    }
}

TEST_F(FindTest, EnterFocusesAControl) {
    open();
    type("workgroup size");
    EXPECT_EQ(row(1), "Workgroup size");
    press(Key::enter);
    frames();
    EXPECT_TRUE(find("bench.workgroup_size"));
    EXPECT_TRUE(has_keyboard("bench.workgroup_size"));
}

TEST_F(FindTest, TermShowsItsMeaning) {
    open();
    type("barrier");
    EXPECT_EQ(row(1), "barrier") << "the term is the shortest of many matches";
    EXPECT_THAT(widget_value("palette.meaning"), testing::HasSubstr("wait"));
    press(Key::enter);
    EXPECT_EQ(workspace_.dialog, Dialog::find) << "a term has no action";
    type("qqq");
    EXPECT_EQ(row(1), "not there");
    press(Key::enter);
    EXPECT_EQ(workspace_.dialog, Dialog::find);
}

/// Words that someone who knows CUDA types, and the term that explains each.
TEST_F(FindTest, SynonymsFindTheTerm) {
    open();
    const std::vector<PaletteItem> all = all_palette_items(workspace_);
    for (const auto& [query, term] : {std::pair{"warp", "subgroup"},
                                      {"thread", "invocation"},
                                      {"threadIdx", "invocation"},
                                      {"block", "workgroup"},
                                      {"thread block", "workgroup"},
                                      {"blockIdx", "workgroup"},
                                      {"CTA", "workgroup"},
                                      {"grid", "grid"},
                                      {"dim3", "grid"},
                                      {"SM", "multiprocessor"},
                                      {"SIMT", "SIMT"},
                                      {"warp shuffle", "shuffle"},
                                      {"__shfl_sync", "shuffle"},
                                      {"ballot", "ballot"},
                                      {"divergence", "divergence"},
                                      {"__syncthreads", "barrier"},
                                      {"__syncwarp", "reconvergence"},
                                      {"atomicAdd", "atomic"},
                                      {"register spill", "register spill"},
                                      {"occupancy", "occupancy"},
                                      {"latency", "latency"},
                                      {"roofline", "ceiling"},
                                      {"shared memory", "workgroup memory"},
                                      {"bank conflict", "bank"},
                                      {"coalesced", "coalescing"},
                                      {"L2 cache", "cache"},
                                      {"unified memory", "unified memory"},
                                      {"pinned", "staging"},
                                      {"memcpy", "upload"},
                                      {"cudaMalloc", "buffer"},
                                      {"cudaEvent", "timestamp"},
                                      {"stream", "queue"},
                                      {"nsight", "GPU profiler"},
                                      {"profiler", "GPU profiler"},
                                      {"tensor core", "tensor core"},
                                      {"wmma", "tensor core"},
                                      {"cuBLAS", "matrix multiplication"},
                                      {"fp16", "half precision"},
                                      {"prefix sum", "prefix sum"},
                                      {"reduce", "reduction tree"},
                                      {"histogram", "histogram"},
                                      {"stencil", "stencil"},
                                      {"halo", "halo"},
                                      {"tile", "tile"},
                                      {"logsumexp", "softmax"},
                                      {"scale", "scale"}}) {
        PaletteView find;
        find.query = query;
        const std::vector<PaletteItem> rows = find_palette_items(all, find);
        const auto row =
            std::ranges::find_if(rows, [](const PaletteItem& one) { return one.kind == ItemKind::term; });
        ASSERT_NE(row, rows.end()) << query;
        EXPECT_EQ(row->title, term) << query;
        EXPECT_LT(row - rows.begin(), 5) << query << ": first " << rows.front().name();
        if (row->shows_alias) {
            EXPECT_THAT(to_lower(row->alias),
                        AllOf(HasSubstr(to_lower(std::string(query))), Not(HasSubstr(","))))
                << "only the synonym that was typed";
        }
    }
}

TEST_F(FindTest, DoesNotBypassAnOpenQuestion) {
    ASSERT_TRUE(session_.open_question());
    open();
    type("run decide");
    press(Key::enter);
    EXPECT_FALSE(session_.has_active_jobs());
    EXPECT_EQ(workspace_.dialog, Dialog::run_unanswered);
}

}  // namespace gridstride::ui::find_test
