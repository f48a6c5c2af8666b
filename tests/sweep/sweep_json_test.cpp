#include "sweep/sweep_text.h"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "jobs/sweep_case.h"

namespace gridstride::lab::tests {
namespace {

TEST(SweepJson, HasTheDocumentedShape) {
    TimedLab lab;
    Sweep sweep = lab.start(make_spec({elements("1000,2000"), sizes("64,4000")}));
    lab.execute(sweep, 1);
    const auto json = to_json(sweep);
    EXPECT_EQ(json.at("schema_version"), 1);
    EXPECT_EQ(json.at("lesson"), "reduction");
    EXPECT_EQ(json.at("axes").at(1).at("parameter"), "workgroup_size");
    EXPECT_EQ(json.at("axes").at(1).at("unit"), "invocations");
    EXPECT_EQ(json.at("axes").at(0).at("values").at(1), 2000);
    ASSERT_EQ(json.at("cells").size(), 4u);
    const auto& cell = json.at("cells").at(0);
    EXPECT_EQ(cell.at("status"), "ok");
    EXPECT_EQ(cell.at("values").at("elements"), 1000);
    EXPECT_EQ(cell.at("kernel_ns").at("samples"), 10);
    EXPECT_GT(cell.at("kernel_ns").at("median_error").get<double>(), 0);
    EXPECT_EQ(json.at("cells").at(1).at("status"), "refused");
    EXPECT_EQ(json.at("cells").at(2).at("status"), "pending");
    EXPECT_TRUE(json.at("cells").at(2).at("kernel_ns").is_null());
    EXPECT_EQ(json.at("best").at("values").at("workgroup_size"), 64);
    EXPECT_TRUE(json.at("best").at("ties").empty());
    EXPECT_EQ(json.at("advice").size(), 4u);
    EXPECT_TRUE(json.at("advice").at(2).at("holds").is_null());
    EXPECT_EQ(json.at("complete"), false);
}

}  // namespace
}  // namespace gridstride::lab::tests
