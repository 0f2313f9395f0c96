//! Who executes now: entering and leaving sets of images.
//!
//! Every image has a stack of *executing sets* ([`xmp_core::image_set::Stack`]); the set on top is the one that
//! image indices, barriers and collectives refer to. [`task`] pushes a set for the time of a function. Sets are
//! given by formula - a range, every n-th, a list of image indices - and cost no communication to make or to
//! enter. FORM TEAM will add sets that are made from data, on the same stack; see `README.md` beside this crate.
//!
//! | to find | open |
//! |---|---|
//! | which images of a set | [`Selection`] |
//! | running a function on them | [`fn@task`] |

mod selection;
mod task;

pub use selection::Selection;
pub use task::task;
