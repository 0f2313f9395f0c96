//! Collectives over image sets: barrier, broadcast, reductions, scans, gather, scatter, allgather, alltoall.
//!
//! All of them take the [`xmp_core::Image`] and the [`xmp_core::image_set::ImageSet`] whose images take part; a set
//! costs nothing to make, and nothing here knows of teams. The functions of this page are safe and typed; the
//! unsafe ones, on which they and the front ends stand, are in [`raw`]. Read `README.md` beside this crate first.
//!
//! | to find | open |
//! |---|---|
//! | an operation as a whole, over hosts | [`mod@barrier`], [`mod@broadcast`], [`mod@reduce`], [`mod@allgather`], [`mod@gather`], [`mod@scatter`], [`mod@alltoall`], [`mod@scan`] |
//! | where the parts of images lie | [`parts`] |
//! | how elements are combined | [`reduction`] |
//! | algorithms within a host | [`host`]; for a few bytes [`express`] |
//! | who sends what to whom between hosts | [`schedules`], [`plan`] (pure) and [`leaders`] (execution) |
//! | whether all images call the same | [`check`] |
//! | errors that one image alone can find | [`refusal`] |
//! | how those meet that are left after failures | [`survivors`] |
//! | which algorithm when | [`select`] |
//! | arrays over several images: reflect, gmove | [`global`] (and its README) |
//! | operations that go on in the background | [`nonblocking`] |

pub mod allgather;
pub mod alltoall;
pub mod barrier;
pub mod broadcast;
pub mod check;
pub mod express;
pub mod gather;
pub mod global;
pub mod guard;
pub mod host;
pub mod leaders;
pub mod nonblocking;
pub mod parts;
pub mod plan;
pub mod raw;
pub mod reduce;
pub mod reduction;
pub mod refusal;
pub mod scan;
pub mod scatter;
pub mod schedules;
pub mod select;
mod spread;
pub mod survivors;
mod two_level;
mod typed;

pub use barrier::{
    barrier, barrier_of, barrier_of_active, complete_before_barrier, greatest_active, greatest_of,
};

pub use nonblocking::Combine;
pub use parts::Parts;
pub use reduction::{Number, Op, Reduction};
pub use typed::{
    Plain, allgather, allreduce, allreduce_by, alltoall, alltoallv, broadcast, exscan, exscan_by,
    gather, gatherv, reduce, scan, scan_by, scatter, scatterv,
};
