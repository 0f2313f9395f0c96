//! Whether an image has started this process, as EXECUTE_COMMAND_LINE does. Such a process inherits the variables of the
//! launcher, and often the connection to it, but is none of its processes.
//!
//! An image leaves a mark in its environment: what the launcher has told it. A process that finds the mark and is told
//! the same by its environment has inherited both. A process that a launcher has started within that image is told
//! something else.

use std::fmt::Write;
use std::sync::OnceLock;

/// The variable of the mark.
const MARK: &str = "XMPRT_STARTED_BY_IMAGE";

/// What launchers tell each of their processes, or all of a job.
const TOLD: [&str; 13] = [
    "OMPI_COMM_WORLD_RANK",
    "PMIX_NAMESPACE",
    "PMIX_RANK",
    "PMI_RANK",
    "PMI_SIZE",
    "PMI_JOBID",
    "SLURM_JOB_ID",
    "SLURM_STEP_ID",
    "SLURM_PROCID",
    "MV2_COMM_WORLD_SIZE",
    "PALS_APID",
    "JSM_NAMESPACE_SIZE",
    "FLUX_JOB_ID",
];

/// The variable with the number of the descriptor that leads to the launcher.
const CONNECTION: &str = "PMI_FD";

/// Whether an image has started this process. The answer is that of the first call.
pub fn is_started_by_image() -> bool {
    static ANSWER: OnceLock<bool> = OnceLock::new();
    *ANSWER.get_or_init(|| std::env::var(MARK).is_ok_and(|mark| mark == told()))
}

/// Marks the processes that this one starts from now on: it is an image. Call it before the process has other threads.
pub fn mark_image() {
    is_started_by_image();
    // SAFETY: no other thread of this process reads the environment yet.
    unsafe { std::env::set_var(MARK, told()) };
}

/// What this process is told.
fn told() -> String {
    let mut text = String::new();
    for name in TOLD {
        if let Ok(value) = std::env::var(name) {
            // Writing to a string cannot fail.
            let _ = write!(text, "{name}={value};");
        }
    }
    if let Some(socket) = connection() {
        let _ = write!(text, "{CONNECTION}={socket};");
    }
    text
}

/// The number of the socket that leads to the launcher.
fn connection() -> Option<u64> {
    let descriptor: i32 = std::env::var(CONNECTION).ok()?.parse().ok()?;
    let mut status = std::mem::MaybeUninit::<libc::stat>::uninit();
    // SAFETY: any number may be asked for; room for the answer.
    if unsafe { libc::fstat(descriptor, status.as_mut_ptr()) } != 0 {
        return None;
    }
    // SAFETY: fstat has filled it, for it has returned 0.
    Some(unsafe { status.assume_init() }.st_ino)
}
