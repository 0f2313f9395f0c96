//! The source of a running program: which statement an address of its code belongs to, and which variable an address
//! of its data.
//!
//! [`Modules`] knows which files a process has mapped and reads their debugging information when an address is asked
//! for; [`callers`] gives the return addresses of this thread; [`Statement`] chooses those of the program itself;
//! [`Variable`] has the name, bounds and type of a variable.
//! [`compiled_without`] has the sources that were compiled without an option, [`functions_unknown`] functions without debugging
//! information.
//! Nothing is read or allocated before the first question, so a program without errors pays nothing.

mod dwarf;
mod modules;
mod procedure;
mod rust_names;
mod stack;
mod statement;
mod uninstrumented;
mod variable;
mod without_debugging;

pub use modules::{Frame, Modules};
pub use stack::{callers, innermost_callers, walk};
pub use statement::{Statement, is_entry};
pub use uninstrumented::{compiled_without, compiled_without_plugin, functions_unknown};
pub use variable::{Bounds, Component, PlainType, Shape, Variable};
