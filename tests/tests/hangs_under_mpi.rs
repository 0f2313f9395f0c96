//! Programs that hang under the launchers of MPI, on one host, on virtual and on separate hosts: the first image names the
//! statements of images that wait for one another for ever, and shows what all images do.

use serial_test::serial;
use std::fs::{self, OpenOptions, Permissions};
use std::io::Read;
use std::mem;
use std::os::unix::fs::{OpenOptionsExt, PermissionsExt};
use std::sync::OnceLock;
use std::thread;
use std::time::{Duration, Instant};
use xmp_hosts::{Flavour, Mpirun};
use xmp_tests::hosts::{mpis_with_plugin, network};
use xmp_tests::mistakes::{LIMIT, Mistakes};
use xmp_tests::processes::{self, Pid, with_environment};
use xmp_tests::toolchain::crate_dir;
use xmp_tests::{Outcome, Program, Run, Running, together};

fn built() -> &'static Mistakes {
    static PROGRAM: OnceLock<Mistakes> = OnceLock::new();
    PROGRAM.get_or_init(|| {
        let program = Program::fortran("faults/hangs").argument("-O0");
        Mistakes::of(&program, &crate_dir().join("fortran/faults/hangs.f90"))
    })
}

/// Mistakes of four images, and the messages about them.
const CASES: [(&str, &str); 7] = [
    (
        "event on one",
        "image 1: event wait (e), {event wait}, needs 1 post; images 2-4: sync all, {event on one}, wait for image 1",
    ),
    (
        "post to the wrong image",
        "images 1, 3, 4: sync all, {others of post to the wrong image}, wait for image 2; \
         image 2: event wait (e), {event wait}, needs 1 post",
    ),
    (
        "crosswise locks",
        "image 1: lock (second[1]), {crosswise lock of image 1}, waits for image 2; \
         image 2: lock (first[1]), {crosswise lock of image 2}, waits for image 1",
    ),
    (
        "ring",
        "image 1: sync images, {ring}, waits for image 2; image 2: sync images, {ring}, waits for image 3; \
         image 3: sync images, {ring}, waits for image 1",
    ),
    (
        "co_sum",
        "images 1, 3, 4: co_sum, {co_sum}, wait for image 2; image 2: event wait (e), {event wait}, needs 1 post",
    ),
    (
        "form team",
        "images 1-3: form team, {form team}, wait for image 4; image 4: event wait (e), {event wait}, needs 1 post",
    ),
    (
        "allocate",
        "image 1: event wait (e), {event wait}, needs 1 post; images 2-4: allocate, {allocate}, wait for image 1",
    ),
];

/// Launchers of MPI say something, too; some pass on to standard output what images write to standard error.
fn is_diagnosed(outcome: &Outcome, expected: &str, what: &str) {
    let expected = format!("xmp: deadlock: {}", built().with_lines(expected));
    let lines = outcome.stderr.lines().chain(outcome.stdout.lines());
    let found: Vec<String> = lines
        .filter(|line| line.contains("xmp: "))
        .map(|line| built().without_directories(line))
        .collect();
    assert_eq!(found, [expected], "{what}: {outcome:?}");
    outcome.exited_with(1);
}

/// Jobs that run at the same time: their images sleep most of the time.
const TOGETHER: usize = 4;

/// A job with a mistake: its launcher, its images and virtual hosts, and the message.
type Job = (&'static str, Mpirun, u32, u32, &'static str);

fn is_named((mistake, mpirun, images, hosts, expected): Job) {
    let run = built().of_mpi(mistake, &mpirun).images(images).virtual_hosts(hosts);
    let what = format!("{mistake}, {hosts} virtual hosts, {:?}", mpirun.flavour());
    is_diagnosed(&run.finish(), expected, &what);
}

#[test]
#[serial]
fn images_of_one_machine_are_named() {
    let of = |mpirun: Mpirun| CASES.map(|(mistake, text)| (mistake, mpirun.clone(), 4, 1, text));
    together(mpis_with_plugin().into_iter().flat_map(of), TOGETHER, is_named);
}

/// Mistakes across hosts, the numbers of images, and the messages about them.
const ACROSS: [(&str, u32, &str); 6] = [
    ("event on one", 4, CASES[0].1),
    // Images 3 and 4 ask the host of image 1 for the lock again and again.
    (
        "critical",
        4,
        "image 1: event wait (e), {event wait}, needs 1 post; images 2-4: critical, {critical}, wait for image 1",
    ),
    ("crosswise locks", 2, CASES[2].1),
    ("ring", 4, CASES[3].1),
    // The message is as long as MPI moves it by itself.
    (
        "co_sum of much",
        4,
        "images 1, 3, 4: co_sum, {co_sum of much}, wait for image 2; \
         image 2: event wait (e), {event wait}, needs 1 post",
    ),
    ("form team", 4, CASES[5].1),
];

