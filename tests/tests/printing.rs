//! The output of images: lines are whole, they come in the order in which images print them, and nothing is lost that was printed
//! before the last image control statement, however the job ends.

use serial_test::serial;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};
use tempfile::TempDir;
use xmp_tests::processes::{self, Pid};
use xmp_tests::toolchain::toolchain;
use xmp_tests::{Outcome, Program, Run, Running};

fn rows() -> PathBuf {
    Program::fortran("output/rows").build()
}

fn kept() -> PathBuf {
    Program::fortran("output/kept").build()
}

/// `xmprun` with these words, whose standard output a shell connects to a file of this name in an empty directory.
struct IntoFile {
    directory: TempDir,
    command: String,
}

impl IntoFile {
    fn new(options: &str, program: &Path, arguments: &str) -> IntoFile {
        let directory = tempfile::tempdir().unwrap();
        let (xmprun, program) = (toolchain().xmprun(), program.display().to_string());
        let place = directory.path().display();
        let command = format!(
            "cd '{place}' && exec '{}' {options} '{program}' {arguments} > out",
            xmprun.display()
        );
        IntoFile { directory, command }
    }

    fn run(&self) -> Run {
        Run::new("/bin/sh").args(["-c", &self.command])
    }

    fn text(&self) -> String {
        fs::read_to_string(self.directory.path().join("out")).unwrap()
    }
}

/// Each line has the letter of one image alone, and each image has written this many.
#[track_caller]
fn assert_whole(text: &str, images: usize, lines: usize) {
    let mut counts = vec![0; images];
    for line in text.lines() {
        let letter = line.bytes().next().expect("no line is empty");
        assert!(line.bytes().all(|byte| byte == letter), "mixed: {line}");
        counts[usize::from(letter - b'a')] += 1;
    }
    assert_eq!(counts, vec![lines; images]);
}

#[test]
#[serial]
fn lines_of_fortran_are_whole() {
    let program = rows();
    for (what, images) in [("long", 4), ("pieces", 3)] {
        let outcome = Run::new(&program).images(images).args([what, "output"]).finish();
        assert_whole(&outcome.succeeded().stdout, images as usize, 150);
        let outcome = Run::new(&program).images(images).args([what, "error"]).finish();
        assert_whole(&outcome.succeeded().stderr, images as usize, 150);
        let file = IntoFile::new(&format!("-n {images}"), &program, what);
        file.run().finish().succeeded().silent();
        assert_whole(&file.text(), images as usize, 150);
    }
}

#[test]
#[serial]
fn lines_of_c_are_whole() {
    let program = Program::c("lines").build();
    assert_whole(&Run::new(&program).images(3).finish().succeeded().stdout, 3, 5000);
    let file = IntoFile::new("-n 3", &program, "");
    file.run().finish().succeeded().silent();
    assert_whole(&file.text(), 3, 5000);
}

/// What images of a program print on a terminal, which `script` makes.
fn on_a_terminal(images: u32, program: &Path, arguments: &str) -> String {
    let (xmprun, program) = (toolchain().xmprun(), program.display());
    let command = format!("'{}' -n {images} '{program}' {arguments}", xmprun.display());
    let outcome = Run::new("/usr/bin/script").args(["-qec", &command, "/dev/null"]).finish();
    outcome.succeeded().stdout.replace("\r\n", "\n")
}

/// Not so lines that a program writes in pieces (`advance='no'`), and lines of C of more than 1024 characters: each piece appears at once.
#[test]
#[serial]
fn lines_are_whole_on_a_terminal() {
    assert_whole(&on_a_terminal(4, &rows(), "long output"), 4, 150);
    assert_whole(&on_a_terminal(3, &Program::c("lines").build(), ""), 3, 5000);
}

#[test]
#[serial]
fn lines_come_in_the_order_that_sync_all_gives_them() {
    let program = Program::fortran("output/order").build();
    let expected: Vec<String> = (1..=160).map(|number| number.to_string()).collect();
    for option in [None, Some("--prefix-output")] {
        let run = Run::new(&program).images(4);
        let run = option.into_iter().fold(run, |run, option| run.launcher_option(option));
        let outcome = run.finish();
        let lines = outcome.succeeded().stdout.lines();
        let numbers: Vec<&str> = lines.map(|line| line.rsplit(' ').next().unwrap()).collect();
        assert_eq!(numbers, expected);
    }
}

#[test]
#[serial]
fn lines_of_images_that_print_much_come_in_the_order_that_sync_all_gives_them() {
    let program = Program::fortran("output/rounds").build();
    for images in [2, 4, 9] {
        for _ in 0..4 {
            let outcome = Run::new(&program).images(images).finish();
            let lines = outcome.succeeded().stdout.lines();
            let rounds: Vec<u32> = lines.map(|line| line.parse().unwrap()).collect();
            assert_eq!(rounds.len(), 200 * 40 * images as usize);
            assert!(rounds.is_sorted(), "{images} images");
        }
    }
}

