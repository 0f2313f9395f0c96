//! Where tests of several hosts and of MPI run, and saying so when they do not.

use crate::toolchain::toolchain;
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, OnceLock};
use xmp_hosts::{Flavour, Mpirun, Network};

/// A network of so many hosts, the same for all tests of a process, which are to be `serial`; none where it is not
/// permitted, which is said aloud. It goes with the process.
///
/// # Panics
/// When it is permitted and fails.
pub fn network(hosts: usize) -> Option<Arc<Network>> {
    static POSSIBLE: OnceLock<Result<(), String>> = OnceLock::new();
    static MADE: Mutex<BTreeMap<usize, Arc<Network>>> = Mutex::new(BTreeMap::new());
    if let Err(reason) = POSSIBLE.get_or_init(Network::possible) {
        skipped(&format!("no separate hosts here: {reason}"));
        return None;
    }
    // Whoever has failed to make one has made none.
    let mut made = MADE.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
    let network = made.entry(hosts).or_insert_with(|| match Network::new(hosts) {
        Ok(network) => Arc::new(network),
        Err(reason) => panic!("{hosts} hosts cannot be made, though 2 could: {reason}"),
    });
    Some(network.clone())
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

/// Those for which the installation has a plug-in.
pub fn mpis_with_plugin() -> Vec<Mpirun> {
    let has_plugin = |mpirun: &Mpirun| {
        let name = format!("lib/libxmp_mpi_{}.so", mpirun.flavour().suffix());
        let there = toolchain().prefix().join(&name).exists();
        if !there {
            skipped(&format!("the installation has no {name}"));
        }
        there
    };
    mpis().into_iter().filter(has_plugin).collect()
}

/// Says that a test, or part of one, was not made.
pub fn skipped(why: &str) {
    let test = std::thread::current();
    eprintln!("*** SKIPPED, {}: {why} ***", test.name().unwrap_or("a test"));
}