#[test]
#[serial]
fn images_of_virtual_hosts_are_named() {
    let of = |mpirun: Mpirun| {
        ACROSS.map(|(mistake, images, text)| (mistake, mpirun.clone(), images, 2, text))
    };
    together(mpis_with_plugin().into_iter().flat_map(of), TOGETHER, is_named);
}

#[test]
#[serial]
fn images_of_separate_hosts_are_named() {
    let Some(network) = network(2) else { return };
    together(mpis_with_plugin(), TOGETHER, |mpirun| {
        let (mistake, _, expected) = ACROSS[1];
        let run = built().of_mpi(mistake, &mpirun).mpirun_on(&mpirun, &network, &[2, 2]);
        let what = format!("{mistake}, separate hosts, {:?}", mpirun.flavour());
        is_diagnosed(&run.finish(), expected, &what);
    });
}

/// The rows of the last table in what a job has written, without the times. Launchers may write more after it.
fn rows(outcome: &Outcome) -> Vec<String> {
    let text = format!("{}\n{}", outcome.stderr, outcome.stdout);
    let (_, rows) = text.rsplit_once("xmp: images after ").expect("a table");
    let short = |row: &str| {
        let words: Vec<&str> = row.split_whitespace().collect();
        let words =
            words.strip_suffix(&["s"]).map_or(&words[..], |words| &words[..words.len() - 1]);
        built().without_directories(&words.join(" "))
    };
    rows.lines().skip(1).take(TABLE.len()).map(short).collect()
}

const TABLE: [&str; 3] = [
    "images state statement needs for",
    "1 event wait (e) {event wait} needs 1 post",
    "2-4 sync all {event on one} wait for image 1",
];

/// The table of a job that ends. Images that look up the name of their variable too late are shown without it.
fn is_table_in_haste(rows: &[String]) -> bool {
    let without = TABLE.map(|row| row.replace(" (e)", ""));
    [TABLE, without.each_ref().map(String::as_str)]
        .into_iter()
        .any(|table| rows == with_lines(table))
}

fn with_lines(rows: [&str; 3]) -> Vec<String> {
    rows.map(|row| built().with_lines(row)).into()
}

/// A run that no deadlock ends, on some virtual hosts.
fn ignoring(mistake: &str, mpirun: &Mpirun, hosts: u32) -> Run {
    let run = built().of_mpi(mistake, mpirun).images(4).virtual_hosts(hosts);
    run.env("XMP_DEADLOCK", "ignore")
}

/// Calls `check` with each launcher and one and two hosts, at the same time.
fn on_one_host_and_on_two(check: impl Fn(Mpirun, u32) + Sync) {
    let jobs = mpis_with_plugin().into_iter().flat_map(|mpirun| [(mpirun.clone(), 1), (mpirun, 2)]);
    together(jobs, TOGETHER, |(mpirun, hosts)| check(mpirun, hosts));
}

#[test]
#[serial]
fn a_timeout_shows_all_images() {
    on_one_host_and_on_two(|mpirun, hosts| {
        let outcome = ignoring("event on one", &mpirun, hosts).env("XMP_TIMEOUT", "8").finish();
        let printed = format!("{}\n{}", outcome.stderr, outcome.stdout);
        assert!(printed.contains("xmp: the job has run for 8s: ending it\n"), "{outcome:?}");
        assert_eq!(rows(&outcome), with_lines(TABLE), "{outcome:?}");
        outcome.exited_with(124);
    });
}

#[test]
#[serial]
fn a_signal_shows_all_images() {
    on_one_host_and_on_two(|mpirun, hosts| {
        let job = started(&mpirun, hosts);
        if hosts == 2 {
            other_hosts_show_their_images(&job);
        }
        job.signal(libc::SIGTERM);
        let outcome = job.finish();
        if hosts == 1 {
            assert!(is_table_in_haste(&rows(&outcome)), "{outcome:?}");
        }
    });
}

/// Waits until images 2 to 4 wait.
fn started(mpirun: &Mpirun, hosts: u32) -> Running {
    let job = ignoring("event on one", mpirun, hosts).start();
    // Launchers need a while to take over signals.
    thread::sleep(Duration::from_secs(4));
    ask_until_all_wait(|| job.signal(libc::SIGUSR1), || job.stderr());
    job
}

/// The time after which a table does not come that was asked for at the beginning of a job.
const PATIENCE: Duration = Duration::from_secs(20);

