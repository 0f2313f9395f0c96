// Memory that images share, for C++: coarrays, atomic variables, events and locks. Included by xmprt.hpp.
#ifndef XMPRT_COARRAY_HPP
#define XMPRT_COARRAY_HPP

#include <xmprt.hpp>

#include <cstring>

namespace xmprt {

// An integer of 4 or 8 bytes on an image, which all images access by such objects only; the names are those of
// std::atomic_ref.
template <class T, bool is_floating = std::is_floating_point_v<T>> class atomic_ref {
    static_assert(std::is_integral_v<T> && (sizeof(T) == 4 || sizeof(T) == 8), "an integer of 4 or 8 bytes");
    static constexpr bool wide = sizeof(T) == 8;
    using word = std::conditional_t<wide, std::int64_t, std::int32_t>;
    using bits = std::make_unsigned_t<word>;

public:
    atomic_ref(team on, int image, T *variable) noexcept
        : team_(on.handle()), image_(image), variable_(reinterpret_cast<word *>(variable))
    {
    }

    T load() const
    {
        word value = 0;
        if constexpr (wide)
            check(xmprt_atomic_load64(team_, image_, variable_, &value));
        else
            check(xmprt_atomic_load32(team_, image_, variable_, &value));
        return static_cast<T>(value);
    }
    void store(T value) const
    {
        if constexpr (wide)
            check(xmprt_atomic_store64(team_, image_, variable_, static_cast<word>(value)));
        else
            check(xmprt_atomic_store32(team_, image_, variable_, static_cast<word>(value)));
    }

#define XMPRT_FETCH(name, function)                                                                                    \
    T name(T value) const                                                                                              \
    {                                                                                                                  \
        word old = 0;                                                                                                  \
        if constexpr (wide)                                                                                            \
            check(function##64(team_, image_, variable_, static_cast<word>(value), &old));                             \
        else                                                                                                           \
            check(function##32(team_, image_, variable_, static_cast<word>(value), &old));                             \
        return static_cast<T>(old);                                                                                    \
    }
    XMPRT_FETCH(exchange, xmprt_atomic_swap)
    XMPRT_FETCH(fetch_add, xmprt_atomic_add)
    XMPRT_FETCH(fetch_and, xmprt_atomic_and)
    XMPRT_FETCH(fetch_or, xmprt_atomic_or)
    XMPRT_FETCH(fetch_xor, xmprt_atomic_xor)
#undef XMPRT_FETCH

    T fetch_sub(T value) const { return fetch_add(static_cast<T>(bits(0) - static_cast<bits>(value))); }

    // Change the variable in one step, and give its new value.
    T operator+=(T value) const { return plus(fetch_add(value), value); }
    T operator-=(T value) const { return plus(fetch_sub(value), static_cast<T>(bits(0) - static_cast<bits>(value))); }
    T operator++() const { return plus(fetch_add(1), 1); }
    T operator--() const { return plus(fetch_sub(1), static_cast<T>(bits(0) - 1)); }
    // As these, with its former value.
    T operator++(int) const { return fetch_add(1); }
    T operator--(int) const { return fetch_sub(1); }

    // Stores `desired` if the variable is `expected`; otherwise `expected` becomes its value. Whether it was.
    bool compare_exchange_strong(T &expected, T desired) const
    {
        word old = 0;
        const word awaited = static_cast<word>(expected), next = static_cast<word>(desired);
        if constexpr (wide)
            check(xmprt_atomic_compare_swap64(team_, image_, variable_, awaited, next, &old));
        else
            check(xmprt_atomic_compare_swap32(team_, image_, variable_, awaited, next, &old));
        expected = static_cast<T>(old);
        return old == awaited;
    }

private:
    // Wrapping, as the images add.
    static T plus(T old, T value) { return static_cast<T>(static_cast<bits>(old) + static_cast<bits>(value)); }

    xmprt_team team_;
    int image_;
    word *variable_;
};

// The same for a floating-point number of 4 or 8 bytes.
template <class T> class atomic_ref<T, true> {
    static_assert(sizeof(T) == 4 || sizeof(T) == 8, "a floating-point number of 4 or 8 bytes");
    static constexpr bool wide = sizeof(T) == 8;
    using word = std::conditional_t<wide, std::int64_t, std::int32_t>;

public:
    atomic_ref(team on, int image, T *variable) noexcept : team_(on.handle()), image_(image), variable_(variable) {}

    T load() const
    {
        T value = 0;
        if constexpr (wide)
            check(xmprt_atomic_load_double(team_, image_, variable_, &value));
        else
            check(xmprt_atomic_load_float(team_, image_, variable_, &value));
        return value;
    }
    void store(T value) const
    {
        if constexpr (wide)
            check(xmprt_atomic_store_double(team_, image_, variable_, value));
        else
            check(xmprt_atomic_store_float(team_, image_, variable_, value));
    }
    T exchange(T value) const
    {
        T old = 0;
        if constexpr (wide)
            check(xmprt_atomic_swap_double(team_, image_, variable_, value, &old));
        else
            check(xmprt_atomic_swap_float(team_, image_, variable_, value, &old));
        return old;
    }
    T fetch_add(T value) const
    {
        T old = 0;
        if constexpr (wide)
            check(xmprt_atomic_add_double(team_, image_, variable_, value, &old));
        else
            check(xmprt_atomic_add_float(team_, image_, variable_, value, &old));
        return old;
    }
    T fetch_sub(T value) const { return fetch_add(-value); }
    T operator+=(T value) const { return fetch_add(value) + value; }
    T operator-=(T value) const { return fetch_sub(value) - value; }

    // Compares bits, as std::atomic_ref does.
    bool compare_exchange_strong(T &expected, T desired) const
    {
        word awaited, next, *const variable = reinterpret_cast<word *>(variable_);
        std::memcpy(&awaited, &expected, sizeof(T));
        std::memcpy(&next, &desired, sizeof(T));
        word old = 0;
        if constexpr (wide)
            check(xmprt_atomic_compare_swap64(team_, image_, variable, awaited, next, &old));
        else
            check(xmprt_atomic_compare_swap32(team_, image_, variable, awaited, next, &old));
        std::memcpy(&expected, &old, sizeof(T));
        return old == awaited;
    }

private:
    xmprt_team team_;
    int image_;
    T *variable_;
};

// One element on another image: reading it is a get, assigning to it a put. `+=` and its kin are a get and a put, and no
// atomic operation; for that there is remote::atomic.
template <class T> class remote_element {
public:
    remote_element(team on, int image, T *here) noexcept : team_(on), image_(image), here_(here) {}

    operator T() const
    {
        T value;
        check(xmprt_get(team_.handle(), image_, &value, here_, sizeof(T)));
        return value;
    }
    const remote_element &operator=(const T &value) const
    {
        check(xmprt_put(team_.handle(), image_, here_, &value, sizeof(T)));
        return *this;
    }
    const remote_element &operator=(const remote_element &other) const { return *this = static_cast<T>(other); }
    const remote_element &operator+=(const T &value) const { return *this = static_cast<T>(static_cast<T>(*this) + value); }
    const remote_element &operator-=(const T &value) const { return *this = static_cast<T>(static_cast<T>(*this) - value); }
    const remote_element &operator*=(const T &value) const { return *this = static_cast<T>(static_cast<T>(*this) * value); }
    const remote_element &operator/=(const T &value) const { return *this = static_cast<T>(static_cast<T>(*this) / value); }

private:
    team team_;
    int image_;
    T *here_;
};

template <class T> class coarray;

// A coarray on one image: what `coarray.on(image)` gives. An element outside of the coarray is an xmprt::error, and nothing
// is copied then.
template <class T> class remote {
public:
    remote_element<T> operator[](std::size_t k) const { return {team_, image_, place(k, 1)}; }
    atomic_ref<T> atomic(std::size_t k = 0) const { return {team_, image_, place(k, 1)}; }

    // Copy `count` elements, from element `at` of the other image on.
    void put(const T *from, std::size_t count, std::size_t at = 0) const
    {
        check(xmprt_put(team_.handle(), image_, place(at, count), from, count * sizeof(T)));
    }
    void get(T *to, std::size_t count, std::size_t at = 0) const
    {
        check(xmprt_get(team_.handle(), image_, to, place(at, count), count * sizeof(T)));
    }
    [[nodiscard]] request begin_put(const T *from, std::size_t count, std::size_t at = 0) const
    {
        xmprt_request begun{0};
        check(xmprt_begin_put(team_.handle(), image_, place(at, count), from, count * sizeof(T), &begun));
        return request(begun);
    }
    // The elements are there when this returns; the request is for programs that treat both alike.
    [[nodiscard]] request begin_get(T *to, std::size_t count, std::size_t at = 0) const
    {
        xmprt_request begun{0};
        check(xmprt_begin_get(team_.handle(), image_, to, place(at, count), count * sizeof(T), &begun));
        return request(begun);
    }

    // Copies, then adds to an element of a signal on the same image, the first one unless another is named, or sets it; see
    // coarray::wait_until.
    void put_signal(const T *from, std::size_t count, std::size_t at, coarray<std::int64_t> &signal, std::int64_t value = 1,
                    xmprt_signal_op op = XMPRT_SIGNAL_ADD, std::size_t signal_at = 0) const;

    // Copy every `stride`-th element of the other image.
    void put_strided(const T *from, std::size_t count, std::ptrdiff_t stride, std::size_t at = 0) const
    {
        const std::ptrdiff_t there = stride * static_cast<std::ptrdiff_t>(sizeof(T)), here = sizeof(T);
        check(xmprt_put_strided(team_.handle(), image_, strided(at, count, stride), &there, from, &here, &count, 1, sizeof(T)));
    }
    void get_strided(T *to, std::size_t count, std::ptrdiff_t stride, std::size_t at = 0) const
    {
        const std::ptrdiff_t there = stride * static_cast<std::ptrdiff_t>(sizeof(T)), here = sizeof(T);
        check(xmprt_get_strided(team_.handle(), image_, to, &here, strided(at, count, stride), &there, &count, 1, sizeof(T)));
    }

    // Where this image can load and store the memory of the other one; null if that is on another host.
    T *address() const { return static_cast<T *>(xmprt_address(team_.handle(), image_, here_)); }

#if __cplusplus >= 202002L
    void put(std::span<const T> from, std::size_t at = 0) const { put(from.data(), from.size(), at); }
    void get(std::span<T> to, std::size_t at = 0) const { get(to.data(), to.size(), at); }
#endif

private:
    friend class coarray<T>;
    remote(team on, int image, T *here, std::size_t size) noexcept : team_(on), image_(image), here_(here), size_(size) {}

    // Element `at`, from which on there are `count`.
    T *place(std::size_t at, std::size_t count) const
    {
        if (at > size_ || count > size_ - at)
            outside(at, count, 1);
        return here_ + at;
    }

    // Element `at`, from which on every `stride`-th is one of `count`.
    T *strided(std::size_t at, std::size_t count, std::ptrdiff_t stride) const
    {
        const auto distance = stride < 0 ? std::size_t(0) - static_cast<std::size_t>(stride) : static_cast<std::size_t>(stride);
        // As far as there is room in this direction.
        const std::size_t room = at >= size_ ? 0 : stride < 0 ? at : size_ - 1 - at;
        if (count == 0 ? at > size_ : at >= size_ || (distance != 0 && count - 1 > room / distance))
            outside(at, count, stride);
        return here_ + at;
    }

    [[noreturn]] void outside(std::size_t at, std::size_t count, std::ptrdiff_t stride) const
    {
        const std::string number = std::to_string(count), from = std::to_string(at), step = std::to_string(stride);
        const std::string what = count == 1 ? "element " + from + " is"
                                            : number + " elements from " + from + " on" +
                                                  (stride == 1 ? "" : ", " + step + " apart,") + " are";
        throw error(XMPRT_BAD_ARGUMENT, "xmprt::remote: " + what + " not within the " + std::to_string(size_) +
                                            " of the coarray on image " + std::to_string(image_));
    }

    team team_;
    int image_;
    T *here_;
    std::size_t size_;
};

// `size` elements on each image of the current team, all zeros. All of them make and free it together. The destructor frees
// it, too, and leaves the memory to the end of the team where that fails or an exception is on its way: then the other images
// need not come.
template <class T> class coarray {
    static_assert(std::is_trivially_copyable_v<T>, "images copy the bytes of the elements");
    static_assert(alignof(T) <= 64, "blocks are aligned to 64 bytes");

public:
    explicit coarray(std::size_t size) : size_(size), exceptions_(std::uncaught_exceptions())
    {
        void *block = nullptr;
        if (size > static_cast<std::size_t>(-1) / sizeof(T))
            throw error(XMPRT_NO_MEMORY, "xmprt::coarray: more bytes than there are addresses");
        check(xmprt_allocate(size * sizeof(T), &block));
        data_ = static_cast<T *>(block);
    }
    coarray(coarray &&other) noexcept
        : data_(std::exchange(other.data_, nullptr)), size_(std::exchange(other.size_, 0)), exceptions_(other.exceptions_)
    {
    }
    coarray &operator=(coarray &&other)
    {
        if (this != &other) {
            free();
            data_ = std::exchange(other.data_, nullptr);
            size_ = std::exchange(other.size_, 0);
        }
        return *this;
    }
    ~coarray()
    {
        if (data_ != nullptr && std::uncaught_exceptions() <= exceptions_)
            (void)xmprt_free(data_);
    }

    // Frees the memory now; waits for all images of the current team.
    void free()
    {
        size_ = 0;
        if (data_ != nullptr)
            check(xmprt_free(std::exchange(data_, nullptr)));
    }

    T *data() const noexcept { return data_; }
    std::size_t size() const noexcept { return size_; }
    T *begin() const noexcept { return data_; }
    T *end() const noexcept { return data_ + size_; }
    T &operator[](std::size_t k) const noexcept { return data_[k]; }

    // The memory on an image of the current team, or of another one.
    remote<T> on(int image) const noexcept { return {team::current(), image, data_, size_}; }
    remote<T> on(const team &of, int image) const noexcept { return {of, image, data_, size_}; }

    // Waits until an element of this image, an integer of 4 or 8 bytes, compares so.
    void wait_until(xmprt_comparison comparison, T value, std::size_t k = 0) const
    {
        static_assert(std::is_integral_v<T> && std::is_signed_v<T> && (sizeof(T) == 4 || sizeof(T) == 8));
        if (k >= size_)
            throw error(XMPRT_BAD_ARGUMENT, "xmprt::coarray::wait_until: element " + std::to_string(k) +
                                                " is not within the " + std::to_string(size_) + " of the coarray");
        if constexpr (sizeof(T) == 8)
            check(xmprt_wait_until64(reinterpret_cast<const std::int64_t *>(data_ + k), comparison, value));
        else
            check(xmprt_wait_until32(reinterpret_cast<const std::int32_t *>(data_ + k), comparison, value));
    }

#if __cplusplus >= 202002L
    std::span<T> local() const noexcept { return {data_, size_}; }
#endif

private:
    T *data_ = nullptr;
    std::size_t size_;
    int exceptions_;
};

template <class T>
void remote<T>::put_signal(const T *from, std::size_t count, std::size_t at, coarray<std::int64_t> &signal,
                           std::int64_t value, xmprt_signal_op op, std::size_t signal_at) const
{
    if (signal_at >= signal.size())
        throw error(XMPRT_BAD_ARGUMENT, "xmprt::remote::put_signal: element " + std::to_string(signal_at) +
                                            " is not within the " + std::to_string(signal.size()) + " of the signal");
    check(xmprt_put_signal(team_.handle(), image_, place(at, count), from, count * sizeof(T), signal.data() + signal_at, op, value));
}

// An event on each image of the current team.
class event {
public:
    event() : events_(1) {}

    void post(int image, const team &of = team::current()) const
    {
        check(xmprt_event_post(of.handle(), image, events_.data()));
    }
    void wait(std::int64_t until = 1) const { check(xmprt_event_wait(events_.data(), until)); }
    std::int64_t pending() const
    {
        std::int64_t count = 0;
        check(xmprt_event_query(events_.data(), &count));
        return count;
    }

private:
    coarray<xmprt_event> events_;
};

// A lock on each image of the current team; `lock.on(image)` is for std::scoped_lock and std::unique_lock. The index is one of
// the current team when it is used.
//
// An image holds a lock, and not a thread of it. Threads of one image that use the same lock exclude one another by a std::mutex
// beside it: lock() is an error for the second one (XMPRT_LOCKED), try_lock() is false, and unlock() by any of them releases it.
class lock {
public:
    class on_image {
    public:
        void lock() { check(xmprt_lock_acquire(XMPRT_CURRENT, image_, lock_)); }

        // Returns true if this call has acquired the lock, and false if an image has it, this one included.
        bool try_lock()
        {
            int acquired = 0;
            const xmprt_status status = xmprt_lock_try(XMPRT_CURRENT, image_, lock_, &acquired);
            if (status != XMPRT_LOCKED)
                check(status);
            return acquired != 0;
        }

        // For guards, whose destructors call it: it throws nothing. Where this image does not hold the lock the job ends with
        // a message; where the image of the lock has ended, the lock is gone, and nothing is left to do.
        void unlock() noexcept
        {
            const xmprt_status status = xmprt_lock_release(XMPRT_CURRENT, image_, lock_);
            if (status == XMPRT_OK || status == XMPRT_FAILED_IMAGE || status == XMPRT_STOPPED_IMAGE)
                return;
            std::fprintf(stderr, "image %d: %s\n", xmprt_this_image(XMPRT_INITIAL), xmprt_message());
            xmprt_error_stop(1);
        }

        // As unlock(), with an exception for an error.
        void release() { check(xmprt_lock_release(XMPRT_CURRENT, image_, lock_)); }

    private:
        friend class lock;
        on_image(int image, xmprt_lock *lock) noexcept : image_(image), lock_(lock) {}

        int image_;
        xmprt_lock *lock_;
    };

    lock() : locks_(1) {}

    on_image on(int image) const noexcept { return {image, locks_.data()}; }

private:
    coarray<xmprt_lock> locks_;
};

} // namespace xmprt

#endif
