//! Signals that end this process: output of the program that is still in buffers is written first.
//!
//! The handler may have interrupted a function that holds the lock of a buffer. If the stack shows that, the program continues for
//! a millisecond, and the handler is called again. A timer ends the process should writing take too long. What no handler may do is
//! done by a thread (`last_words`).

use super::{buffers, last_words};
use crate::failure::{self, end_request};
use crate::job::Job;
use crate::server::Notes;
use rustix::process::getppid;
use std::ffi::{CStr, c_int, c_void};
use std::mem::{self, MaybeUninit};
use std::ptr;
use std::sync::atomic::{AtomicBool, AtomicPtr, AtomicU32, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::Duration;

/// The number of times that the handler waits for the program to leave a function that may hold a lock.
const MAX_DELAYS: u32 = 100;
/// The time of each of these waits.
const DELAY: Duration = Duration::from_millis(1);
/// The time that writing may take.
const WRITING: Duration = Duration::from_millis(500);
/// Callers that are looked at.
const MAX_CALLERS: usize = 64;

/// The image's process: one that it has forked is not the image.
static PROCESS: AtomicU32 = AtomicU32::new(0);
/// The number of times that the handler has waited for the program to leave such a function.
static DELAYS: AtomicU32 = AtomicU32::new(0);
/// The number of times that it has waited for the table.
static LOOKS: AtomicU32 = AtomicU32::new(0);
/// Whether the launcher, a parent that shows the table, has asked this process to end.
static IS_DISMISSED: AtomicBool = AtomicBool::new(false);
/// Whether output was written before the wait for the table.
static IS_WRITTEN: AtomicBool = AtomicBool::new(false);
/// The job whose images are shown in a table before they end, if there is one.
static JOB: AtomicPtr<Job> = AtomicPtr::new(ptr::null_mut());
/// Whether an image shows the table, because the launcher is of an MPI.
static IS_OF_MPI: AtomicBool = AtomicBool::new(false);

/// A call of these has the thread that writes the table look for requests, if it is of this process.
static CALLED: OnceLock<Arc<Notes>> = OnceLock::new();

/// The process that writes the table of all images when they have got a request to end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum TableWriter {
    /// The launcher, which then sends the request once more.
    Launcher,
    /// The first image, which then starts the end of the job: the launcher is of an MPI.
    FirstImage,
}

impl TableWriter {
    /// The time between two looks of the handler, and the most looks. Together that is less than the second which Open
    /// MPI's launcher leaves between SIGTERM and SIGKILL.
    fn looks(self) -> (Duration, u32) {
        match self {
            TableWriter::Launcher => (Duration::from_secs(1), 1),
            TableWriter::FirstImage => (Duration::from_millis(50), 17),
        }
    }
}

