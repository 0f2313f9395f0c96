//! Instructions inside the library of an 8-byte `a[2] = x` and `x = a[2]`, counted by callgrind.
//!
//! Two runs with different numbers of accesses; the difference leaves out whatever the first ones pay
//! for. Only the entry that the compiler calls and what that calls is counted - from gfortran 15 on also the accessor,
//! a function of the program -, not the descriptors that the compiler's code fills in before it.

use crate::interleave::Contestant;
use crate::launch::{self, Ending};
use std::fs;
use std::path::Path;
use std::process::Command;
use std::time::Duration;

/// Accesses of the shorter and of the longer run.
const COUNTS: [u32; 2] = [1000, 3000];

/// What is counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Access {
    /// `a[2] = x`.
    Put,
    /// `x = a[2]`.
    Get,
}

impl Access {
    /// Its name, which is also the program's argument.
    pub fn name(self) -> &'static str {
        match self {
            Access::Put => "put",
            Access::Get => "get",
        }
    }

    /// The entries of gfortran 12 to 14, and of later ones.
    fn entries(self) -> &'static str {
        match self {
            Access::Put => "_gfortran_caf_send*",
            Access::Get => "_gfortran_caf_get*",
        }
    }
}

/// Whether valgrind is installed.
pub fn available() -> bool {
    Command::new("valgrind").arg("--version").output().is_ok_and(|output| output.status.success())
}

/// Instructions an access on two images, or why there is no figure. `None` if the peer has no coarrays.
/// `directory` gets the profiles.
pub fn measure(
    contestant: &Contestant,
    access: Access,
    directory: &Path,
    silence: Duration,
) -> Option<Result<f64, String>> {
    let program = match contestant.binaries.get("caf_word")? {
        Ok(program) => program,
        Err(reason) => return Some(Err(reason.clone())),
    };
    let counting = Counting { contestant, program, access, directory, silence };
    Some(counting.run(COUNTS[0]).and_then(|short| {
        let long = counting.run(COUNTS[1])?;
        if long <= short {
            return Err(format!("{} was not called", access.entries()));
        }
        Ok((long - short) as f64 / f64::from(COUNTS[1] - COUNTS[0]))
    }))
}

/// Runs of one program under callgrind.
struct Counting<'a> {
    contestant: &'a Contestant,
    program: &'a Path,
    access: Access,
    /// For the profiles.
    directory: &'a Path,
    silence: Duration,
}

impl Counting<'_> {
    /// Instructions of all images of one run with this many accesses.
    fn run(&self, times: u32) -> Result<u64, String> {
        let profiles = self.directory.join(format!("callgrind-{}-{times}", self.access.name()));
        // Left over from a run before; if it cannot go, creating it or counting will say so.
        let _ = fs::remove_dir_all(&profiles);
        fs::create_dir_all(&profiles)
            .map_err(|error| format!("{}: {error}", profiles.display()))?;
        let mut command = self.contestant.peer.launcher.command(2, Path::new("valgrind"));
        command
            // GCC's caf_shmem starts its images by itself.
            .args(["--quiet", "--tool=callgrind", "--trace-children=yes"])
            .arg(format!("--toggle-collect={}", self.access.entries()))
            .arg(format!("--callgrind-out-file={}/%p", profiles.display()))
            .arg(self.program)
            .args([self.access.name(), &times.to_string()]);
        match launch::run(&mut command, self.silence, |_| ()) {
            Ending::Success => (),
            Ending::TimedOut => return Err("did not finish in the time allowed".to_owned()),
            Ending::Failed(reason) => return Err(reason),
        }
        let files = fs::read_dir(&profiles).map_err(|error| error.to_string())?;
        let texts = files.flatten().filter_map(|file| fs::read_to_string(file.path()).ok());
        Ok(texts.filter_map(|text| total(&text)).sum())
    }
}

/// The instructions of a profile: its line `summary: N`, or `totals: N` in older versions.
fn total(profile: &str) -> Option<u64> {
    let value = |key| {
        profile
            .lines()
            .find_map(|line| line.strip_prefix(key)?.split_whitespace().next()?.parse().ok())
    };
    value("summary:").or_else(|| value("totals:"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_total_is_read_from_either_line() {
        assert_eq!(total("version: 1\nsummary: 4711 2\nfn=(1)\n"), Some(4711));
        assert_eq!(total("fn=(1)\ntotals: 12\n"), Some(12));
        assert_eq!(total("fn=(1)\n"), None);
    }
}
