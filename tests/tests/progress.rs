//! Requests to images that compute are carried out, whatever MPI sends them with: each way of each MPI, over shared
//! memory and over TCP, by messages and by windows.
//!
//! The program's images depend on nothing but that. How long each request takes it prints; run many times, it counts
//! those over 10 ms: `on_hosts openmpi 2,2 target/test-programs/hosts-progress-*/program 3 50` (`hosts/examples`, with
//! the options and settings of [`Way`]).

use serial_test::serial;
use std::panic;
use std::sync::OnceLock;
use xmp_hosts::{Flavour, Mpirun, Requirement, left_out, skipped};
use xmp_tests::hosts::{mpis_with_plugin, network};
use xmp_tests::{Program, Run};

/// How one MPI sends messages, and what long transfers go by.
struct Way {
    flavour: Flavour,
    /// Options of the launcher, besides the component for windows that works on any network.
    options: &'static [&'static str],
    /// Whether its messages go by UCX, which has to be asked for.
    ucx: bool,
    /// Whether long transfers go by a window.
    windows: bool,
}

/// Open MPI's messages by UCX, on any network.
const UCX: [&str; 9] =
    ["--mca", "pml", "ucx", "--mca", "pml_ucx_tls", "any", "--mca", "pml_ucx_devices", "any"];
/// With its windows.
const UCX_WINDOWS: [&str; 12] = {
    let [a, b, c, d, e, f, g, h, i] = UCX;
    [a, b, c, d, e, f, g, h, i, "--mca", "osc", "ucx"]
};

const WAYS: [Way; 6] = [
    Way { flavour: Flavour::OpenMpi, options: &[], ucx: false, windows: false },
    Way { flavour: Flavour::OpenMpi, options: &UCX, ucx: true, windows: false },
    Way { flavour: Flavour::OpenMpi, options: &[], ucx: false, windows: true },
    Way { flavour: Flavour::OpenMpi, options: &UCX_WINDOWS, ucx: true, windows: true },
    Way { flavour: Flavour::Mpich, options: &[], ucx: false, windows: false },
    Way { flavour: Flavour::Mpich, options: &[], ucx: false, windows: true },
];

/// The function by which a UCX that was built with assertions ends a program where another thread than that of MPI_Init uses a
/// window of Open MPI 5, MPI_THREAD_MULTIPLE or not.
const OF_ANOTHER_THREAD: &str = "ucs_async_check_owner_thread";

/// Whether this Open MPI can use UCX here: a program without XMP-RT does.
fn has_ucx(mpirun: &Mpirun) -> Result<(), String> {
    static OUTCOME: OnceLock<Result<(), String>> = OnceLock::new();
    let attempt = || {
        let program = Program::plain_mpi("mpi_plain", mpirun.flavour())
            .ok_or("without an mpicc it is not known whether Open MPI has UCX here")?;
        let run = Run::new(program.build()).mpirun(mpirun).images(4).args(["4"]);
        let run = UCX_WINDOWS.iter().fold(run, |run, option| run.launcher_option(*option));
        match panic::catch_unwind(|| run.finish().status.success()) {
            Ok(true) => Ok(()),
            _ => Err("Open MPI does not run programs with UCX here".into()),
        }
    };
    OUTCOME.get_or_init(attempt).clone()
}

/// Has the program run each possible way, by what `place` makes of it.
fn each_way(place: impl Fn(Run, &Mpirun, &Way) -> Run) {
    let program = Program::fortran("hosts/progress").build();
    let mpis = mpis_with_plugin();
    for way in WAYS {
        let Some(mpirun) = mpis.iter().find(|mpirun| mpirun.flavour() == way.flavour) else {
            continue;
        };
        if way.ucx
            && let Err(reason) = has_ucx(mpirun)
        {
            skipped(Requirement::Ucx, reason);
            continue;
        }
        // Images 1 and 3 lead their hosts, so that their processes are also the servers; image 4 does not.
        for computing in ["1", "3", "4"] {
            let run = place(Run::new(&program), mpirun, &way).args([computing]);
            let for_windows =
                if way.windows && !way.ucx { mpirun.options_for_windows() } else { Vec::new() };
            let options = way.options.iter().copied().chain(for_windows);
            let run = options.fold(run, Run::launcher_option);
            let run = run.env("XMP_MPI_RMA", if way.windows { "always" } else { "never" });
            let outcome = run.finish();
            if way.ucx && way.windows && outcome.stderr.contains(OF_ANOTHER_THREAD) {
                left_out(format_args!("windows by UCX: {OF_ANOTHER_THREAD}"));
                break;
            }
            let text = outcome.succeeded().stdout.clone();
            assert!(text.contains("the last put"), "{text}");
        }
    }
}

/// Between virtual hosts, so that messages go through MPI's shared memory.
#[test]
#[serial]
fn requests_are_carried_out_over_shared_memory() {
    each_way(|run, mpirun, _| run.mpirun(mpirun).images(4).virtual_hosts(2));
}

#[test]
#[serial]
fn requests_are_carried_out_over_tcp() {
    let Some(network) = network(2) else { return };
    each_way(|run, mpirun, way| {
        let run = run.mpirun_on(mpirun, &network, &[2, 2]);
        // Without the setting UCX tries every device that it finds.
        if way.ucx { run.env("UCX_NET_DEVICES", network.interface()) } else { run }
    });
}
