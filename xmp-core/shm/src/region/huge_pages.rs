//! Huge pages: how the blocks of a region get them, and what forbids it.
//!
//! A processor looks up one address translation for a huge page where it would look up 512, and the system clears and maps it in
//! one page fault. Memory that processes share has none by default: `shmem_enabled` of the system is `never` for files of
//! `memfd_create`. It does not apply to a file system of type tmpfs with the mount option `huge=advise`
//! ([`super::private_tmpfs`]).
//!
//! Only blocks of at least [`LEAST_LARGE`] get huge pages, by advice for their own range of addresses. A region with this advice
//! would take 2 MiB for each small coarray.

use std::fmt;
use std::fs;
use std::path::Path;

/// Bytes of a huge page: the only size that x86-64 and AArch64 have with pages of 4 KiB.
pub const HUGE_PAGE: u64 = 2 << 20;
/// Bytes from which on a block is large: it begins with a huge page, and gets huge pages.
pub const LEAST_LARGE: u64 = 2 * HUGE_PAGE;

/// The user's choice, the setting `XMP_HUGE_PAGES`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum HugePagePolicy {
    /// Where a page is taken when it is first written to.
    #[default]
    Auto,
    /// Otherwise also where the allocation must take the memory for them.
    Collapse,
    /// None.
    Never,
}

impl HugePagePolicy {
    /// The value of the setting; the error is the text of the valid values.
    pub fn parse(text: &str) -> Result<HugePagePolicy, String> {
        match text {
            "auto" => Ok(HugePagePolicy::Auto),
            "collapse" => Ok(HugePagePolicy::Collapse),
            "0" => Ok(HugePagePolicy::Never),
            _ => Err("auto, collapse or 0".to_string()),
        }
    }
}

/// How the large blocks of a region get huge pages.
#[repr(u64)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum HugePages {
    /// They get none.
    #[default]
    None = 0,
    /// By advice: a page is taken when it is first written to.
    Advised = 1,
    /// By a request when they are allocated, which takes their memory.
    Collapsed = 2,
}

impl HugePages {
    /// From its number in the job page.
    pub fn from_number(number: u64) -> HugePages {
        match number {
            1 => HugePages::Advised,
            2 => HugePages::Collapsed,
            _ => HugePages::None,
        }
    }

    /// Tells whether the blocks of a region have none, while the system gives them to any private memory.
    pub fn are_only_private(self) -> bool {
        self == HugePages::None && choice_for_anonymous() == "always"
    }

    /// For a region that this process maps alone. Its memory is anonymous, and advice has no effect where the system gives
    /// no huge pages to such memory.
    pub fn of_private(policy: HugePagePolicy) -> HugePages {
        match policy {
            HugePagePolicy::Never => HugePages::None,
            HugePagePolicy::Auto => HugePages::Advised,
            HugePagePolicy::Collapse if choice_for_anonymous() == "never" => HugePages::Collapsed,
            HugePagePolicy::Collapse => HugePages::Advised,
        }
    }
}

/// How the file of a region gets huge pages, with the reasons against the ways that are better.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HugePageReport {
    /// The way in effect.
    pub way: HugePageSource,
    /// The reasons against the better ones.
    pub obstacles: Vec<String>,
}

/// A way to huge pages for the file of a region, from the best to the worst.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HugePageSource {
    /// The system gives them to files of `memfd_create`, without advice.
    WholeMemfd,
    /// The system permits them for files of `memfd_create`.
    Memfd,
    /// The file is of a tmpfs that the job has mounted for itself.
    PrivateTmpfs,
    /// An allocation has pages that were touched replaced by huge ones.
    Collapse,
    /// There are none.
    None,
}

impl HugePageSource {
    /// What the blocks of the region must do for it.
    pub fn huge_pages(self) -> HugePages {
        match self {
            HugePageSource::WholeMemfd | HugePageSource::Memfd | HugePageSource::PrivateTmpfs => {
                HugePages::Advised
            }
            HugePageSource::Collapse => HugePages::Collapsed,
            HugePageSource::None => HugePages::None,
        }
    }
}

impl fmt::Display for HugePageReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self.way {
            HugePageSource::WholeMemfd => {
                "of 2 MiB, for all coarrays: the system gives them to all shared memory (shmem_enabled), so that each \
                 image takes at least 2 MiB"
            }
            HugePageSource::Memfd => {
                "of 2 MiB, for coarrays from 4 MiB on: the system permits them for shared memory"
            }
            HugePageSource::PrivateTmpfs => {
                "of 2 MiB, for coarrays from 4 MiB on: in a tmpfs with huge=advise that the job mounts for itself"
            }
            HugePageSource::Collapse => {
                "of 2 MiB, for coarrays from 4 MiB on: taken when these are allocated (MADV_COLLAPSE)"
            }
            HugePageSource::None => "none",
        })?;
        let link = if self.way == HugePageSource::None { ": " } else { ", because " };
        match self.obstacles.join("; ") {
            reasons if reasons.is_empty() => Ok(()),
            reasons => write!(f, "{link}{reasons}"),
        }
    }
}

/// Where the system's choices for huge pages are.
const DIRECTORY: &str = "/sys/kernel/mm/transparent_hugepage";

/// The system's choices for files in memory.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct System {
    /// Bytes of a huge page; `None` where the kernel has none.
    size: Option<u64>,
    /// The word for shared memory.
    shared: String,
}

