// Visits every step of every story in a window, with open questions or with questions that a lab has
// decided.
#pragma once

#include "lesson/compute_report.h"
#include "test_includes.h"
#include "ui/learn_frames.h"
#include "ui/trace_case.h"

namespace gridstride::ui {

class Steps : public LearnFrames {
 protected:
    struct LessonStep {
        const Lesson* lesson;
        std::size_t step;
    };
    /// Calls visit(step) at every step of every story, with its plots computed. Of each five consecutive
    /// steps it visits `steps_per_five`; `offset` shifts which ones.
    void for_each_step(glm::vec2 window, float scale, const std::function<void(const LessonStep&)>& visit,
                       std::size_t steps_per_five = 5, std::size_t offset = 0) {
        std::size_t number = 0;
        resize_window(window, scale);
        for (const CourseEntry& entry : course()) {
            open(entry);
            for (std::size_t step = 0; step < session_.story().steps.size(); ++step) {
                if ((number++ + offset) % 5 >= steps_per_five) continue;
                session_.go_to_step(step);
                refresh_pictures();
                location_ = fmt::format("{} {} ({}) at {} x {}, {:.0f} %", entry.id, step + 1,
                                        story_step().title, window.x, window.y, scale * 100);
                visit({entry.lesson, step});
            }
        }
    }
    void refresh_pictures() {
        workspace_.refresh_plots();
        frames();
        while (session_.is_tracing()) {
            if (lab_.requests.back().trace_options)
                answer_trace(TraceCase{}.make());
            else
                wait_for_trace();  // the answer to an earlier request is being analyzed
        }
    }
    const StoryStep& story_step() const { return session_.shown_step(); }
    /// The step's open question; null when it has none.
    const PredictBlock* question() const {
        const auto block = session_.open_question();
        return block ? &std::get<PredictBlock>(story_step().blocks[*block]) : nullptr;
    }
    void add_problem(const std::string& problem) { problems_.push_back(location_ + ": " + problem); }

    /// Adds a problem unless the widget is fully visible inside the window.
    void expect_whole(const std::string& id) {
        if (const auto whole = is_whole(id); !whole) add_problem(whole.message());
    }

    /// The lab's answer to the newest request: a right result if there are few elements, and the times of run
    /// `number` of a question, which grow with the number. No two of 50 consecutive questions have a time in
    /// common, so that a time in the window shows which question it belongs to.
    Report make_lab_report(std::size_t number) {
        const lab::Request& request = lab_.requests.back();
        const PreparedExperiment prepared = prepare(request.experiment, lab_.device);
        const bool computes = prepared.is_valid() &&
                              prepared.lesson->domain_extent(prepared.values()).product() <= max_elements_;
        Report report = computes ? compute_report(prepared) : Report{};
        report.computed = false;
        report.request = request.id;
        report.is_final = true;
        report.experiment = request.experiment;
        report.status = Status::ok;
        const auto make_timing = [&](double ns) {
            const double center = ns * std::pow(2.7, static_cast<double>(number)) *
                                  std::pow(1.02, static_cast<double>(decided_questions_ % 50));
            return Timing{.samples = {center * 0.99, center, center * 1.01}};
        };
        Timings& times = report.timings;
        times.upload = make_timing(345'678);
        times.kernel = times.kernel_in_wall = make_timing(124'567);
        times.download = make_timing(17'893);
        times.wall = make_timing(787'878);
        times.cpu = make_timing(4'242'424);
        return report;
    }
    /// Gives the first possible answer to the open question and runs the experiments that decide it. Returns
    /// their reports.
    std::vector<const Report*> decide_open_question() {
        const std::size_t block = *session_.open_question();
        const PredictBlock& predict = *question();
        Prediction& prediction = session_.prediction(block);
        Answer& answer = prediction.answer;
        if (!predict.choices.empty()) answer.choice = 0;
        if (predict.guess) prediction.guess_text = "4711";
        for (std::size_t i = 0; i < predict.items.size(); ++i)
            answer.order.push_back(i);
        answer.marks.assign(predict.marks.size(), predict.ruler.low);
        session_.decide_prediction(block);
        for (std::size_t run = 0; session_.has_active_jobs() && run < 2 * predict.run_count(); ++run) {
            lab_.answers.push_back(make_lab_report(run % predict.run_count()));
            session_.pump();
        }
        ++decided_questions_;
        std::vector<const Report*> runs;
        for (const HistoryEntry* run : session_.deciding_runs(block))
            runs.push_back(&run->report);
        return runs;
    }

    std::uint64_t max_elements_ = 1 << 14;  ///< a reference with more elements is not computed
    std::size_t decided_questions_ = 0;
    std::vector<std::string> problems_;
    std::string location_;
};

}  // namespace gridstride::ui
