// The collectives of xmprt::team, for C++. Included by xmprt.hpp.
#ifndef XMPRT_COLLECTIVES_HPP
#define XMPRT_COLLECTIVES_HPP

#include <xmprt_request.hpp>

#if __cplusplus >= 202002L
#include <span>
#endif

namespace xmprt {

// The collectives of a team. All its images call each of them, in the same order.
class collectives {
public:
    constexpr xmprt_team handle() const noexcept { return handle_; }
    int image() const { return known(xmprt_this_image(handle_)); }
    int size() const { return known(xmprt_num_images(handle_)); }

    // Combine the values of all images, for all (XMPRT_ALL) or for one.
    template <class T> void sum(T *data, std::size_t count, int result = XMPRT_ALL) const
    {
        check(xmprt_co_sum(handle_, data, count, type_of<T>(), result));
    }
    template <class T> void min(T *data, std::size_t count, int result = XMPRT_ALL) const
    {
        check(xmprt_co_min(handle_, data, count, type_of<T>(), result));
    }
    template <class T> void max(T *data, std::size_t count, int result = XMPRT_ALL) const
    {
        check(xmprt_co_max(handle_, data, count, type_of<T>(), result));
    }
    template <class T> T sum(T value) const { return sum(&value, 1), value; }
    template <class T> T min(T value) const { return min(&value, 1), value; }
    template <class T> T max(T value) const { return max(&value, 1), value; }

    // Combine them by an operation of the header, such as XMPRT_PRODUCT or XMPRT_BIT_OR; truth values by XMPRT_AND to XMPRT_NEQV.
    template <class T> void reduce(T *data, std::size_t count, xmprt_op op, int result = XMPRT_ALL) const
    {
        check(xmprt_co_reduce_op(handle_, data, count, type_or_bool<T>(), op, result));
    }
    template <class T> T reduce(T value, xmprt_op op) const { return reduce(&value, 1, op), value; }
    template <class T> [[nodiscard]] request begin_reduce(T *data, std::size_t count, xmprt_op op) const
    {
        return request::begin([&](xmprt_request *begun) {
            return xmprt_begin_co_reduce_op(handle_, data, count, type_or_bool<T>(), op, begun);
        });
    }

    // Combines the values of all images by `operation(left, right)`, which gives the combination, is associative, calls no
    // function of the library and throws nothing (an exception ends the process). All images give an operation of the same type: a
    // lambda expression has a type of its own.
    template <class T, class Operation>
    void reduce(T *data, std::size_t count, Operation operation, int result = XMPRT_ALL) const
    {
        check(xmprt_co_reduce(handle_, data, count, sizeof(T), combine<T, Operation>, &operation, result));
    }
    template <class T, class Operation> T reduce(T value, Operation operation) const
    {
        return reduce(&value, 1, std::move(operation)), value;
    }

    // Combine the `count` elements of `all` for each image, and give each image its own at `mine`.
    template <class T> void reduce_scatter(T *mine, const T *all, std::size_t count, xmprt_op op = XMPRT_SUM) const
    {
        check(xmprt_co_reduce_scatter(handle_, mine, all, count, type_or_bool<T>(), op));
    }
    // The same for one element of each image; `all` has one for each image.
    template <class T> T reduce_scatter(const std::vector<T> &all, xmprt_op op = XMPRT_SUM) const
    {
        one_for_each(all.size(), "reduce_scatter");
        T mine{};
        reduce_scatter(&mine, all.data(), 1, op);
        return mine;
    }
    template <class T>
    [[nodiscard]] request begin_reduce_scatter(T *mine, const T *all, std::size_t count, xmprt_op op = XMPRT_SUM) const
    {
        return request::begin([&](xmprt_request *begun) {
            return xmprt_begin_co_reduce_scatter(handle_, mine, all, count, type_or_bool<T>(), op, begun);
        });
    }

    // Find the least or the greatest values of all images, and the location that belongs to each: the least one of several.
    template <class T> void minloc(T *data, std::int64_t *locations, std::size_t count, int result = XMPRT_ALL) const
    {
        check(xmprt_co_minloc(handle_, data, locations, count, type_of<T>(), result));
    }
    template <class T> void maxloc(T *data, std::int64_t *locations, std::size_t count, int result = XMPRT_ALL) const
    {
        check(xmprt_co_maxloc(handle_, data, locations, count, type_of<T>(), result));
    }
    template <class T> std::pair<T, std::int64_t> minloc(T value, std::int64_t location) const
    {
        minloc(&value, &location, 1);
        return {value, location};
    }
    template <class T> std::pair<T, std::int64_t> maxloc(T value, std::int64_t location) const
    {
        maxloc(&value, &location, 1);
        return {value, location};
    }
    template <class T>
    [[nodiscard]] request begin_minloc(T *data, std::int64_t *locations, std::size_t count) const
    {
        return request::begin([&](xmprt_request *begun) {
            return xmprt_begin_co_minloc(handle_, data, locations, count, type_of<T>(), begun);
        });
    }
    template <class T>
    [[nodiscard]] request begin_maxloc(T *data, std::int64_t *locations, std::size_t count) const
    {
        return request::begin([&](xmprt_request *begun) {
            return xmprt_begin_co_maxloc(handle_, data, locations, count, type_of<T>(), begun);
        });
    }

