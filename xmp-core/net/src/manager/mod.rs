//! The process manager that has started this process, spoken to without an MPI library. Read `README.md` beside this file first.
//!
//! | subject | module |
//! |---|---|
//! | the functions of all process managers | `interface` |
//! | the client of PMI-1 | `pmi1`, and its requests and answers as lines in `line` |
//! | the client of PMIx, by a library that is loaded | `pmix` |
//! | bytes as values of the store | `hex` |

pub(crate) mod hex;
mod interface;
mod line;
mod pmi1;
mod pmix;

pub(crate) use interface::Manager;
pub use pmi1::SECRET;

use crate::error::Result;
use crate::plugin::XMPRUN;
use pmi1::Pmi1;
use pmix::Pmix;
use std::time::Instant;

/// The way by which a process manager is spoken to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Protocol {
    /// The lines of PMI-1.
    Pmi1,
    /// PMIx, by its library.
    Pmix,
}

impl Protocol {
    /// Its name in messages.
    pub fn name(self) -> &'static str {
        match self {
            Protocol::Pmi1 => "PMI-1",
            Protocol::Pmix => "PMIx",
        }
    }
}

/// The protocol of the process manager of this process, if it has left its marks in the environment.
pub fn protocol() -> Option<Protocol> {
    protocol_by(|name| std::env::var(name).ok())
}

fn protocol_by(lookup: impl Fn(&str) -> Option<String>) -> Option<Protocol> {
    let has = |name: &str| lookup(name).is_some_and(|value| !value.is_empty());
    if has(XMPRUN[0]) || has("PMI_FD") || (has("PMI_PORT") && has("PMI_ID")) {
        return Some(Protocol::Pmi1);
    }
    let is_served = SERVERS.iter().any(|name| has(name));
    (has("PMIX_RANK") && has("PMIX_NAMESPACE") && is_served).then_some(Protocol::Pmix)
}

/// Variables that lead to a server of PMIx, by its version.
const SERVERS: [&str; 5] = [
    "PMIX_SERVER_URI41",
    "PMIX_SERVER_URI4",
    "PMIX_SERVER_URI3",
    "PMIX_SERVER_URI21",
    "PMIX_SERVER_URI2",
];

/// Variables by which programs find a process manager that serves one of them.
const VARIABLES: [&str; 12] = [
    XMPRUN[0],
    XMPRUN[1],
    XMPRUN[2],
    "PMI_FD",
    "PMI_PORT",
    "PMI_ID",
    "PMI_RANK",
    "PMI_SIZE",
    "PMI_SPAWNED",
    "MPI_LOCALNRANKS",
    "MPI_LOCALRANKID",
    "HYDI_CONTROL_FD",
];

/// The environment variables by which this process has found its process manager.
#[derive(Debug)]
pub(crate) struct Marks {
    protocol: Protocol,
    variables: Vec<(&'static str, String)>,
}

/// Takes the marks of the process manager from the environment, so that programs which this process starts do not take its place.
/// (Those of PMIx stay: its library reads them.) Call it before the process has other threads.
pub(crate) fn take_marks(protocol: Protocol) -> Marks {
    let mut variables = Vec::new();
    for name in VARIABLES.into_iter().filter(|_| protocol == Protocol::Pmi1) {
        variables.extend(std::env::var(name).ok().map(|value| (name, value)));
        // SAFETY: no other thread of this process reads the environment yet (contract of this function).
        unsafe { std::env::remove_var(name) };
    }
    Marks { protocol, variables }
}

/// Opens the process manager that the marks lead to. No call waits longer than until then.
///
/// # Errors
/// When it cannot be reached, or answers otherwise than the protocol says.
pub(crate) fn open(marks: &Marks, until: Instant) -> Result<Box<dyn Manager>> {
    let lookup = |name: &str| {
        let found = marks.variables.iter().find(|(its, _)| *its == name);
        found.map(|(_, value)| value.clone())
    };
    match marks.protocol {
        Protocol::Pmi1 => Ok(Box::new(Pmi1::open(lookup, until)?)),
        Protocol::Pmix => Ok(Box::new(Pmix::open(until)?)),
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
        assert_eq!(of(&[(XMPRUN[0], "6")]), Some(Protocol::Pmi1));
        // Some launchers set numbers only.
        assert_eq!(of(&[("PMI_RANK", "0"), ("PMI_SIZE", "4")]), None);
        assert_eq!(of(&[("PMI_FD", "")]), None);
        let pmix = [("PMIX_RANK", "0"), ("PMIX_NAMESPACE", "job"), ("PMIX_SERVER_URI21", "tcp4:1")];
        assert_eq!(of(&pmix), Some(Protocol::Pmix));
        assert_eq!(of(&pmix[..2]), None);
        // PALS by its own interface, which needs Cray's library, and with a server of PMIx.
        let pals = [("PALS_RANKID", "0"), ("PMI_RANK", "0"), ("PMI_CONTROL_PORT", "20000")];
        assert_eq!(of(&pals), None);
        assert_eq!(of(&[&pals[..], &pmix].concat()), Some(Protocol::Pmix));
    }
}
