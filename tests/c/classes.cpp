// The C++ header: every class and member, with errors.
#include "check.hpp"

#include <mutex>
#include <numeric>

using xmprt::team;

static int me, n, sum;

static void types()
{
    static_assert(xmprt::type_of<signed char>() == XMPRT_INT8 && xmprt::type_of<unsigned short>() == XMPRT_UINT16);
    static_assert(xmprt::type_of<int>() == XMPRT_INT && xmprt::type_of<unsigned>() == XMPRT_UINT);
    static_assert(xmprt::type_of<long>() == XMPRT_LONG && xmprt::type_of<unsigned long long>() == XMPRT_ULONG_LONG);
    static_assert(xmprt::type_of<float>() == XMPRT_FLOAT && xmprt::type_of<long double>() == XMPRT_LONG_DOUBLE);
    static_assert(xmprt::type_of<std::complex<double>>() == XMPRT_DOUBLE_COMPLEX);
}

static void collectives()
{
    const team all = team::initial();
    REQUIRE(all.image() == me && all.size() == n && all.number() == -1 && all.status(n) == XMPRT_OK);
    REQUIRE(all.sum(me) == sum && all.min(double(me)) == 1.0 && all.max(long(me)) == n);
    REQUIRE(all.sum(std::complex<double>(me, 1)) == std::complex<double>(sum, n));
    std::int16_t values[3] = {std::int16_t(me), 1, 0};
    all.sum(values, 3, n);
    REQUIRE(me != n || (values[0] == sum && values[1] == n && values[2] == 0));
    // Maps x -> a x + b one after the other: an operation that does not commute.
    struct map {
        std::int64_t a, b;
    };
    const std::int64_t modulus = 10007;
    auto then = [modulus](map f, map g) { return map{f.a * g.a % modulus, (f.b * g.a + g.b) % modulus}; };
    map expected{2, 1};
    for (int k = 2; k <= n; k++)
        expected = then(expected, map{k + 1, k});
    const map composed = all.reduce(map{me + 1, me}, then);
    REQUIRE(composed.a == expected.a && composed.b == expected.b);
    REQUIRE(all.allgather(me * me) == [] {
        std::vector<int> squares;
        for (int k = 1; k <= n; k++)
            squares.push_back(k * k);
        return squares;
    }());
    const auto gathered = all.gather(me, 1);
    REQUIRE(gathered.size() == (me == 1 ? std::size_t(n) : 0) && (me != 1 || gathered.back() == n));
    int upto = 1;
    all.scan(&upto, 1);
    REQUIRE(upto == me);
    int before = me;
    all.exscan(&before, 1);
    REQUIRE(before == (me == 1 ? 1 : me * (me - 1) / 2));
    std::vector<int> for_each;
    for (int k = 1; k <= n; k++)
        for_each.push_back(100 * me + k);
    REQUIRE(all.scatter(me == n ? for_each : std::vector<int>(), n) == 100 * n + me);
    const std::vector<int> exchanged = all.alltoall(for_each);
    for (int k = 1; k <= n; k++)
        REQUIRE(exchanged[k - 1] == 100 * k + me);
    REQUIRE(all.reduce_scatter(for_each) == 100 * sum + n * me && all.reduce_scatter(for_each, XMPRT_MAX) == 100 * n + me);
    int part = 0;
    all.begin_reduce_scatter(&part, for_each.data(), 1, XMPRT_MIN).wait();
    REQUIRE(part == 100 + me);
    REQUIRE(all.minloc(double(-me), me) == std::make_pair(double(-n), std::int64_t(n)));
    REQUIRE(all.maxloc(7, -me) == std::make_pair(7, std::int64_t(-n)));
    long double farthest = me;
    std::int64_t where = me;
    all.begin_maxloc(&farthest, &where, 1).wait();
    REQUIRE(farthest == n && where == n);
    all.begin_minloc(&farthest, &where, 1).wait();
    REQUIRE(farthest == n && where == n);
    const std::vector<int> together = all.gatherv(std::vector<int>(me - 1, me), 1);
    REQUIRE(together.size() == (me == 1 ? std::size_t(n * (n - 1) / 2) : 0) && (n == 1 || me != 1 || together.back() == n));
    const std::vector<int> everywhere = all.allgatherv(std::vector<int>(me, 7 * me));
    REQUIRE(everywhere.size() == std::size_t(sum) && everywhere.front() == 7 && everywhere.back() == 7 * n);
    std::vector<long> own(n);
    own[me - 1] = me;
    all.allgather_in_place(own);
    for (int k = 1; k <= n; k++)
        REQUIRE(own[k - 1] == k);
    long factorial = 1, or_of_all = 0;
    for (int k = 1; k <= n; k++)
        factorial *= k, or_of_all |= 1L << k;
    REQUIRE(all.reduce(long(me), XMPRT_PRODUCT) == factorial && all.reduce(1L << me, XMPRT_BIT_OR) == or_of_all);
    REQUIRE(all.reduce(me == 1, XMPRT_OR) && all.reduce(me == n, XMPRT_AND) == (n == 1));
    double product = 2;
    all.begin_reduce(&product, 1, XMPRT_PRODUCT).wait();
    REQUIRE(product == double(1 << n));
    refused(XMPRT_BAD_ARGUMENT, "there is no reduction", [&] { all.reduce(&product, 1, XMPRT_BIT_XOR); });
    refused(XMPRT_BAD_ARGUMENT, "values for", [&] { own.push_back(1), all.allgather_in_place(own); });
    for_each.push_back(0);
    refused(XMPRT_BAD_ARGUMENT, "values for", [&] { (void)all.alltoall(for_each); });
    refused(XMPRT_BAD_ARGUMENT, "values for", [&] { (void)all.reduce_scatter(for_each); });
    int from = me;
    all.broadcast(&from, 1, n);
    REQUIRE(from == n);
    double background = me, other = me, greatest = me;
    auto adding = all.begin_sum(&background, 1);
    auto sending = all.begin_broadcast(&other, 1, 1);
    auto reducing = all.begin_reduce(&greatest, 1, [](double x, double y) { return x > y ? x : y; });
    auto meeting = all.begin_sync();
    while (!sending.ready()) {
    }
    adding.wait();
    xmprt::request moved = std::move(reducing);
    moved.wait();
    moved.wait();
    moved = std::move(meeting);
    REQUIRE(background == sum && other == 1 && greatest == n);
#if __cplusplus >= 202002L
    std::vector<int> many(100, me);
    all.sum(std::span(many));
    REQUIRE(many[99] == sum);
    all.max(std::span(many).first(1));
    all.min(std::span(many).first(1));
    all.broadcast(std::span(many), 1);
#endif
    refused(XMPRT_BAD_ARGUMENT, "xmprt_co_broadcast: image index", [&] { all.broadcast(&from, 1, n + 1); });
    refused(XMPRT_BAD_ARGUMENT, "is not a team", [&] { (void)team(XMPRT_TEAM(9)).size(); });
    refused(XMPRT_BAD_ARGUMENT, "is not a team", [&] { (void)team(XMPRT_TEAM(9)).begin_sync(); });
    refused(XMPRT_BAD_ARGUMENT, "image index 0", [&] { (void)all.status(0); });
}

