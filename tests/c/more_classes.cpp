// The C++ header: some images meet, operations of which one is awaited, parts of any length, sections, waits for several elements.
#include "check.hpp"

#include <algorithm>
#include <numeric>

using xmprt::team;

static int me, n, right, left;

static void meetings()
{
    const team all = team::current();
    xmprt::coarray<int> box(2);
    box.on(right)[0] = me;
    box.on(left)[1] = me;
    // Two images, or one, are both neighbours of each other, and a list names none twice.
    std::vector<int> neighbours{right, left};
    neighbours.resize(left == right ? 1 : 2);
    if (n > 2)
        all.sync_images({left, right});
    else
        all.sync_images({right});
    REQUIRE(box[0] == left && box[1] == right);
    all.sync_images(neighbours);
    all.sync_images(neighbours.data(), neighbours.size());
    all.sync_images({});
    // A flag behind data, by atomic operations that order nothing themselves.
    box.on(right)[0] = -me;
    xmprt::sync_memory();
    box.on(right).atomic(1).store(99);
    box.wait_until(XMPRT_EQUAL, 99, 1);
    xmprt::sync_memory();
    REQUIRE(box[0] == -left);
    refused(XMPRT_BAD_ARGUMENT, "xmprt_sync_images", [&] { all.sync_images({n + 1}); });
    REQUIRE(all.failed_images().empty() && all.stopped_images().empty());
    REQUIRE(xmprt::num_hosts() >= 1 && all.host_of(me) <= xmprt::num_hosts());
    refused(XMPRT_BAD_ARGUMENT, "image index", [&] { (void)all.host_of(0); });
    const team alone = team::form(me);
    REQUIRE(alone.index_in(all, 1) == me && all.index_in(alone, me) == 1 && (n == 1 || all.index_in(alone, left) == 0));
    refused(XMPRT_BAD_ARGUMENT, "image index", [&] { (void)alone.index_in(all, 2); });
    all.sync();
}

static void requests()
{
    const team all = team::current();
    long least = me, greatest = me, upto = me, before = me;
    std::vector<long> everyone(2 * n), gathered(2 * n), given(2 * n), exchanged(2 * n), sent(2 * n);
    const long pair[2] = {me, -me};
    long mine[2] = {0, 0};
    std::iota(given.begin(), given.end(), 0L);
    for (int k = 0; k < n; k++)
        sent[2 * k] = 100 * me + k, sent[2 * k + 1] = -sent[2 * k];
    std::vector<xmprt::request> going;
    going.push_back(all.begin_min(&least, 1));
    going.push_back(all.begin_max(&greatest, 1));
    going.push_back(all.begin_scan(&upto, 1));
    going.push_back(all.begin_exscan(&before, 1));
    going.push_back(all.begin_allgather(everyone.data(), pair, 2));
    going.push_back(all.begin_gather(gathered.data(), pair, 2, n));
    going.push_back(all.begin_scatter(mine, given.data(), 2, n));
    going.push_back(all.begin_alltoall(exchanged.data(), sent.data(), 2));
    std::vector<bool> complete(going.size());
    const auto first = xmprt::wait_any(going);
    REQUIRE(first && *first < going.size());
    complete[*first] = true;
    for (const std::size_t k : xmprt::wait_some(going)) {
        REQUIRE(!complete[k]);
        complete[k] = true;
    }
    xmprt::wait_all(going);
    REQUIRE(!xmprt::wait_any(going) && xmprt::wait_some(going).empty());
    REQUIRE(least == 1 && greatest == n && upto == long(me) * (me + 1) / 2 && before == (me == 1 ? 1 : long(me) * (me - 1) / 2));
    REQUIRE(mine[0] == 2 * me - 2 && mine[1] == 2 * me - 1);
    for (int k = 0; k < n; k++) {
        REQUIRE(everyone[2 * k] == k + 1 && everyone[2 * k + 1] == -k - 1);
        REQUIRE(me != n || (gathered[2 * k] == k + 1 && gathered[2 * k + 1] == -k - 1));
        REQUIRE(exchanged[2 * k] == 100 * (k + 1) + me - 1 && exchanged[2 * k + 1] == -exchanged[2 * k]);
    }
    std::vector<xmprt::request> none;
    xmprt::wait_all(none);
    REQUIRE(!xmprt::wait_any(none) && xmprt::wait_some(none).empty());
    // An error is thrown, and its request is complete then.
    if (n > 1) {
        going.clear();
        going.push_back(all.begin_sum(mine, me == 1 ? 1 : 2));
        refused(XMPRT_BAD_ARGUMENT, "xmprt_wait_all: xmprt_begin_co_sum", [&] { xmprt::wait_all(going); });
        REQUIRE(!xmprt::wait_any(going));
    }
}

