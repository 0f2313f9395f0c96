//! The example programs of `src/bin` as functions of an image, so that tests can run them on threads.
//!
//! | program | subject |
//! |---|---|
//! | `hello` | one coarray, one collective subroutine; complete in its own file |
//! | `cg` | [`npb_cg`]: task regions, collective subroutines, puts ordered by `sync_images` |
//! | `random_access` | [`random_access`]: atomic updates all over a distributed table |
//!
//! The Fortran programs are in `fortran/`.

pub mod npb_cg;
pub mod random_access;