/// Asks for a table until one shows that images 2 to 4 wait. `written`: the text of all tables so far. No table is under way afterwards,
/// because each is awaited before another one is asked for.
fn ask_until_all_wait(ask: impl Fn(), mut written: impl FnMut() -> String) {
    let (start, mut shown, mut text) = (Instant::now(), 0, String::new());
    loop {
        ask();
        let asked = Instant::now();
        loop {
            assert!(start.elapsed() < LIMIT, "{text}");
            thread::sleep(Duration::from_millis(200));
            let before = mem::replace(&mut text, written());
            // Launchers pass a table on in pieces.
            if tables(&text) > shown && text == before || asked.elapsed() > PATIENCE {
                break;
            }
        }
        shown = tables(&text);
        let last = text.rsplit_once("xmp: images after ");
        if last.is_some_and(|(_, table)| table.contains("2-4 ")) {
            return;
        }
    }
}

/// Number of tables that a job has written.
fn tables(text: &str) -> usize {
    text.matches("xmp: images after ").count()
}

#[test]
#[serial]
fn the_end_of_a_job_by_sigterm_shows_all_images_once() {
    on_one_host_and_on_two(|mpirun, hosts| {
        let job = started(&mpirun, hosts);
        let before = tables(&job.stderr());
        job.signal(libc::SIGTERM);
        let outcome = job.finish();
        assert_eq!(tables(&outcome.stderr), before + 1, "{outcome:?}");
        assert!(is_table_in_haste(&rows(&outcome)), "{outcome:?}");
        // The `mpiexec` of MPICH ends 5 of 24 jobs of a program of MPI alone with 0, though each process ends with 143.
        if mpirun.flavour() == Flavour::OpenMpi {
            assert!(!outcome.status.success(), "{outcome:?}");
        }
        outcome.stderr_without("has failed");
    });
}

/// Starts a job, and could read the named pipe `ERRORS`, but does not.
const PRTERUN: &str = r#"#!/bin/sh
mkfifo "$ERRORS" && exec 9<>"$ERRORS" && "$@" 9<&-
"#;

/// An image. The pipe is the standard error of the first one.
const IMAGE: &str = r#"
[ "${PMI_RANK-$OMPI_COMM_WORLD_RANK}" != 0 ] || exec 2>"$ERRORS"
exec "$0" "$@"
"#;

/// `mpirun` of Open MPI 5 is `prterun`, and reads nothing once it has got SIGTERM.
#[test]
#[serial]
fn the_table_of_a_job_that_ends_is_shown_though_prterun_does_not_read() {
    on_one_host_and_on_two(|mpirun, hosts| {
        let directory = tempfile::tempdir().expect("a directory");
        let (launcher, errors) =
            (directory.path().join("prterun"), directory.path().join("errors"));
        fs::write(&launcher, PRTERUN).unwrap();
        fs::set_permissions(&launcher, Permissions::from_mode(0o755)).unwrap();
        let command = mpirun.command(
            &xmp_hosts::Job::here(4)
                .env("XMP_DEADLOCK", "ignore")
                .env("XMP_VIRTUAL_HOSTS", hosts.to_string())
                .env("ERRORS", &errors),
        );
        let run = Run::new(launcher).args([command.get_program()]).args(command.get_args());
        let run = run.args(["sh", "-c", IMAGE]).args([built().program().as_os_str()]);
        let variables = command.get_envs().filter_map(|(name, value)| Some((name, value?)));
        let run = variables.fold(run, |run, (name, value)| run.env(name, value));
        let run = run.env("ERRORS", &errors).args(["event on one"]).limit(LIMIT).starting_mpi();
        let job = run.start();
        let start = Instant::now();
        let monitor = loop {
            if let Some(first) = process_of(&job, 0) {
                break processes::parent(first);
            }
            assert!(start.elapsed() < LIMIT, "{}", job.stderr());
            thread::sleep(Duration::from_millis(50));
        };
        let mut pipe =
            OpenOptions::new().read(true).custom_flags(libc::O_NONBLOCK).open(&errors).unwrap();
        // An end of the pipe while it is empty, too.
        let mut unread = || {
            let mut bytes = Vec::new();
            let _ = pipe.read_to_end(&mut bytes);
            String::from_utf8_lossy(&bytes).into_owned()
        };
        let mut shown = String::new();
        ask_until_all_wait(
            || processes::signal(monitor, libc::SIGUSR1),
            || {
                shown += &unread();
                shown.clone()
            },
        );
        processes::signal(monitor, libc::SIGTERM);
        let outcome = job.finish();
        assert_eq!(tables(&unread()), 0, "{outcome:?}");
        assert_eq!(tables(&outcome.stderr), 1, "{outcome:?}");
        assert!(is_table_in_haste(&rows(&outcome)), "{outcome:?}");
    });
}

