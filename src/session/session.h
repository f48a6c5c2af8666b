// What a person does with a lesson: where they are in its story, what is on the bench, and what that starts.
// No drawing here: panels read it and call it, scripts and tests can do the same.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "client/client.h"
#include "jobs/exercise_job.h"
#include "jobs/job_queue.h"
#include "readers/file_choice.h"
#include "session/answers.h"
#include "session/bench.h"
#include "session/bench_runs.h"
#include "session/own_kernels.h"
#include "session/questions.h"
#include "session/recordings.h"
#include "session/run_history.h"
#include "session/sweeps.h"
#include "session/tuned_launches.h"
#include "session/work.h"
#include "story/story.h"

namespace gridstride {

/// A file as this lesson's input, read and checked, on any thread. Throws Refusal, NeedsChoice, FileError and
/// Cancelled.
UserData read_input(const std::filesystem::path& path, const Lesson& lesson, const Values& values,
                    const FileChoice& choice = {}, FileProgress* progress = nullptr);

class Session {
 public:
    /// `now`: what elapsed times, and the quiet time of the kernel editor, are counted by.
    Session(lab::Client& client, std::string language,
            std::function<KernelClock::time_point()> now = KernelClock::now);

    // The story.
    void open(const Lesson& lesson, std::size_t step);
    const Lesson& lesson() const { return *lesson_; }
    const Story& story() const { return story_; }
    /// Why the lesson's story cannot be shown; empty when all is well. story() is then one step without text,
    /// with the lesson's defaults on the bench.
    const std::string& story_problem() const { return story_problem_; }
    std::size_t step() const { return step_; }
    const StoryStep& shown_step() const { return story_.steps[step_]; }
    /// Puts the step's values on the bench and runs them, unless hides() the result: the answer must not be
    /// there before the question.
    void go_to_step(std::size_t step);
    /// The lesson's last page, behind its last step, is shown, or no more.
    void note_end(bool shown) { answers_.note_end(*lesson_, shown_step(), shown); }

    // The bench. Every change runs at once, unless hides() the result.
    const Bench& bench() const { return bench_; }
    void set_variant(std::string_view id);
    /// Its variant and values. Of this lesson alone; kernel and input are those that are there.
    void use_experiment(Experiment experiment);
    void set_value(std::string_view id, Value value);
    /// Reads what was typed. A text that cannot be read changes nothing: a remark beside the control says
    /// why, until the next change or run().
    void set_text(const Parameter& parameter, std::string_view text);
    /// What read_input() has read for this lesson from this file, in place of the lesson's input. Throws
    /// Refusal when another one is open by now; then nothing has changed.
    void use_input(const Lesson& lesson, UserData data, const std::string& path);
    void use_lesson_input();

    // The kernel of the variant on the bench. Results stay with the last one that compiled.
    const OwnKernels& kernels() const { return kernels_; }  ///< of all lessons and variants
    const KernelEdit* kernel_edit() const;                  ///< null: it is the lesson's own
    /// Compiled once the typing rests; at once by run(). Null `file`: the text is still its file's.
    void edit_kernel(std::string_view text, const KernelFile* file = nullptr);
    void revert_kernel();
    /// What read_kernel() has read, in place of the kernel. `path`: the file that it may be saved to; empty:
    /// none.
    void use_kernel(const KernelSource& source, const std::string& path);
    /// `text` was written to this file, and becomes the person's own kernel under the file's name.
    void kernel_saved(const std::string& path, const std::string& text);
    bool compiling() const { return bench_runs_.is_compiling(); }
    /// Until what was typed is compiled by itself; infinity when nothing is to be.
    double seconds_until_compile() const;
    /// The file name of the kernel that the lesson shows for this variant: "tree_sequential.comp".
    std::string lesson_kernel_name() const;

