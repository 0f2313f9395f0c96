//! Programs that hang: the launcher names the statements of images that wait for one another for ever, and ends the job.

use serial_test::serial;
use std::sync::OnceLock;
use std::time::{Duration, Instant};
use xmp_tests::mistakes::{Case, LIMIT, Mistakes};
use xmp_tests::toolchain::crate_dir;
use xmp_tests::{Linking, Program, Run, processes};

fn hangs() -> Program {
    Program::fortran("faults/hangs").argument("-O0")
}

fn of(program: &Program) -> Mistakes {
    Mistakes::of(program, &crate_dir().join("fortran/faults/hangs.f90"))
}

fn built() -> &'static Mistakes {
    static PROGRAM: OnceLock<Mistakes> = OnceLock::new();
    PROGRAM.get_or_init(|| of(&hangs()))
}

fn run(mistake: &str, images: u32, hosts: u32) -> Run {
    built().run(mistake, images, hosts)
}

fn are_diagnosed(cases: &[Case]) {
    built().are_diagnosed(cases);
}

const BOTH: &[u32] = &[1, 2];

#[test]
#[serial]
fn events_that_no_image_posts() {
    are_diagnosed(&[
        (
            "event on one",
            4,
            BOTH,
            "image 1: event wait (e), {event wait}, needs 1 post; \
             images 2-4: sync all, {event on one}, wait for image 1",
        ),
        ("event on all", 8, BOTH, "images 1-8: event wait (e), {event wait}, need 1 post"),
        (
            "too few posts",
            3,
            BOTH,
            "image 1: event wait (e), {too few posts}, needs 2 posts; \
             images 2, 3: sync all, {others of too few posts}, wait for image 1",
        ),
        (
            "post to the wrong image",
            4,
            BOTH,
            "images 1, 3, 4: sync all, {others of post to the wrong image}, wait for image 2; \
             image 2: event wait (e), {event wait}, needs 1 post",
        ),
    ]);
}

#[test]
#[serial]
fn locks_and_critical_sections() {
    are_diagnosed(&[
        (
            "crosswise locks",
            3,
            BOTH,
            "image 1: lock (second[1]), {crosswise lock of image 1}, waits for image 2; \
             image 2: lock (first[1]), {crosswise lock of image 2}, waits for image 1",
        ),
        (
            "lock kept",
            3,
            &[1],
            "image 1: sync all, {holder of lock kept}, waits for images 2, 3; \
             images 2, 3: lock (first[1]), {lock kept}, wait for image 1",
        ),
        (
            "critical",
            4,
            BOTH,
            "image 1: event wait (e), {event wait}, needs 1 post; \
             images 2-4: critical, {critical}, wait for image 1",
        ),
        (
            "lock and event",
            2,
            BOTH,
            "image 1: event wait (e), {event wait}, needs 1 post; image 2: lock (first[1]), {lock and event}, waits for image 1",
        ),
    ]);
}

#[test]
#[serial]
fn the_variable_that_an_image_waits_for_is_named_with_its_subscripts() {
    are_diagnosed(&[
        (
            "elements of an array of events",
            3,
            BOTH,
            "image 1: event wait (ready(1)), {elements of an array of events}, needs 1 post; \
             image 2: event wait (ready(2)), {elements of an array of events}, needs 1 post; \
             image 3: event wait (ready(3)), {elements of an array of events}, needs 1 post",
        ),
        (
            "elements of an array of events",
            8,
            BOTH,
            "images 1-8: event wait (ready(1), ready(2), ready(3), ready(4), ...), \
             {elements of an array of events}, need 1 post",
        ),
        (
            "allocatable array of events",
            3,
            BOTH,
            "image 1: event wait (done(3, 2)), {allocatable array of events}, needs 1 post; \
             images 2, 3: sync all, {others of allocatable array of events}, wait for image 1",
        ),
        (
            "lock of a team",
            4,
            BOTH,
            "image 3: end team, {others of lock of a team}, waits for image 4; \
             image 4: lock (guards(2)[1]), {lock of a team}, waits for image 3",
        ),
    ]);
}