/// From now on SIGTERM ends this process after its output was written, unless the program handles it. `job`: set if a
/// process of it shows the activities of the images before they end. `called`: if a thread of this process, which waits
/// for them, does so.
pub(super) fn watch(job: Option<(&'static Job, TableWriter)>, called: Option<Arc<Notes>>) {
    if let Some(called) = called {
        // A process is one image.
        let _ = CALLED.set(called);
    }
    // Relaxed: read after the pointer.
    IS_OF_MPI
        .store(job.is_some_and(|(_, writer)| writer == TableWriter::FirstImage), Ordering::Relaxed);
    let job = job.map_or(ptr::null_mut(), |(job, _)| ptr::from_ref(job).cast_mut());
    JOB.store(job, Ordering::Release);
    // Relaxed: read by this process's own handler, or by the handler of a forked process, which has a copy.
    PROCESS.store(std::process::id(), Ordering::Relaxed);
    set_action(libc::SIGTERM, |before| before == libc::SIG_DFL);
}

/// Sets the handler of requests, if it `replaces` the one before.
fn set_action(signal: c_int, replaces: impl FnOnce(libc::sighandler_t) -> bool) {
    // SAFETY: zeroed actions are valid; the handler has the signature that goes with the flag.
    unsafe {
        let mut action: libc::sigaction = mem::zeroed();
        let is_known = libc::sigaction(signal, ptr::null(), &raw mut action) == 0;
        if is_known && replaces(action.sa_sigaction) {
            action.sa_sigaction = on_request as *const () as usize;
            // System calls of the program are restarted after a delay.
            action.sa_flags = libc::SA_SIGINFO | libc::SA_RESTART;
            libc::sigaction(signal, &raw const action, ptr::null_mut());
        }
    }
}

extern "C" fn on_request(signal: c_int, info: *const libc::siginfo_t, context: *const c_void) {
    if PROCESS.load(Ordering::Relaxed) != std::process::id() {
        return end_by(signal);
    }
    // SAFETY: the kernel passes the signal's information, which has a sender if a process has sent the signal.
    let sender = unsafe { ((*info).si_code == libc::SI_USER).then(|| (*info).si_pid()) };
    if sender.is_some() && sender == getppid().map(|parent| parent.as_raw_pid()) {
        // Relaxed, as for the words above: they are of this process.
        IS_DISMISSED.store(true, Ordering::Relaxed);
    }
    let interrupted = Interrupted::by_signal(context);
    // Before the table: the launcher may leave no time after it.
    if awaited().is_some()
        && interrupted != Interrupted::Library
        && !IS_WRITTEN.swap(true, Ordering::Relaxed)
    {
        write_buffers(signal);
        set_action(signal, |_| true);
    }
    if let Some(look) = next_look() {
        if interrupted != Interrupted::Sleep {
            return again_after(signal, look);
        }
        wait_for(signal, look);
        while let Some(look) = next_look() {
            wait_for(signal, look);
        }
    } else if interrupted == Interrupted::Library
        && DELAYS.fetch_add(1, Ordering::Relaxed) < MAX_DELAYS
    {
        return again_after(signal, DELAY);
    }
    if let Some(time) = last_words::time_left(signal) {
        if interrupted != Interrupted::Sleep {
            return again_after(signal, time);
        }
        wait_for(signal, time);
        while let Some(time) = last_words::time_left(signal) {
            wait_for(signal, time);
        }
    }
    // If the first image is late: images that still wait for this one end quietly.
    if let Some((job, TableWriter::FirstImage)) = job_with_table()
        && end_request::is_made(job)
    {
        failure::start_ending(job, None, 128 + signal);
    }
    write_buffers(signal);
    end_by(signal);
}

/// The job of which a table is written, and the process that writes it.
fn job_with_table() -> Option<(&'static Job, TableWriter)> {
    // SAFETY: null or a reference that lives as long as the process.
    let job = unsafe { JOB.load(Ordering::Acquire).as_ref() }?;
    let writer = if IS_OF_MPI.load(Ordering::Relaxed) {
        TableWriter::FirstImage
    } else {
        TableWriter::Launcher
    };
    Some((job, writer))
}

/// The process that is about to write the table; `None` if it has, or will not.
fn awaited() -> Option<TableWriter> {
    let (job, writer) = job_with_table()?;
    let is_due = match writer {
        TableWriter::Launcher => !IS_DISMISSED.load(Ordering::Relaxed),
        TableWriter::FirstImage => {
            end_request::make(job);
            // No lock is taken, and no memory allocated.
            if let Some(notes) = CALLED.get() {
                notes.call();
            }
            end_request::is_made(job)
        }
    };
    (is_due && failure::ending(job).is_none()).then_some(writer)
}

/// The time before the next look whether the table was written; `None` if it was, or will not be.
fn next_look() -> Option<Duration> {
    let writer = awaited()?;
    let (look, at_most) = writer.looks();
    (LOOKS.fetch_add(1, Ordering::Relaxed) < at_most).then_some(look)
}

/// Signals of faults, which the processor raises, and of `abort`.
const FAULTS: [c_int; 5] = [libc::SIGSEGV, libc::SIGBUS, libc::SIGFPE, libc::SIGILL, libc::SIGABRT];

/// The actions that were set before; null where this module has set none.
static FORMER: [AtomicPtr<libc::sigaction>; FAULTS.len()] =
    [const { AtomicPtr::new(ptr::null_mut()) }; FAULTS.len()];

/// From now on faults end this process after its output was written. `replaces_handlers`: also where there is another handler,
/// which is called then; otherwise only where the program would die at once.
pub fn watch_faults(replaces_handlers: bool) {
    for (signal, former) in FAULTS.into_iter().zip(&FORMER) {
        // SAFETY: zeroed actions are valid; the handler has the signature that goes with the flag.
        unsafe {
            let mut before: libc::sigaction = mem::zeroed();
            let handler = on_fault as *const () as usize;
            let is_known = libc::sigaction(signal, ptr::null(), &raw mut before) == 0;
            let is_wanted = before.sa_sigaction == libc::SIG_DFL
                || replaces_handlers && ![handler, libc::SIG_IGN].contains(&before.sa_sigaction);
            if !is_known || !is_wanted {
                continue;
            }
            let mut action: libc::sigaction = mem::zeroed();
            action.sa_sigaction = handler;
            // On the stack that the thread has for signals, if any: its own may have overflown.
            action.sa_flags = libc::SA_SIGINFO | libc::SA_ONSTACK;
            former.store(Box::into_raw(Box::new(before)), Ordering::Release);
            libc::sigaction(signal, &raw const action, ptr::null_mut());
        }
    }
}

extern "C" fn on_fault(signal: c_int, info: *const libc::siginfo_t, _: *const c_void) {
    write_output(signal);
    let former = FAULTS.iter().zip(&FORMER).find(|(fault, _)| **fault == signal);
    // SAFETY: the action that was set before, which is never freed, or the default action; the kernel passes the information. No
    // memory is accessed.
    unsafe {
        let default: libc::sigaction = mem::zeroed();
        let former = former.and_then(|(_, former)| former.load(Ordering::Acquire).as_ref());
        libc::sigaction(signal, former.unwrap_or(&default), ptr::null_mut());
        // The instruction raises a fault again; a signal that a process has sent does not come again by itself.
        if (*info).si_code <= 0 {
            libc::raise(signal);
        }
    }
}

/// Writes the output of this process that is in buffers, before the signal of a fault ends it. The action of the signal is to be
/// set afterwards.
pub fn write_output(signal: c_int) {
    if PROCESS.load(Ordering::Relaxed) == std::process::id() {
        write_buffers(signal);
    }
}

/// Writes the output of this process that is in buffers. Should that take too long, the signal ends the process by its default
/// action.
fn write_buffers(signal: c_int) {
    // SAFETY: changes the action and the mask of this signal; zeroed actions are valid, and the handler has the signature that goes
    // with the flag; `set` is initialised by sigemptyset.
    unsafe {
        let mut action: libc::sigaction = mem::zeroed();
        action.sa_sigaction = while_writing as *const () as usize;
        action.sa_flags = libc::SA_SIGINFO | libc::SA_RESTART | libc::SA_ONSTACK;
        libc::sigaction(signal, &raw const action, ptr::null_mut());
        let mut set = MaybeUninit::uninit();
        libc::sigemptyset(set.as_mut_ptr());
        libc::sigaddset(set.as_mut_ptr(), signal);
        let timer = set_timer(signal, WRITING);
        libc::pthread_sigmask(libc::SIG_UNBLOCK, set.as_ptr(), ptr::null_mut());
        buffers::flush_in_handler();
        libc::pthread_sigmask(libc::SIG_BLOCK, set.as_ptr(), ptr::null_mut());
        if let Some(timer) = timer {
            libc::syscall(libc::SYS_timer_delete, timer);
        }
    }
}

/// The signal while output is written. The timer and the processor end the process. A process that asks for the end
/// once more, as the launcher does for the remaining ones, waits for the output.
extern "C" fn while_writing(signal: c_int, info: *const libc::siginfo_t, _: *const c_void) {
    // SAFETY: the kernel passes the signal's information.
    let code = unsafe { (*info).si_code };
    if code == libc::SI_TIMER || code > 0 {
        end_by(signal);
    } else {
        IS_DISMISSED.store(true, Ordering::Relaxed);
    }
}

/// Ends this process by the default action of the signal, which arrives when the handler has returned, if not before.
fn end_by(signal: c_int) {
    // SAFETY: no memory is accessed.
    unsafe {
        libc::signal(signal, libc::SIG_DFL);
        libc::kill(libc::getpid(), signal);
    }
}

/// Sends this process the signal after some time, or lets it end now.
fn again_after(signal: c_int, after: Duration) {
    if set_timer(signal, after).is_none() {
        end_by(signal);
    }
}

/// A timer that sends this process a signal. By system calls, because the functions of the C library allocate memory.
fn set_timer(signal: c_int, after: Duration) -> Option<c_int> {
    let mut timer: c_int = 0;
    // SAFETY: zeroed structures are valid; the calls read them and fill in the timer.
    unsafe {
        let mut event: libc::sigevent = mem::zeroed();
        event.sigev_notify = libc::SIGEV_SIGNAL;
        event.sigev_signo = signal;
        let mut time: libc::itimerspec = mem::zeroed();
        time.it_value.tv_sec = after.as_secs() as libc::time_t;
        time.it_value.tv_nsec = libc::c_long::from(after.subsec_nanos() as i32);
        let (clock, none) = (libc::CLOCK_MONOTONIC, ptr::null_mut::<c_void>());
        let is_made = libc::syscall(libc::SYS_timer_create, clock, &raw mut event, &raw mut timer);
        (is_made == 0
            && libc::syscall(libc::SYS_timer_settime, timer, 0, &raw const time, none) == 0)
            .then_some(timer)
    }
}

/// Waits in the handler, which blocks the signal, until it comes again.
fn wait_for(signal: c_int, at_most: Duration) {
    // SAFETY: `set` is initialised by sigemptyset; a null pointer requests no information.
    unsafe {
        let mut set = MaybeUninit::uninit();
        libc::sigemptyset(set.as_mut_ptr());
        libc::sigaddset(set.as_mut_ptr(), signal);
        let time = libc::timespec {
            tv_sec: at_most.as_secs() as libc::time_t,
            tv_nsec: libc::c_long::from(at_most.subsec_nanos() as i32),
        };
        libc::sigtimedwait(set.as_ptr(), ptr::null_mut(), &raw const time);
    }
}

/// The code that a signal has interrupted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Interrupted {
    /// A system call of the program that would end if the handler returned: it sleeps. No lock of a buffer is held then.
    Sleep,
    /// A function of libgfortran, or of the C library on behalf of the program: it may hold a lock.
    Library,
    /// The program itself, or this library.
    Other,
}

