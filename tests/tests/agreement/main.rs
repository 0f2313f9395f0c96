//! Images that do not execute the same get an error instead of a wrong result, or of waiting for one another.

mod allocations;
mod check;
mod collectives;
mod directives;
mod reductions;
mod roots;