static void memory()
{
    const int right = me % n + 1, left = (me + n - 2) % n + 1;
    xmprt::coarray<double> a(50);
    REQUIRE(a.size() == 50 && std::accumulate(a.begin(), a.end(), 0.0) == 0.0);
    team::current().sync();
    std::vector<double> mine(50), got(50);
    std::iota(mine.begin(), mine.end(), 100.0 * me);
    a.on(right).put(mine.data(), 50);
    team::current().sync();
    REQUIRE(a[49] == 100.0 * left + 49);
    a.on(team::initial(), left).get(got.data(), 10, 40);
    REQUIRE(got[9] == 100.0 * ((left + n - 2) % n + 1) + 49);
    const double element = a.on(me)[3];
    REQUIRE(element == a[3]);
    team::current().sync();
    a.on(right)[7] = -1.0 * me;
    a.on(right)[8] = a.on(me)[5];
    auto going = a.on(right).begin_put(mine.data(), 1, 9);
    going.wait();
    a.on(right).put_strided(mine.data(), 3, 10, 10);
    team::current().sync();
    REQUIRE(a[7] == -left && a[8] == 100.0 * ((left + n - 2) % n + 1) + 5 && a[9] == 100.0 * left);
    REQUIRE(a[30] == 100.0 * left + 2);
    a.on(me).get_strided(got.data(), 3, -10, 30);
    REQUIRE(got[0] == a[30] && got[2] == a[10]);
    REQUIRE(a.on(me).address() == a.data());
#if __cplusplus >= 202002L
    team::current().sync();
    a.on(right).put(std::span<const double>(mine).first(2), 48);
    team::current().sync();
    REQUIRE(a.local().back() == 100.0 * left + 1);
    a.on(me).get(std::span(got).first(1), 49);
    REQUIRE(got[0] == a[49]);
#endif
    refused(XMPRT_BAD_ARGUMENT, "xmprt_put: image index", [&] { a.on(n + 1)[0] = 1.0; });
    // Places outside of the coarray, which may be another one.
    xmprt::coarray<double> beside(8);
    refused(XMPRT_BAD_ARGUMENT, "2 elements from 49 on are not within the 50", [&] { a.on(1).put(mine.data(), 2, 49); });
    refused(XMPRT_BAD_ARGUMENT, "element 50 is not within", [&] { a.on(1)[50] = 1.0; });
    refused(XMPRT_BAD_ARGUMENT, "element 56 is not within", [&] { a.on(1).put(mine.data(), 1, 56); });
    refused(XMPRT_BAD_ARGUMENT, "elements from", [&] { a.on(1).get(mine.data(), std::size_t(-1), 2); });
    refused(XMPRT_BAD_ARGUMENT, "not within the 50", [&] { (void)a.on(1).begin_put(mine.data(), 51); });
    refused(XMPRT_BAD_ARGUMENT, "6 elements from 1 on, 10 apart, are", [&] { a.on(1).put_strided(mine.data(), 6, 10, 1); });
    refused(XMPRT_BAD_ARGUMENT, "2 elements from 9 on, -10 apart, are", [&] { a.on(1).get_strided(mine.data(), 2, -10, 9); });
    a.on(me).get_strided(got.data(), 5, 10, 9);
    a.on(me).get_strided(got.data(), 5, -10, 40);
    a.on(1).put(mine.data(), 0, 50);
    a.on(me).begin_get(got.data(), 1, 49).wait();
    REQUIRE(got[0] == a[49]);
    team::current().sync();
    REQUIRE(std::accumulate(beside.begin(), beside.end(), 0.0) == 0.0);
    team::current().sync();
    beside.on(right)[0] = 4.0;
    beside.on(right)[0] += 2.0;
    beside.on(right)[0] *= 3.0;
    beside.on(right)[0] -= 2.0;
    beside.on(right)[0] /= 4.0;
    REQUIRE(beside.on(right)[0] == 4.0);
    team::current().sync();
    refused(XMPRT_NO_MEMORY, "", [&] { xmprt::coarray<double> huge(std::size_t(-1) / 8); });
    refused(XMPRT_NO_MEMORY, "addresses", [&] { xmprt::coarray<double> huge(std::size_t(-1)); });
    xmprt::coarray<double> moved = std::move(a);
    REQUIRE(a.data() == nullptr && a.size() == 0 && moved.size() == 50);
    refused(XMPRT_BAD_ARGUMENT, "not within the 0", [&] { a.on(1)[0] = 1.0; });
    moved = xmprt::coarray<double>(3);
    REQUIRE(moved.size() == 3);
    moved.free();
    moved.free();
    REQUIRE(moved.size() == 0);
}