impl Interrupted {
    fn by_signal(context: *const c_void) -> Interrupted {
        // SAFETY: the kernel passes the registers of the thread.
        let registers = unsafe { &(*context.cast::<libc::ucontext_t>()).uc_mcontext };
        #[cfg(target_arch = "x86_64")]
        let (instruction, result) = (
            registers.gregs[libc::REG_RIP as usize] as usize,
            registers.gregs[libc::REG_RAX as usize],
        );
        #[cfg(target_arch = "aarch64")]
        let (instruction, result) = (registers.pc as usize, registers.regs[0] as i64);
        let callers = Callers::of(instruction);
        if callers.are_of_library() {
            // The result of a system call that was ended; those that are restarted have another one.
            let is_ended = result == -i64::from(libc::EINTR);
            if is_ended { Interrupted::Sleep } else { Interrupted::Library }
        } else {
            Interrupted::Other
        }
    }
}

/// The addresses of the calls that a thread was in, from the interrupted instruction on.
struct Callers {
    addresses: [usize; MAX_CALLERS],
    count: usize,
}

impl Callers {
    fn of(instruction: usize) -> Callers {
        let mut callers = Callers { addresses: [0; MAX_CALLERS], count: 0 };
        xmp_source::walk(|address| {
            if callers.count > 0 || address == instruction {
                callers.addresses[callers.count] = address;
                callers.count += 1;
            }
            callers.count < MAX_CALLERS
        });
        callers
    }