    // Gives all images what one has.
    template <class T> void broadcast(T *data, std::size_t count, int source) const
    {
        static_assert(std::is_trivially_copyable_v<T>);
        check(xmprt_co_broadcast(handle_, data, count * sizeof(T), source));
    }

    // The `count` elements at `mine` of each image, in the order of the images, at `all` on all images or on one, where there is
    // room for them.
    template <class T> void allgather(T *all, const T *mine, std::size_t count) const
    {
        static_assert(std::is_trivially_copyable_v<T>);
        check(xmprt_co_allgather(handle_, all, mine, count * sizeof(T)));
    }
    template <class T> void gather(T *all, const T *mine, std::size_t count, int result) const
    {
        static_assert(std::is_trivially_copyable_v<T>);
        check(xmprt_co_gather(handle_, all, mine, count * sizeof(T), result));
    }
    // The reverse of gather: each image gets the `count` elements for it of those that `source` has at `all`.
    template <class T> void scatter(T *mine, const T *all, std::size_t count, int source) const
    {
        static_assert(std::is_trivially_copyable_v<T>);
        check(xmprt_co_scatter(handle_, mine, all, count * sizeof(T), source));
    }
    // `count` elements of each image for each one, in the order of the images on both sides.
    template <class T> void alltoall(T *receive, const T *send, std::size_t count) const
    {
        static_assert(std::is_trivially_copyable_v<T>);
        check(xmprt_co_alltoall(handle_, receive, send, count * sizeof(T)));
    }

    // The value of each image, in the order of the images, on all images or on one (nothing elsewhere).
    template <class T> std::vector<T> allgather(const T &mine) const
    {
        static_assert(std::is_trivially_copyable_v<T>);
        std::vector<T> all(static_cast<std::size_t>(size()));
        check(xmprt_co_allgather(handle_, all.data(), &mine, sizeof(T)));
        return all;
    }
    // As this, where `all` has one value for each image, and this image's own is in its place already.
    template <class T> void allgather_in_place(std::vector<T> &all) const
    {
        static_assert(std::is_trivially_copyable_v<T>);
        one_for_each(all.size(), "allgather_in_place");
        check(xmprt_co_allgather(handle_, all.data(), XMPRT_IN_PLACE, sizeof(T)));
    }
    template <class T> std::vector<T> gather(const T &mine, int result) const
    {
        static_assert(std::is_trivially_copyable_v<T>);
        std::vector<T> all(image() == result ? static_cast<std::size_t>(size()) : 0);
        check(xmprt_co_gather(handle_, all.data(), &mine, sizeof(T), result));
        return all;
    }

    // One value of `all`, which `source` has in the order of the images, for each image; `all` is not looked at elsewhere.
    template <class T> T scatter(const std::vector<T> &all, int source) const
    {
        static_assert(std::is_trivially_copyable_v<T>);
        if (image() == source)
            one_for_each(all.size(), "scatter");
        T mine{};
        check(xmprt_co_scatter(handle_, &mine, all.data(), sizeof(T), source));
        return mine;
    }

    // The value for this image of each, in the order of the images; `send` has one for each image.
    template <class T> std::vector<T> alltoall(const std::vector<T> &send) const
    {
        static_assert(std::is_trivially_copyable_v<T>);
        one_for_each(send.size(), "alltoall");
        std::vector<T> received(send.size());
        check(xmprt_co_alltoall(handle_, received.data(), send.data(), sizeof(T)));
        return received;
    }

