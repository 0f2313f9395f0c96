// Memory that images share, for C++. Included by xmprt.hpp.
#ifndef XMPRT_COARRAY_HPP
#define XMPRT_COARRAY_HPP

#include <xmprt_atomic.hpp>

namespace xmprt {

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

// One dimension of an array section: how many elements it has, and how many elements two neighbours are apart in the memory of the
// other image and in that of this one.
struct dimension {
    std::size_t extent;
    std::ptrdiff_t there, here;
};

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
        return request::begin([&](xmprt_request *begun) {
            return xmprt_begin_put(team_.handle(), image_, place(at, count), from, count * sizeof(T), begun);
        });
    }
    // The elements are there when this returns; the request is for programs that treat both alike.
    [[nodiscard]] request begin_get(T *to, std::size_t count, std::size_t at = 0) const
    {
        return request::begin([&](xmprt_request *begun) {
            return xmprt_begin_get(team_.handle(), image_, to, place(at, count), count * sizeof(T), begun);
        });
    }

    // Copies, then adds to an element of a signal on the same image, the first one unless another is named, or sets it; see
    // coarray::wait_until.
    void put_signal(const T *from, std::size_t count, std::size_t at, coarray<std::int64_t> &signal, std::int64_t value = 1,
                    xmprt_signal_op op = XMPRT_SIGNAL_ADD, std::size_t signal_at = 0) const;

    // Copy every `stride`-th element of the other image, and every `here`-th one of this image.
    void put_strided(const T *from, std::size_t count, std::ptrdiff_t stride, std::size_t at = 0, std::ptrdiff_t here = 1) const
    {
        const std::ptrdiff_t there = bytes(stride), own = bytes(here);
        check(xmprt_put_strided(team_.handle(), image_, strided(at, count, stride), &there, from, &own, &count, 1, sizeof(T)));
    }
    void get_strided(T *to, std::size_t count, std::ptrdiff_t stride, std::size_t at = 0, std::ptrdiff_t here = 1) const
    {
        const std::ptrdiff_t there = bytes(stride), own = bytes(here);
        check(xmprt_get_strided(team_.handle(), image_, to, &own, strided(at, count, stride), &there, &count, 1, sizeof(T)));
    }

    // Copy a section of several dimensions, at most 15, from element `at` of the other image on. Strides may be negative. A block of
    // `rows` by `columns`: `put_section(from, {{rows, width_there, width_here}, {columns, 1, 1}}, at)`.
    void put_section(const T *from, const std::vector<dimension> &dimensions, std::size_t at = 0) const
    {
        const section of(dimensions);
        check(xmprt_put_strided(team_.handle(), image_, section_place(at, dimensions), of.there.data(), from, of.here.data(),
                                of.extents.data(), static_cast<int>(dimensions.size()), sizeof(T)));
    }
    void get_section(T *to, const std::vector<dimension> &dimensions, std::size_t at = 0) const
    {
        const section of(dimensions);
        check(xmprt_get_strided(team_.handle(), image_, to, of.here.data(), section_place(at, dimensions), of.there.data(),
                                of.extents.data(), static_cast<int>(dimensions.size()), sizeof(T)));
    }

    // Copy elements of the other image that have these numbers; here they are one after the other. Numbers that are put to differ.
    void put_indexed(const T *from, const std::vector<std::size_t> &elements) const
    {
        const std::vector<std::ptrdiff_t> offsets = offsets_of(elements);
        check(xmprt_put_indexed(team_.handle(), image_, here_, offsets.data(), from, offsets.size(), sizeof(T)));
    }
    void get_indexed(T *to, const std::vector<std::size_t> &elements) const
    {
        const std::vector<std::ptrdiff_t> offsets = offsets_of(elements);
        check(xmprt_get_indexed(team_.handle(), image_, to, here_, offsets.data(), offsets.size(), sizeof(T)));
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
        const std::size_t distance = magnitude(stride);
        // As far as there is room in this direction.
        const std::size_t room = at >= size_ ? 0 : stride < 0 ? at : size_ - 1 - at;
        if (count == 0 ? at > size_ : at >= size_ || (distance != 0 && count - 1 > room / distance))
            outside(at, count, stride);
        return here_ + at;
    }

    static std::size_t magnitude(std::ptrdiff_t stride)
    {
        const auto bits = static_cast<std::size_t>(stride);
        return stride < 0 ? std::size_t(0) - bits : bits;
    }

    static std::ptrdiff_t bytes(std::ptrdiff_t elements) { return elements * static_cast<std::ptrdiff_t>(sizeof(T)); }

    // The lists of a section for the C functions.
    struct section {
        explicit section(const std::vector<dimension> &dimensions)
        {
            for (const dimension &one : dimensions) {
                extents.push_back(one.extent);
                there.push_back(bytes(one.there));
                here.push_back(bytes(one.here));
            }
        }

        std::vector<std::size_t> extents;
        std::vector<std::ptrdiff_t> there, here;
    };

    // Element `at`, from which on there is a section.
    T *section_place(std::size_t at, const std::vector<dimension> &dimensions) const
    {
        for (const dimension &one : dimensions)
            if (one.extent == 0)
                return place(at, 0);
        // The elements before and behind `at` that the section needs.
        std::size_t before = 0, behind = 0;
        for (const dimension &one : dimensions) {
            const std::size_t distance = magnitude(one.there);
            std::size_t &needed = one.there < 0 ? before : behind;
            if (distance != 0 && one.extent - 1 > (size_ - needed) / distance)
                not_within("a section from element " + std::to_string(at) + " on is");
            needed += (one.extent - 1) * distance;
        }
        if (at >= size_ || before > at || behind > size_ - 1 - at)
            not_within("a section from element " + std::to_string(at) + " on, which has elements " +
                       (before > at ? "-" + std::to_string(before - at) : std::to_string(at - before)) + " to " +
                       std::to_string(at + behind) + ", is");
        return here_ + at;
    }

    // The distances of elements from the first one.
    std::vector<std::ptrdiff_t> offsets_of(const std::vector<std::size_t> &elements) const
    {
        std::vector<std::ptrdiff_t> offsets;
        for (const std::size_t element : elements)
            offsets.push_back((place(element, 1) - here_) * static_cast<std::ptrdiff_t>(sizeof(T)));
        return offsets;
    }

    [[noreturn]] void outside(std::size_t at, std::size_t count, std::ptrdiff_t stride) const
    {
        const std::string number = std::to_string(count), from = std::to_string(at), step = std::to_string(stride);
        const std::string what = count == 1 ? "element " + from + " is"
                                            : number + " elements from " + from + " on" +
                                                  (stride == 1 ? "" : ", " + step + " apart,") + " are";
        not_within(what);
    }

    [[noreturn]] void not_within(const std::string &what) const
    {
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

    // Waits until an element of this image, an integer of 4 or 8 bytes, compares so with a value.
    void wait_until(xmprt_comparison comparison, T value, std::size_t k = 0) const
    {
        if constexpr (is_wide())
            check(xmprt_wait_until64(words<std::int64_t>(k, "wait_until"), comparison, value));
        else
            check(xmprt_wait_until32(words<std::int32_t>(k, "wait_until"), comparison, value));
    }

    // Looks whether it does.
    bool test(xmprt_comparison comparison, T value, std::size_t k = 0) const
    {
        int holds = 0;
        if constexpr (is_wide())
            check(xmprt_test64(words<std::int64_t>(k, "test"), comparison, value, &holds));
        else
            check(xmprt_test32(words<std::int32_t>(k, "test"), comparison, value, &holds));
        return holds != 0;
    }

    // Wait until all elements of this image compare so, until one does, or until some do, and give their numbers. Elements whose
    // number in `skip` is not 0 do not count; an empty `skip` skips none. Where no element counts, the functions return at once.
    void wait_until_all(xmprt_comparison comparison, T value, const std::vector<int> &skip = {}) const
    {
        const int *const skipped = one_for_each(skip, "wait_until_all");
        if constexpr (is_wide())
            check(xmprt_wait_until_all64(words<std::int64_t>(), size_, skipped, comparison, value));
        else
            check(xmprt_wait_until_all32(words<std::int32_t>(), size_, skipped, comparison, value));
    }
    std::optional<std::size_t> wait_until_any(xmprt_comparison comparison, T value, const std::vector<int> &skip = {}) const
    {
        const int *const skipped = one_for_each(skip, "wait_until_any");
        std::size_t index = size_;
        if constexpr (is_wide())
            check(xmprt_wait_until_any64(words<std::int64_t>(), size_, skipped, comparison, value, &index));
        else
            check(xmprt_wait_until_any32(words<std::int32_t>(), size_, skipped, comparison, value, &index));
        return index < size_ ? std::optional(index) : std::nullopt;
    }
    std::vector<std::size_t> wait_until_some(xmprt_comparison comparison, T value, const std::vector<int> &skip = {}) const
    {
        const int *const skipped = one_for_each(skip, "wait_until_some");
        std::vector<std::size_t> indices(size_);
        std::size_t found = 0;
        if constexpr (is_wide())
            check(xmprt_wait_until_some64(words<std::int64_t>(), size_, skipped, comparison, value, indices.data(), &found));
        else
            check(xmprt_wait_until_some32(words<std::int32_t>(), size_, skipped, comparison, value, indices.data(), &found));
        indices.resize(found);
        return indices;
    }

#if __cplusplus >= 202002L
    std::span<T> local() const noexcept { return {data_, size_}; }
#endif

private:
    // True for elements of 8 bytes: other functions of the library wait for them than for those of 4.
    static constexpr bool is_wide()
    {
        static_assert(std::is_integral_v<T> && std::is_signed_v<T> && (sizeof(T) == 4 || sizeof(T) == 8),
                      "a signed integer of 4 or 8 bytes");
        return sizeof(T) == 8;
    }

    template <class Word> const Word *words() const noexcept { return reinterpret_cast<const Word *>(data_); }
    template <class Word> const Word *words(std::size_t k, const char *function) const
    {
        if (k >= size_)
            refuse(function, "element " + std::to_string(k) + " is not within the " + std::to_string(size_) + " of the coarray");
        return words<Word>() + k;
    }

    const int *one_for_each(const std::vector<int> &skip, const char *function) const
    {
        if (!skip.empty() && skip.size() != size_)
            refuse(function, "`skip` has " + std::to_string(skip.size()) + " numbers for the " + std::to_string(size_) +
                                 " elements of the coarray");
        return skip.empty() ? nullptr : skip.data();
    }

    [[noreturn]] static void refuse(const char *function, const std::string &why)
    {
        throw error(XMPRT_BAD_ARGUMENT, std::string("xmprt::coarray::") + function + ": " + why);
    }

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

} // namespace xmprt

#endif
