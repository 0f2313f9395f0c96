//! Stack overflow: a message that names the statement and the limit. Without it SIGSEGV ends the process silently, because
//! the handler of libgfortran runs on the stack that has overflown.
//!
//! The handler here runs on a stack of its own. It reports accesses between the stack pointer and the start of the stack,
//! where only a limit keeps memory away. Then it reinstates the handler that was there before and returns, so that the
//! instruction raises the signal again: all other faults are reported by libgfortran, or whatever the program has
//! installed. The handler is installed when `main` has had libgfortran install its own, after the start of the image: `xmpfc` links
//! programs with `--wrap` for that function. Otherwise the first SYNC ALL installs it. The stack of the main thread is watched, and those of OpenMP's threads (`parallel.rs`).

use crate::arch::interrupted;
use crate::entry::entries;
use crate::gnu::weak::weak_functions;
use crate::process::report_signal;
use libc::{c_int, c_void};
use std::cell::Cell;
use std::mem::MaybeUninit;
use std::ptr;
use std::sync::OnceLock;
use xmp_core::process::{is_main_thread, termination};

/// Bytes of a handler's stack: enough to read debugging information. Memory is taken when it is used.
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

/// The stack of a thread other than the main one.
#[derive(Clone, Copy, Debug)]
struct ThreadStack {
    /// The address after it.
    end: usize,
    /// Its size in bytes.
    size: usize,
}

thread_local! {
    /// That of this thread, if it is watched.
    static THREAD: Cell<Option<ThreadStack>> = const { Cell::new(None) };
    static HANDLER_STACK: HandlerStack = HandlerStack::install();
}

/// The stack on which this thread handles signals.
struct HandlerStack {
    /// What was mapped for it; `None` where the thread has another one, or the system has no memory.
    memory: Option<*mut c_void>,
}

impl HandlerStack {
    /// Installs one, unless the program has.
    fn install() -> HandlerStack {
        // SAFETY: the calls fill in what they are given; an unused mapping is a valid stack.
        let memory = unsafe {
            let mut present = MaybeUninit::<libc::stack_t>::uninit();
            let asked = libc::sigaltstack(ptr::null(), present.as_mut_ptr());
            if asked != 0 || present.assume_init().ss_flags & libc::SS_DISABLE == 0 {
                return HandlerStack { memory: None };
            }
            let rights = libc::PROT_READ | libc::PROT_WRITE;
            let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE;
            let memory = libc::mmap(ptr::null_mut(), LEN, rights, flags, -1, 0);
            let stack = libc::stack_t { ss_sp: memory, ss_flags: 0, ss_size: LEN };
            let is_mapped = memory != libc::MAP_FAILED;
            (is_mapped && libc::sigaltstack(&raw const stack, ptr::null_mut()) == 0)
                .then_some(memory)
        };
        HandlerStack { memory }
    }
}

impl Drop for HandlerStack {
    fn drop(&mut self) {
        let Some(memory) = self.memory else { return };
        let none = libc::stack_t { ss_sp: ptr::null_mut(), ss_flags: libc::SS_DISABLE, ss_size: 0 };
        // SAFETY: the thread ends and handles no signal on this stack any more.
        unsafe {
            libc::sigaltstack(&raw const none, ptr::null_mut());
            libc::munmap(memory, LEN);
        }
    }
}

/// The options of a program, and their number.
type SetOptions = unsafe extern "C" fn(c_int, *const c_int);

weak_functions! {
    /// The function of libgfortran.
    fn set_options() = "_gfortran_set_options": SetOptions;
    /// The same in programs that are linked with `libxmprt.a`.
    fn real_set_options() = "__real__gfortran_set_options": SetOptions;
}

entries! {
    /// Takes the place of the function of libgfortran in programs (`--wrap`): it installs the handlers of libgfortran, and `main`
    /// calls it before the program's first statement.
    fn __wrap__gfortran_set_options(number: c_int, options: *const c_int) {
        if let Some(set_options) = real_set_options().or(set_options()) {
            // SAFETY: the arguments of the caller.
            unsafe { set_options(number, options) };
            watch();
        }
    }
}

