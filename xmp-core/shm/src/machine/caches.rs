//! The data caches of a processor, as the system shows them in `/sys`.

use std::fmt::{self, Display};
use std::fs;
use std::path::Path;

/// A data cache.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cache {
    /// Its size.
    pub bytes: u64,
    /// Number of processors (hardware threads) that share it, at least 1.
    pub processors: u32,
}

/// The data caches of a processor. A cache that the system does not show is `None`: many virtual machines and
/// containers show none.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Caches {
    /// Those of the first to the third level.
    pub levels: [Option<Cache>; 3],
}

impl Caches {
    /// The caches of this machine's first processor.
    pub fn of_this_machine() -> Caches {
        Caches::read(Path::new("/sys/devices/system/cpu/cpu0/cache"))
    }

    /// The caches that a directory describes: one directory `index0`, `index1` and so on for each.
    fn read(directory: &Path) -> Caches {
        let mut caches = Caches::default();
        for index in 0.. {
            let directory = directory.join(format!("index{index}"));
            let Some(kind) = line(&directory, "type") else { break };
            let level = line(&directory, "level").and_then(|text| text.parse::<usize>().ok());
            let place = level.and_then(|level| caches.levels.get_mut(level.checked_sub(1)?));
            if let Some(place) = place.filter(|_| kind != "Instruction") {
                *place = cache(&directory);
            }
        }
        caches
    }

    /// Bytes of the second-level cache that a core has for itself: its share, where several cores have one together.
    pub fn second_of_a_core(&self) -> Option<u64> {
        let second = self.levels[1]?;
        // The hardware threads of a core share its first-level cache.
        let of_a_core = self.levels[0].map_or(1, |first| first.processors);
        Some(second.bytes / u64::from((second.processors / of_a_core).max(1)))
    }
}

impl Display for Caches {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut shown = false;
        for (level, cache) in (1..).zip(self.levels) {
            let Some(Cache { bytes, processors }) = cache else { continue };
            let comma = if shown { ", " } else { "" };
            write!(f, "{comma}L{level} {} KiB", bytes >> 10)?;
            if processors > 1 {
                write!(f, " of {processors} processors")?;
            }
            shown = true;
        }
        if shown { Ok(()) } else { f.write_str("not shown by the system") }
    }
}

fn cache(directory: &Path) -> Option<Cache> {
    let bytes = size(&line(directory, "size")?)?;
    let processors = line(directory, "shared_cpu_map").map_or(1, |map| members(&map).max(1));
    Some(Cache { bytes, processors })
}

/// The text of a file without its line end.
fn line(directory: &Path, name: &str) -> Option<String> {
    fs::read_to_string(directory.join(name)).ok().map(|text| text.trim().to_owned())
}

/// A size with its unit; 0 means that the system does not know it.
fn size(text: &str) -> Option<u64> {
    let (number, unit) = match text.strip_suffix('K') {
        Some(number) => (number, 1 << 10),
        None => match text.strip_suffix('M') {
            Some(number) => (number, 1 << 20),
            None => (text, 1),
        },
    };
    number.parse::<u64>().ok()?.checked_mul(unit).filter(|&bytes| bytes > 0)
}

/// Number of processors in a map: hexadecimal digits with commas between.
fn members(map: &str) -> u32 {
    map.chars().filter_map(|digit| digit.to_digit(16)).map(u32::count_ones).sum()
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;

    /// A directory with these caches: type, level, size, map of processors.
    fn described(caches: &[[&str; 4]]) -> Caches {
        let root = std::env::temp_dir().join(format!(
            "xmp-caches-{}-{:?}",
            std::process::id(),
            std::thread::current().id()
        ));
        for (index, values) in caches.iter().enumerate() {
            let directory = root.join(format!("index{index}"));
            fs::create_dir_all(&directory).unwrap();
            let names = ["type", "level", "size", "shared_cpu_map"];
            for (name, value) in names.iter().zip(values).filter(|(_, value)| !value.is_empty()) {
                fs::write(directory.join(name), format!("{value}\n")).unwrap();
            }
        }
        let found = Caches::read(&root);
        let _ = fs::remove_dir_all(&root);
        found
    }

    #[test]
    fn a_core_has_its_share_of_a_cache_that_several_have() {
        let xeon = described(&[
            ["Data", "1", "48K", "3"],
            ["Instruction", "1", "32K", "3"],
            ["Unified", "2", "2048K", "3"],
            ["Unified", "3", "266240K", "ffffffff,0000ffff"],
        ]);
        assert_eq!(xeon.levels[0], Some(Cache { bytes: 48 << 10, processors: 2 }));
        assert_eq!(xeon.levels[2].unwrap().processors, 48);
        assert_eq!(xeon.second_of_a_core(), Some(2 << 20), "two threads of one core");
        let cluster = described(&[["Data", "1", "32K", "1"], ["Unified", "2", "4M", "f"]]);
        assert_eq!(cluster.second_of_a_core(), Some(1 << 20), "four cores have one cache");
        assert_eq!(cluster.to_string(), "L1 32 KiB, L2 4096 KiB of 4 processors");
    }

    #[test]
    fn what_the_system_does_not_show_is_unknown() {
        assert_eq!(Caches::read(Path::new("/nowhere")), Caches::default());
        assert_eq!(Caches::default().second_of_a_core(), None);
        assert_eq!(Caches::default().to_string(), "not shown by the system");
        for size in ["0K", "", "many", "99999999999999999999K", "18446744073709551615K"] {
            assert_eq!(described(&[["Unified", "2", size, "1"]]).levels[1], None, "{size}");
        }
        for level in ["0", "4", "", "-1"] {
            assert_eq!(described(&[["Data", level, "1M", "1"]]), Caches::default(), "{level}");
        }
        let alone = described(&[["Unified", "2", "512K", ""]]);
        assert_eq!(alone.second_of_a_core(), Some(512 << 10));
    }
}
