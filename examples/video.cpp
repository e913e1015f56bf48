// Follows a rectangle of the first frame through a video. The frames come from standard input as
// YUV4MPEG2, which ffmpeg makes of any video; their luma is searched with one plan.
// SPDX-License-Identifier: BSD-2-Clause
//
//     ffmpeg -loglevel error -i film.mp4 -pix_fmt yuv420p -f yuv4mpegpipe - | video 320 180 48 48
//
// The arguments are X Y WIDTH HEIGHT of the rectangle. Each line has the number of a frame, and x,
// y and score of the best match.
#include <exactncc/exactncc.hpp>

#include <cstdio>
#include <cstdlib>
#include <stdexcept>
#include <string>

namespace {

// The frames of a stream with 8 bits per sample.
class Frames {
  public:
    explicit Frames(std::FILE *file) : file_(file)
    {
        const std::string header = line();
        if (header.rfind("YUV4MPEG2", 0) != 0)
            throw std::runtime_error(
                "standard input is not YUV4MPEG2; ffmpeg's -f yuv4mpegpipe writes it");
        width_ = number(header, " W");
        height_ = number(header, " H");
        if (width_ < 1 || height_ < 1 || width_ > 1 << 15 || height_ > 1 << 15)
            throw std::runtime_error("the video has no legal size: " + header);
        luma_.resize(std::size_t(width_) * std::size_t(height_));
        chroma_.resize(chroma_bytes(header));
    }
    int width() const
    {
        return width_;
    }
    int height() const
    {
        return height_;
    }
    const std::vector<unsigned char> &luma() const
    {
        return luma_;
    }
    // Reads the next frame. Returns false after the last one.
    bool next()
    {
        const std::string header = line();
        if (header.empty())
            return false;
        if (header.rfind("FRAME", 0) != 0)
            throw std::runtime_error("the video is damaged: a frame begins with " + header);
        if (std::fread(luma_.data(), 1, luma_.size(), file_) != luma_.size() ||
            std::fread(chroma_.data(), 1, chroma_.size(), file_) != chroma_.size())
            throw std::runtime_error("the video ends within a frame");
        return true;
    }

  private:
    // A line without its end; empty at the end of the file.
    std::string line()
    {
        std::string text;
        for (int c = std::getc(file_); c != EOF && c != '\n' && text.size() < 1000;
             c = std::getc(file_))
            text += static_cast<char>(c);
        return text;
    }
    static int number(const std::string &header, const char *key)
    {
        const std::size_t at = header.find(key);
        return at == std::string::npos ? 0 : std::atoi(header.c_str() + at + 2);
    }
    // The bytes per frame that follow the luma.
    std::size_t chroma_bytes(const std::string &header) const
    {
        const std::size_t width = std::size_t(width_), height = std::size_t(height_);
        const std::size_t at = header.find(" C");
        const std::string space = at == std::string::npos
                                      ? "420"
                                      : header.substr(at + 2, header.find(' ', at + 2) - at - 2);
        if (space == "mono")
            return 0;
        if (space == "420" || space == "420jpeg" || space == "420mpeg2" || space == "420paldv")
            return 2 * ((width + 1) / 2) * ((height + 1) / 2);
        if (space == "422")
            return 2 * ((width + 1) / 2) * height;
        if (space == "444")
            return 2 * width * height;
        throw std::runtime_error("the colours " + space +
                                 " have not 8 bits per sample; give ffmpeg -pix_fmt yuv420p");
    }

    std::FILE *file_;
    int width_ = 0, height_ = 0;
    std::vector<unsigned char> luma_, chroma_;
};

void run(const int rectangle[4])
{
    Frames frames(stdin);
    if (!frames.next())
        throw std::runtime_error("the video has no frame");
    const xncc_image image = exactncc::view(frames.luma(), frames.width(), frames.height());
    const exactncc::Context context;
    const exactncc::Template templ(
        context, exactncc::crop(image, rectangle[0], rectangle[1], rectangle[2], rectangle[3]));
    exactncc::Plan plan(context, exactncc::problem(image, templ));
    exactncc::PeakRule peaks;
    peaks.top = 1;
    peaks.min_score = -1;
    int number = 0;
    do { // the view stays the same: each frame is read into the same memory
        xncc_match match;
        if (plan.find_into(image, templ, { &match, 1 }, peaks))
            std::printf("%d %d %d %.9g\n", number, match.x, match.y,
                        static_cast<double>(match.score));
        number++;
    } while (frames.next());
}

} // namespace

int main(int argc, char **argv)
{
    int rectangle[4] = { 0, 0, 0, 0 };
    for (int i = 0; i < 4 && i + 1 < argc; i++)
        rectangle[i] = std::atoi(argv[i + 1]);
    if (argc != 5 || rectangle[2] < 1 || rectangle[3] < 1) {
        std::fprintf(stderr, "usage: video X Y WIDTH HEIGHT <video.y4m\n");
        return 2;
    }
    try {
        run(rectangle);
    } catch (const std::exception &problem) {
        std::fprintf(stderr, "video: %s\n", problem.what());
        return 1;
    }
    return 0;
}
