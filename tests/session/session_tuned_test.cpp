// Tests the best launches that a session's sweeps find, with a fake lab.
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
    void open_lesson(Session& session) {
        lab_.at_once = [](const lab::Request& request) { return answer_to(request, Status::ok); };
        session.open(*find_course_entry("reduction"), 1);
        skip_questions(session);
        session.set_variant("tree_sequential");
        do
            session.pump();
        while (session.has_active_jobs());
    }

    /// Pumps until the condition holds; another thread reads and writes the file.
    static void pump_until(Session& session, const std::function<bool()>& condition) {
        ASSERT_TRUE(test::comes([&] {
            session.pump();
            return condition();
        }));
    }

    /// Completes a sweep over three workgroup sizes; the smallest one is the fastest.
    void sweep(Session& session, Status status_of_32 = Status::ok, bool noisy = false) {
        lab_.at_once = [=](const lab::Request& request) {
            const std::uint64_t size = request.experiment.values[key::workgroup_size];
            Report report = answer_to(request, size == 32 ? status_of_32 : Status::ok);
            report.timings.kernel.samples = std::vector<double>(12, 100.0 * static_cast<double>(size));
            report.timings.kernel.is_noisy = noisy;
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

TEST_F(SessionTunedTest, AFinishedSweepStoresItsBestLaunch) {
    open_lesson(session_);
    EXPECT_EQ(session_.tuned(), nullptr);
    sweep(session_);
    EXPECT_EQ(tuned_size(session_), 32U);
    EXPECT_THAT(session_.tuned_launches().store_messages(), ElementsAre(HasSubstr("tree_sequential")));
    session_.set_value("workgroup_size", std::uint64_t{128});
    EXPECT_FALSE(session_.has_tuned_on_bench());
    session_.use_tuned();
    EXPECT_EQ(session_.bench().values()[key::workgroup_size], 32U);
    EXPECT_TRUE(session_.has_tuned_on_bench());
    EXPECT_EQ(size_of(last()), 32U) << "the tuned launch runs";
    session_.set_variant("tree_first_add");
    EXPECT_EQ(session_.tuned(), nullptr) << "there is no tuned launch of another variant";
    session_.set_variant("tree_sequential");
    session_.set_value("elements", session_.bench().values()[key::elements] / 2);
    EXPECT_EQ(session_.tuned(), nullptr) << "there is no tuned launch of another size";
}

TEST_F(SessionTunedTest, IgnoresWrongAndNoisyLaunches) {
    open_lesson(session_);
    sweep(session_, Status::ok, /*noisy=*/true);
    EXPECT_EQ(session_.tuned(), nullptr);
    EXPECT_THAT(session_.tuned_launches().store_messages(), ElementsAre(HasSubstr("noisy")));
    sweep(session_, Status::mismatch);
    EXPECT_EQ(tuned_size(session_), 64U);
}

TEST_F(SessionTunedTest, TheUsersKernelHasNoTunedLaunch) {
    open_lesson(session_);
    sweep(session_);
    session_.edit_kernel("void main() {}");
    EXPECT_EQ(session_.tuned(), nullptr);
}

TEST_F(SessionTunedTest, TheNextSessionReadsTheFile) {
    const std::filesystem::path file = folder_ / "tuned.json";
    session_.set_tuned_file(file);
    open_lesson(session_);
    sweep(session_);
    Session next(lab_, "en");
    next.set_tuned_file(file);
    open_lesson(next);
    pump_until(next, [&] { return next.tuned() != nullptr; });
    EXPECT_EQ(tuned_size(next), 32U);
    EXPECT_FALSE(is_stale(*next.tuned(), *next.device()));

    // Another process finds a better one: opening a lesson reads the file again.
    TunedLaunch better = *next.tuned();
    better.experiment.values.set("workgroup_size", std::uint64_t{512});
    better.when = "9999-01-01T00:00:00.000Z";
    write_tuned(file, {better});
    open_lesson(next);
    pump_until(next, [&] { return tuned_size(next) == 512; });

    lab_.device.driver_version = "of next year";
    EXPECT_TRUE(is_stale(*next.tuned(), *next.device()));
}

TEST_F(SessionTunedTest, ReportsALaunchThatCannotBeSaved) {
    const std::filesystem::path file = folder_ / "tuned.json";
    std::filesystem::create_directory(file);
    session_.set_tuned_file(file);
    open_lesson(session_);
    sweep(session_);
    EXPECT_NE(session_.tuned(), nullptr) << "the session keeps it in memory";
    EXPECT_THAT(session_.tuned_launches().store_messages(), SizeIs(2))
        << "the result, and the failure to save it";
}

}  // namespace gridstride::ui::session_tuned_test
