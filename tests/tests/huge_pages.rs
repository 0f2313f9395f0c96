//! Huge pages of coarrays: where they come from, what is used instead, and what they must not cost.

use libc::{EINVAL, ENOSYS, EPERM, SYS_fsopen, SYS_madvise, SYS_memfd_create, SYS_mount};
use std::fs;
use std::path::{Path, PathBuf};
use xmp_hosts::{Requirement, skipped};
use xmp_tests::hosts::started_by_all;
use xmp_tests::toolchain::toolchain;
use xmp_tests::{Outcome, Program, Run};

/// KiB of a coarray whose memory is counted, of a huge page, and of a coarray that is too small for one.
const LARGE: u64 = 40 << 10;
const PAGE: u64 = 2 << 10;
const SMALL: u64 = 100;

/// What forbids huge pages under a filter of system calls, as containers have.
const MOUNT: &[libc::c_long] = &[SYS_mount, SYS_fsopen];

fn program() -> PathBuf {
    Program::fortran("control/huge_pages").build()
}

/// The KiB that the program has counted.
#[derive(Debug, PartialEq, Eq)]
struct PageCounts {
    least_huge: u64,
    most_huge: u64,
    most: u64,
    left: u64,
}

fn counted(outcome: &Outcome) -> PageCounts {
    outcome.succeeded();
    assert_eq!(outcome.stderr_lines().next(), None, "{outcome:?}");
    let numbers: Vec<u64> =
        outcome.stdout.split_whitespace().filter_map(|word| word.parse().ok()).collect();
    let [least_huge, most_huge, _, most, left] = numbers[..] else { panic!("{outcome:?}") };
    PageCounts { least_huge, most_huge, most, left }
}

/// The row of `xmprun --info` about huge pages.
fn row(outcome: &Outcome) -> String {
    let rows = outcome.succeeded().stdout.lines();
    let row = rows.filter_map(|row| row.trim_start().strip_prefix("huge pages")).next();
    row.unwrap_or_else(|| panic!("{outcome:?}")).trim_start().to_string()
}

fn info() -> Run {
    Run::xmprun(["-n", "2", "--info"])
}

/// Whether a process that maps a tmpfs with `huge=advise` gets huge pages here; the test is skipped otherwise.
fn has_huge_pages() -> bool {
    let directory = Path::new("/sys/kernel/mm/transparent_hugepage");
    let shared = fs::read_to_string(directory.join("shmem_enabled")).unwrap_or_default();
    if shared.is_empty() || shared.contains("[deny]") {
        skipped(
            Requirement::Memory,
            format_args!("this system has no huge pages for shared memory: {shared:?}"),
        );
        return false;
    }
    let mount =
        ["--map-root-user", "--mount", "mount", "-t", "tmpfs", "-o", "huge=advise", "none", "/mnt"];
    let mounted = Run::new("/usr/bin/unshare").args(mount).finish();
    if !mounted.status.success() {
        skipped(Requirement::Mount, format_args!("{}", mounted.stderr));
        return false;
    }
    true
}

/// What the images of this run have counted, some of it in huge pages on each. The system may have none left when they ask, so
/// there are some attempts, and the test is skipped where this process gets none either.
fn counted_with_huge_pages(run: &Run) -> PageCounts {
    for _ in 0..5 {
        let counted = counted(&run.finish());
        if counted.least_huge > 0 {
            return counted;
        }
        if !can_have_huge_pages() {
            skipped(Requirement::Memory, format_args!("memory is fragmented: {counted:?}"));
            return counted;
        }
    }
    panic!("no huge pages in five attempts");
}

/// Whether this process gets a huge page for its own memory.
fn can_have_huge_pages() -> bool {
    let wanted = 64 << 20;
    // SAFETY: new memory, which is unmapped below and used by nothing else.
    let maps = unsafe {
        let access = libc::PROT_READ | libc::PROT_WRITE;
        let kind = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS;
        let memory = libc::mmap(std::ptr::null_mut(), wanted, access, kind, -1, 0);
        assert_ne!(memory, libc::MAP_FAILED);
        libc::madvise(memory, wanted, libc::MADV_HUGEPAGE);
        memory.cast::<u8>().write_bytes(1, wanted);
        let maps = fs::read_to_string("/proc/self/smaps").expect("a file of Linux");
        libc::munmap(memory, wanted);
        maps
    };
    let mut sizes = maps.lines().filter_map(|line| line.strip_prefix("AnonHugePages:"));
    sizes.any(|size| size.trim() != "0 kB")
}

