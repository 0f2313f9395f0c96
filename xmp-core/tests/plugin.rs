//! Tests of the MPI plug-ins, under the launchers of their MPIs on this machine. Without a case in its environment this
//! program runs itself under each launcher for each case, and checks the output. Plug-ins are those of the installation
//! that XMP_PREFIX names, as in the other tests; an MPI without one is skipped, with a message.

use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Output};
use std::time::{Duration, Instant};
use xmp_core::plugin::{self, Plugin, Scope, Threads};
use xmp_core::server::{Fabric, Op, Tag};
use xmp_core::settings::Settings;
use xmp_core::{Rank, Result};
use xmp_hosts::{Flavour, Mpirun, Requirement, skipped};

/// Name of the case that an image executes.
const CASE: &str = "PLUGIN_TEST_CASE";
/// The signal of a process that writes to a pipe without a reader.
const SIGPIPE: i32 = 13;
/// Longer than any case takes on a machine that is very busy.
const PATIENCE: Duration = Duration::from_secs(300);

fn main() -> ExitCode {
    let Ok(case) = std::env::var(CASE) else {
        check();
        return ExitCode::SUCCESS;
    };
    match Settings::from_env().and_then(|settings| play(&settings, &case)) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("xmp: {error}");
            ExitCode::from(3)
        }
    }
}

// --- The images ---

fn play(settings: &Settings, case: &str) -> Result<()> {
    let Some(plugin) = plugin::connect(settings)? else {
        println!("no MPI");
        return Ok(());
    };
    if let Err(error) = plugin.check(settings) {
        eprintln!("xmp: {error}");
        plugin.abort(3);
    }
    match case {
        "places" => places(&plugin),
        "boot" => boot(&plugin)?,
        "messages" => messages(&plugin)?,
        "long" => long(&plugin)?,
        "window" => window(&plugin)?,
        "communicator" => communicator(&plugin)?,
        "abort" => abort(&plugin)?,
        _ => panic!("no case {case}"),
    }
    plugin.finish()?;
    println!("ended");
    Ok(())
}

fn places(plugin: &Plugin) {
    assert!(plugin.rank().get() < plugin.size());
    assert_eq!(plugin.leader(), Rank::new(0));
    assert_eq!((plugin.local_rank(), plugin.local_size()), (plugin.rank().get(), plugin.size()));
    assert_eq!((plugin.host(), plugin.hosts()), (0, 1));
    assert_eq!(plugin.leads(), plugin.local_rank() == 0);
    assert!(!plugin.by_program() && plugin.threads() >= Threads::SERIALIZED);
    plugin.require_threads().unwrap();
    assert_eq!(plugin::Flavour::of_library(&plugin.library()), plugin.flavour());
    assert!(!plugin.host_name().is_empty());
    println!("of {}", plugin.size());
}

fn boot(plugin: &Plugin) -> Result<()> {
    let me = plugin.rank().get();
    let leaders = plugin.leaders()?;
    assert_eq!(leaders.len(), plugin.size() as usize);
    assert_eq!(leaders[me as usize], plugin.leader());
    let here = leaders.iter().filter(|&&leader| leader == plugin.leader()).count();
    assert_eq!(here, plugin.local_size() as usize);
    let all = plugin.allgather(Scope::ALL, &[me as u8, 7])?;
    let expected: Vec<u8> = (0..plugin.size()).flat_map(|rank| [rank as u8, 7]).collect();
    assert_eq!(all, expected);
    assert_eq!(plugin.allgather(Scope::HOST, &[])?, []);
    let root = plugin.local_size() - 1;
    let mut text = if plugin.local_rank() == root { *b"from the last" } else { [0; 13] };
    plugin.broadcast(Scope::HOST, root, &mut text)?;
    assert_eq!(&text, b"from the last");
    // Only leaders communicate with leaders.
    if plugin.leads() {
        let hosts: Vec<u8> = (0..plugin.hosts() as u8).collect();
        assert_eq!(plugin.allgather(Scope::LEADERS, &[plugin.host() as u8])?, hosts);
    } else {
        assert!(plugin.barrier(Scope::LEADERS).is_err())
    }
    let barrier = plugin.start_barrier(Scope::ALL)?;
    while !plugin.test(barrier)? {
        std::thread::yield_now();
    }
    plugin.barrier(Scope::ALL)
}