    // Running.
    const Limits* device() const { return device_; }  ///< null while the lab opens it
    /// Why there is none; empty when all is well.
    const std::string& no_device() const { return no_device_; }
    /// Measures what is on the bench, also where that hides() the result: whoever calls it has asked the
    /// person. A kernel of the person's own is compiled at once.
    void run();
    /// The other variants with the lesson's own kernels, but for those whose results are hidden.
    void run_all_variants();
    /// The pinned run and the bench, again and in turn: what differs between two runs that were made at
    /// different times may be the machine's. Nothing where there is no pinned run of the same work.
    void measure_in_turn();
    /// Of the run that is pinned and of what is on the bench now; nullopt: they were not measured so, or not
    /// yet to the end.
    std::optional<BenchRuns::InTurn> in_turn() const {
        return bench_runs_.in_turn(runs_.pinned(), bench_.experiment());
    }
    /// Runs the bench, and measures anew what the device can do at best.
    void measure_ceilings();
    /// What is on the bench can be run, and answers no question that is open.
    bool may_run() const { return device_ && bench_.valid() && !hides(settled()); }
    void stop();
    /// Each run from here on takes exactly so many samples; 0: as many as settle its median.
    void take_samples(std::uint32_t samples) { bench_runs_.take_samples(samples); }
    /// What the lab works on, and what waits.
    const JobQueue& jobs() const { return queue_; }
    /// Stops a job of jobs().
    void stop_job(const Job* job);
    /// A run of the bench, a question's, a recording or an exercise's; a sweep's do not count.
    bool in_flight() const;
    /// Of these, a run that is measured: what the bench shows is of before until it ends.
    bool is_measuring() const;
    /// Takes in what the lab has sent. True when something changed.
    bool pump();
    /// Called on another thread when pump() has something to take in that was done there.
    void set_wake(const std::function<void()>& wake);
    /// The newest report for this lesson; null before the first. It may be for other values: see stale().
    const Report* report() const { return report_.get(); }
    /// The same, for who keeps it longer or reads it on another thread.
    std::shared_ptr<const Report> shared_report() const { return report_; }
    bool stale() const { return stale_; }  ///< the report is for other values than the bench shows
    /// The report is of another text than the editor's, which has none yet, or cannot have one.
    bool is_of_another_text() const;
    bool is_dimmed() const { return stale() || is_of_another_text(); }  ///< its results are drawn so

    // Runs so far.
    const RunHistory& runs() const { return runs_; }
    RunHistory& runs() { return runs_; }
    /// Every run of this session, those of its sweeps among them: what csv_of() is to write. They stay as
    /// they are, on every thread and for as long as somebody has them.
    Reports all_reports() const;
    bool has_reports() const;
    /// What restore() would need to go on from here, without the runs: a copy, for another thread.
    Work work() const;
    /// Goes on with what was done in another window, without its runs: a kernel takes the place of one that
    /// is here. What does not fit this device is left out: sentences that say so.
    std::vector<std::string> restore(Work work);

    // A recording of what the invocations do: a run of its own, without times, in no table of runs.
    const Recordings& recordings() const { return recordings_; }
    Recordings& recordings() { return recordings_; }
    /// Of what is on the bench, with the person's own kernel as it stands in the editor. Not where that
    /// hides() the result.
    void record(const lab::Recorded& what = {});
    /// The same of this launch, for a picture that is looked at: once what is on the bench has been run, or,
    /// while a question is open, without a run, and only while nothing else is to be done. Does nothing where
    /// the newest recording is the one, or says why there is none.
    void record_for_picture(std::uint32_t launch);
    bool is_recording() const;      ///< one runs, waits or is taken apart
    bool recording_is_old() const;  ///< the bench shows other values or another kernel than the newest one's

    // A sweep. Its cells run while nothing else is to: a change of the bench, F5 and predictions go first.
    // Its runs change neither the bench's report nor the table of runs. A question that opens stops it.
    const Sweeps& sweeps() const { return sweeps_; }
    /// In place of the one before. Throws Refusal, also where it would answer an open question; then nothing
    /// has changed. Not before there is a device().
    void start_sweep(SweepSpec spec);
    void stop_sweep() { sweeps_.stop(); }
    void resume_sweep();  ///< not where it would answer an open question
    /// Puts the cell's values and variant on the bench, which runs them. Only a cell of this lesson.
    void use_cell(std::size_t index) { use_experiment(sweeps_.newest()->cells()[index].experiment); }

    // The best launches that sweeps found.
    const TunedLaunches& tuned_launches() const { return tuned_; }
    void keep_tuned_in(std::filesystem::path file) { tuned_.keep_in(std::move(file)); }
    /// For the size of what is on the bench; null: there is none, or the bench has a kernel of the person's
    /// own, which no sweep measures. It may be stale: see is_stale().
    const Tuned* tuned() const;
    bool has_tuned_on_bench() const;  ///< there is one, and the bench holds its launch
    /// Puts it on the bench, which runs it. There must be one that is not stale.
    void use_tuned();

    // Exercises.
    /// What a person makes at this step; null: nothing.
    const MakeBlock* to_make() const { return made_at(shown_step()); }
    /// Runs the bench, then judges the kernel as it stands in the editor, or the values that were to be
    /// found, at the step's other values.
    void judge_made();
    bool is_judging() const { return queue_.holds(exercise_.get()) && !queue_.is_stopping(exercise_.get()); }
    /// How it stands at this step; null: it was not judged since the step was opened.
    const ExerciseJob* exercise() const { return exercise_.get(); }
    bool exercise_is_old() const;  ///< the kernel or the values have changed since

