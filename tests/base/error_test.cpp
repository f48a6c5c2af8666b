#include "base/error.h"

#include <gtest/gtest.h>

namespace gridstride::tests {
namespace {

TEST(Refusal, SaysAllReasonsAtOnceAndKeepsThemApart) {
    const Refusal refusal(std::vector<std::string>{"Too many.", "Too wide."});
    EXPECT_STREQ(refusal.what(), "Too many. Too wide.");
    EXPECT_EQ(refusal.reasons, (std::vector<std::string>{"Too many.", "Too wide."}));
}

TEST(Refusal, TakesOneReason) {
    const Refusal refusal(std::string("Too many."));
    EXPECT_STREQ(refusal.what(), "Too many.");
    EXPECT_EQ(refusal.reasons.size(), 1u);
}

}  // namespace
}  // namespace gridstride::tests
