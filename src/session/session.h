// What the window knows: the lesson and step that are open, the values on the bench, the runs so far, the
// predictions made. No drawing here: panels read it and call it, scripts and tests can do the same.
#pragma once

#include <cstdint>
#include <deque>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/file_progress.h"
#include "base/file_work.h"
#include "client/client.h"
#include "jobs/bench_run.h"
#include "jobs/exercise_job.h"
#include "jobs/job_queue.h"
#include "jobs/question_job.h"
#include "jobs/recording.h"
#include "jobs/sweep.h"
#include "learned/learned.h"
#include "lesson/lesson.h"
#include "present/figures.h"
#include "present/report_csv.h"
#include "readers/file_choice.h"
#include "session/kernel_edit.h"
#include "session/work.h"
#include "story/story.h"
#include "sweep/tuned.h"

namespace gridstride {

/// A file as this lesson's input, read and checked, on any thread. Throws Refusal, NeedsChoice, FileError and
/// Cancelled.
UserData read_input(const std::filesystem::path& path, const Lesson& lesson, const Values& values,
                    const FileChoice& choice = {}, FileProgress* progress = nullptr);

/// How the newest sweep stands.
enum class SweepState { none, running, stopped, done };

class Session {
 public:
    /// `now` is what the quiet time of the kernel editor is counted by.
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
    /// Puts the step's values on the bench and runs them, unless hides() the result: the answer must not be
    /// there before the question.
    void go_to_step(std::size_t step);
    StepProgress progress_of(std::size_t step) const;
    /// Where the person was last in a lesson, on this device; the first step when never there.
    LeftAt left_at(const Lesson& lesson) const;
    /// The open lesson's last page, behind its last step, is shown, or no more: it is left there.
    void note_end(bool shown) {
        learned_.left[{device_name(), lesson_->id}] = {story_.steps[step_].id, shown};
    }
    /// The lesson that was open last, for "Go on where you left"; null when none was.
    const Lesson* left_lesson() const;
    /// Steps seen over steps, and whether all are.
    std::size_t seen_of(const Lesson& lesson) const;
    /// Its questions that are being decided, or will be at the next start.
    std::size_t pending_of(const Lesson& lesson) const;
    /// Forgets what was seen, answered and skipped of a lesson, or, with null, of all; runs and kernels stay.
    void forget_progress(const Lesson* lesson);

    // The bench. Every change runs at once, unless hides() the result.
    /// The lesson's own kernel: see kernel_edit() for the person's.
    const Experiment& experiment() const { return bench_; }
    const std::string& variant() const { return bench_.variant; }
    const Values& values() const { return bench_.values; }
    /// It, made ready on the device, whether it can be run or not; null while there is none. In a lesson of
    /// programs, with the one that runs.
    const std::shared_ptr<const Prepared>& asked() const { return asked_; }
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
    const std::string& input_path() const { return input_path_; }  ///< of that file; empty: the lesson's
    /// All there is to say about the values on the bench, after what there is to say about a text that could
    /// not be read.
    const std::vector<Remark>& remarks() const { return remarks_; }
    bool valid() const { return !asked_ || asked_->valid(); }  ///< no value on the bench is refused

    // The kernel of the variant on the bench. Results stay with the last one that compiled.
    /// Null: the lesson's own.
    const KernelEdit* kernel_edit() const;
    /// Of all lessons and variants.
    const std::map<KernelKey, KernelEdit>& kernels() const { return kernels_; }
    /// Compiled once the typing rests; at once by run(). `origin` is null: it is the file's that it was of
    /// before.
    void edit_kernel(std::string_view text, const KernelOrigin* origin = nullptr);
    void revert_kernel();
    /// What read_kernel() has read from this file, in place of the kernel.
    void use_kernel(KernelSource source, const std::string& path);
    /// `text` was written to this file, and becomes the person's own kernel under the file's name.
    void kernel_saved(const std::string& path, const std::string& text);
    /// The text in the editor, once it rests: the values are fine, or it is the program that is not.
    bool may_try() const { return valid() || !asked_->diagnostics.empty(); }
    bool compiling() const;
    /// Until what was typed is compiled by itself; infinity when nothing is to be.
    double seconds_until_compile() const;
    /// The file name of the kernel that the lesson shows for this variant: "tree_sequential.comp".
    std::string lesson_kernel_name() const;

