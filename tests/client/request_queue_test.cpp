// A cancellation reaches the request that the client means, whether it is queued or running.
#include "client/request_queue.h"

#include "test_includes.h"

namespace gridstride::lab::request_queue_test {

Request numbered(std::uint64_t id) {
    Request request;
    request.id = id;
    return request;
}

/// Pops a request that is there, or comes without an idle time before it.
std::shared_ptr<QueuedRequest> pop(RequestQueue& queue) {
    return queue.pop(std::chrono::hours(1), [] { ADD_FAILURE() << "the queue is not idle"; });
}

TEST(RequestQueue, SupersedeAppliesToAWaitingRequest) {
    RequestQueue queue;
    queue.push(numbered(1));
    queue.supersede();
    const auto first = pop(queue);
    EXPECT_EQ(first->request.id, 1u);
    EXPECT_TRUE(first->control.is_superseded);
    EXPECT_FALSE(first->control.is_cancelled);
    queue.cancel();
    EXPECT_TRUE(first->control.is_cancelled) << "it runs now";
}

TEST(RequestQueue, CancelAppliesToTheNextRequestNotTheFinishedOne) {
    RequestQueue queue;
    queue.push(numbered(1));
    const auto first = pop(queue);
    // The client already has the first request's report, but this process has not called done() yet.
    queue.push(numbered(2));
    queue.cancel();
    queue.done();
    const auto second = pop(queue);
    EXPECT_EQ(second->request.id, 2u);
    EXPECT_FALSE(first->control.is_cancelled);
    EXPECT_TRUE(second->control.is_cancelled);
}

TEST(RequestQueue, CancelWithoutARequestHasNoEffect) {
    RequestQueue queue;
    queue.cancel();
    queue.push(numbered(1));
    const auto job = pop(queue);
    ASSERT_TRUE(job);
    EXPECT_FALSE(job->control.is_cancelled);
    queue.done();
    queue.end();
    EXPECT_FALSE(pop(queue));
}

TEST(RequestQueue, ReportsIdleOnceAndPopsTheNextRequest) {
    RequestQueue queue;
    int idle_times = 0;
    const auto job = queue.pop(milliseconds(1), [&] {
        ++idle_times;
        queue.push(numbered(1));
    });
    ASSERT_TRUE(job);
    EXPECT_EQ(job->request.id, 1u);
    EXPECT_EQ(idle_times, 1);
}

}  // namespace gridstride::lab::request_queue_test
