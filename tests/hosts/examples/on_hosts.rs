//! Runs a program under an MPI launcher on separate hosts of this machine, to look at something by hand:
//!
//!     on_hosts MPI PROCESSES [NAME=VALUE...] [LAUNCHER OPTION...] PROGRAM [ARGUMENT...]
//!
//!     on_hosts shell HOSTS COMMAND [ARGUMENT...]
//!
//! The second form runs a command on the first of this many hosts (`alpha`, `beta`, `gamma`, `delta`); the program `$AGENT` takes the
//! place of `ssh`, as `XMP_SSH` does.
//!
//! `MPI` is `openmpi` or `mpich`, `PROCESSES` their numbers on each host (`2,2`; `4` for one host, which is this
//! machine); the settings are the program's. What looks like an option before the program is the launcher's (write
//! `--mca=...` as the launcher wants it, one word each; a value follows as a word of its own after `+`).

use std::env;
use std::process::{Command, ExitCode};
use xmp_hosts::{Flavour, Job, Mpirun, Network};

fn main() -> ExitCode {
    match run() {
        Ok(code) => code,
        Err(reason) => {
            eprintln!("on_hosts: {reason}");
            ExitCode::from(2)
        }
    }
}

fn run() -> Result<ExitCode, String> {
    let mut words = env::args().skip(1).peekable();
    let first = words.next();
    if first.as_deref() == Some("shell") {
        return in_shell(words);
    }
    let flavour = match first.as_deref() {
        Some("openmpi") => Flavour::OpenMpi,
        Some("mpich") => Flavour::Mpich,
        _ => return Err("the first word is openmpi, mpich or shell".into()),
    };
    let processes: Vec<u32> = words
        .next()
        .and_then(|text| text.split(',').map(|count| count.parse().ok()).collect())
        .ok_or("the second word is the processes of each host, as in 2,2")?;
    let mpirun = Mpirun::find(flavour).ok_or("its mpirun is not installed")?;
    let network = match processes.len() {
        1 => None,
        hosts => Some(Network::new(hosts)?),
    };
    let mut job = match &network {
        Some(network) => Job::on(network, &processes),
        None => Job::here(processes[0]),
    };
    while let Some(word) = words.next_if(|word| word.starts_with(['-', '+']) || word.contains('='))
    {
        job = match word.split_once('=') {
            _ if word.starts_with('-') => job.option(word),
            _ if word.starts_with('+') => job.option(&word[1..]),
            Some((name, value)) => job.env(name, value),
            None => job,
        };
    }
    status_of(mpirun.command(&job).args(words))
}

/// Runs a command on the first of this many hosts.
fn in_shell(mut words: impl Iterator<Item = String>) -> Result<ExitCode, String> {
    let hosts = words.next().and_then(|text| text.parse().ok());
    let network = Network::new(hosts.ok_or("the second word is a number of hosts")?)?;
    let program = words.next().ok_or("the third word is a command")?;
    let mut command = network.hosts()[0].command(program);
    status_of(command.args(words).env("AGENT", network.agent()).env("XMP_SSH", network.agent()))
}

/// The exit status of a command.
fn status_of(command: &mut Command) -> Result<ExitCode, String> {
    let status = command.status().map_err(|error| error.to_string())?;
    Ok(ExitCode::from(status.code().and_then(|code| u8::try_from(code).ok()).unwrap_or(255)))
}
