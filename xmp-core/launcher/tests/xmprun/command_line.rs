//! Options, usage errors, settings, `--info`.

use crate::harness::{script_command, sorted_lines, status, text, xmprun};

#[test]
fn wrong_use_is_refused_with_status_2() {
    for (args, word) in [
        (&["-n", "0", "true"][..], "0"),
        (&["-n", "-3", "true"], "-3"),
        (&["-n", "many", "true"], "many"),
        (&["-n", "2"], "PROGRAM"),
        (&["--timeout", "0", "true"], "positive"),
        (&["--bind", "moon", "true"], "moon"),
        (&["-n", "2", "--virtual-hosts", "3", "true"], "3 hosts"),
    ] {
        let output = xmprun(args).output().unwrap();
        assert_eq!(status(&output), 2, "{args:?}");
        assert!(text(&output.stderr).contains(word), "{output:?}");
    }
}

#[test]
fn bad_settings_are_refused_by_name() {
    for (name, value) in [
        ("XMP_NUM_IMAGES", "none"),
        ("XMP_SEGMENT_SIZE", "huge"),
        ("XMP_SEGMENT_SIZE", "1K"),
        ("XMP_KILL_GRACE", "-1"),
        ("XMP_LOG", "x=%"),
    ] {
        let output = xmprun(&["-n", "1", "echo", "ran"]).env(name, value).output().unwrap();
        assert_eq!(status(&output), 2, "{name}={value}");
        assert!(output.stdout.is_empty(), "{output:?}");
        assert!(text(&output.stderr).starts_with("xmp: "), "{output:?}");
    }
}

#[test]
fn the_number_of_images_may_come_from_the_environment() {
    let output = xmprun(&["sh", "-c", "echo ${XMP_NUM_IMAGES-unset}"])
        .env("XMP_NUM_IMAGES", "3")
        .output()
        .unwrap();
    // Not passed on: a program that an image starts must not launch itself.
    assert_eq!(sorted_lines(&output), ["unset"; 3]);
}

#[test]
fn arguments_reach_the_program_as_they_are() {
    let output =
        xmprun(&["-n", "1", "--", "printf", "%s|", "-n", "a b", "", "*"]).output().unwrap();
    assert_eq!(text(&output.stdout), "-n|a b||*|");
}

#[test]
fn bound_images_run_on_their_core_only() {
    let output =
        xmprun(&["-n", "1", "--bind", "core", "grep", "Cpus_allowed_list", "/proc/self/status"])
            .output()
            .unwrap();
    // One number, or those of the hardware threads of one core that this test may use.
    let list = text(&output.stdout).split_whitespace().nth(1).unwrap();
    let first = list.split([',', '-']).next().unwrap();
    let threads = format!("/sys/devices/system/cpu/cpu{first}/topology/thread_siblings_list");
    let threads = std::fs::read_to_string(threads).unwrap_or_default();
    assert!(list == first || list == threads.trim(), "{list} of {threads}");
}

#[test]
fn info_shows_machine_job_and_settings() {
    let output = xmprun(&["--info", "-n", "6", "--virtual-hosts", "2"])
        .env("XMP_SPIN", "2.5")
        .output()
        .unwrap();
    assert_eq!(status(&output), 0);
    let text = text(&output.stdout);
    for part in [
        "NUMA nodes",
        "caches        ",
        "single copy   ",
        "6 on",
        "hosts         2",
        "chunks        ",
        "spin 2.5 us",
        "XMP_SPIN=2.5",
        "XMP_MEMORY_LIMIT",
    ] {
        assert!(text.contains(part), "{part} is not in {text}");
    }
}

/// Without a plug-in there are no other hosts.
#[test]
fn info_shows_what_messages_between_hosts_go_by() {
    for (setting, shown) in [
        (None, "long transfers between hosts: messages"),
        (Some(("XMP_MPI_RMA", "always")), "between hosts: MPI's one-sided operations"),
        (Some(("XMP_MPI_RMA", "auto")), "long transfers between hosts: each job measures"),
        (None, "messages between hosts: TCP connections of the images, unless"),
        (Some(("XMP_MPI_SOCKETS", "never")), "messages between hosts: MPI"),
        (Some(("XMP_MPI_SOCKETS", "always")), "between hosts: TCP connections of the images"),
    ] {
        let mut command = xmprun(&["--info"]);
        command.envs(setting);
        let output = command.output().unwrap();
        let text = text(&output.stdout);
        assert!(
            text.contains("  none; programs run on one machine") || text.contains(shown),
            "{text}"
        );
    }
}

#[test]
fn the_log_shows_what_the_launcher_does() {
    let output =
        script_command(1, "exit 0").env("XMP_LOG", "xmp_boot::launch=debug").output().unwrap();
    assert!(text(&output.stderr).contains("started"), "{output:?}");
}