#[test]
#[serial]
fn lines_of_images_that_take_turns_to_print_much_come_in_the_order_of_the_turns() {
    let program = Program::fortran("output/long_turns").build();
    for images in [2, 3, 5] {
        for _ in 0..4 {
            let outcome = Run::new(&program).images(images).finish();
            let lines = outcome.succeeded().stdout.lines();
            let turns: Vec<u32> = lines.map(|line| line.parse().unwrap()).collect();
            assert_eq!(turns.len(), 20 * 3 + 40 * 6000 + 36, "{images} images");
            assert!(turns.is_sorted(), "{images} images");
        }
    }
}

/// The pipes of which each write causes a signal.
fn pipes_with_signals(launcher: Pid) -> usize {
    let descriptors = fs::read_dir(format!("/proc/{launcher}/fdinfo")).unwrap();
    let flags = |path: PathBuf| {
        // A descriptor that was closed meanwhile is none.
        let text = fs::read_to_string(path).unwrap_or_default();
        let flags = text.lines().find_map(|line| line.strip_prefix("flags:"));
        flags.map_or(0, |flags| libc::c_int::from_str_radix(flags.trim(), 8).unwrap())
    };
    let all = descriptors.map(|entry| flags(entry.unwrap().path()));
    all.filter(|flags| flags & libc::O_ASYNC != 0).count()
}

/// A signal costs more than a write. An image that prints on needs none until it synchronises.
#[test]
#[serial]
fn writes_of_an_image_that_prints_much_cause_no_signals() {
    let job = Run::new(kept()).images(2).args(["go on"]).start();
    let start = Instant::now();
    // Of standard output and standard error of both images.
    while pipes_with_signals(job.pid()) != 3 {
        assert!(start.elapsed() < LIMIT, "{}", job.stderr());
    }
    job.signal(libc::SIGTERM);
    job.finish().exited_with(128 + libc::SIGTERM);
}

#[test]
#[serial]
fn the_beginning_of_a_line_that_is_a_question_appears_before_its_answer() {
    let directory = tempfile::tempdir().unwrap();
    let ask = "[ -p /dev/stdin ] || exit 0\nprintf 'a number? '\nread answer && echo $answer\n";
    fs::write(directory.path().join("ask.sh"), ask).unwrap();
    // The shell answers when it has read the question.
    let command = format!(
        "cd '{}' && mkfifo in out && {{ '{}' -q -n 2 /bin/sh ask.sh <in >out & }} && exec 3>in 4<out && head -c 10 <&4 && \
         echo 7 >&3 && exec 3>&- && cat <&4",
        directory.path().display(),
        toolchain().xmprun().display()
    );
    let outcome = Run::new("/bin/bash").args(["-c", &command]).finish();
    outcome.succeeded().stdout_is("a number? 7\n");
}

/// Whole lines of other images may follow the question on its line; none of them is torn.
#[test]
#[serial]
fn on_a_terminal_a_question_appears_before_its_answer_and_no_line_of_others_is_torn() {
    let directory = tempfile::tempdir().unwrap();
    let program = Program::fortran("control/question").build();
    // The shell answers when it has read the question.
    let command = format!(
        "cd '{}' && mkfifo in out && {{ script -qec \"'{}' -n 3 '{}'\" /dev/null <in >out & }} && exec 3>in 4<out && \
         while [[ $text != *'a number? '* ]]; do IFS= read -r -d '' -n 1 -u 4 next || exit 1; text+=$next; done && \
         echo 7 >&3 && printf %s \"$text\" && cat <&4",
        directory.path().display(),
        toolchain().xmprun().display(),
        program.display()
    );
    let outcome = Run::new("/bin/bash").args(["-c", &command]).finish();
    outcome.succeeded();
    let text = outcome.stdout.replace("\r\n", "\n").replacen("a number? ", "", 1);
    // The terminal repeats what is typed.
    let text = text.replacen("7\n", "", 1);
    let mut lines: Vec<&str> = text.lines().collect();
    lines.sort_unstable();
    let own = (2..=3).flat_map(|image| (1..=50).map(move |k| format!("line {k} of image {image}")));
    let mut expected: Vec<String> =
        own.chain((1..=3).map(|image| format!("image {image} has 7"))).collect();
    expected.sort_unstable();
    assert_eq!(lines, expected);
}

/// Starts 3 images whose output goes to a file, and waits until they have printed a line and synchronised.
fn begun(options: &str, what: &str) -> (IntoFile, Running, Vec<Pid>) {
    let file = IntoFile::new(&format!("-n 3 {options}"), &kept(), what);
    let job = file.run().start();
    job.wait_for_stderr("begun 1", LIMIT);
    job.wait_for_stderr("begun 2", LIMIT);
    job.wait_for_stderr("begun 3", LIMIT);
    let text = job.stderr();
    let line = |image: u32| {
        let mark = format!("begun {image} ");
        text.lines().find_map(|line| line.strip_prefix(&mark)).unwrap().trim().parse().unwrap()
    };
    let images = (1..=3).map(line).collect();
    (file, job, images)
}

const LIMIT: Duration = Duration::from_secs(120);

