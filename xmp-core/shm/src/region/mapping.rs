//! Creating, mapping and unmapping the region.

use super::address::{page_size, pages_around, pages_within};
use super::capacity::{CapacityLimit, RegionCapacity};
use super::huge_pages::{HUGE_PAGE, HugePages};
use crate::error::{Error, Result};
use crate::size::Size;
use std::ffi::CStr;
use std::ops::Range;
use std::os::fd::{AsRawFd, BorrowedFd};
use std::ptr::NonNull;
use std::sync::atomic::{AtomicU8, Ordering};

const NO_THREAD_SANITIZER: &str = "a program compiled with -fsanitize=thread cannot be an image of a job, but runs as one image by \
     itself: the thread sanitizer does not allow the addresses at which images share memory. Compile without it: `--check=races` of \
     xmpfc and xmpcc finds races between images, `valgrind --tool=helgrind` those of threads within an image";

/// Whether this program has the thread sanitizer, which ends a process that maps memory at an address of its own choice. The
/// hooks of [`crate::races`] have its names and are something else.
fn has_thread_sanitizer() -> bool {
    // SAFETY: looks up a name, which ends with NUL.
    let has = |name: &CStr| unsafe { !libc::dlsym(libc::RTLD_DEFAULT, name.as_ptr()).is_null() };
    has(c"__tsan_init") && !has(crate::race_hooks::SYMBOL)
}

/// Whether programs can have memory at this address: processors and kernels differ in the length of addresses.
fn has_address(address: u64) -> bool {
    let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_FIXED_NOREPLACE;
    // SAFETY: a page that replaces nothing, and is given back.
    unsafe {
        let page = libc::mmap(address as *mut _, page_size(), libc::PROT_NONE, flags, -1, 0);
        if page == libc::MAP_FAILED {
            return std::io::Error::last_os_error().raw_os_error() == Some(libc::EEXIST);
        }
        libc::munmap(page, page_size());
        page.addr() == address as usize
    }
}

/// Lets a program with the thread sanitizer be no image of a job.
///
/// # Errors
/// [`Error::Invalid`] when this program has it.
pub fn refuse_thread_sanitizer() -> Result<()> {
    if has_thread_sanitizer() { Err(Error::Invalid(NO_THREAD_SANITIZER.into())) } else { Ok(()) }
}

/// A mapped region. Unmapped when dropped.
#[derive(Debug)]
pub struct Region {
    start: NonNull<u8>,
    len: usize,
    /// Whether other processes may map the memory, too.
    is_shared: bool,
}

// SAFETY: a Region is an address range. Its content is accessed through atomics or under the rules of the layers above,
// which do not depend on the thread that mapped it.
unsafe impl Send for Region {}
// SAFETY: a Region is an address range, and its methods do not change it.
unsafe impl Sync for Region {}

impl Region {
    /// A zeroed region of `len` bytes that only this process (all its threads) can see.
    ///
    /// # Errors
    /// [`Error::System`] when the address space is exhausted or limited.
    pub fn anonymous(len: u64) -> Result<Region> {
        Region::map_anonymous(None, len)
    }

    /// The same at `base`, where functions that see every address of a program look for it ([`may_contain`](super::may_contain)).
    /// Where an instrumentation tool uses these addresses the region is at another one.
    ///
    /// # Errors
    /// Those of [`Region::anonymous`].
    pub fn anonymous_at(base: u64, len: u64) -> Result<Region> {
        Region::map_anonymous(Some(base), len).or_else(|_| Region::anonymous(len))
    }

    /// Private memory, which gets huge pages on more systems than shared memory does. It counts as data of the process
    /// (`ulimit -d`), and shared memory does not, so that is the second choice.
    fn map_anonymous(base: Option<u64>, len: u64) -> Result<Region> {
        let flags = libc::MAP_ANONYMOUS | libc::MAP_NORESERVE;
        let region = Region::map(None, len, flags | libc::MAP_PRIVATE, base)
            .or_else(|_| Region::map(None, len, flags | libc::MAP_SHARED, base))?;
        // Where the system gives huge pages to all memory, a few small blocks would take megabytes.
        region.use_no_huge_pages();
        Ok(region)
    }

