//! XMP-RT coarray.