    // Running.
    const Limits* device() const { return device_; }  ///< null while the lab opens it
    const std::string& no_device() const {
        return no_device_;
    }  ///< why there is none; empty when all is well
    /// Measures what is on the bench, also where that hides() the result: whoever calls it has asked the
    /// person. A kernel of the person's own is compiled at once.
    void run();
    /// The other variants with the lesson's own kernels, but for those whose results are hidden.
    void run_all_variants();
    /// The pinned run and the bench, again and in turn: what differs between two runs that were made at
    /// different times may be the machine's. Nothing where there is no pinned run of the same work.
    void measure_in_turn();
    /// Kernel times of the pinned run and of the bench, measured in turn.
    struct InTurn {
        const HistoryEntry* pinned = nullptr;
        Experiment here;
        std::vector<Summary> of_pinned, of_bench;
    };
    /// Of the run that is pinned and of what is on the bench now; null: they were not measured so, or not yet
    /// to the end.
    const InTurn* in_turn() const;
    /// Runs the bench, and measures anew what the device can do at best.
    void measure_ceilings();
    /// What is on the bench can be run, and answers no question that is open.
    bool may_run() const { return device_ && valid() && !hides(settled()); }
    void stop();
    /// Each run from here on takes exactly so many samples; 0: as many as settle its median.
    void take_samples(std::uint32_t samples) { samples_ = samples; }
    /// What the lab works on, and what waits.
    const JobQueue& jobs() const { return queue_; }
    /// Stops a job of jobs().
    void stop_job(const Job* job);
    /// How far the run under way has come; nullopt while nothing is known of it.
    std::optional<lab::Progress> progress() const;
    /// How long the bench's run has been without a first result; nullopt when it has one or there is none.
    std::optional<double> seconds_without_result() const;
    /// A run of the bench, a question's, a recording or an exercise's; a sweep's do not count.
    bool in_flight() const;
    /// Of these, a run that is measured: what the bench shows is of before until it ends.
    bool is_measuring() const;
    /// Takes in what the lab has sent. True when something changed.
    bool pump();
    /// The newest report for this lesson; null before the first. It may be for other values: see stale().
    const Report* report() const { return report_.get(); }
    /// The same, for who keeps it longer or reads it on another thread.
    std::shared_ptr<const Report> shared_report() const { return report_; }
    bool stale() const { return stale_; }  ///< the report is for other values than the bench shows
    /// The report is of another text than the editor's, which has none yet, or cannot have one.
    bool is_of_another_text() const;
    bool is_dimmed() const { return stale() || is_of_another_text(); }  ///< its results are drawn so

    // A recording of what the invocations do: a run of its own, without times, in no table of runs.
    /// Of what is on the bench, with the person's own kernel as it stands in the editor. Not where that
    /// hides() the result.
    void record(const lab::Recorded& what = {});
    /// The same of this launch, for a picture that is looked at: once what is on the bench has been run, or,
    /// while a question is open, without a run, and only while nothing else is to be done. Does nothing where
    /// the newest recording is the one, or says why there is none.
    void record_for_picture(std::uint32_t launch);
    bool is_recording() const;  ///< one is asked for, and not yet there
    /// The newest of this lesson; null before the first. It may be of other values: see recording_is_old().
    std::shared_ptr<const TakenRecording> recording() const { return recording_; }
    bool recording_is_old() const;  ///< the bench shows other values or another kernel
    /// In place of the one that is there: from a file.
    void keep_recording(std::shared_ptr<const TakenRecording> recording);
    /// Called on another thread when pump() has something to take in that was done there.
    void set_wake(const std::function<void()>& wake) {
        taking_apart_.wake = reading_tuned_.wake = writing_tuned_.wake = wake;
    }

    // Runs so far.
    /// Only ever added to; an entry stays where it is.
    const std::deque<HistoryEntry>& history() const { return *history_; }
    const std::string& longest_parameters() const { return longest_parameters_; }  ///< of them, in words
    /// A run, for who keeps it longer or reads it on another thread.
    std::shared_ptr<const Report> shared_run(const HistoryEntry& run) const {
        return {history_, &run.report};
    }
    /// The least kernel time of a lesson's right runs; 0: none.
    double best_kernel_ns(const std::string& lesson) const;
    const HistoryEntry* pinned() const { return pinned_; }
    const HistoryEntry* selected() const;
    void select_run(std::uint64_t number) { selected_ = &history_->at(number - 1); }
    void pin(std::uint64_t number);  ///< pins it, or unpins it if it was
    /// Every run of this session, those of its sweeps among them: what csv_of() is to write. They stay as
    /// they are, on every thread and for as long as somebody has them.
    Reports all_reports() const;
    bool has_reports() const { return !history_->empty() || !earlier_sweeps_.empty() || sweep_has_reports(); }

    /// What restore() would need to go on from here, without the runs: a copy, for another thread.
    Work work() const;
    /// Goes on with what was done in another window, without its runs: a kernel takes the place of one that
    /// is here. What does not fit this device is left out: sentences that say so.
    std::vector<std::string> restore(Work work);
    void put_back(Report run, bool is_pinned);  ///< one of that window's, after those that are here

