//! Where tests of several hosts and of MPI run, and saying so when they do not.

use std::sync::{Arc, OnceLock};
use xmp_hosts::{Flavour, Mpirun, Network};

/// A network of so many hosts; none where it is not permitted, which is said aloud.
///
/// # Panics
/// When it is permitted and fails.
pub fn network(hosts: usize) -> Option<Arc<Network>> {
    static POSSIBLE: OnceLock<Result<(), String>> = OnceLock::new();
    match POSSIBLE.get_or_init(Network::possible) {
        Ok(()) => match Network::new(hosts) {
            Ok(network) => Some(Arc::new(network)),
            Err(reason) => panic!("{hosts} hosts cannot be made, though 2 could: {reason}"),
        },
        Err(reason) => {
            skipped(&format!("no separate hosts here: {reason}"));
            None
        }
    }
}

/// The launchers of the MPIs that are installed; those that are not are named aloud.
pub fn mpis() -> Vec<Mpirun> {
    let find = |flavour: Flavour| {
        let found = Mpirun::find(flavour);
        if found.is_none() {
            skipped(&format!("no mpirun.{} here", flavour.suffix()));
        }
        found
    };
    Flavour::ALL.into_iter().filter_map(find).collect()
}

/// Says that a test, or part of one, was not made.
pub fn skipped(why: &str) {
    let test = std::thread::current();
    eprintln!("*** SKIPPED, {}: {why} ***", test.name().unwrap_or("a test"));
}
