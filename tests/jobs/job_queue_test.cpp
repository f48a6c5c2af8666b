// Tests which job the lab executes and what happens to the others: jobs of three runs each, with a fake lab.
#include "jobs/job_queue.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "jobs/fake_lab.h"
#include "jobs/run_job.h"

namespace gridstride::job_queue_test {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;
using ui::answer_to;
using ui::FakeLab;

/// A job of `runs` runs. The seed of a run is ten times the job's name plus the run's index.
class CountingJob final : public Job {
 public:
    CountingJob(std::uint64_t name, std::uint64_t runs, double deadline_seconds = 0)
        : name_(name), runs_(runs), deadline_seconds_(deadline_seconds) {}

    std::string title() const override { return std::to_string(name_); }
    std::optional<lab::Request> next() override {
        if (statuses.size() == runs_) return std::nullopt;
        lab::Request request;
        request.experiment.values.set("seed", name_ * 10 + statuses.size());
        request.deadline_seconds = deadline_seconds_;
        return request;
    }
    void on_report(const Report& report, double) override {
        if (report.is_final) statuses.push_back(report.status);
    }
    JobProgress progress() const override { return {statuses.size(), runs_}; }

    std::vector<Status> statuses;

 private:
    std::uint64_t name_, runs_;
    double deadline_seconds_;
};

class JobQueueTest : public testing::Test {
 protected:
    std::shared_ptr<CountingJob> add(JobPriority priority, std::uint64_t name, std::uint64_t runs = 3) {
        auto job = std::make_shared<CountingJob>(name, runs);
        queue_.add(job, priority);
        return job;
    }
    /// Answers the newest request.
    void answer(Status status = Status::ok, bool final = true) {
        Report report = answer_to(lab_.requests.back(), status);
        report.is_final = final;
        answer(report);
    }
    void answer(const Report& report) {
        lab_.answers.push_back(report);
        while (queue_.poll()) {
        }
        queue_.submit_next();
    }
    /// Returns the seeds of the requests that the lab received.
    std::vector<std::uint64_t> requested_seeds() const {
        std::vector<std::uint64_t> seeds;
        for (const lab::Request& request : lab_.requests)
            seeds.push_back(std::get<std::uint64_t>(request.experiment.values.at("seed")));
        return seeds;
    }

