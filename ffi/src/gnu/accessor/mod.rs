//! Coindexed assignment and reference for gfortran 15 and later. (GNU-LIBCAF section 9)
//!
//! The compiler makes a function of every coindexed reference, an *accessor*, which finds the elements, follows
//! components and converts; the library calls it with the address of the coarray on the image that is meant, and of the
//! other side ([`function`]). Accessors are known by numbers ([`table`]).
//!
//! Gets and puts enter through [`super::fast_path::accessor`], which executes most of them in few steps
//! ([`local_call`], on [`local`]; [`left`] ends some gets). Everything else takes
//! the [`slow_path`]: any [`object`], which may be a copy or have to be accessed on another host ([`remote`]), other sides of
//! any form ([`buffer`], [`source`], [`result`]), image selectors with a team ([`selector`]), accessors that call for others
//! ([`values`]). [`remote_to_remote`] has assignments from one image to another, [`entered`] what is entered where races are looked for.

pub mod arguments;
mod buffer;
mod entered;
mod entries;
mod function;
mod guard;
mod local;
pub mod local_call;
mod object;
pub mod remote;
pub mod remote_to_remote;
mod result;
pub mod scalar_result;
mod selector;
pub mod slow_path;
mod source;
mod table;
pub mod values;
mod windows;
