//! Descriptors that one process passes to another through a socket, each with a text. Descriptors that were sent and
//! not yet received stay open as long as a process has the receiving end.

use rustix::net::{
    RecvAncillaryBuffer, RecvAncillaryMessage, RecvFlags, SendAncillaryBuffer,
    SendAncillaryMessage, SendFlags, recvmsg, sendmsg,
};
use std::io::{self, IoSlice, IoSliceMut};
use std::mem::MaybeUninit;
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::net::UnixStream;

/// Room for one descriptor in the control part of a message.
const CONTROL_ROOM: usize = rustix::cmsg_space!(ScmRights(1));

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

/// Sends a copy of a descriptor with the beginning of a text. Does not wait.
///
/// # Errors
/// That of the system, also when the socket is full.
pub(super) fn send(to: &UnixStream, descriptor: impl AsFd, text: &str) -> io::Result<()> {
    let mut room = [MaybeUninit::uninit(); CONTROL_ROOM];
    let mut control = SendAncillaryBuffer::new(&mut room);
    let descriptors = [descriptor.as_fd()];
    assert!(control.push(SendAncillaryMessage::ScmRights(&descriptors)), "there is room for one");
    let text = padded(text);
    let flags = SendFlags::DONTWAIT | SendFlags::NOSIGNAL;
    let sent = sendmsg(to, &[IoSlice::new(&text)], &mut control, flags)?;
    if sent == TEXT { Ok(()) } else { Err(io::ErrorKind::WriteZero.into()) }
}

/// The next descriptor that was sent, with its text, if there is one. Does not wait.
pub(super) fn receive(from: &UnixStream) -> Option<(OwnedFd, String)> {
    let mut bytes = [0; TEXT];
    let mut room = [MaybeUninit::uninit(); CONTROL_ROOM];
    let mut control = RecvAncillaryBuffer::new(&mut room);
    let flags = RecvFlags::DONTWAIT | RecvFlags::CMSG_CLOEXEC;
    let received = recvmsg(from, &mut [IoSliceMut::new(&mut bytes)], &mut control, flags).ok()?;
    let descriptor = control.drain().find_map(|message| match message {
        RecvAncillaryMessage::ScmRights(mut descriptors) => descriptors.next(),
        _ => None,
    })?;
    let text = String::from_utf8_lossy(&bytes).trim_end_matches('\0').to_owned();
    (received.bytes == TEXT).then_some((descriptor, text))
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