    // The elements of each image one after the other, on one image (nothing elsewhere). Images may have different numbers.
    template <class T> std::vector<T> gatherv(const std::vector<T> &mine, int result) const
    {
        static_assert(std::is_trivially_copyable_v<T>);
        const std::vector<std::size_t> lens = gather(mine.size() * sizeof(T), result);
        const auto [offsets, bytes] = one_after_the_other(lens);
        std::vector<T> all(bytes / sizeof(T));
        check(xmprt_co_gatherv(handle_, all.data(), lens.data(), offsets.data(), mine.data(), mine.size() * sizeof(T), result));
        return all;
    }
    // The same on all images.
    template <class T> std::vector<T> allgatherv(const std::vector<T> &mine) const
    {
        static_assert(std::is_trivially_copyable_v<T>);
        const std::vector<std::size_t> lens = allgather(mine.size() * sizeof(T));
        const auto [offsets, bytes] = one_after_the_other(lens);
        std::vector<T> all(bytes / sizeof(T));
        check(xmprt_co_allgatherv(handle_, all.data(), lens.data(), offsets.data(), mine.data(), mine.size() * sizeof(T)));
        return all;
    }

    // The elements for this image, of those that `source` has for each; `all` is not looked at elsewhere.
    template <class T> std::vector<T> scatterv(const std::vector<std::vector<T>> &all, int source) const
    {
        static_assert(std::is_trivially_copyable_v<T>);
        if (image() == source)
            one_for_each(all.size(), "scatterv");
        const parts<T> sent(image() == source ? all : std::vector<std::vector<T>>());
        std::vector<T> mine(scatter(sent.lens, source) / sizeof(T));
        check(xmprt_co_scatterv(handle_, mine.data(), mine.size() * sizeof(T), sent.elements.data(), sent.lens.data(),
                                sent.offsets.data(), source));
        return mine;
    }
    // The elements for this image of each one, in the order of the images; `send` has those for each.
    template <class T> std::vector<std::vector<T>> alltoallv(const std::vector<std::vector<T>> &send) const
    {
        static_assert(std::is_trivially_copyable_v<T>);
        one_for_each(send.size(), "alltoallv");
        const parts<T> sent(send);
        const std::vector<std::size_t> lens = alltoall(sent.lens);
        const auto [offsets, bytes] = one_after_the_other(lens);
        std::vector<T> received(bytes / sizeof(T));
        check(xmprt_co_alltoallv(handle_, received.data(), lens.data(), offsets.data(), sent.elements.data(), sent.lens.data(),
                                 sent.offsets.data()));
        std::vector<std::vector<T>> of_each;
        const T *next = received.data();
        for (const std::size_t len : lens) {
            of_each.emplace_back(next, next + len / sizeof(T));
            next += len / sizeof(T);
        }
        return of_each;
    }

    // Combine the values of the images up to this one; exscan: of those before this one (the first image keeps its own).
    template <class T> void scan(T *data, std::size_t count, xmprt_op op = XMPRT_SUM) const
    {
        check(xmprt_co_scan(handle_, data, count, type_of<T>(), op));
    }
    template <class T> void exscan(T *data, std::size_t count, xmprt_op op = XMPRT_SUM) const
    {
        check(xmprt_co_exscan(handle_, data, count, type_of<T>(), op));
    }

    template <class T> T scan(T value, xmprt_op op = XMPRT_SUM) const { return scan(&value, 1, op), value; }
    template <class T> T exscan(T value, xmprt_op op = XMPRT_SUM) const { return exscan(&value, 1, op), value; }

