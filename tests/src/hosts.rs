//! The hosts and launchers of tests that run on several hosts or under MPI.

use crate::program::Program;
use crate::run::Run;
use crate::toolchain::toolchain;
use std::collections::BTreeMap;
use std::panic;
use std::path::Path;
use std::sync::{Arc, Mutex, OnceLock};
use xmp_hosts::{Flavour, Mpirun, Network, noted, skipped};

/// A network of this many hosts. All tests of a process share it, so they have to be `serial`; it ends with the process. Where the
/// machine does not permit a network, there is none, and this is reported.
///
/// # Panics
/// When it is permitted and fails.
pub fn network(hosts: usize) -> Option<Arc<Network>> {
    network_of("", hosts)
}

/// The same for jobs of one MPI alone, so that those of the other one can run at the same time.
///
/// # Panics
/// As [`network`].
pub fn network_for(flavour: Flavour, hosts: usize) -> Option<Arc<Network>> {
    network_of(flavour.suffix(), hosts)
}

fn network_of(user: &'static str, hosts: usize) -> Option<Arc<Network>> {
    type Made = BTreeMap<(&'static str, usize), Arc<Network>>;
    static POSSIBLE: [OnceLock<Result<(), String>>; 2] = [OnceLock::new(), OnceLock::new()];
    static MADE: Mutex<Made> = Mutex::new(BTreeMap::new());
    // More than two hosts have another requirement.
    let possible = &POSSIBLE[usize::from(hosts > 2)];
    if let Err(reason) = possible.get_or_init(|| Network::possible(hosts)) {
        skipped(Network::requirement(hosts), format_args!("no {hosts} separate hosts: {reason}"));
        return None;
    }
    // A thread that panicked while it made a network has added none.
    let mut made = MADE.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
    let network = made.entry((user, hosts)).or_insert_with(|| match Network::new(hosts) {
        Ok(network) => Arc::new(network),
        Err(reason) => panic!("{hosts} hosts cannot be made, though it is possible: {reason}"),
    });
    Some(network.clone())
}

/// The launchers of the MPIs that are installed and work here; each other one is reported.
pub fn mpis() -> Vec<Mpirun> {
    static FOUND: OnceLock<[Result<Mpirun, String>; 2]> = OnceLock::new();
    let found = FOUND.get_or_init(|| Flavour::ALL.map(working));
    let each = Flavour::ALL.into_iter().zip(found);
    each.filter_map(|(flavour, found)| match found {
        Ok(mpirun) => Some(mpirun.clone()),
        Err(reason) => {
            skipped(flavour.requirement(), reason);
            None
        }
    })
    .collect()
}

/// The launcher of an MPI that runs programs on this machine without XMP-RT. (Where there is no shared memory, or
/// nothing that is a network, they do not.) A launcher that prints something works: tests of silent programs fail then,
/// and the report has the reason.
fn working(flavour: Flavour) -> Result<Mpirun, String> {
    let name = flavour.suffix();
    let mpirun = Mpirun::find(flavour).ok_or_else(|| format!("no mpirun.{name} here"))?;
    // Without its compiler this cannot be tried.
    if let Some(program) = Program::plain_mpi("mpi_plain", flavour) {
        let options = mpirun.options_for_windows().into_iter();
        let run = Run::new(program.build()).mpirun(&mpirun).images(4).args(["4"]);
        let run = options.fold(run, |run, option| run.launcher_option(option));
        let refused = |why: &str| format!("mpirun.{name} does not run programs here: {why}");
        let outcome = panic::catch_unwind(|| run.finish());
        let outcome = outcome.map_err(|_| refused("they do not end, or leave something behind"))?;
        let printed = [outcome.stderr, outcome.stdout].concat();
        let first = printed.lines().find(|line| line.contains(|c: char| c.is_alphabetic()));
        if !outcome.status.success() {
            return Err(refused(&format!("{}: {}", outcome.status, first.unwrap_or_default())));
        }
        if let Some(line) = first {
            noted(format_args!("mpirun.{name} itself prints this with every program: {line}"));
        }
    }
    Ok(mpirun)
}

/// A program in 4 images of this machine, by each way to start them.
pub fn started_by_all(program: &Path) -> Vec<Run> {
    let mut runs = vec![Run::new(program).images(4), Run::new(program).env("XMP_NUM_IMAGES", "4")];
    runs.extend(mpis_with_plugin().iter().map(|mpirun| Run::new(program).mpirun(mpirun).images(4)));
    runs
}

/// The MPIs for which the installation has a plug-in.
pub fn mpis_with_plugin() -> Vec<Mpirun> {
    let has_plugin = |mpirun: &Mpirun| {
        let there = !mpirun.flavour().plugins_in(&toolchain().plugins()).is_empty();
        if !there {
            let name = mpirun.flavour().suffix();
            let requirement = mpirun.flavour().requirement();
            skipped(requirement, format_args!("the installation has no plug-in for {name}"));
        }
        there
    };
    mpis().into_iter().filter(has_plugin).collect()
}
