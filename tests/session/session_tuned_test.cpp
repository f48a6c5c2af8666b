// The best launches that a session's sweeps found, against a lab that answers as the test says.
#include "base/scratch_folder.h"
#include "session/session_case.h"
#include "session/skip_questions.h"
#include "sweep/tuned_file.h"
#include "test_includes.h"

namespace gridstride::ui::session_tuned_test {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

class SessionTunedTest : public SessionTest {
 protected:
    void begin(Session& session) {
        lab_.at_once = [](const lab::Request& request) { return answer_to(request, Status::ok); };
        session.open(*find_lesson("reduction"), 1);
        skip_questions(session);
        session.set_variant("tree_sequential");
        do
            session.pump();
        while (session.in_flight());
    }

    /// What a file says comes from another thread.
    static void pump_until(Session& session, const std::function<bool()>& is_so) {
        ASSERT_TRUE(test::comes([&] {
            session.pump();
            return is_so();
        }));
    }

    /// Over three sizes of the workgroup, the least of which takes the least time, to its end.
    void sweep(Session& session, Status status_of_32 = Status::ok, bool noisy = false) {
        lab_.at_once = [=](const lab::Request& request) {
            const std::uint64_t size = request.experiment.values[key::workgroup_size];
            Report report = answer_to(request, size == 32 ? status_of_32 : Status::ok);
            report.timings.kernel.samples = std::vector<double>(12, 100.0 * static_cast<double>(size));
            report.timings.kernel.noisy = noisy;
            return report;
        };
        SweepForm form;
        form.parameters[0] = "workgroup_size";
        form.texts["workgroup_size"] = "32,64,256";
        session.start_sweep(examine_form(form, *session.bench().prepared()).spec.value());
        while (session.sweeps().state() != SweepState::done)
            session.pump();
        pump_until(session, [&] { return !session.tuned_launches().is_writing(); });
    }

    static std::uint64_t tuned_size(const Session& session) {
        return session.tuned() ? session.tuned()->experiment.values[key::workgroup_size] : 0;
    }

    test::ScratchFolder folder_;
};

TEST_F(SessionTunedTest, AFinishedSweepIsRememberedAndUsed) {
    begin(session_);
    EXPECT_EQ(session_.tuned(), nullptr);
    sweep(session_);
    EXPECT_EQ(tuned_size(session_), 32U);
    EXPECT_THAT(session_.tuned_launches().store_messages(), ElementsAre(HasSubstr("tree_sequential")));
    session_.set_value("workgroup_size", std::uint64_t{128});
    EXPECT_FALSE(session_.has_tuned_on_bench());
    session_.use_tuned();
    EXPECT_EQ(session_.bench().values()[key::workgroup_size], 32U);
    EXPECT_TRUE(session_.has_tuned_on_bench());
    EXPECT_EQ(size_of(last()), 32U) << "and it runs";
    session_.set_variant("tree_first_add");
    EXPECT_EQ(session_.tuned(), nullptr) << "of another variant nothing is known";
    session_.set_variant("tree_sequential");
    session_.set_value("elements", session_.bench().values()[key::elements] / 2);
    EXPECT_EQ(session_.tuned(), nullptr) << "nor of another size";
}

TEST_F(SessionTunedTest, WhatIsWrongOrNoisyIsNot) {
    begin(session_);
    sweep(session_, Status::ok, /*noisy=*/true);
    EXPECT_EQ(session_.tuned(), nullptr);
    EXPECT_THAT(session_.tuned_launches().store_messages(), ElementsAre(HasSubstr("noisy")));
    sweep(session_, Status::mismatch);
    EXPECT_EQ(tuned_size(session_), 64U);
}

TEST_F(SessionTunedTest, ThePersonsOwnKernelHasNone) {
    begin(session_);
    sweep(session_);
    session_.edit_kernel("void main() {}");
    EXPECT_EQ(session_.tuned(), nullptr);
}

TEST_F(SessionTunedTest, TheNextSessionFindsItInTheFile) {
    const std::filesystem::path file = folder_ / "tuned.json";
    session_.set_tuned_file(file);
    begin(session_);
    sweep(session_);
    Session next(lab_, "en");
    next.set_tuned_file(file);
    begin(next);
    pump_until(next, [&] { return next.tuned() != nullptr; });
    EXPECT_EQ(tuned_size(next), 32U);
    EXPECT_FALSE(is_stale(*next.tuned(), *next.device()));

    // Another process finds a better one: opening a lesson reads the file again.
    TunedLaunch better = *next.tuned();
    better.experiment.values.set("workgroup_size", std::uint64_t{512});
    better.when = "9999-01-01T00:00:00.000Z";
    write_tuned(file, {better});
    begin(next);
    pump_until(next, [&] { return tuned_size(next) == 512; });

    lab_.device.driver_version = "of next year";
    EXPECT_TRUE(is_stale(*next.tuned(), *next.device()));
}

TEST_F(SessionTunedTest, WhatCannotBeKeptIsSaid) {
    const std::filesystem::path file = folder_ / "tuned.json";
    std::filesystem::create_directory(file);
    session_.set_tuned_file(file);
    begin(session_);
    sweep(session_);
    EXPECT_NE(session_.tuned(), nullptr) << "it is there as long as the session";
    EXPECT_THAT(session_.tuned_launches().store_messages(), SizeIs(2))
        << "what was found, and that it is not kept";
}

}  // namespace gridstride::ui::session_tuned_test
