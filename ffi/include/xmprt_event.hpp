// Events and locks, for C++. Included by xmprt.hpp.
#ifndef XMPRT_EVENT_HPP
#define XMPRT_EVENT_HPP

#include <xmprt_coarray.hpp>

namespace xmprt {

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
