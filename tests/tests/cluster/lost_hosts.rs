//! Hosts that are killed, are gone, or have lost their network: the job ends, and a message names them.

use crate::{Place, SOON};
use serial_test::serial;
use std::sync::Arc;
use xmp_hosts::{Flavour, Mpirun, Network};
use xmp_tests::hosts::{mpis_with_plugin, network};
use xmp_tests::{Outcome, Program, together};

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