/// Watches the stack of the main thread from now on, unless the program handles SIGSEGV on another stack itself.
pub fn watch() {
    if WATCHED.get().is_some() || !is_main_thread() {
        return;
    }
    let mut former = MaybeUninit::<libc::sigaction>::uninit();
    // SAFETY: the call fills in the action.
    let is_known = unsafe { libc::sigaction(libc::SIGSEGV, ptr::null(), former.as_mut_ptr()) == 0 };
    if !is_known || HANDLER_STACK.with(|stack| stack.memory.is_none()) {
        return;
    }
    // SAFETY: filled in above.
    let former = unsafe { former.assume_init() };
    let start = (&raw const former).addr();
    if WATCHED.set(Watched { start, former }).is_ok() {
        // SAFETY: a zeroed action is a valid argument.
        unsafe {
            let mut action: libc::sigaction = std::mem::zeroed();
            action.sa_sigaction = on_fault as *const () as usize;
            action.sa_flags = libc::SA_SIGINFO | libc::SA_ONSTACK;
            libc::sigaction(libc::SIGSEGV, &raw const action, ptr::null_mut());
        }
        // Handlers of libgfortran do not write the buffers of its units.
        termination::watch_faults(true);
    }
}

/// Watches the stack of this thread, if that of the main thread is watched.
pub fn watch_thread() {
    if THREAD.get().is_some() || WATCHED.get().is_none() || is_main_thread() {
        return;
    }
    if HANDLER_STACK.with(|stack| stack.memory.is_some()) {
        THREAD.set(ThreadStack::of_this_thread());
    }
}

impl ThreadStack {
    fn of_this_thread() -> Option<ThreadStack> {
        let mut attributes = MaybeUninit::<libc::pthread_attr_t>::uninit();
        let (mut start, mut size) = (ptr::null_mut(), 0);
        // SAFETY: the first call fills in the attributes, which the last one frees.
        unsafe {
            if libc::pthread_getattr_np(libc::pthread_self(), attributes.as_mut_ptr()) != 0 {
                return None;
            }
            let found =
                libc::pthread_attr_getstack(attributes.as_ptr(), &raw mut start, &raw mut size);
            libc::pthread_attr_destroy(attributes.as_mut_ptr());
            (found == 0).then(|| ThreadStack { end: start.addr() + size, size })
        }
    }
}

extern "C" fn on_fault(signal: c_int, info: *const libc::siginfo_t, context: *const c_void) {
    let Some(Watched { start, former }) = WATCHED.get() else { return };
    // SAFETY: the kernel passes the signal's information and the registers of the thread.
    let (code, address, at) = unsafe {
        let context = &*context.cast::<libc::ucontext_t>();
        ((*info).si_code, (*info).si_addr().addr(), interrupted(context))
    };
    // SAFETY: an action that the kernel has given.
    unsafe { libc::sigaction(signal, former, ptr::null_mut()) };
    // Faults have positive codes, signals of processes others.
    if code <= 0 {
        // SAFETY: no memory is accessed. The signal arrives when this function has returned.
        unsafe { libc::raise(signal) };
        return;
    }
    let (end, what) = match THREAD.get() {
        Some(stack) => (stack.end, of_thread(stack)),
        None if is_main_thread() => (*start, of_main_thread()),
        None => return,
    };
    if (at.stack.saturating_sub(BELOW)..end).contains(&address) {
        report_signal(at.instruction, what);
    }
}

/// The message for the main thread: the limit and the remedy.
fn of_main_thread() -> String {
    let mut limit = MaybeUninit::<libc::rlimit>::uninit();
    // SAFETY: the call fills in the limit.
    let limit = unsafe {
        (libc::getrlimit(libc::RLIMIT_STACK, limit.as_mut_ptr()) == 0).then(|| limit.assume_init())
    };
    match limit {
        Some(limit) if limit.rlim_cur != libc::RLIM_INFINITY => format!(
            "stack overflow: the limit is {} KiB; `ulimit -s unlimited` removes it, large arrays that are allocatable \
             need no stack",
            limit.rlim_cur / 1024
        ),
        _ => "stack overflow".into(),
    }
}

/// The message for a thread of OpenMP.
fn of_thread(stack: ThreadStack) -> String {
    format!(
        "stack overflow in a thread of OpenMP: its stack has {} KiB; OMP_STACKSIZE=64M sets the size, large arrays that \
         are allocatable need no stack",
        stack.size / 1024
    )
}