fn complete(fabric: &mut dyn Fabric, op: Op) -> Result<(Rank, usize)> {
    let until = Instant::now() + PATIENCE;
    loop {
        if let Some(done) = fabric.test(op)? {
            return Ok(done);
        }
        assert!(Instant::now() < until, "an operation does not end");
        std::thread::yield_now();
    }
}

/// Image 1 serves: it has receives from any image, and answers the sender.
fn messages(plugin: &Plugin) -> Result<()> {
    const EACH: u8 = 20;
    let fabric = &mut plugin.fabric();
    let (server, others) = (Rank::new(0), plugin.size() as usize - 1);
    if fabric.rank() != server {
        for number in 0..EACH {
            let (sent, mut answer) = ([number; 3], [0; 8]);
            // SAFETY: both live until they are done.
            let (question, reply) = unsafe {
                let reply = fabric.receive(server, Tag::REPLY, &mut answer)?;
                (fabric.send(server, Tag::REQUEST, &sent)?, reply)
            };
            complete(fabric, question)?;
            assert_eq!(complete(fabric, reply)?, (server, 1));
            assert_eq!(answer[0], number + 1);
        }
    } else {
        // Two at a time, and the one that was started first is tested first, so that messages stay in order.
        let mut buffers = [[0; 8]; 2];
        let mut next = vec![0; others + 1];
        let mut posted = Vec::new();
        for buffer in &mut buffers {
            // SAFETY: they live until they are done or cancelled.
            posted.push(unsafe { fabric.receive_any(Tag::REQUEST, &mut buffer[..]) }?);
        }
        for turn in 0..others * usize::from(EACH) {
            let (source, bytes) = complete(fabric, posted[turn % 2])?;
            assert_eq!(bytes, 3);
            let number = buffers[turn % 2][0];
            assert_eq!(number, next[source.index()], "in order");
            next[source.index()] += 1;
            let answer = [number + 1];
            // SAFETY: the reply lives until the send is done.
            let sent = unsafe {
                posted[turn % 2] = fabric.receive_any(Tag::REQUEST, &mut buffers[turn % 2][..])?;
                fabric.send(source, Tag::REPLY, &answer)?
            };
            complete(fabric, sent)?;
        }
        for op in posted {
            assert_eq!(fabric.test(op)?, None);
            fabric.cancel(op)?;
        }
    }
    plugin.barrier(Scope::ALL)?;
    // Too long for the buffer: the receive fails with this error. (Open MPI does not detect it within one process.)
    let (sent, mut short) = ([1; 64], [0; 8]);
    let next = Rank::new((plugin.rank().get() + 1) % plugin.size());
    let previous = Rank::new((plugin.rank().get() + plugin.size() - 1) % plugin.size());
    if plugin.size() > 1 {
        // SAFETY: both buffers live until the operations are done.
        let (receive, send) = unsafe {
            let receive = fabric.receive(previous, Tag::REPLY_DATA, &mut short)?;
            (receive, fabric.send(next, Tag::REPLY_DATA, &sent)?)
        };
        let error = complete(fabric, receive).unwrap_err().to_string();
        assert!(error.to_lowercase().contains("truncate"), "{error}");
        complete(fabric, send)?;
    }
    Ok(())
}

/// More bytes than an int counts: between the last two images, so that the first ones only wait.
fn long(plugin: &Plugin) -> Result<()> {
    const LEN: usize = (1 << 31) + 4099;
    let fabric = &mut plugin.fabric();
    let (from, to) = (Rank::new(plugin.size() - 2), Rank::new(plugin.size() - 1));
    let mark = |at: usize| (at % 251) as u8 + 1;
    let places = [0, 1 << 30, (1 << 31) - 1, 1 << 31, LEN - 1];
    if [from, to].contains(&fabric.rank()) {
        let mut bytes = vec![0_u8; LEN];
        let op = if fabric.rank() == from {
            places.iter().for_each(|&at| bytes[at] = mark(at));
            // SAFETY: they live until it is done.
            unsafe { fabric.send(to, Tag::REQUEST_DATA, &bytes[..]) }?
        } else {
            // SAFETY: the bytes live until the receive is done.
            unsafe { fabric.receive(from, Tag::REQUEST_DATA, &mut bytes[..]) }?
        };
        let done = complete(fabric, op)?;
        if fabric.rank() == to {
            assert_eq!(done, (from, LEN));
            places.iter().for_each(|&at| assert_eq!(bytes[at], mark(at), "{at}"));
        }
    }
    plugin.barrier(Scope::ALL)
}

