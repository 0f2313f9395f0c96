//! Separate hosts: jobs of both MPIs whose images are on two and three of them. Each host has its own name, network,
//! process numbers, shared memory and mounts (see `hosts/`).

use serial_test::serial;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;
use xmp_hosts::{Flavour, Mpirun, Network, Requirement, skipped};
use xmp_tests::hosts::{mpis_with_plugin, network, network_for};
use xmp_tests::toolchain::toolchain;
use xmp_tests::{Outcome, Program, Run, memory, together};

/// A job of MPI ends within this time of its fault, on a busy machine too.
const SOON: Duration = Duration::from_secs(300);
/// For programs that do much.
const LONG: Duration = Duration::from_secs(900);

/// The chapters, by the programs that cross hosts most.
const CHAPTERS: &[&str] = &[
    "transfers/between_images",
    "transfers/convert_real",
    "transfers/get_array",
    "transfers/large",
    "transfers/order",
    "transfers/put_array",
    "transfers/strides",
    "transfers/vector_subscripts",
    "sync/pipeline",
    "sync/sync_images_star",
    "sync/sync_memory_flag",
    "atomics/add",
    "atomics/compare_and_swap",
    "locks/critical_counter",
    "locks/lock_counter",
    "events/many_to_one",
    "events/until_zero",
    "collectives/co_broadcast_sizes",
    "collectives/co_sum_large",
    "collectives/mixed",
    "allocation/huge_request",
    "allocation/many_at_once",
    "components/chains",
    "components/pointers",
    "intrinsics/images",
    "teams/rows_and_columns",
];

/// Those that every layout of images runs.
const EVERYWHERE: &[&str] = &[
    "transfers/strides",
    "sync/sync_mixed",
    "locks/lock_counter",
    "events/ping_pong",
    "collectives/mixed",
    "teams/nested",
];

/// What to run, where.
struct Place {
    network: Arc<Network>,
    mpirun: Mpirun,
    images: Vec<u32>,
}

impl Place {
    fn run(&self, program: impl AsRef<Path>) -> Run {
        Run::new(program).mpirun_on(&self.mpirun, &self.network, &self.images)
    }
}

/// Images on hosts, under each MPI, which has hosts of its own. None where it is not possible.
fn places(images: &[u32]) -> Vec<Place> {
    let place = |mpirun: Mpirun| {
        let network = network_for(mpirun.flavour(), images.len())?;
        Some(Place { network, mpirun, images: images.into() })
    };
    mpis_with_plugin().into_iter().filter_map(place).collect()
}

/// Checks images on hosts under each MPI at the same time.
fn at_places(images: &[u32], check: impl Fn(Place) + Sync) {
    together(places(images), Flavour::ALL.len(), check);
}

/// The launcher of Open MPI may say something itself: that it was too late for a process that had ended, for instance.
fn conforms(place: &Place, names: &[&str]) {
    for name in names {
        let program = Program::fortran(name).build();
        place.run(&program).finish().succeeded().stdout_is("");
    }
}

#[test]
#[serial]
fn the_language_on_two_hosts() {
    at_places(&[2, 2], |place| {
        conforms(&place, CHAPTERS);
    });
}

/// Coindexed objects as gfortran 15 and later compile them. (`accessors.rs`)
#[test]
#[serial]
fn accessors_are_called_where_the_components_are() {
    let program = Program::accessors().build();
    at_places(&[2, 2], |place| {
        place.run(&program).args(["components"]).finish().succeeded().stdout_is("");
    });
}

#[test]
#[serial]
fn the_language_on_three_hosts() {
    for images in [&[1, 1, 1], &[2, 2, 2]] {
        at_places(images, |place| {
            conforms(&place, EVERYWHERE);
        });
    }
}

#[test]
#[serial]
fn hosts_with_different_numbers_of_images() {
    at_places(&[1, 3], |place| {
        conforms(&place, EVERYWHERE);
    });
}

#[test]
#[serial]
fn separate_hosts_can_be_split_into_virtual_ones() {
    at_places(&[2, 2], |place| {
        let program = Program::fortran("collectives/mixed").build();
        place.run(&program).virtual_hosts(2).finish().succeeded().stdout_is("");
    });
}

#[test]
#[serial]
fn examples_run_on_separate_hosts() {
    let cg = Program::example("npb_cg", Some("npb_cg")).build();
    let himeno = Program::example("himeno", None).build();
    at_places(&[2, 2], |place| {
        let text = place.run(&cg).args(["S"]).limit(LONG).finish().succeeded().stdout.clone();
        assert!(text.contains("SUCCESSFUL"), "{text}");
        let run = place.run(&himeno).args(["XS", "2x2x1", "20"]).limit(LONG);
        let text = run.finish().succeeded().stdout.clone();
        assert!(text.contains("PASS"), "{text}");
    });
}

