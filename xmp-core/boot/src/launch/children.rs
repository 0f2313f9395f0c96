//! Processes that images have started and that outlive them: none of them may survive the job.

use crate::error::{Error, Result};
use rustix::process::{
    Pid, Signal, WaitId, WaitIdOptions, WaitOptions, getpid, kill_process, set_child_subreaper,
    waitid, waitpid,
};
use std::collections::BTreeSet;
use std::fs;

/// Adopts the processes that outlive their images, and ends them with the job.
#[derive(Debug)]
pub(crate) struct Orphans {
    /// Children of this process from before the job, which it leaves alone.
    others: BTreeSet<i32>,
}

impl Orphans {
    /// From now on a process whose parent ends becomes a child of this process, if it descends from it.
    pub(crate) fn adopt() -> Result<Orphans> {
        // Any process id says yes.
        set_child_subreaper(Some(getpid())).map_err(|error| {
            let what = "cannot adopt the processes that images leave behind";
            Error::system_call(what, "prctl(PR_SET_CHILD_SUBREAPER)", error.into())
        })?;
        Ok(Orphans { others: if has_children() { children() } else { BTreeSet::new() } })
    }

    /// Whether this process had children before the job, which may end and must not be waited for.
    pub(super) fn have_others(&self) -> bool {
        !self.others.is_empty()
    }

    /// Kills the adopted processes; called after all images have been waited for.
    pub(crate) fn end(&self) {
        while has_children() {
            // The children of a killed process become this one's, so look again.
            let left: Vec<i32> = children().difference(&self.others).copied().collect();
            if left.is_empty() {
                return;
            }
            for pid in left {
                tracing::debug!(process = pid, "killing what an image has left behind");
                if let Some(pid) = Pid::from_raw(pid) {
                    // A child of this process that has not been waited for, so it does not fail.
                    let _ = kill_process(pid, Signal::KILL);
                    reap(pid);
                }
            }
        }
    }
}

/// A child of this process that has ended and was not waited for.
pub(super) fn ended() -> Option<Pid> {
    // SAFETY: zeroed information is valid; the call fills it in, or leaves the zeros where no child has ended. The id is in all
    // information about children.
    let pid = unsafe {
        let mut info: libc::siginfo_t = std::mem::zeroed();
        let options = libc::WEXITED | libc::WNOHANG | libc::WNOWAIT;
        if libc::waitid(libc::P_ALL, 0, &raw mut info, options) != 0 {
            return None;
        }
        info.si_pid()
    };
    Pid::from_raw(pid)
}

/// Waits for a child of this process that has ended, or was killed.
pub(super) fn reap(pid: Pid) {
    // It does not fail: the child has not been waited for.
    let _ = waitpid(Some(pid), WaitOptions::empty());
}

/// Whether this process has children: one system call, so that the usual job pays no more.
fn has_children() -> bool {
    // With NOWAIT a child that has ended can still be waited for.
    let only_look = WaitIdOptions::EXITED | WaitIdOptions::NOHANG | WaitIdOptions::NOWAIT;
    waitid(WaitId::All, only_look).is_ok()
}

/// The children of this process, from `/proc`; none where it is not mounted.
fn children() -> BTreeSet<i32> {
    let parent = std::process::id().to_string();
    let Ok(processes) = fs::read_dir("/proc") else { return BTreeSet::new() };
    processes
        .filter_map(|entry| entry.ok()?.file_name().to_str()?.parse::<i32>().ok())
        .filter(|pid| {
            fs::read_to_string(format!("/proc/{pid}/stat"))
                .is_ok_and(|stat| parent_in(&stat) == Some(parent.as_str()))
        })
        .collect()
}

/// The parent's process id in the text of `/proc/<pid>/stat`: `pid (name) state parent ...`, where the name may contain
/// any character.
fn parent_in(stat: &str) -> Option<&str> {
    stat.rsplit_once(')')?.1.split_ascii_whitespace().nth(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parent_is_found_behind_any_name() {
        assert_eq!(parent_in("12 (sh) S 7 12 12 0 -1"), Some("7"));
        assert_eq!(parent_in("12 (a) R 9) (b) S 7 12 12"), Some("7"));
        assert_eq!(parent_in(""), None);
    }

    #[test]
    fn this_process_is_a_child_of_its_parent() {
        let stat = fs::read_to_string("/proc/self/stat").unwrap();
        let parent = std::os::unix::process::parent_id().to_string();
        assert_eq!(parent_in(&stat), Some(parent.as_str()));
    }
}
