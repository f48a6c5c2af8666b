// Figures of millions of samples are drawn in time and keep their outliers.
#include <iostream>

#include "test_includes.h"
#include "ui/plot_case.h"

namespace gridstride::ui::plot_millions_test {

TEST_F(PlotDrawing, DrawsTenMillionSamples) {
    std::vector<double> y(10'000'000);
    for (std::size_t i = 0; i < y.size(); ++i)
        y[i] = std::sin(static_cast<double>(i) * 1e-5) + static_cast<double>(i * 7919 % 1000) * 1e-4;
    y[1'234'567] = 40;
    for (const Mark mark : {Mark::line, Mark::bars}) {
        Plot plot{"p", "", Origin::computed, Figure{}, ""};
        Series series;
        series.mark = mark;
        series.y = std::move(y);
        std::get<Figure>(plot.content).series.push_back(std::move(series));
        view_ = {};
        for (int i = 0; i < 3; ++i) {
            const auto start = std::chrono::steady_clock::now();
            frame(plot);
            const std::chrono::duration<double, std::milli> elapsed =
                std::chrono::steady_clock::now() - start;
            std::cout << (mark == Mark::line ? "line" : "bars") << " of 10 M samples, frame " << i << ": "
                      << elapsed.count() << " ms, " << vertex_count_ << " vertices\n";
        }
        EXPECT_LT(vertex_count_, 20000);
        EXPECT_GT(view_.state->y.high, 40);
        y = std::move(std::get<Figure>(plot.content).series[0].y);
    }
}

TEST_F(PlotDrawing, DrawsAnArrayOfTenMillionSamples) {
    std::vector<std::int16_t> samples(10'000'000);
    for (std::size_t i = 0; i < samples.size(); ++i)
        samples[i] = static_cast<std::int16_t>(i * 7919 % 2000);
    samples[1'234'567] = 30000;
    for (const Mark mark : {Mark::line, Mark::bars}) {
        const Plot plot = make_waveform(array_of(samples), mark);
        view_ = {};
        feed_mouse_position(ImVec2(300, 180));  // the time includes the readout
        double last_ms = 0;
        for (int i = 0; i < 4; ++i) {
            const auto start = std::chrono::steady_clock::now();
            frame(plot);
            last_ms =
                std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
            std::cout << (mark == Mark::line ? "line" : "bars") << " of 10 M i16, frame " << i << ": "
                      << last_ms << " ms, " << vertex_count_ << " vertices\n";
        }
        EXPECT_LT(last_ms, 200) << "a frame reads every sample";
        EXPECT_LT(vertex_count_, 20000);
        EXPECT_GT(view_.state->y.high, 30000);
        EXPECT_GT(readout_vertex_count_, 0);
    }
}

TEST_F(PlotDrawing, ReadoutFindsTheDrawnSpike) {
    std::vector<float> samples(1'000'000, 0.5f);
    samples[500'123] = 100;
    samples[200'000] = static_cast<float>(nan);
    const Plot plot = make_waveform(array_of(samples));
    frames(plot, 2);
    const auto& figure = std::get<Figure>(plot.content);
    FigurePaint paint{figure, view_, *view_.state, {}, nullptr, {}};
    paint.area = {ImVec2(0, 0), ImVec2(500, 100), false, {0, 1e6}, {0, 100}};
    const auto hit = find_hit(paint, ImVec2(251, 5));
    ASSERT_TRUE(hit.has_value());
    EXPECT_EQ(hit->index, 500'123U);
    EXPECT_EQ(hit->y, 100);
}

TEST_F(PlotDrawing, WheelZoomsAWaveformToSingleSamples) {
    std::vector<std::int16_t> samples(10'000'000);
    for (std::size_t i = 0; i < samples.size(); ++i)
        samples[i] = static_cast<std::int16_t>(i % 1000);
    const Plot plot = make_waveform(array_of(samples));
    point_at(plot, ImVec2(300, 180));
    const Range y = view_.state->y;
    for (int i = 0; i < 12; ++i)
        wheel(plot, 7, {.ctrl = true});
    frames(plot, 90);
    EXPECT_LT(view_.state->x.length(), 10);
    EXPECT_NEAR(view_.state->y.low, y.low, 1e-6);
    EXPECT_NEAR(view_.state->y.high, y.high, 1e-6);
    frame(plot);
    EXPECT_GT(vertex_count_, 0);
}

}  // namespace gridstride::ui::plot_millions_test