#[test]
#[serial]
fn synchronisations_that_do_not_match() {
    are_diagnosed(&[
        (
            "ring",
            4,
            BOTH,
            "image 1: sync images, {ring}, waits for image 2; image 2: sync images, {ring}, waits for image 3; \
             image 3: sync images, {ring}, waits for image 1",
        ),
        (
            "one-sided sync images",
            4,
            BOTH,
            "image 1: sync images, {one-sided sync images}, waits for image 2; \
             images 2-4: sync all, {others of one-sided sync images}, wait for image 1",
        ),
        (
            "star",
            3,
            BOTH,
            "image 1: sync images, {star}, waits for image 3; \
             images 2, 3: sync all, {others of star}, wait for image 1",
        ),
        (
            "missing sync all",
            5,
            BOTH,
            "images 1-4: sync all, {missing sync all}, wait for image 5; \
             image 5: event wait (e), {event wait}, needs 1 post",
        ),
        (
            "loops of different length",
            3,
            &[1],
            "images 1, 2: event wait (e), {event wait}, need 1 post; \
             image 3: sync all, {loops of different length}, waits for images 1, 2",
        ),
    ]);
}

#[test]
#[serial]
fn collectives_that_an_image_leaves_out() {
    are_diagnosed(&[
        (
            "co_sum",
            4,
            BOTH,
            "images 1, 3, 4: co_sum, {co_sum}, wait for image 2; image 2: event wait (e), {event wait}, needs 1 post",
        ),
        (
            "co_sum of much",
            4,
            BOTH,
            "images 1, 3, 4: co_sum, {co_sum of much}, wait for image 2; \
             image 2: event wait (e), {event wait}, needs 1 post",
        ),
        (
            "co_broadcast",
            4,
            BOTH,
            "image 1: event wait (e), {event wait}, needs 1 post; \
             images 2-4: co_broadcast, {co_broadcast}, wait for image 1",
        ),
        (
            "order of collectives",
            4,
            &[1],
            "image 1: event wait (e), {event wait}, needs 1 post; \
             images 2-4: sync all, {others of order of collectives}, wait for image 1",
        ),
    ]);
}

#[test]
#[serial]
fn teams() {
    are_diagnosed(&[
        (
            "image outside of its team",
            5,
            &[1],
            "images 1, 2, 4: sync all, {image outside of its team}, wait for images 3, 5; \
             images 3, 5: change team, {change to the team}, wait for image 1",
        ),
        (
            "form team",
            4,
            BOTH,
            "images 1-3: form team, {form team}, wait for image 4; \
             image 4: event wait (e), {event wait}, needs 1 post",
        ),
        (
            "change team",
            4,
            BOTH,
            "images 1-3: change team, {change team}, wait for image 4; \
             image 4: event wait (e), {event wait}, needs 1 post",
        ),
        (
            "end team",
            4,
            BOTH,
            "image 1: event wait (e), {event wait}, needs 1 post; images 2-4: end team, {end team}, wait for image 1",
        ),
        (
            "sync team",
            4,
            BOTH,
            "image 1: event wait (e), {event wait}, needs 1 post; images 2-4: sync team, {sync team}, wait for image 1",
        ),
    ]);
}

#[test]
#[serial]
fn allocations_on_some_images() {
    are_diagnosed(&[
        (
            "allocate",
            4,
            BOTH,
            "image 1: event wait (e), {event wait}, needs 1 post; images 2-4: allocate, {allocate}, wait for image 1",
        ),
        (
            "deallocate",
            4,
            BOTH,
            "image 1: event wait (e), {event wait}, needs 1 post; \
             images 2-4: deallocate, {deallocate}, wait for image 1",
        ),
    ]);
}

#[test]
#[serial]
fn a_library_that_is_linked_statically_names_statements_as_well() {
    let expected = "image 1: event wait (e), {event wait}, needs 1 post; \
                    image 2: sync all, {event on one}, waits for image 1";
    of(&hangs().linking(Linking::StaticXmp)).are_diagnosed(&[("event on one", 2, &[1], expected)]);
}

#[test]
#[serial]
fn a_deadlock_can_be_reported_without_an_end_of_the_job() {
    let job = run("event on all", 2, 1).env("XMP_DEADLOCK", "report").start();
    job.wait_for_stderr("deadlock: images 1, 2: event wait (e)", LIMIT);
    std::thread::sleep(Duration::from_secs(1));
    job.signal(libc::SIGTERM);
    let outcome = job.finish();
    outcome.exited_with(128 + libc::SIGTERM);
    assert_eq!(outcome.stderr.matches("deadlock").count(), 1, "{}", outcome.stderr);
}