    /// Maps the region's file at `base`, the address that all images use.
    ///
    /// # Errors
    /// [`Error::System`] when something else is mapped there or address space is limited.
    pub fn attach(file: BorrowedFd<'_>, base: u64, len: u64) -> Result<Region> {
        let flags = libc::MAP_SHARED | libc::MAP_NORESERVE;
        Region::map(Some(file), len, flags, Some(base))
    }

    fn map(
        file: Option<BorrowedFd<'_>>,
        len: u64,
        flags: libc::c_int,
        base: Option<u64>,
    ) -> Result<Region> {
        let bytes = usize::try_from(len)
            .map_err(|_| Error::SizeOverflow(format!("a region of {len} bytes")))?;
        if base.is_some() {
            refuse_thread_sanitizer()?;
        }
        let (address, flags) = match base {
            Some(base) => (base as *mut libc::c_void, flags | libc::MAP_FIXED_NOREPLACE),
            None => (std::ptr::null_mut(), flags),
        };
        let fd = file.map_or(-1, |f| f.as_raw_fd());
        // SAFETY: a new mapping that replaces no other one (no address, or NOREPLACE).
        let start =
            unsafe { libc::mmap(address, bytes, libc::PROT_READ | libc::PROT_WRITE, flags, fd, 0) };
        let what = || match base {
            Some(base) => {
                format!("cannot map the job's {} of shared memory at {base:#x}", Size(len))
            }
            None => format!("cannot map {} of shared memory", Size(len)),
        };
        if start == libc::MAP_FAILED {
            let error = std::io::Error::last_os_error();
            let room = RegionCapacity::of_process();
            let hint = match error.raw_os_error() {
                Some(libc::ENOMEM) if base.is_some_and(|base| !has_address(base)) => {
                    " (programs have no such addresses on this system: images need a kernel with addresses of 47 bits or more, which \
                     CONFIG_ARM64_VA_BITS sets on Arm)"
                        .into()
                }
                Some(libc::ENOMEM) if room.limit == CapacityLimit::Process => {
                    format!(" ({room}; XMP_SEGMENT_SIZE makes it smaller)")
                }
                Some(libc::ENOMEM | libc::EINVAL | libc::EEXIST) => {
                    " (does an instrumentation tool, such as a sanitizer, use these addresses? \
                     XMP_SEGMENT_SIZE=64M takes fewer)"
                        .into()
                }
                _ => String::new(),
            };
            return Err(Error::os_with_hint(what(), error, &hint));
        }
        let region = Region {
            start: NonNull::new(start.cast()).expect("mmap does not return the null page"),
            len: bytes,
            is_shared: flags & libc::MAP_SHARED != 0,
        };
        // Kernels before 4.17 take the address as a hint only.
        if base.is_some_and(|base| base != region.start.as_ptr() as u64) {
            return Err(Error::system(what(), "address in use"));
        }
        region.leave_out_of_core_dumps();
        Ok(region)
    }

    /// Excludes the mapping from core dumps: the kernel would write shared memory into the core dump of a process that
    /// dies, and take memory for all untouched pages: many gigabytes for each image, and minutes.
    fn leave_out_of_core_dumps(&self) {
        // SAFETY: the whole mapping; its contents stay as they are. A system that refuses this writes larger files.
        unsafe { libc::madvise(self.start().cast(), self.len, libc::MADV_DONTDUMP) };
    }

    /// Makes the pages of a range of offsets a part of core dumps.
    pub fn include_in_core_dumps(&self, range: Range<u64>) {
        if range.is_empty() || range.end > self.len as u64 {
            return;
        }
        let first = pages_around(range.clone()).start;
        let len = (range.end - first) as usize;
        // SAFETY: within the mapping; its contents stay as they are. A system that refuses this leaves the pages out.
        unsafe { libc::madvise(self.start().add(first as usize).cast(), len, libc::MADV_DODUMP) };
    }

    /// First byte.
    #[inline(always)]
    pub fn start(&self) -> *mut u8 {
        self.start.as_ptr()
    }

    /// Length in bytes.
    #[inline(always)]
    pub fn len(&self) -> usize {
        self.len
    }

