//! XMP-RT doors.
