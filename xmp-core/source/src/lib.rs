//! The source lines of a running program: which statement an address of its code belongs to.
//!
//! [`Modules`] knows which files a process has mapped and reads their debugging information when an address is asked
//! for; [`callers`] gives the return addresses of this thread; [`Statement`] chooses those of the program itself.
//! Nothing is read or allocated before the first question, so a program without errors pays nothing.

mod modules;
mod stack;
mod statement;

pub use modules::{Frame, Modules};
pub use stack::callers;
pub use statement::{Statement, is_entry};
