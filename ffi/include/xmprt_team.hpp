// Teams of images, for C++. Included by xmprt.hpp.
#ifndef XMPRT_TEAM_HPP
#define XMPRT_TEAM_HPP

#include <xmprt_collectives.hpp>

#include <initializer_list>

namespace xmprt {

// Completes what this image has put, and orders it before what the image does next (SYNC MEMORY). Not collective.
inline void sync_memory() { check(xmprt_sync_memory()); }

// The number of hosts of the job.
inline int num_hosts() noexcept { return xmprt_num_hosts(); }

// A team, which is a value: copies are the same team. It has the collectives.
class team : public collectives {
public:
    constexpr explicit team(xmprt_team handle) noexcept : collectives(handle) {}
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

    // The same without the images that have failed before, which are no error.
    static team form_active(std::int64_t number, int new_index = 0)
    {
        xmprt_team formed{0};
        const xmprt_status status = xmprt_form_team(number, new_index, &formed);
        if (status != XMPRT_FAILED_IMAGE || formed.id == 0)
            check(status);
        return team(formed);
    }

    std::int64_t number() const noexcept { return xmprt_team_number(handle()); }

    // The index in another team of the image that has this one here; 0 if it is not in that team.
    int index_in(const team &other, int image) const
    {
        int index = 0;
        check(xmprt_translate_image(handle(), image, other.handle(), &index));
        return index;
    }

    // The host of an image, from 1.
    int host_of(int image) const
    {
        const int host = xmprt_host_of(handle(), image);
        if (host == 0)
            throw error(XMPRT_BAD_ARGUMENT, xmprt_message());
        return host;
    }

    // Waits for all images of the team.
    void sync() const { check(xmprt_sync(handle())); }

    // The active images wait for one another: false on all of them if an image of the team has failed.
    [[nodiscard]] bool sync_active() const
    {
        const xmprt_status status = xmprt_sync_active(handle());
        if (status != XMPRT_FAILED_IMAGE)
            check(status);
        return status == XMPRT_OK;
    }

    [[nodiscard]] request begin_sync() const
    {
        return request::begin([&](xmprt_request *begun) {
            return xmprt_begin_sync(handle(), begun);
        });
    }

    // Waits for these images of the team, each of which names this one in turn (SYNC IMAGES): `all.sync_images({left, right})`.
    void sync_images(const int *images, std::size_t count) const { check(xmprt_sync_images(handle(), images, count)); }
    void sync_images(std::initializer_list<int> images) const { sync_images(images.begin(), images.size()); }
    void sync_images(const std::vector<int> &images) const { sync_images(images.data(), images.size()); }

    // The state of an image: XMPRT_OK, XMPRT_STOPPED_IMAGE or XMPRT_FAILED_IMAGE.
    xmprt_status status(int image) const
    {
        xmprt_status status = XMPRT_OK;
        check(xmprt_image_status(handle(), image, &status));
        return status;
    }

    // The images that have failed, or ended, ascending.
    std::vector<int> failed_images() const { return listed(xmprt_failed_images); }
    std::vector<int> stopped_images() const { return listed(xmprt_stopped_images); }

    // The communicator of the team, an MPI_Comm, where images are processes of an MPI job (xmprt_under_mpi):
    // `all.mpi_comm<MPI_Comm>()`. It must not be freed.
    template <class Comm> Comm mpi_comm() const
    {
        Comm comm;
        check(xmprt_mpi_comm(handle(), &comm, sizeof(comm)));
        return comm;
    }

private:
    std::vector<int> listed(xmprt_status (*function)(xmprt_team, int *, std::size_t, std::size_t *)) const
    {
        std::vector<int> images(static_cast<std::size_t>(size()));
        std::size_t count = 0;
        check(function(handle(), images.data(), images.size(), &count));
        images.resize(count);
        return images;
    }
};

// The current team is another one as long as this object exists (CHANGE TEAM, END TEAM). All images of the team make and
// destroy it. The destructor waits for them; where it fails, the job ends, unless an exception is on its way already.
class entered {
public:
    explicit entered(const team &inner) : exceptions_(std::uncaught_exceptions())
    {
        const xmprt_status status = xmprt_change_team(inner.handle());
        if (status == XMPRT_OK)
            return;
        const error refused(status, xmprt_message());
        // The team was entered without the image that has failed, and this object gets no destructor.
        if (status == XMPRT_FAILED_IMAGE)
            (void)xmprt_end_team();
        throw refused;
    }
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

#endif
