//! Where tests of several hosts and of MPI run.

use crate::toolchain::toolchain;
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, OnceLock};
use xmp_hosts::{Flavour, Mpirun, Network, skipped};

/// A network of so many hosts, the same for all tests of a process, which are to be `serial`; none where it is not
/// permitted, which is said aloud. It goes with the process.
///
/// # Panics
/// When it is permitted and fails.
pub fn network(hosts: usize) -> Option<Arc<Network>> {
    static POSSIBLE: [OnceLock<Result<(), String>>; 2] = [OnceLock::new(), OnceLock::new()];
    static MADE: Mutex<BTreeMap<usize, Arc<Network>>> = Mutex::new(BTreeMap::new());
    // More than two need more.
    let possible = &POSSIBLE[usize::from(hosts > 2)];
    if let Err(reason) = possible.get_or_init(|| Network::possible(hosts)) {
        skipped(format_args!("no {hosts} separate hosts here: {reason}"));
        return None;
    }
    // Whoever has failed to make one has made none.
    let mut made = MADE.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
    let network = made.entry(hosts).or_insert_with(|| match Network::new(hosts) {
        Ok(network) => Arc::new(network),
        Err(reason) => panic!("{hosts} hosts cannot be made, though it is possible: {reason}"),
    });
    Some(network.clone())
}

/// The launchers of the MPIs that are installed; those that are not are named aloud.
pub fn mpis() -> Vec<Mpirun> {
    let find = |flavour: Flavour| {
        let found = Mpirun::find(flavour);
        if found.is_none() {
            skipped(format_args!("no mpirun.{} here", flavour.suffix()));
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
            skipped(format_args!("the installation has no {name}"));
        }
        there
    };
    mpis().into_iter().filter(has_plugin).collect()
}
