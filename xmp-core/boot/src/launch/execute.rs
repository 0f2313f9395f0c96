//! Executes a program in a new process.
//!
//! Until then the new process has the memory of this one, as after `vfork`, and this thread waits. A copy, by which `std` starts a
//! program when something is to be done in the new process before, takes longer than all else: the page tables are copied, and then
//! each page that the launcher writes to.

use rustix::process::{Pid, WaitOptions, waitpid};
use std::ffi::{CStr, CString, OsStr};
use std::io;
use std::mem::MaybeUninit;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::process::ExitStatusExt;
use std::process::ExitStatus;
use std::ptr;

/// Bytes of the stack on which the new process prepares itself, beside the arguments of a script, which are copied.
const STACK: usize = 64 << 10;

/// A program, and the arguments and the environment of its execution.
#[derive(Debug)]
pub(crate) struct Program {
    /// A path, or a name to be searched in `PATH`.
    pub(crate) file: CString,
    /// Its arguments, from its own name on.
    pub(crate) arguments: Vec<CString>,
}

/// Text for the system, which has no zero byte.
pub(crate) fn text(text: &OsStr) -> io::Result<CString> {
    CString::new(text.as_bytes()).map_err(io::Error::from)
}

/// A process that was started, and not waited for.
#[derive(Debug)]
pub(crate) struct Child {
    pid: Pid,
    has_ended: bool,
}

impl Child {
    /// Executes the program in a new process, after `prepare`.
    ///
    /// # Errors
    /// The error of the system or of `prepare`. Under valgrind, which copies processes, the new process ends with
    /// status 127 instead.
    ///
    /// # Safety
    /// `prepare` makes system calls only and neither allocates nor takes locks.
    pub(crate) unsafe fn start(
        program: &Program,
        environment: &[&CStr],
        prepare: &mut dyn FnMut() -> io::Result<()>,
    ) -> io::Result<Child> {
        let list = |texts: &mut dyn Iterator<Item = &CStr>| {
            texts.map(CStr::as_ptr).chain([ptr::null()]).collect::<Vec<_>>()
        };
        let arguments = list(&mut program.arguments.iter().map(CString::as_c_str));
        let environment = list(&mut environment.iter().copied());
        let bytes = STACK + 2 * size_of_val(&*arguments);
        let mut stack = vec![MaybeUninit::<u128>::uninit(); bytes / size_of::<u128>()];
        let mut plan = Plan {
            file: program.file.as_ptr(),
            arguments: arguments.as_ptr(),
            environment: environment.as_ptr(),
            prepare,
            // SAFETY: an empty set; the system fills in the mask below.
            mask: unsafe { std::mem::zeroed() },
            error: 0,
        };
        // SAFETY: the new process executes `work` on a stack of its own. It has the memory of this process, whose thread continues
        // when that has executed the program or has ended, so all that it uses lives long enough. It has all signals blocked until
        // it has no handler of this process any more.
        let pid = unsafe {
            let mut all = MaybeUninit::uninit();
            libc::sigfillset(all.as_mut_ptr());
            libc::pthread_sigmask(libc::SIG_SETMASK, all.as_ptr(), &raw mut plan.mask);
            let top = stack.as_mut_ptr_range().end.cast();
            let flags = libc::CLONE_VM | libc::CLONE_VFORK | libc::SIGCHLD;
            let pid = libc::clone(work, top, flags, (&raw mut plan).cast());
            let error = io::Error::last_os_error();
            libc::pthread_sigmask(libc::SIG_SETMASK, &raw const plan.mask, ptr::null_mut());
            Pid::from_raw(pid).filter(|_| pid > 0).ok_or(error)?
        };
        let mut child = Child { pid, has_ended: false };
        if plan.error != 0 {
            child.end();
            return Err(io::Error::from_raw_os_error(plan.error));
        }
        Ok(child)
    }

    /// Its process id.
    pub(crate) fn id(&self) -> u32 {
        self.pid.as_raw_pid() as u32
    }

    /// The process.
    pub(crate) fn pid(&self) -> Pid {
        self.pid
    }

    /// Its end, if it has ended and this was not returned before.
    pub(super) fn try_wait(&mut self) -> Option<ExitStatus> {
        self.wait(WaitOptions::NOHANG)
    }

    /// Waits for its end; nothing if that was seen before.
    pub(crate) fn wait_for_end(&mut self) -> Option<ExitStatus> {
        self.wait(WaitOptions::empty())
    }