    // A sweep. Its cells run while nothing else is to: a change of the bench, F5 and predictions go first.
    // Its runs change neither the bench's report nor the table of runs. A question that opens stops it.
    /// In place of the one before, whose reports are kept for all_reports(). Throws Refusal, also where it
    /// would answer an open question; then nothing has changed. Not before there is a device().
    void start_sweep(SweepSpec spec);
    /// Cancels its run; the cell runs again after resume_sweep().
    void stop_sweep();
    void resume_sweep();  ///< not where it would answer an open question
    /// The newest one, which may be another lesson's; null before the first.
    const Sweep* sweep() const { return sweep_.get(); }
    SweepState sweep_state() const;
    /// Changes whenever the sweep does, also when another takes its place. revision() does not.
    std::uint64_t sweep_revision() const;
    /// Puts the cell's values and variant on the bench, which runs them. Only a cell of this lesson.
    void use_cell(std::size_t index) { use_experiment(sweep_->cells()[index].experiment); }
    /// Of the newest sweep's cells that have run or are refused.
    Reports sweep_reports() const;
    bool sweep_has_reports() const { return sweep_ && sweep_->progress().done > 0; }

    // The best launches that sweeps found.
    /// From here on they are those of this file, which other windows and commands add to, and new ones go
    /// into it. Without it they are this session's own.
    void keep_tuned_in(std::filesystem::path file);
    /// For the size of what is on the bench; null: there is none, or the bench has a kernel of the person's
    /// own, which no sweep measures. It may be stale: see is_stale().
    const Tuned* tuned() const;
    bool has_tuned_on_bench() const;  ///< there is one, and the bench holds its launch
    /// Puts it on the bench, which runs it. There must be one that is not stale.
    void use_tuned();
    /// Sentences: which of the newest sweep's best launches are remembered, and which are not and why.
    const std::vector<std::string>& remembered() const { return remembered_; }
    bool is_keeping_tuned() const { return writing_tuned_.busy(); }  ///< a new one goes into the file

    // Things to make.
    /// What a person makes at this step; null: nothing.
    const MakeBlock* to_make() const { return made_at(story_.steps[step_]); }
    /// Runs the bench, then judges the kernel as it stands in the editor, or the values that were to be
    /// found, at the step's other values.
    void judge_made();
    bool is_judging() const { return queue_.holds(exercise_.get()) && !queue_.is_stopping(exercise_.get()); }
    /// How it stands at this step; null: it was not judged since the step was opened.
    const ExerciseJob* exercise() const { return exercise_.get(); }
    bool exercise_is_old() const;  ///< the kernel or the values have changed since

    // Predictions, and what else was learned.
    Prediction& prediction(std::size_t block);  ///< of this step
    const std::map<LearnedKey, Prediction>& predictions() const { return learned_.predictions; }
    const Learned& learned() const { return learned_; }
    /// In its place. What belongs to no device yet is this device's, at once or when it is known.
    void restore_learned(Learned learned);
    /// This step has a question that is neither answered by a run nor skipped. Whoever draws holds back
    /// remarks, and of the story what follows it: see shown_blocks().
    bool asks_first() const { return open_question().has_value(); }
    /// The result would answer an open question of this step: it is of the lesson's own kernel, and of a
    /// variant that the question runs. It is not shown, and does not run by itself, but for the recording of
    /// a picture that may be seen.
    bool hides(const Experiment& experiment) const;
    /// The same of what the bench shows, or would show after a run.
    bool hides_results() const { return hides(settled()) || (report_ && hides(report_->experiment)); }
    /// The step's first open question; nullopt when there is none.
    std::optional<std::size_t> open_question() const;
    /// So many blocks of the step may be seen: those before its first open question, else all.
    std::size_t shown_blocks() const { return open_question().value_or(story_.steps[step_].blocks.size()); }
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
    const QuestionJob* question_job(std::size_t block) const;
    /// The runs that decided it last, in the order of the question's; empty when none has since the program
    /// started.
    std::vector<const HistoryEntry*> deciding_runs(std::size_t block) const;

    std::uint64_t revision() const { return revision_; }  ///< changes whenever anything above does

