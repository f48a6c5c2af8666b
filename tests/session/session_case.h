// A session with a fake lab and a fake clock; the test controls both.
#pragma once

#include "jobs/fake_lab.h"
#include "session/comes.h"
#include "session/session.h"
#include "session/skip_questions.h"
#include "sweep/sweep_form.h"
#include "test_includes.h"

namespace gridstride::ui {

class SessionTest : public testing::Test {
 protected:
    SessionTest() : session_(lab_, "en", [this] { return now_; }) {}

    /// Opens a step and skips its questions, which would hold back runs.
    void open(const char* lesson, std::size_t step) {
        session_.open(*find_course_entry(lesson), step);
        skip_questions(session_);
    }
    /// Opens the lesson and the variant of most of these tests, and starts a run.
    void run_tree() {
        open("reduction", 1);
        session_.set_variant("tree_sequential");
        session_.pump();
        session_.run();
    }
    const lab::Request& last() const { return lab_.requests.back(); }
    static std::uint64_t size_of(const lab::Request& request) {
        return request.experiment.values[key::workgroup_size];
    }
    void set_size(std::uint64_t workgroup_size) { session_.set_value("workgroup_size", workgroup_size); }
    /// Sends a report as the lab's answer.
    void reply(Report report) {
        lab_.answers.push_back(std::move(report));
        session_.pump();
    }
    /// Answers the newest request.
    void reply(Status status = Status::ok) { reply(answer_to(last(), status)); }
    /// Another thread analyzes the trace.
    void wait_for_trace() {
        ASSERT_TRUE(test::comes([this] {
            session_.pump();
            return !session_.is_tracing();
        }));
    }
    void pass(std::chrono::milliseconds time) {
        now_ += time;
        session_.pump();
    }
    /// Returns a sweep of the bench's variant over these workgroup sizes.
    SweepSpec make_size_sweep(const std::string& sizes) const {
        SweepForm form;
        form.parameters[0] = "workgroup_size";
        form.texts["workgroup_size"] = sizes;
        form.samples = "6";
        return examine_form(form, *session_.bench().prepared()).spec.value();
    }

    FakeLab lab_;
    KernelClock::time_point now_{};
    Session session_;
};

}  // namespace gridstride::ui
