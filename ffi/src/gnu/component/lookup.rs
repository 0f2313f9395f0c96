//! Components of any image, found by the address that an object has of them.
//!
//! The compiler tells nothing about the components of a type, but what was allocated for one says so by itself: the
//! library's memory does ([`block`]), and so does that of `malloc`, which the compiler takes where it assigns the
//! result of a function or of a structure constructor, allocates in a procedure, or moves an allocation. GNU's library
//! keeps the size of such memory in front of it.

use super::block;
use std::ffi::c_void;
use std::ops::Range;
use std::ptr;
use std::sync::OnceLock;
use xmp_core::process::memory;
use xmp_core::transport::Layout;
use xmp_core::{Image, Rank, Result, heap, region};

const WORD: usize = size_of::<usize>();

/// A component.
#[derive(Clone, Copy, Debug)]
pub struct ComponentPlace {
    at: At,
    /// Bytes of it, or a few more.
    pub size: usize,
}

#[derive(Clone, Copy, Debug)]
enum At {
    /// At this offset in the segment of the image.
    Segment(u64),
    /// At this address of its process.
    Process(u64),
}

/// The component that the image has at this address. (Pointers look like allocated components, so their targets are
/// found, too.)
pub fn component(image: &Image, rank: Rank, address: usize) -> Result<Option<ComponentPlace>> {
    // What most words hold is sorted out in few steps.
    if address == 0 || !address.is_multiple_of(ALIGNMENT) {
        return Ok(None);
    }
    if let Some(offset) = image.locate_of(rank, ptr::with_exposed_provenance(address)) {
        return in_segment(image, rank, offset);
    }
    let may_be = may_be_allocated(address);
    Ok(if may_be { allocated(image, rank, address as u64) } else { None })
}

impl ComponentPlace {
    /// Its offset in the segment of the image, if it is there.
    pub fn offset(&self) -> Option<u64> {
        match self.at {
            At::Segment(offset) => Some(offset),
            At::Process(_) => None,
        }
    }

    /// Copies all of it; whether that could be read. (A pointer that leads nowhere any more may look like a component.)
    ///
    /// # Safety
    /// There is so much room; the component does not change meanwhile.
    pub unsafe fn read(&self, image: &Image, rank: Rank, into: *mut u8) -> Result<bool> {
        // SAFETY: `into` has room for `self.size` bytes, and they do not change meanwhile.
        unsafe {
            match self.at {
                At::Segment(offset) => segment(image, rank, offset, into, self.size).map(|()| true),
                At::Process(address) => {
                    Ok(memory::read(image, rank, address, into, self.size).is_ok())
                }
            }
        }
    }
}

fn in_segment(image: &Image, rank: Rank, offset: u64) -> Result<Option<ComponentPlace>> {
    if offset < block::AHEAD || !offset.is_multiple_of(heap::GRAIN) {
        return Ok(None);
    }
    let (mut header, at): (block::Header, _) = ([0; 2], offset - block::AHEAD);
    let (bytes, len) = (header.as_mut_ptr().cast::<u8>(), size_of::<block::Header>());
    // SAFETY: in the segment, in front of an offset in it. What is there need not be a header.
    unsafe {
        match image.local_address(rank, at) {
            Some(place) => bytes.copy_from_nonoverlapping(place, len),
            None => image.transport().get_descriptor(rank, at, bytes, len)?,
        }
    }
    let room = image.job().geometry().stride - offset;
    let size = block::length(header, offset).filter(|&size| size as u64 <= room);
    Ok(size.map(|size| ComponentPlace { at: At::Segment(offset), size }))
}

/// # Safety
/// The segment has `len` bytes at `offset`, and there is room for them at `into`.
unsafe fn segment(image: &Image, rank: Rank, offset: u64, into: *mut u8, len: usize) -> Result<()> {
    // SAFETY: `len` bytes are in the segment at `offset`, and `into` has room for them.
    unsafe {
        match image.local_address(rank, offset) {
            Some(place) => into.copy_from_nonoverlapping(place, len),
            None => image.transport().get(rank, offset, into, Layout::Contiguous(len))?,
        }
    }
    Ok(())
}

/// What `malloc` returns is a multiple of it.
const ALIGNMENT: usize = 16;
/// In front of allocated memory: the size with what is in front, and flags.
const SIZE: u64 = 8;
/// Of the flags: the memory before this is in use.
const BEFORE_IN_USE: u64 = 1;
/// Of the flags: pages of their own.
const PAGES: u64 = 2;
const FLAGS: u64 = 7;
const PAGE: u64 = 4096;
const MIN_SIZE: u64 = 32;
const MAX_SIZE: u64 = 1 << 40;

/// Where the system puts mappings, by processor: on AArch64, whose addresses have 48 bits or 47, from a quarter of them upwards, if stacks are
/// unlimited, and otherwise from the end downwards, as on x86-64, whose addresses have 47 bits. Programs of AArch64 are among them.
const MAPPINGS: Range<usize> =
    if cfg!(target_arch = "aarch64") { 1 << 45..1 << 48 } else { (1 << 47) - 2 * MOVED..1 << 47 };
/// The system moves programs and mappings of x86-64 by up to 2^32 pages.
const MOVED: usize = 1 << 44;

/// Whether an address may be of `malloc` in some process that runs this program: after the program, or among the mappings.
fn may_be_allocated(address: usize) -> bool {
    // SAFETY: `sbrk` of 0 only returns the end of the heap.
    let end = unsafe { libc::sbrk(0) }.addr();
    may_be_memory(address, end) && !region::may_contain(address) && has_sizes_in_front()
}

