//! Limits of the system under which a program is run: of resources, and of the calls that it may make.

use std::io;

/// A resource as `setrlimit` numbers it.
pub type Resource = libc::__rlimit_resource_t;

/// Limits that a process sets for itself before it becomes the program.
#[derive(Clone, Debug, Default)]
pub(crate) struct Limits {
    pub resources: Vec<(Resource, u64)>,
    /// A filter of system calls (seccomp); empty without one.
    filter: Vec<libc::sock_filter>,
}

impl Limits {
    /// Has these system calls refused with an error.
    pub fn refuse(&mut self, calls: &[libc::c_long], error: libc::c_int) {
        const ACCUMULATE: u32 = libc::BPF_LD | libc::BPF_W | libc::BPF_ABS;
        const JUMP_IF_EQUAL: u32 = libc::BPF_JMP | libc::BPF_JEQ | libc::BPF_K;
        const RETURN: u32 = libc::BPF_RET | libc::BPF_K;
        let operation =
            |code: u32, k: u32| libc::sock_filter { code: code as u16, jt: 0, jf: 0, k };
        // The number is the first field of `seccomp_data`.
        self.filter = vec![operation(ACCUMULATE, 0)];
        for &call in calls {
            let otherwise = libc::sock_filter { jf: 1, ..operation(JUMP_IF_EQUAL, call as u32) };
            let refusal = operation(RETURN, libc::SECCOMP_RET_ERRNO | error as u32);
            self.filter.extend([otherwise, refusal]);
        }
        self.filter.push(operation(RETURN, libc::SECCOMP_RET_ALLOW));
    }

    /// Sets them for this process, and so for all that it starts. Async-signal-safe.
    pub fn set(&self) -> io::Result<()> {
        for &(resource, value) in &self.resources {
            let limit = libc::rlimit { rlim_cur: value, rlim_max: value };
            // SAFETY: only reads the limit.
            succeeded(unsafe { libc::setrlimit(resource, &limit) })?;
        }
        if self.filter.is_empty() {
            return Ok(());
        }
        let filter = self.filter.as_ptr().cast_mut();
        let program = libc::sock_fprog { len: self.filter.len() as u16, filter };
        let kind = libc::SECCOMP_MODE_FILTER;
        // SAFETY: the system copies the filter, which lives as long as `self`.
        unsafe {
            succeeded(libc::prctl(libc::PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0))?;
            succeeded(libc::prctl(libc::PR_SET_SECCOMP, kind, &raw const program))
        }
    }
}

fn succeeded(code: libc::c_int) -> io::Result<()> {
    if code == 0 { Ok(()) } else { Err(io::Error::last_os_error()) }
}