    /// Never: a region has at least the job page.
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Returns the memory of whole pages within `offset..offset + len` to the system. Returns the range of their offsets; they read
    /// as zero afterwards, in every image. It is empty where the system keeps the memory, which is as it was then.
    ///
    /// # Safety
    /// No image uses these bytes any more.
    pub unsafe fn discard(&self, offset: u64, len: u64) -> Range<u64> {
        let pages = pages_within(offset..offset + len);
        if pages.is_empty() || pages.end > self.len as u64 {
            return offset..offset;
        }
        let advice = if self.is_shared { libc::MADV_REMOVE } else { libc::MADV_DONTNEED };
        // SAFETY: the range is within the mapping, and no image uses it (contract above).
        let refused = unsafe {
            let start = self.start().add(pages.start as usize).cast();
            libc::madvise(start, (pages.end - pages.start) as usize, advice)
        };
        if refused == 0 { pages } else { offset..offset }
    }

    /// Refuses huge pages where the system gives them without advice.
    pub fn use_no_huge_pages(&self) {
        // SAFETY: the whole mapping; its contents stay as they are.
        unsafe { libc::madvise(self.start().cast(), self.len, libc::MADV_NOHUGEPAGE) };
    }

    /// Lets whole pages of memory be huge ones, in this way; `pages` is the range of their offsets. Where
    /// the system has none to give, the pages stay as they are.
    ///
    /// # Panics
    /// When the range leaves the region.
    pub fn use_huge_pages(&self, pages: Range<u64>, huge_pages: HugePages) {
        assert!(pages.start <= pages.end && pages.end <= self.len as u64, "{pages:?}");
        let start = self.start().wrapping_add(pages.start as usize);
        let len = (pages.end - pages.start) as usize;
        if huge_pages == HugePages::None || len == 0 {
            return;
        }
        // SAFETY: in the mapping (above); the contents stay as they are.
        unsafe { libc::madvise(start.cast(), len, libc::MADV_HUGEPAGE) };
        if huge_pages == HugePages::Collapsed {
            for at in (0..len).step_by(HUGE_PAGE as usize) {
                // SAFETY: in the mapping. Atomic, because an image may put to the block; the byte stays as it is.
                let byte = unsafe { AtomicU8::from_ptr(start.wrapping_add(at)) };
                // A page that is written to, if none is there: the kernel collapses no range in which nothing was touched.
                // Relaxed: only the page is wanted.
                let _ = byte.compare_exchange(0, 0, Ordering::Relaxed, Ordering::Relaxed);
            }
            // SAFETY: as above.
            unsafe { libc::madvise(start.cast(), len, libc::MADV_COLLAPSE) };
        }
    }
}

impl Region {
    /// Bytes that this process has mapped by huge pages; 0 where the system does not tell.
    pub fn huge_bytes(&self) -> u64 {
        let maps = std::fs::read_to_string("/proc/self/smaps").unwrap_or_default();
        let (start, end) = (self.start() as u64, self.start() as u64 + self.len as u64);
        let mut is_within = false;
        let mut kibibytes = 0;
        for line in maps.lines() {
            let mut fields = line.split_whitespace();
            let Some(name) = fields.next() else { continue };
            match name {
                "ShmemPmdMapped:" | "AnonHugePages:" if is_within => {
                    kibibytes += fields.next().and_then(|size| size.parse().ok()).unwrap_or(0);
                }
                _ => {
                    let first =
                        name.split_once('-').map(|(first, _)| u64::from_str_radix(first, 16));
                    if let Some(Ok(first)) = first {
                        is_within = (start..end).contains(&first);
                    }
                }
            }
        }
        kibibytes << 10
    }
}

