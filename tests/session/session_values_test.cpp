// Tests values that the user types, with a fake lab.
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
    std::string refusals() const {
        std::string texts;
        for (const Remark& remark : session_.bench().remarks())
            if (remark.severity == Severity::refusal) texts += remark.parameter + ": " + remark.text + "\n";
        return texts;
    }
};

TEST_F(SessionValuesTest, AnInvalidTextChangesNothing) {
    const Values before = session_.bench().values();
    const std::size_t request_count = lab_.requests.size();
    type("sigma", "nan");
    EXPECT_THAT(refusals(), HasSubstr("sigma: sigma = nan"));
    EXPECT_EQ(session_.bench().values(), before);
    EXPECT_TRUE(session_.bench().is_valid());
    EXPECT_FALSE(session_.is_stale());
    EXPECT_EQ(lab_.requests.size(), request_count);
    type("elements", "abc");
    EXPECT_THAT(refusals(), HasSubstr("elements: "));
    EXPECT_THAT(refusals(), testing::Not(HasSubstr("sigma"))) << "only the newest text is refused";
    EXPECT_TRUE(session_.bench().is_valid());
}

TEST_F(SessionValuesTest, ARunDiscardsARefusedText) {
    type("sigma", "nan");
    const std::size_t request_count = lab_.requests.size();
    session_.run();
    EXPECT_EQ(lab_.requests.size(), request_count + 1);
    EXPECT_EQ(refusals(), "");
}

TEST_F(SessionValuesTest, AnyEditDiscardsARefusedText) {
    type("sigma", "nan");
    set_size(32);
    EXPECT_EQ(refusals(), "");
    EXPECT_EQ(size_of(last()), 32U);
    type("elements", "abc");
    type("sigma", "2");
    EXPECT_EQ(refusals(), "");
    type("elements", "abc");
    session_.edit_kernel("mine");
    EXPECT_EQ(refusals(), "");
}

TEST_F(SessionValuesTest, ARefusedTextDoesNotMakeAnInvalidValueValid) {
    set_size(4096);
    ASSERT_FALSE(session_.bench().is_valid());
    type("sigma", "nan");
    EXPECT_FALSE(session_.bench().is_valid());
    EXPECT_THAT(refusals(), HasSubstr("4096"));
}

}  // namespace gridstride::ui::session_values_test
