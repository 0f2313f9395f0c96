//! The programs on separate hosts, which are network namespaces of this machine: ours over each MPI, and that MPI.

use super::measure::{Pairs, kind};
use crate::error::Error;
use crate::options::RunOptions;
use crate::output::Output;
use crate::peers::{self, Absent, Kind, Peer};
use std::sync::Arc;
use xmp_hosts::{Flavour, Network};

/// Numbers of images for each host when none are asked for.
const IMAGES_OF_A_HOST: [u32; 2] = [1, 2];

/// Runs the programs with their images on this many hosts, and writes and prints the results. False if ours is absent or failed
/// somewhere.
pub fn run(pairs: &Pairs, hosts: u32, options: &RunOptions) -> Result<bool, Error> {
    let output = Output::new(options.out_dir())?;
    let network = Arc::new(Network::new(hosts as usize).map_err(Error::NoHosts)?);
    let sides = peers::on_hosts(options, &network, &output.directory().join("build"));
    let sides = sides.into_iter().filter_map(side).collect();
    let images = options.images(&IMAGES_OF_A_HOST.map(|images| hosts * images));
    let mut measured = pairs.measure(options, sides, images, output)?;
    let peers = measured.contest.peers();
    for flavour in Flavour::ALL {
        let name = flavour.name();
        let of_it = |peer: &&Peer| peers::of_mpi(peer, flavour);
        let peers: Vec<Peer> = peers.iter().filter(of_it).cloned().collect();
        measured.report.heading(&format!("{}, {hosts} hosts, {name}", pairs.heading));
        measured.tell(&peers);
    }
    pairs.finish(measured)
}

/// Ours, and an MPI that runs the other form of the programs, by whatever operations.
fn side(side: Result<Peer, Absent>) -> Option<Result<Peer, Absent>> {
    match kind(&side) {
        Kind::Ours => Some(side),
        Kind::RawMpi => Some(side.map(|peer| Peer { title: raw_title(&peer), ..peer })),
        _ => None,
    }
}

fn raw_title(peer: &Peer) -> &'static str {
    if peers::of_mpi(peer, Flavour::OpenMpi) { "raw Open MPI" } else { "raw MPICH" }
}