    /// Kills it, and waits for its end, unless it has been waited for.
    pub(crate) fn end(&mut self) {
        if !self.has_ended {
            // SAFETY: a child of this process that has not been waited for.
            unsafe { libc::kill(self.pid.as_raw_pid(), libc::SIGKILL) };
            self.wait(WaitOptions::empty());
        }
    }

    fn wait(&mut self, options: WaitOptions) -> Option<ExitStatus> {
        if self.has_ended {
            return None;
        }
        let ended = rustix::io::retry_on_intr(|| waitpid(Some(self.pid), options));
        let (_, status) = ended.ok().flatten()?;
        self.has_ended = true;
        Some(ExitStatus::from_raw(status.as_raw()))
    }
}

/// The data for the new process, and the error that it reports.
struct Plan<'a> {
    file: *const libc::c_char,
    arguments: *const *const libc::c_char,
    environment: *const *const libc::c_char,
    prepare: &'a mut dyn FnMut() -> io::Result<()>,
    /// The signals that the starting thread has blocked.
    mask: libc::sigset_t,
    error: i32,
}

/// The steps of the new process.
extern "C" fn work(plan: *mut libc::c_void) -> libc::c_int {
    // SAFETY: the plan that the process was started with, which nothing else uses now.
    let plan = unsafe { &mut *plan.cast::<Plan<'_>>() };
    forget_handlers();
    // SAFETY: the mask was filled in by the system.
    unsafe { libc::sigprocmask(libc::SIG_SETMASK, &raw const plan.mask, ptr::null_mut()) };
    let error = match (plan.prepare)() {
        Ok(()) => {
            // SAFETY: texts with a zero byte at their ends, in lists with a null pointer at their ends.
            unsafe { libc::execvpe(plan.file, plan.arguments, plan.environment) };
            io::Error::last_os_error()
        }
        Err(error) => error,
    };
    plan.error = error.raw_os_error().unwrap_or(libc::EINVAL);
    // SAFETY: ends the process without anything that this one had registered.
    unsafe { libc::_exit(127) }
}

/// Gives the signals that this process handles their default action: its handlers must not be executed in the memory of the
/// other one. SIGPIPE, which `std` ignores, has it, too.
fn forget_handlers() {
    for signal in 1..=libc::SIGRTMAX() {
        // SAFETY: a zeroed action is the default; the system fills in the old one.
        unsafe {
            let default: libc::sigaction = std::mem::zeroed();
            let mut old: libc::sigaction = std::mem::zeroed();
            let known = libc::sigaction(signal, ptr::null(), &raw mut old) == 0;
            let is_handled = ![libc::SIG_DFL, libc::SIG_IGN].contains(&old.sa_sigaction);
            if known && (is_handled || signal == libc::SIGPIPE) {
                libc::sigaction(signal, &raw const default, ptr::null_mut());
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn start(words: &[&str], prepare: &mut dyn FnMut() -> io::Result<()>) -> io::Result<Child> {
        let texts = words.iter().map(|word| text(word.as_ref()).unwrap());
        let arguments: Vec<CString> = texts.collect();
        let program = Program { file: arguments[0].clone(), arguments };
        // SAFETY: the closures of these tests make system calls only.
        unsafe { Child::start(&program, &[c"WORD=a word"], prepare) }
    }

    fn status(mut child: Child) -> Option<i32> {
        child.wait(WaitOptions::empty()).unwrap().code()
    }

    #[test]
    fn a_program_has_its_arguments_and_its_environment() {
        let test = "[ \"$WORD\" = 'a word' ] && [ \"$1\" = 'b c' ] && [ -z \"$HOME\" ] && exit 3";
        let child = start(&["sh", "-c", test, "sh", "b c"], &mut || Ok(())).unwrap();
        assert_eq!(status(child), Some(3));
    }

    #[test]
    fn what_the_system_or_the_preparation_refuses_is_an_error() {
        let absent = start(&["/no/such/program"], &mut || Ok(())).unwrap_err();
        assert_eq!(absent.kind(), io::ErrorKind::NotFound);
        let refuse = &mut || Err(io::Error::from_raw_os_error(libc::ESRCH));
        assert_eq!(start(&["true"], refuse).unwrap_err().raw_os_error(), Some(libc::ESRCH));
    }

    #[test]
    fn a_program_is_killed_by_a_closed_pipe() {
        // Rust programs ignore the signal.
        let child = start(&["sh", "-c", "kill -PIPE $$; exit 4"], &mut || Ok(())).unwrap();
        assert_eq!(status(child), None);
    }
}
