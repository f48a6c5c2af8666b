// Runs of the reduction through the client, as the window and the command line make them.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

#include "client/client.h"
#include "gpu/device.h"
#include "lesson/lesson.h"
#include "test_environment.h"

namespace gridstride::lab {

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
    void TearDown() override { EXPECT_THAT(gpu::take_validation_messages(), ::testing::IsEmpty()); }

    static const Lesson& reduction() { return *find_lesson("reduction"); }
    /// Judged, not timed.
    static Request request(const std::string& variant) {
        static std::uint64_t next = 1;
        Request request;
        request.id = next++;
        request.experiment = default_experiment(reduction());
        request.experiment.variant = variant;
        request.sampling.measure = false;
        request.deadline_seconds = never_seconds;
        return request;
    }
    static void set(Request& request, std::string_view id, std::uint64_t value) {
        request.experiment.values.set(id, value);
    }
    static void choose(Request& request, std::string_view id, std::string_view choice) {
        request.experiment.values.set(id, parse(*find(reduction().parameters, id), choice));
    }
    static Report run(Request request) {
        return run_to_end(*client_, std::move(request), [] { return false; });
    }

    static inline Client* client_ = nullptr;
};

}  // namespace gridstride::lab
