//! Limits of the system: resources, system calls that are refused, many images.

use libc::{
    EINVAL, ENOSYS, EPERM, RLIMIT_AS, RLIMIT_DATA, RLIMIT_FSIZE, RLIMIT_NOFILE, SYS_eventfd2,
    SYS_futex_waitv, SYS_memfd_create, SYS_pidfd_open, SYS_signalfd4,
};
use serial_test::serial;
use std::fs;
use std::path::PathBuf;
use std::time::{Duration, Instant};
use xmp_hosts::{Requirement, skipped};
use xmp_tests::hosts::{mpis_with_plugin, started_by_all};
use xmp_tests::marks;
use xmp_tests::processes::Pid;
use xmp_tests::program::fortran_source;
use xmp_tests::{Program, Run};

fn ends() -> PathBuf {
    Program::fortran("control/ends").with("victim").build()
}

/// The word of a text that follows another text.
fn word_after<'a>(text: &'a str, before: &str) -> &'a str {
    let rest = text.split_once(before).unwrap_or_else(|| panic!("no {before:?} in {text:?}")).1;
    rest.split([' ', ',', ';', '\n']).next().unwrap_or_default()
}

#[test]
fn a_limit_of_the_size_of_files_makes_segments_smaller() {
    let program = Program::fortran("allocation/basics").build();
    for limit in [1_u64 << 30, 10_000_000 << 10] {
        for run in started_by_all(&program) {
            run.limiting(RLIMIT_FSIZE, limit).finish().succeeded();
        }
    }
    let alone = Program::fortran("control/allocates").build();
    let run = Run::new(alone).args(["2"]).env("XMP_MEMORY_LIMIT", "1T");
    run.limiting(RLIMIT_FSIZE, 1 << 20).finish().succeeded().stdout_is("allocated\n");
}

#[test]
fn a_limit_of_the_address_space_makes_segments_smaller() {
    let program = Program::fortran("allocation/basics").build();
    for limit in [1_000_000_u64 << 10, 8_000_000 << 10] {
        for images in [1, 4] {
            let run = Run::new(&program).images(images);
            run.limiting(RLIMIT_AS, limit).finish().succeeded().silent();
        }
        let run = Run::new(&program).env("XMP_NUM_IMAGES", "3");
        run.limiting(RLIMIT_AS, limit).finish().succeeded().silent();
        Run::new(&program).limiting(RLIMIT_AS, limit).finish().succeeded().silent();
    }
}

#[test]
fn the_sizes_that_a_limit_permits_are_named_and_work() {
    let program = Program::fortran("allocation/basics").build();
    for resource in [RLIMIT_FSIZE, RLIMIT_AS] {
        let run = |size: &str| {
            let run = Run::new(&program).images(2).env("XMP_SEGMENT_SIZE", size);
            run.limiting(resource, 4 << 30).finish()
        };
        let refused = run("3G");
        let name = if resource == RLIMIT_AS { "`ulimit -v`" } else { "`ulimit -f`" };
        refused.exited_with(2).stderr_line_with(&["XMP_SEGMENT_SIZE", "\"3G\"", name]);
        run(word_after(&refused.stderr, "is not from ")).succeeded();
        let most = word_after(&refused.stderr, " to ");
        // The images need address space for themselves, too.
        let most = if resource == RLIMIT_AS { "1500M" } else { most };
        run(most).succeeded();
    }
}

#[test]
fn more_memory_than_segments_have_is_refused_with_a_size_that_works() {
    let program = Program::fortran("control/allocates").build();
    let run = |gibibytes: &str, size: &str| {
        let run = Run::new(&program).images(2).args([gibibytes]);
        run.env("XMP_MEMORY_LIMIT", "10T").env("XMP_SEGMENT_SIZE", size)
    };
    let refused = run("60", "64G").finish();
    let parts = ["allocates.f90:10", "allocate a", "60 GiB", "GiB are left", "XMP_SEGMENT_SIZE="];
    refused.stderr_line_with(&parts);
    let size = word_after(&refused.stderr, "XMP_SEGMENT_SIZE=");
    run("60", size).finish().succeeded().stdout_is("allocated\n");
    let limited = run("60", "64G").limiting(RLIMIT_FSIZE, 200 << 30).finish();
    limited.stderr_line_with(&["60 GiB", "`ulimit -f`", "200 GiB"]);
}

