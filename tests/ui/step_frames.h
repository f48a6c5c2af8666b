// Every step of every lesson in a window, its questions open or decided by a lab that has all numbers.
#pragma once

#include "lesson/compute_report.h"
#include "test_includes.h"
#include "ui/learn_frames.h"
#include "ui/trace_case.h"

namespace gridstride::ui {

class Steps : public LearnFrames {
 protected:
    struct Place {
        const Lesson* lesson;
        std::size_t step;
    };
    /// look(place) at every step of every lesson, with what of its pictures can be computed; of every five
    /// steps in turn only the first `of_five` from `first` on.
    void at_each_step(glm::vec2 window, float scale, const std::function<void(const Place&)>& look,
                      std::size_t of_five = 5, std::size_t first = 0) {
        std::size_t number = 0;
        look_like(window, scale);
        for (const Lesson* lesson : all_lessons()) {
            open(*lesson);
            for (std::size_t step = 0; step < session_.story().steps.size(); ++step) {
                if ((number++ + first) % 5 >= of_five) continue;
                session_.go_to_step(step);
                settle();
                where_ = fmt::format("{} {} ({}) at {} x {}, {:.0f} %", lesson->id, step + 1,
                                     story_step().title, window.x, window.y, scale * 100);
                look({lesson, step});
            }
        }
    }
    void settle() {
        workspace_.refresh_plots();
        frames();
        while (session_.is_recording())
            answer_recording(TraceCase{}.make());
    }
    const StoryStep& story_step() const { return session_.shown_step(); }
    /// The step's open question; null when it has none.
    const PredictBlock* question() const {
        const auto block = session_.open_question();
        return block ? &std::get<PredictBlock>(story_step().blocks[*block]) : nullptr;
    }
    void found(const std::string& problem) { problems_.push_back(where_ + ": " + problem); }

    /// A widget that is there, whole and inside the window.
    void expect_whole(const std::string& id) {
        if (const auto whole = is_whole(id); !whole) found(whole.message());
    }

    /// What the newest request would be answered with: of few elements a right result, of all the times of
    /// run `number` of a question.
    Report answer_of_lab(std::size_t number) {
        const lab::Request& request = lab_.requests.back();
        const PreparedExperiment prepared = prepare(request.experiment, lab_.device);
        const bool computes =
            prepared.valid() && prepared.lesson->domain_extent(prepared.values()).product() <= max_elements_;
        Report report = computes ? compute_report(prepared) : Report{};
        report.computed = false;
        report.request = request.id;
        report.final = true;
        report.experiment = request.experiment;
        report.status = Status::ok;
        const auto measured = [&](double ns) {
            const double once = ns * std::pow(2.7, static_cast<double>(number));
            return Timing{.samples = {once * 0.99, once, once * 1.01}};
        };
        Timings& times = report.timings;
        times.upload = measured(345'678);
        times.kernel = times.kernel_in_wall = measured(124'567);
        times.download = measured(17'893);
        times.wall = measured(787'878);
        times.cpu = measured(4'242'424);
        return report;
    }
    /// Answers the open question with what stands first and runs what decides it. The runs that did.
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
        for (std::size_t run = 0; session_.in_flight() && run < 2 * predict.run_count(); ++run) {
            lab_.answers.push_back(answer_of_lab(run % predict.run_count()));
            session_.pump();
        }
        std::vector<const Report*> runs;
        for (const HistoryEntry* run : session_.deciding_runs(block))
            runs.push_back(&run->report);
        return runs;
    }

    std::uint64_t max_elements_ = 1 << 14;  ///< a reference of more is left out
    std::vector<std::string> problems_;
    std::string where_;
};

}  // namespace gridstride::ui