#[test]
#[serial]
fn a_million_requests_under_way() {
    let program = Program::fortran("hosts/outstanding").build();
    at_places(&[1, 1], |place| {
        place.run(&program).args(["500000"]).limit(LONG).finish().succeeded().stdout_is("");
    });
}

#[test]
#[serial]
fn a_put_of_3_gib() {
    const NEEDED: u64 = 8 << 30;
    let available = memory::available();
    if available < NEEDED {
        let text = format_args!("{available} bytes of memory are available, {NEEDED} are needed");
        skipped(Requirement::Memory, text);
        return;
    }
    let program = Program::fortran("hosts/huge_put").build();
    for place in places(&[1, 1]) {
        place.run(&program).args(["3072"]).limit(LONG).finish().succeeded().stdout_is("");
    }
}

#[test]
#[serial]
fn the_smallest_segment_is_that_of_all_hosts() {
    let program = Program::fortran("hosts/segments").build();
    at_places(&[2, 2], |place| {
        for host in ["alpha", "beta"] {
            let line = format!(
                "[ $(hostname) = {host} ] && export XMP_SEGMENT_SIZE=64M; exec {}",
                program.display()
            );
            place.run("/bin/sh").args(["-c", &line]).finish().succeeded().stdout_is("");
        }
    });
}

#[test]
#[serial]
fn hosts_with_different_programs_are_refused_by_name() {
    let one = Program::fortran("sync/sync_all").build();
    let other = Program::fortran("sync/sync_all").argument("-O1").build();
    at_places(&[1, 1], |place| {
        let line =
            format!("[ $(hostname) = beta ] && exec {}; exec {}", other.display(), one.display());
        let outcome = place.run("/bin/sh").args(["-c", &line]).finish();
        assert!(!outcome.status.success(), "{outcome:?}");
        let words = ["the program is not the same", "image 1 on alpha", "image 2 on beta"];
        outcome.within(SOON).stderr_line_with(&words);
    });
}

/// A copy of the library and its plug-ins in which another version is where theirs does.
#[test]
#[serial]
fn hosts_with_different_versions_are_refused_by_name() {
    const VERSION: &str = env!("CARGO_PKG_VERSION");
    let other =
        VERSION.rsplit_once('.').map(|(first, _)| format!("{first}.x")).expect("it has dots");
    assert_eq!(other.len(), VERSION.len(), "it fits in its place");
    let place = tempfile::tempdir().expect("temporary files are possible");
    let mut files = vec![toolchain().prefix().join("lib/libxmprt.so.0")];
    files
        .extend(Flavour::ALL.iter().flat_map(|flavour| flavour.plugins_in(&toolchain().plugins())));
    for file in files {
        let mut bytes = std::fs::read(&file).expect("it can be read");
        let versions: Vec<usize> = bytes
            .windows(VERSION.len())
            .enumerate()
            .filter_map(|(at, its)| (its == VERSION.as_bytes()).then_some(at))
            .collect();
        for at in versions {
            bytes[at..at + VERSION.len()].copy_from_slice(other.as_bytes());
        }
        let name = file.file_name().expect("a file has a name");
        std::fs::write(place.path().join(name), bytes).expect("it can be written");
    }
    let program = Program::fortran("sync/sync_all").build();
    at_places(&[1, 1], |at| {
        let directory = place.path().display();
        let line = format!(
            "[ $(hostname) = beta ] && export LD_LIBRARY_PATH={directory} XMP_PLUGIN_DIR={directory}; exec {}",
            program.display()
        );
        let outcome = at.run("/bin/sh").args(["-c", &line]).finish();
        assert!(!outcome.status.success(), "{outcome:?}");
        let words = ["the version of XMP is not the same", VERSION, &other, "image 2 on beta"];
        outcome.within(SOON).stderr_line_with(&words);
    });
}

#[test]
#[serial]
fn settings_that_differ_are_refused_by_name() {
    let program = Program::fortran("sync/sync_all").build();
    at_places(&[1, 1], |place| {
        let line =
            format!("[ $(hostname) = beta ] && export XMP_CHECK=1; exec {}", program.display());
        let outcome = place.run("/bin/sh").args(["-c", &line]).finish();
        assert!(!outcome.status.success(), "{outcome:?}");
        outcome.within(SOON).stderr_line_with(&["XMP_CHECK", "not the same", "beta"]);
    });
}

fn ends() -> PathBuf {
    Program::fortran("control/ends").with("victim").build()
}

