//! Processes that an image forks: they are no images, and have memory of their own.
//!
//! Memory that the program has allocated for itself may be in the segment, where a forked process shares it with the image. The
//! program expects a copy, as of all its memory, for instance to write it to a file. So the process copies that memory
//! before `fork` returns, and the image waits for it. (`posix_spawn`, `system` and the like do not come here.)

use super::begin;
use super::instance::created;
use std::cell::Cell;
use std::ffi::c_void;
use std::ops::Range;
use std::ptr;
use xmp_core::Image;
use xmp_core::region::{page_size, pages_around};

/// Pages that the system is asked about at a time.
const ASKED_PAGES: usize = 4096;

/// A pipe: the descriptors to read from and to write to.
type Pipe = [libc::c_int; 2];

thread_local! {
    /// The pipe whose end says that the process has its copy, while this thread forks.
    static COPYING: Cell<Option<Pipe>> = const { Cell::new(None) };
}

/// Has forked processes call nothing of the library, and not share the memory of the program.
pub(super) fn watch() {
    // SAFETY: the handlers change words and memory of this process only.
    unsafe { libc::pthread_atfork(Some(prepare), Some(parent), Some(child)) };
}

extern "C" fn prepare() {
    let shares =
        created().is_some_and(|instance| instance.image.memory().ordinary_range().is_some());
    let mut pipe: Pipe = [-1; 2];
    // SAFETY: room for two descriptors.
    let is_open = shares && unsafe { libc::pipe2(pipe.as_mut_ptr(), libc::O_CLOEXEC) } == 0;
    COPYING.set(is_open.then_some(pipe));
}

extern "C" fn parent() {
    if let Some([from, to]) = COPYING.take() {
        close(to);
        // The end of the pipe: the process has closed it, or has ended. After an error of `fork` it is closed, too.
        let mut byte = 0_u8;
        // SAFETY: room for a byte.
        while unsafe { libc::read(from, (&raw mut byte).cast(), 1) } < 0
            && std::io::Error::last_os_error().raw_os_error() == Some(libc::EINTR)
        {}
        close(from);
    }
}

extern "C" fn child() {
    if let Some(instance) = created() {
        begin::forget(instance);
        instance.image.close_after_fork();
        if let Some(range) = instance.image.memory().ordinary_range()
            && !copy(&instance.image, range)
        {
            let text = "xmp: a process that an image has forked has no memory for a copy of the program's arrays: it shares \
                        them with the image (XMP_REACH=0 makes them private)\n";
            // SAFETY: writes a text.
            unsafe { libc::write(libc::STDERR_FILENO, text.as_ptr().cast(), text.len()) };
        }
    }
    if let Some([from, to]) = COPYING.take() {
        close(from);
        close(to);
    }
}

fn close(descriptor: libc::c_int) {
    // SAFETY: a descriptor of this module.
    unsafe { libc::close(descriptor) };
}

/// Puts a copy in the place of a part of this image's segment. Returns false if there is no memory for it. Pages that were never
/// written to are zero, and not copied.
fn copy(image: &Image, offsets: Range<u64>) -> bool {
    let page_bytes = page_size();
    // A segment begins with a page.
    let pages = pages_around(offsets);
    let len = (pages.end - pages.start) as usize;
    let old = image.own_segment().wrapping_add(pages.start as usize);
    let rights = libc::PROT_READ | libc::PROT_WRITE;
    let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE;
    // SAFETY: a new mapping, which takes the place of pages of the segment that this process may use: they have the same
    // contents, and the process has one thread.
    unsafe {
        let new = libc::mmap(ptr::null_mut(), len, rights, flags, -1, 0);
        if new == libc::MAP_FAILED {
            return false;
        }
        let mut is_there = [0_u8; ASKED_PAGES];
        for start in (0..len).step_by(ASKED_PAGES * page_bytes) {
            let pages = ASKED_PAGES.min((len - start) / page_bytes);
            let asked: *mut c_void = old.wrapping_add(start).cast();
            if libc::mincore(asked, pages * page_bytes, is_there.as_mut_ptr().cast()) != 0 {
                is_there.fill(1);
            }
            for (page, _) in is_there[..pages].iter().enumerate().filter(|(_, it)| **it & 1 != 0) {
                let at = start + page * page_bytes;
                new.cast::<u8>().add(at).copy_from_nonoverlapping(old.add(at), page_bytes);
            }
        }
        // Not by the function of the C library: communication libraries replace it by one that forgets the new address (UCX).
        let flags = libc::MREMAP_MAYMOVE | libc::MREMAP_FIXED;
        libc::syscall(libc::SYS_mremap, new, len, len, flags, old) != -1
    }
}
