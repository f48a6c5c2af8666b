// Tests how often each element of a buffer is loaded, in a trace that the test writes by hand.
#include "figures/load_counts.h"

#include "test_includes.h"
#include "trace/trace_builder.h"

namespace gridstride::load_counts_test {

using trace::SiteKind;
using trace::test::bound;
using trace::test::TraceBuilder;

/// In a buffer of eight elements, two invocations load the first four in one access, one of them loads the
/// fifth twice, and one stores the last.
TraceBuilder loads() {
    TraceBuilder builder({2}, {1});
    builder.trace().buffers[0].elements = 8;
    const std::uint32_t four = builder.add(trace::test::vector(bound(SiteKind::load, 1), 4)),
                        one = builder.add(bound(SiteKind::load, 2)),
                        stored = builder.add(bound(SiteKind::store, 3)),
                        other = builder.add(bound(SiteKind::load, 4, 1));
    builder.at(0, 0, four, 0);
    builder.at(0, 1, four, 0);
    builder.at(0, 0, one, 16);
    builder.at(0, 0, one, 16);
    builder.at(0, 1, one, 1 << 20, {}, /*out_of_bounds_mask=*/1);
    builder.at(0, 1, stored, 28);
    builder.at(0, 1, other, 8);
    return builder;
}

TEST(LoadCounts, CountLoadsPerElement) {
    const trace::Trace trace = loads().build();
    const std::array<CountedBuffer, 2> buffers{{{"numbers", 4}, {"others", 32}}};
    const TraceCells load_cells = draw_load_counts(trace, decode_records(trace), buffers);
    ASSERT_EQ(load_cells.cells.numbers.size(), 2u);
    const Cells::Numbers& numbers = load_cells.cells.numbers[0];
    EXPECT_EQ(numbers.label, "numbers: up to 2 times");
    EXPECT_EQ(numbers.width, 4u);
    EXPECT_EQ(numbers.high, 2);
    const auto counts = numbers.values->as<std::uint32_t>();
    EXPECT_THAT(std::vector(counts.begin(), counts.end()), ElementsAre(2, 2, 2, 2, 2, 0, 0, 0));
    EXPECT_EQ(load_cells.cells.numbers[1].label, "others: up to 1 time");
    EXPECT_EQ(load_cells.cells.numbers[1].values->as<std::uint32_t>()[2], 1u);
}

TEST(LoadCounts, CountLoadsPerRow) {
    const trace::Trace trace = loads().build();
    const TraceCells load_cells = draw_row_load_counts(trace, decode_records(trace), {"numbers", 4});
    ASSERT_EQ(load_cells.cells.rows.size(), 2u);
    EXPECT_EQ(load_cells.cells.rows[0].note, "read 2 times");
    EXPECT_THAT(load_cells.cells.rows[1].cell_texts, ElementsAre("2", "0", "0", "0"));
    EXPECT_THAT(load_cells.cells.rows[1].note, Mentions("0.5", "average"));
}

}  // namespace gridstride::load_counts_test
