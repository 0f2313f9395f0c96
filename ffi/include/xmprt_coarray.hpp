// Memory that images share, for C++: coarrays, atomic variables, events and locks. Included by xmprt.hpp.
#ifndef XMPRT_COARRAY_HPP
#define XMPRT_COARRAY_HPP

#include <xmprt.hpp>

namespace xmprt {

// An integer of 4 or 8 bytes on an image, which all images access by such objects only; the names are those of
// std::atomic_ref.
template <class T> class atomic_ref {
    static_assert(std::is_integral_v<T> && (sizeof(T) == 4 || sizeof(T) == 8), "an integer of 4 or 8 bytes");
    static constexpr bool wide = sizeof(T) == 8;
    using word = std::conditional_t<wide, std::int64_t, std::int32_t>;

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
    xmprt_team team_;
    int image_;
    word *variable_;
};

// One element on another image: reading it is a get, assigning to it a put.
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

private:
    team team_;
    int image_;
    T *here_;
};

template <class T> class coarray;

// A coarray on one image: what `coarray.on(image)` gives. Places outside of the coarray are errors.
template <class T> class remote {
public:
    remote_element<T> operator[](std::size_t k) const noexcept { return {team_, image_, here_ + k}; }
    atomic_ref<T> atomic(std::size_t k = 0) const noexcept { return {team_, image_, here_ + k}; }

    // Copy `count` elements, from element `at` of the other image on.
    void put(const T *from, std::size_t count, std::size_t at = 0) const
    {
        check(xmprt_put(team_.handle(), image_, here_ + at, from, count * sizeof(T)));
    }
    void get(T *to, std::size_t count, std::size_t at = 0) const
    {
        check(xmprt_get(team_.handle(), image_, to, here_ + at, count * sizeof(T)));
    }
    [[nodiscard]] request begin_put(const T *from, std::size_t count, std::size_t at = 0) const
    {
        xmprt_request begun{0};
        check(xmprt_begin_put(team_.handle(), image_, here_ + at, from, count * sizeof(T), &begun));
        return request(begun);
    }

    // Copies, then adds to a signal of the same image, or sets it; see coarray::wait_until.
    void put_signal(const T *from, std::size_t count, std::size_t at, coarray<std::int64_t> &signal, std::int64_t value = 1,
                    xmprt_signal_op op = XMPRT_SIGNAL_ADD) const;

    // Copy every `stride`-th element of the other image.
    void put_strided(const T *from, std::size_t count, std::ptrdiff_t stride, std::size_t at = 0) const
    {
        const std::ptrdiff_t there = stride * static_cast<std::ptrdiff_t>(sizeof(T)), here = sizeof(T);
        check(xmprt_put_strided(team_.handle(), image_, here_ + at, &there, from, &here, &count, 1, sizeof(T)));
    }
    void get_strided(T *to, std::size_t count, std::ptrdiff_t stride, std::size_t at = 0) const
    {
        const std::ptrdiff_t there = stride * static_cast<std::ptrdiff_t>(sizeof(T)), here = sizeof(T);
        check(xmprt_get_strided(team_.handle(), image_, to, &here, here_ + at, &there, &count, 1, sizeof(T)));
    }

    // Where this image can load and store the memory of the other one; null if that is on another host.
    T *address() const { return static_cast<T *>(xmprt_address(team_.handle(), image_, here_)); }

#if __cplusplus >= 202002L
    void put(std::span<const T> from, std::size_t at = 0) const { put(from.data(), from.size(), at); }
    void get(std::span<T> to, std::size_t at = 0) const { get(to.data(), to.size(), at); }
#endif

private:
    friend class coarray<T>;
    remote(team on, int image, T *here) noexcept : team_(on), image_(image), here_(here) {}

    team team_;
    int image_;
    T *here_;
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
        : data_(std::exchange(other.data_, nullptr)), size_(other.size_), exceptions_(other.exceptions_)
    {
    }
    coarray &operator=(coarray &&other)
    {
        if (this != &other) {
            free();
            data_ = std::exchange(other.data_, nullptr);
            size_ = other.size_;
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
        if (data_ != nullptr)
            check(xmprt_free(std::exchange(data_, nullptr)));
    }

    T *data() const noexcept { return data_; }
    std::size_t size() const noexcept { return size_; }
    T *begin() const noexcept { return data_; }
    T *end() const noexcept { return data_ + size_; }
    T &operator[](std::size_t k) const noexcept { return data_[k]; }

    // The memory on an image of the current team, or of another one.
    remote<T> on(int image) const noexcept { return {team::current(), image, data_}; }
    remote<T> on(const team &of, int image) const noexcept { return {of, image, data_}; }

    // Waits until an element of this image, an integer of 4 or 8 bytes, compares so.
    void wait_until(xmprt_comparison comparison, T value, std::size_t k = 0) const
    {
        static_assert(std::is_integral_v<T> && std::is_signed_v<T> && (sizeof(T) == 4 || sizeof(T) == 8));
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
                           std::int64_t value, xmprt_signal_op op) const
{
    check(xmprt_put_signal(team_.handle(), image_, here_ + at, from, count * sizeof(T), signal.data(), op, value));
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
class lock {
public:
    class on_image {
    public:
        void lock() { check(xmprt_lock_acquire(XMPRT_CURRENT, image_, lock_)); }
        bool try_lock()
        {
            int acquired = 0;
            check(xmprt_lock_try(XMPRT_CURRENT, image_, lock_, &acquired));
            return acquired != 0;
        }
        void unlock() { check(xmprt_lock_release(XMPRT_CURRENT, image_, lock_)); }

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
