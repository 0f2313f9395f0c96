//! Internal to XMP-RT; the crate `xmp-core` exports what is meant for use.
//!
//! The images of one host. Modules from the lowest to the highest; each uses only modules above it in the table.
//!
//! | module | subject |
//! |---|---|
//! | [`sync`], [`report`], [`service_thread`], [`short_slices`] | atomics, messages to the user, threads of the library |
//! | [`race_hooks`] | the library that programs with `--check=races` call for loads and stores |
//! | [`region`], [`heap`], [`settings`] | mapped memory, allocation in it, the environment |
//! | [`machine`] | the processor's caches, and sizes of chunks that fit them |
//! | [`threads`], [`wait`] (and its README) | several threads of an image; how an image waits |
//! | [`job`] | the layout of the shared memory: job page, entries, segments |
//! | [`line_cache`] | bytes of other images' memory that were fetched by lines |
//! | [`transport`] | one-sided operations on the segments of other images: the trait, and loads and stores on one host |
//! | [`races`] | accesses to coarrays that nothing orders |
//! | [`endpoint`] | the rank of an image, its waits, its access to all segments |
//! | [`memory`] | the heaps of an image's segment |
//! | [`image_group`] | ordered lists of images |
//! | [`failure`] (and its README) | how the end of an image reaches the others |
//! | [`notify`] (and its README), [`post`] | notifications and packets between images |
//! | [`coll_area`] (and its README) | shared memory for barriers and small collectives |
//! | [`image_set`], [`image`] | image sets, the executing sets, the handle of an image |
//! | [`thread_images`] | images that are threads of one process |

pub mod coll_area;
pub mod endpoint;
pub mod failure;
pub mod heap;
pub mod image;
pub mod image_group;
pub mod image_set;
pub mod job;
pub mod line_cache;
pub mod machine;
pub mod memory;
pub mod notify;
pub mod post;
pub mod race_hooks;
pub mod races;
pub mod region;
pub mod report;
pub mod service_thread;
pub mod settings;
pub mod short_slices;
pub mod sync;
pub mod thread_images;
pub mod threads;
pub mod transport;
pub mod wait;

pub use image::Image;

use xmp_map::{cooperation, error, hash, language, members, nest, rank, size};