#[test]
fn more_images_than_fit_are_refused_with_the_number_that_fits() {
    let info = |images: u32| Run::xmprun(["-n", &images.to_string(), "--info"]);
    for images in [100_000, i32::MAX as u32 + 1, u32::MAX] {
        let refused = info(images).finish();
        refused.exited_with(2).stderr_line_with(&[&images.to_string(), "addresses"]);
        let most: u32 = word_after(&refused.stderr, "at most ").parse().expect("a number");
        info(most).finish().succeeded();
        info(most + 1).finish().exited_with(2);
    }
    let none = info(2).limiting(RLIMIT_FSIZE, 1 << 20).finish();
    none.exited_with(2).stderr_line_with(&["`ulimit -f`", "1 MiB", "raise that limit"]);
}

#[test]
fn ends_of_images_are_seen_where_the_kernel_has_no_pidfds() {
    let ways = [("end", 0), ("error-stop-9", 9), ("kill", 128 + libc::SIGKILL)];
    for error in [ENOSYS, EPERM] {
        for (way, status) in ways {
            let run = Run::new(ends()).images(3).args([way, "0"]);
            run.refusing(&[SYS_pidfd_open, SYS_futex_waitv], error).finish().exited_with(status);
        }
    }
    for mpirun in mpis_with_plugin() {
        let run = Run::new(ends()).mpirun(&mpirun).images(3).args(["kill", "2"]);
        let died = run.refusing(&[SYS_pidfd_open, SYS_futex_waitv], ENOSYS).finish();
        died.stderr_line_with(&["image 2", "killed by signal 9"]);
    }
}

/// RHEL 8, also on Fugaku. Its newest call has the number 334 on x86-64; Linux 5.1 began to give all architectures one number,
/// from 424 on. It knows no MADV_POPULATE_WRITE: refused here with all other advice.
#[test]
fn jobs_run_where_the_kernel_is_of_rhel_8() {
    let newer: Vec<libc::c_long> = (424..470).collect();
    let program = Program::fortran("collectives/mixed").build();
    for refused in [&newer[..], &[libc::SYS_madvise]] {
        let error = if refused.len() > 1 { ENOSYS } else { EINVAL };
        for run in started_by_all(&program) {
            run.refusing(refused, error).finish().succeeded();
        }
        let run = Run::new(ends()).images(3).args(["kill", "0"]).refusing(refused, error);
        run.finish().exited_with(128 + libc::SIGKILL);
    }
}

#[test]
fn images_share_memory_where_the_system_makes_no_files_without_names() {
    let program = Program::fortran("collectives/mixed").build();
    for error in [ENOSYS, EPERM] {
        for run in started_by_all(&program) {
            run.refusing(&[SYS_memfd_create], error).finish().succeeded();
        }
    }
}

#[test]
fn refused_calls_without_which_there_is_no_job_are_named() {
    let run = Run::new(ends()).images(2).args(["end", "0"]).refusing(&[SYS_eventfd2], ENOSYS);
    run.finish().exited_with(1).stderr_line_with(&["eventfd2", "filter", "kernel"]);
}

#[test]
fn lines_are_whole_where_the_system_tells_no_order_of_writes() {
    let run = Run::new(ends()).images(2).args(["end", "0"]).refusing(&[SYS_signalfd4], ENOSYS);
    run.finish().succeeded().stdout_lines(&["image 1 reached the end", "image 2 reached the end"]);
}

#[test]
fn without_a_thread_or_memory_xmprun_ends_with_a_message() {
    for kibibytes in [1000, 2000, 4000] {
        let run = Run::new(ends()).images(4).args(["end", "0"]).env("RUST_BACKTRACE", "1");
        let outcome = run.limiting(RLIMIT_DATA, kibibytes << 10).finish();
        outcome.stderr_without("backtrace").stderr_without("panicked");
        if kibibytes == 1000 {
            outcome.exited_with(1).stderr_line_with(&["xmp: cannot start a thread", "ulimit"]);
        }
    }
}