impl Drop for Region {
    fn drop(&mut self) {
        // SAFETY: the range was mapped by `map` and is unmapped here only.
        unsafe { libc::munmap(self.start().cast(), self.len) };
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;
    use crate::region::{HugePagePolicy, RegionFile};
    use std::fs::File;
    use std::os::fd::AsFd;
    use std::os::unix::fs::MetadataExt;

    #[test]
    fn a_huge_region_costs_nothing_until_touched() {
        let region = Region::anonymous(1 << 42).unwrap();
        // SAFETY: inside the mapping, which only this test uses.
        unsafe {
            let last = region.start().add(region.len() - 1);
            assert_eq!(*last, 0);
            *last = 7;
            assert_eq!(*last, 7);
        }
        let page = page_size() as u64;
        // SAFETY: nothing uses the region but this test.
        unsafe { region.discard((1 << 42) - page, page) };
        // SAFETY: inside the mapping, which only this test uses.
        assert_eq!(unsafe { *region.start().add(region.len() - 1) }, 0);
    }

    #[test]
    fn addresses_that_the_system_does_not_have_are_told() {
        let flags = libc::MAP_ANONYMOUS | libc::MAP_PRIVATE | libc::MAP_NORESERVE;
        let error = Region::map(None, 1 << 20, flags, Some(1 << 60)).unwrap_err().to_string();
        assert!(error.contains("at 0x1000000000000000") && error.contains("47 bits"), "{error}");
        assert!(has_address(crate::region::BASE));
    }

    #[test]
    fn a_region_is_no_part_of_core_dumps() {
        let region = Region::anonymous(1 << 30).unwrap();
        let smaps = std::fs::read_to_string("/proc/self/smaps").unwrap();
        let place =
            format!("{:08x}-{:08x} ", region.start() as u64, region.start() as u64 + (1 << 30));
        let mut lines = smaps.lines().skip_while(|line| !line.starts_with(&place)).skip(1);
        // Up to the next line with an address; not all systems show flags.
        let flags = lines.find(|line| line.starts_with("VmFlags:") || line.contains('-'));
        assert!(flags.is_none_or(|flags| flags.split(' ').any(|flag| flag == "dd")), "{flags:?}");
    }

    /// A byte of each of some pages is written, where their region is asked for huge ones in this way.
    fn huge_bytes_of(region: &Region, huge_pages: HugePages) -> u64 {
        let pages = 2 * HUGE_PAGE..6 * HUGE_PAGE;
        region.use_huge_pages(pages.clone(), huge_pages);
        for at in pages.step_by(HUGE_PAGE as usize) {
            // SAFETY: inside the mapping, which only its test uses.
            unsafe { *region.start().add(at as usize + 5) = 1 };
        }
        region.huge_bytes()
    }

    #[test]
    fn blocks_of_a_region_get_huge_pages_where_the_system_has_them() {
        let len = 1 << 30;
        let base = 0x3500_0000_0000;
        let made = RegionFile::create(len, HugePagePolicy::Auto).unwrap();
        let huge_pages = made.huge_pages.way.huge_pages();
        let region = Region::attach(made.file.as_fd(), base, len).unwrap();
        let has_some = huge_bytes_of(&region, huge_pages) > 0;
        // None is left where memory is fragmented.
        let anonymous = Region::anonymous_at(0x3700_0000_0000, len).unwrap();
        let is_possible = huge_bytes_of(&anonymous, HugePages::Advised) > 0;
        assert!(has_some || huge_pages == HugePages::None || !is_possible, "{}", made.huge_pages);
        assert!(!has_some || huge_pages != HugePages::None, "{}", made.huge_pages);
        // Whole pages are given back.
        let blocks = |file: &File| file.metadata().unwrap().blocks() * 512;
        let file = File::from(made.file);
        let before = blocks(&file);
        // SAFETY: only this test uses the region.
        unsafe { region.discard(3 * HUGE_PAGE + 64, 2 * HUGE_PAGE) };
        assert!(blocks(&file) < before, "{before}");
        // SAFETY: inside the mapping, which only this test uses.
        let read = |page: u64| unsafe { *region.start().add((page * HUGE_PAGE) as usize + 5) };
        assert_eq!([2, 3, 4, 5].map(read), [1, 1, 0, 1]);
    }

    #[test]
    fn a_region_without_huge_pages_has_none() {
        let len = 1 << 30;
        let made = RegionFile::create(len, HugePagePolicy::Never).unwrap();
        assert_eq!(made.huge_pages.to_string(), "none: XMP_HUGE_PAGES=0");
        let region = Region::attach(made.file.as_fd(), 0x3600_0000_0000, len).unwrap();
        region.use_no_huge_pages();
        assert_eq!(huge_bytes_of(&region, HugePages::None), 0);
    }

    #[test]
    fn two_mappings_of_a_file_at_one_address_are_refused() {
        let base = 0x3000_0000_0000;
        let file = RegionFile::create(1 << 30, HugePagePolicy::Auto).unwrap().file;
        let first = Region::attach(file.as_fd(), base, 1 << 30).unwrap();
        assert_eq!(first.start() as u64, base);
        let text = Region::attach(file.as_fd(), base, 1 << 30).unwrap_err().to_string();
        assert!(text.contains("0x300000000000"), "{text}");
    }
}
