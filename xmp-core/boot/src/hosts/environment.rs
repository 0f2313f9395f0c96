//! The environment of the images of a host.

use crate::launch::execute::text;
use crate::launch::is_foreign;
use rustix::fs::{Access, access};
use std::env::split_paths;
use std::ffi::{CString, OsString};
use std::io;
use std::path::{Path, PathBuf};

/// Variables that belong to a host or a session, and not to the job: each host has its own.
const OWN: [&str; 14] = [
    "HOSTNAME",
    "HOST",
    "TMPDIR",
    "DISPLAY",
    "XAUTHORITY",
    "DBUS_SESSION_BUS_ADDRESS",
    "XDG_RUNTIME_DIR",
    "XDG_SESSION_ID",
    "SLURMD_NODENAME",
    "SLURM_NODEID",
    "SLURM_PROCID",
    "SLURM_LOCALID",
    "SLURM_TASK_PID",
    "SLURM_GTIDS",
];
const OWN_PREFIXES: [&str; 5] = ["SSH_", "SLURM_STEP", "SLURM_CPU_BIND", "PMI_", "PMIX_"];

/// The environment of the images of a host.
pub(super) struct Environment {
    /// The directories in which a program is looked for.
    path: OsString,
    /// The variables, as the system takes them.
    pub variables: Vec<CString>,
}

impl Environment {
    /// The file of a program: it is looked for in the directories of the job, which this process need not have.
    pub fn find(&self, program: &Path) -> io::Result<PathBuf> {
        let file = if program.components().count() > 1 {
            program.to_owned()
        } else {
            let mut files = split_paths(&self.path).map(|directory| directory.join(program));
            let is_program =
                |file: &PathBuf| access(file, Access::EXEC_OK).is_ok() && file.is_file();
            files.find(is_program).ok_or(io::ErrorKind::NotFound)?
        };
        if is_foreign(&file) {
            return Err(io::Error::from_raw_os_error(libc::ENOEXEC));
        }
        Ok(file)
    }
}

/// The environment of the images on this host, made of the environment of the job.
pub(super) fn environment(of_job: &[(OsString, OsString)]) -> Environment {
    let all = variables(of_job);
    let path = all.iter().find(|(name, _)| name == "PATH").map(|(_, value)| value.clone());
    let line = |(mut text, value): (OsString, OsString)| {
        text.push("=");
        text.push(value);
        text
    };
    // None has a zero byte.
    let variables = all.into_iter().map(line).filter_map(|line| text(&line).ok()).collect();
    Environment { path: path.unwrap_or_default(), variables }
}

fn variables(of_job: &[(OsString, OsString)]) -> Vec<(OsString, OsString)> {
    let is_own = |name: &OsString| {
        let name = name.to_string_lossy();
        OWN.contains(&&*name) || OWN_PREFIXES.iter().any(|prefix| name.starts_with(prefix))
    };
    let of_job = of_job.iter().filter(|(name, _)| !is_own(name)).cloned();
    of_job.chain(std::env::vars_os().filter(|(name, _)| is_own(name))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_host_has_variables_of_its_own() {
        let pair = |name: &str, value: &str| (OsString::from(name), OsString::from(value));
        let of_job = [pair("A", "1"), pair("TMPDIR", "/of/another/host"), pair("SSH_CLIENT", "x")];
        let found = variables(&of_job);
        assert!(found.contains(&of_job[0]));
        assert!(!found.contains(&of_job[1]) && !found.contains(&of_job[2]));
    }
}
