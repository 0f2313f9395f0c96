//! The monitor: a process between the launcher of MPI, or a process manager, and an image, which reports how the image has died.
//!
//! Launchers of MPI end all processes of a job a few 100 us after one of them has died, and output that these have
//! written just before may be lost. An image that is alone on its host has no other image that could see it die. So a
//! process that MPI has started forks before it loads MPI: the child is the image, which is the program; the parent is
//! its monitor, which the launcher takes for the program. The monitor waits for the image's end and ends in the same
//! way, so the launcher sees no difference. But if the image was killed, or has left unannounced (`_exit`), the monitor
//! reports that first, and gives the launcher time to pass the report on.
//!
//! One word of memory that both share shows the monitor whether an image leaves unannounced: [`departure`]. The monitor
//! also has copies of the image's connections to other hosts ([`super::keepalive`]), so that these live as long as it
//! does, and it sends the goodbye on them.

use super::descriptors;
use super::goodbye::{DEATH, GOODBYE, Sight, look, report_gone};
use crate::error::{Error, Result};
use crate::failure::departure::{self, INSIDE};
use crate::launch::QUESTIONS;
use crate::launch::hang::expects;
use crate::launch::status::End;
use crate::plugin::{detect, linked};
use crate::rank::Rank;
use crate::region::MemoryKills;
use crate::report::{report, until_reports_are_read};
use crate::settings::Settings;
use rustix::process::{
    Pid, Resource, Rlimit, Signal, WaitOptions, WaitStatus, getpid, getppid,
    set_parent_process_death_signal, setrlimit, waitpid,
};
use rustix::thread::set_name;
use std::io::{self, Write};
use std::mem::MaybeUninit;
use std::net::TcpStream;
use std::os::unix::net::UnixStream;
use std::ptr;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};

/// The socket by which this image passes descriptors to its monitor, if it has one.
static SENDER: OnceLock<UnixStream> = OnceLock::new();

/// The memory that this process shares with its monitor, if it has one.
static SHARED: OnceLock<&MonitorMemory> = OnceLock::new();

/// The number of signals by which a user has requested a report of the images.
pub(super) fn questions() -> u32 {
    // Relaxed: a count; nothing else is read because of it.
    SHARED.get().map_or(0, |shared| shared.questions.load(Ordering::Relaxed))
}

/// Passes the monitor a copy of a connection to the host of this name.
///
/// # Errors
/// When there is no monitor, or the system has no room.
pub(super) fn keep(connection: &TcpStream, host: &str) -> io::Result<()> {
    let sender = SENDER.get().ok_or(io::ErrorKind::NotConnected)?;
    descriptors::send(sender, connection, host)
}

/// The connections to other hosts that an image has passed to its monitor.
#[derive(Debug)]
struct Connections {
    receiver: Option<UnixStream>,
    /// Those on which the goodbye was sent, with the names of the hosts.
    closing: Vec<(TcpStream, String)>,
}

impl Connections {
    /// Sends a goodbye on all of them.
    fn send(&mut self, goodbye: &[u8]) {
        while let Some((connection, host)) = self.receiver.as_ref().and_then(descriptors::receive) {
            let mut connection = TcpStream::from(connection);
            // The other end may be gone.
            let _ = connection.write_all(goodbye);
            self.closing.push((connection, host));
        }
    }

    /// Reports which hosts have gone without a goodbye. A launcher that ends a job because of that may end this image
    /// before it has noticed. Hosts that the launcher ends together send the goodbye.
    fn report_gone_hosts(&mut self) {
        let deadline = Instant::now() + GOODBYE_TIMEOUT;
        while !self.closing.is_empty() && Instant::now() < deadline {
            self.closing.retain(|(connection, host)| match look(connection) {
                Sight::Lives => true,
                Sight::Leaves | Sight::Dies => false,
                Sight::Gone(error) => {
                    report_gone(host, error.as_ref());
                    false
                }
            });
            std::thread::sleep(Duration::from_millis(1));
        }
    }
}

/// Memory that an image shares with its monitor.
#[derive(Debug)]
struct MonitorMemory {
    /// Whether the image leaves unannounced ([`departure`]).
    departure: AtomicU32,
    /// The number of signals by which a user has asked for a report of the images.
    questions: AtomicU32,
}

