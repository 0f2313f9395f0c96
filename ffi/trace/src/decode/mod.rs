//! The decoders. Each front end has a file.

pub mod c;
pub mod gnu;
pub mod omni;
pub mod prif;
pub mod xmp;

pub use crate::decoder::{Decoder, NONE, before};
