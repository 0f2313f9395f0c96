//! The client of PMI-1, the interface of hydra (MPICH, Intel MPI), Slurm (`srun --mpi=pmi2`) and Flux.

use super::hex;
use super::interface::{Manager, unexpected};
use super::line::{Answer, Lines};
use crate::error::{Error, Result};
use crate::plugin::XMPRUN;
use crate::rank::Rank;
use crate::sockets::Secret;
use std::net::{TcpStream, ToSocketAddrs};
use std::os::fd::{FromRawFd, OwnedFd, RawFd};
use std::time::Instant;

/// Most characters of a value: the shortest that a server takes is 1023, and Slurm's requests have 1024 in all.
const VALUE: usize = 900;

/// The name under which `xmprun` has the secret of the job.
pub const SECRET: &str = "xmprt-secret";

/// The client.
#[derive(Debug)]
pub(super) struct Pmi1 {
    lines: Lines,
    rank: Rank,
    size: u32,
    /// The name of the job's store.
    store: String,
    /// Whether the server is `xmprun`, which has a secret for the job.
    is_ours: bool,
}

impl Pmi1 {
    /// The server that the environment leads to. No call waits longer than until then.
    ///
    /// # Errors
    /// When it leads to none, or that one answers otherwise than the protocol says.
    pub fn open(lookup: impl Fn(&str) -> Option<String>, until: Instant) -> Result<Pmi1> {
        if lookup("PMI_SPAWNED").is_some_and(|value| value.trim() != "0") {
            return Err(Error::Invalid(
                "a program that MPI_Comm_spawn has started cannot be an image of a job without MPI"
                    .into(),
            ));
        }
        let number = |name: &str| lookup(name).and_then(|value| value.trim().parse::<u32>().ok());
        if let Some(text) = lookup(XMPRUN[0]) {
            let (Some(rank), Some(size)) = (number(XMPRUN[1]), number(XMPRUN[2])) else {
                return Err(Error::Invalid(format!("{} and {} are missing", XMPRUN[1], XMPRUN[2])));
            };
            let client = Pmi1::greet(Lines::new(inherited(&text)?, until), rank, size)?;
            return Ok(Pmi1 { is_ours: true, ..client });
        }
        if let Some(text) = lookup("PMI_FD") {
            let server = inherited(&text)?;
            let (Some(rank), Some(size)) = (number("PMI_RANK"), number("PMI_SIZE")) else {
                return Err(Error::Invalid(
                    "the process manager has set PMI_FD, but not PMI_RANK and PMI_SIZE".into(),
                ));
            };
            return Pmi1::greet(Lines::new(server, until), rank, size);
        }
        let (Some(address), Some(id)) = (lookup("PMI_PORT"), number("PMI_ID")) else {
            return Err(Error::Invalid(
                "no process manager of PMI-1 has started this process".into(),
            ));
        };
        let mut lines = Lines::new(called(&address)?, until);
        lines.ask(&format!("cmd=initack pmiid={id}"))?;
        let (mut rank, mut size) = (None, None);
        // It sends three facts. The last one is whether it logs events.
        loop {
            let told = lines.next()?;
            rank = rank.or(told.number("rank"));
            size = size.or(told.number("size"));
            if told.value("debug").is_some() {
                break;
            }
        }
        match (rank, size) {
            (Some(rank), Some(size)) => Pmi1::greet(lines, rank, size),
            _ => Err(Error::system("process manager", "it does not tell this process its number")),
        }
    }

    fn greet(mut lines: Lines, rank: u32, size: u32) -> Result<Pmi1> {
        if rank >= size {
            return Err(Error::Invalid(format!(
                "the process manager calls this process {rank} of {size}"
            )));
        }
        succeeds(
            &mut lines,
            "init",
            "cmd=init pmi_version=1 pmi_subversion=1",
            "response_to_init",
        )?;
        let answer = succeeds(&mut lines, "get_my_kvsname", "cmd=get_my_kvsname", "my_kvsname")?;
        let store =
            answer.value("kvsname").ok_or_else(|| unexpected("get_my_kvsname", &answer.0))?;
        Ok(Pmi1 { store: store.to_owned(), lines, rank: Rank::new(rank), size, is_ours: false })
    }
}

