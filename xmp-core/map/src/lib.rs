//! Internal to XMP-RT; the crate `xmp-core` exports what is meant for use.
//!
//! Pure arithmetic: nothing here touches memory that images share.
//!
//! | subject | module |
//! |---|---|
//! | ranks, lists of images and their keys | [`rank`], [`members`] |
//! | nodes, templates, distributions: the global view | [`global`] (and its README) |
//! | the route of requests between hosts | [`cooperation`] (and its README) |
//! | loop nests of strided transfers | [`nest`] |
//! | number formats and their operations | [`number`] |
//! | numbers of bytes in messages | [`size`] |
//! | debugging output of trait objects | [`opaque`] |
//! | entries by offset | [`by_offset`] |
//! | a hash of words | [`hash`] |
//! | errors of the runtime, the words of languages, and numbers in messages | [`error`], [`language`], [`counted`] |

pub mod by_offset;
pub mod cooperation;
pub mod counted;
pub mod error;
pub mod global;
pub mod hash;
pub mod language;
pub mod members;
pub mod nest;
pub mod number;
pub mod opaque;
pub mod rank;
pub mod size;
pub mod triplet;

pub use error::{Error, Result};
pub use rank::Rank;
pub use triplet::Triplet;
