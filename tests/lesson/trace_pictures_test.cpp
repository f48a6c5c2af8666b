// Tests the pictures of traces that the test writes by hand, so that all accesses are known.
#include "figures/trace_pictures.h"

#include "figures/active_lanes.h"
#include "figures/address_accesses.h"
#include "figures/bank_turns.h"
#include "figures/sector_ruler.h"
#include "figures/workgroup_placements.h"
#include "lesson/lesson_case.h"
#include "test_includes.h"
#include "trace/trace_builder.h"

namespace gridstride::trace_pictures_test {

using trace::SiteKind;
using trace::test::barrier;
using trace::test::bound;
using trace::test::shared;
using trace::test::TraceBuilder;

/// Returns the picture that `draw` makes of the trace.
template <class Draw, class... More>
TraceCells drawn(const TraceBuilder& builder, Draw draw, const More&... more) {
    const trace::Trace trace = builder.build();
    return draw(trace, trace::decode_records(trace), more...);
}
const auto by_level = [](const auto&... all) { return draw_levels(all...); };
const auto draw_pixel_map = [](const auto&... all) { return draw_access_map(all..., "numbers", "pixel"); };
const auto draw_conflict_cells = [](const auto&... all) { return draw_conflicts(all...); };

/// Returns the labels, or the notes, of all rows.
std::vector<std::string> texts_of(const Cells& cells, std::string Cells::Row::*text) {
    std::vector<std::string> texts;
    for (const Cells::Row& row : cells.rows)
        texts.push_back(row.*text);
    return texts;
}
std::vector<std::string> labels_of(const Cells& cells) {
    return texts_of(cells, &Cells::Row::label);
}
std::vector<std::string> notes_of(const Cells& cells) {
    return texts_of(cells, &Cells::Row::note);
}
/// Returns the cells of this kind in each row.
std::vector<std::vector<std::size_t>> find_rows(const Cells& cells, const std::string& label) {
    std::vector<std::vector<std::size_t>> all;
    for (const Cells::Row& row : cells.rows) {
        all.emplace_back();
        for (std::size_t i = 0; i < row.kinds.size(); ++i)
            if (cells.kinds.at(row.kinds[i]).label == label) all.back().push_back(i);
    }
    return all;
}
using Lists = std::vector<std::vector<std::size_t>>;

/// Each of eight invocations stores a number; then neighbors are added, then their sums.
TraceBuilder neighbours() {
    TraceBuilder builder({8}, {1});
    const std::uint32_t stored = builder.add(shared(SiteKind::store, 1)), waits = builder.add(barrier(2)),
                        other = builder.add(shared(SiteKind::load, 3)),
                        own = builder.add(shared(SiteKind::load, 3)),
                        sum = builder.add(shared(SiteKind::store, 3));
    for (std::uint32_t i = 0; i < 8; ++i)
        builder.at(0, i, stored, 4 * i);
    builder.all_wait(waits);
    for (std::uint32_t stride = 1; stride < 8; stride *= 2) {
        for (std::uint32_t i = 0; i < 8; i += 2 * stride) {
            builder.at(0, i, other, 4 * (i + stride));
            builder.at(0, i, own, 4 * i);
            builder.at(0, i, sum, 4 * i);
        }
        builder.all_wait(waits);
    }
    builder.at(0, 0, own, 0);  // the invocation that stored the sum loads it
    return builder;
}

TEST(TracePictures, LevelsAreSeparatedByBarriers) {
    const Cells cells = drawn(neighbours(), by_level).cells;
    EXPECT_EQ(cells.cell_name, "invocation");
    EXPECT_THAT(labels_of(cells), ElementsAre("store", "level 1", "level 2", "level 3"));
    EXPECT_EQ(find_rows(cells, "stores"), (Lists{{0, 1, 2, 3, 4, 5, 6, 7}, {}, {}, {}}));
    EXPECT_EQ(find_rows(cells, "adds"), (Lists{{}, {0, 2, 4, 6}, {0, 4}, {0}}));
    EXPECT_EQ(find_rows(cells, "its value is read"), (Lists{{}, {1, 3, 5, 7}, {2, 6}, {4}}));
    // A subgroup has four invocations.
    EXPECT_THAT(notes_of(cells), ElementsAre("8 of 8 store, in 2 subgroups", "4 of 8 add, in 2 subgroups",
                                             "2 of 8 add, in 2 subgroups", "1 of 8 add, in 1 subgroup"));
}

TEST(TracePictures, LevelsOmitAccessesWithoutALabel) {
    LevelLabels words;
    words.stores = {};
    words.acts = {{"takes a step", ColorRole::cpu}, "take a step", "step"};
    const Cells cells = drawn(neighbours(), by_level, words).cells;
    EXPECT_THAT(labels_of(cells), ElementsAre("step 1", "step 2", "step 3"));
    EXPECT_THAT(cells.rows[0].note, Mentions(4, 8, 2));
    words.file = "another.comp";
    EXPECT_THAT(drawn(neighbours(), by_level, words).cells.rows, IsEmpty());
}

TEST(TracePictures, LevelsCountAtomicAdditionsInBuffers) {
    TraceBuilder builder({4}, {1});
    const std::uint32_t add = builder.add(bound(SiteKind::atomic, 1));
    for (const std::uint32_t i : {0, 1, 3})
        builder.at(0, i, add, 0);
    const Cells cells = drawn(builder, by_level).cells;
    EXPECT_EQ(find_rows(cells, "adds"), (Lists{{0, 1, 3}}));
    EXPECT_THAT(notes_of(cells), ElementsAre("3 of 4 add, in 1 subgroup"));
}

TEST(TracePictures, LevelsDistinguishInvocationsThatOnlyRead) {
    TraceBuilder builder({4}, {1});
    const std::uint32_t stored = builder.add(shared(SiteKind::store, 1)), waits = builder.add(barrier(2)),
                        read = builder.add(shared(SiteKind::load, 3));
    builder.at(0, 0, stored, 0);
    builder.all_wait(waits);
    for (std::uint32_t i = 0; i < 3; ++i)
        builder.at(0, i, read, 0);
    const Cells cells = drawn(builder, by_level).cells;
    EXPECT_THAT(labels_of(cells), ElementsAre("store", "read"));
    EXPECT_EQ(find_rows(cells, "reads"), (Lists{{}, {1, 2}}));
    EXPECT_EQ(find_rows(cells, "its value is read"), (Lists{{}, {0}}));
}

TEST(TracePictures, LevelsCountFrom1InEachTile) {
    TraceBuilder builder({2}, {1});
    const std::uint32_t stored = builder.add(shared(SiteKind::store, 1)), waits = builder.add(barrier(2)),
                        other = builder.add(shared(SiteKind::load, 3)),
                        sum = builder.add(shared(SiteKind::store, 3)),
                        own = builder.add(shared(SiteKind::load, 4));
    for (int tile = 0; tile < 2; ++tile) {
        for (std::uint32_t i = 0; i < 2; ++i)
            builder.at(0, i, stored, 4 * i);
        builder.all_wait(waits);
        builder.at(0, 0, other, 4);
        builder.at(0, 0, sum, 0);
        builder.all_wait(waits);
        builder.at(0, 0, own, 0);  // before the next tile is stored, without a barrier
    }
    const Cells cells = drawn(builder, by_level).cells;
    EXPECT_THAT(labels_of(cells), ElementsAre("store 1", "level 1", "store 2", "level 1"));
    EXPECT_EQ(find_rows(cells, "stores"), (Lists{{0, 1}, {}, {0, 1}, {}}));
}

TEST(TracePictures, LevelsTakeATicketForNoAddition) {
    TraceBuilder builder({2}, {1});
    const std::uint32_t stored = builder.add(shared(SiteKind::store, 1)), waits = builder.add(barrier(2)),
                        read = builder.add(shared(SiteKind::load, 3)),
                        ticket = builder.add(bound(SiteKind::atomic, 4));
    builder.at(0, 1, stored, 4);
    builder.all_wait(waits);
    builder.at(0, 0, read, 4);
    builder.at(0, 0, ticket, 0);
    EXPECT_THAT(labels_of(drawn(builder, by_level).cells), ElementsAre("store", "read"));
}

TEST(TracePictures, ShowsTheFirstOfManyLevels) {
    TraceBuilder builder({2}, {3});
    const std::uint32_t stored = builder.add(shared(SiteKind::store, 1)), waits = builder.add(barrier(2));
    builder.trace().first_workgroup = builder.trace().last_workgroup = 2;
    for (int i = 0; i < 20; ++i)
        for (std::uint32_t lane = 0; lane < 2; ++lane) {
            builder.at(2, lane, stored, 4 * lane);
            builder.at(2, lane, waits);
        }
    const auto [cells, note] = drawn(builder, by_level);
    EXPECT_EQ(cells.rows.size(), 12U);
    EXPECT_EQ(cells.rows.back().label, "store 12");
    EXPECT_THAT(note, Mentions(2, 12, 20));
}

/// Each invocation loads `components` neighbors, then advances by the whole grid.
TraceBuilder grid_stride(std::uint32_t workgroup, std::uint32_t grid, std::uint32_t elements,
                         std::uint32_t components = 1) {
    TraceBuilder builder({workgroup}, {grid});
    builder.trace().buffers[0].elements = elements;
    const std::uint32_t load = builder.add(trace::test::vector(bound(SiteKind::load, 1), components));
    const std::uint32_t leaves = builder.add(bound(SiteKind::store, 2, 1));
    builder.each([&](std::uint32_t group, std::uint32_t lane) {
        const std::uint32_t stride = grid * workgroup * components;
        for (std::uint32_t i = (group * workgroup + lane) * components; i < elements; i += stride)
            builder.at(group, lane, load, 4 * i);
        builder.at(group, lane, leaves, 4 * group);
    });
    return builder;
}
TraceCells passes(const TraceBuilder& builder) {
    return drawn(builder, [](const auto&... all) { return draw_passes(all..., "numbers", "number"); });
}

TEST(TracePictures, PassesShowTheWorkgroupOfEachElement) {
    // Four workgroups of two process 19 numbers: eight per pass, and three remain for the third pass.
    const auto rows = passes(grid_stride(2, 4, 19)).cells.rows;
    ASSERT_EQ(rows.size(), 3U);
    EXPECT_THAT(rows[0].kinds, ElementsAre(1, 1, 2, 2, 3, 3, 2, 2));
    EXPECT_EQ(rows[1].kinds, rows[0].kinds);
    EXPECT_THAT(rows[2].kinds, ElementsAre(1, 1, 2, 0, 0, 0, 0, 0));
    EXPECT_EQ(rows[1].note, "numbers 8 to 15");
    EXPECT_EQ(rows[2].note, "numbers 16 to 18");
    EXPECT_THAT(rows[2].cell_texts, ElementsAre("16", "17", "18", "", "", "", "", ""));
    // Each load has four numbers: invocation 5 loads the last of 22.
    const auto quads = passes(grid_stride(2, 4, 22, 4)).cells.rows;
    ASSERT_EQ(quads.size(), 1U);
    EXPECT_THAT(quads[0].kinds, ElementsAre(1, 1, 2, 2, 3, 3, 0, 0));
    EXPECT_EQ(quads[0].note, "numbers 0 to 21");
}

TEST(TracePictures, PassesOfALargeGridShowWorkgroups) {
    TraceBuilder large = grid_stride(64, 8, 10'000);
    const auto [cells, note] = passes(large);
    EXPECT_EQ(cells.cell_name, "workgroup");
    ASSERT_EQ(cells.rows.size(), 12U);
    EXPECT_THAT(cells.rows[0].kinds, ElementsAre(1, 2, 3, 2, 3, 2, 3, 2));
    // 10 000 / 512 is 19.5: in the 20th pass, 272 numbers remain for five of the eight.
    EXPECT_EQ(cells.rows[11].label, "pass 20");
    EXPECT_THAT(cells.rows[11].kinds, ElementsAre(1, 2, 3, 2, 3, 0, 0, 0));
    EXPECT_THAT(note, Mentions(8, "passes"));
    EXPECT_THAT(note, Not(HasSubstr("traced")));
    large.trace().grid = {9};
    EXPECT_THAT(passes(large).note, HasSubstr("Workgroups 0 to 7 of 9 were traced."));
    // For few workgroups, the picture shows invocations.
    const auto few = passes(grid_stride(512, 2, 2048));
    EXPECT_EQ(few.cells.cell_name, "invocation");
    ASSERT_EQ(few.cells.rows.size(), 2U);
    EXPECT_EQ(few.cells.rows[0].kinds.size(), 256U);
    EXPECT_EQ(few.cells.rows[1].note, "numbers 1\u2009024 to 1\u2009279");
    EXPECT_THAT(few.note, Mentions(256, 1024));
}

TEST(TracePictures, PassesCountAnElementOncePerInvocation) {
    TraceBuilder builder({1}, {1});
    builder.trace().buffers[0].elements = 2;
    const std::uint32_t load = builder.add(bound(SiteKind::load, 1)),
                        stored = builder.add(bound(SiteKind::store, 2));
    for (const std::uint64_t element : {0, 1})
        for (const std::uint32_t site : {load, stored})
            builder.at(0, 0, site, 4 * element);
    EXPECT_EQ(passes(builder).cells.rows.size(), 2U);
}

TEST(TracePictures, AccessMapFollowsTheTrace) {
    const auto [cells, note] = drawn(grid_stride(2, 2, 20, 2), draw_pixel_map);
    EXPECT_THAT(note, Mentions(0, 2, 3, 8));
    EXPECT_EQ(cells.cell_name, "pixel");
    ASSERT_EQ(cells.rows.size(), 4U);
    EXPECT_EQ(cells.rows[1].note, "accesses 6");
    EXPECT_THAT(cells.rows[1].kinds, ElementsAre(0, 0, 1, 1, 0, 0, 0, 0, 0, 0, 2, 2, 0, 0, 0, 0, 0, 0, 2, 2));
}

TEST(TracePictures, AccessMapShowsElementsWithoutAnInvocation) {
    TraceBuilder builder({2}, {1});
    builder.trace().buffers[0].elements = 4;
    const std::uint32_t load = builder.add(bound(SiteKind::load, 1));
    builder.at(0, 0, load, 0);
    builder.at(0, 1, load, 12);
    const auto takers = [&] { return drawn(builder, draw_pixel_map).cells; };
    EXPECT_EQ(find_rows(takers(), "no invocation's"), (Lists{{1, 2}, {1, 2}}));
    builder.trace().grid = {2};
    EXPECT_EQ(find_rows(takers(), "not traced"), (Lists{{1, 2}, {1, 2}}));
}

TEST(TracePictures, AccessMapGroupsInvocationsWithoutElements) {
    TraceBuilder builder({8}, {2});
    builder.trace().buffers[0].elements = 2;
    const std::uint32_t load = builder.add(bound(SiteKind::load, 1));
    const auto rows = [&] { return drawn(builder, draw_pixel_map).cells; };
    builder.at(0, 0, load, 0);
    builder.at(0, 1, load, 4);
    EXPECT_THAT(labels_of(rows()), ElementsAre("invocation 0", "invocation 1", "2 to 15"));
    EXPECT_THAT(notes_of(rows()).back(), Mentions("none"));
    // An invocation between those that load has a row of its own.
    builder.at(0, 4, load, 4);
    EXPECT_EQ(rows().rows.size(), 6U);
    EXPECT_EQ(labels_of(rows()).back(), "5 to 15");
}

const ConflictLabels count_labels{.alone = {"alone", ColorRole::kernel},
                                  .first = {"first", ColorRole::upload},
                                  .later = {"waits", ColorRole::caution},
                                  .elsewhere = {"elsewhere", ColorRole::quiet},
                                  .in_arrays = true};

/// Makes a site outside any array, whose accesses share one count.
trace::Site site_without_array(SiteKind kind, std::uint32_t line) {
    trace::Site site = bound(kind, line, 1);
    site.element_bytes = 0;
    return site;
}

/// Two workgroups of four write elements `step` apart, starting at `first`.
TraceBuilder writers(std::uint64_t first, std::uint64_t step) {
    TraceBuilder builder({4}, {2});
    const std::uint32_t store = builder.add(bound(SiteKind::store, 1)),
                        load = builder.add(bound(SiteKind::load, 1, 1));
    for (std::uint32_t i = 0; i < 8; ++i) {
        builder.at(i / 4, i % 4, load, 4 * i);
        builder.at(i / 4, i % 4, store, 4 * (first + i * step));
    }
    return builder;
}
TraceCells owned(const TraceBuilder& builder, std::uint64_t count, std::uint64_t columns) {
    return drawn(builder, [&](const auto&... all) {
        return draw_owners(all..., "numbers", count, columns, "number");
    });
}

TEST(TracePictures, OwnersPictureColoursElementsByWorkgroup) {
    const Cells cells = owned(writers(0, 1), 8, 4).cells;
    EXPECT_THAT(labels_of(cells), ElementsAre("0", "4"));
    EXPECT_EQ(find_rows(cells, "workgroup 0"), (Lists{{0, 1, 2, 3}, {}}));
    EXPECT_EQ(find_rows(cells, "1"), (Lists{{}, {0, 1, 2, 3}}));
    EXPECT_EQ(cells.rows[1].hover_texts[2], "number 6: written once, by invocation 2 of workgroup 1");
}

TEST(TracePictures, OwnersPictureNamesInvocationsForFewElements) {
    const TraceCells few = owned(writers(1, 1), 9, 9);
    EXPECT_THAT(few.cells.rows[0].cell_texts, ElementsAre("", "0", "1", "2", "3", "0", "1", "2", "3"));
    EXPECT_THAT(few.note, Mentions("number"));
    const TraceCells many = owned(writers(0, 1), 100, 100);
    EXPECT_TRUE(many.cells.rows[0].cell_texts.empty());
    EXPECT_EQ(many.note.find("its number"), std::string::npos);
}

TEST(TracePictures, OwnersPictureShowsUnwrittenRepeatedAndOutOfBounds) {
    // The writers store elements 0, 2, 4 … 14 of an array of ten, drawn in rows of eight; 10, 12 and 14 are
    // beyond the array.
    const Cells gaps = owned(writers(0, 2), 10, 8).cells;
    EXPECT_EQ(find_rows(gaps, "not written"), (Lists{{1, 3, 5, 7}, {1, 3, 5}}));
    EXPECT_EQ(find_rows(gaps, "out of bounds"), (Lists{{}, {2, 4, 6}}));
    const Cells same = owned(writers(3, 0), 4, 4).cells;
    EXPECT_EQ(find_rows(same, "written by several"), (Lists{{3}}));
    EXPECT_EQ(find_rows(same, "not written"), (Lists{{0, 1, 2}}));
    EXPECT_EQ(gaps.rows[0].hover_texts[1], "number 1: not written");
    EXPECT_THAT(gaps.rows[1].hover_texts[2], Mentions(10, 1, 1));
    EXPECT_EQ(same.rows[0].hover_texts[3], "number 3: written 8 times, last by invocation 3 of workgroup 1");
}

TEST(TracePictures, OwnersPictureShowsTheFirstOfManyRows) {
    const TraceCells many = owned(writers(0, 1), 1000, 4);
    EXPECT_EQ(many.cells.rows.size(), 64u);
    EXPECT_THAT(many.note, Mentions(64, 250));
}

TEST(TracePictures, ConflictsShowLanesThatWaitAtAnAddress) {
    TraceBuilder builder({8}, {1});
    const std::uint32_t add = builder.add(bound(SiteKind::atomic, 1)),
                        all_meet = builder.add(site_without_array(SiteKind::atomic, 2));
    builder.each([&](std::uint32_t, std::uint32_t lane) { builder.at(0, lane, all_meet, 0, {lane}); });
    // Three invocations add to one counter and find 2, 1 and 0 there. In the second subgroup only one counts.
    builder.at(0, 0, add, 0, {2});
    builder.at(0, 1, add, 0, {1});
    builder.at(0, 2, add, 0, {0});
    builder.at(0, 3, add, 4, {7});
    builder.at(0, 6, add, 8, {0});
    const auto meetings = [&] { return drawn(builder, draw_conflict_cells, count_labels).cells; };
    const Cells cells = meetings();
    EXPECT_THAT(labels_of(cells), ElementsAre("subgroup 0", "subgroup 1"));
    EXPECT_EQ(find_rows(cells, "first"), (Lists{{2}, {}}));
    EXPECT_EQ(find_rows(cells, "waits"), (Lists{{0, 1}, {}}));
    EXPECT_EQ(find_rows(cells, "alone"), (Lists{{3}, {2}}));
    EXPECT_EQ(find_rows(cells, "elsewhere"), (Lists{{}, {0, 1, 3}}));
    EXPECT_THAT(notes_of(cells), ElementsAre(Mentions(3, "address"), "no two at one address"));
}

TEST(TracePictures, ConflictsIncludeStoresWithoutAtomics) {
    TraceBuilder builder({4}, {1});
    const std::uint32_t read = builder.add(bound(SiteKind::load, 1)),
                        stored = builder.add(bound(SiteKind::store, 1)),
                        all_meet = builder.add(site_without_array(SiteKind::atomic, 2));
    for (std::uint32_t lane = 0; lane < 4; ++lane) {
        builder.at(0, lane, read, 0, {5});
        builder.at(0, lane, stored, 0, {6});
        builder.at(0, lane, all_meet, 0, {lane});
    }
    const Cells cells = drawn(builder, draw_conflict_cells, count_labels).cells;
    EXPECT_EQ(find_rows(cells, "first"), (Lists{{0}}));
    EXPECT_EQ(find_rows(cells, "waits"), (Lists{{1, 2, 3}}));
    const std::uint32_t again = builder.add(bound(SiteKind::store, 2));
    builder.at(0, 0, again, 0, {7});
    EXPECT_THAT(labels_of(drawn(builder, draw_conflict_cells, count_labels).cells),
                ElementsAre("subgroup 0", "subgroup 0, access 2"));
}

TEST(TracePictures, ConflictsIncludeASingleCounter) {
    TraceBuilder builder({4}, {1});
    const std::uint32_t all_meet = builder.add(site_without_array(SiteKind::atomic, 2));
    builder.each([&](std::uint32_t, std::uint32_t lane) { builder.at(0, lane, all_meet, 0, {3 - lane}); });
    ConflictLabels anywhere = count_labels;
    anywhere.in_arrays = false;
    const Cells cells = drawn(builder, draw_conflict_cells, anywhere).cells;
    EXPECT_EQ(find_rows(cells, "first"), (Lists{{3}}));
    EXPECT_EQ(find_rows(cells, "waits"), (Lists{{0, 1, 2}}));
}

class TracePlot : public testing::Test {
 protected:
    TracePlot() {
        auto report = std::make_shared<Report>();
        report->trace = neighbours().build();
        trace_.records = trace::decode_records(*report->trace);
        report_ = report;
        trace_.report = report;
    }
    Plot plot(const AnalyzedTrace* analyzed, std::uint32_t launch = 0) const {
        return trace_plot(
            {prepared_, nullptr, {}, analyzed}, "tree", "Who adds",
            [](const auto& trace, auto records) { return draw_levels(trace, records); }, launch);
    }
    const PreparedExperiment prepared_ = test::prepare_case(
        *find_lesson("reduction"), Values(find_lesson("reduction")->parameters), "tree_sequential");
    std::shared_ptr<Report> report_;
    AnalyzedTrace trace_;
};

TEST_F(TracePlot, IsDrawnFromTheTrace) {
    const Plot picture = plot(&trace_);
    EXPECT_EQ(picture.id, "tree");
    EXPECT_EQ(picture.origin, Origin::traced);
    EXPECT_EQ(picture.missing_reason, "");
    const auto& cells = std::get<Cells>(picture.content);
    EXPECT_EQ(cells.rows.size(), 4U);
    std::vector<std::string> legend;
    for (const Cells::Kind& kind : cells.kinds)
        legend.push_back(kind.label);
    EXPECT_THAT(legend, ElementsAre("idle", Mentions("value"), "stores", "adds"))
        << "the legend omits kinds that do not occur";
    EXPECT_EQ(find_rows(cells, "adds"), (Lists{{}, {0, 2, 4, 6}, {0, 4}, {0}}));
    EXPECT_EQ(picture.note, "");
    report_->trace->lost = 1234;
    EXPECT_THAT(plot(&trace_).note, Mentions(trace_.records.size(), trace_.records.size() + 1234))
        << "what was drawn, and of how much";
}

TEST_F(TracePlot, ReportsWhyItIsMissing) {
    EXPECT_THAT(plot(nullptr).missing_reason, HasSubstr("does not exist yet"));
    const Plot other_picture = plot(&trace_, 2);
    EXPECT_EQ(other_picture.launch, 2U);
    EXPECT_THAT(other_picture.missing_reason, HasSubstr("does not exist yet"))
        << "the trace is of the first launch";
    trace_.problem = "The device cannot record.";
    EXPECT_EQ(plot(&trace_).missing_reason, "The device cannot record.");
    trace_.problem.clear();
    trace_.records.clear();
    EXPECT_EQ(plot(&trace_).missing_reason, "") << "the trace exists and has no such access";
    EXPECT_TRUE(std::get<Cells>(plot(&trace_).content).rows.empty());
}

const auto by_address = [](const auto&... all) { return draw_address_accesses(all..., "numbers"); };

TEST(TracePictures, AtomicAccessesReadAndWriteInOneStep) {
    TraceBuilder builder({4}, {1});
    const std::uint32_t add = builder.add(bound(SiteKind::atomic, 1)),
                        read = builder.add(bound(SiteKind::load, 2));
    // Sorted by value, not by invocation: 10 follows 9. Element 0 has fewer accesses.
    builder.at(0, 0, read, 0, {3});
    for (const std::uint32_t i : {0, 1, 2})
        builder.at(0, i, add, 8, {10 - i});
    builder.at(0, 3, read, 8, {8});
    const auto [cells, note] = drawn(builder, by_address);
    EXPECT_THAT(cells.rows[0].cell_texts, ElementsAre("8", "8", "9", "10"));
    EXPECT_THAT(cells.rows[1].cell_texts, ElementsAre("", "", "", ""))
        << "the trace has no written value of an atomic";
    EXPECT_EQ(find_rows(cells, "reads and writes in one step (atomic)"), (Lists{{0, 2, 3}, {0, 2, 3}}));
    EXPECT_EQ(cells.rows[0].hover_texts[3], "invocation 0 finds 10 and changes it");
    EXPECT_THAT(note, StartsWith("Accesses to numbers[2], sorted by the value that each found;"));
}

TEST(TracePictures, AtomicAdditionsShowWhatTheyAdd) {
    TraceBuilder builder({2}, {1});
    trace::Site site = bound(SiteKind::atomic, 1);
    site.adds = true;
    const std::uint32_t add = builder.add(site);
    builder.at(0, 0, add, 0, {64, 64});
    builder.at(0, 1, add, 0, {0, 60});
    const auto [cells, note] = drawn(builder, by_address);
    EXPECT_THAT(cells.rows[0].cell_texts, ElementsAre("0", "64"));
    EXPECT_THAT(cells.rows[1].cell_texts, ElementsAre("+60", "+64"));
    EXPECT_EQ(cells.rows[1].hover_texts[1], "invocation 0 finds 64 and adds 64");
}

TEST(TracePictures, AStoreBelongsToTheLoadBeforeIt) {
    TraceBuilder builder({3}, {1});
    const std::uint32_t stored = builder.add(bound(SiteKind::store, 1)),
                        waits = builder.add(barrier(2, true)), read = builder.add(bound(SiteKind::load, 3)),
                        written = builder.add(bound(SiteKind::store, 4));
    builder.at(0, 2, stored, 0, {7});
    builder.all_wait(waits);
    builder.at(0, 0, read, 0, {7});
    builder.at(0, 0, written, 0, {5});
    builder.at(0, 1, read, 0, {7});
    builder.at(0, 2, read, 0, {7});
    builder.at(0, 2, written, 0, {6});
    builder.all_wait(waits);
    builder.at(0, 1, written, 0, {9});
    const auto [cells, note] = drawn(builder, by_address);
    EXPECT_THAT(cells.rows[0].cell_texts, ElementsAre("", "7", "7", "7", "", "", ""));
    EXPECT_THAT(cells.rows[1].cell_texts, ElementsAre("7", "", "", "", "5", "6", "9"));
    // Invocation 1 writes after the barrier, so its write loses none.
    EXPECT_EQ(find_rows(cells, "read the same value: all writes but one are lost"), (Lists{{1, 3}, {4, 5}}));
    EXPECT_EQ(find_rows(cells, "reads"), (Lists{{2}, {}}));
    EXPECT_THAT(note, Mentions(2, "same value"));
}

TEST(TracePictures, ShowsTheFirstOfManyAccessesToAnElement) {
    TraceBuilder builder({20}, {1});
    const std::uint32_t add = builder.add(trace::test::site_of(SiteKind::atomic, trace::MemorySpace::buffer,
                                                               "numbers", 1, trace::ValueType::i32));
    for (std::uint32_t i = 0; i < 20; ++i)
        builder.at(0, i, add, 0, {i - 10});
    const auto [cells, note] = drawn(builder, by_address);
    ASSERT_EQ(cells.rows[0].cell_texts.size(), 12U);
    EXPECT_EQ(cells.rows[0].cell_texts.front(), "-10");
    EXPECT_THAT(note, Mentions(12, 20, "accesses"));
    EXPECT_THAT(
        drawn(builder, [](const auto&... all) { return draw_address_accesses(all..., "others"); }).cells.rows,
        IsEmpty());
}

/// A subgroup of four lanes executes lines 1 and 2 as often as asked for, and two accesses on line 3.
trace::Trace looping(std::uint32_t times) {
    TraceBuilder builder({4}, {1});
    const std::uint32_t load = builder.add(bound(SiteKind::load, 3)),
                        stored = builder.add(bound(SiteKind::store, 3));
    for (const std::uint32_t line : {1U, 2U}) {
        trace::Site branch = trace::test::site_of(SiteKind::branch, trace::MemorySpace::workgroup, "", line);
        branch.counts_true = true;
        builder.add(branch);
    }
    builder.each([&](std::uint32_t group, std::uint32_t lane) {
        if (lane < 2) builder.at(group, lane, load, 4 * lane);
    });
    builder.each([&](std::uint32_t group, std::uint32_t lane) {
        if (lane < 2) builder.at(group, lane, stored, 4 * lane);
    });
    // Lane 0 records for lanes 0 and 1.
    builder.trace().ballots = true;
    for (const std::size_t record : {0, 2})
        builder.words()[record * trace::words::length + trace::words::invocation] |= 1U << 31;
    std::vector<std::uint32_t> branches;
    const auto add = [&](std::uint32_t number, std::uint32_t earlier, std::uint32_t active,
                         std::uint32_t taken_mask) {
        branches.insert(branches.end(), {number, 0, 0, 0, earlier, 0, active, taken_mask});
    };
    for (std::uint32_t i = 0; i < times; ++i)
        add(0, 0, 0b1111, 0b0011);
    add(1, 4, 0b1100, 0b1000);
    trace::Trace trace = builder.build();
    trace.branch_words = share(std::span<const std::uint32_t>(branches));
    return trace;
}

TEST(TracePictures, ShowsTheLanesOfEachExecutionOfALine) {
    const trace::Trace trace = looping(2);
    const auto [cells, note] = draw_lanes(trace, trace::decode_records(trace));
    EXPECT_THAT(labels_of(cells), ElementsAre("line 1", "line 1 \u00B7 2", "line 3", "line 2"))
        << "in the order of the trace, and one row for both accesses of line 3";
    EXPECT_EQ(find_rows(cells, "active, condition true"), (Lists{{0, 1}, {0, 1}, {}, {3}}));
    EXPECT_EQ(find_rows(cells, "active, condition false"), (Lists{{2, 3}, {2, 3}, {}, {2}}));
    EXPECT_EQ(find_rows(cells, "active"), (Lists{{}, {}, {0, 1}, {}}));
    EXPECT_EQ(find_rows(cells, "not active"), (Lists{{}, {}, {2, 3}, {0, 1}}));
    EXPECT_EQ(cells.rows[3].note, "2 of 4 active, condition true for 1");
    EXPECT_THAT(note, Not(HasSubstr("evenly")));
}

TEST(TracePictures, SamplesManyExecutionsEvenly) {
    const trace::Trace trace = looping(1000);
    const auto [cells, note] = draw_lanes(trace, trace::decode_records(trace));
    ASSERT_EQ(cells.rows.size(), 32U);
    EXPECT_EQ(cells.rows.front().label, "line 1");
    EXPECT_EQ(cells.rows.back().label, "line 2");
    EXPECT_THAT(note, Mentions(32, 1002, "evenly"));
}

TEST(TracePictures, ShowsTheSectorsOfStoresOnRequest) {
    TraceBuilder builder({4}, {1});
    const std::uint32_t load = builder.add(bound(SiteKind::load, 5)),
                        store = builder.add(bound(SiteKind::store, 6, 1));
    for (std::uint32_t lane = 0; lane < 4; ++lane) {
        builder.at(0, lane, load, 4 * lane);
        builder.at(0, lane, store, 128 * lane);
    }
    const auto draw = [](const auto& trace, auto records, bool with_stores) {
        return draw_first_sectors(trace, records, with_stores);
    };
    EXPECT_THAT(labels_of(drawn(builder, draw, false).cells), ElementsAre("load 1"));
    const Cells both = drawn(builder, draw, true).cells;
    EXPECT_THAT(labels_of(both), ElementsAre("line 5, load 1", "line 6, store 1"));
    EXPECT_THAT(notes_of(both), ElementsAre("1 sector, 50\u00A0% used", "4 sectors, 12.5\u00A0% used"));
}

TEST(TracePictures, ShowsTheWordsOfARequestPerBank) {
    TraceBuilder builder({4}, {1});
    builder.trace().banks = 4;
    builder.trace().banks_note = "4 banks.";
    const std::uint32_t load = builder.add(trace::test::shared(SiteKind::load, 5));
    for (std::uint32_t lane = 0; lane < 4; ++lane)
        builder.at(0, lane, load, 4 * (lane < 2 ? 1 : 4 * lane));  // word 1 twice, words 8 and 12
    const auto [cells, note] = drawn(builder, [](const auto&... all) { return draw_bank_turns(all...); });
    ASSERT_EQ(cells.rows.size(), 1U);
    EXPECT_THAT(cells.rows[0].cell_texts, ElementsAre("2", "1", "", ""));
    EXPECT_EQ(cells.rows[0].note, "reads sums: 2 turns");
    EXPECT_EQ(find_rows(cells, "several words: one turn each"), (Lists{{0}}));
    EXPECT_THAT(note, Mentions("traced addresses", 4, "banks"));
}

TEST(TracePictures, ShowsWorkgroupsPerMultiprocessorAndTime) {
    TraceBuilder builder({4}, {3});
    const auto by_time = [](const auto&... all) { return draw_placements(all...); };
    EXPECT_THAT(drawn(builder, by_time).note, HasSubstr("does not report"));
    builder.trace().placements = {{7, 1000, 1320}, {7, 1160, 1640}, {2, 1320, 1639}};
    const auto [cells, note] = drawn(builder, by_time);
    EXPECT_THAT(labels_of(cells), ElementsAre("multiprocessor 2", "multiprocessor 7"));
    EXPECT_THAT(notes_of(cells), ElementsAre("1 workgroup", "2 workgroups"));
    // A cell is 10 ticks; the third workgroup begins in cell 32.
    const Lists two = find_rows(cells, "several"), none = find_rows(cells, "no workgroup");
    EXPECT_THAT(two[1], AllOf(SizeIs(17), testing::Contains(16U), testing::Contains(32U)));
    EXPECT_THAT(none[0], SizeIs(32));
    EXPECT_THAT(none[1], IsEmpty());
}

}  // namespace gridstride::trace_pictures_test
