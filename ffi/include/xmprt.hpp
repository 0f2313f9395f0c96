// XMP-RT for C++17 and later: images, teams, memory that images share, and collectives, over the functions of xmprt.h.
//
// Errors are exceptions: xmprt::error has the status and the text. Objects that images make together, such as coarrays,
// are made and destroyed by all images of the current team in the same order; they are moved, not copied. From C++20 on,
// std::span takes the place of an address and a number.
//
//     #include <iostream>
//     #include <xmprt.hpp>
//
//     int main()
//     {
//         auto all = xmprt::team::current();
//         xmprt::coarray<int> box(1);
//         box.on(all.image() % all.size() + 1)[0] = all.image(); // to the right neighbour
//         all.sync();
//         std::cout << "image " << all.image() << " got " << box[0] << "\n";
//     }
//
// Functions of the C header can be used beside these, on the same memory (`data()`) and teams (`handle()`).
#ifndef XMPRT_HPP
#define XMPRT_HPP

#include <xmprt.h>

#include <complex>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <memory>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>
#if __cplusplus >= 202002L
#include <span>
#endif

namespace xmprt {

// ---- Errors ---------------------------------------------------------------------------------------------------------

// What a function of the library had to say: what() is xmprt_message().
class error : public std::runtime_error {
public:
    error(xmprt_status status, const std::string &message) : std::runtime_error(message), status_(status) {}

    xmprt_status status() const noexcept { return status_; }

private:
    xmprt_status status_;
};

// Throws unless a function of the C header has succeeded.
inline void check(xmprt_status status)
{
    if (status != XMPRT_OK)
        throw error(status, xmprt_message());
}

// An exception that nothing catches ends the job with one message, which names the source line and the images.
[[noreturn]] inline void end_by_exception() noexcept;

namespace detail {
inline const std::terminate_handler before = std::set_terminate(end_by_exception);
}

inline void end_by_exception() noexcept
{
    try {
        if (const std::exception_ptr exception = std::current_exception())
            std::rethrow_exception(exception);
    } catch (const std::exception &exception) {
        xmprt_error_stop_message((std::string("uncaught exception: ") + exception.what()).c_str());
    } catch (...) {
    }
    if (detail::before != nullptr)
        detail::before();
    std::abort();
}

// ---- Types of elements ----------------------------------------------------------------------------------------------

// The xmprt_type of a type of C++; no other types are combined by sum, min and max.
template <class T> constexpr xmprt_type type_of()
{
    if constexpr (std::is_same_v<T, float>)
        return XMPRT_FLOAT;
    else if constexpr (std::is_same_v<T, double>)
        return XMPRT_DOUBLE;
    else if constexpr (std::is_same_v<T, long double>)
        return XMPRT_LONG_DOUBLE;
    else if constexpr (std::is_same_v<T, std::complex<float>>)
        return XMPRT_FLOAT_COMPLEX;
    else if constexpr (std::is_same_v<T, std::complex<double>>)
        return XMPRT_DOUBLE_COMPLEX;
    else if constexpr (std::is_same_v<T, std::complex<long double>>)
        return XMPRT_LONG_DOUBLE_COMPLEX;
    else {
        static_assert(std::is_integral_v<T> && !std::is_same_v<T, bool> && sizeof(T) <= 8, "a type of numbers");
        constexpr int width = sizeof(T) == 1 ? 0 : sizeof(T) == 2 ? 1 : sizeof(T) == 4 ? 2 : 3;
        return static_cast<xmprt_type>((std::is_signed_v<T> ? XMPRT_INT8 : XMPRT_UINT8) + width);
    }
}

// ---- Requests -------------------------------------------------------------------------------------------------------

// An operation that goes on. Its memory stays valid, and is not touched, until wait() has returned or ready() was true; an
// operation that nobody has waited for is waited for when this is destroyed.
class [[nodiscard]] request {
public:
    request() = default;
    explicit request(xmprt_request handle) noexcept : handle_(handle) {}
    request(request &&other) noexcept : handle_(other.release()), keeps_(std::move(other.keeps_)) {}
    request &operator=(request &&other)
    {
        if (this != &other) {
            wait();
            handle_ = other.release();
            keeps_ = std::move(other.keeps_);
        }
        return *this;
    }
    // An error is the program's to ask for, by wait().
    ~request()
    {
        if (handle_.id != 0)
            (void)xmprt_wait(&handle_);
    }

    void wait() { check(xmprt_wait(&handle_)); }

    // Whether the operation is complete.
    bool ready()
    {
        int complete = 0;
        check(xmprt_test(&handle_, &complete));
        return complete != 0;
    }

    // Keeps an object as long as the operation goes on: that of an operation of the program.
    void keep(std::shared_ptr<void> object) { keeps_ = std::move(object); }

private:
    xmprt_request release() noexcept { return std::exchange(handle_, XMPRT_NO_REQUEST); }

    xmprt_request handle_ = XMPRT_NO_REQUEST;
    std::shared_ptr<void> keeps_;
};

// ---- Teams ----------------------------------------------------------------------------------------------------------

// A team, which is a value: copies are the same team. Collectives are called by all its images in the same order.
class team {
public:
    constexpr explicit team(xmprt_team handle) noexcept : handle_(handle) {}
    static team current() noexcept { return team(XMPRT_CURRENT); }
    static team initial() noexcept { return team(XMPRT_INITIAL); }
    static team parent() noexcept { return team(XMPRT_PARENT); }

    // Splits the current team: images that give the same number (from 1) are a team (FORM TEAM).
    static team form(std::int64_t number, int new_index = 0)
    {
        xmprt_team formed{0};
        check(xmprt_form_team(number, new_index, &formed));
        return team(formed);
    }

