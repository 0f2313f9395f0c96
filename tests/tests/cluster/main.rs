//! Separate hosts: jobs of both MPIs whose images are on two and three of them. Each host has its own name, network,
//! process numbers, shared memory and mounts (see `hosts/`).

mod ends;
mod language;
mod lost_hosts;
mod mismatches;

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;
use xmp_hosts::{Flavour, Mpirun, Network};
use xmp_tests::hosts::{mpis_with_plugin, network_for};
use xmp_tests::{Run, together};

/// A job of MPI ends within this time of its fault, on a busy machine too.
const SOON: Duration = Duration::from_secs(300);
/// For programs that do much.
const LONG: Duration = Duration::from_secs(900);

/// What to run, where.
struct Place {
    network: Arc<Network>,
    mpirun: Mpirun,
    images: Vec<u32>,
}

impl Place {
    fn run(&self, program: impl AsRef<Path>) -> Run {
        Run::new(program).mpirun_on(&self.mpirun, &self.network, &self.images)
    }
}

/// Images on hosts, under each MPI, which has hosts of its own. None where it is not possible.
fn places(images: &[u32]) -> Vec<Place> {
    let place = |mpirun: Mpirun| {
        let network = network_for(mpirun.flavour(), images.len())?;
        Some(Place { network, mpirun, images: images.into() })
    };
    mpis_with_plugin().into_iter().filter_map(place).collect()
}

/// Checks images on hosts under each MPI at the same time.
fn at_places(images: &[u32], check: impl Fn(Place) + Sync) {
    together(places(images), Flavour::ALL.len(), check);
}
