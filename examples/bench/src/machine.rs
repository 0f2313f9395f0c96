//! The origin of figures: machine, date and version.

use std::fmt::{self, Write};
use std::fs;
use std::path::Path;
use std::process::Command;
use std::time::SystemTime;

/// Cores that this process may use.
pub fn cores() -> usize {
    std::thread::available_parallelism().map_or(1, usize::from)
}

/// The checkout that this program was built in.
pub fn checkout() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .ancestors()
        .nth(2)
        .expect("the crate lies two levels below the workspace")
}

/// The machine, the date and the version of a run.
#[derive(Clone, Debug)]
pub struct Origin {
    /// The processor's name.
    pub processor: String,
    /// Cores that this program may use.
    pub cores: usize,
    /// Level, type and size of the first core's caches, `L1 data 32K`, and how many cores share them.
    pub caches: Vec<String>,
    /// The system and its release.
    pub system: String,
    /// When the run began, UTC.
    pub date: String,
    /// Version and, where the checkout is one of git, commit.
    pub version: String,
}

impl fmt::Display for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}. {}. XMP-RT {}.", self.machine(), self.date, self.version)
    }
}

impl Origin {
    /// Of this machine, now.
    pub fn here() -> Self {
        let release = fs::read_to_string("/proc/sys/kernel/osrelease").unwrap_or_default();
        Self {
            processor: processor(),
            cores: cores(),
            caches: caches(Path::new("/sys/devices/system/cpu/cpu0/cache")),
            system: format!("Linux {}", release.trim()),
            date: humantime::format_rfc3339_seconds(SystemTime::now()).to_string(),
            version: version(),
        }
    }

    /// The machine in one line.
    fn machine(&self) -> String {
        let mut text = format!("{}, {} cores usable", self.processor, self.cores);
        for cache in &self.caches {
            let _ = write!(text, ", {cache}");
        }
        let _ = write!(text, ", {}", self.system);
        text
    }
}

fn processor() -> String {
    let info = fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    info.lines()
        .find_map(|line| line.strip_prefix("model name")?.split(':').nth(1))
        .map_or_else(|| std::env::consts::ARCH.to_owned(), |name| name.trim().to_owned())
}

/// The caches that the kernel describes under `directory`; none where it does not.
fn caches(directory: &Path) -> Vec<String> {
    let entries = fs::read_dir(directory).into_iter().flatten().flatten();
    let mut indices: Vec<_> = entries
        .map(|entry| entry.path())
        .filter(|path| path.file_name().is_some_and(|n| n.to_string_lossy().starts_with("index")))
        .collect();
    indices.sort();
    let read = |index: &Path, file: &str| {
        fs::read_to_string(index.join(file)).ok().map(|text| text.trim().to_owned())
    };
    let describe = |index: &Path| {
        let (level, kind) = (read(index, "level")?, read(index, "type")?);
        let cache = format!("L{level} {} {}", kind.to_lowercase(), read(index, "size")?);
        let cores = read(index, "shared_cpu_list").map_or(1, |list| cores_of(&list));
        Some(if cores > 1 { format!("{cache} of {cores} cores") } else { cache })
    };
    indices.iter().filter_map(|index| describe(index)).collect()
}

/// Number of cores of a list such as `0-2,8`.
fn cores_of(list: &str) -> usize {
    let cores_of_range = |range: &str| {
        let (first, last) = range.split_once('-').unwrap_or((range, range));
        let (first, last): (usize, usize) = (first.parse().ok()?, last.parse().ok()?);
        Some((last + 1).saturating_sub(first))
    };
    list.split(',').filter_map(cores_of_range).sum()
}

/// The version, and the commit that the checkout is at, with `-dirty` if it has changes.
fn version() -> String {
    let version = env!("CARGO_PKG_VERSION");
    let git = Command::new("git")
        .arg("-C")
        .arg(checkout())
        .args(["describe", "--always", "--dirty", "--exclude=*"])
        .output();
    let commit = git.ok().filter(|output| output.status.success());
    let commit = commit.map(|output| String::from_utf8_lossy(&output.stdout).trim().to_owned());
    commit.map_or_else(|| version.to_owned(), |commit| format!("{version} ({commit})"))
}

/// Runnable threads on average over the last minute. Above 0 at the start, others used the cores.
pub fn load_average() -> Option<f64> {
    fs::read_to_string("/proc/loadavg").ok()?.split(' ').next()?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn caches_are_read_in_their_order() {
        let directory = tempfile::tempdir().unwrap();
        for (index, texts) in [
            ["1", "Data", "32K", "0"],
            ["1", "Instruction", "32K", "0"],
            ["3", "Unified", "32768K", "0-2,8"],
        ]
        .iter()
        .enumerate()
        {
            let path = directory.path().join(format!("index{index}"));
            fs::create_dir(&path).unwrap();
            let files = ["level", "type", "size", "shared_cpu_list"];
            for (file, text) in files.into_iter().zip(texts) {
                fs::write(path.join(file), format!("{text}\n")).unwrap();
            }
        }
        let described = ["L1 data 32K", "L1 instruction 32K", "L3 unified 32768K of 4 cores"];
        assert_eq!(caches(directory.path()), described);
        assert!(caches(&directory.path().join("none")).is_empty());
    }
}
