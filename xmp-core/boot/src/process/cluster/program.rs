//! The program file, which must be the same on all hosts.

use crate::error::{Error, Result};
use std::fs::File;
use std::io::{ErrorKind, Read};
use std::path::PathBuf;

/// The program that this process runs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Program {
    /// Its path, for messages.
    pub path: PathBuf,
    /// Its length in bytes.
    pub len: u64,
    /// A hash of all its bytes.
    pub hash: u64,
}

impl Program {
    /// Reads the program once. (A build id would spare that, but compilers make one only with an option.)
    ///
    /// # Errors
    /// When it cannot be read.
    pub fn of_this_process() -> Result<Program> {
        let failed =
            |error| Error::os("cannot read the program to compare it between hosts", error);
        let file = File::open("/proc/self/exe").map_err(failed)?;
        let (len, hash) = digest(file).map_err(failed)?;
        let path = std::fs::read_link("/proc/self/exe").unwrap_or_default();
        Ok(Program { path, len, hash })
    }
}

/// Length and hash of the content: words of eight bytes, multiplied and mixed (FNV-1a for words, with a rotation so
/// that high bits of one word affect low bits of the next). It distinguishes programs that were built or installed
/// differently; it is no defence against an attack.
fn digest(mut from: impl Read) -> std::io::Result<(u64, u64)> {
    let mut buffer = vec![0_u8; 1 << 16];
    let (mut len, mut hash) = (0_u64, 0xcbf2_9ce4_8422_2325_u64);
    loop {
        let filled = fill(&mut from, &mut buffer)?;
        len += filled as u64;
        buffer[filled..].fill(0);
        for word in buffer[..filled.next_multiple_of(8)].chunks_exact(8) {
            let word = u64::from_le_bytes(word.try_into().expect("eight bytes"));
            hash = (hash ^ word).wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(29);
        }
        if filled < buffer.len() {
            return Ok((len, hash));
        }
    }
}

/// Reads until the buffer is full or the end is reached.
fn fill(from: &mut impl Read, buffer: &mut [u8]) -> std::io::Result<usize> {
    let mut filled = 0;
    while filled < buffer.len() {
        match from.read(&mut buffer[filled..]) {
            Ok(0) => break,
            Ok(bytes) => filled += bytes,
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(filled)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn programs_differ_in_any_byte_and_in_length() {
        let mut bytes = vec![7_u8; 200_001];
        let whole = digest(&bytes[..]).unwrap();
        assert_eq!(whole, digest(&bytes[..]).unwrap());
        assert_eq!(whole.0, 200_001);
        for at in [0, 65_535, 65_536, 200_000] {
            bytes[at] ^= 1;
            assert_ne!(digest(&bytes[..]).unwrap().1, whole.1, "{at}");
            bytes[at] ^= 1;
        }
        bytes.push(0);
        assert_ne!(digest(&bytes[..]).unwrap(), whole);
    }

    #[test]
    fn this_process_runs_a_program() {
        let program = Program::of_this_process().unwrap();
        assert!(program.len > 0 && program.path.is_absolute());
        assert_eq!(program, Program::of_this_process().unwrap());
    }
}