/// Zeroed memory that a process shares with those that it forks, for as long as it lives; null if there is none.
fn shared_memory() -> *mut MonitorMemory {
    // SAFETY: new memory, zeroed, shared with forked processes.
    unsafe {
        let kind = libc::MAP_SHARED | libc::MAP_ANONYMOUS;
        let access = libc::PROT_READ | libc::PROT_WRITE;
        match libc::mmap(ptr::null_mut(), size_of::<MonitorMemory>(), access, kind, -1, 0) {
            libc::MAP_FAILED => ptr::null_mut(),
            word => word.cast(),
        }
    }
}

/// The state of a process after [`fork_monitor`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Monitored {
    /// An image with a monitor.
    Yes,
    /// An image without one: it cannot have one, or a debugger traces it.
    No,
}

/// Forks this process if it is for MPI, the launcher's environment has its rank, no debugger traces it, it has one
/// thread, and no MPI runs in it: then this returns in the image, and the monitor does not return. Where the system has
/// no process for it, the image continues without a monitor, and reports that.
///
/// # Errors
/// Those of [`detect::wanted`].
pub(crate) fn fork_monitor(settings: &Settings) -> Result<Monitored> {
    let wanted = settings.monitor && detect::wanted(settings)?.is_some();
    let rank = detect::rank().filter(|_| wanted && can_divide());
    // SAFETY: this process has one thread, so the child is a complete copy.
    Ok(rank.map_or(Monitored::No, |rank| divide(rank, || unsafe { libc::fork() })))
}

/// Splits this process into monitor and image by `fork`.
fn divide(rank: Rank, fork: impl FnOnce() -> libc::pid_t) -> Monitored {
    let shared = shared_memory();
    let (sender, receiver) = UnixStream::pair().ok().unzip();
    let mut before = MaybeUninit::<libc::sigset_t>::uninit();
    // SAFETY: an initialised set of signals; room for another. Blocked from now on, so that the monitor misses none.
    let before = unsafe {
        let mut all = MaybeUninit::<libc::sigset_t>::uninit();
        libc::sigfillset(all.as_mut_ptr());
        libc::sigprocmask(libc::SIG_SETMASK, all.as_ptr(), before.as_mut_ptr());
        before.assume_init()
    };
    // The default of this signal is to be pending while it is blocked. If the parent program ignores it, the end of an
    // image that dies at once would leave its monitor waiting.
    let mut child = MaybeUninit::<libc::sigaction>::uninit();
    // SAFETY: an action without a handler; room for the old one, which the call fills.
    let child = unsafe {
        let default: libc::sigaction = MaybeUninit::zeroed().assume_init();
        libc::sigaction(libc::SIGCHLD, &default, child.as_mut_ptr());
        child.assume_init()
    };
    let restore = || {
        // SAFETY: the action and the set that were saved above.
        unsafe {
            libc::sigaction(libc::SIGCHLD, &child, ptr::null_mut());
            libc::sigprocmask(libc::SIG_SETMASK, &before, ptr::null_mut());
        }
    };
    let monitor = getpid();
    match fork() {
        -1 => {
            let error = std::io::Error::last_os_error();
            let error = Error::no_process("cannot start a process", error);
            restore();
            report(format_args!(
                "{rank} has no monitor process, so its cause of death may not be reported: {error}"
            ));
            Monitored::No
        }
        0 => {
            // The image ends with its monitor, which launchers kill.
            let _ = set_parent_process_death_signal(Some(Signal::KILL));
            if getppid() != Some(monitor) {
                // SAFETY: does not return. The monitor was killed before the image could notice.
                unsafe { libc::_exit(1) };
            }
            restore();
            ignore_question();
            // SAFETY: null, or two words, valid when zeroed, that stay mapped as long as this process lives.
            let shared: Option<&MonitorMemory> = unsafe { shared.as_ref() };
            departure::share(shared.map(|shared| &shared.departure));
            if let Some(shared) = shared {
                // A process forks a monitor once.
                let _ = SHARED.set(shared);
            }
            drop(receiver);
            if let Some(sender) = sender {
                // A process forks a monitor once.
                let _ = SENDER.set(sender);
            }
            Monitored::Yes
        }
        image => {
            drop(sender);
            // SAFETY: null, or two words, valid when zeroed, that are never unmapped.
            let shared = unsafe { shared.as_ref() };
            let image = Pid::from_raw(image).expect("fork returns the child");
            watch(image, rank, shared, Connections { receiver, closing: Vec::new() })
        }
    }
}