/// The lines of these images are in the file.
#[track_caller]
fn assert_kept(file: &IntoFile, images: &[u32], outcome: &Outcome) {
    let text = file.text();
    for image in images {
        assert!(text.lines().any(|line| line == format!("before {image}")), "{text:?} {outcome:?}");
    }
}

#[test]
#[serial]
fn what_was_printed_is_in_the_file_when_the_job_has_been_ended() {
    for what in ["compute", "sleep", "write", "wait"] {
        let (file, job, _) = begun("", what);
        job.signal(libc::SIGTERM);
        let outcome = job.finish();
        outcome.exited_with(128 + libc::SIGTERM);
        assert_kept(&file, &[1, 2, 3], &outcome);
    }
}

#[test]
#[serial]
fn what_was_printed_is_in_the_file_after_the_time_limit() {
    for what in ["compute", "write"] {
        let file = IntoFile::new("-n 3 --timeout 2", &kept(), what);
        let outcome = file.run().finish();
        outcome.exited_with(124);
        if outcome.stderr.matches("begun").count() == 3 {
            assert_kept(&file, &[1, 2, 3], &outcome);
        }
    }
}

#[test]
#[serial]
fn what_was_printed_is_in_the_file_after_a_crash_and_a_deadlock() {
    for (what, status) in [("crash", 139), ("deadlock", 1)] {
        let file = IntoFile::new("-n 3", &kept(), what);
        let outcome = file.run().finish();
        outcome.exited_with(status);
        assert_kept(&file, &[1, 2, 3], &outcome);
    }
}

#[test]
#[serial]
fn what_the_others_printed_is_in_the_file_when_an_image_was_killed() {
    let (file, job, images) = begun("", "wait");
    processes::signal(images[1], libc::SIGKILL);
    let outcome = job.finish();
    outcome.exited_with(128 + libc::SIGKILL);
    assert_kept(&file, &[1, 3], &outcome);
}

/// FAIL IMAGE lost it.
#[test]
#[serial]
fn what_was_printed_is_in_the_file_when_an_image_has_failed() {
    for options in ["-n 3", "-n 3 --virtual-hosts 3"] {
        let file = IntoFile::new(options, &kept(), "fail");
        let outcome = file.run().finish();
        outcome.exited_with(0);
        assert_kept(&file, &[1, 2, 3], &outcome);
    }
}

/// The launcher learns of each write by a signal. Threads that it does not concern stay asleep: to wake one up costs more than the
/// write.
#[test]
#[serial]
fn lines_of_an_image_leave_the_event_loop_of_the_launcher_asleep() {
    const LINES: usize = 100_000;
    let job = Run::new(kept()).images(2).args(["print"]).start();
    job.wait_for_stderr("printed", LIMIT);
    // Of the first thread.
    let status = fs::read_to_string(format!("/proc/{0}/task/{0}/status", job.pid())).unwrap();
    let switches = status.lines().find_map(|line| line.strip_prefix("voluntary_ctxt_switches:"));
    let switches: usize = switches.expect("a count").trim().parse().unwrap();
    job.signal(libc::SIGTERM);
    let outcome = job.finish();
    outcome.exited_with(128 + libc::SIGTERM);
    assert_eq!(outcome.stdout.lines().filter(|line| line.starts_with("xxx")).count(), LINES);
    assert!(switches < LINES / 20, "{switches} switches for {LINES} lines");
}

/// Batch systems send signals to all processes of a job.
#[test]
#[serial]
fn a_signal_for_all_processes_shows_what_the_images_do() {
    let (_, job, images) = begun("", "wait");
    let all = |signal| {
        images.iter().for_each(|&image| processes::signal(image, signal));
        job.signal(signal);
    };
    all(libc::SIGUSR1);
    job.wait_for_stderr("images after", LIMIT);
    let answered = job.stderr().matches("images after").count();
    all(libc::SIGTERM);
    let outcome = job.finish();
    outcome.exited_with(128 + libc::SIGTERM);
    assert_eq!(outcome.stderr.matches("images after").count(), answered + 1, "{outcome:?}");
    let table = outcome.stderr.rsplit("images after").next().unwrap();
    assert!(table.contains("sync all") && table.contains("runs"), "{outcome:?}");
    outcome.stderr_without("has failed");
}

/// An image that reports an error looks into the program's debugging information, and not into that of the library, which is
/// larger by far.
#[test]
fn an_error_makes_images_read_little() {
    // The library has 8 MB without its debugging information.
    const MAX_BYTES: u64 = 2 << 20;
    let program = Program::fortran("output/ends").with_c("bytes_read").argument("-g").build();
    for (what, status) in [("well", 0), ("error", 3)] {
        let outcome = Run::new(&program).images(4).args([what]).finish();
        outcome.exited_with(status);
        let read = |line: &str| line.strip_prefix("read ").and_then(|bytes| bytes.parse().ok());
        let sizes: Vec<u64> = outcome.stdout.lines().filter_map(read).collect();
        assert!(!sizes.is_empty(), "{outcome:?}");
        assert!(sizes.iter().all(|&bytes| bytes < MAX_BYTES), "{what}: {sizes:?}");
    }
}
