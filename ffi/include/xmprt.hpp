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
// Functions of the C header can be used beside these, on the same memory (`data()`) and teams (`handle()`):
// `xmprt::check(xmprt_...)` throws their errors. Those that end images, that copy to and from sibling teams, and that begin
// collectives on parts of different lengths have no other form.
#ifndef XMPRT_HPP
#define XMPRT_HPP

#include <xmprt_coarray.hpp>
#include <xmprt_event.hpp>
#include <xmprt_team.hpp>

#endif