/// Ignores SIGUSR1 until the program handles it: batch systems, and the launcher of Open MPI, send signals to all processes, so
/// that the question reaches the image, too, which must not die of it.
pub(super) fn ignore_question() {
    // SAFETY: queries and sets an action; a zeroed one is valid, and the call fills in the old one.
    unsafe {
        let mut action: libc::sigaction = MaybeUninit::zeroed().assume_init();
        let known = libc::sigaction(libc::SIGUSR1, ptr::null(), &raw mut action) == 0;
        if known && action.sa_sigaction == libc::SIG_DFL {
            libc::signal(libc::SIGUSR1, libc::SIG_IGN);
        }
    }
}

fn can_divide() -> bool {
    let Ok(status) = std::fs::read_to_string("/proc/self/status") else { return false };
    let field = |name: &str| {
        let line = status.lines().find_map(|line| line.strip_prefix(name));
        line.and_then(|rest| rest.trim_start_matches(':').trim().parse::<u32>().ok())
    };
    field("Threads") == Some(1) && field("TracerPid") == Some(0) && !linked::has_initialised()
}

/// Ends an image of this user and host: its monitor ends it and then itself with this status, and reports nothing. One without a
/// monitor is killed.
pub(super) fn dismiss(image: Pid, status: i32) {
    let value = libc::sigval { sival_ptr: ptr::without_provenance_mut(status as usize) };
    let monitor = monitor_of(image);
    // SAFETY: processes of the job; for a process that has ended meanwhile the call fails, as intended.
    unsafe {
        match monitor {
            Some(monitor) => _ = libc::sigqueue(monitor.as_raw_nonzero().get(), DISMISSAL, value),
            None => _ = libc::kill(image.as_raw_nonzero().get(), libc::SIGKILL),
        }
    }
}

/// The process that a process was started by, if that is a monitor.
fn monitor_of(image: Pid) -> Option<Pid> {
    let status = std::fs::read_to_string(format!("/proc/{image}/stat")).ok()?;
    // Behind the name, which may contain anything: the state, and the parent.
    let parent = status.rsplit_once(')')?.1.split_whitespace().nth(1)?.parse().ok()?;
    let name = std::fs::read(format!("/proc/{parent}/comm")).ok()?;
    (name.trim_ascii() == NAME.to_bytes()).then(|| Pid::from_raw(parent)).flatten()
}

/// The name of a monitor in lists of processes.
const NAME: &std::ffi::CStr = c"xmp-monitor";
/// The signal of a dismissal, if it is queued: launchers do not queue signals. The status is its value.
const DISMISSAL: libc::c_int = libc::SIGTERM;

/// The monitor: passes signals on until the image ends.
fn watch(
    image: Pid,
    rank: Rank,
    shared: Option<&MonitorMemory>,
    mut connections: Connections,
) -> ! {
    let _ = set_name(NAME);
    let memory_kills = MemoryKills::now();
    let mut passed_on = Vec::new();
    loop {
        let (signal, dismissal) = next_signal();
        if let Some(status) = dismissal {
            // SAFETY: a child of this process that was not waited for; the call does not return.
            unsafe {
                libc::kill(image.as_raw_nonzero().get(), libc::SIGKILL);
                let _ = waitpid(Some(image), WaitOptions::empty());
                connections.send(GOODBYE);
                libc::_exit(status);
            }
        }
        match signal {
            libc::SIGCHLD => {
                if let Ok(Some((_, status))) = waitpid(Some(image), WaitOptions::NOHANG) {
                    // First: other hosts must not take later events for the end of this one.
                    let is_death = passed_on.is_empty() && status.terminating_signal().is_some();
                    connections.send(if is_death { DEATH } else { GOODBYE });
                    let is_inside =
                        shared.is_some_and(|it| it.departure.load(Ordering::Relaxed) == INSIDE);
                    if !passed_on.is_empty() && is_inside {
                        connections.report_gone_hosts();
                    }
                    end_like(image, rank, status, is_inside, &passed_on, &memory_kills);
                }
            }
            signal => {
                if QUESTIONS.contains(&signal) {
                    if let Some(shared) = shared {
                        // Relaxed: a count; nothing else is read because of it.
                        shared.questions.fetch_add(1, Ordering::Relaxed);
                    }
                    if signal == libc::SIGQUIT
                        || !expects(image.as_raw_nonzero().get() as u32, signal)
                    {
                        continue;
                    }
                }
                if !passed_on.contains(&signal) {
                    passed_on.push(signal);
                }
                if ENDING.contains(&signal) {
                    connections.send(GOODBYE);
                }
                // SAFETY: a child of this process that was not waited for; signals of any kind, also real-time ones.
                unsafe { libc::kill(image.as_raw_nonzero().get(), signal) };
            }
        }
    }
}

