//! The process manager that has started this process, spoken to without an MPI library. Read `README.md` beside this file first.
//!
//! | subject | module |
//! |---|---|
//! | what all process managers can do | `interface` |
//! | the client of PMI-1 | `pmi1`, and its requests and answers as lines in `line` |
//! | bytes as values of the store | `hex` |

mod hex;
mod interface;
mod line;
mod pmi1;

pub(crate) use interface::Manager;

use crate::error::Result;
use pmi1::Pmi1;
use std::time::Instant;

/// The way by which a process manager is spoken to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Protocol {
    /// The lines of PMI-1.
    Pmi1,
}

impl Protocol {
    /// Its name in messages.
    pub fn name(self) -> &'static str {
        match self {
            Protocol::Pmi1 => "PMI-1",
        }
    }
}

/// The protocol of the process manager of this process, if it has left its marks in the environment.
pub fn protocol() -> Option<Protocol> {
    protocol_by(|name| std::env::var(name).ok())
}

fn protocol_by(lookup: impl Fn(&str) -> Option<String>) -> Option<Protocol> {
    let has = |name: &str| lookup(name).is_some_and(|value| !value.is_empty());
    (has("PMI_FD") || (has("PMI_PORT") && has("PMI_ID"))).then_some(Protocol::Pmi1)
}

/// Opens the process manager. Its variables leave the environment, so that programs which this process starts do not take its place.
/// Call it before the process has other threads.
///
/// # Errors
/// When it cannot be reached, or answers otherwise than the protocol says.
pub(crate) fn open(protocol: Protocol, until: Instant) -> Result<Box<dyn Manager>> {
    match protocol {
        Protocol::Pmi1 => Ok(Box::new(Pmi1::open(|name| std::env::var(name).ok(), until)?)),
    }
}

/// Variables by which programs find a process manager.
const VARIABLES: [&str; 8] = [
    "PMI_FD",
    "PMI_PORT",
    "PMI_ID",
    "PMI_RANK",
    "PMI_SIZE",
    "MPI_LOCALNRANKS",
    "MPI_LOCALRANKID",
    "HYDI_CONTROL_FD",
];

/// Takes the variables of the process manager from the environment. Call it before the process has other threads.
pub(crate) fn hide() {
    for name in VARIABLES {
        // SAFETY: no other thread of this process reads the environment yet (contract of this function).
        unsafe { std::env::remove_var(name) };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_process_manager_is_known_by_its_marks() {
        let of = |variables: &[(&str, &str)]| {
            protocol_by(|name| {
                variables.iter().find(|(its, _)| *its == name).map(|(_, value)| value.to_string())
            })
        };
        assert_eq!(of(&[("PMI_FD", "6"), ("PMI_RANK", "0")]), Some(Protocol::Pmi1));
        assert_eq!(of(&[("PMI_PORT", "vm:34301"), ("PMI_ID", "0")]), Some(Protocol::Pmi1));
        // Some launchers set numbers only.
        assert_eq!(of(&[("PMI_RANK", "0"), ("PMI_SIZE", "4")]), None);
        assert_eq!(of(&[("PMI_FD", "")]), None);
    }
}
