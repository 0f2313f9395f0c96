// A thread releases the lock that another one holds by a guard: destructors of guards throw nothing.
#include <xmprt.hpp>

#include <mutex>
#include <thread>

int main()
{
    xmprt::lock locks;
    const auto all = xmprt::team::current();
    if (all.image() == 1) {
        auto mine = locks.on(2);
        std::scoped_lock held(mine);
        std::thread other([&] {
            auto same = locks.on(2);
            if (!std::unique_lock(same, std::try_to_lock).owns_lock())
                same.unlock();
        });
        other.join();
    }
    all.sync();
}
