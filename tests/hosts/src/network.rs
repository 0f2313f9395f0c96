//! Hosts that know each other.

use crate::keeper::Keeper;
use crate::{agent, links, permitted};
use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use tempfile::TempDir;

/// Names of the hosts.
const NAMES: [&str; 4] = ["alpha", "beta", "gamma", "delta"];

/// Environment variables that the stand-in for `ssh` takes along: how tests find the processes of a run.
const KEPT: [&str; 1] = ["TEST_RUN_MARK"];

/// Some hosts that are connected. Dropping it ends all that runs on them, and removes them.
#[derive(Debug)]
pub struct Network {
    hosts: Vec<Host>,
    agent: PathBuf,
    /// Goes after the hosts, which are connected to it.
    _switch: Option<Keeper>,
    /// Goes last: hosts are at home there.
    _directory: TempDir,
}

/// One host.
#[derive(Debug)]
pub struct Host {
    keeper: Keeper,
    name: &'static str,
    address: String,
    home: PathBuf,
}

impl Network {
    /// Whether so many hosts can be made here; else why not.
    pub fn possible(count: usize) -> Result<(), String> {
        permitted::check()?;
        // Containers have root, but not all that belongs to it.
        Network::new(2)?;
        // And not every kernel has bridges.
        if count > 2 { Keeper::switch().map(drop) } else { Ok(()) }
    }

    /// As many hosts, named `alpha`, `beta`, `gamma`, `delta`; or why there are none.
    ///
    /// # Panics
    /// When `count` is not from 1 to 4.
    pub fn new(count: usize) -> Result<Network, String> {
        assert!((1..=NAMES.len()).contains(&count), "a network of {count} hosts");
        let directory = tempfile::Builder::new()
            .prefix("xmp-hosts-")
            .tempdir()
            .map_err(|error| format!("no directory for the hosts: {error}"))?;
        let table = directory.path().join("hosts");
        let lines = NAMES[..count].iter().enumerate();
        let lines = lines.map(|(index, name)| format!("{} {name}\n", links::address(index)));
        let text: String =
            std::iter::once("127.0.0.1 localhost\n".to_owned()).chain(lines).collect();
        fs::write(&table, text).map_err(|error| format!("{}: {error}", table.display()))?;

        let mut hosts: Vec<Host> = Vec::new();
        for (index, name) in NAMES[..count].iter().enumerate() {
            hosts.push(Host::new(name, index, hosts.first(), directory.path(), &table)?);
        }
        let keepers: Vec<&Keeper> = hosts.iter().map(|host| &host.keeper).collect();
        let switch = links::connect(&keepers)?;
        let agent = agent::write(directory.path(), &hosts, &KEPT)
            .map_err(|error| format!("{}: {error}", directory.path().display()))?;
        Ok(Network { hosts, agent, _switch: switch, _directory: directory })
    }

    /// The hosts.
    pub fn hosts(&self) -> &[Host] {
        &self.hosts
    }

    /// The program that stands in for `ssh`, for launchers that are started on the first host.
    pub fn agent(&self) -> &Path {
        &self.agent
    }

    /// The network interface of each host.
    pub fn interface(&self) -> &'static str {
        links::INTERFACE
    }
}

impl Host {
    fn new(
        name: &'static str,
        index: usize,
        first: Option<&Host>,
        place: &Path,
        table: &Path,
    ) -> Result<Host, String> {
        let home = place.join(name);
        for part in ["proc", "tmp"] {
            let part = home.join(part);
            fs::create_dir_all(&part).map_err(|error| format!("{}: {error}", part.display()))?;
        }
        let keeper = Keeper::host(name, first.map(|host| &host.keeper), (place, &home), table)?;
        Ok(Host { keeper, name, address: links::address(index), home })
    }

    /// Its name.
    pub fn name(&self) -> &'static str {
        self.name
    }

    /// Its address.
    pub fn address(&self) -> &str {
        &self.address
    }

    /// Its directory for temporary files, `TMPDIR` of what runs there; the path is the same inside and outside.
    pub fn temporary_files(&self) -> PathBuf {
        self.home.join("tmp")
    }

    /// A path as this host sees it, for this process: `/dev/shm` of the host, for instance.
    pub fn path(&self, path: impl AsRef<Path>) -> PathBuf {
        self.keeper.path(path.as_ref())
    }

    /// A command that runs on this host; arguments and environment are added as usual.
    pub fn command(&self, program: impl AsRef<OsStr>) -> Command {
        let mut command = Command::new("nsenter");
        // In the directory that this process was in when the host came to be.
        let directory = format!("--wd=/proc/{}/cwd", self.keeper.pid());
        command.args(self.keeper.entrance(Path::new("/proc"))).arg(directory).arg(program);
        command.env("TMPDIR", self.temporary_files());
        command
    }

    /// Options of `nsenter` for a process of the host `first`.
    pub(crate) fn entrance_from(&self, first: &Host) -> Vec<String> {
        self.keeper.entrance(&first.home.join("proc"))
    }
}
