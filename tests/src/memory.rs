//! Memory of this machine, and of the container that the tests run in.

use std::fs;
use std::path::{Path, PathBuf};

/// Bytes that programs can have now without others being ended for it: what the kernel has available, or what the
/// control groups of this process leave of it.
///
/// # Panics
/// Where `/proc` is not mounted.
pub fn available() -> u64 {
    let text = fs::read_to_string("/proc/meminfo").expect("/proc is mounted");
    let machine = number_after(&text, "MemAvailable:").expect("the kernel tells it") << 10;
    let groups = fs::read_to_string("/proc/self/cgroup").unwrap_or_default();
    groups_of(&groups).iter().filter_map(|group| left_of(group)).fold(machine, u64::min)
}

/// The directories of the groups that may limit the memory of a process with this `/proc/self/cgroup`, and those around
/// them. A container may see its own group as the root.
fn groups_of(text: &str) -> Vec<PathBuf> {
    let mut groups: Vec<PathBuf> = vec!["/sys/fs/cgroup".into(), "/sys/fs/cgroup/memory".into()];
    for line in text.lines() {
        // hierarchy:controllers:path; no controllers in the one hierarchy of version 2.
        let mut fields = line.splitn(3, ':').skip(1);
        let (Some(controllers), Some(path)) = (fields.next(), fields.next()) else { continue };
        let root = match controllers {
            "" => "/sys/fs/cgroup",
            _ if controllers.split(',').any(|name| name == "memory") => "/sys/fs/cgroup/memory",
            _ => continue,
        };
        let path = Path::new(path.trim_start_matches('/'));
        groups.extend(path.ancestors().map(|path| Path::new(root).join(path)));
    }
    groups
}

/// Bytes that a group has left; `None` where it has no limit.
fn left_of(group: &Path) -> Option<u64> {
    let read = |file: &str| fs::read_to_string(group.join(file)).ok();
    let number = |file: &str| read(file)?.trim().parse::<u64>().ok();
    // By version 2, or 1. "max" is no limit.
    let limit = number("memory.max").or_else(|| number("memory.limit_in_bytes"))?;
    let used = number("memory.current").or_else(|| number("memory.usage_in_bytes"))?;
    // Files that have been read or written count, and can go.
    let files = read("memory.stat").and_then(|text| {
        number_after(&text, "total_inactive_file").or_else(|| number_after(&text, "inactive_file"))
    });
    Some(limit.saturating_sub(used.saturating_sub(files.unwrap_or(0))))
}

/// The number in the line that starts with this word.
fn number_after(text: &str, word: &str) -> Option<u64> {
    let mut lines = text.lines().map(str::split_whitespace);
    lines.find_map(|mut line| (line.next()? == word).then(|| line.next()?.parse().ok()).flatten())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn groups_of_both_versions_are_found() {
        let groups = groups_of("4:cpu,memory:/a/b\n3:cpu:/c\n0::/d\n");
        let wanted = ["", "/memory", "/memory/a/b", "/memory/a", "/memory/", "/d", "/"];
        let wanted = wanted.map(|path| PathBuf::from(format!("/sys/fs/cgroup{path}")));
        assert_eq!(groups, wanted);
    }

    #[test]
    fn files_in_memory_can_go() {
        let group = tempfile::tempdir().expect("a directory");
        let write = |file: &str, text: &str| fs::write(group.path().join(file), text).expect(file);
        assert_eq!(left_of(group.path()), None);
        write("memory.max", "max\n");
        write("memory.current", "700\n");
        assert_eq!(left_of(group.path()), None);
        write("memory.max", "1000\n");
        assert_eq!(left_of(group.path()), Some(300));
        write("memory.stat", "anon 100\nactive_file 50\ninactive_file 200\n");
        assert_eq!(left_of(group.path()), Some(500));
    }

    #[test]
    fn something_is_available() {
        assert!(available() > 0);
    }
}
