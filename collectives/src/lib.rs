//! XMP-RT collectives.
