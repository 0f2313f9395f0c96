//! Runs that the program itself makes longer: one for each load and store of a source, in the object file. The assembler of
//! `--check=races` has put instructions there that compare an address with the end of the run (`bin/as.rs`), and call the function
//! here where they differ. They serve the first thread that comes here, and none after a second one has come: other threads'
//! accesses are in tables of their own.

use crate::filter::{entry, is_shared};
use crate::gathered::gathers;
use crate::registers::keeping_registers;
use crate::threads;
use std::arch::naked_asm;
use std::mem::offset_of;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

/// The run of a place, as the assembler lays it out: zeros at first.
#[repr(C)]
pub struct Run {
    /// The address after the last byte; 0 if the run is empty, which no address is equal to.
    to: AtomicUsize,
    from: AtomicUsize,
    /// [`SITE_IS_KNOWN`], twice the site, and one if it writes; 0 if the site is not known yet.
    site: AtomicUsize,
    /// Whether it is among the open ones.
    is_open: AtomicBool,
}

/// Runs that are not empty.
static OPEN: Mutex<Vec<&'static Run>> = Mutex::new(Vec::new());

/// The thread that has runs, by the address of a variable of its own; 0 before the first one has come.
static FIRST: AtomicUsize = AtomicUsize::new(0);
/// Whether another thread has come.
static MANY: AtomicBool = AtomicBool::new(false);

/// The program accesses memory that does not continue the run: the address is in `rdi`, the run in `rax`, and in `rdx`
/// twice the number of bytes, plus one for a write.
#[unsafe(naked)]
#[unsafe(no_mangle)]
extern "C" fn xmprt_race_begin() {
    naked_asm!("jmp {look}", look = sym look)
}

/// The program accesses a range: the address in `rdi`, the bytes in `rsi`, the run in `rax`, and in `rdx` whether it writes.
#[unsafe(naked)]
#[unsafe(no_mangle)]
extern "C" fn xmprt_race_range() {
    naked_asm!(
        "test rsi, rsi",
        "jz 2f",
        "cmp rdi, qword ptr [rax + {to}]",
        "jne 3f",
        "add qword ptr [rax + {to}], rsi",
        "2: ret",
        "3: lea rdx, [rdx + 2 * rsi]",
        "jmp {look}",
        to = const offset_of!(Run, to),
        look = sym look,
    )
}

/// See `xmprt_race_begin`. What the run has already needs nothing.
#[unsafe(naked)]
extern "C" fn look() {
    naked_asm!(
        "cmp rdi, qword ptr [rax + {from}]",
        "jb 2f",
        "push rdx",
        "shr rdx, 1",
        "add rdx, rdi",
        "cmp rdx, qword ptr [rax + {to}]",
        "pop rdx",
        "ja 2f",
        "ret",
        "2: jmp {begin}",
        from = const offset_of!(Run, from),
        to = const offset_of!(Run, to),
        begin = sym keeping_begin,
    )
}

keeping_registers!(keeping_begin: begin);

extern "C" fn begin(address: usize, run: &'static Run, what: usize, place: usize) {
    let (len, writes) = (what >> 1, what & 1 == 1);
    if gathers(address, len, writes) || !is_shared(address) {
        return;
    }
    if !is_first_thread() {
        return threads::access(address, len, writes, place);
    }
    let Some(entry) = entry() else { return };
    let mut open = OPEN.lock().unwrap_or_else(PoisonError::into_inner);
    run.enter();
    // Relaxed, here and below: the first thread alone changes runs, or one that has the lock while the first accesses nothing.
    if run.site.load(Ordering::Relaxed) == 0 {
        let site = usize::from((entry.site)(place));
        run.site.store(site << 1 | usize::from(writes) | SITE_IS_KNOWN, Ordering::Relaxed);
    }
    if !run.is_open.swap(true, Ordering::Relaxed) {
        open.push(run);
    }
    run.from.store(address, Ordering::Relaxed);
    run.to.store(address + len, Ordering::Relaxed);
}

/// Above the bits of a site and of the kind of access.
const SITE_IS_KNOWN: usize = 1 << 17;

impl Run {
    /// Enters it, if there is something in it.
    fn enter(&self) {
        let (from, to) = (self.from.load(Ordering::Relaxed), self.to.load(Ordering::Relaxed));
        let site = self.site.load(Ordering::Relaxed);
        if to != 0
            && let Some(entry) = entry()
        {
            (entry.enter)(from, to - from, site & 1 == 1, (site >> 1) as u16);
        }
    }

    /// Makes it empty.
    fn close(&self) {
        self.enter();
        self.to.store(0, Ordering::Relaxed);
        self.is_open.store(false, Ordering::Relaxed);
    }
}

/// Whether this thread is the one that has runs. A second thread ends all runs for good.
fn is_first_thread() -> bool {
    if MANY.load(Ordering::Relaxed) {
        return false;
    }
    let me = threads::this_thread();
    match FIRST.compare_exchange(0, me, Ordering::Relaxed, Ordering::Relaxed) {
        Ok(_) => true,
        Err(first) if first == me => true,
        Err(_) => {
            MANY.store(true, Ordering::Relaxed);
            flush();
            false
        }
    }
}

/// Enters all runs, so that this thread has none: what it accesses next comes to [`begin`].
pub fn leave() {
    if is_first_thread() {
        flush();
    }
}

/// Enters all runs.
pub fn flush() {
    let mut open = OPEN.lock().unwrap_or_else(PoisonError::into_inner);
    open.drain(..).for_each(Run::close);
}
