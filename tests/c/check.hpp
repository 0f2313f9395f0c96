// Checks of the C++ test programs: silent when all is well.
#include <xmprt.hpp>

#include <cstdlib>
#include <iostream>
#include <string>

#define REQUIRE(condition)                                                                             \
    do {                                                                                               \
        if (!(condition)) {                                                                            \
            std::cerr << "image " << xmprt_this_image(XMPRT_INITIAL) << ": " << __FILE__ << ":" << __LINE__ << ": " \
                      << #condition << "\n";                                                           \
            xmprt_error_stop(9);                                                                       \
        }                                                                                              \
    } while (0)

// What a statement throws: this status, with these words.
template <class Statement> void refused(xmprt_status status, const char *words, Statement statement)
{
    try {
        statement();
    } catch (const xmprt::error &error) {
        REQUIRE(error.status() == status);
        REQUIRE(std::string(error.what()).find(words) != std::string::npos);
        return;
    }
    REQUIRE(!"an exception");
}
