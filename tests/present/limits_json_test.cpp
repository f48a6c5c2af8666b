#include "present/limits_json.h"

#include <nlohmann/json.hpp>

#include "test_includes.h"

namespace gridstride::limits_json_test {

TEST(LimitsJson, ListTheExplanationsOfAFinding) {
    RunLimits limits;
    limits.findings.push_back({.kind = LimitKind::last_wave,
                               .explanations = {{"Waves end late.", "the time steps"},
                                                {"There are no waves.", "the time grows evenly"}},
                               .experiment = "grid"});
    const Json finding = limits_json(Report(), limits)["findings"][0];
    EXPECT_EQ(finding["experiment"], "grid");
    EXPECT_EQ(finding["explanations"],
              Json({{{"cause", "Waves end late."}, {"sweep_result", "the time steps"}},
                    {{"cause", "There are no waves."}, {"sweep_result", "the time grows evenly"}}}));
    limits.findings[0].explanations.clear();
    limits.findings[0].experiment.clear();
    EXPECT_TRUE(limits_json(Report(), limits)["findings"][0]["explanations"].is_array());
    EXPECT_TRUE(limits_json(Report(), limits)["findings"][0]["experiment"].is_null());
}

}  // namespace gridstride::limits_json_test
