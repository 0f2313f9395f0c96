//! What a message costs over TCP between two threads of this machine: the constants of [`Link`]. It never leaves the
//! machine, so it has all the work of a message between hosts and none of the way.

use std::io::{Read, Result, Write};
use std::net::{TcpListener, TcpStream};
use std::thread;
use std::time::{Duration, Instant};
use xmp_simulate::costs::Link;

/// Measurements of each kind; the tenth percentile counts, as in `constants` of `xmp-collectives`.
const TIMES: usize = 400;
/// Bytes of a long message.
const LONG: usize = 256 << 10;
/// Messages in a row.
const ROW: usize = 64;
/// For what should never take that long.
const LIMIT: Duration = Duration::from_secs(120);

/// The constants of this machine's TCP.
pub fn measure() -> Result<Link> {
    let listener = TcpListener::bind(("127.0.0.1", 0))?;
    let address = listener.local_addr()?;
    let other = thread::spawn(move || -> Result<()> {
        let (mut stream, _) = listener.accept()?;
        prepare(&stream)?;
        let mut bytes = vec![0; LONG];
        // Each message begins with its length, and asks for one of the same length.
        loop {
            let mut head = [0; 8];
            if stream.read_exact(&mut head).is_err() {
                return Ok(());
            }
            let len = usize::try_from(u64::from_le_bytes(head)).unwrap_or(LONG).min(LONG);
            stream.read_exact(&mut bytes[..len])?;
            stream.write_all(&bytes[..len.max(1)])?;
        }
    });
    let stream = TcpStream::connect(address)?;
    prepare(&stream)?;
    let link = Side { stream, bytes: vec![0; LONG + 8] }.measure();
    other.join().expect("it does not panic")?;
    link
}

fn prepare(stream: &TcpStream) -> Result<()> {
    stream.set_nodelay(true)?;
    stream.set_read_timeout(Some(LIMIT))
}

struct Side {
    stream: TcpStream,
    bytes: Vec<u8>,
}

impl Side {
    fn measure(mut self) -> Result<Link> {
        let short = self.time(|side| side.there_and_back(0))? / 2.0;
        let long = self.time(|side| side.there_and_back(LONG))? / 2.0;
        // The calls alone: the answer is there before it is received.
        let mut sends = Vec::with_capacity(TIMES);
        let mut receives = Vec::with_capacity(TIMES);
        for _ in 0..TIMES {
            let start = Instant::now();
            self.send(0)?;
            sends.push(start.elapsed());
            thread::sleep(Duration::from_micros(200));
            let start = Instant::now();
            self.receive(0)?;
            receives.push(start.elapsed());
        }
        let work = (tenth(sends) + tenth(receives)) / 2.0;
        let overhead = work.min(short / 2.0);
        let row = self.time(|side| {
            (0..ROW).try_for_each(|_| side.send(0))?;
            (0..ROW).try_for_each(|_| side.receive(0))
        })?;
        Ok(Link {
            latency: (short - 2.0 * overhead).max(0.0),
            overhead,
            gap: (row / ROW as f64 - 2.0 * overhead).max(0.0),
            per_byte: (long - short).max(0.0) / LONG as f64,
        })
    }

    fn there_and_back(&mut self, len: usize) -> Result<()> {
        self.send(len)?;
        self.receive(len)
    }

    fn send(&mut self, len: usize) -> Result<()> {
        self.bytes[..8].copy_from_slice(&(len as u64).to_le_bytes());
        self.stream.write_all(&self.bytes[..8 + len])
    }

    fn receive(&mut self, len: usize) -> Result<()> {
        self.stream.read_exact(&mut self.bytes[..len.max(1)])
    }

    fn time(&mut self, mut call: impl FnMut(&mut Side) -> Result<()>) -> Result<f64> {
        let mut times = Vec::with_capacity(TIMES);
        for _ in 0..TIMES {
            let start = Instant::now();
            call(self)?;
            times.push(start.elapsed());
        }
        Ok(tenth(times))
    }
}

/// Microseconds: a tenth of the times are shorter.
fn tenth(mut times: Vec<Duration>) -> f64 {
    times.sort_unstable();
    times[times.len() / 10].as_secs_f64() * 1e6
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_constants_are_times() {
        let link = measure().unwrap();
        for value in [link.latency, link.overhead, link.gap, link.per_byte] {
            assert!(value.is_finite() && value >= 0.0, "{link:?}");
        }
    }
}
