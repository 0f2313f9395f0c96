// A put and a load that nothing orders, unless the argument is "ordered", after an error that another function has caught.
#include <cstring>
#include <iostream>
#include <xmprt.hpp>

static void put_beyond(xmprt::coarray<int> &box, int image)
{
    box.on(image)[0] = 5;
}

int main(int argc, char **argv)
{
    const auto all = xmprt::team::current();
    const int me = all.image(), images = all.size();
    xmprt::coarray<int> box(1);
    const bool is_ordered = argc > 1 && std::strcmp(argv[1], "ordered") == 0;
    int seen = 0;
    try {
        put_beyond(box, images + 1);
    } catch (const xmprt::error &) {
        seen += 1;
    }
    if (me == 1)
        box.on(2)[0] = 7; // first
    if (is_ordered)
        all.sync();
    if (me == 2)
        seen += box[0]; // second
    all.sync();
    if (me == 1)
        std::cout << "done " << (seen > 0) << "\n";
    return 0;
}
