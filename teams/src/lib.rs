//! XMP-RT teams.
