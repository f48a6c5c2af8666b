// A user's session with a lesson: the position in its story, the bench, and the jobs that these start. Does
// not draw: panels, scripts and tests read it and call it.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "client/client.h"
#include "jobs/exercise_job.h"
#include "jobs/job_queue.h"
#include "readers/file_choice.h"
#include "session/bench.h"
#include "session/bench_runs.h"
#include "session/device_progress.h"
#include "session/kernel_edits.h"
#include "session/questions.h"
#include "session/run_history.h"
#include "session/saved_session.h"
#include "session/sweeps.h"
#include "session/traces.h"
#include "session/tuned_launches.h"
#include "story/story.h"

namespace gridstride {

/// Reads and checks a file as the lesson's input. Can be called on any thread. Throws Refusal, NeedsChoice,
/// FileError and Cancelled.
UserData read_input(const std::filesystem::path& path, const Lesson& lesson, const Values& values,
                    const FileChoice& choice = {}, FileProgress* progress = nullptr);

class Session {
 public:
    /// `now` is the clock for elapsed times and for the delay of the kernel editor.
    Session(lab::Client& client, std::string language,
            std::function<KernelClock::time_point()> now = KernelClock::now);

    /// Opens a story at a step, from 0, with the lesson's own input. A step beyond the last one opens the
    /// last.
    void open(const CourseEntry& entry, std::size_t step);
    /// Opens the newest version of the lesson at the same step, and keeps the values that the user set on the
    /// bench.
    void reopen();
    const Lesson& lesson() const { return *entry_->lesson; }
    const CourseEntry& entry() const { return *entry_; }  ///< the open story
    const Story& story() const { return story_; }
    /// Returns why the story cannot be shown; empty if it can, or if an earlier state of its file can. If
    /// not, story() is one step without text, and the bench has the lesson's defaults.
    const std::string& story_problem() const { return story_problem_; }
    std::size_t step() const { return step_; }
    const StoryStep& shown_step() const { return story_.steps[step_]; }
    /// Puts the step's values on the bench and runs them, unless hides() the result: a question must come
    /// before its answer.
    void go_to_step(std::size_t step);
    void set_on_last_page(bool shown) { progress_.set_on_last_page(*entry_, shown_step(), shown); }

    // The bench. Every change runs at once, unless hides() the result.
    const Bench& bench() const { return bench_; }
    void set_variant(std::string_view id);
    /// Sets variant and values, which must be of this lesson. Kernel and input stay.
    void use_experiment(Experiment experiment);
    void set_value(std::string_view id, Value value);
    /// Parses a typed value. If that fails, the value stays, and a remark beside the control gives the reason
    /// until the next change or run().
    void set_text(const Parameter& parameter, std::string_view text);
    /// Replaces the lesson's input with one that read_input() read for `lesson`. Throws Refusal if another
    /// lesson is open; nothing has changed then.
    void use_input(const Lesson& lesson, UserData data, const std::string& path);
    void use_lesson_input();

    // The kernel of the variant on the bench. Results are those of the last source that compiled.
    const KernelEdits& kernels() const { return kernels_; }  ///< of all lessons and variants
    const KernelEdit* kernel_edit() const;                   ///< null: the lesson's
    /// Sets the source, which is compiled once the user stops typing, or by run(). If `file` is null, the
    /// kernel keeps its file.
    void edit_kernel(std::string_view text, const KernelFile* file = nullptr);
    void revert_kernel();
    /// Replaces the kernel with one that read_kernel() read. `path` is the file that it may be saved to;
    /// empty if there is none.
    void use_kernel(const KernelSource& source, const std::string& path);
    /// Records that `text` was written to this file. The kernel takes the file's name.
    void mark_kernel_saved(const std::string& path, const std::string& text);
    bool is_compiling() const { return bench_runs_.is_compiling(); }
    /// Returns the seconds until the typed source is compiled automatically; infinity if it is not due.
    double seconds_until_compile() const;
    /// Returns the file name of the lesson's kernel for this variant, for example "tree_sequential.comp".
    std::string lesson_kernel_name() const;

