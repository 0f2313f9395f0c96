// An exception that nothing catches.
#include <xmprt.hpp>

#include <cstring>
#include <stdexcept>

int main(int, char **argv)
{
    xmprt::coarray<int> box(1);
    if (std::strcmp(argv[1], "put") == 0)
        box.on(9)[0] = 1;
    if (std::strcmp(argv[1], "place") == 0)
        box.on(1)[5] = 1;
    if (std::strcmp(argv[1], "program") == 0)
        throw std::runtime_error("of the program");
    throw 5;
}
