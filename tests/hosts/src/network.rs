//! Hosts that know each other.

use crate::host::Host;
use crate::keeper::Keeper;
use crate::requirement::Requirement;
use crate::{agent, links, permitted};
use std::fs;
use std::path::{Path, PathBuf};
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

impl Network {
    /// Whether this many hosts can be made here; else why not.
    pub fn possible(count: usize) -> Result<(), String> {
        permitted::check()?;
        // Containers have root, but not all that belongs to it.
        Network::new(2)?;
        // And not every kernel has bridges.
        if count > 2 { Keeper::switch().map(drop) } else { Ok(()) }
    }

    /// What a network of this many hosts needs that this machine may lack, if [`Network::possible`] fails.
    pub fn requirement(count: usize) -> Requirement {
        let bridge = count > 2 && Network::possible(2).is_ok();
        if bridge { Requirement::Bridge } else { Requirement::Network }
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
            hosts.push(Host::start(name, index, hosts.first(), directory.path(), &table)?);
        }
        let keepers: Vec<&Keeper> = hosts.iter().map(Host::keeper).collect();
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
