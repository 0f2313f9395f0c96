//! The limits of the machine: the same rows, executed by the barest means, without our runtime.
//!
//! Processes over one shared mapping: a put is a store or a copy, a flag is a word, a barrier is a
//! counter, a reduction copies private operands to the mapping, or lets the system copy them, and adds them. No addressing of
//! images, no checks, no failure detection. The output is that of the benchmark programs.

mod allreduce;
mod barrier;
mod harness;
mod image;
mod movement;
mod operand;
mod region;
mod rows;
mod single_copy;
mod wait;

use crate::error::Error;
use crate::machine;
use crate::options::LimitsOptions;
use crate::protocol::Selection;
use harness::Harness;
use image::Image;
use region::Region;
use std::io;
use std::time::Duration;
use wait::Policy;

/// A process as its parent knows it.
struct Child {
    pid: libc::pid_t,
    /// Image index, 1-based, for messages.
    image: usize,
}

/// Starts the processes and waits for them all.
pub fn run(options: &LimitsOptions) -> Result<(), Error> {
    let count = options.images as usize;
    let region = Region::map(count)?;
    let mut children = Vec::with_capacity(count);
    for me in 0..count {
        // SAFETY: this process has one thread, so the child may go on using everything it inherits.
        let pid = unsafe { libc::fork() };
        if pid < 0 {
            let error = Error::Limits { operation: "fork", source: io::Error::last_os_error() };
            end(&children);
            return Err(error);
        }
        if pid == 0 {
            end_with_parent();
            let measured = std::panic::catch_unwind(|| measure(me, region, options));
            std::process::exit(if measured.is_ok() { 0 } else { 101 });
        }
        children.push(Child { pid, image: me + 1 });
    }
    reap(children)
}

/// The work of one process.
fn measure(me: usize, region: Region, options: &LimitsOptions) {
    let count = region.images();
    if count <= machine::cores() {
        pin(me);
    }
    let policy = Policy::new(count, machine::cores());
    let image = Image { me, count, region, policy, rounds_passed: 0, throws: 0 };
    let least = Duration::from_millis(options.milliseconds.into());
    let mut harness = Harness::new(image, Selection::parse(&options.rows), least);
    rows::run(&mut harness);
    allreduce::run(&mut harness);
    movement::run(&mut harness);
    harness.finish();
}

/// Waits for all processes; the first that fails takes the others with it.
fn reap(mut running: Vec<Child>) -> Result<(), Error> {
    while !running.is_empty() {
        let mut status = 0;
        // SAFETY: `status` outlives the call.
        let pid = unsafe { libc::wait(&raw mut status) };
        if pid < 0 {
            let source = io::Error::last_os_error();
            end(&running);
            return Err(Error::Limits { operation: "wait", source });
        }
        let Some(index) = running.iter().position(|child| child.pid == pid) else { continue };
        let Child { image, .. } = running.swap_remove(index);
        if status != 0 {
            end(&running);
            let status = if libc::WIFSIGNALED(status) {
                format!("signal {}", libc::WTERMSIG(status))
            } else {
                format!("exit status {}", libc::WEXITSTATUS(status))
            };
            return Err(Error::LimitsImage { image, status });
        }
    }
    Ok(())
}

/// Ends and reaps processes of ours.
fn end(children: &[Child]) {
    for &Child { pid, .. } in children {
        // SAFETY: kill reads no memory; these are children that were not waited for yet.
        unsafe { libc::kill(pid, libc::SIGKILL) };
        // SAFETY: a null status is allowed.
        unsafe { libc::waitpid(pid, std::ptr::null_mut(), 0) };
    }
}

/// Makes the kernel end this process when its parent ends.
fn end_with_parent() {
    // SAFETY: PR_SET_PDEATHSIG takes a number and touches no memory of ours.
    unsafe { libc::prctl(libc::PR_SET_PDEATHSIG, libc::SIGKILL) };
}

/// Binds this thread to the `number`-th core that it may use, as launchers do when there is a core
/// for each; if that fails it stays where the scheduler puts it.
pub fn pin(number: usize) {
    // SAFETY: a cpu_set_t of zeros is the empty set.
    let mut allowed: libc::cpu_set_t = unsafe { std::mem::zeroed() };
    let size = size_of::<libc::cpu_set_t>();
    // SAFETY: the set is as large as told.
    if unsafe { libc::sched_getaffinity(0, size, &raw mut allowed) } != 0 {
        return;
    }
    let cores = 0..8 * size;
    // SAFETY: the core numbers lie within the set.
    let mut usable = cores.filter(|&core| unsafe { libc::CPU_ISSET(core, &allowed) });
    let Some(core) = usable.nth(number) else { return };
    // SAFETY: a cpu_set_t of zeros is the empty set.
    let mut one: libc::cpu_set_t = unsafe { std::mem::zeroed() };
    // SAFETY: the core number lies within the set.
    unsafe { libc::CPU_SET(core, &mut one) };
    // SAFETY: the set is as large as told.
    unsafe { libc::sched_setaffinity(0, size, &raw const one) };
}
