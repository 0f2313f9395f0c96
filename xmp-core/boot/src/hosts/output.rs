//! The output of the images of a host, on its way to the launcher.

use super::frame::Up;
use crate::readable;
use std::io::{self, PipeReader, Read};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// The beginning of a line is passed on when nothing has followed for this time, if it may be a question to the user.
const QUESTION: Duration = Duration::from_millis(100);
/// Longest beginning of a line that is kept.
const LINE: usize = 1 << 20;

/// Sends a frame to the launcher.
pub(super) type FrameSink = Arc<dyn Fn(Up) + Send + Sync>;

/// A stream of an image, and the bytes that were not passed on yet.
struct Stream {
    pipe: Option<PipeReader>,
    line: Vec<u8>,
    /// When it was read from last.
    last: Instant,
}

/// Passes on the standard output and standard error of an image, in whole lines, until both have ended.
pub(super) fn pass_on(rank: u32, pipes: [PipeReader; 2], whole: bool, say: &FrameSink) {
    let last = Instant::now();
    let mut streams = pipes.map(|pipe| Stream { pipe: Some(pipe), line: Vec::new(), last });
    let mut room = vec![0; 64 << 10];
    while streams.iter().any(|stream| stream.pipe.is_some()) {
        let may_ask = |stream: &Stream| rank == 0 && !whole && !stream.line.is_empty();
        let limit = streams.iter().any(may_ask).then_some(QUESTION);
        let pipes: Vec<&PipeReader> = streams.iter().filter_map(|it| it.pipe.as_ref()).collect();
        let mut entries: Vec<_> = pipes.iter().map(|pipe| readable::entry(*pipe)).collect();
        readable::wait(&mut entries, limit);
        let ready: Vec<bool> = entries.iter().map(readable::is_ready).collect();
        drop(entries);
        let mut ready = ready.into_iter();
        for (stream, is_error) in streams.iter_mut().zip([false, true]) {
            let Some(pipe) = &mut stream.pipe else { continue };
            if ready.next() == Some(true) {
                match pipe.read(&mut room) {
                    Ok(0) => stream.pipe = None,
                    Ok(count) => stream.line.extend_from_slice(&room[..count]),
                    Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                    Err(_) => stream.pipe = None,
                }
                stream.last = Instant::now();
            }
            let newline = stream.line.iter().rposition(|&byte| byte == b'\n').map(|at| at + 1);
            let is_asking = rank == 0 && !whole && stream.last.elapsed() >= QUESTION;
            let count = if stream.pipe.is_none() || stream.line.len() > LINE || is_asking {
                stream.line.len()
            } else {
                newline.unwrap_or(0)
            };
            let mut text: Vec<u8> = stream.line.drain(..count).collect();
            if whole && text.last().is_some_and(|&last| last != b'\n') {
                text.push(b'\n');
            }
            if !text.is_empty() {
                say(Up::Output { rank, is_error, text });
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::children::lock;
    use super::*;
    use std::io::Write;
    use std::sync::Mutex;
    use std::sync::mpsc::channel;

    #[test]
    fn lines_are_passed_on_whole() {
        let (sender, frames) = channel();
        let sender = Mutex::new(sender);
        let say: FrameSink = Arc::new(move |frame| _ = lock(&sender).send(frame));
        let (output, mut its_output) = io::pipe().unwrap();
        let (errors, its_errors) = io::pipe().unwrap();
        its_output.write_all(b"a\nb").unwrap();
        drop(its_errors);
        let thread = std::thread::spawn(move || pass_on(1, [output, errors], false, &say));
        let output = |text: &[u8]| Up::Output { rank: 1, is_error: false, text: text.to_vec() };
        assert_eq!(frames.recv().unwrap(), output(b"a\n"));
        its_output.write_all(b"c\nd").unwrap();
        assert_eq!(frames.recv().unwrap(), output(b"bc\n"));
        drop(its_output);
        assert_eq!(frames.recv().unwrap(), output(b"d"));
        thread.join().unwrap();
    }
}
