//! Descriptors that one process passes to another through a socket, each with a text. Descriptors that were sent and
//! not yet received stay open as long as a process has the receiving end.

use std::io;
use std::mem::{MaybeUninit, size_of};
use std::os::fd::{AsFd, AsRawFd, FromRawFd, OwnedFd, RawFd};
use std::os::unix::net::UnixStream;
use std::ptr;

/// Room for one descriptor in the control part of a message.
// SAFETY: computes a number.
const ROOM: usize = unsafe { libc::CMSG_SPACE(size_of::<RawFd>() as u32) } as usize;

/// The control part, aligned as its head requires.
type Control = [u64; ROOM.div_ceil(size_of::<u64>())];

/// Bytes of every message: of the text, then zeros.
pub(super) const TEXT: usize = 120;

/// The beginning of a text in `TEXT` bytes, padded with zeros.
pub(super) fn padded(text: &str) -> [u8; TEXT] {
    let mut bytes = [0; TEXT];
    let mut len = text.len().min(TEXT);
    while !text.is_char_boundary(len) {
        len -= 1;
    }
    bytes[..len].copy_from_slice(&text.as_bytes()[..len]);
    bytes
}

/// Calls `with` with a message of this text and room for one descriptor.
fn message<T>(text: &mut [u8; TEXT], with: impl FnOnce(&mut libc::msghdr) -> T) -> T {
    let mut control: Control = [0; _];
    let mut bytes = libc::iovec { iov_base: text.as_mut_ptr().cast(), iov_len: TEXT };
    // SAFETY: an all-zero msghdr is valid: no addresses, no lengths.
    let mut message: libc::msghdr = unsafe { MaybeUninit::zeroed().assume_init() };
    message.msg_iov = &raw mut bytes;
    message.msg_iovlen = 1;
    message.msg_control = control.as_mut_ptr().cast();
    message.msg_controllen = ROOM as _;
    with(&mut message)
}

/// Sends a copy of a descriptor with the beginning of a text. Does not wait.
///
/// # Errors
/// That of the system, also when the socket is full.
pub(super) fn send(to: &UnixStream, descriptor: impl AsFd, text: &str) -> io::Result<()> {
    message(&mut padded(text), |message| {
        // SAFETY: the room is large enough for one head and one descriptor, and aligned.
        let sent = unsafe {
            let head = libc::CMSG_FIRSTHDR(message);
            (*head).cmsg_level = libc::SOL_SOCKET;
            (*head).cmsg_type = libc::SCM_RIGHTS;
            (*head).cmsg_len = libc::CMSG_LEN(size_of::<RawFd>() as u32) as _;
            ptr::write_unaligned(libc::CMSG_DATA(head).cast(), descriptor.as_fd().as_raw_fd());
            libc::sendmsg(to.as_raw_fd(), message, libc::MSG_DONTWAIT | libc::MSG_NOSIGNAL)
        };
        if sent == TEXT as isize { Ok(()) } else { Err(io::Error::last_os_error()) }
    })
}

/// The next descriptor that was sent, with its text, if there is one. Does not wait.
pub(super) fn receive(from: &UnixStream) -> Option<(OwnedFd, String)> {
    let mut bytes = [0; TEXT];
    let descriptor = message(&mut bytes, |message| {
        // SAFETY: the message's parts are as long as it states; only bytes that the system has written are read.
        unsafe {
            let flags = libc::MSG_DONTWAIT | libc::MSG_CMSG_CLOEXEC;
            if libc::recvmsg(from.as_raw_fd(), message, flags) != TEXT as isize {
                return None;
            }
            let head = libc::CMSG_FIRSTHDR(message).as_ref()?;
            let descriptor: RawFd = ptr::read_unaligned(libc::CMSG_DATA(head).cast());
            Some(OwnedFd::from_raw_fd(descriptor))
        }
    })?;
    Some((descriptor, String::from_utf8_lossy(&bytes).trim_end_matches('\0').to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs::File;
    use std::io::{Read, Write, pipe};

    #[test]
    fn a_sent_descriptor_stays_open_until_received() {
        let (one, other) = UnixStream::pair().unwrap();
        assert!(receive(&other).is_none());
        let (mut reader, writer) = pipe().unwrap();
        send(&one, &writer, "text").unwrap();
        drop((writer, one));
        let (received, text) = receive(&other).unwrap();
        assert_eq!(text, "text");
        let mut received = File::from(received);
        received.write_all(b"x").unwrap();
        drop(received);
        let mut text = String::new();
        reader.read_to_string(&mut text).unwrap();
        assert_eq!(text, "x");
        assert!(receive(&other).is_none());
    }

    #[test]
    fn unreceived_descriptors_close_with_the_socket() {
        let (one, other) = UnixStream::pair().unwrap();
        let (mut reader, writer) = pipe().unwrap();
        send(&one, &writer, "text").unwrap();
        drop((writer, one, other));
        assert_eq!(reader.read(&mut [0]).unwrap(), 0);
        let (one, _) = UnixStream::pair().unwrap();
        assert!(send(&one, &reader, "").is_err());
    }
}
