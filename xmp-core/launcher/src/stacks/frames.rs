//! Stacks as gdb writes them, without the parts that differ from image to image: addresses, arguments, frames within
//! the library.

use xmp_source::is_entry;

/// A thread of an image, by its stack.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Thread {
    /// Whether it is the thread that the process has begun with.
    pub is_main: bool,
    /// Its frames, the innermost first: procedure, and source line or library.
    pub frames: Vec<String>,
}

/// The threads in the output of `thread apply all backtrace`.
pub fn threads(text: &str) -> Vec<Thread> {
    let mut threads: Vec<Thread> = Vec::new();
    for line in text.lines() {
        if line.starts_with("Thread ") && line.ends_with(':') {
            threads.push(Thread { is_main: line.starts_with("Thread 1 "), frames: Vec::new() });
        } else if let (Some(thread), Some(frame)) = (threads.last_mut(), frame(line)) {
            thread.frames.push(frame);
        }
    }
    for thread in &mut threads {
        // Frames of the library within an entry are of no use to its caller.
        let entry = thread.frames.iter().rposition(|frame| is_entry(procedure(frame)));
        thread.frames.drain(..entry.unwrap_or(0));
        // Nor are frames of the C library before `main`.
        let main = thread.frames.iter().position(|frame| procedure(frame) == "main");
        thread.frames.truncate(main.map_or(usize::MAX, |main| main + 1));
    }
    threads.retain(|thread| !thread.frames.is_empty());
    threads
}

/// The procedure of a frame.
fn procedure(frame: &str) -> &str {
    frame.split(' ').next().unwrap_or(frame)
}

/// `#1  0x00007f in MAIN__ () at heat.f90:31` as `MAIN__ at heat.f90:31`.
fn frame(line: &str) -> Option<String> {
    let (_, rest) = line.strip_prefix('#')?.split_once(' ')?;
    let rest = rest.trim_start();
    let rest = match rest.split_once(" in ") {
        Some((address, rest)) if address.starts_with("0x") => rest,
        _ => rest,
    };
    let (name, rest) = rest.split_once(" (")?;
    let place = match rest.rsplit_once(") at ") {
        Some((_, line)) => format!(" at {line}"),
        None => {
            rest.rsplit_once(") from ").map_or(String::new(), |(_, file)| format!(" in {file}"))
        }
    };
    Some(format!("{name}{place}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "\
[New LWP 12]

Thread 2 (Thread 0x7f1 (LWP 12) \"xmp\"):
#0  0x00007ffff7a in poll (fds=0x1, n=2) from /lib/libc.so.6
#1  0x00007ffff7b in ?? () from /lib/libc.so.6

Thread 1 (Thread 0x7f2 (LWP 11) \"heat\"):
#0  syscall () at ../sysdeps/x86_64/syscall.S:38
#1  0x00007ffff7c in xmp_shm::wait::Waits::keep_waiting (self=0x7f) at wait/mod.rs:12
#2  0x00007ffff7d in _gfortran_caf_sync_all (stat=...) at ffi/src/gnu/sync.rs:23
#3  0x0000555555 in heat () at heat.f90:31
#4  0x0000555556 in main (argc=1, argv=0x7ffe at \"x\") at heat.f90:2
#5  0x00007ffff7 in __libc_start_main () from /lib/libc.so.6
";

    #[test]
    fn stacks_begin_with_the_entry_and_have_no_addresses() {
        let [other, main] = &threads(TEXT)[..] else { panic!("two threads") };
        assert!(main.is_main && !other.is_main);
        assert_eq!(
            main.frames,
            [
                "_gfortran_caf_sync_all at ffi/src/gnu/sync.rs:23",
                "heat at heat.f90:31",
                "main at heat.f90:2"
            ]
        );
        assert_eq!(other.frames, ["poll in /lib/libc.so.6", "?? in /lib/libc.so.6"]);
    }

    #[test]
    fn output_without_stacks_has_no_threads() {
        assert_eq!(threads("ptrace: Operation not permitted.\n"), []);
    }
}