    // Collectives in the background, for all images.
    template <class T> [[nodiscard]] request begin_sum(T *data, std::size_t count) const
    {
        return request::begin([&](xmprt_request *begun) {
            return xmprt_begin_co_sum(handle_, data, count, type_of<T>(), begun);
        });
    }
    template <class T> [[nodiscard]] request begin_min(T *data, std::size_t count) const
    {
        return request::begin([&](xmprt_request *begun) {
            return xmprt_begin_co_min(handle_, data, count, type_of<T>(), begun);
        });
    }
    template <class T> [[nodiscard]] request begin_max(T *data, std::size_t count) const
    {
        return request::begin([&](xmprt_request *begun) {
            return xmprt_begin_co_max(handle_, data, count, type_of<T>(), begun);
        });
    }
    template <class T> [[nodiscard]] request begin_scan(T *data, std::size_t count, xmprt_op op = XMPRT_SUM) const
    {
        return request::begin([&](xmprt_request *begun) {
            return xmprt_begin_co_scan(handle_, data, count, type_of<T>(), op, begun);
        });
    }
    template <class T> [[nodiscard]] request begin_exscan(T *data, std::size_t count, xmprt_op op = XMPRT_SUM) const
    {
        return request::begin([&](xmprt_request *begun) {
            return xmprt_begin_co_exscan(handle_, data, count, type_of<T>(), op, begun);
        });
    }
    template <class T> [[nodiscard]] request begin_broadcast(T *data, std::size_t count, int source) const
    {
        static_assert(std::is_trivially_copyable_v<T>);
        return request::begin([&](xmprt_request *begun) {
            return xmprt_begin_co_broadcast(handle_, data, count * sizeof(T), source, begun);
        });
    }
    template <class T> [[nodiscard]] request begin_allgather(T *all, const T *mine, std::size_t count) const
    {
        static_assert(std::is_trivially_copyable_v<T>);
        return request::begin([&](xmprt_request *begun) {
            return xmprt_begin_co_allgather(handle_, all, mine, count * sizeof(T), begun);
        });
    }
    template <class T> [[nodiscard]] request begin_gather(T *all, const T *mine, std::size_t count, int result) const
    {
        static_assert(std::is_trivially_copyable_v<T>);
        return request::begin([&](xmprt_request *begun) {
            return xmprt_begin_co_gather(handle_, all, mine, count * sizeof(T), result, begun);
        });
    }
    template <class T> [[nodiscard]] request begin_scatter(T *mine, const T *all, std::size_t count, int source) const
    {
        static_assert(std::is_trivially_copyable_v<T>);
        return request::begin([&](xmprt_request *begun) {
            return xmprt_begin_co_scatter(handle_, mine, all, count * sizeof(T), source, begun);
        });
    }
    template <class T> [[nodiscard]] request begin_alltoall(T *receive, const T *send, std::size_t count) const
    {
        static_assert(std::is_trivially_copyable_v<T>);
        return request::begin([&](xmprt_request *begun) {
            return xmprt_begin_co_alltoall(handle_, receive, send, count * sizeof(T), begun);
        });
    }
    template <class T, class Operation>
    [[nodiscard]] request begin_reduce(T *data, std::size_t count, Operation operation) const
    {
        auto kept = std::make_shared<Operation>(std::move(operation));
        request going = request::begin([&](xmprt_request *begun) {
            return xmprt_begin_co_reduce(handle_, data, count, sizeof(T), combine<T, Operation>, kept.get(), begun);
        });
        going.keep(std::move(kept));
        return going;
    }

#if __cplusplus >= 202002L
    template <class T> void sum(std::span<T> data, int result = XMPRT_ALL) const { sum(data.data(), data.size(), result); }
    template <class T> void min(std::span<T> data, int result = XMPRT_ALL) const { min(data.data(), data.size(), result); }
    template <class T> void max(std::span<T> data, int result = XMPRT_ALL) const { max(data.data(), data.size(), result); }
    template <class T> void broadcast(std::span<T> data, int source) const { broadcast(data.data(), data.size(), source); }
#endif

protected:
    constexpr explicit collectives(xmprt_team handle) noexcept : handle_(handle) {}

private:
    static int known(int number)
    {
        if (number == 0)
            throw error(XMPRT_BAD_ARGUMENT, xmprt_message());
        return number;
    }

    void one_for_each(std::size_t given, const char *what) const
    {
        if (given != static_cast<std::size_t>(size()))
            throw error(XMPRT_BAD_ARGUMENT, std::string("xmprt::team::") + what + ": " + std::to_string(given) +
                                                " values for " + std::to_string(size()) + " images");
    }

    template <class T> static constexpr xmprt_type type_or_bool()
    {
        if constexpr (std::is_same_v<T, bool>)
            return XMPRT_BOOL;
        else
            return type_of<T>();
    }

    // The offsets of parts of these lengths, and the length of all together.
    static std::pair<std::vector<std::size_t>, std::size_t> one_after_the_other(const std::vector<std::size_t> &lens)
    {
        std::vector<std::size_t> offsets;
        std::size_t bytes = 0;
        for (const std::size_t len : lens)
            offsets.push_back(std::exchange(bytes, bytes + len));
        return {offsets, bytes};
    }

    // Elements for each image, one after the other.
    template <class T> struct parts {
        explicit parts(const std::vector<std::vector<T>> &of_each)
        {
            for (const std::vector<T> &part : of_each) {
                lens.push_back(part.size() * sizeof(T));
                elements.insert(elements.end(), part.begin(), part.end());
            }
            offsets = one_after_the_other(lens).first;
        }

        std::vector<T> elements;
        std::vector<std::size_t> lens, offsets;
    };

    template <class T, class Operation> static void combine(void *left, const void *right, void *operation) noexcept
    {
        static_assert(std::is_trivially_copyable_v<T>);
        T &result = *static_cast<T *>(left);
        result = (*static_cast<Operation *>(operation))(result, *static_cast<const T *>(right));
    }

    xmprt_team handle_;
};

} // namespace xmprt

#endif
