// Atomic variables on other images, for C++. Included by xmprt.hpp.
#ifndef XMPRT_ATOMIC_HPP
#define XMPRT_ATOMIC_HPP

#include <xmprt_team.hpp>

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

} // namespace xmprt

#endif