    const Limits* device() const { return device_; }  ///< null until the lab has opened it
    /// Returns why there is no device; empty if there is one or the lab is still opening it.
    const std::string& device_problem() const { return device_problem_; }
    /// Measures the bench, even if hides() the result: the caller must have asked the user. Compiles a kernel
    /// of the user at once.
    void run();
    /// Runs all variants with the lesson's kernels, except those whose results are hidden, and last the
    /// bench.
    void run_all_variants();
    /// Measures the pinned run and the bench again, alternately: a difference between runs at different times
    /// may come from the machine. Does nothing if no run of the same work is pinned.
    void measure_alternately();
    /// Returns the times of the pinned run and the bench; nullopt if they were not measured alternately, or
    /// if those runs have not ended.
    std::optional<BenchRuns::AlternatingTimes> alternating_times() const {
        return bench_runs_.alternating_times(runs_.pinned(), bench_.experiment());
    }
    /// Runs the bench and measures the device's ceilings again.
    void measure_ceilings();
    /// Returns true if the settings are runnable and running them would not give away an open question.
    bool can_run() const { return device_ && bench_.is_valid() && !hides(experiment_to_run()); }
    void stop();
    /// Sets the number of samples of later runs; 0 takes as many as the median needs to converge.
    void set_samples(std::uint32_t samples) { bench_runs_.set_samples(samples); }
    const JobQueue& jobs() const { return queue_; }
    void stop_job(const Job* job);
    /// Returns true if any job other than a sweep runs or waits, or a trace is being analyzed.
    bool has_active_jobs() const;
    /// Returns true if a measured run of the bench or a question runs or waits: until it ends, the bench
    /// shows earlier results.
    bool is_measuring() const;
    /// Takes over reports of the lab and results of threads. Returns true if something changed.
    bool pump();
    /// `wake` is called on another thread when pump() has a result of that thread to process.
    void set_wake(const std::function<void()>& wake);
    /// Returns the newest report of this lesson, or null before the first. It may be for other values: see
    /// is_stale().
    const Report* report() const { return report_.get(); }
    /// The same report, to keep for longer or to read on another thread.
    std::shared_ptr<const Report> shared_report() const { return report_; }
    bool is_stale() const { return is_stale_; }  ///< the report's values differ from those on the bench
    /// Returns true if the editor's source differs from the report's and has no result, or does not compile.
    bool shows_other_source() const;
    bool is_dimmed() const {
        return is_stale() || shows_other_source();
    }  ///< if its results are drawn dimmed

    // Finished runs.
    const RunHistory& runs() const { return runs_; }
    RunHistory& runs() { return runs_; }
    /// Returns every run of this session, with those of its sweeps, for make_csv(). The reports never change
    /// and can be read on any thread.
    Reports all_reports() const;
    bool has_reports() const;
    /// Returns a copy of what restore() needs, without the runs, for another thread.
    SavedSession saved_session() const;
    /// Restores the work of another session, without its runs. Its kernels replace those of this session.
    /// Returns sentences about values that this device does not allow, which are left out.
    std::vector<std::string> restore(SavedSession session);

    // Traces: each is a run of its own without times, and not in the table of runs.
    const Traces& traces() const { return traces_; }
    Traces& traces() { return traces_; }
    /// Traces the settings on the bench with the user's kernel as it is in the editor. Does nothing if that
    /// hides() the result.
    void trace_run(const lab::TraceOptions& what = {});
    /// Traces one launch for a picture that is visible. Waits until the bench has been run (except while a
    /// question is open) and no other work is queued. Does nothing if the newest trace fits, or says why
    /// there is none.
    void trace_for_picture(std::uint32_t launch);
    bool is_tracing() const;    ///< one runs, waits or is being analyzed
    bool is_trace_old() const;  ///< the bench has other values or another kernel than the newest trace

    // Sweeps. Their cells run while no other work is queued: changes of the bench, F5 and predictions come
    // first. They change neither the bench's report nor the table of runs. An open question stops a sweep
    // that would answer it.
    const Sweeps& sweeps() const { return sweeps_; }
    /// Replaces the previous sweep. Requires a device(). Throws Refusal, also if the sweep would answer an
    /// open question; nothing has changed then.
    void start_sweep(SweepSpec spec);
    void stop_sweep() { sweeps_.stop(); }
    void resume_sweep();  ///< does nothing if it would answer an open question
    /// Puts the cell's values and variant on the bench, which runs them. The sweep must be of this lesson.
    void use_cell(std::size_t index) { use_experiment(sweeps_.newest()->cells()[index].experiment); }

    const TunedLaunches& tuned_launches() const { return tuned_; }
    void set_tuned_file(std::filesystem::path file) { tuned_.set_file(std::move(file)); }
    /// Returns the best launch for the bench's size, or null if there is none or the user edits the kernel,
    /// because sweeps do not measure edited kernels. It may be stale: see is_stale().
    const TunedLaunch* tuned() const;
    bool has_tuned_on_bench() const;  ///< the bench has the tuned launch
    /// Puts the tuned launch on the bench, which runs it. Requires a tuned() that is not stale.
    void use_tuned();

    // Exercises.
    /// Returns the exercise of this step, or null.
    const MakeBlock* exercise_block() const { return find_make_block(shown_step()); }
    /// Runs the bench, then grades the kernel in the editor, or the values that the user was to find on top
    /// of the step's values.
    void grade_exercise();
    bool is_grading() const {
        return queue_.contains(exercise_.get()) && !queue_.is_stopping(exercise_.get());
    }
    const ExerciseJob* exercise() const { return exercise_.get(); }
    bool is_exercise_old() const;  ///< the kernel or the values have changed since