    FakeLab lab_;
    JobQueue::Clock::time_point now_{};
    JobQueue queue_{lab_, [this] { return now_; }};
};

TEST_F(JobQueueTest, RunsJobsOneAfterAnother) {
    const auto first = add(JobPriority::sweep, 1, 2);
    add(JobPriority::sweep, 2, 1);
    for (int i = 0; i < 3; ++i)
        answer();
    EXPECT_THAT(requested_seeds(), ElementsAre(10, 11, 20));
    EXPECT_THAT(first->statuses, ElementsAre(Status::ok, Status::ok));
    EXPECT_TRUE(queue_.empty());
    EXPECT_EQ(queue_.running(), nullptr);
}

TEST_F(JobQueueTest, HigherPriorityInterruptsARunWhichIsRepeatedLater) {
    const auto sweep = add(JobPriority::sweep, 1);
    const Report late_report = answer_to(lab_.requests.back(), Status::ok);
    const auto bench = add(JobPriority::bench, 2, 1);
    EXPECT_EQ(queue_.running(), bench.get());
    EXPECT_TRUE(queue_.contains(sweep.get()));
    answer(late_report);
    EXPECT_THAT(sweep->statuses, IsEmpty()) << "another job replaced this run";
    add(JobPriority::question, 3, 1);
    EXPECT_EQ(queue_.running(), bench.get());
    answer();
    answer();
    answer();
    EXPECT_THAT(requested_seeds(), ElementsAre(10, 20, 30, 10, 11));
    EXPECT_THAT(sweep->statuses, ElementsAre(Status::ok));
}

TEST_F(JobQueueTest, StopWaitsForTheLastReportAndAddRestartsTheJob) {
    const auto sweep = add(JobPriority::sweep, 1);
    const auto next = add(JobPriority::sweep, 2, 1);
    queue_.stop(sweep.get());
    queue_.stop(sweep.get());
    EXPECT_EQ(lab_.cancelled, 1);
    EXPECT_TRUE(queue_.is_stopping(sweep.get()));
    answer(Status::stopped);
    EXPECT_FALSE(queue_.contains(sweep.get()));
    EXPECT_THAT(sweep->statuses, ElementsAre(Status::stopped));
    EXPECT_EQ(queue_.running(), next.get());

    const auto again = add(JobPriority::bench, 3);
    queue_.stop(again.get());
    queue_.add(again, JobPriority::bench);
    answer(Status::stopped);
    EXPECT_EQ(queue_.running(), again.get());
    EXPECT_THAT(again->statuses, ElementsAre(Status::stopped));
}

TEST_F(JobQueueTest, StopsAWaitingJobAtOnce) {
    const auto waiting = add(JobPriority::sweep, 1);
    add(JobPriority::bench, 2, 1);
    queue_.stop(waiting.get());
    EXPECT_THAT(waiting->statuses, ElementsAre(Status::stopped));
    EXPECT_FALSE(queue_.contains(waiting.get()));
    EXPECT_EQ(lab_.cancelled, 0);
    // A job is being stopped when another replaces it.
    answer();
    const auto stopped = add(JobPriority::sweep, 3);
    queue_.stop(stopped.get());
    add(JobPriority::bench, 4, 1);
    EXPECT_THAT(stopped->statuses, ElementsAre(Status::stopped));
    EXPECT_FALSE(queue_.contains(stopped.get()));
}

TEST_F(JobQueueTest, IgnoresReportsOfARemovedJob) {
    const auto removed_job = add(JobPriority::bench, 1);
    const Report late_report = answer_to(lab_.requests.back(), Status::ok);
    queue_.remove_all(JobPriority::bench);
    EXPECT_TRUE(queue_.empty());
    EXPECT_EQ(queue_.running(), nullptr);
    const auto newer = add(JobPriority::bench, 2, 1);
    answer(late_report);
    EXPECT_THAT(removed_job->statuses, IsEmpty());
    EXPECT_THAT(newer->statuses, IsEmpty());
    answer();
    EXPECT_THAT(newer->statuses, ElementsAre(Status::ok));

    const auto waiting = add(JobPriority::sweep, 3);
    const auto removed = add(JobPriority::bench, 4);
    queue_.remove(removed.get());
    EXPECT_EQ(queue_.running(), nullptr);
    queue_.submit_next();
    EXPECT_EQ(queue_.running(), waiting.get());
}

TEST_F(JobQueueTest, StoppingAPriorityLeavesTheOthers) {
    const auto runs = add(JobPriority::bench, 1), waiting = add(JobPriority::bench, 2);
    const auto sweep = add(JobPriority::sweep, 3);
    queue_.stop(JobPriority::bench);
    EXPECT_FALSE(queue_.contains(waiting.get()));
    EXPECT_TRUE(queue_.is_stopping(runs.get()));
    answer(Status::stopped);
    EXPECT_EQ(queue_.running(), sweep.get());
    add(JobPriority::question, 4);
    queue_.stop_all();
    EXPECT_TRUE(queue_.empty());
    EXPECT_THAT(sweep->statuses, ElementsAre(Status::stopped));
}

TEST_F(JobQueueTest, MeasuresHowLongARunHasBeenWithoutAReport) {
    add(JobPriority::bench, 1, 1);
    now_ += std::chrono::seconds(3);
    EXPECT_EQ(queue_.seconds_running(), 3);
    EXPECT_FALSE(queue_.has_report());
    answer(Status::ok, false);
    EXPECT_TRUE(queue_.has_report());
    EXPECT_EQ(queue_.seconds_running(), 3);
    answer();
    EXPECT_FALSE(queue_.has_report());
    EXPECT_EQ(queue_.seconds_running(), 0);

    add(JobPriority::question, 2, 1);
    answer(Status::ok, false);
    add(JobPriority::bench, 3, 1);
    answer();
    EXPECT_FALSE(queue_.has_report()) << "the question's request was submitted again";
}

TEST_F(JobQueueTest, StatesGiveTheRunningJobAndTheRemainingTime) {
    const auto sweep = add(JobPriority::sweep, 1);
    EXPECT_FALSE(queue_.states()[0].progress.seconds_left) << "no run has ended";
    now_ += std::chrono::seconds(2);
    answer();
    now_ += std::chrono::seconds(1);
    add(JobPriority::bench, 2);
    now_ += std::chrono::seconds(5);
    std::vector<JobState> states = queue_.states();
    ASSERT_EQ(states.size(), 2U);
    EXPECT_EQ(states[0].job, queue_.running());
    EXPECT_TRUE(states[0].is_running);
    EXPECT_EQ(states[0].seconds, 5);
    EXPECT_EQ(states[1].job, sweep.get());
    EXPECT_FALSE(states[1].is_running);
    EXPECT_EQ(states[1].seconds, 8);
    EXPECT_EQ(states[1].progress.done, 1U);
    EXPECT_EQ(states[1].progress.total, 3U);
    EXPECT_EQ(states[1].progress.seconds_left, 4) << "two runs as long as the first";
    queue_.stop(states[0].job);
    EXPECT_TRUE(queue_.states()[0].is_stopping);
    answer(Status::stopped);
    now_ += std::chrono::seconds(1);
    EXPECT_EQ(queue_.states()[0].progress.seconds_left, 3) << "the current run has taken a second";
    now_ += std::chrono::seconds(9);
    EXPECT_EQ(queue_.states()[0].progress.seconds_left, 0);
}

TEST_F(JobQueueTest, TheProgressOfASingleRunCountsItsSlices) {
    add(JobPriority::bench, 1, 1);
    lab_.now = lab::RunProgress{.request = 999, .slices_done = 1, .slices = 4, .seconds_left = 6};
    EXPECT_EQ(queue_.states()[0].progress.total, 1U) << "the progress is of another run";
    lab_.now->request = lab_.requests.back().id;
    EXPECT_EQ(queue_.states()[0].progress.done, 1U);
    EXPECT_EQ(queue_.states()[0].progress.total, 4U);
    EXPECT_EQ(queue_.states()[0].progress.seconds_left, 6);
}

TEST(RunJob, RunsAJobToItsEndOrStopsIt) {
    FakeLab lab;
    lab.at_once = [](const lab::Request& request) { return answer_to(request, Status::ok); };
    CountingJob complete(1, 3);
    std::size_t reports = 0;
    EXPECT_TRUE(
        run_job(lab, complete, {.deadline_seconds = 7, .on_report = [&](const Report&) { ++reports; }}));
    EXPECT_EQ(reports, 3U);
    EXPECT_EQ(lab.requests.back().deadline_seconds, 7);
    CountingJob short_job(1, 1, 3);
    EXPECT_TRUE(run_job(lab, short_job, {.deadline_seconds = 7}));
    EXPECT_EQ(lab.requests.back().deadline_seconds, 3) << "the job's own deadline is shorter";
    CountingJob stopped(1, 3);
    EXPECT_FALSE(run_job(lab, stopped, {.interrupted = [&] { return lab.requests.size() == 5; }}));
    EXPECT_THAT(stopped.statuses, ElementsAre(Status::ok, Status::stopped));
    lab.at_once = [](const lab::Request& request) { return answer_to(request, Status::stopped); };
    CountingJob ended(1, 3);
    EXPECT_FALSE(run_job(lab, ended, {}));
    EXPECT_THAT(ended.statuses, ElementsAre(Status::stopped));
}

}  // namespace
}  // namespace gridstride::job_queue_test
