// One layer of a neural network: the least arithmetic, so that what counts is how often its bytes are moved.
#include "lesson/lesson.h"

#include "hidden_layer/baselines.h"
#include "hidden_layer/input.h"
#include "hidden_layer/parameters.h"
#include "hidden_layer/pictures.h"
#include "hidden_layer/plan.h"
#include "hidden_layer/reference.h"
#include "hidden_layer/remarks.h"
#include "hidden_layer/result.h"

namespace gridstride::lessons::hidden_layer {

const Lesson& lesson() {
    static const Lesson lesson{
        .id = "hidden_layer",
        .title = "Hidden layer",
        .question = "Three simple steps over a picture: why is one kernel several times faster than three?",
        .place = 5,
        .parameters = parameters(),
        .variants = variants(),
        .default_variant = "round_trips",
        .input = &input,
        .input_files = {".png", ".csv", ".npy"},
        .input_from_user = &input_from_user,
        .remarks = &remarks,
        .plan = &plan,
        .reference = &reference,
        .baselines = {{"one_thread", "one thread", &one_thread},
                      {"all_threads", "all threads", &all_threads}},
        .result = &result,
        .plots = &plots,
    };
    return lesson;
}

}  // namespace gridstride::lessons::hidden_layer
