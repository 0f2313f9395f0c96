//! The library that records what a program calls of `libxmprt.so`, for `XMP_TRACE` and `XMP_TOOL`.
//!
//! `xmprun` puts this library before `libxmprt.so` with `LD_PRELOAD`. It defines the entry functions that communicate,
//! synchronise or allocate, records each call, and calls the function of the same name in `libxmprt.so`. So a program
//! that is not traced executes no instruction more. A program that is linked with `libxmprt.a` calls its own entries
//! and cannot be traced.
//!
//! | module | subject |
//! |---|---|
//! | `entries` | the functions, with the operation of each and how its arguments are decoded |
//! | `trampoline` | how a call passes through this library with all its arguments |
//! | `observe` | what is done before and after a call |
//! | `recorder` | the recording of this process |
//! | `races` | the races of the job |
//! | `tool` | tools of the user: the hooks of `xmprt_tool.h` |
//! | `decode`, `decoder` | arguments of the front ends |
//! | `call`, `cdescriptor`, `entry` | the arguments of one call; arrays as C descriptors; one function |
//! | `runtime` | the functions of `libxmprt.so` |

// `report` writes a message as a whole; these macros write it in pieces, which other images' messages may part.
#![deny(clippy::print_stderr, clippy::print_stdout)]

mod call;
mod cdescriptor;
mod decode;
mod decoder;
mod entries;
mod entry;
mod observe;
mod races;
mod recorder;
mod runtime;
mod tool;
mod trampoline;