    /// Whether a function of libgfortran is among them, or the innermost ones are of the C library and were not called by this
    /// library.
    fn are_of_library(&self) -> bool {
        const OF_C: &[&[u8]] = &[b"libc.", b"libc-", b"libpthread", b"ld-linux", b"linux-vdso"];
        let addresses = &self.addresses[..self.count];
        let is_of = |address: usize, names: &[&[u8]]| {
            let file = file_of(address).unwrap_or_default();
            names.iter().any(|name| file.starts_with(name))
        };
        let caller = addresses.iter().find(|&&address| !is_of(address, OF_C));
        let is_in_c = addresses.first().is_some_and(|&address| is_of(address, OF_C));
        addresses.iter().any(|&address| is_of(address, &[b"libgfortran"]))
            || is_in_c && !caller.is_some_and(|&address| is_of(address, &[b"libxmprt"]))
    }
}

/// The name of the file that is mapped at this address, without its directory.
fn file_of(address: usize) -> Option<&'static [u8]> {
    let mut found = MaybeUninit::<libc::Dl_info>::zeroed();
    // SAFETY: any address may be asked for; the names of loaded files stay.
    let path = unsafe {
        (libc::dladdr(address as *const c_void, found.as_mut_ptr()) != 0)
            .then(|| found.assume_init().dli_fname)
            .filter(|name| !name.is_null())
            .map(|name| CStr::from_ptr(name).to_bytes())
    }?;
    path.rsplit(|&byte| byte == b'/').next()
}