 private:
    using KeyedQuestion = std::pair<const LearnedKey, std::shared_ptr<QuestionJob>>;
    void changed();
    void read_story();
    static KernelKey key_of(const Experiment& experiment) { return {experiment.lesson, experiment.variant}; }
    KernelEdit* edit_of(const Experiment& experiment);  ///< as kernel_edit()
    void put_kernel(KernelSource source, const std::string& path);
    const std::optional<KernelSource>& settled_kernel() const;
    /// What runs while the text is changed: the bench with the last kernel that compiled, else the lesson's.
    Experiment settled() const;
    void run_settled();
    void try_kernel(bool run_anyway);
    lab::Sampling sampling() const;
    std::shared_ptr<BenchRun> bench_run(Experiment experiment, BenchUse use = {}) const;
    std::shared_ptr<BenchRun> recording_run(const lab::Recorded& what, BenchUse use) const;
    void run_now(std::shared_ptr<BenchRun> run);
    void clear_bench();
    const BenchRun* running() const;
    const BenchRun* running_trial() const;
    /// A text whose compilation is given up for something else is compiled later.
    void keep_trial();
    /// What the compiler says of the text that runs may never be known.
    void forget_diagnostics();
    void stop_bench();
    void after_failed_compile(bool run_anyway);
    void bench_changed();
    void put_on_bench(Experiment experiment);
    void examine_bench();
    /// Where another program runs by now than the bench was examined with.
    void examine_program();
    void forget_refused_text();
    void take(JobQueue::Answer answer);
    void take_of_bench(const BenchRun& run, JobQueue::Answer& answer);
    void take_of_question(const KeyedQuestion& question, JobQueue::Answer& answer);
    void show_on_bench(Report report);
    HistoryEntry& add_run(Report report);
    std::string device_name() const { return device_ ? device_->device_name : std::string(); }
    LearnedKey learned_key(const std::string& id) const { return {device_name(), lesson_->id, id}; }
    LearnedKey prediction_key(std::size_t block) const;  ///< of this step
    /// Null: nothing is known of it.
    const Prediction* known_prediction(LearnedKey key) const;
    /// On this device or, until the lab has opened it, on that of last time.
    bool is_noted(const std::set<LearnedKey>& noted, const std::string& lesson, const std::string& id) const;
    /// What is kept of this lesson and does not fit the story that was read.
    void drop_what_does_not_fit();
    void note_place();
    /// After whatever may have opened a question.
    void hold_back();
    bool would_answer(const SweepSpec& spec) const;
    void start_question(const LearnedKey& key, const Lesson& lesson, const Story& story);
    void finish_questions();
    void start_pending_questions();
    void read_kept_tuned();
    void remember_sweep();
    void pump_tuned();
    Experiment what_is_made(const MakeBlock& make) const;
    void note_made();
    void stop_judging() { queue_.stop(exercise_.get()); }
    Experiment on_bench() const;
    void take_recording(Experiment experiment, Report report);
    void forget_recording();
    void pump_recording();

    lab::Client& client_;
    std::function<KernelClock::time_point()> now_;
    std::string language_;
    const Lesson* lesson_ = nullptr;
    Story story_;
    std::string story_problem_;
    std::size_t step_ = 0;
    std::string step_variant_;  ///< that the step puts on the bench
    Experiment bench_;
    std::string input_path_;
    std::map<KernelKey, KernelEdit> kernels_;
    std::shared_ptr<const Prepared> asked_;
    std::vector<Remark> remarks_;
    bool text_refused_ = false;  ///< the first remark is of a text that cannot be read, not of the values

    const Limits* device_ = nullptr;
    std::string no_device_;
    std::uint32_t samples_ = 0;  ///< take_samples()
    JobQueue queue_;
    std::shared_ptr<const Report> report_;
    bool stale_ = false;

    /// Shared with whoever writes it to a file, which may outlast the session.
    std::shared_ptr<std::deque<HistoryEntry>> history_ = std::make_shared<std::deque<HistoryEntry>>();
    std::string longest_parameters_;
    std::map<std::string, double> best_kernel_ns_;  ///< by lesson
    const HistoryEntry* pinned_ = nullptr;
    const HistoryEntry* selected_ = nullptr;
    std::optional<InTurn> in_turn_;
    Learned learned_;
    std::map<LearnedKey, std::shared_ptr<QuestionJob>> questions_;       ///< that are being decided
    std::map<LearnedKey, std::vector<const HistoryEntry*>> decided_by_;  ///< the last runs of each
    std::uint64_t revision_ = 0;

    std::shared_ptr<ExerciseJob> exercise_;
    std::shared_ptr<Sweep> sweep_;
    std::uint64_t sweep_number_ = 0;
    Reports earlier_sweeps_;            ///< also another window's
    std::filesystem::path tuned_file_;  ///< empty: they are not kept
    std::vector<Tuned> tuned_;
    std::vector<std::string> remembered_;
    std::uint64_t remembered_sweep_ = 0;  ///< the number of the newest that tuned_ has
    FileWork reading_tuned_, writing_tuned_;

    std::shared_ptr<const TakenRecording> recording_;
    FileWork taking_apart_;  ///< of a recording's records, beside the window's thread
};

}  // namespace gridstride
