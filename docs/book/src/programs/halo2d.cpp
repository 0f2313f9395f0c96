// Heat on a square that is dealt to a grid of images: 2-D halo exchange with teams of rows and columns.
#include <cmath>
#include <iostream>
#include <utility>
#include <vector>
#include <xmprt.hpp>

const int points = 37; // in each direction, which the grid need not divide

// The first point of a part, of several.
static int start_of(int part, int parts) { return points * part / parts; }

int main()
{
    const auto all = xmprt::team::current();
    const int me = all.image() - 1, images = all.size();
    int down = static_cast<int>(std::sqrt(images)); // the grid has `down` rows of `across` images
    while (images % down != 0)
        down--;
    const int across = images / down, my_row = me / across, my_column = me % across;

    // Images of a row are a team, and those of a column.
    const auto row = xmprt::team::form(my_row + 1), column = xmprt::team::form(my_column + 1);
    std::vector<int> beside, above_and_below;
    for (int step : {-1, 1}) {
        if (my_column + step >= 0 && my_column + step < across)
            beside.push_back(row.image() + step);
        if (my_row + step >= 0 && my_row + step < down)
            above_and_below.push_back(column.image() + step);
    }

    // A coarray has one size on all images: that of the largest part. So a row has the same width on all.
    const int top = start_of(my_row, down), height = start_of(my_row + 1, down) - top;
    const int left = start_of(my_column, across), width = start_of(my_column + 1, across) - left;
    const int line = (points + across - 1) / across + 2, lines = (points + down - 1) / down + 2;
    xmprt::coarray<double> u(lines * line), next(lines * line);
    const auto at = [line](int i, int j) { return i * line + j; }; // i and j from 1; 0 is the halo
    for (int i = 1; i <= height; i++)
        for (int j = 1; j <= width; j++)
            u[at(i, j)] = (top + i) * (left + j);
    all.sync();

    for (int step = 0; step < 100; step++) {
        for (int other : beside) { // columns: every `line`-th element, there and here
            const bool is_left = other < row.image();
            const int others_width = start_of(other, across) - start_of(other - 1, across);
            const int here = at(1, is_left ? 1 : width), there = at(1, is_left ? others_width + 1 : 0);
            u.on(row, other).put_strided(&u[here], height, line, there, line);
        }
        for (int other : above_and_below) { // lines
            const bool is_above = other < column.image();
            const int others_height = start_of(other, down) - start_of(other - 1, down);
            const int here = at(is_above ? 1 : height, 1), there = at(is_above ? others_height + 1 : 0, 1);
            u.on(column, other).put(&u[here], width, there);
        }
        row.sync_images(beside);
        column.sync_images(above_and_below);
        for (int i = 1; i <= height; i++)
            for (int j = 1; j <= width; j++)
                next[at(i, j)] = 0.2 * (u[at(i, j)] + u[at(i - 1, j)] + u[at(i + 1, j)] + u[at(i, j - 1)] + u[at(i, j + 1)]);
        std::swap(u, next); // the neighbours put to the other one in the next step
    }

    double sum = 0;
    for (int i = 1; i <= height; i++)
        for (int j = 1; j <= width; j++)
            sum += u[at(i, j)];
    sum = all.sum(sum);
    if (me == 0)
        std::cout << "heat: " << std::round(sum) << "\n";
    return 0;
}
