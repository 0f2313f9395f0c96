//! Whether the system lets the images of a host copy from and to the memory of one another ([`super::memory`]).

use rustix::thread::{CapabilitySet, capabilities};
use std::fs;
use std::io;

/// The setting of the system that keeps the images of this machine from it, as far as that is known. Images try it in
/// any case before they rely on it.
pub fn obstacle() -> Option<String> {
    let scope = fs::read_to_string("/proc/sys/kernel/yama/ptrace_scope").unwrap_or_default();
    let may_trace =
        capabilities(None).is_ok_and(|its| its.effective.contains(CapabilitySet::SYS_PTRACE));
    reason(copy_of_own_memory(), &scope, may_trace)
}

/// Whether the system executes the call at all: filters of containers may refuse it.
fn copy_of_own_memory() -> io::Result<()> {
    let (from, mut into) = (1_u8, 0_u8);
    let there = libc::iovec { iov_base: (&raw const from).cast_mut().cast(), iov_len: 1 };
    let here = libc::iovec { iov_base: (&raw mut into).cast(), iov_len: 1 };
    // SAFETY: both are a byte of this process, which nothing else accesses.
    match unsafe { libc::process_vm_readv(libc::getpid(), &here, 1, &there, 1, 0) } {
        1 => Ok(()),
        _ => Err(io::Error::last_os_error()),
    }
}

/// The obstacle, if there is one. `scope`: the text of Yama's setting, empty without Yama. `may_trace`: whether this
/// process may trace others in any case.
fn reason(own: io::Result<()>, scope: &str, may_trace: bool) -> Option<String> {
    if let Err(error) = own {
        return Some(format!("the system refuses process_vm_readv ({error})"));
    }
    // 0: processes of one user may; 1: those may that a process permits, and images permit it.
    let scope: u32 = scope.trim().parse().unwrap_or(0);
    (scope > 2 || scope == 2 && !may_trace)
        .then(|| format!("kernel.yama.ptrace_scope is {scope}, at most 1 is needed"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn images_may_copy_unless_the_system_forbids_it() {
        let refused = || Err(io::Error::from_raw_os_error(libc::EPERM));
        for (own, scope, may_trace, named) in [
            (Ok(()), "", false, None),
            (Ok(()), "0\n", false, None),
            (Ok(()), "1\n", false, None),
            (Ok(()), "2\n", true, None),
            (Ok(()), "2\n", false, Some("ptrace_scope is 2")),
            (Ok(()), "3\n", true, Some("ptrace_scope is 3")),
            (refused(), "0\n", true, Some("process_vm_readv")),
        ] {
            let found = reason(own, scope, may_trace);
            let is_named = |part: &str| found.as_ref().is_some_and(|text| text.contains(part));
            assert!(named.map_or(found.is_none(), is_named), "{scope:?} {may_trace}: {found:?}");
        }
    }

    #[test]
    fn a_process_may_copy_its_own_memory_or_says_why_not() {
        assert_eq!(
            copy_of_own_memory().is_err(),
            obstacle().is_some_and(|it| it.contains("readv"))
        );
    }
}