#[test]
fn images_need_few_descriptors_of_the_launcher() {
    let program = Program::fortran("sync/sync_all").build();
    Run::new(&program).images(60).limiting(RLIMIT_NOFILE, 64).finish().succeeded().silent();
}

#[test]
fn a_job_ends_while_its_images_are_started() {
    const IMAGES: u32 = 3000;
    let many = |script: &str| Run::new("/bin/sh").images(IMAGES).args(["-c", script]);
    let mut running = many("echo started; exec sleep 1000").launcher_option("-q").start();
    running.lines_after("started", 1);
    running.signal(libc::SIGTERM);
    let terminated = running.finish();
    terminated.exited_with(128 + libc::SIGTERM);
    let failed = many("echo started; exit 3").finish();
    failed.exited_with(3).stderr_line_with(&["warning", "3000 images share"]);
    for outcome in [terminated, failed] {
        assert!(outcome.stdout.lines().count() < IMAGES as usize, "all images were started");
    }
    many("exec sleep 1000")
        .launcher_option("--timeout")
        .launcher_option("1")
        .finish()
        .exited_with(124);
}

/// How often this process has read a file or a pipe.
fn reads_of(process: Pid) -> usize {
    let text = fs::read_to_string(format!("/proc/{process}/io")).unwrap();
    word_after(&text, "syscr: ").parse().unwrap()
}

/// Thousands of busy images leave the launcher little time of the cores.
#[test]
fn the_table_of_many_images_that_wait_alike_reads_the_files_of_few() {
    const IMAGES: usize = 48;
    let program = Program::fortran("output/kept").build();
    let job = Run::new(program).images(IMAGES as u32).args(["wait"]).start();
    let statement = marks::place(&fortran_source("output/kept"), "waited for");
    let limit = Duration::from_secs(120);
    (1..=IMAGES).for_each(|image| job.wait_for_stderr(&format!("begun {image} "), limit));
    // On a busy machine images answer late, and have no statement in the first tables.
    let shows_all = (1..=100).any(|tables| {
        let before = reads_of(job.pid());
        job.signal(libc::SIGUSR1);
        while job.stderr().matches("images after").count() < tables || !job.stderr().ends_with('\n')
        {
            std::thread::sleep(Duration::from_millis(10));
        }
        let reads = reads_of(job.pid()) - before;
        assert!(reads < 10 * IMAGES, "{reads} reads");
        let text = job.stderr();
        let table = text.rsplit("images after").next().unwrap();
        table.lines().any(|line| line.contains("2-48") && line.contains(&statement))
    });
    assert!(shows_all, "{}", job.stderr());
    job.signal(libc::SIGTERM);
    job.finish().exited_with(128 + libc::SIGTERM);
}

/// A control group with 150 MiB of memory. Removed when dropped.
struct MemoryGroup(PathBuf);

impl MemoryGroup {
    fn new() -> Option<MemoryGroup> {
        let name = format!("xmp-test-{}", std::process::id());
        let (old, unified) = ("/sys/fs/cgroup/memory", "/sys/fs/cgroup");
        let limits = [(old, "memory.limit_in_bytes"), (unified, "memory.max")];
        limits.into_iter().find_map(|(root, limit)| {
            let directory = PathBuf::from(root).join(&name);
            fs::create_dir(&directory).ok()?;
            let group = MemoryGroup(directory);
            fs::write(group.0.join(limit), "157286400").ok()?;
            // Where the machine has swap space.
            for swap in ["memory.memsw.limit_in_bytes", "memory.swap.max"] {
                let _ = fs::write(
                    group.0.join(swap),
                    if limit == "memory.max" { "0" } else { "157286400" },
                );
            }
            Some(group)
        })
    }
}

impl Drop for MemoryGroup {
    fn drop(&mut self) {
        // No process of the group is left.
        let _ = fs::remove_dir(&self.0);
    }
}

