// The last image fails: the others have an exception in the team with it, and go on in a team of the active images.
#include "check.hpp"

using xmprt::team;

int main()
{
    const team all = team::current(), before = team::form_active(1);
    const int me = all.image(), n = all.size();
    if (me == n)
        xmprt_fail_image();
    REQUIRE(!all.sync_active());
    refused(XMPRT_FAILED_IMAGE, "image", [&] { all.sync(); });
    refused(XMPRT_FAILED_IMAGE, "image", [&] { (void)team::form(1); });
    refused(XMPRT_FAILED_IMAGE, "image", [&] { xmprt::entered inside(before); });
    // Nothing was entered.
    REQUIRE(team::current().number() == -1);
    const team left = team::form_active(7);
    REQUIRE(left.size() == n - 1 && left.image() == me && left.number() == 7);
    xmprt::entered inside(left);
    xmprt::coarray<int> box(1);
    box.on(me % (n - 1) + 1)[0] = me;
    REQUIRE(left.sync_active());
    REQUIRE(box[0] == (me + n - 3) % (n - 1) + 1);
    return 0;
}
