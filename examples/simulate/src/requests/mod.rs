//! Requests to communication servers: what direct, forwarded and merged ones cost on large machines.
//!
//! Servers run the code that real ones run ([`xmp_core::cooperation`]): topology, credits, lanes. A message costs what
//! [`crate::costs::Link`] says; besides, a server does one thing after the other ([`engine`]). What the images do is a
//! [`Program`]: [`pairs`], [`contention`] and [`application`] re-create measurements of Que, Yu, Tipparaju, Vetter,
//! Wang: Network-Friendly One-Sided Communication Through Multinode Cooperation on Petascale Cray XT5 Systems (CCGrid
//! 2011; "the paper"). The same seed gives the same result, to the nanosecond.

pub mod application;
pub mod contention;
pub mod engine;
mod model;
pub mod pairs;
mod random;

pub use application::Application;
pub use contention::Contention;
pub use engine::{Outcome, run};
pub use model::{Act, Machine, Operation, Program, Serving, variants};
pub use pairs::Pairs;
pub use random::Random;

#[cfg(test)]
mod tests;