/// Image `who` of 2 x 2 ends in this way while the others are busy; nothing is left of the job.
fn ends_on(place: &Place, way: &str, who: &str, busy: &str) -> Outcome {
    place.run(ends()).args([way, who, busy]).finish().within(SOON).clone()
}

#[test]
#[serial]
fn error_stop_on_one_host_ends_the_others_with_its_code() {
    at_places(&[2, 2], |place| {
        for (who, busy) in [("4", "sync-all"), ("3", "event"), ("1", "co-sum"), ("2", "compute")] {
            let run = place.run(ends()).args(["error-stop-9", who, busy]);
            // Images that compute are killed when this time has passed.
            let run = if busy == "compute" { run.env("XMP_KILL_GRACE", "1000") } else { run };
            let outcome = run.finish();
            outcome.within(SOON).exited_with(9).stderr_line_with(&["ERROR STOP 9"]);
        }
    });
}

/// It ends the job, and is named by its guard.
fn is_killed(place: &Place, who: &str, busy: &str) {
    let outcome = ends_on(place, "kill", who, busy);
    assert!(!outcome.status.success(), "{outcome:?}");
    let name = format!("xmp: image {who} ");
    outcome.stderr_line_with(&[&name, "was killed by signal 9"]);
}

#[test]
#[serial]
fn an_image_that_is_killed_ends_the_job_and_is_named() {
    at_places(&[2, 2], |place| {
        // Leaders, which are the servers of their hosts, and others.
        for (who, busy) in [("4", "sync-all"), ("3", "sync-all"), ("1", "event"), ("2", "compute")]
        {
            is_killed(&place, who, busy);
        }
    });
}

#[test]
#[serial]
fn an_image_that_is_alone_on_its_host_is_named_too() {
    at_places(&[1, 1, 1], |place| {
        for (who, busy) in [("2", "sync-all"), ("1", "compute")] {
            is_killed(&place, who, busy);
        }
    });
}

/// The image ends past all exit handlers, so only its monitor notices.
#[test]
#[serial]
fn an_image_that_exits_silently_ends_the_job_and_is_named() {
    for (images, who) in [(&[2, 2][..], "4"), (&[1, 1], "2")] {
        at_places(images, |place| {
            for (way, code) in [("leave-5", "5"), ("leave-0", "0")] {
                let outcome = ends_on(&place, way, who, "sync-all");
                assert!(!outcome.status.success(), "{outcome:?}");
                let (name, end) =
                    (format!("xmp: image {who} "), format!("exit status {code} without"));
                outcome.stderr_line_with(&[&name, &end]);
            }
        });
    }
}

/// A job on two hosts, of which the second is not shared with other tests: they find nothing of this one there. It has
/// come so far that all images are there when `script` runs on that host; how the job ends, and what the script has
/// printed.
fn until_a_script_kills(mpirun: Mpirun, script: &str) -> (Outcome, String) {
    until_a_script_ends(mpirun, &[], script)
}

/// The same, with settings.
fn until_a_script_ends(
    mpirun: Mpirun,
    settings: &[(&str, &str)],
    script: &str,
) -> (Outcome, String) {
    let program = Program::fortran("hosts/endless").build();
    let network = Arc::new(Network::new(2).expect("as another one could be made"));
    let place = Place { network, mpirun, images: vec![2, 2] };
    let run = place.run(&program);
    let run = settings.iter().fold(run, |run, &(name, value)| run.env(name, value));
    let mut running = run.start();
    running.lines_after("there: ", 4);
    let beta = &place.network.hosts()[1];
    let killed = beta.command("sh").args(["-c", script]).output().expect("a shell");
    let outcome = running.finish();
    assert!(!outcome.status.success(), "{outcome:?}");
    outcome.within(SOON);
    (outcome, String::from_utf8_lossy(&killed.stdout).into_owned())
}

/// Runs a test with each MPI at once, on hosts of its own: most of the time it waits.
fn with_each_mpi(test: impl Fn(Mpirun) + Sync) {
    together(mpis_with_plugin(), Flavour::ALL.len(), test);
}

/// All its processes die at once, those of the launcher among them: what is left of that on the other host says so.
#[test]
#[serial]
fn a_host_that_is_killed_ends_the_job() {
    if network(2).is_none() {
        return;
    }
    // What is there of this MPI stays on such a machine; of ours there is nothing.
    let script = r#"kill -9 -1; ls /dev/shm "$TMPDIR" | grep xmp; rm -rf /dev/shm/* "$TMPDIR"/*"#;
    with_each_mpi(|mpirun| {
        let (outcome, files) = until_a_script_kills(mpirun, script);
        // (The second directory is named by `ls`.)
        let own = files.lines().filter(|line| !line.ends_with(':')).collect::<Vec<_>>();
        assert!(own.is_empty(), "{own:?}");
        // Open MPI speaks of a daemon that has failed, MPICH of a proxy. The library says more; but the launcher that
        // has lost a host may fail itself before it passes that on, or end those who say it.
        assert!(!outcome.stderr.trim().is_empty(), "no message says why the job has ended");
    });
}

