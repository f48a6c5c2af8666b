// Tests a workgroup's rows over time and the memory at each row, with records that are written by hand.
#include "trace/workgroup_timeline.h"

#include "test_includes.h"

namespace gridstride::trace::lanes_test {

Site access(SiteKind kind, const char* variable, std::uint32_t line) {
    Site site;
    site.kind = kind;
    site.variable = variable;
    site.line = line;
    site.bytes = site.element_bytes = 4;
    site.variable_bytes = 64;
    site.value = ValueType::u32;
    return site;
}

/// A workgroup of a few lanes. Tests may interleave lanes freely, but add each lane's accesses in order.
class WorkgroupTimelineTest : public testing::Test {
 protected:
    WorkgroupTimelineTest() {
        Site barrier;
        barrier.kind = SiteKind::barrier;
        trace_.sites = {access(SiteKind::load, "a", 1), access(SiteKind::store, "a", 2), barrier,
                        access(SiteKind::load, "a", 4), access(SiteKind::atomic, "b", 5)};
        trace_.workgroup = {4};
        trace_.grid = {2};
        trace_.last_workgroup = 1;
    }
    void does(std::uint16_t lane, std::uint32_t site, std::uint64_t element = 0, std::uint32_t value = 0,
              std::uint32_t out_of_bounds_mask = 0, std::uint32_t workgroup = 0) {
        Record record;
        record.site = site;
        record.workgroup = workgroup;
        record.invocation = lane;
        record.out_of_bounds_mask = out_of_bounds_mask;
        record.offset = element * 4;
        record.value[0] = value;
        std::uint32_t& epoch = epochs_[{workgroup, lane}];
        record.epoch = record.subgroup_epoch = epoch;
        if (trace_.sites[site].kind == SiteKind::barrier) ++epoch;
        records_by_lane_[{workgroup, lane}].push_back(record);
    }
    WorkgroupTimeline lanes(std::uint64_t workgroup = 0) {
        records_.clear();
        for (auto& [lane, all] : records_by_lane_)
            for (Record& record : all)
                records_.push_back(record);
        return WorkgroupTimeline(trace_, records_, workgroup);
    }
    /// Formats each row as "2.1: 0 1 3": site and turn, then the lanes.
    std::vector<std::string> rows(const WorkgroupTimeline& lanes) const {
        std::vector<std::string> all;
        for (const TimelineRow& row : lanes.rows()) {
            std::string text = std::to_string(row.site) + "." + std::to_string(row.iteration) + ":";
            for (const std::uint32_t record : lanes.at(row))
                text += " " + std::to_string(records_[record].invocation);
            all.push_back(text);
        }
        return all;
    }