/// Each image puts to the memory of every host, and gets what the next image has put.
fn window(plugin: &Plugin) -> Result<()> {
    const PART: usize = 1000;
    let mut region = vec![0_u8; PART * plugin.size() as usize];
    let exposed = plugin.leads().then_some(&raw mut region[..]);
    // SAFETY: the region lives until after `finish`: it is leaked below.
    let mut fabric = unsafe { plugin.fabric_with_window(exposed) }?;
    let me = fabric.rank().get();
    let mut leaders = plugin.leaders()?;
    leaders.dedup();
    let mine = [me as u8 + 1; PART];
    let place = |rank: u32| u64::from(rank) * PART as u64;
    for &leader in &leaders {
        // SAFETY: a part of its own for each image, which lives until the put is done.
        let put = unsafe { fabric.window().unwrap().put(leader, place(me), &mine[..]) }?;
        complete(&mut fabric, put)?;
        fabric.window().unwrap().flush(leader)?;
    }
    plugin.barrier(Scope::ALL)?;
    let next = (me + 1) % plugin.size();
    for &leader in &leaders {
        let mut back = [0; PART];
        // SAFETY: the buffer lives until the get is done.
        let get = unsafe { fabric.window().unwrap().get(leader, place(next), &mut back[..]) }?;
        complete(&mut fabric, get)?;
        assert_eq!(back, [next as u8 + 1; PART], "at {leader}");
    }
    plugin.barrier(Scope::ALL)?;
    std::mem::forget(region);
    Ok(())
}

/// Odd and even images, at the same time; and all in the other order.
fn communicator(plugin: &Plugin) -> Result<()> {
    let me = plugin.rank().get();
    let half: Vec<Rank> =
        (0..plugin.size()).filter(|rank| rank % 2 == me % 2).map(Rank::new).collect();
    let made = plugin.communicator(&half, me as u16 % 2)?;
    assert!(made.c_size > 0);
    let all: Vec<Rank> = (0..plugin.size()).rev().map(Rank::new).collect();
    let other = plugin.communicator(&all, 2)?;
    assert_ne!(made.fortran, other.fortran);
    plugin.barrier(Scope::ALL)
}

/// The last image aborts while the others wait.
fn abort(plugin: &Plugin) -> Result<()> {
    if plugin.rank().get() == plugin.size() - 1 {
        plugin.abort(9);
    }
    plugin.barrier(Scope::ALL)
}

// --- The test ---

/// A launcher on this machine, and the plug-in for its MPI.
struct Mpi {
    launcher: &'static str,
    options: &'static [&'static str],
    directory: PathBuf,
    /// The component of Open MPI whose windows work everywhere.
    window_component: Option<&'static str>,
}

fn check() {
    let Some(prefix) = std::env::var_os("XMP_PREFIX").map(PathBuf::from) else {
        return skipped(
            Requirement::Installation,
            "XMP_PREFIX names no installation with plug-ins",
        );
    };
    for (flavour, launcher, options) in [
        (Flavour::OpenMpi, "mpirun.openmpi", &["--oversubscribe"][..]),
        (Flavour::Mpich, "mpirun.mpich", &[]),
    ] {
        let directory = prefix.join("lib/xmprt");
        let found = Mpirun::find(flavour);
        let Some(mpirun) = found.filter(|_| !flavour.plugins_in(&directory).is_empty()) else {
            let directory = directory.display();
            let text = format_args!("no {launcher} here, or no plug-in for it in {directory}");
            skipped(flavour.requirement(), text);
            continue;
        };
        let window_component = mpirun.window_component();
        let mpi = Mpi { launcher, options, directory, window_component };
        all_cases(&mpi);
        refusals(&mpi);
        println!("{launcher}: ok");
    }
}