    // Questions, and what else was learned.
    const Answers& answers() const { return answers_; }
    void restore_answers(Learned learned);  ///< in place of what is there
    /// Forgets what was seen, answered and made of a lesson, or, with null, of all; runs and kernels stay.
    void forget_answers(const Lesson* lesson);
    Prediction& prediction(std::size_t block) { return answers_.at(question_key(block)); }  ///< of this step
    /// This step has a question that is neither answered by a run nor skipped. Whoever draws holds back
    /// remarks, and of the story what follows it: see shown_blocks().
    bool asks_first() const { return open_question().has_value(); }
    /// The result would answer an open question of this step: it is of the lesson's own kernel, and of a
    /// variant that the question runs. It is not shown, and does not run by itself, but for the recording of
    /// a picture that may be seen.
    bool hides(const Experiment& experiment) const;
    /// The same of what the bench shows, or would show after a run.
    bool hides_results() const { return hides(settled()) || (report_ && hides(report_->experiment)); }
    std::optional<std::size_t> open_question() const {
        return answers_.open_question(*lesson_, shown_step());
    }
    /// So many blocks of the step may be seen: those before its first open question, else all.
    std::size_t shown_blocks() const { return open_question().value_or(shown_step().blocks.size()); }
    /// Marks it as skipped, as when a person runs without an answer.
    void skip_question(std::size_t block);
    /// Asks it again: the answer and its outcome are forgotten.
    void ask_again(std::size_t block);
    /// The first block of this step that asks and has an answer chosen but not yet decided; nullopt when
    /// there is none.
    std::optional<std::size_t> prediction_to_decide();
    /// Runs what decides it, once there is a device(). That goes on whatever the person opens meanwhile.
    void decide_prediction(std::size_t block);
    /// What decides it now; null: nothing does.
    const QuestionJob* question_job(std::size_t block) const { return questions_.job(question_key(block)); }
    /// As Questions::runs_of().
    std::vector<const HistoryEntry*> deciding_runs(std::size_t block) const {
        return questions_.runs_of(question_key(block));
    }

    /// Changes whenever anything above does, but for the sweep: see Sweeps::revision().
    std::uint64_t revision() const {
        return revision_ + runs_.revision() + recordings_.revision() + tuned_.revision();
    }

 private:
    void changed() { ++revision_; }
    void read_story();
    void bench_changed();
    void prepare_bench();
    /// Where another program runs by now than the bench was prepared with.
    void prepare_program();

    /// What runs while the text is changed: the bench with the last kernel that compiled, else the lesson's.
    Experiment settled() const;
    /// The bench with the person's own kernel as it stands in the editor.
    Experiment as_edited() const;
    void put_kernel(const KernelSource& source, const std::string& path);
    void try_kernel(bool run_anyway);
    void run_settled();
    void after_failed_compile(bool run_anyway);

    void start(lab::Request request, BenchUse use = {});
    void stop_judging() { queue_.stop(exercise_.get()); }

    void take(JobQueue::Answer answer);
    void take_of_bench(const BenchRun& run, JobQueue::Answer& answer);
    void take_of_question(const LearnedKey& key, JobQueue::Answer& answer);
    void show_on_bench(Report report);

    LearnedKey question_key(std::size_t block) const {
        return answers_.key(*lesson_, question_in(shown_step(), block).id);
    }
    bool would_answer(const SweepSpec& spec) const;
    /// After whatever may have opened a question.
    void hold_back();
    void start_question(const LearnedKey& key, const Lesson& lesson, const Story& story);
    void start_pending_questions();
    Experiment experiment_to_judge(const MakeBlock& make) const;
    void note_made();

    lab::Client& client_;
    JobQueue queue_;
    std::string language_;
    const Lesson* lesson_ = nullptr;
    Story story_;
    std::string story_problem_;
    std::size_t step_ = 0;
    std::string step_variant_;  ///< that the step puts on the bench

    Bench bench_;
    OwnKernels kernels_;
    BenchRuns bench_runs_{queue_, kernels_};
    Answers answers_;
    Questions questions_{queue_, answers_};
    RunHistory runs_;
    Recordings recordings_;
    Sweeps sweeps_{queue_};
    TunedLaunches tuned_;

    const Limits* device_ = nullptr;
    std::string no_device_;
    std::shared_ptr<const Report> report_;
    bool stale_ = false;
    std::shared_ptr<ExerciseJob> exercise_;
    std::uint64_t revision_ = 0;
};

}  // namespace gridstride
