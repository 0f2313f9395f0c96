//! Memory of another process of this host, copied to the same addresses here for as long as an accessor runs.
//!
//! A window is opened by a signal, when the accessor touches an address that is mapped in the other process and not
//! here: addresses of different processes are random, so that two variables hardly ever meet. What has changed in it is
//! put back when it is closed; bytes that have not are left alone, because another image may define them meanwhile.
//!
//! Everything here is done by system calls and in memory that is there beforehand, as it must be in a signal handler.

use std::cell::UnsafeCell;
use std::ffi::c_void;
use std::ptr;
use std::sync::atomic::{AtomicUsize, Ordering};
use xmp_core::region::{PAGE, page_size};

/// Bytes of a window, if the other process has them.
const WINDOW: usize = 256 << 10;
/// Pages of a window where they are smallest.
const MAX_PAGES: usize = WINDOW / PAGE as usize;
/// Most windows that can be open: for sections of 1 GiB.
const MAX_WINDOWS: usize = 4096;
/// Most pieces that one system call puts back.
const PIECES: usize = 64;

#[derive(Clone, Copy)]
struct Window {
    start: usize,
    len: usize,
    /// What was there when it was opened, if changes are to be put back; or null.
    before: *mut u8,
}

struct Windows {
    count: AtomicUsize,
    list: UnsafeCell<[Window; MAX_WINDOWS]>,
}

// SAFETY: used by the one thread of an image that calls accessors, and by its signal handler while that thread is
// still.
unsafe impl Sync for Windows {}

static WINDOWS: Windows = Windows {
    count: AtomicUsize::new(0),
    list: UnsafeCell::new([Window { start: 0, len: 0, before: ptr::null_mut() }; MAX_WINDOWS]),
};

/// Whether one is open.
#[inline]
pub fn any() -> bool {
    // Relaxed: changed by this thread, or by its signal handler.
    WINDOWS.count.load(Ordering::Relaxed) != 0
}

/// Opens a window at this address, which is not mapped here, to that of the other process. False if something is here,
/// or nothing there, or the system does not let processes do this.
///
/// # Safety
/// To be called by the thread that calls accessors, in one of these.
pub unsafe fn open(process: libc::pid_t, address: *const c_void, put_back: bool) -> bool {
    let count = WINDOWS.count.load(Ordering::Relaxed);
    if count == MAX_WINDOWS {
        return false;
    }
    let page = page_size();
    let start = address.addr() & !(page - 1);
    // SAFETY: new mappings only; the list is this thread's.
    unsafe {
        let Some(mapped) = [WINDOW, page].into_iter().find(|&mapped| map(start, mapped)) else {
            return false;
        };
        let len = copy_from(process, start, mapped / page);
        if len < mapped {
            libc::munmap((start + len) as *mut c_void, mapped - len);
        }
        if len == 0 {
            return false;
        }
        let mut before: *mut u8 = ptr::null_mut();
        if put_back {
            let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS;
            let rights = libc::PROT_READ | libc::PROT_WRITE;
            let copy = libc::mmap(ptr::null_mut(), len, rights, flags, -1, 0);
            if copy == libc::MAP_FAILED {
                libc::munmap(start as *mut c_void, len);
                return false;
            }
            before = copy.cast();
            before.copy_from_nonoverlapping(start as *const u8, len);
        }
        (*WINDOWS.list.get())[count] = Window { start, len, before };
    }
    WINDOWS.count.store(count + 1, Ordering::Relaxed);
    true
}

/// Closes all windows; whether everything could be put back.
///
/// # Safety
/// To be called by the thread that has opened them, for the same process, when the accessor has returned.
pub unsafe fn close(process: libc::pid_t) -> bool {
    let mut is_done = true;
    for number in 0..WINDOWS.count.swap(0, Ordering::Relaxed) {
        // SAFETY: the list is this thread's, and the mappings are those that it has made.
        unsafe {
            let Window { start, len, before } = (*WINDOWS.list.get())[number];
            if !before.is_null() {
                let now = std::slice::from_raw_parts(start as *const u8, len);
                let then = std::slice::from_raw_parts(before, len);
                is_done &= put_changes(process, now, then);
                libc::munmap(before.cast(), len);
            }
            libc::munmap(start as *mut c_void, len);
        }
    }
    is_done
}

/// Maps memory here, unless something is here already.
///
/// # Safety
/// The address is that of a page.
unsafe fn map(start: usize, len: usize) -> bool {
    let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_FIXED_NOREPLACE;
    let rights = libc::PROT_READ | libc::PROT_WRITE;
    // SAFETY: nothing is replaced.
    let mapped = unsafe { libc::mmap(start as *mut c_void, len, rights, flags, -1, 0) };
    match mapped.addr() {
        place if place == start => true,
        _ if mapped == libc::MAP_FAILED => false,
        // A system that does not know the flag has put it elsewhere.
        _ => {
            // SAFETY: just mapped.
            unsafe { libc::munmap(mapped, len) };
            false
        }
    }
}

