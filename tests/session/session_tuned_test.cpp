// The best launches that a session's sweeps found, against a lab that answers as the test says.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <functional>
#include <thread>

#include "base/scratch_folder.h"
#include "session/fake_lab.h"
#include "session/session.h"
#include "sweep/sweep_form.h"
#include "sweep/tuned_file.h"

namespace gridstride::ui {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

class SessionTunedTest : public testing::Test {
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
        const auto until = std::chrono::steady_clock::now() + std::chrono::minutes(5);
        while (!is_so() && std::chrono::steady_clock::now() < until) {
            session.pump();
            std::this_thread::sleep_for(std::chrono::milliseconds(1));
        }
        ASSERT_TRUE(is_so());
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
        session.start_sweep(examine_form(form, *session.asked()).spec.value());
        while (session.sweep_state() != SweepState::done)
            session.pump();
        pump_until(session, [&] { return !session.is_keeping_tuned(); });
    }

    test::ScratchFolder folder_;
    FakeLab lab_;
};

TEST_F(SessionTunedTest, AFinishedSweepIsRememberedAndUsed) {
    Session session(lab_, "en");
    begin(session);
    EXPECT_EQ(session.tuned(), nullptr);
    sweep(session);
    ASSERT_NE(session.tuned(), nullptr);
    EXPECT_EQ(session.tuned()->experiment.values[key::workgroup_size], 32U);
    EXPECT_THAT(session.remembered(), ElementsAre(HasSubstr("best launch of tree_sequential")));
    session.set_value("workgroup_size", std::uint64_t{128});
    EXPECT_FALSE(session.has_tuned_on_bench());
    session.use_tuned();
    EXPECT_EQ(session.values()[key::workgroup_size], 32U);
    EXPECT_TRUE(session.has_tuned_on_bench());
    EXPECT_EQ(lab_.asked.back().experiment.values[key::workgroup_size], 32U) << "and it runs";
    session.set_variant("tree_first_add");
    EXPECT_EQ(session.tuned(), nullptr) << "of another variant nothing is known";
    session.set_variant("tree_sequential");
    session.set_value("elements", session.values()[key::elements] / 2);
    EXPECT_EQ(session.tuned(), nullptr) << "nor of another size";
}

TEST_F(SessionTunedTest, WhatIsWrongOrNoisyIsNot) {
    Session session(lab_, "en");
    begin(session);
    sweep(session, Status::ok, /*noisy=*/true);
    EXPECT_EQ(session.tuned(), nullptr);
    EXPECT_THAT(session.remembered(), ElementsAre(HasSubstr("noisy")));
    sweep(session, Status::mismatch);
    ASSERT_NE(session.tuned(), nullptr);
    EXPECT_EQ(session.tuned()->experiment.values[key::workgroup_size], 64U);
}

TEST_F(SessionTunedTest, ThePersonsOwnKernelHasNone) {
    Session session(lab_, "en");
    begin(session);
    sweep(session);
    session.edit_kernel("void main() {}");
    EXPECT_EQ(session.tuned(), nullptr);
}

TEST_F(SessionTunedTest, TheNextSessionFindsItInTheFile) {
    const std::filesystem::path file = folder_ / "tuned.json";
    {
        Session session(lab_, "en");
        session.keep_tuned_in(file);
        begin(session);
        sweep(session);
    }
    Session next(lab_, "en");
    next.keep_tuned_in(file);
    begin(next);
    pump_until(next, [&] { return next.tuned() != nullptr; });
    EXPECT_EQ(next.tuned()->experiment.values[key::workgroup_size], 32U);
    EXPECT_FALSE(is_stale(*next.tuned(), *next.device()));

    // Another process finds a better one: opening a lesson reads the file again.
    Tuned better = *next.tuned();
    better.experiment.values.set("workgroup_size", std::uint64_t{512});
    better.when = "9999-01-01T00:00:00.000Z";
    write_tuned(file, {better});
    begin(next);
    pump_until(next, [&] { return next.tuned()->experiment.values[key::workgroup_size] == 512; });

    lab_.device.driver_version = "of next year";
    EXPECT_TRUE(is_stale(*next.tuned(), *next.device()));
}

TEST_F(SessionTunedTest, WhatCannotBeKeptIsSaid) {
    const std::filesystem::path file = folder_ / "tuned.json";
    std::filesystem::create_directory(file);
    Session session(lab_, "en");
    session.keep_tuned_in(file);
    begin(session);
    sweep(session);
    EXPECT_NE(session.tuned(), nullptr) << "it is there as long as the session";
    ASSERT_THAT(session.remembered(), SizeIs(2));
    EXPECT_THAT(session.remembered().back(), HasSubstr("For the next start it is not remembered."));
}

}  // namespace
}  // namespace gridstride::ui
