#include "base/error.h"

#include "test_includes.h"

namespace gridstride::error_test {

TEST(Refusal, JoinsAllReasonsInItsMessage) {
    const Refusal refusal(std::vector<std::string>{"Too many.", "Too wide."});
    EXPECT_STREQ(refusal.what(), "Too many. Too wide.");
    EXPECT_EQ(refusal.reasons, (std::vector<std::string>{"Too many.", "Too wide."}));
}

TEST(Refusal, AcceptsOneReason) {
    const Refusal refusal(std::string("Too many."));
    EXPECT_STREQ(refusal.what(), "Too many.");
    EXPECT_EQ(refusal.reasons.size(), 1u);
}

}  // namespace gridstride::error_test
