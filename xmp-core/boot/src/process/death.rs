//! The cause of death of a process that is no child of this one.

use crate::launch::status::End;
use crate::region::MemoryKills;

/// The cause of an image's death.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Death(Option<End>);

impl Death {
    /// The death of the process with this id, which is dead or dying: known until its parent has waited for it, to
    /// users that may look at it.
    pub(super) fn of(process: u32) -> Death {
        let stat = std::fs::read_to_string(format!("/proc/{process}/stat")).unwrap_or_default();
        Death(wait_status(&stat).map(|status| match status & 0x7f {
            0 => End::Exited(status >> 8 & 0xff),
            signal => End::Killed(signal),
        }))
    }

    /// Whether a signal from outside may have requested the end.
    pub(super) fn may_be_asked_for(self) -> bool {
        matches!(self.0, Some(End::Killed(libc::SIGTERM | libc::SIGINT | libc::SIGHUP)))
    }

    /// The text of this death, with the reason if the system has killed a process for lack of memory since `before`.
    pub(super) fn with_reason(self, before: &MemoryKills) -> String {
        self.0.map_or_else(|| "has died".to_owned(), |end| end.with_reason(before))
    }
}

/// The status for its parent in the text of `/proc/<pid>/stat`: the 52nd field, where the second one, the name in
/// parentheses, may contain any character.
fn wait_status(stat: &str) -> Option<i32> {
    stat.rsplit_once(')')?.1.split_ascii_whitespace().nth(49)?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use rustix::process::{Pid, PidfdFlags, pidfd_open};
    use std::process::{Command, Stdio};

    #[test]
    fn ends_are_known_until_they_are_waited_for() {
        for (script, text) in [
            ("kill -9 $$", "was killed by signal 9 (SIGKILL)"),
            ("exit 3", "ended with exit status 3 without having stopped"),
        ] {
            let mut child =
                Command::new("sh").args(["-c", script]).stdin(Stdio::null()).spawn().unwrap();
            let pidfd = pidfd_open(Pid::from_child(&child), PidfdFlags::empty()).unwrap();
            super::super::watch::tests::wait_readable(&pidfd);
            let death = Death::of(child.id());
            assert_eq!(death.with_reason(&MemoryKills::now()), text);
            assert!(!death.may_be_asked_for());
            child.wait().unwrap();
        }
    }

    #[test]
    fn nothing_is_made_up() {
        assert_eq!(wait_status("12 (a) R 1 2 3"), None);
        assert_eq!(Death(None).with_reason(&MemoryKills::now()), "has died");
        assert!(Death(Some(End::Killed(libc::SIGTERM))).may_be_asked_for());
    }
}
