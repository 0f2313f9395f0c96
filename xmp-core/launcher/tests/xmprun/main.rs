//! `xmprun` from outside, with programs that know nothing of the library.

mod command_line;
mod harness;
mod other_launchers;
mod output;
mod signals;
mod status;
mod survivors;
mod warnings;
