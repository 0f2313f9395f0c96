// Image 2 combines by another function than the others.
#include <xmprt.hpp>

int main(int argc, char **)
{
    auto all = xmprt::team::initial();
    int me = xmprt_this_image(XMPRT_INITIAL);
    int value = me + 1;
    auto add = [](int left, int right) { return left + right; };
    auto multiply = [](int left, int right) { return left * right; };
    if (argc > 1)
        me == 2 ? all.begin_reduce(&value, 1, multiply).wait() : all.begin_reduce(&value, 1, add).wait();
    else
        value = me == 2 ? all.reduce(value, multiply) : all.reduce(value, add);
    xmprt::check(xmprt_sync(XMPRT_INITIAL));
}
