//! The operations that the images of a job have executed.
//!
//! An image records into a [`buffer`], which is a file. When the job has ended the files are read as [`part`]s and
//! merged.
//!
//! | module | subject |
//! |---|---|
//! | [`operation`] | the operations, by their names in the language |
//! | [`mod@format`] | the file of an image |
//! | [`directory`] | the directory of all images' files |
//! | [`ticks`] | the clock of recordings |
//! | [`buffer`] | the recording of an image |
//! | [`part`] | the file, read back |
//! | [`times`] | ticks become times |
//! | [`teams`] | which team executes an operation, and which calls belong together |
//! | [`clocks`] | the clocks of hosts, brought together |
//! | [`places`] | source lines |
//! | [`source_text`] | lines of source text |
//! | [`event`] | the operations of a job, on one clock |
//! | [`mod@edges`] | which operations of other images an operation cannot complete without |
//! | [`waits`] | which part of an operation is waiting, and for which image |
//! | [`memory`] | what coarrays take |
//! | [`arrows`] | the arrows of the timeline, and accesses to the memory of images |
//! | [`races`] | the races that a job has found |
//! | [`regions`] | the procedures that images are in |
//! | [`counters`] | quantities of hosts over time |
//! | [`phases`] | what all images do over time |
//! | [`timeline`] | the timeline, for Perfetto |
//! | [`summary`], [`units`] | the numbers of the report |
//! | [`verdict`] | the report in three sentences |
//! | [`baseline`] | the numbers of another run, and the comparison with them |
//! | [`text`], [`page`] | the report for the terminal and for a browser |
//! | [`trace`] | a trace from its parts to timeline and report |

pub mod arrows;
pub mod baseline;
pub mod buffer;
pub mod clocks;
pub mod counters;
pub mod directory;
pub mod edges;
pub mod event;
pub mod format;
pub mod memory;
pub mod operation;
pub mod page;
pub mod part;
pub mod phases;
pub mod places;
pub mod races;
pub mod regions;
pub mod source_text;
pub mod summary;
pub mod teams;
pub mod text;
pub mod ticks;
pub mod timeline;
pub mod times;
pub mod trace;
pub mod units;
pub mod verdict;
pub mod waits;
