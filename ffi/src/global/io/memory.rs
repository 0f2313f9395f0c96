//! Memory of the program that is written to a file or read from one.

/// As many bytes as the arguments beside it say.
#[derive(Clone, Copy, Debug)]
pub struct Memory(*mut u8);

impl Memory {
    /// Memory that starts there.
    pub fn at(start: *mut u8) -> Memory {
        Memory(start)
    }

    /// Memory of the library.
    pub fn of(bytes: &mut [u8]) -> Memory {
        Memory(bytes.as_mut_ptr())
    }

    /// Its address.
    pub fn start(self) -> *mut u8 {
        self.0
    }
}
