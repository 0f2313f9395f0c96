//! The sides of the suite of separate hosts: ours and OpenCoarrays over each MPI, and the MPI by itself.

use super::find::in_path;
use super::{Absent, Compiler, Kind, Launcher, Peer};
use crate::options::RunOptions;
use std::ffi::OsString;
use std::path::Path;
use std::sync::Arc;
use xmp_hosts::{Flavour, Mpirun, Network};

/// What a side is called.
struct Name {
    id: &'static str,
    /// The head of its column.
    title: &'static str,
}

impl Name {
    const fn new(id: &'static str, title: &'static str) -> Self {
        Self { id, title }
    }
}

/// Names of the sides on one MPI, and the packages that they are in.
struct Names {
    ours: Name,
    ours_here: Name,
    coarrays: Name,
    one_sided: Name,
    messages: Name,
    packages: &'static str,
}

const fn names(flavour: Flavour) -> Names {
    match flavour {
        Flavour::OpenMpi => Names {
            ours: Name::new("ours-openmpi", "ours, Open MPI"),
            ours_here: Name::new("ours-openmpi-here", "ours, Open MPI"),
            coarrays: Name::new("oc-openmpi", "OC Open MPI"),
            one_sided: Name::new("rma-openmpi", "Open MPI one-sided"),
            messages: Name::new("messages-openmpi", "Open MPI messages"),
            packages: "libopenmpi-dev openmpi-bin libcoarrays-openmpi-dev",
        },
        Flavour::Mpich => Names {
            ours: Name::new("ours-mpich", "ours, MPICH"),
            ours_here: Name::new("ours-mpich-here", "ours, MPICH"),
            coarrays: Name::new("oc-mpich", "OC MPICH"),
            one_sided: Name::new("rma-mpich", "MPICH one-sided"),
            messages: Name::new("messages-mpich", "MPICH messages"),
            packages: "libmpich-dev mpich libcoarrays-mpich-dev",
        },
    }
}

/// Whether a side is one of this MPI.
pub fn of_mpi(peer: &Peer, flavour: Flavour) -> bool {
    matches!(&peer.launcher, Launcher::Mpi { mpirun, .. } if mpirun.flavour() == flavour)
}

/// All sides on the hosts of a network. `directory` is for what has to be compiled for MPI itself.
pub fn on_hosts(
    options: &RunOptions,
    network: &Arc<Network>,
    directory: &Path,
) -> Vec<Result<Peer, Absent>> {
    let sides = Flavour::ALL.map(|flavour| {
        let names = names(flavour);
        let launcher = || theirs(flavour, network, directory);
        let wrapper = |name: &str| {
            let program = format!("{name}.{}", flavour.suffix());
            in_path(&program).ok_or(format!("no {program}; `apt-get install {}`", names.packages))
        };
        let mpi = |name: Name, kind| {
            let Name { id, title } = name;
            let found = wrapper("mpicc").and_then(|compiler| Ok((compiler, launcher()?)));
            let found = found.map(|(program, launcher)| {
                let compiler = Some(Compiler { before: &["-std=c11"], ..Compiler::plain(program) });
                let fortran = wrapper("mpifort").ok();
                Peer { id, title, kind, compiler, fortran, launcher }
            });
            found.map_err(|missing| Absent { id, title, kind, missing })
        };
        let Name { id, title } = names.coarrays;
        let kind = Kind::OpenCoarrays;
        let coarrays = wrapper("caf").and_then(|compiler| Ok((compiler, launcher()?)));
        let coarrays = coarrays.map(|(program, launcher)| {
            let compiler = Some(Compiler::plain(program));
            Peer { id, title, kind, compiler, fortran: None, launcher }
        });
        [
            ours(options, flavour, names.ours, Some(network.clone())),
            coarrays.map_err(|missing| Absent { id, title, kind, missing }),
            mpi(names.one_sided, Kind::RawMpi),
            mpi(names.messages, Kind::RawMessages),
        ]
    });
    sides.into_iter().flatten().collect()
}

