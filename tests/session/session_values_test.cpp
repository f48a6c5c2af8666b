// What the window does with values that are typed, against a lab that answers as the test says.
#include "session/session_case.h"
#include "test_includes.h"

namespace gridstride::ui::session_values_test {

using testing::HasSubstr;

class SessionValuesTest : public SessionTest {
 protected:
    SessionValuesTest() {
        open("gaussian", 0);
        session_.pump();
        session_.run();
        reply();
    }
    void type(std::string_view parameter, std::string_view text) {
        session_.set_text(*find(session_.lesson().parameters, parameter), text);
    }
    std::string refused() const {
        std::string texts;
        for (const Remark& remark : session_.bench().remarks())
            if (remark.severity == Severity::refusal) texts += remark.parameter + ": " + remark.text + "\n";
        return texts;
    }
};

TEST_F(SessionValuesTest, ATextThatCannotBeReadChangesNothing) {
    const Values before = session_.bench().values();
    const std::size_t request_count = lab_.requests.size();
    type("sigma", "nan");
    EXPECT_THAT(refused(), HasSubstr("sigma: sigma = nan"));
    EXPECT_EQ(session_.bench().values(), before);
    EXPECT_TRUE(session_.bench().valid());
    EXPECT_FALSE(session_.stale());
    EXPECT_EQ(lab_.requests.size(), request_count);
    type("elements", "abc");
    EXPECT_THAT(refused(), HasSubstr("elements: "));
    EXPECT_THAT(refused(), testing::Not(HasSubstr("sigma"))) << "the newest alone";
    EXPECT_TRUE(session_.bench().valid());
}

TEST_F(SessionValuesTest, ARefusedTextIsForgottenByARun) {
    type("sigma", "nan");
    const std::size_t request_count = lab_.requests.size();
    session_.run();
    EXPECT_EQ(lab_.requests.size(), request_count + 1);
    EXPECT_EQ(refused(), "");
}

TEST_F(SessionValuesTest, ARefusedTextIsForgottenByAnyEdit) {
    type("sigma", "nan");
    set_size(32);
    EXPECT_EQ(refused(), "");
    EXPECT_EQ(size_of(last()), 32U);
    type("elements", "abc");
    type("sigma", "2");
    EXPECT_EQ(refused(), "");
    type("elements", "abc");
    session_.edit_kernel("mine");
    EXPECT_EQ(refused(), "");
}

TEST_F(SessionValuesTest, ARefusedTextUnlocksNoValueThatCannotRun) {
    set_size(4096);
    ASSERT_FALSE(session_.bench().valid());
    type("sigma", "nan");
    EXPECT_FALSE(session_.bench().valid());
    EXPECT_THAT(refused(), HasSubstr("4096"));
}

}  // namespace gridstride::ui::session_values_test
