//! The work before and after each call that passes through this library.

use crate::call::Call;
use crate::entry::Entry;
use crate::{recorder, runtime, tool};
use std::cell::{Cell, UnsafeCell};
use std::mem::ManuallyDrop;
use std::ptr;
use std::sync::atomic::{AtomicU16, Ordering};
use xmp_trace::buffer::{Place, Rows};
use xmp_trace::format::Record;
use xmp_trace::operation::Operation;
use xmp_trace::ticks;

/// What a thread is doing. It has no destructor, because calls are made until the thread has ended.
struct Thread {
    /// Calls that the thread is in. One within another is part of the outer one, and is not recorded.
    depth: Cell<u32>,
    /// The outermost call; its memory serves for all calls, one after the other.
    running: UnsafeCell<ManuallyDrop<Running>>,
}

/// A call that has not returned, or the last one.
struct Running {
    entry: Option<&'static Entry>,
    record: Record,
    place: Option<Place>,
    /// Rows that this thread writes.
    rows: Rows,
    /// Number of the thread in this process, from 0.
    number: Option<u16>,
}

thread_local! {
    static THREAD: Thread = const {
        Thread {
            depth: Cell::new(0),
            running: UnsafeCell::new(ManuallyDrop::new(Running {
                entry: None,
                record: Record {
                    operation: Operation::Put,
                    thread: 0,
                    partner: 0,
                    begin: 0,
                    end: 0,
                    address: 0,
                    bytes: 0,
                    team: 0,
                    object: 0,
                    element: 0,
                    list: Vec::new(),
                },
                place: None,
                rows: Rows::NONE,
                number: None,
            })),
        }
    };
}

/// Before a call: begins its record, and returns the address of the function to call.
pub extern "C" fn before(call: &mut Call, entry: &'static Entry) -> usize {
    THREAD.with(|thread| {
        call.thread = ptr::from_ref(thread).cast();
        let depth = thread.depth.get();
        thread.depth.set(depth + 1);
        if depth == 0 {
            // SAFETY: only the outermost call of this thread has the reference, and none is kept beyond this block.
            let running = unsafe { &mut *thread.running.get() };
            running.begin(call, entry);
        }
    });
    runtime::function_of(entry)
}

/// After a call: completes its record.
pub extern "C" fn after(call: &Call) {
    let end = ticks::now();
    // SAFETY: `before` has been called by the same thread, whose state has no destructor.
    let thread = unsafe { &*call.thread.cast::<Thread>() };
    let depth = thread.depth.get() - 1;
    if depth == 0 {
        // SAFETY: as in `before`. Calls that this makes itself are not recorded: the depth is not 0 yet.
        let running = unsafe { &mut *thread.running.get() };
        running.end(call, end);
    }
    thread.depth.set(depth);
}

impl Running {
    fn begin(&mut self, call: &Call, entry: &'static Entry) {
        let thread = self.number();
        let record = &mut self.record;
        record.operation = entry.operation;
        record.thread = thread;
        record.partner = 0;
        record.end = 0;
        record.address = call.return_address;
        record.bytes = 0;
        record.team = 0;
        record.object = 0;
        record.element = 0;
        record.list.clear();
        (entry.decoder.before)(call, record);
        record.begin = ticks::now();
        self.entry = Some(entry);
        self.place = recorder::begin(record, &mut self.rows);
        tool::begin(entry.symbol, record);
    }

    fn end(&mut self, call: &Call, end: u64) {
        let Some(entry) = self.entry else { return };
        let record = &mut self.record;
        record.end = end;
        (entry.decoder.after)(call, record);
        match record.operation {
            Operation::ChangeTeam => record.team = runtime::this_image(runtime::CURRENT).into(),
            Operation::TaskBegin if record.object != 0 => {
                record.list = runtime::executing();
                record.object = recorder::handle_of_task(&record.list);
            }
            _ => {}
        }
        recorder::end(record, self.place, &mut self.rows);
        tool::end(entry.symbol, record);
    }

    fn number(&mut self) -> u16 {
        static NEXT: AtomicU16 = AtomicU16::new(0);
        *self.number.get_or_insert_with(|| {
            recorder::prepare();
            NEXT.fetch_add(1, Ordering::Relaxed)
        })
    }
}