static void parts()
{
    const team all = team::current();
    std::vector<long> everyone(2 * n), exchanged(n), own(n);
    const long pair[2] = {me, -me};
    all.allgather(everyone.data(), pair, 2);
    REQUIRE(everyone[0] == 1 && everyone.back() == -n);
    std::fill(everyone.begin(), everyone.end(), 0L);
    all.gather(everyone.data(), pair, 2, 1);
    REQUIRE(me != 1 || (everyone[0] == 1 && everyone.back() == -n));
    long back[2] = {0, 0};
    all.scatter(back, everyone.data(), 2, 1);
    REQUIRE(back[0] == me && back[1] == -me);
    std::fill(own.begin(), own.end(), long(me));
    all.alltoall(exchanged.data(), own.data(), 1);
    REQUIRE(exchanged[0] == 1 && exchanged.back() == n);
    REQUIRE(all.scan(me) == me * (me + 1) / 2 && all.exscan(me, XMPRT_MAX) == std::max(1, me - 1));
    // Image k gives image j j - 1 elements, or gets them; image 1 has none.
    std::vector<std::vector<int>> of_each;
    for (int k = 1; k <= n; k++)
        of_each.emplace_back(k - 1, 100 * me + k);
    REQUIRE(all.scatterv(me == n ? of_each : std::vector<std::vector<int>>(), n) == std::vector<int>(me - 1, 100 * n + me));
    const auto received = all.alltoallv(of_each);
    REQUIRE(received.size() == std::size_t(n));
    for (int k = 1; k <= n; k++)
        REQUIRE(received[k - 1] == std::vector<int>(me - 1, 100 * k + me));
    of_each.emplace_back();
    refused(XMPRT_BAD_ARGUMENT, "xmprt::team::alltoallv: ", [&] { (void)all.alltoallv(of_each); });
    all.sync();
}

// A grid of 5 rows of 7 on each image.
static void sections()
{
    constexpr std::ptrdiff_t width = 7;
    xmprt::coarray<int> grid(35);
    std::vector<int> mine(35);
    std::iota(mine.begin(), mine.end(), 1000 * me);
    team::current().sync();
    // The second column here is the last one there; then a block of 2 x 3, upside down.
    grid.on(right).put_strided(mine.data() + 1, 5, width, 6, width);
    grid.on(right).put_section(mine.data(), {{2, -width, width}, {3, 1, 1}}, 3 * width);
    team::current().sync();
    for (int row = 0; row < 5; row++)
        REQUIRE(grid[row * width + 6] == 1000 * left + row * width + 1);
    REQUIRE(grid[3 * width + 2] == 1000 * left + 2 && grid[2 * width] == 1000 * left + width && grid[width] == 0);
    std::vector<int> got(6);
    grid.on(me).get_section(got.data(), {{3, 1, 2}, {2, width, 1}}, 2 * width);
    REQUIRE(got == std::vector<int>({1000 * left + 7, 1000 * left, 1000 * left + 8, 1000 * left + 1, 1000 * left + 9, 1000 * left + 2}));
    grid.on(me).get_strided(got.data(), 3, 1, 3 * width, 2);
    REQUIRE(got[4] == 1000 * left + 2);
    grid.on(me).get_section(got.data(), {}, 34);
    REQUIRE(got[0] == grid[34]);
    team::current().sync();
    grid.on(right).put_indexed(mine.data(), {34, 0, 5});
    team::current().sync();
    grid.on(me).get_indexed(got.data(), {5, 34});
    REQUIRE(grid[0] == 1000 * left + 1 && got[0] == 1000 * left + 2 && got[1] == 1000 * left);
    const auto there = grid.on(1);
    there.put_section(mine.data(), {{0, 1, 1}, {99, 99, 1}}, 35);
    refused(XMPRT_BAD_ARGUMENT, "elements 30 to 39, is not within the 35 of the coarray on image 1",
            [&] { there.put_section(mine.data(), {{2, width, width}, {3, 1, 1}}, 30); });
    refused(XMPRT_BAD_ARGUMENT, "elements -4 to 3, is not", [&] { there.get_section(mine.data(), {{2, -width, width}}, 3); });
    refused(XMPRT_BAD_ARGUMENT, "a section from element 0 on is not",
            [&] { there.get_section(mine.data(), {{std::size_t(-1), 8, 1}, {std::size_t(-1), 8, 1}}); });
    refused(XMPRT_BAD_ARGUMENT, "element 35 is not within", [&] { there.put_indexed(mine.data(), {0, 35}); });
    team::current().sync();
}

template <class T> static void waits()
{
    xmprt::coarray<T> flags(3);
    REQUIRE(!flags.test(XMPRT_NOT_EQUAL, 0));
    team::current().sync();
    flags.on(right).atomic(1).store(5);
    REQUIRE(flags.wait_until_any(XMPRT_EQUAL, 5) == std::size_t(1));
    REQUIRE(flags.test(XMPRT_EQUAL, 5, 1));
    REQUIRE(!flags.wait_until_any(XMPRT_EQUAL, 5, {1, 1, 1}) && flags.wait_until_some(XMPRT_EQUAL, 5, {1, 1, 1}).empty());
    flags.on(right).atomic(2).store(6);
    flags.wait_until_all(XMPRT_GREATER, 4, {1, 0, 0});
    REQUIRE(flags.wait_until_some(XMPRT_GREATER_EQUAL, 5, {1, 0, 0}) == std::vector<std::size_t>({1, 2}));
    flags.on(right).atomic(0).store(7);
    flags.wait_until_all(XMPRT_NOT_EQUAL, 0);
    REQUIRE(flags.wait_until_some(XMPRT_GREATER_EQUAL, 6) == std::vector<std::size_t>({0, 2}));
    refused(XMPRT_BAD_ARGUMENT, "xmprt::coarray::test: element 3 is not within the 3", [&] { (void)flags.test(XMPRT_EQUAL, 0, 3); });
    refused(XMPRT_BAD_ARGUMENT, "wait_until_any: `skip` has 2 numbers for the 3", [&] { (void)flags.wait_until_any(XMPRT_EQUAL, 0, {1, 1}); });
    team::current().sync();
}

int main()
{
    me = team::current().image(), n = team::current().size();
    right = me % n + 1, left = (me + n - 2) % n + 1;
    meetings();
    requests();
    parts();
    sections();
    waits<std::int32_t>();
    waits<std::int64_t>();
    return 0;
}