fn all_cases(mpi: &Mpi) {
    for case in ["places", "boot", "messages", "window", "communicator"] {
        for images in [1, 2, 5] {
            // Open MPI of Debian 12 does not take the component that works everywhere by itself.
            let component = mpi.window_component.map(|component| ("OMPI_MCA_osc", component));
            let output = run(mpi, images, case, component.as_slice());
            assert!(output.status.success(), "{}: {case} {images}: {output:?}", mpi.launcher);
            let ended = String::from_utf8_lossy(&output.stdout).matches("ended").count();
            assert_eq!(ended, images as usize, "{case}: {output:?}");
        }
    }
    // The receiver has that much, and so may MPI.
    const NEEDED: u64 = 6 << 30;
    match xmp_core::region::machine_limit() {
        limit if limit < NEEDED => {
            skipped(
                Requirement::Memory,
                format_args!("long messages need {NEEDED} bytes of {limit}"),
            );
        }
        _ => {
            let output = run(mpi, 3, "long", &[]);
            assert!(output.status.success(), "{}: long: {output:?}", mpi.launcher);
        }
    }
    let output = run(mpi, 3, "abort", &[]);
    assert_eq!(output.status.code(), Some(9), "{output:?}");
    for choice in ["shm", "auto"] {
        let output = run(mpi, 1, "boot", &[("XMP_TRANSPORT", choice)]);
        assert!(String::from_utf8_lossy(&output.stdout).contains("no MPI"), "{output:?}");
    }
}

/// The refused cases, and their messages.
fn refusals(mpi: &Mpi) {
    if let Some(component) = mpi.window_component {
        let output = run(mpi, 1, "window", &[("OMPI_MCA_osc", "sm")]);
        let text = String::from_utf8_lossy(&output.stderr);
        let advice = format!("mpirun --mca osc {component}");
        let words = ["no one-sided access", &advice, "XMP_MPI_RMA=never"];
        assert!(words.iter().all(|word| text.contains(word)), "{text}");
    }
    let other = match mpi.launcher {
        "mpirun.openmpi" => "mpich",
        _ => "openmpi",
    };
    for (name, value, words) in [
        ("XMP_NUM_IMAGES", "5", &["XMP_NUM_IMAGES: 5 images", "2 processes"][..]),
        (
            "XMP_PLUGIN_DIR",
            "/nowhere",
            &["no plug-in for", "was sought in /nowhere", "./x install"],
        ),
        ("XMP_TRANSPORT", other, &["has started this program", other]),
        ("XMP_TRANSPORT", "shm", &["has started 2 processes", "a job of its own"]),
    ] {
        let output = run(mpi, 2, "boot", &[(name, value)]);
        let text = String::from_utf8_lossy(&output.stderr);
        assert!(!output.status.success(), "{name}: {output:?}");
        assert!(words.iter().all(|word| text.contains(word)), "{name}: {text}");
    }
}

/// Runs this program again as that many images.
fn run(mpi: &Mpi, images: u32, case: &str, environment: &[(&str, &str)]) -> Output {
    let seconds = PATIENCE.as_secs() * 2;
    let mut command = Command::new("timeout");
    for (name, _) in std::env::vars_os() {
        if name.to_string_lossy().starts_with("XMP_") {
            command.env_remove(name);
        }
    }
    command
        .args(["-k", "5", &seconds.to_string(), mpi.launcher])
        .args(mpi.options)
        .args(["-n", &images.to_string()])
        .arg(program())
        .env("XMP_PLUGIN_DIR", &mpi.directory)
        .env("OMPI_ALLOW_RUN_AS_ROOT", "1")
        .env("OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1")
        .env("OMPI_MCA_mpi_yield_when_idle", "1")
        .env("OMPI_MCA_rmaps_base_oversubscribe", "1")
        .env(CASE, case)
        // One process alone would do without.
        .env("XMP_TRANSPORT", "mpi")
        .envs(environment.iter().copied());
    // MPICH's launcher is ended by this signal now and then where the processes end at once: it writes to one that is gone.
    let is_launchers = |output: &Output| output.status.signal() == Some(SIGPIPE);
    let mut output = command.output().unwrap();
    for _ in 0..3 {
        if is_launchers(&output) {
            output = command.output().unwrap();
        }
    }
    output
}

fn program() -> PathBuf {
    std::env::current_exe().unwrap_or_else(|_| Path::new("/proc/self/exe").into())
}
