//! The sides of the suite of XcalableMP: programs that our translator has translated, and, where the Omni XcalableMP
//! compiler is installed, what it has made of the same source with our library and with Omni's own runtime on the MPI that
//! it was built with.

use super::find::{OPENMPI, in_path, ours, raw_mpi};
use super::{Absent, Compiler, Kind, Launcher, Peer, over_mpi};
use crate::options::RunOptions;
use std::env;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use xmp_hosts::{Flavour, Network};

/// Where the compiler is: a directory with `bin/xmpcc` and `bin/xmpf90`. [`INSTALLATION`] says it, or the search path.
///
/// # Errors
/// What is missing.
pub fn omni_installation() -> Result<PathBuf, String> {
    let path = env::var_os("PATH").unwrap_or_default();
    let in_path = env::split_paths(&path).filter_map(|bin| Some(bin.parent()?.to_owned()));
    let homes: Vec<PathBuf> = match env::var_os(INSTALLATION) {
        // The compiler is called in another directory.
        Some(home) => std::path::absolute(home).into_iter().collect(),
        None => in_path.collect(),
    };
    homes.into_iter().find(|home| is_omni(home)).ok_or_else(|| {
        format!(
            "no Omni XcalableMP compiler, which is public: {INSTALLATION}=DIR says where DIR/bin/xmpcc and \
             DIR/bin/xmpf90 are, or they are in PATH"
        )
    })
}

/// Whether a prefix has Omni's compilers. Ours have the same names; our installation also has our launcher.
fn is_omni(home: &Path) -> bool {
    let has = |file: &str| home.join("bin").join(file).is_file();
    has("xmpcc") && has("xmpf90") && !has("xmprun")
}

/// The variable of the environment that names its directory.
const INSTALLATION: &str = "XMP_OMNI";

/// Ours behind our translator, ours behind Omni's compiler, and Omni's runtime.
pub fn with_translators(options: &RunOptions) -> Vec<Result<Peer, Absent>> {
    let mut all = vec![translated(options)];
    all.extend(with_omni(options));
    all
}

/// Ours behind Omni's compiler, and Omni's runtime.
pub fn with_omni(options: &RunOptions) -> Vec<Result<Peer, Absent>> {
    vec![behind_omni(options, own_launcher(1)), omni()]
}

/// Ours, with the programs that our own translator has translated.
pub fn translated(options: &RunOptions) -> Result<Peer, Absent> {
    let (id, title) = ("ours-xmpcc", "ours, xmpcc");
    let ours = ours(options).map_err(|gone| Absent { id, title, ..gone })?;
    let compilers = options.our_prefix().join("bin");
    let found = |name: &str| {
        let program = compilers.join(name);
        let missing = format!("no {}; `./x install`", program.display());
        program.is_file().then_some(program).ok_or(Absent { id, title, kind: ours.kind, missing })
    };
    let (compiler, fortran) = (Compiler::plain(found("xmpcc")?), Some(found("xmpf90")?));
    Ok(Peer { id, title, compiler: Some(compiler), fortran, ..ours })
}

/// These, and the MPI that Omni's runtime is on.
pub fn with_omni_and_mpi(options: &RunOptions) -> Vec<Result<Peer, Absent>> {
    let mut all = with_omni(options);
    all.push(open_mpi());
    all
}

/// The MPI that Omni's runtime is on.
pub fn open_mpi() -> Result<Peer, Absent> {
    raw_mpi(OPENMPI)
}

/// Ours alone, on several virtual hosts.
pub fn behind_omni_on_hosts(options: &RunOptions, hosts: u32) -> Vec<Result<Peer, Absent>> {
    vec![behind_omni(options, own_launcher(hosts))]
}

/// Ours on the hosts of a network, over an MPI.
pub fn behind_omni_over_mpi(
    options: &RunOptions,
    flavour: Flavour,
    network: &Arc<Network>,
) -> Result<Peer, Absent> {
    behind_omni(options, |_| over_mpi::launched_by(flavour, network))
}

/// Our launcher, with this many virtual hosts, and what the side is called then.
fn own_launcher(hosts: u32) -> impl Fn(Launcher) -> Result<(&'static str, Launcher), String> {
    move |launcher| {
        let Launcher::Xmprun { launcher, settings, .. } = launcher else {
            return Err("it has no launcher".to_owned());
        };
        let id = if hosts == 1 { "ours" } else { &*String::leak(format!("ours/{hosts}h")) };
        Ok((id, Launcher::Xmprun { launcher, hosts, settings }))
    }
}

/// Ours, with the programs that Omni's compiler has translated; `launched` says by what instead of its own launcher,
/// and what the side is called.
fn behind_omni(
    options: &RunOptions,
    launched: impl Fn(Launcher) -> Result<(&'static str, Launcher), String>,
) -> Result<Peer, Absent> {
    let ours = ours(options)?;
    let absent = |missing| Absent { id: ours.id, title: ours.title, kind: ours.kind, missing };
    let home = omni_installation().map_err(absent)?;
    let prefix = options.our_prefix();
    let libraries = prefix.join("lib/xmprt/omni");
    if !libraries.join("libxmp.a").is_file() {
        let text = format!("{} has no libxmp.a; `./x install --with-omni`", libraries.display());
        return Err(absent(text));
    }
    // What is given to the linker comes first: the libraries of the same names are found here then, not in Omni's
    // place.
    let link = format!(
        "--Wl-L{} -L{1} -l:libxmprt_omni.so.0 -Wl,-rpath,{1}",
        libraries.display(),
        prefix.join("lib").display()
    );
    let before: &'static [&'static str] = vec![&*String::leak(link)].leak();
    let (id, launcher) = launched(ours.launcher.clone()).map_err(absent)?;
    Ok(Peer {
        id,
        title: id,
        kind: ours.kind,
        compiler: Some(Compiler { before, ..Compiler::plain(home.join("bin/xmpcc")) }),
        fortran: Some(home.join("bin/xmpf90")),
        launcher,
    })
}

/// Omni's own runtime.
fn omni() -> Result<Peer, Absent> {
    let (id, title, kind) = ("omni", "Omni", Kind::Omni);
    let absent = |missing| Absent { id, title, kind, missing };
    let home = omni_installation().map_err(absent)?;
    let mpirun = in_path("mpirun.openmpi").or_else(|| in_path("mpirun"));
    let mpirun = mpirun.ok_or_else(|| absent("no mpirun".to_owned()))?;
    Ok(Peer {
        id,
        title,
        kind,
        compiler: Some(Compiler::plain(home.join("bin/xmpcc"))),
        fortran: Some(home.join("bin/xmpf90")),
        launcher: Launcher::OpenMpi(mpirun),
    })
}