#[test]
#[serial]
fn a_timeout_and_two_signals_show_what_all_images_do() {
    let rows = |stderr: &str| -> Vec<String> {
        let rows = stderr.lines().filter(|row| row.starts_with("  "));
        rows.map(|row| row.split_whitespace().collect::<Vec<_>>().join(" ")).collect()
    };
    let ignoring = |mistake, images| run(mistake, images, 1).env("XMP_DEADLOCK", "ignore");
    let outcome =
        ignoring("event on one", 3).launcher_option("--timeout").launcher_option("1").finish();
    outcome.exited_with(124).stderr_line_with(&["the job has run for 1s: ending it"]);
    let [header, one, others] = &rows(&outcome.stderr)[..] else { panic!("{}", outcome.stderr) };
    assert_eq!(header, "images state statement needs for");
    let one = built().without_directories(one);
    assert!(
        one.starts_with(&built().with_lines("1 event wait (e) {event wait} needs 1 post ")),
        "{one}"
    );
    let others = built().without_directories(others);
    let expected = built().with_lines("2, 3 sync all {event on one} wait for image 1 ");
    assert!(others.starts_with(&expected), "{others}");
    assert!(others.ends_with(" s"), "{others}");

    for signal in [libc::SIGUSR1, libc::SIGQUIT] {
        let job = ignoring("ring", 4).start();
        let start = Instant::now();
        // The launcher takes over signals before it starts images. These need a while to wait.
        while job.processes().len() < 5 {
            assert!(start.elapsed() < LIMIT, "the job does not start");
            std::thread::sleep(Duration::from_millis(10));
        }
        while job.stderr().matches("waits for image").count() < 3 {
            assert!(start.elapsed() < LIMIT, "{}", job.stderr());
            job.signal(signal);
            std::thread::sleep(Duration::from_millis(300));
        }
        job.signal(libc::SIGTERM);
        let outcome = job.finish();
        outcome.exited_with(128 + libc::SIGTERM).stderr_line_with(&["images after"]);
        let running = rows(&outcome.stderr).pop().unwrap();
        assert_eq!(running, "4 runs");
    }
}

#[test]
#[serial]
fn a_live_table_shows_what_the_images_do_and_use() {
    let job = run("timer", 3, 1).launcher_option("--watch=0.2").start();
    let start = Instant::now();
    while job.stderr().matches("xmp: images after ").count() < 3 {
        assert!(start.elapsed() < LIMIT, "{}", job.stderr());
        std::thread::sleep(Duration::from_millis(50));
    }
    job.signal(libc::SIGTERM);
    let outcome = job.finish();
    outcome.stderr_line_with(&["images", "processor", "memory", "state", "statement", "needs"]);
    outcome.stderr_line_with(&["1-3 ", " % ", " MiB ", "event wait"]);
}

#[test]
#[serial]
fn images_whose_waits_cannot_be_proven_endless_are_named_after_a_while() {
    let job = run("timer", 3, 1).env("XMP_WAIT_NOTICE", "1").start();
    job.wait_for_stderr("\n", LIMIT);
    std::thread::sleep(Duration::from_secs(1));
    job.signal(libc::SIGTERM);
    let outcome = job.finish();
    outcome.exited_with(128 + libc::SIGTERM);
    let expected = "xmp: all images have waited for 1 s, perhaps for ever: images 1-3: event wait (e), {event wait}, \
                    need 1 post\n";
    let (notice, table) = outcome.stderr.split_once("xmp: images after").expect("a table");
    assert_eq!(built().without_directories(notice), built().with_lines(expected));
    assert!(table.contains("event wait"), "{table}");
}

#[test]
#[serial]
fn images_that_come_late_are_no_deadlock() {
    let program = Program::fortran("faults/late").build();
    for (images, hosts) in [(2, 1), (8, 1), (4, 2)] {
        let run = Run::new(&program).images(images).virtual_hosts(hosts);
        run.finish().succeeded().silent();
    }
}

#[test]
#[serial]
fn an_image_that_is_stopped_by_a_signal_may_continue() {
    let program = Program::fortran("control/signals").with("victim").build();
    // Images 2 and 3 wait for image 1, which sleeps.
    let mut job = Run::new(program).images(3).args(["sync-all"]).start();
    let images: Vec<(u32, i32)> = job
        .lines_after("ready ", 3)
        .iter()
        .map(|line| line.split_once(' ').unwrap())
        .map(|(image, pid)| (image.parse().unwrap(), pid.trim().parse().unwrap()))
        .collect();
    let (_, first) = images.into_iter().find(|&(image, _)| image == 1).unwrap();
    processes::signal(first, libc::SIGSTOP);
    std::thread::sleep(Duration::from_secs(1));
    job.signal(libc::SIGQUIT);
    job.wait_for_stderr("is stopped by a signal or a debugger", LIMIT);
    processes::signal(first, libc::SIGCONT);
    job.signal(libc::SIGTERM);
    job.finish().exited_with(128 + libc::SIGTERM).stderr_without("deadlock");
}