/// Ours on the hosts of a network, under its own launcher and without an MPI.
pub fn without_mpi(options: &RunOptions, network: &Arc<Network>) -> Result<Peer, Absent> {
    let (id, title, kind) = ("ours-sockets", "ours, no MPI", Kind::Ours);
    let (program, launcher) = (options.our_compiler(), options.our_launcher());
    if !launcher.is_file() {
        let missing = format!("{} not there", launcher.display());
        return Err(Absent { id, title, kind, missing });
    }
    let compiler = Some(Compiler::plain(program));
    let launcher = Launcher::XmprunOn { launcher, network: network.clone() };
    Ok(Peer { id, title, kind, compiler, fortran: None, launcher })
}

/// Ours on this machine: under its own launcher, and under that of each MPI.
pub fn on_one_host(options: &RunOptions) -> Vec<Result<Peer, Absent>> {
    let (id, title, kind) = ("xmprun", "ours, xmprun", Kind::OursEmbedded);
    let (program, launcher) = (options.our_compiler(), options.our_launcher());
    let embedded = if launcher.is_file() {
        let compiler = Some(Compiler::plain(program));
        let launcher = Launcher::Xmprun { launcher, hosts: 1, settings: Vec::new() };
        Ok(Peer { id, title, kind, compiler, fortran: None, launcher })
    } else {
        let missing = format!("{} not there", launcher.display());
        Err(Absent { id, title, kind, missing })
    };
    let over_mpi = Flavour::ALL.map(|mpi| ours(options, mpi, names(mpi).ours_here, None));
    std::iter::once(embedded).chain(over_mpi).collect()
}

fn ours(
    options: &RunOptions,
    flavour: Flavour,
    name: Name,
    network: Option<Arc<Network>>,
) -> Result<Peer, Absent> {
    let Name { id, title } = name;
    let kind = Kind::Ours;
    let program = options.our_compiler();
    let missing = |missing| Absent { id, title, kind, missing };
    let advice = "`./x install --prefix target/prefix`, with that MPI installed";
    if !program.is_file() {
        return Err(missing(format!("{} not there; {advice}", program.display())));
    }
    let plugins = options.our_prefix().join("lib/xmprt");
    if flavour.plugins_in(&plugins).is_empty() {
        let (name, place) = (flavour.suffix(), plugins.display());
        return Err(missing(format!("no plug-in for {name} in {place}; {advice}")));
    }
    let compiler = Some(Compiler::plain(program));
    let launcher = our_launcher(flavour, network).map_err(missing)?;
    Ok(Peer { id, title, kind, compiler, fortran: None, launcher })
}

/// What starts ours on the hosts of a network, and what the side is called.
///
/// # Errors
/// What is missing.
pub(super) fn launched_by(
    flavour: Flavour,
    network: &Arc<Network>,
) -> Result<(&'static str, Launcher), String> {
    Ok((names(flavour).ours.id, our_launcher(flavour, Some(network.clone()))?))
}

/// The launcher as it is: ours needs no options.
fn our_launcher(flavour: Flavour, network: Option<Arc<Network>>) -> Result<Launcher, String> {
    let mpirun = Mpirun::find(flavour).ok_or_else(|| {
        format!("its mpirun not there; `apt-get install {}`", names(flavour).packages)
    })?;
    Ok(Launcher::Mpi { mpirun, network, options: Vec::new(), environment: Vec::new() })
}

/// The launcher with what makes the peers work and be quick: windows that work over TCP, yielding (there are more
/// images than cores), an end that does not hang.
fn theirs(flavour: Flavour, network: &Arc<Network>, directory: &Path) -> Result<Launcher, String> {
    let mpirun = Mpirun::find(flavour).ok_or_else(|| {
        format!("no mpirun.{}; `apt-get install {}`", flavour.suffix(), names(flavour).packages)
    })?;
    let mut options: Vec<OsString> =
        mpirun.options_for_windows().into_iter().map(OsString::from).collect();
    if flavour == Flavour::OpenMpi {
        options.extend(["--mca", "mpi_yield_when_idle", "1"].map(OsString::from));
    }
    let environment = mpirun.environment_for_finalize(directory)?.into_iter().collect();
    Ok(Launcher::Mpi { mpirun, network: Some(network.clone()), options, environment })
}