#[test]
#[serial(memory_group)]
fn an_image_that_is_killed_for_lack_of_memory_is_reported_with_that_reason() {
    let Some(group) = MemoryGroup::new() else {
        return skipped(Requirement::ControlGroup, "no control group can be made");
    };
    let program = Program::fortran("control/takes_memory").build();
    let script = format!("echo $$ > {}/cgroup.procs && exec \"$@\"", group.0.display());
    let enter = |command: &[&str]| {
        let words = ["-c", &script, "sh"].into_iter().chain(command.iter().copied());
        Run::new("/bin/sh").args(words).finish()
    };
    let program = program.to_str().expect("a path");
    let xmprun = xmp_tests::toolchain::toolchain().xmprun();
    let xmprun = xmprun.to_str().expect("a path");
    let name = group.0.file_name().and_then(|name| name.to_str()).expect("a name");
    let words = [
        "image 2",
        "SIGKILL",
        "memory ran out",
        "memory limit of the control group",
        "150 MiB",
        name,
    ];
    let died = enter(&[xmprun, "-n", "3", program]);
    died.exited_with(128 + libc::SIGKILL).stderr_line_with(&words).stderr_without("sbatch");
    // A job of Slurm, and one that its own step has started.
    let died = enter(&["env", "SLURM_JOB_ID=7", "SLURM_STEP_ID=0", xmprun, "-n", "3", program]);
    let words = [&words[..], &["sbatch --mem=SIZE"]].concat();
    died.exited_with(128 + libc::SIGKILL).stderr_line_with(&words);
}

/// A monitor reports the end of its image. Images of programs that have initialised MPI before have none: another image reports it.
#[test]
#[serial(memory_group)]
fn an_image_under_mpi_that_is_killed_for_lack_of_memory_is_reported_with_that_reason() {
    let Some(group) = MemoryGroup::new() else {
        return skipped(Requirement::ControlGroup, "no control group can be made");
    };
    let program = Program::fortran("control/takes_memory").build();
    let script = format!("echo $$ >{}/cgroup.procs && exec \"$@\"", group.0.display());
    let words = ["-c", &script, "sh", program.to_str().expect("a path")];
    for launcher in mpis_with_plugin() {
        for monitor in ["1", "0"] {
            let run = Run::new("/bin/sh").mpirun(&launcher).images(3).args(words);
            let died = run.env("XMP_MPI_GUARD", monitor).finish();
            assert!(!died.status.success(), "{died:?}");
            let reason = ["image 2", "SIGKILL", "memory limit of the control group is 150 MiB"];
            died.stderr_line_with(&reason);
        }
    }
}

/// Where hundreds of images compute, a thread of the launcher that wakes up would wait for seconds until they have used their slices:
/// the one that receives signals, or the one that writes the table of images.
#[test]
fn all_threads_of_the_launcher_have_short_slices_where_images_share_cores() {
    let images = 1 + std::thread::available_parallelism().unwrap().get() as u32;
    let job = Run::new("/bin/sleep").images(images).args(["600"]).start();
    let threads = || -> Vec<libc::pid_t> {
        let tasks = fs::read_dir(format!("/proc/{}/task", job.pid())).unwrap();
        let number =
            |task: std::io::Result<fs::DirEntry>| task.ok()?.file_name().to_str()?.parse().ok();
        tasks.filter_map(number).collect()
    };
    // The system reports the flag that the launcher sets together with the slices.
    let is_short = |thread: &libc::pid_t| {
        // SAFETY: asks for the policy of a thread, and fails where it has ended.
        let policy = unsafe { libc::sched_getscheduler(*thread) };
        policy & libc::SCHED_RESET_ON_FORK != 0
    };
    let (start, limit) = (Instant::now(), Duration::from_secs(120));
    // Of the event loop, signals, the ends of images, and output.
    while !(threads().len() >= 4 && threads().iter().all(is_short)) {
        assert!(
            start.elapsed() < limit,
            "{:?}",
            threads().iter().map(is_short).collect::<Vec<_>>()
        );
    }
    job.signal(libc::SIGTERM);
    job.finish().exited_with(128 + libc::SIGTERM);
}