/// As when a host has lost its power: its launcher says nothing, and its images are gone. (They die with their guards;
/// the launcher is stopped until they have been missed.)
#[test]
#[serial]
fn a_host_that_is_gone_is_named_with_its_images() {
    if network(2).is_none() {
        return;
    }
    let script = r#"for process in /proc/[0-9]*; do
    pid=${process#/proc/}
    case $(cat $process/comm) in
        orted|prted|hydra_pmi_proxy) kill -STOP $pid;;
    esac
done 2>/dev/null
for process in /proc/[0-9]*; do
    pid=${process#/proc/}
    case $(cat $process/comm) in
        xmp-monitor) kill -9 $pid;;
    esac
done 2>/dev/null
sleep 10
kill -9 -1
rm -rf /dev/shm/* "$TMPDIR"/*"#;
    with_each_mpi(|mpirun| {
        let (outcome, _) = until_a_script_kills(mpirun, script);
        outcome.stderr_line_with(&["xmp: host beta", "images 3 to 4", "is gone"]);
    });
}

/// No process is notified when the network between two hosts is lost: neither has an answer of the other, and MPI waits
/// for that. Both ends of the job say so after a while, and end their images, by themselves: no launcher reaches the
/// other host.
#[test]
#[serial]
fn hosts_that_have_lost_their_network_end_the_job_and_are_named() {
    if network(2).is_none() {
        return;
    }
    // Not before the hosts hold their line, which asks every second or two (connections of images ask every minute). When the images have gone - their launcher
    // may ask for them later -, the network comes back and the launcher's part of that host goes: launchers notice
    // less.
    let script = r#"for second in $(seq 100); do
    ss -Htno state established | grep -qE 'keepalive,([0-9]+ms|[0-9](\.[0-9]+)?sec),' && break
    sleep 1
done
ip link set eth0 down || echo the network cannot be lost
images() {
    for process in /proc/[0-9]*; do
        case $(cat $process/comm) in
            xmp-monitor | program) grep -q '^State:.*zombie' $process/status || return 0;;
        esac
    done 2>/dev/null
    return 1
}
for second in $(seq 100); do images || break; sleep 1; done
images && echo images are left
ls /dev/shm "$TMPDIR" | grep xmp
ip link set eth0 up
kill -9 -1
rm -rf /dev/shm/* "$TMPDIR"/*"#;
    with_each_mpi(|mpirun| {
        let (outcome, left) = until_a_script_ends(mpirun, &[("XMP_HOST_TIMEOUT", "3")], script);
        let left = left.lines().filter(|line| !line.ends_with(':')).collect::<Vec<_>>();
        assert!(left.is_empty(), "{left:?}");
        outcome.stderr_line_with(&["xmp: host beta", "images 3 to 4", "is gone"]);
    });
}

/// The processes of images that have failed stay, because launchers end a job when one ends.
#[test]
#[serial]
fn those_that_are_left_on_several_hosts_synchronise() {
    let program = Program::fortran("faults/survivors").with("victim").build();
    // Image 2 leads no host, or one; image 3 likewise.
    for images in [&[3, 3][..], &[1, 1, 4]] {
        at_places(images, |place| {
            let outcome = place.run(&program).args(["300", "fails"]).limit(LONG).finish();
            let left = ["went on: 1", "went on: 4", "went on: 5", "went on: 6"];
            outcome.succeeded().stdout_lines(&left);
        });
    }
}

#[test]
#[serial]
fn images_that_stop_leave_those_of_other_hosts_alone() {
    at_places(&[2, 2], |place| {
        let outcome = ends_on(&place, "stop", "4", "end");
        outcome.succeeded().stdout_lines(&[
            "image 1 reached the end",
            "image 2 reached the end",
            "image 3 reached the end",
        ]);
    });
}

/// What an image has put to the other host is seen after each statement that orders it, although it waits for no confirmation.
#[test]
#[serial]
fn what_was_put_to_the_other_host_is_seen_in_order() {
    let program = Program::fortran("hosts/causal_order").build();
    at_places(&[2, 2], |place| {
        for mode in ["neighbour", "far", "atomic"] {
            place.run(&program).args([mode]).finish().succeeded().stdout_is("");
        }
        for _ in 0..5 {
            place.run(&program).args(["fail"]).finish().succeeded().stdout_is("");
        }
    });
}
