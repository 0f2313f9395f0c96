//! What is done before and after each call that passes through this library.

use crate::call::Call;
use crate::entry::Entry;
use crate::{recorder, runtime, tool};
use std::cell::Cell;
use std::mem::ManuallyDrop;
use std::sync::atomic::{AtomicU16, Ordering};
use xmp_trace::buffer::Place;
use xmp_trace::format::Record;
use xmp_trace::operation::Operation;

/// A call that has not returned.
struct Running {
    entry: &'static Entry,
    record: Record,
    place: Option<Place>,
}

/// What a thread is doing.
struct Thread {
    /// Calls that the thread is in. One within another is part of the outer one, and is not recorded.
    depth: Cell<u32>,
    /// The outermost call. Without a destructor, because calls are made until the thread has ended.
    running: Cell<ManuallyDrop<Option<Running>>>,
    /// Number of the thread in this process, from 0.
    number: Cell<Option<u16>>,
}

thread_local! {
    static THREAD: Thread = const {
        Thread {
            depth: Cell::new(0),
            running: Cell::new(ManuallyDrop::new(None)),
            number: Cell::new(None),
        }
    };
}

/// Before a call: begins its record, and returns the address of the function to call.
pub extern "C" fn before(call: &Call, entry: &'static Entry) -> usize {
    THREAD.with(|thread| {
        let depth = thread.depth.get();
        thread.depth.set(depth + 1);
        if depth == 0 {
            let mut record = Record {
                operation: entry.operation,
                thread: thread.number(),
                partner: 0,
                begin: 0,
                end: 0,
                address: call.return_address,
                bytes: 0,
                team: 0,
                object: 0,
                list: Vec::new(),
            };
            (entry.decoder.before)(call, &mut record);
            let place = recorder::begin(&mut record);
            tool::begin(entry.symbol, &record);
            thread.running.set(ManuallyDrop::new(Some(Running { entry, record, place })));
        }
    });
    runtime::function_of(entry)
}

/// After a call: completes its record.
pub extern "C" fn after(call: &Call) {
    let end = recorder::now();
    THREAD.with(|thread| {
        let depth = thread.depth.get() - 1;
        thread.depth.set(depth);
        if depth > 0 {
            return;
        }
        let running = ManuallyDrop::into_inner(thread.running.replace(ManuallyDrop::new(None)));
        let Some(Running { entry, mut record, place }) = running else { return };
        record.end = end;
        (entry.decoder.after)(call, &mut record);
        match record.operation {
            Operation::ChangeTeam => record.team = runtime::this_image(runtime::CURRENT).into(),
            Operation::TaskBegin if record.object != 0 => {
                record.list = runtime::executing();
                record.object = recorder::handle_of_task(&record.list);
            }
            _ => {}
        }
        recorder::end(&record, place);
        tool::end(entry.symbol, &record);
    });
}

impl Thread {
    fn number(&self) -> u16 {
        static NEXT: AtomicU16 = AtomicU16::new(0);
        self.number.get().unwrap_or_else(|| {
            let number = NEXT.fetch_add(1, Ordering::Relaxed);
            self.number.set(Some(number));
            number
        })
    }
}
