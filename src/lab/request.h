// What the lab is asked: a value.
#pragma once

#include <cstdint>
#include <string>

#include "lesson/data.h"
#include "lesson/param.h"

namespace gridstride::lab {

struct Sampling {
    bool measure = true;         ///< false: run and judge once, take no samples
    std::uint32_t samples = 0;   ///< exactly so many; 0: auto, until the median has settled
    double budget_seconds = 2;   ///< of auto, after which sampling ends and the series is called noisy
    bool first_quickly = false;  ///< report after a few samples, and again as more come in
};

struct Request {
    std::uint64_t id = 0;  ///< its report carries the same
    std::string lesson;
    std::string variant;
    Values values;
    Sampling sampling;
    double deadline_seconds = 30;  ///< for the run as a whole
    UserData user_data;            ///< the user's own input; without numbers: the lesson's
};

}  // namespace gridstride::lab
