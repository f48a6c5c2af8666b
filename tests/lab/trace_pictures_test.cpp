// Tests the pictures of shipped kernels, traced on this device, against counts computed by hand; and of
// kernels that a user has changed.
#include "figures/trace_pictures.h"

#include "base/units.h"
#include "figures/figures.h"
#include "lab/reduction_lab.h"
#include "test_includes.h"
#include "trace/trace.h"

namespace gridstride::lab::trace_pictures_test {

using Lists = std::vector<std::vector<std::size_t>>;

class TracePictures : public ReductionLab {
 protected:
    void SetUp() override { GRIDSTRIDE_ONCE(); }
    static Request request_of(const std::string& lesson, const std::string& variant, std::uint64_t elements,
                              std::uint64_t workgroup_size) {
        return ReductionLab::request_of(lesson, variant,
                                        {{"elements", elements}, {"workgroup_size", workgroup_size}});
    }
    /// Returns the lesson's picture of a trace of the request.
    static Plot picture(Request request, const std::string& id, std::uint32_t launch = 0) {
        request.trace_options = TraceOptions{.launch = launch};
        const Report report = run(request);
        AnalyzedTrace analyzed_trace{.report = std::make_shared<const Report>(report),
                                     .problem = report.trace ? report.trace->reason : report.message};
        if (analyzed_trace.problem.empty()) analyzed_trace.records = trace::decode_records(*report.trace);
        const PreparedExperiment prepared = prepare(request.experiment, report.device);
        for (Plot& plot : make_plots({prepared, nullptr, {}, &analyzed_trace}))
            if (plot.id == id) return std::move(plot);
        return {};
    }
    static Cells cells(const Plot& plot) {
        EXPECT_EQ(plot.origin, Origin::traced);
        EXPECT_EQ(plot.missing_reason, "");
        return std::get<Cells>(plot.content);
    }
    /// Returns the cells of this kind, for each row that has any.
    static Lists find_rows(const Cells& cells, const std::string& label) {
        Lists all;
        for (const Cells::Row& row : cells.rows) {
            std::vector<std::size_t> some;
            for (std::size_t i = 0; i < row.kinds.size(); ++i)
                if (cells.kinds.at(row.kinds[i]).label == label) some.push_back(i);
            if (!some.empty()) all.push_back(std::move(some));
        }
        return all;
    }
    static Lists adders(const std::string& variant, std::uint64_t size) {
        return find_rows(cells(picture(request_of("reduction", variant, 1024, size), "tree")), "adds");
    }
    /// Returns the notes of a tree over 128, such as "64 of 128 add, in 8 subgroups".
    static std::vector<std::string> tree_notes(const std::string& variant) {
        std::vector<std::string> notes;
        for (const Cells::Row& row : cells(picture(request_of("reduction", variant, 1024, 128), "tree")).rows)
            notes.push_back(row.note);
        return notes;
    }
    /// Returns the note for `adding` invocations, `apart` lanes apart, in as many subgroups as contain one of
    /// them.
    static std::string note(std::size_t adding, std::size_t apart) {
        const std::size_t width = client_->limits().subgroup_size;
        std::size_t subgroups = 0;
        for (std::size_t i = 0, last = SIZE_MAX; i < adding * apart; i += apart)
            if (i / width != last) ++subgroups, last = i / width;
        return fmt::format("{} of 128 add, in {}", adding, counted(subgroups, "subgroup"));
    }
    static KernelSource changed(const std::string& file, const std::string& what, const std::string& by) {
        std::string text = read_file(data_directory() / "shaders" / file);
        const std::size_t at = text.find(what);
        EXPECT_NE(at, std::string::npos);
        return {text.replace(at, what.size(), by), "mine.comp", ""};
    }
};

TEST_F(TracePictures, TreeOf128HalvesItsActiveLanes) {
    const std::string stores = tree_notes("tree_sequential").front();
    EXPECT_THAT(stores, StartsWith("128 of 128 store"));
    EXPECT_THAT(tree_notes("tree_sequential"), ElementsAre(stores, note(64, 1), note(32, 1), note(16, 1),
                                                           note(8, 1), note(4, 1), note(2, 1), note(1, 1)));
    for (const char* spread : {"tree_interleaved", "tree_masked"})
        EXPECT_THAT(tree_notes(spread), ElementsAre(stores, note(64, 2), note(32, 4), note(16, 8),
                                                    note(8, 16), note(4, 32), note(2, 64), note(1, 128)))
            << spread;
}

TEST_F(TracePictures, TreeShowsTheInvocationsThatAdd) {
    EXPECT_EQ(adders("tree_interleaved", 8), (Lists{{0, 2, 4, 6}, {0, 4}, {0}}));
    EXPECT_EQ(adders("tree_packed", 8), (Lists{{0, 1, 2, 3}, {0, 1}, {0}}));
    // The last of five has no neighbor until the others are one value: 0 + 1, 2 + 3, then 0 + 2, then 0 + 4.
    EXPECT_EQ(adders("tree_packed", 5), (Lists{{0, 1}, {0}, {0}}));
    EXPECT_EQ(adders("tree_sequential", 5), (Lists{{0, 1}, {0}, {0}}));
    EXPECT_EQ(adders("tree_first_add", 2), (Lists{{0}}));
    EXPECT_EQ(adders("atomic_global", 4), (Lists{{0, 1, 2, 3}}));
    EXPECT_EQ(adders("subgroup", 16), (Lists{})) << "it uses only registers";
}

TEST_F(TracePictures, TreeFollowsAnEditedKernel) {
    Request edited = request_of("reduction", "tree_sequential", 1024, 8);
    // The changed kernel adds the lower half to the upper one until the end.
    edited.experiment.kernel = changed(
        "reduction/tree_sequential.comp", "sums[lane] += sums[lane + keep];",
        "{}\n            if (lane >= size - values && lane + keep < size) sums[lane + keep] += sums[lane];");
    const Cells drawn = cells(picture(edited, "tree"));
    EXPECT_EQ(find_rows(drawn, "adds"), (Lists{{0, 1, 2, 3}, {4, 5}, {6}}));
}

TEST_F(TracePictures, PassesFollowTheLoop) {
    Request request = request_of("reduction", "grid_stride_plain", 19, 2);
    request.experiment.values.set(key::workgroup_count.id, std::uint64_t{4});
    const Cells drawn = cells(picture(request, "passes"));
    ASSERT_EQ(drawn.rows.size(), 3U);
    EXPECT_THAT(find_rows(drawn, "workgroup 0"), Each(ElementsAre(0, 1)));
    EXPECT_EQ(find_rows(drawn, "no further element"), (Lists{{3, 4, 5, 6, 7}}));
    EXPECT_EQ(drawn.rows[2].note, "numbers 16 to 18");
}

TEST_F(TracePictures, AccessMapFollowsTheKernel) {
    Request request = request_of("gaussian", "grid_stride", 64, 8);
    request.experiment.values.set(key::workgroup_count.id, std::uint64_t{2});
    const Plot strided = picture(request, "who");
    EXPECT_THAT(strided.note, Mentions(0, 1, 4, 16));
    EXPECT_THAT(find_rows(cells(strided), "its first"),
                ElementsAre(ElementsAre(0), ElementsAre(1), ElementsAre(2), ElementsAre(3), ElementsAre(4),
                            ElementsAre(5)));
    EXPECT_THAT(find_rows(cells(strided), "its later ones"), Contains(ElementsAre(16, 32, 48)));
    const Plot quads = picture(request_of("gaussian", "vec4", 1024, 128), "who");
    EXPECT_THAT(find_rows(cells(quads), "its first"), Contains(ElementsAre(4, 5, 6, 7)));
    const Plot fused = picture(request_of("hidden_layer", "fused", 4096, 64), "who");
    EXPECT_THAT(find_rows(cells(fused), "its first"), Contains(ElementsAre(20, 21, 22, 23)));
}

/// For the lanes of the first subgroup, the numbers alone determine each bin's position.
TEST_F(TracePictures, ContentionFollowsFromTheInput) {
    const Lesson& histogram = *find_lesson("histogram");
    Request request = request_of("histogram", "atomic_global", 4096, 64);
    request.experiment.values.set("bins", std::uint64_t{1});
    const Cells one_bin = cells(picture(request, "contention"));
    const ArrayRef values = histogram.input(request.experiment.values).front().array;
    const auto low = std::get<double>(request.experiment.values.at("range_min"));
    const auto high = std::get<double>(request.experiment.values.at("range_max"));
    std::size_t inside = 0;
    const std::size_t width = std::min<std::size_t>(64, client_->limits().subgroup_size);
    for (std::size_t i = 0; i < width; ++i)
        inside += values->number(i) >= low && values->number(i) < high;
    ASSERT_GT(inside, 1U);
    EXPECT_EQ(one_bin.rows.front().note, fmt::format("up to {} at one address", inside));
    EXPECT_EQ(find_rows(one_bin, "waits").front().size(), inside - 1);
    // Each lane has its own copy of the bins, so the same numbers cause no conflict.
    request.experiment.variant = "subgroup_replicas";
    for (const Cells::Row& row : cells(picture(request, "contention")).rows)
        EXPECT_EQ(row.note, "no two at one address");
    request.experiment.variant = "race";
    EXPECT_THAT(find_rows(cells(picture(request, "contention")), "overwritten"), Not(IsEmpty()));
}

TEST_F(TracePictures, ContentionCountsAllLanesAtOneCounter) {
    const std::size_t width = std::min<std::size_t>(128, client_->limits().subgroup_size);
    const Cells met = cells(picture(request_of("reduction", "atomic_global", 1024, 128), "contention"));
    ASSERT_FALSE(met.rows.empty());
    for (const Cells::Row& row : met.rows)
        EXPECT_EQ(row.note, fmt::format("up to {} at one address", width));
    for (const std::vector<std::size_t>& later : find_rows(met, "adds after another"))
        EXPECT_EQ(later.size(), width - 1);
}

TEST_F(TracePictures, PrefixSumFollowsTheKernel) {
    const Request request = request_of("zero_suppression", "compact", 8 * 40, 40);
    const Cells drawn = cells(picture(request, "scan", 2));
    ASSERT_EQ(drawn.rows.size(), 6U) << "1, 2, 4, 8, 16, 32 to the left";
    // Each number has one bit set, its invocation's, so the rows show which invocations a sum includes.
    std::vector<std::uint64_t> sums(40);
    for (std::size_t i = 0; i < sums.size(); ++i)
        sums[i] = std::uint64_t{1} << i;
    std::size_t distance = 1;
    for (const std::vector<std::size_t>& adding : find_rows(drawn, "adds a value from its left")) {
        const auto before = sums;
        for (const std::size_t i : adding)
            sums[i] += before.at(i - distance);
        distance *= 2;
    }
    for (std::size_t i = 0; i < sums.size(); ++i)
        EXPECT_EQ(sums[i], (std::uint64_t{2} << i) - 1) << i;
}

}  // namespace gridstride::lab::trace_pictures_test
