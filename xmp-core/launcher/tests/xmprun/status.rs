//! Tests of exit statuses, and of the reports about the ends of images.

use crate::harness::{run_script, script_command, status, text, xmprun};

#[test]
fn success_of_all_is_success() {
    assert_eq!(status(&run_script(3, "true")), 0);
}

#[test]
fn sixty_four_images() {
    let output = run_script(64, "echo $IMAGE");
    assert_eq!(status(&output), 0);
    assert_eq!(text(&output.stdout).lines().count(), 64);
}

#[test]
fn a_failing_image_ends_the_others() {
    let output = run_script(4, "[ $IMAGE = 3 ] && exit 7; sleep 1000");
    assert_eq!(status(&output), 7);
    assert!(text(&output.stderr).contains("image 3 ended with exit status 7"), "{output:?}");
}

#[test]
fn images_that_ignore_sigterm_are_killed() {
    let output =
        script_command(2, "trap '' TERM; [ $IMAGE = 1 ] && { sleep 0.2; exit 5; }; sleep 1000")
            .env("XMP_KILL_GRACE", "300")
            .output()
            .unwrap();
    assert_eq!(status(&output), 5);
}

#[test]
fn death_by_a_signal_is_named_and_counts_128_more() {
    // The others have all the time they need to end before the job is ended because of it.
    let output = script_command(3, "[ $IMAGE = 2 ] && kill -KILL $$; true")
        .env("XMP_FAILURE_GRACE", "1000000")
        .output()
        .unwrap();
    assert_eq!(status(&output), 137);
    let stderr = text(&output.stderr);
    assert!(stderr.starts_with("xmp: image 2 (process "), "{stderr}");
    assert!(stderr.ends_with("was killed by signal 9 (SIGKILL)\n"), "{stderr}");
}

#[test]
fn an_unreported_death_ends_the_job() {
    let output = script_command(2, "[ $IMAGE = 1 ] && kill -SEGV $$; sleep 1000")
        .env("XMP_FAILURE_GRACE", "200")
        .output()
        .unwrap();
    assert_eq!(status(&output), 139);
    assert!(text(&output.stderr).contains("image 1 failed: ending the job"), "{output:?}");
}

#[test]
fn a_program_that_is_not_there() {
    let output = xmprun(&["-n", "3", "/no/such/program"]).output().unwrap();
    assert_eq!(status(&output), 127);
    let message = text(&output.stderr);
    assert!(message.contains("/no/such/program"), "{message}");
    // The number that Rust appends says nothing to users.
    assert!(
        message.contains("No such file or directory") && !message.contains("os error"),
        "{message}"
    );
}

#[test]
fn a_program_that_is_only_in_the_current_directory() {
    let directory = tempfile::tempdir().unwrap();
    std::fs::write(directory.path().join("prog"), "").unwrap();
    let output = xmprun(&["-n", "1", "prog"]).current_dir(&directory).output().unwrap();
    assert_eq!(status(&output), 127);
    assert!(text(&output.stderr).contains("./prog"), "{output:?}");
}

#[test]
fn a_file_that_is_no_program() {
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("data");
    std::fs::write(&file, "not a program").unwrap();
    let output = xmprun(&["-n", "2"]).arg(&file).output().unwrap();
    assert_eq!(status(&output), 126);
    assert!(text(&output.stderr).contains("data"), "{output:?}");
}

#[test]
fn a_timeout_ends_the_job_with_status_124() {
    let output = xmprun(&["--timeout", "0.3", "-n", "3", "sleep", "1000"]).output().unwrap();
    assert_eq!(status(&output), 124);
    assert!(text(&output.stderr).contains("300ms"), "{output:?}");
}

#[test]
fn two_jobs_at_once_do_not_meet() {
    let jobs: Vec<_> = (3..5)
        .map(|code| std::thread::spawn(move || run_script(2, &format!("exit {code}"))))
        .collect();
    let statuses: Vec<i32> = jobs.into_iter().map(|job| status(&job.join().unwrap())).collect();
    assert_eq!(statuses, [3, 4]);
}