/// The descriptor of the server, which programs that this process starts do not get.
fn inherited(text: &str) -> Result<OwnedFd> {
    let missing = || {
        Error::Invalid(format!(
            "PMI_FD={text:?} does not lead to the process manager: has a program between it and this one closed its \
             descriptors?"
        ))
    };
    let number: RawFd = text.trim().parse().map_err(|_| missing())?;
    // SAFETY: any number may be asked for, and marked; one that is not open is an error.
    if number <= 2 || unsafe { libc::fcntl(number, libc::F_SETFD, libc::FD_CLOEXEC) } != 0 {
        return Err(missing());
    }
    // SAFETY: open, and left to this process by the process manager for this purpose.
    Ok(unsafe { OwnedFd::from_raw_fd(number) })
}

/// A connection to the server at this address, `host:port`.
fn called(address: &str) -> Result<OwnedFd> {
    let failed = |error| Error::os(format!("cannot reach the process manager at {address}"), error);
    let addresses = address.to_socket_addrs().map_err(failed)?;
    let addresses: Vec<_> = addresses.collect();
    let tcp = TcpStream::connect(&addresses[..]).map_err(failed)?;
    tcp.set_nodelay(true).map_err(failed)?;
    Ok(tcp.into())
}

/// Asks; the answer must be of this kind, and report success.
fn succeeds(lines: &mut Lines, what: &str, request: &str, kind: &str) -> Result<Answer> {
    let answer = lines.ask(request)?;
    if answer.value("cmd") == Some(kind) && answer.is_success() {
        Ok(answer)
    } else {
        Err(unexpected(what, &answer.0))
    }
}

impl Manager for Pmi1 {
    fn rank(&self) -> Rank {
        self.rank
    }

    fn size(&self) -> u32 {
        self.size
    }

    fn publish(&mut self, name: &str, bytes: &[u8]) -> Result<()> {
        let (store, value) = (&self.store, hex::encode(bytes));
        if value.len() > VALUE {
            return Err(Error::Invalid(format!("a value of {} characters for PMI-1", value.len())));
        }
        let request = format!("cmd=put kvsname={store} key={name} value={value}");
        succeeds(&mut self.lines, "put", &request, "put_result").map(drop)
    }

    fn meet(&mut self) -> Result<()> {
        succeeds(&mut self.lines, "barrier", "cmd=barrier_in", "barrier_out").map(drop)
    }

    fn find(&mut self, _: Rank, name: &str) -> Result<Vec<u8>> {
        let request = format!("cmd=get kvsname={} key={name}", self.store);
        let answer = succeeds(&mut self.lines, "get", &request, "get_result")?;
        let bytes = answer.value("value").and_then(hex::decode);
        bytes.ok_or_else(|| unexpected("get", &answer.0))
    }

    fn secret(&mut self) -> Result<Option<Secret>> {
        if !self.is_ours {
            return Ok(None);
        }
        let bytes = self.find(Rank::new(0), SECRET)?;
        let secret = bytes.as_slice().try_into();
        secret.map(Some).map_err(|_| unexpected("get", "a secret of another length"))
    }

    fn finish(&mut self) -> Result<()> {
        succeeds(&mut self.lines, "finalize", "cmd=finalize", "finalize_ack").map(drop)
    }

    fn abort(&mut self, status: i32, _: &str) {
        // Its answer is the end of this process. A server that has gone has ended the job.
        let _ = self.lines.send(&format!("cmd=abort exitcode={status}"));
    }
}

#[cfg(test)]
mod tests;
