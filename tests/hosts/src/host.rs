//! One host of a network: its name, its address, its files, and commands that run on it.

use crate::keeper::{Keeper, Places};
use crate::links;
use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// One host.
#[derive(Debug)]
pub struct Host {
    keeper: Keeper,
    name: &'static str,
    address: String,
    home: PathBuf,
}

impl Host {
    /// Starts a host. Its files are below `place`; all hosts share the namespaces that `first` has for all.
    pub(crate) fn start(
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
        let places = Places { network: place, host: &home, table };
        let keeper = Keeper::host(name, first.map(Host::keeper), &places)?;
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

    /// The process that keeps the namespaces of the host.
    pub(crate) fn keeper(&self) -> &Keeper {
        &self.keeper
    }

    /// Options of `nsenter` for a process of the host `first`.
    pub(crate) fn entrance_from(&self, first: &Host) -> Vec<String> {
        self.keeper.entrance(&first.home.join("proc"))
    }
}
