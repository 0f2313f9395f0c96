//! Waiting: the only module that spins, yields or sleeps. Read `README.md` beside this file first.

mod adaptive_spin;
mod background;
mod budget;
mod company;
mod core_use;
mod doorbell;
pub(crate) mod futex;
mod means;
#[cfg(all(test, loom))]
mod model;
#[cfg(all(test, loom))]
mod model_of_probes;
mod need;
mod one_wait;
mod other_threads;
mod pause;
mod policy;
mod polled;
mod probe;
mod recorder;
mod status;
pub mod turn;
mod until;

pub use adaptive_spin::AdaptiveSpin;
pub use background::Background;
pub use budget::Waiting;
pub use core_use::{CoreUse, SharedCores};
pub use doorbell::Doorbell;
pub use means::Waits;
pub use need::{Describe, EndedBy, ForVariable, Need, VariableName, WaitKind, unnamed};
pub use one_wait::SpinHint;
pub use pause::Pause;
pub use polled::Polling;
pub use probe::Probe;
pub use recorder::{PAUSES, Recorder};
pub use status::Status;