    constexpr xmprt_team handle() const noexcept { return handle_; }
    int image() const { return known(xmprt_this_image(handle_)); }
    int size() const { return known(xmprt_num_images(handle_)); }
    std::int64_t number() const noexcept { return xmprt_team_number(handle_); }

    void sync() const { check(xmprt_sync(handle_)); }
    [[nodiscard]] request begin_sync() const
    {
        xmprt_request begun{0};
        check(xmprt_begin_sync(handle_, &begun));
        return request(begun);
    }

    // The state of an image: XMPRT_OK, XMPRT_STOPPED_IMAGE or XMPRT_FAILED_IMAGE.
    xmprt_status status(int image) const
    {
        xmprt_status status = XMPRT_OK;
        check(xmprt_image_status(handle_, image, &status));
        return status;
    }

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
        xmprt_request begun{0};
        check(xmprt_begin_co_reduce_op(handle_, data, count, type_or_bool<T>(), op, &begun));
        return request(begun);
    }

    // Combines the values of all images by `operation(left, right)`, which gives the combination, is associative, calls no
    // function of the library and throws nothing (an exception ends the process).
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
        xmprt_request begun{0};
        check(xmprt_begin_co_reduce_scatter(handle_, mine, all, count, type_or_bool<T>(), op, &begun));
        return request(begun);
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
        xmprt_request begun{0};
        check(xmprt_begin_co_minloc(handle_, data, locations, count, type_of<T>(), &begun));
        return request(begun);
    }
    template <class T>
    [[nodiscard]] request begin_maxloc(T *data, std::int64_t *locations, std::size_t count) const
    {
        xmprt_request begun{0};
        check(xmprt_begin_co_maxloc(handle_, data, locations, count, type_of<T>(), &begun));
        return request(begun);
    }

    // Gives all images what one has.
    template <class T> void broadcast(T *data, std::size_t count, int source) const
    {
        static_assert(std::is_trivially_copyable_v<T>);
        check(xmprt_co_broadcast(handle_, data, count * sizeof(T), source));
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

    // Combine the values of the images up to this one; exscan: of those before this one (the first image keeps its own).
    template <class T> void scan(T *data, std::size_t count, xmprt_op op = XMPRT_SUM) const
    {
        check(xmprt_co_scan(handle_, data, count, type_of<T>(), op));
    }
    template <class T> void exscan(T *data, std::size_t count, xmprt_op op = XMPRT_SUM) const
    {
        check(xmprt_co_exscan(handle_, data, count, type_of<T>(), op));
    }

    // Collectives in the background, for all images.
    template <class T> [[nodiscard]] request begin_sum(T *data, std::size_t count) const
    {
        xmprt_request begun{0};
        check(xmprt_begin_co_sum(handle_, data, count, type_of<T>(), &begun));
        return request(begun);
    }
    template <class T> [[nodiscard]] request begin_broadcast(T *data, std::size_t count, int source) const
    {
        static_assert(std::is_trivially_copyable_v<T>);
        xmprt_request begun{0};
        check(xmprt_begin_co_broadcast(handle_, data, count * sizeof(T), source, &begun));
        return request(begun);
    }
    template <class T, class Operation>
    [[nodiscard]] request begin_reduce(T *data, std::size_t count, Operation operation) const
    {
        auto kept = std::make_shared<Operation>(std::move(operation));
        xmprt_request begun{0};
        check(xmprt_begin_co_reduce(handle_, data, count, sizeof(T), combine<T, Operation>, kept.get(), &begun));
        request going(begun);
        going.keep(std::move(kept));
        return going;
    }

#if __cplusplus >= 202002L
    template <class T> void sum(std::span<T> data, int result = XMPRT_ALL) const { sum(data.data(), data.size(), result); }
    template <class T> void min(std::span<T> data, int result = XMPRT_ALL) const { min(data.data(), data.size(), result); }
    template <class T> void max(std::span<T> data, int result = XMPRT_ALL) const { max(data.data(), data.size(), result); }
    template <class T> void broadcast(std::span<T> data, int source) const { broadcast(data.data(), data.size(), source); }
#endif

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

    template <class T, class Operation> static void combine(void *left, const void *right, void *operation) noexcept
    {
        static_assert(std::is_trivially_copyable_v<T>);
        T &result = *static_cast<T *>(left);
        result = (*static_cast<Operation *>(operation))(result, *static_cast<const T *>(right));
    }

    xmprt_team handle_;
};

// The current team is another one as long as this object exists (CHANGE TEAM, END TEAM). All images of the team make and
// destroy it. The destructor waits for them; where it fails, the job ends, unless an exception is on its way already.
class entered {
public:
    explicit entered(const team &inner) : exceptions_(std::uncaught_exceptions()) { check(xmprt_change_team(inner.handle())); }
    entered(const entered &) = delete;
    entered &operator=(const entered &) = delete;
    ~entered()
    {
        if (!is_inside_ || xmprt_end_team() == XMPRT_OK || std::uncaught_exceptions() > exceptions_)
            return;
        std::fprintf(stderr, "image %d: %s\n", xmprt_this_image(XMPRT_INITIAL), xmprt_message());
        xmprt_error_stop(1);
    }

    // Leaves the team now, with an exception for an error.
    void leave()
    {
        is_inside_ = false;
        check(xmprt_end_team());
    }

private:
    int exceptions_;
    bool is_inside_ = true;
};

} // namespace xmprt

#include <xmprt_coarray.hpp>

#endif
