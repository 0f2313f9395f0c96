// Errors, types of elements, and operations that go on, for C++. Included by xmprt.hpp.
#ifndef XMPRT_REQUEST_HPP
#define XMPRT_REQUEST_HPP

#include <xmprt.h>

#include <complex>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace xmprt {

// ---- Errors ---------------------------------------------------------------------------------------------------------

// The error of a function of the library: what() is xmprt_message().
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

namespace detail {
class pending;
}

// An operation that goes on. Its memory stays valid, and is not touched, until wait() has returned or ready() was true. The
// destructor waits for the operation if the program has not, and so does the end of a coarray that is its memory.
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

    // The request of an operation that `function` begins, which is given the place of its handle.
    template <class Function> static request begin(Function function)
    {
        xmprt_request begun = XMPRT_NO_REQUEST;
        check(function(&begun));
        return request(begun);
    }

    void wait() { check(xmprt_wait(&handle_)); }

    // Tells whether the operation is complete.
    bool ready()
    {
        int complete = 0;
        check(xmprt_test(&handle_, &complete));
        return complete != 0;
    }

    // Keeps an object as long as the operation goes on: that of an operation of the program.
    void keep(std::shared_ptr<void> object) { keeps_ = std::move(object); }

private:
    friend class detail::pending;
    xmprt_request release() noexcept { return std::exchange(handle_, XMPRT_NO_REQUEST); }

    xmprt_request handle_ = XMPRT_NO_REQUEST;
    std::shared_ptr<void> keeps_;
};

namespace detail {

// The handles of requests, one after the other as the C functions want them. The requests get them back when this is destroyed.
class pending {
public:
    explicit pending(std::vector<request> &requests) : requests_(requests)
    {
        for (const request &going : requests)
            handles_.push_back(going.handle_);
    }
    pending(const pending &) = delete;
    pending &operator=(const pending &) = delete;
    ~pending()
    {
        for (std::size_t k = 0; k < handles_.size(); k++)
            requests_[k].handle_ = handles_[k];
    }

    xmprt_request *data() noexcept { return handles_.data(); }
    std::size_t size() const noexcept { return handles_.size(); }

private:
    std::vector<request> &requests_;
    std::vector<xmprt_request> handles_;
};

} // namespace detail

// Waits for all operations. After an error it waits for the others, too, and throws the first one.
inline void wait_all(std::vector<request> &requests)
{
    detail::pending going(requests);
    if (going.size() > 0)
        check(xmprt_wait_all(going.data(), going.size()));
}

// Waits until one of the operations is complete, and gives its number from 0. None: all were complete before. An operation
// counts once; its error is thrown, and it is complete then, too.
inline std::optional<std::size_t> wait_any(std::vector<request> &requests)
{
    detail::pending going(requests);
    std::size_t index = going.size();
    if (going.size() > 0)
        check(xmprt_wait_any(going.data(), going.size(), &index));
    return index < going.size() ? std::optional(index) : std::nullopt;
}

// As wait_any, for all that are complete when one is: their numbers, ascending.
inline std::vector<std::size_t> wait_some(std::vector<request> &requests)
{
    detail::pending going(requests);
    std::vector<std::size_t> indices(going.size());
    std::size_t found = 0;
    if (going.size() > 0)
        check(xmprt_wait_some(going.data(), going.size(), indices.data(), &found));
    indices.resize(found);
    return indices;
}

} // namespace xmprt

#endif
