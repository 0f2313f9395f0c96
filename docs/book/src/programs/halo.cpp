// Each image puts a number to its right neighbour, by the classes of xmprt.hpp.
#include <iostream>
#include <sstream>
#include <xmprt.hpp>

int main()
{
    const auto all = xmprt::team::current();
    const int me = all.image(), images = all.size();
    xmprt::coarray<int> box(1);
    const xmprt::event arrived;

    const int right = me % images + 1;
    box.on(right)[0] = 100 * me;
    arrived.post(right);
    arrived.wait();

    std::ostringstream line;
    line << "image " << me << " received " << box[0] << "\n";
    std::cout << line.str();

    const int first = all.min(me), last = all.reduce(me, [](int x, int y) { return x > y ? x : y; });
    if (me == 1)
        std::cout << "the images are " << first << " to " << last << "\n";
    try {
        if (me == 1)
            box.on(images + 1)[0] = 5;
    } catch (const xmprt::error &error) {
        std::cout << error.what() << "\n";
    }
    return 0;
}