impl System {
    /// The choices of this system.
    pub fn read() -> System {
        System::from_files(read)
    }

    fn from_files(read: impl Fn(&str) -> Option<String>) -> System {
        let size = read("hpage_pmd_size").and_then(|text| text.trim().parse().ok());
        System { size, shared: choice("shmem_enabled", read) }
    }

    /// The reason why no process of this system can have huge pages, if there is one.
    pub fn obstacle(&self) -> Option<String> {
        match self.size {
            None => Some("this system has no transparent huge pages".into()),
            Some(HUGE_PAGE) => None,
            Some(other) => Some(format!("huge pages of this system have {other} bytes")),
        }
    }

    /// The reason why files of no tmpfs can have huge pages, if there is one.
    pub fn obstacle_to_files(&self) -> Option<String> {
        let denied = || (self.shared == "deny").then(|| self.shared_choice());
        self.obstacle().or_else(denied)
    }

    /// The way of a file of `memfd_create`, or the reason why it has no huge pages.
    pub fn way_of_memfd(&self) -> Result<HugePageSource, String> {
        match &*self.shared {
            "always" | "within_size" | "force" => Ok(HugePageSource::WholeMemfd),
            "advise" => Ok(HugePageSource::Memfd),
            _ => Err(self.shared_choice()),
        }
    }

    fn shared_choice(&self) -> String {
        format!("transparent_hugepage/shmem_enabled of the system is \"{}\"", self.shared)
    }
}

/// The text of a file of the system's choices.
fn read(name: &str) -> Option<String> {
    fs::read_to_string(Path::new(DIRECTORY).join(name)).ok()
}

/// The system's word for anonymous memory.
fn choice_for_anonymous() -> String {
    choice("enabled", read)
}

/// The word for huge pages of 2 MiB in one of these files. Since Linux 6.8 each size has choices of its own, which may be to
/// inherit those for all sizes.
fn choice(name: &str, read: impl Fn(&str) -> Option<String>) -> String {
    let word = |name: &str| read(name).and_then(|text| chosen(&text)).unwrap_or_default();
    match word(&format!("hugepages-2048kB/{name}")) {
        own if own.is_empty() || own == "inherit" => word(name),
        own => own,
    }
}

/// The word in brackets of `always [madvise] never`.
fn chosen(text: &str) -> Option<String> {
    let (_, rest) = text.split_once('[')?;
    Some(rest.split_once(']')?.0.to_string())
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;

    type Files<'a> = &'a [(&'a str, &'a str)];

    fn text(files: Files<'_>, name: &str) -> Option<String> {
        files.iter().find(|file| file.0 == name).map(|file| format!("{}\n", file.1))
    }

    fn system(files: Files<'_>) -> System {
        System::from_files(|name| text(files, name))
    }

    #[test]
    fn the_choices_of_the_system_are_read() {
        let files = [
            ("hpage_pmd_size", "2097152"),
            ("enabled", "always [madvise] never"),
            ("shmem_enabled", "always within_size advise [never] deny force"),
        ];
        let usual = system(&files);
        assert_eq!(choice("enabled", |name| text(&files, name)), "madvise");
        assert_eq!(usual.shared, "never");
        assert_eq!((usual.obstacle(), usual.obstacle_to_files()), (None, None));
        assert!(usual.way_of_memfd().unwrap_err().contains("\"never\""));
        let own = [files[0], files[1], files[2]];
        let own =
            [&own[..], &[("hugepages-2048kB/shmem_enabled", "always inherit [advise] never")]];
        assert_eq!(system(&own.concat()).way_of_memfd(), Ok(HugePageSource::Memfd));
        for word in ["always", "within_size", "force"] {
            let shared = ("shmem_enabled", &*format!("[{word}] never"));
            assert_eq!(system(&[files[0], shared]).way_of_memfd(), Ok(HugePageSource::WholeMemfd));
        }
        let inherited =
            [&files[..], &[("hugepages-2048kB/shmem_enabled", "always [inherit] never")]];
        assert_eq!(system(&inherited.concat()), usual);
        let denied = system(&[files[0], ("shmem_enabled", "always [deny]")]);
        assert!(denied.obstacle_to_files().unwrap().contains("\"deny\""));
        assert!(system(&[]).obstacle().unwrap().contains("no transparent huge pages"));
        let large = system(&[("hpage_pmd_size", "536870912")]);
        assert!(large.obstacle_to_files().unwrap().contains("536870912"));
    }

    #[test]
    fn the_report_names_the_way_and_what_forbids_a_better_one() {
        let text = |way, obstacles: &[&str]| {
            let obstacles = obstacles.iter().map(ToString::to_string).collect();
            HugePageReport { way, obstacles }.to_string()
        };
        assert_eq!(text(HugePageSource::None, &["a", "b"]), "none: a; b");
        assert!(
            text(HugePageSource::Collapse, &["a", "b"]).ends_with("(MADV_COLLAPSE), because a; b")
        );
        assert!(text(HugePageSource::Memfd, &[]).ends_with("shared memory"));
        assert!(text(HugePageSource::WholeMemfd, &[]).contains("for all coarrays"));
    }

    #[test]
    fn numbers_of_the_job_page_are_ways() {
        for huge_pages in [HugePages::None, HugePages::Advised, HugePages::Collapsed] {
            assert_eq!(HugePages::from_number(huge_pages as u64), huge_pages);
        }
    }
}