/// Whether another process of a program, whose heap ends at `end` in this one, may have memory at an address.
fn may_be_memory(address: usize, end: usize) -> bool {
    MAPPINGS.contains(&address) || address.abs_diff(end) < MOVED
}

/// Whether `malloc` is that of GNU's library.
fn has_sizes_in_front() -> bool {
    static HAS: OnceLock<bool> = OnceLock::new();
    *HAS.get_or_init(|| {
        // SAFETY: any size may be allocated.
        let memory = unsafe { libc::malloc(40) };
        let is_so = word_in_front(memory).is_some_and(|word| word & !FLAGS == 40 + SIZE);
        // SAFETY: allocated above, or null.
        unsafe { libc::free(memory) };
        is_so
    })
}

/// The word in front of an address of this process. The system reads it: a load of what belongs to the allocator would
/// be an error for tools that check accesses (valgrind, AddressSanitizer).
fn word_in_front(address: *mut c_void) -> Option<u64> {
    let mut word = [0; WORD];
    let into = libc::iovec { iov_base: word.as_mut_ptr().cast(), iov_len: WORD };
    let from = libc::iovec { iov_base: address.wrapping_byte_sub(WORD), iov_len: WORD };
    // SAFETY: room for a word; the system checks whether the address can be read.
    let read = unsafe { libc::process_vm_readv(libc::getpid(), &into, 1, &from, 1, 0) };
    (read == WORD as isize).then(|| u64::from_ne_bytes(word))
}

/// The memory that was allocated at this address, if any was. What cannot be read is none.
fn allocated(image: &Image, rank: Rank, address: u64) -> Option<ComponentPlace> {
    let word = |address: u64| {
        let mut bytes = [0; WORD];
        // SAFETY: the system checks whether there is such memory.
        let read = unsafe { memory::read(image, rank, address, bytes.as_mut_ptr(), WORD) };
        read.ok().map(|()| u64::from_ne_bytes(bytes))
    };
    let field = word(address - SIZE)?;
    let whole = field & !FLAGS;
    if !whole.is_multiple_of(ALIGNMENT as u64) || !(MIN_SIZE..MAX_SIZE).contains(&whole) {
        return None;
    }
    let start = address - 2 * SIZE;
    let size = if field & PAGES != 0 {
        if !start.is_multiple_of(PAGE) || !whole.is_multiple_of(PAGE) {
            return None;
        }
        whole - 2 * SIZE
    } else if word(start + whole + SIZE)? & BEFORE_IN_USE != 0 {
        // The next one begins with what may be the last word of this.
        whole - SIZE
    } else {
        return None;
    };
    Some(ComponentPlace { at: At::Process(address), size: size as usize })
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::Ordering;
    use xmp_core::region::page_size;
    use xmp_core::transport::threads;

    /// A component is found through another image, too.
    fn found(image: &Image, address: usize) -> Option<ComponentPlace> {
        allocated(image, image.rank(), address as u64).filter(|_| may_be_allocated(address))
    }

    /// The first and the last addresses to which the system moves programs and mappings: `ELF_ET_DYN_BASE`, `TASK_UNMAPPED_BASE` and
    /// `ARCH_MMAP_RND_BITS_MAX` of Linux.
    #[test]
    fn memory_of_other_images_may_be_wherever_the_system_moves_it() {
        let is_arm = cfg!(target_arch = "aarch64");
        for bits in if is_arm { 47..=48 } else { 47..=47 } {
            let (top, random, stack): (usize, usize, usize) = (1 << bits, 1 << (bits - 3), 1 << 34);
            let program = top / 3 * 2;
            let programs = [program, program + random - 1];
            let mut mappings = vec![top - random - 2 * stack, top - 1];
            if is_arm {
                // Stacks without a limit.
                mappings.extend([top / 4, top / 4 + random - 1]);
            }
            for end in programs {
                for &address in programs.iter().chain(&mappings) {
                    let may_be = may_be_memory(address, end) && !region::may_contain(address);
                    assert!(may_be, "{address:x} {end:x}");
                }
            }
            for address in [1 << 44, 1 << 49, usize::MAX] {
                assert!(!may_be_memory(address, program), "{address:x}");
            }
        }
    }

    #[test]
    fn memory_of_malloc_is_found_with_its_size_and_nothing_else() {
        threads::run(1, 1, |image| {
            // Images that are threads have no process of their own.
            let pid = &image.job().entry(image.rank()).pid;
            pid.store(std::process::id() as _, Ordering::Relaxed);
            for size in [1, 24, 25, 1000, 100_000, 10_000_000] {
                // SAFETY: memory of this size.
                unsafe {
                    let memory = libc::malloc(size).cast::<u8>();
                    memory.write_bytes(7, size);
                    let found = found(image, memory.expose_provenance()).expect("allocated");
                    assert!((size..size + 2 * page_size()).contains(&found.size), "{found:?}");
                    let mut copy = vec![0; found.size];
                    assert!(found.read(image, image.rank(), copy.as_mut_ptr()).unwrap());
                    assert_eq!(copy[..size], vec![7; size]);
                    libc::free(memory.cast());
                }
            }
            static FIXED: [u128; 8] = [0; 8];
            let local = [0u128; 8];
            let inside = vec![0u128; 100];
            for address in [FIXED[4..].as_ptr(), local[4..].as_ptr(), inside[50..].as_ptr()] {
                assert!(found(image, address.expose_provenance()).is_none());
            }
            assert!(found(image, 0x7fff_ffff_f000).is_none(), "nothing is there");
        })
        .unwrap();
    }
}