/// Whether files of `memfd_create` have huge pages, so that nothing forbids them to jobs.
fn are_permitted_to_all_files() -> bool {
    row(&info().finish()).contains("the system permits them")
}

#[test]
fn large_coarrays_lie_on_huge_pages_however_a_job_is_started() {
    if !has_huge_pages() {
        return;
    }
    let program = program();
    let effect = row(&info().finish());
    assert!(effect.contains("of 2 MiB"), "{effect}");
    let mut runs = started_by_all(&program);
    runs.push(Run::new(&program).images(4).virtual_hosts(2));
    runs.push(Run::new(&program).images(3).env("XMP_SEGMENT_SIZE", "1501M"));
    for run in runs {
        counted_with_huge_pages(&run.args([LARGE.to_string()]));
    }
}

#[test]
fn a_program_that_nothing_launches_has_huge_pages_where_ordinary_memory_has_them() {
    let enabled = fs::read_to_string("/sys/kernel/mm/transparent_hugepage/enabled");
    let enabled = enabled.unwrap_or_else(|_| "[never]".into());
    let program = program();
    let run = |pages: &str, kibibytes: u64| {
        Run::new(&program).args([kibibytes.to_string()]).env("XMP_HUGE_PAGES", pages)
    };
    assert_eq!(counted(&run("0", LARGE).finish()).most_huge, 0);
    assert_eq!(counted(&run("auto", SMALL).finish()).most_huge, 0);
    if enabled.contains("[never]") {
        return skipped(
            Requirement::Memory,
            format_args!("this system has no huge pages: {enabled}"),
        );
    }
    counted_with_huge_pages(&run("auto", LARGE));
}

#[test]
fn deallocated_coarrays_give_their_huge_pages_back() {
    let program = program();
    for run in started_by_all(&program).into_iter().chain([Run::new(&program)]) {
        let counted = counted(&run.args([LARGE.to_string()]).finish());
        assert!(counted.most >= LARGE && counted.left <= 2 * PAGE, "{counted:?}");
    }
}

#[test]
fn small_coarrays_take_no_huge_pages_and_no_more_memory() {
    let program = program();
    let run = |pages: &str, images: u32| {
        let run = Run::new(&program).images(images).args([SMALL.to_string()]);
        counted(&run.env("XMP_HUGE_PAGES", pages).finish())
    };
    for images in [1, 16] {
        let (with, without) = (run("auto", images), run("0", images));
        assert_eq!((with.most_huge, without.most_huge), (0, 0));
        // Pages beside a touched one are mapped if they are there: which, differs from run to run.
        assert!(with.most <= without.most + PAGE / 2, "{with:?} {without:?}");
    }
}

#[test]
fn a_user_may_refuse_huge_pages() {
    let run = Run::new(program()).images(2).args([LARGE.to_string()]);
    assert_eq!(counted(&run.env("XMP_HUGE_PAGES", "0").finish()).most_huge, 0);
    assert_eq!(row(&info().env("XMP_HUGE_PAGES", "0").finish()), "none: XMP_HUGE_PAGES=0");
    let wrong = info().env("XMP_HUGE_PAGES", "always").finish();
    wrong.exited_with(2).stderr_line_with(&["XMP_HUGE_PAGES", "auto, collapse or 0"]);
}

#[test]
fn where_no_tmpfs_can_be_mounted_pages_are_small_and_info_says_why() {
    if !has_huge_pages() || are_permitted_to_all_files() {
        return;
    }
    let refused = row(&info().refusing(MOUNT, EPERM).finish());
    for part in
        ["none", "shmem_enabled", "mounting a tmpfs", "not permitted", "XMP_HUGE_PAGES=collapse"]
    {
        assert!(refused.contains(part), "no {part} in {refused:?}");
    }
    for run in started_by_all(&program()) {
        let run = run.args([LARGE.to_string()]).refusing(MOUNT, EPERM);
        assert_eq!(counted(&run.finish()).most_huge, 0);
    }
}

#[test]
fn a_user_who_may_not_mount_has_huge_pages_by_a_namespace_of_users() {
    if !has_huge_pages() || are_permitted_to_all_files() {
        return;
    }
    for error in [EPERM, ENOSYS] {
        for run in started_by_all(&program()) {
            let run = run.args([LARGE.to_string()]).refusing(&[SYS_fsopen], error);
            counted_with_huge_pages(&run);
        }
    }
}

