//! The library that programs compiled with `--check=races` call for their loads and stores of memory.
//!
//! The compilers' own instrumentation for races between threads (`-fsanitize=thread`) puts a call before each load and
//! store of memory that other threads may access. The called functions are here; the compiler's library is not linked.
//! Accesses outside of the memory that images share are left out first (`filter`). The other ones are gathered into
//! runs of contiguous bytes, one for each place of the program (`runs`). `libxmprt.so` enters a run into the shadow
//! memory when the run breaks, or when the library requests it: before an image control statement changes the order
//! (`xmp_core::races`).
//!
//! | module | subject |
//! |---|---|
//! | `accesses` | the compiler's functions for loads and stores |
//! | `atomics` | those for atomic operations of C, C++ and OpenMP |
//! | `blas`, `cblas`, `blas_subroutines` | subroutines of BLAS; functions of its interface for C; their names |
//! | `copies`, `c_library` | `memcpy`, `memmove` and `memset`, which the compiler does not instrument; other functions of C |
//! | `after` | functions of C that are called here, because their results tell what they have accessed |
//! | `formatted`, `formats`, `list` | formatted output and input of C; formats; lists of arguments |
//! | `read_files`, `numbers`, `of_c23` | input of C into memory; numbers in texts; names that functions have since C23 |
//! | `call` | calls that come here in place of a function of another library |
//! | `arrays`, `masks`, `texts`, `subroutines` | intrinsic procedures of libgfortran |
//! | `transfers`, `parameters`, `namelists`, `mirror` | input and output by libgfortran |
//! | `descriptor` | arrays of gfortran |
//! | `statements` | variables that image control statements and others of coarrays define |
//! | `runs`, `threads` | runs of one thread; the runs of all threads |
//! | `sites` | runs in the program itself, which its assembler (`bin/as.rs`) has put there |
//! | `gathered` | accesses of functions that `libxmprt.so` calls, which it enters itself |
//! | `register_arguments` | functions that go on to another one with its arguments |
//! | `registers` | calls that keep the registers of the program |
//! | `filter` | the memory that is of interest, and where accesses go |
//! | `hooks` | what `libxmprt.so` calls |
//!
//! The functions pass calls on in assembly language of x86-64. On other architectures the library is empty, and the wrappers
//! refuse `--check=races`.

#![cfg(target_arch = "x86_64")]

mod accesses;
mod after;
mod arrays;
mod atomics;
mod blas;
mod blas_subroutines;
mod c_library;
mod call;
mod cblas;
mod copies;
mod descriptor;
mod filter;
mod formats;
mod formatted;
mod gathered;
mod hooks;
mod list;
mod masks;
mod mirror;
mod namelists;
mod numbers;
mod of_c23;
mod parameters;
mod read_files;
mod register_arguments;
mod registers;
mod runs;
mod sites;
mod statements;
mod subroutines;
mod texts;
mod threads;
mod transfers;
