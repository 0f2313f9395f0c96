//! How much memory the heaps of a host may take: a page that cannot be had kills the process, so what
//! the machine cannot give must be refused when it is asked for.

use std::fs;

/// Bytes of memory that this machine, or the control group that we run in, lets the job use.
pub fn machine_limit() -> u64 {
    let cgroup = ["/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes"]
        .iter()
        .filter_map(|path| fs::read_to_string(path).ok()?.trim().parse::<u64>().ok())
        .min()
        .unwrap_or(u64::MAX);
    physical().min(cgroup)
}

fn physical() -> u64 {
    // SAFETY: sysconf reads a constant of the system.
    let (pages, size) =
        unsafe { (libc::sysconf(libc::_SC_PHYS_PAGES), libc::sysconf(libc::_SC_PAGESIZE)) };
    match (u64::try_from(pages), u64::try_from(size)) {
        (Ok(pages), Ok(size)) => pages.saturating_mul(size),
        // A system that does not say has no limit that we could respect.
        _ => u64::MAX,
    }
}