    Trace trace_;
    std::map<std::pair<std::uint32_t, std::uint16_t>, std::vector<Record>> records_by_lane_;
    std::map<std::pair<std::uint32_t, std::uint16_t>, std::uint32_t> epochs_;
    std::vector<Record> records_;
};

TEST_F(WorkgroupTimelineTest, OneSiteIsOneRowAndBarriersEndEpochs) {
    for (const std::uint16_t lane : {3, 0, 2}) {
        does(lane, 0);
        does(lane, 1);
        does(lane, 2);
    }
    does(0, 0);
    EXPECT_THAT(rows(lanes()), ElementsAre("0.0: 0 2 3", "1.0: 0 2 3", "2.0: 0 2 3", "0.1: 0"));
    EXPECT_EQ(lanes().rows()[3].epoch, 1U);
}

TEST_F(WorkgroupTimelineTest, EachLoopIterationIsARowDespiteDivergence) {
    // for (…) { read a; if (…) write a; }: lane 0 writes in the first turn, lane 1 in the second.
    for (const std::uint32_t site : {0, 1, 0})
        does(0, site);
    for (const std::uint32_t site : {0, 0, 1})
        does(1, site);
    EXPECT_THAT(rows(lanes()), ElementsAre("0.0: 0 1", "1.0: 0", "0.1: 0 1", "1.1: 1"));
}

TEST_F(WorkgroupTimelineTest, KeepsTheOrderOfEachLane) {
    for (const std::uint32_t site : {3, 1, 2, 1, 0, 2, 0, 0, 4, 3})
        does(1, site);
    for (const std::uint32_t site : {0, 2, 0, 2, 3, 0})
        does(2, site);
    const WorkgroupTimeline timeline = lanes();
    for (std::size_t i = 1; i < records_.size(); ++i)
        if (records_[i].invocation == records_[i - 1].invocation) {
            EXPECT_LT(timeline.row_of(static_cast<std::uint32_t>(i - 1)),
                      timeline.row_of(static_cast<std::uint32_t>(i)));
        }
}

TEST_F(WorkgroupTimelineTest, ShowsOneWorkgroupAndFindsItsRecords) {
    does(0, 0);
    does(2, 1, 5, 42, 0, 1);
    const WorkgroupTimeline second = lanes(1);
    EXPECT_THAT(rows(second), ElementsAre("1.0: 2"));
    EXPECT_FALSE(second.has(0));
    EXPECT_TRUE(second.has(1));
    EXPECT_EQ(second.record_at(0, 2), 1U);
    EXPECT_EQ(second.record_at(0, 1), no_record);
    EXPECT_EQ(second.first_cell(1), 5U);
    EXPECT_TRUE(lanes(7).rows().empty());
}

TEST_F(WorkgroupTimelineTest, CellHasItsValueAndLastWriterAtEachStep) {
    does(0, 0, 5, 10);  // row 0: reads 10
    does(1, 1, 5, 11);  // row 1: writes 11
    does(0, 2);
    does(1, 2);         // row 2
    does(0, 3, 5, 11);  // row 3: reads 11
    const WorkgroupTimeline timeline = lanes();
    ASSERT_EQ(timeline.rows().size(), 4U);
    const auto value = [&](std::size_t row) { return records_[timeline.cell(0, 5, row).value].value[0]; };
    EXPECT_EQ(value(0), 10U);
    EXPECT_EQ(timeline.cell(0, 5, 0).writer, no_record);
    EXPECT_EQ(value(1), 11U);
    EXPECT_EQ(records_[timeline.cell(0, 5, 1).writer].invocation, 1);
    EXPECT_NE(timeline.cell(0, 5, 1).now, no_record);
    EXPECT_EQ(timeline.cell(0, 5, 2).now, no_record);
    EXPECT_EQ(value(2), 11U);
    EXPECT_EQ(records_[timeline.cell(0, 5, 3).writer].invocation, 1);
    EXPECT_EQ(timeline.cell(0, 6, 3).value, no_record);
    EXPECT_EQ(timeline.accesses_to(0, 5).size(), 3U);
}

TEST_F(WorkgroupTimelineTest, AtomicResultIsKnownFromTheNextAtomic) {
    does(0, 4, 0, 7);
    does(0, 2);
    does(1, 2);
    does(1, 4, 0, 8);
    const WorkgroupTimeline timeline = lanes();
    const std::size_t b = *timeline.variable_index(4);
    EXPECT_EQ(timeline.variables()[b].name, "b");
    EXPECT_EQ(records_[timeline.cell(b, 0, 0).value].value[0], 8U) << "7 is the value before the atomic";
    EXPECT_EQ(timeline.cell(b, 0, 2).value, no_record) << "nothing reads the value after the last atomic";
    EXPECT_EQ(records_[timeline.cell(b, 0, 2).writer].invocation, 1);
}

TEST_F(WorkgroupTimelineTest, OutOfBoundsAccessTouchesNoCell) {
    does(0, 1, 3, 1, 1);
    does(0, 1, 16, 1);  // one past the last of 16
    const WorkgroupTimeline timeline = lanes();
    EXPECT_TRUE(timeline.accesses_to(0).empty());
    EXPECT_EQ(timeline.rows().size(), 2U);
}

TEST_F(WorkgroupTimelineTest, VectorAccessTouchesEachElement) {
    trace_.sites[1].bytes = 16;
    does(0, 1, 4);
    const WorkgroupTimeline timeline = lanes();
    ASSERT_EQ(timeline.accesses_to(0).size(), 4U);
    EXPECT_EQ(timeline.accesses_to(0).front().cell, 4U);
    EXPECT_EQ(timeline.accesses_to(0).back().cell, 7U);
}

TEST_F(WorkgroupTimelineTest, NestedArrayHasACellForEachInnerElement) {
    // The variable has four rows of four numbers. One site writes a number, and another reads a whole row.
    for (const std::size_t site : {0, 1, 3})
        trace_.sites[site].element_bytes = 16;
    trace_.sites[3].bytes = 16;
    does(0, 1, 6);
    does(0, 3, 4);
    const WorkgroupTimeline timeline = lanes();
    const Variable& rows = timeline.variables()[0];
    EXPECT_EQ(rows.cells, 16U);
    EXPECT_EQ(rows.cells_per_element(), 4U);
    EXPECT_EQ(cell_text(rows, 6), "a[1][2]");
    EXPECT_EQ(cell_text(timeline.variables()[1], 6), "b[6]");
    ASSERT_EQ(timeline.accesses_to(0, 6).size(), 2U);
    EXPECT_EQ(timeline.cell(0, 6, 0).writer, 0U);
    EXPECT_EQ(timeline.accesses_to(0, 5).size(), 1U) << "only the row access touches it";
    EXPECT_EQ(timeline.accesses_to(0, 8).size(), 0U);
}

}  // namespace gridstride::trace::lanes_test