#[test]
fn without_user_namespaces_pages_are_small_and_info_says_why() {
    if !has_huge_pages() || are_permitted_to_all_files() {
        return;
    }
    // None may be made within one whose user has set the limit to 0.
    let script = "echo 0 > /proc/sys/user/max_user_namespaces && exec \"$@\"";
    let xmprun = toolchain().xmprun();
    let within = |arguments: &[&str]| {
        let begin = [
            "--map-root-user",
            "--mount",
            "sh",
            "-c",
            script,
            "sh",
            xmprun.to_str().expect("a path"),
        ];
        let run = Run::new("/usr/bin/unshare").args(begin.iter().chain(arguments));
        // Within it this user may mount.
        run.refusing(&[SYS_fsopen], EPERM).finish()
    };
    let refused = row(&within(&["-n", "2", "--info"]));
    assert!(refused.contains("a user namespace: No space left"), "{refused:?}");
    assert!(refused.contains("user.max_user_namespaces=0"), "{refused:?}");
    let program = program();
    let large = LARGE.to_string();
    let job = within(&["-n", "3", program.to_str().expect("a path"), &large]);
    assert_eq!(counted(&job).most_huge, 0);
}

#[test]
fn pages_are_collapsed_on_request_where_no_tmpfs_can_be_mounted() {
    if !has_huge_pages() || are_permitted_to_all_files() {
        return;
    }
    let collapse = |run: Run| run.env("XMP_HUGE_PAGES", "collapse").refusing(MOUNT, EPERM);
    let row = row(&collapse(info()).finish());
    if row.contains("this kernel has no MADV_COLLAPSE") {
        return skipped(Requirement::Memory, format_args!("{row}"));
    }
    assert!(row.contains("MADV_COLLAPSE") && row.contains("because"), "{row:?}");
    for run in started_by_all(&program()) {
        let counted = counted_with_huge_pages(&collapse(run.args([LARGE.to_string()])));
        assert!(counted.left <= 2 * PAGE, "{counted:?}");
    }
    let small =
        counted(&collapse(Run::new(program()).images(2).args([SMALL.to_string()])).finish());
    assert_eq!(small.most_huge, 0);
}

#[test]
fn advice_that_is_refused_costs_the_huge_pages_only() {
    for pages in ["auto", "collapse"] {
        for run in started_by_all(&program()) {
            let run = run.args([LARGE.to_string()]).env("XMP_HUGE_PAGES", pages);
            let counted = counted(&run.refusing(&[SYS_madvise], EINVAL).finish());
            assert!(counted.most >= LARGE, "{counted:?}");
        }
    }
}

#[test]
fn a_tmpfs_serves_where_the_system_makes_no_files_in_memory() {
    if !has_huge_pages() || are_permitted_to_all_files() {
        return;
    }
    let run = Run::new(program()).images(2).args([LARGE.to_string()]);
    counted_with_huge_pages(&run.refusing(&[SYS_memfd_create], EPERM));
}

/// A file of a tmpfs cannot be sealed. So no path may lead to it, and images may have no descriptor of it, with which a program
/// could make the memory of the job shorter.
#[test]
fn only_the_launcher_has_a_descriptor_of_the_jobs_memory() {
    let program = Program::fortran("control/signals").with("victim").build();
    let mut job = Run::new(&program).images(3).args(["sleep"]).start();
    job.lines_after("ready ", 3);
    let is_memory = |target: &Path| {
        let target = target.to_string_lossy();
        target.contains("/xmp-job-") || target.contains("/memfd:xmp")
    };
    let mut holders = Vec::new();
    for pid in job.processes() {
        let descriptors = fs::read_dir(format!("/proc/{pid}/fd")).into_iter().flatten().flatten();
        for descriptor in descriptors.map(|entry| entry.path()) {
            if fs::read_link(&descriptor).is_ok_and(|target| is_memory(&target)) {
                use std::os::unix::fs::MetadataExt;
                let file = fs::metadata(&descriptor).expect("an open file");
                assert_eq!((file.nlink(), file.mode() & 0o777), (0, 0o600));
                holders.push(fs::read_to_string(format!("/proc/{pid}/comm")).unwrap_or_default());
            }
        }
    }
    assert_eq!(holders, ["xmprun\n"]);
    job.signal(libc::SIGTERM);
    job.finish();
}