/// The time that other hosts have for their goodbyes when a launcher ends the job. They come within milliseconds; a
/// host that has gone may take longer to close its connections.
const GOODBYE_TIMEOUT: Duration = Duration::from_secs(1);
/// Signals by which launchers end jobs.
const ENDING: [libc::c_int; 3] = [libc::SIGTERM, libc::SIGINT, libc::SIGHUP];

/// The next signal of any kind; and the status, if it is a dismissal.
fn next_signal() -> (i32, Option<i32>) {
    loop {
        let mut info = MaybeUninit::<libc::siginfo_t>::zeroed();
        // SAFETY: an initialised set of signals; room for the description of one.
        let signal = unsafe {
            let mut all = MaybeUninit::<libc::sigset_t>::uninit();
            libc::sigfillset(all.as_mut_ptr());
            libc::sigwaitinfo(all.as_ptr(), info.as_mut_ptr())
        };
        if signal > 0 {
            // SAFETY: zeroed, and filled by the call; a queued signal has a value.
            let dismissal = unsafe {
                let info = info.assume_init();
                let is_queued = signal == DISMISSAL && info.si_code == libc::SI_QUEUE;
                is_queued.then(|| info.si_value().sival_ptr.addr() as i32)
            };
            return (signal, dismissal);
        }
    }
}

/// Ends this process as the image has ended; by a signal if the image has left unannounced while it was `is_inside` its
/// job.
fn end_like(
    image: Pid,
    rank: Rank,
    status: WaitStatus,
    is_inside: bool,
    passed_on: &[i32],
    memory_kills: &MemoryKills,
) -> ! {
    let end = match status.terminating_signal() {
        Some(signal) => End::Killed(signal),
        None => End::Exited(status.exit_status().unwrap_or(0)),
    };
    let signal = match end {
        End::Killed(signal) => signal,
        // MPICH's launcher lets the others wait for a process that has ended with an exit status, whatever it is.
        End::Exited(_) if is_inside => libc::SIGABRT,
        // SAFETY: does not return; the monitor has no buffered output.
        End::Exited(status) => unsafe { libc::_exit(status) },
    };
    if !passed_on.contains(&signal) {
        let end = end.with_reason(memory_kills);
        report(format_args!("{rank} (process {image}) {end}"));
        until_reports_are_read();
    }
    // One core dump is enough.
    let _ = setrlimit(Resource::Core, Rlimit { current: Some(0), maximum: Some(0) });
    // SAFETY: these calls do not return, or change only how this process ends.
    unsafe {
        libc::signal(signal, libc::SIG_DFL);
        let mut only = MaybeUninit::<libc::sigset_t>::uninit();
        libc::sigemptyset(only.as_mut_ptr());
        libc::sigaddset(only.as_mut_ptr(), signal);
        libc::raise(signal);
        libc::sigprocmask(libc::SIG_UNBLOCK, only.as_ptr(), ptr::null_mut());
        libc::_exit(128 + signal)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn without_a_process_for_a_monitor_the_image_continues() {
        let blocked = || {
            let mut now = MaybeUninit::<libc::sigset_t>::uninit();
            // SAFETY: only reads the set, which the call fills.
            unsafe {
                libc::sigprocmask(libc::SIG_SETMASK, ptr::null(), now.as_mut_ptr());
                libc::sigismember(now.as_ptr(), libc::SIGTERM)
            }
        };
        let before = blocked();
        assert_eq!(divide(Rank::new(2), || -1), Monitored::No);
        assert_eq!(blocked(), before);
        // There is no monitor here.
        departure::enter();
        departure::announce();
    }
}