/// Copies as many pages as are there to the same addresses here; their bytes.
///
/// # Safety
/// `pages` pages at `start` are mapped here.
unsafe fn copy_from(process: libc::pid_t, start: usize, pages: usize) -> usize {
    // A page each: the system copies a piece as a whole or not at all.
    let size = page_size();
    let piece =
        |page: usize| libc::iovec { iov_base: (start + page * size) as *mut c_void, iov_len: size };
    let pieces: [libc::iovec; MAX_PAGES] = std::array::from_fn(piece);
    let here = libc::iovec { iov_base: start as *mut c_void, iov_len: pages * size };
    // SAFETY: `pages` pages at `start` are mapped in this process; the system checks the other process's memory.
    let copied = unsafe {
        libc::process_vm_readv(process, &here, 1, pieces.as_ptr(), pages as libc::c_ulong, 0)
    };
    usize::try_from(copied).unwrap_or(0) & !(size - 1)
}

/// Puts the bytes that have changed; whether they could be.
fn put_changes(process: libc::pid_t, now: &[u8], before: &[u8]) -> bool {
    let mut pieces = [libc::iovec { iov_base: ptr::null_mut(), iov_len: 0 }; PIECES];
    let mut count = 0;
    let mut at = 0;
    let mut is_done = true;
    while at < now.len() {
        if now[at] == before[at] {
            at += 1;
            continue;
        }
        let from = at;
        while at < now.len() && now[at] != before[at] {
            at += 1;
        }
        let place = now[from..].as_ptr().cast_mut().cast();
        pieces[count] = libc::iovec { iov_base: place, iov_len: at - from };
        count += 1;
        if count == PIECES {
            is_done &= write(process, &pieces);
            count = 0;
        }
    }
    is_done && write(process, &pieces[..count])
}

/// Writes pieces of memory to the same addresses of the other process.
fn write(process: libc::pid_t, pieces: &[libc::iovec]) -> bool {
    let len: usize = pieces.iter().map(|piece| piece.iov_len).sum();
    let count = pieces.len() as libc::c_ulong;
    // SAFETY: the pieces are there; the system checks the other process's memory.
    let written = unsafe {
        libc::process_vm_writev(process, pieces.as_ptr(), count, pieces.as_ptr(), count, 0)
    };
    usize::try_from(written) == Ok(len)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::{Read, Write};
    use std::process::{Child, Command, Stdio};

    /// A page that another process, which waits, has at an address where nothing is here.
    fn elsewhere() -> (Child, *mut u8) {
        let mut command = Command::new("cat");
        let piped = command.stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut child = piped.spawn().expect("a process");
        // The system moves the stack of a new program before it runs: it runs when it has answered.
        child.stdin.as_mut().expect("a pipe").write_all(b"?").expect("the process reads");
        child.stdout.as_mut().expect("a pipe").read_exact(&mut [0]).expect("the process answers");
        let maps = std::fs::read_to_string(format!("/proc/{}/maps", child.id())).expect("maps");
        let stack = maps.lines().find(|line| line.ends_with("[stack]")).expect("a stack");
        let (_, rest) = stack.split_once('-').expect("a range");
        let (end, _) = rest.split_once(' ').expect("rights after the range");
        (child, (usize::from_str_radix(end, 16).expect("an address") - 2 * page_size()) as *mut u8)
    }

    #[test]
    fn what_is_changed_in_a_window_is_changed_there() {
        let (mut child, page) = elsewhere();
        let process = child.id() as libc::pid_t;
        // SAFETY: the page of the other process, which sleeps in a system call; the end of its stack is not used any
        // more but for names. Here is nothing, or the opening fails.
        unsafe {
            if open(process, page.cast(), true) {
                assert!(any());
                let at = page.add(100);
                let old = *at;
                *at = old.wrapping_add(1);
                assert!(close(process) && !any());
                assert!(open(process, page.cast(), false));
                assert_eq!(*at, old.wrapping_add(1));
                *at = old;
                assert!(close(process));
                assert!(open(process, page.cast(), false));
                assert_eq!(*at, old.wrapping_add(1), "what is only read is not put back");
                assert!(close(process));
            }
            assert!(!open(process, 8 as *const c_void, false), "nothing there");
            let own = [0_u8; 1];
            assert!(!open(process, own.as_ptr().cast(), false), "something here");
        }
        child.kill().expect("it can be ended");
        child.wait().expect("it has ended");
    }
}