    // Questions and progress.
    const DeviceProgress& progress() const { return progress_; }
    void restore_progress(StoryProgress story_progress);  ///< replaces the current answers
    /// Deletes the progress of a story, or of all stories if null. Runs and kernels stay.
    void reset_progress(const CourseEntry* entry);
    Prediction& prediction(std::size_t block) { return progress_.at(question_key(block)); }  ///< of this step
    /// Returns true if this step has a question that is neither decided nor skipped. The caller must then
    /// hide remarks and the rest of the story: see shown_blocks().
    bool has_open_question() const { return open_question().has_value(); }
    /// Returns true if the result would answer an open question of this step: it is of the lesson's kernel
    /// and of a variant that the question runs. Such a result is not shown and does not run automatically,
    /// except to trace a picture that may be seen.
    bool hides(const Experiment& experiment) const;
    /// The same for the results that the bench shows, or would show after a run.
    bool hides_results() const {
        return hides(experiment_to_run()) || (report_ && hides(report_->experiment));
    }
    std::optional<std::size_t> open_question() const {
        return progress_.open_question(lesson(), shown_step());
    }
    /// Puts the values that the runs of the step's open question use on the bench, so that its controls do
    /// not contradict the question. A value that one of the runs uses stays. go_to_step() does it for the
    /// first question; call it when the next one is shown.
    void show_question_values();
    /// Returns true if show_question_values() changed the bench and a trace of it would answer the question:
    /// the question is not about time.
    bool would_trace_answer() const;
    /// Returns how many blocks of the step may be shown: those before its first open question, or all.
    std::size_t shown_blocks() const { return open_question().value_or(shown_step().blocks.size()); }
    /// Marks the question as skipped, for example because the user runs the bench without an answer.
    void skip_question(std::size_t block);
    /// Deletes the answer and its outcome, so that the question is open again.
    void reset_question(std::size_t block);
    /// Returns the first question of this step that has an answer but is not decided, or nullopt.
    std::optional<std::size_t> prediction_to_decide();
    /// Starts the runs that decide the question. Requires a device(). They continue when the user opens
    /// another step or lesson.
    void decide_prediction(std::size_t block);
    /// Returns the job that is deciding the question, or null.
    const QuestionJob* question_job(std::size_t block) const { return questions_.job(question_key(block)); }
    std::vector<const HistoryEntry*> deciding_runs(std::size_t block) const {
        return questions_.deciding_runs(question_key(block));
    }

    /// Changes whenever any state above changes, except the sweep's: see Sweeps::revision().
    std::uint64_t revision() const {
        return revision_ + runs_.revision() + traces_.revision() + tuned_.revision();
    }

 private:
    void changed() { ++revision_; }
    void read_story();
    void bench_changed();
    void prepare_bench();
    bool apply_question_values();
    /// Prepares the bench again if another program runs than the one that it was prepared with.
    void prepare_program();

    /// Returns the experiment that runs while the user edits: the bench with the last kernel that compiled,
    /// or the lesson's.
    Experiment experiment_to_run() const;
    /// Returns the bench with the user's kernel as it is in the editor.
    Experiment edited_experiment() const;
    void put_kernel(const KernelSource& source, const std::string& path);
    void compile_kernel(bool run_last_good);
    void run_bench();
    void after_failed_compile(bool run_last_good);

    void start(lab::Request request, BenchRunOptions options = {});
    void stop_grading() { queue_.stop(exercise_.get()); }

    void handle_report(JobQueue::JobReport job_report);
    void handle_bench_report(const BenchRun& run, JobQueue::JobReport& job_report);
    void handle_question_report(const ProgressKey& key, JobQueue::JobReport& job_report);
    void show_on_bench(Report report);

    ProgressKey question_key(std::size_t block) const {
        return progress_.key(lesson(), get_question(shown_step(), block).id);
    }
    bool would_reveal_answer(const SweepSpec& spec) const;
    /// Stops the sweep if a question that opened would be answered by it.
    void pause_sweep();
    void start_question(const ProgressKey& key, const Lesson& lesson, const Story& story);
    void start_pending_questions();
    Experiment experiment_to_grade(const MakeBlock& make) const;
    void record_attempt();

    lab::Client& client_;
    JobQueue queue_;
    std::string language_;
    const CourseEntry* entry_ = nullptr;
    Story story_;
    std::string story_problem_;
    std::map<std::pair<const Lesson*, std::string>, Story> read_stories_;  ///< by their names
    std::size_t step_ = 0;
    std::string step_variant_;           ///< the variant that the step sets
    bool bench_shows_question_ = false;  ///< apply_question_values() changed the bench

    Bench bench_;
    KernelEdits kernels_;
    BenchRuns bench_runs_{queue_, kernels_};
    DeviceProgress progress_;
    Questions questions_{queue_, progress_};
    RunHistory runs_;
    Traces traces_;
    Sweeps sweeps_{queue_};
    TunedLaunches tuned_;

    const Limits* device_ = nullptr;
    std::string device_problem_;
    std::shared_ptr<const Report> report_;
    bool is_stale_ = false;
    std::shared_ptr<ExerciseJob> exercise_;
    std::uint64_t revision_ = 0;
};

}  // namespace gridstride
