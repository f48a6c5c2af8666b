// Runs the reduction through the client, as the window and the command line do.
#pragma once

#include "client/client.h"
#include "client/start_lab.h"
#include "gpu/device.h"
#include "lesson/lesson.h"
#include "test_includes.h"

namespace gridstride::lab {

/// The value is a count, or a choice by its id.
struct Setting {
    std::string_view id;
    std::variant<std::uint64_t, std::string> value;

    template <class T>
    Setting(std::string_view parameter, const T& to) : id(parameter) {
        if constexpr (std::is_integral_v<T>)
            value = static_cast<std::uint64_t>(to);
        else
            value = std::string(to);
    }
};

class ReductionLab : public ::testing::Test {
 protected:
    static void SetUpTestSuite() {
        gpu::enable_validation();
        client_ = start_lab({.program = program()}).release();
    }
    static void TearDownTestSuite() {
        delete client_;
        client_ = nullptr;
    }
    void TearDown() override { EXPECT_THAT(gpu::take_validation_messages(), IsEmpty()); }

    static const Lesson& reduction() { return *find_lesson("reduction"); }
    /// The run is judged, and timed if the request has samples.
    static Request request_of(std::string_view lesson, const std::string& variant,
                              const std::vector<Setting>& settings = {}, std::size_t samples = 0) {
        static std::uint64_t next = 1;
        Request request;
        request.id = next++;
        const Lesson& of = *find_lesson(lesson);
        request.experiment = default_experiment(of);
        request.experiment.variant = variant;
        for (const auto& [id, value] : settings)
            if (const auto* const count = std::get_if<std::uint64_t>(&value))
                request.experiment.values.set(id, *count);
            else
                request.experiment.values.set(id, parse(*find(of.parameters, id), std::get<1>(value)));
        request.sampling.measure = samples > 0;
        if (samples > 0) request.sampling.samples = samples;
        request.deadline_seconds = never_seconds;
        return request;
    }
    static Request request(const std::string& variant, const std::vector<Setting>& settings = {},
                           std::size_t samples = 0) {
        return request_of("reduction", variant, settings, samples);
    }
    static Report run(Request request) {
        return run_and_wait(*client_, std::move(request), [] { return false; });
    }

    static inline Client* client_ = nullptr;
};

}  // namespace gridstride::lab
