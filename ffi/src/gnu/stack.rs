//! Stack overflow: a message that names the statement and the limit. Without it SIGSEGV ends the process silently, because
//! the handler of libgfortran runs on the stack that has overflown.
//!
//! The handler here runs on a stack of its own. It reports accesses between the stack pointer and the start of the stack,
//! where only a limit keeps memory away. Then it reinstates the handler that was there before and returns, so that the
//! instruction raises the signal again: all other faults are reported by libgfortran, or whatever the program has
//! installed. It is installed by the first SYNC ALL, because `main` has libgfortran install its handlers after the start of
//! the image. Only the stack of the main thread is watched.

use crate::process::report_signal;
use libc::{c_int, c_void};
use std::mem::MaybeUninit;
use std::ptr;
use std::sync::OnceLock;

/// Bytes of the handler's stack: enough to read debugging information. Memory is taken when it is used.
const LEN: usize = 1 << 20;

/// Bytes below the stack pointer that instructions access: the red zone, and what a call pushes.
const BELOW: usize = 4096;

/// What the handler needs.
struct Watched {
    /// An address in the frame of a procedure that the main program has called.
    start: usize,
    /// The handler that was there before.
    former: libc::sigaction,
}

static WATCHED: OnceLock<Watched> = OnceLock::new();

/// Watches the stack from now on, unless the program handles SIGSEGV on another stack itself.
pub fn watch() {
    if WATCHED.get().is_some() || !is_main_thread() {
        return;
    }
    // SAFETY: the calls fill in what they are given; a zeroed action and an unused mapping are valid arguments.
    unsafe {
        let mut stack = MaybeUninit::<libc::stack_t>::uninit();
        let mut former = MaybeUninit::<libc::sigaction>::uninit();
        if libc::sigaltstack(ptr::null(), stack.as_mut_ptr()) != 0
            || stack.assume_init().ss_flags & libc::SS_DISABLE == 0
            || libc::sigaction(libc::SIGSEGV, ptr::null(), former.as_mut_ptr()) != 0
        {
            return;
        }
        let rights = libc::PROT_READ | libc::PROT_WRITE;
        let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE;
        let memory = libc::mmap(ptr::null_mut(), LEN, rights, flags, -1, 0);
        if memory == libc::MAP_FAILED {
            return;
        }
        let stack = libc::stack_t { ss_sp: memory, ss_flags: 0, ss_size: LEN };
        if libc::sigaltstack(&raw const stack, ptr::null_mut()) != 0 {
            return;
        }
        let watched = Watched { start: (&raw const stack).addr(), former: former.assume_init() };
        if WATCHED.set(watched).is_ok() {
            let mut action: libc::sigaction = std::mem::zeroed();
            action.sa_sigaction = on_fault as *const () as usize;
            action.sa_flags = libc::SA_SIGINFO | libc::SA_ONSTACK;
            libc::sigaction(libc::SIGSEGV, &raw const action, ptr::null_mut());
        }
    }
}

fn is_main_thread() -> bool {
    // SAFETY: no arguments.
    unsafe { libc::gettid() == libc::getpid() }
}

extern "C" fn on_fault(signal: c_int, info: *const libc::siginfo_t, context: *const c_void) {
    let Some(Watched { start, former }) = WATCHED.get() else { return };
    // SAFETY: the kernel passes the signal's information and the registers of the thread.
    let (code, address, registers) = unsafe {
        let context = &*context.cast::<libc::ucontext_t>();
        ((*info).si_code, (*info).si_addr().addr(), &context.uc_mcontext.gregs)
    };
    // SAFETY: an action that the kernel has given.
    unsafe { libc::sigaction(signal, former, ptr::null_mut()) };
    let register = |number: c_int| registers[number as usize] as usize;
    let stack = register(libc::REG_RSP).saturating_sub(BELOW)..*start;
    // Faults have positive codes, signals of processes others.
    if code <= 0 {
        // SAFETY: no memory is accessed. The signal arrives when this function has returned.
        unsafe { libc::raise(signal) };
    } else if is_main_thread() && stack.contains(&address) {
        report_signal(register(libc::REG_RIP), format!("stack overflow{}", limit()));
    }
}

/// The limit of the stack and the remedy.
fn limit() -> String {
    let mut limit = MaybeUninit::<libc::rlimit>::uninit();
    // SAFETY: the call fills in the limit.
    let limit = unsafe {
        (libc::getrlimit(libc::RLIMIT_STACK, limit.as_mut_ptr()) == 0).then(|| limit.assume_init())
    };
    match limit {
        Some(limit) if limit.rlim_cur != libc::RLIM_INFINITY => format!(
            ": the limit is {} KiB; `ulimit -s unlimited` removes it, large arrays that are allocatable need no stack",
            limit.rlim_cur / 1024
        ),
        _ => String::new(),
    }
}
