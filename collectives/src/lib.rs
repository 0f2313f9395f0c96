//! Collectives over image sets: barrier, broadcast, reductions, scans, gather, scatter, allgather, alltoall.
//!
//! Each operation takes an [`xmp_core::Image`] and the [`xmp_core::image_set::ImageSet`] of the images that execute it;
//! this crate knows no teams. An operation panics when this image is not in the set. The functions of this page are safe and
//! typed. They and the front ends call those of [`raw`], which list the errors. `README.md` of this crate describes levels and
//! algorithms.
//!
//! | to find | open |
//! |---|---|
//! | an operation as a whole, over hosts | [`mod@barrier`], [`mod@broadcast`], [`mod@reduce`], [`mod@allgather`], [`mod@gather`], [`mod@scatter`], [`mod@alltoall`], [`mod@scan`], [`mod@reduce_scatter`] |
//! | the memory of an operation | [`elements`], [`part_buffers`], [`parts`] |
//! | the combination of elements | [`reduction`] |
//! | algorithms within a host | [`host`]; for a few bytes [`fast_path`] |
//! | the messages between hosts | [`schedules`] and [`plan`] (pure), [`leaders`] (execution) |
//! | the comparison of calls (`XMP_CHECK`) | [`check`]; of few numbers, always, [`signature`]; of roots, at the next barrier, [`flows`] |
//! | errors that one image alone can find | [`refusal`] |
//! | synchronisation of the survivors of failures | [`survivors`] |
//! | what image control statements order (`XMP_CHECK=races`) | [`ordering`] |
//! | the memory that operations access, for the same check | `arguments` |
//! | the choice of algorithms | [`select`] |
//! | arrays over several images: reflect, gmove | [`global`] (and its README) |
//! | files that images read and write together | [`mod@file`] |
//! | non-blocking operations | [`nonblocking`] |

pub mod allgather;
pub mod alltoall;
mod arguments;
mod array_shape;
pub mod barrier;
pub mod broadcast;
mod broadcast_on_host;
mod call;
pub mod check;
mod copy;
pub mod elements;
pub mod fast_path;
pub mod file;
pub mod flows;
pub mod gather;
pub mod global;
pub mod guard;
pub mod host;
mod host_distribution;
mod kind;
pub mod leaders;
mod moved;
pub mod nonblocking;
pub mod ordering;
pub mod part_buffers;
pub mod parts;
pub mod plan;
pub mod raw;
pub mod reduce;
pub mod reduce_scatter;
pub mod reduction;
pub mod refusal;
mod rooted;
pub mod scan;
pub mod scatter;
pub mod schedules;
pub mod select;
pub mod signature;
pub mod statement;
pub mod survivors;
mod two_level;
mod typed;
mod values;

pub use barrier::{
    BarrierStatement, barrier, barrier_comparing, barrier_comparing_active, barrier_of,
    barrier_of_active, complete_before_barrier, greatest_active, greatest_of,
};

pub use array_shape::ArrayShape;
pub use bytemuck;
pub use nonblocking::Combine;
pub use parts::Parts;
pub use reduction::{Located, Number, Op, Reduction};
pub use typed::{
    allgather, allgather_in_place, allgatherv, allreduce, allreduce_by, alltoall, alltoallv,
    broadcast, exscan, exscan_by, gather, gatherv, locate, reduce, reduce_scatter, scan, scan_by,
    scatter, scatterv,
};