/// Launchers send SIGTERM to images that compute when another one has died.
#[test]
#[serial]
fn the_end_of_a_job_by_the_death_of_an_image_shows_no_table() {
    let program = Program::fortran("output/kept").build();
    on_one_host_and_on_two(|mpirun, hosts| {
        for image in [1, 2, 3] {
            let run = Run::new(&program).mpirun(&mpirun).images(4).virtual_hosts(hosts);
            let job = run.args(["compute"]).start();
            (1..=4).for_each(|image| job.wait_for_stderr(&format!("begun {image} "), LIMIT));
            let text = job.stderr();
            let process = text.split(&format!("begun {image} ")).nth(1).unwrap();
            let process = process.split_whitespace().next().unwrap().parse();
            processes::signal(process.expect("a process"), libc::SIGKILL);
            let outcome = job.finish();
            assert_eq!(tables(&outcome.stderr), 0, "{outcome:?}");
            outcome.stderr_line_with(&[&format!("image {image} "), "was killed by signal 9"]);
        }
    });
}

/// The process of an image that looks for hangs: the first one, and those that lead other hosts.
fn process_of(job: &Running, rank: u32) -> Option<Pid> {
    let rank = rank.to_string();
    // By Open MPI and MPICH.
    let of_rank = ["OMPI_COMM_WORLD_RANK", "PMI_RANK"].map(|name| with_environment(name, &rank));
    let mine = job.processes();
    // Its monitor has no such thread.
    let is_image = |pid: &&Pid| {
        let threads = fs::read_dir(format!("/proc/{pid}/task")).into_iter().flatten().flatten();
        let names = threads.filter_map(|it| fs::read_to_string(it.path().join("comm")).ok());
        mine.contains(pid) && names.into_iter().any(|name| name == "xmp-hangs\n")
    };
    let found: Vec<&Pid> = of_rank.iter().flatten().filter(is_image).collect();
    match found[..] {
        [] => None,
        [&only] => Some(only),
        _ => panic!("processes of image {}: {found:?}", rank),
    }
}

/// Where the process of the first image does not run, the leaders of other hosts show what they know.
fn other_hosts_show_their_images(job: &Running) {
    let text = job.stderr();
    let (_, table) = text.rsplit_once("xmp: images after ").expect("a table");
    assert!(table.contains("  1 ") && table.contains("  2-4 "), "{text}");
    let first = process_of(job, 0).expect("the process of image 1");
    processes::signal(first, libc::SIGSTOP);
    // Within a second after a question of the first image, hosts take a signal for the one that has caused it.
    thread::sleep(Duration::from_secs(2));
    job.signal(libc::SIGUSR1);
    job.wait_for_stderr("is on a host that has not answered", LIMIT);
    processes::signal(first, libc::SIGCONT);
}

/// Images 1 and 2 are on one host, 3 and 4 on the other one. No deadlock can be proven: a timer might post.
fn are_named_though_one_is_stopped(mpirun: &Mpirun, stopped: u32, expected: &str) {
    let job = built().of_mpi("timer", mpirun).images(4).virtual_hosts(2);
    let job = job.env("XMP_WAIT_NOTICE", "10").start();
    let start = Instant::now();
    let leaders = loop {
        let leaders = [0, 2].map(|rank| process_of(&job, rank));
        if let [Some(first), Some(second)] = leaders {
            break [first, second];
        }
        assert!(start.elapsed() < LIMIT, "{}", job.stderr());
        thread::sleep(Duration::from_millis(50));
    };
    // Until the images wait, and have told so.
    thread::sleep(Duration::from_secs(4));
    let stopped = leaders[usize::from(stopped == 3)];
    processes::signal(stopped, libc::SIGSTOP);
    let expected = built().with_lines(expected);
    while !built().without_directories(&job.stderr()).contains(&expected) {
        assert!(start.elapsed() < LIMIT, "{expected}: {}", job.stderr());
        thread::sleep(Duration::from_millis(100));
    }
    processes::signal(stopped, libc::SIGCONT);
    job.signal(libc::SIGTERM);
    let outcome = job.finish();
    assert!(!outcome.stderr.contains("deadlock"), "{outcome:?}");
}

#[test]
#[serial]
fn images_are_named_though_the_process_of_the_first_one_or_of_another_leader_is_stopped() {
    let cases = [
        (
            1,
            "image 1 does not answer, and all images of this host have waited for 10 s, perhaps for ever: \
             images 3, 4: event wait (e), {event wait}, need 1 post",
        ),
        (
            3,
            "all images have waited for 10 s, perhaps for ever: images 1, 2: event wait (e), {event wait}, need 1 post; \
             images 3, 4 are on hosts that did not answer",
        ),
    ];
    let of = |mpirun: Mpirun| cases.map(|(stopped, text)| (mpirun.clone(), stopped, text));
    together(mpis_with_plugin().into_iter().flat_map(of), TOGETHER, |(mpirun, stopped, text)| {
        are_named_though_one_is_stopped(&mpirun, stopped, text);
    });
}