static void variables()
{
    const int right = me % n + 1, left = (me + n - 2) % n + 1;
    xmprt::coarray<std::int64_t> counters(2);
    xmprt::coarray<unsigned> bits(1);
    xmprt::coarray<int> data(4);
    xmprt::coarray<double> totals(1);
    xmprt::coarray<float> short_totals(2);
    totals.on(1).atomic().fetch_add(0.5 * me);
    short_totals.on(n).atomic(1) += 0.25f;
    team::current().sync();
    REQUIRE(totals.on(1).atomic().load() == 0.5 * sum && short_totals.on(n).atomic(1).load() == 0.25f * float(n));
    team::current().sync();
    if (me == n) {
        const auto total = totals.on(1).atomic();
        REQUIRE(total.exchange(2.0) == 0.5 * sum && total.fetch_sub(0.5) == 2.0 && (total -= 0.5) == 1.0);
        double expected = 3.0;
        REQUIRE(!total.compare_exchange_strong(expected, 9.0) && expected == 1.0);
        REQUIRE(total.compare_exchange_strong(expected, 9.0) && total.load() == 9.0);
        short_totals.on(1).atomic().store(1.5f);
        float old = 1.5f;
        REQUIRE(short_totals.on(1).atomic().compare_exchange_strong(old, 2.5f) && short_totals.on(1).atomic().exchange(0) == 2.5f);
    }
    const auto first = counters.on(1).atomic();
    first.fetch_add(me);
    team::current().sync();
    REQUIRE(first.load() == sum);
    team::current().sync();
    const auto own = bits.on(right).atomic();
    own.store(12u);
    REQUIRE(own.exchange(6u) == 12u && own.fetch_and(3u) == 6u && own.fetch_or(8u) == 2u && own.fetch_xor(0x80000000u) == 10u);
    unsigned expected = 5;
    REQUIRE(!own.compare_exchange_strong(expected, 1u) && expected == 0x8000000au);
    REQUIRE(own.compare_exchange_strong(expected, 1u) && own.load() == 1u);
    REQUIRE(own.operator++() == 2u && own++ == 2u && (own -= 4u) == 0xffffffffu && own.fetch_sub(0xfffffffeu) == 0xffffffffu);
    REQUIRE((own += 9u) == 10u && own-- == 10u && --own == 8u);
    const int values[2] = {me, -me};
    data.on(right).put_signal(values, 2, 1, counters);
    counters.wait_until(XMPRT_EQUAL, me == 1 ? sum + 1 : 1);
    REQUIRE(data[1] == left && data[2] == -left);
    data.on(right).put_signal(values, 1, 0, counters, 5, XMPRT_SIGNAL_SET, 1);
    counters.wait_until(XMPRT_EQUAL, 5, 1);
    REQUIRE(data[0] == left && counters[0] == (me == 1 ? sum + 1 : 1));
    refused(XMPRT_BAD_ARGUMENT, "not within the 4", [&] { data.on(right).put_signal(values, 2, 3, counters); });
    refused(XMPRT_BAD_ARGUMENT, "element 2 is not within the 2 of the signal",
            [&] { data.on(right).put_signal(values, 1, 0, counters, 1, XMPRT_SIGNAL_ADD, 2); });
    refused(XMPRT_BAD_ARGUMENT, "element 2 is not", [&] { counters.wait_until(XMPRT_EQUAL, 0, 2); });
    refused(XMPRT_BAD_ARGUMENT, "not within the 2", [&] { (void)counters.on(1).atomic(2); });
    refused(XMPRT_BAD_ARGUMENT, "xmprt_atomic_load64: image index", [&] { (void)counters.on(0).atomic().load(); });
    team::current().sync();

    const xmprt::event ready;
    ready.post(right);
    ready.wait();
    REQUIRE(ready.pending() == 0);
    refused(XMPRT_BAD_ARGUMENT, "xmprt_event_post", [&] { ready.post(n + 1); });

    const xmprt::lock locks;
    for (int k = 0; k < 20; k++) {
        auto there = locks.on(n);
        std::scoped_lock held(there);
        const int count = data.on(n)[3];
        data.on(n)[3] = count + 1;
    }
    team::current().sync();
    REQUIRE(me != n || data[3] == 20 * n);
    auto mine = locks.on(me);
    REQUIRE(mine.try_lock());
    refused(XMPRT_LOCKED, "xmprt_lock_acquire", [&] { mine.lock(); });
    REQUIRE(!mine.try_lock());
    mine.unlock();
    refused(XMPRT_UNLOCKED, "xmprt_lock_release", [&] { mine.release(); });
    static_assert(noexcept(mine.unlock()));
    team::current().sync();
}

static void teams()
{
    const team half = team::form(me % 2 + 1);
    {
        xmprt::entered inside(half);
        REQUIRE(team::current().size() == half.size() && team::current().number() == me % 2 + 1);
        REQUIRE(team::parent().size() == n);
        xmprt::coarray<int> within(10);
        within.on(1)[0] = 5;
    }
    REQUIRE(team::current().size() == n);
    // All images of a team leave it by an exception.
    try {
        xmprt::entered inside(half);
        xmprt::coarray<int> within(10);
        throw std::runtime_error("by an exception");
    } catch (const std::runtime_error &) {
    }
    REQUIRE(team::current().size() == n);
    xmprt::entered again(half);
    again.leave();
    refused(XMPRT_BAD_ARGUMENT, "xmprt_end_team", [&] { again.leave(); });
    refused(XMPRT_BAD_ARGUMENT, "xmprt_form_team", [&] { (void)team::form(0); });
    refused(XMPRT_BAD_ARGUMENT, "is not a team", [&] { xmprt::entered unknown(team(XMPRT_TEAM(4))); });
}

int main()
{
    me = team::current().image(), n = team::current().size();
    sum = n * (n + 1) / 2;
    types();
    collectives();
    memory();
    variables();
    teams();
    return 0;
}
