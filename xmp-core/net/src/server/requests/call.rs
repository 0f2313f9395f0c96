//! Requests to handlers of the front ends.

use super::{Outcome, refused};
use crate::error::{Error, Result};
use crate::job::HandlerCall;
use crate::server::incoming::{Incoming, OnArrival, Pieces};
use crate::server::local_host::LocalHost;
use crate::server::wire::{Head, Payload};

/// The name of a request to a handler in messages.
pub const REQUEST: &str = "a request to a handler";

/// Calls a handler, once its payload has arrived.
///
/// # Errors
/// When there is no such handler, or it refuses; when the target is on another host. Bytes that follow are received
/// nevertheless, and dropped.
pub fn call(
    host: &LocalHost,
    head: Head,
    handler: u16,
    data: Payload<'_>,
    pieces: Pieces,
) -> Result<Outcome> {
    match data {
        Payload::Inline(bytes) => execute(host, head, handler, bytes),
        Payload::Follows(len) => {
            match host.limits.check_payload(REQUEST, len).and_then(|()| room(len)) {
                Ok(bytes) => {
                    let then = OnArrival::Call { handler, bytes };
                    let none = std::ptr::null_mut();
                    let incoming = Incoming::new(head, head.origin, len, none, then, pieces);
                    Ok(Outcome::Incoming(Box::new(incoming)))
                }
                Err(error) => Ok(refused(head, len, error.to_string(), true, pieces)),
            }
        }
    }
}

/// Calls a handler.
///
/// # Errors
/// When there is no such handler, or it refuses; when the target is on another host.
pub fn execute(host: &LocalHost, head: Head, handler: u16, payload: &[u8]) -> Result<Outcome> {
    host.bytes("request to a handler", head.target, 0, 0)?;
    let handler = host.job.handlers().get(handler)?;
    let served = HandlerCall { job: &host.job, origin: head.origin, target: head.target };
    let mut reply = Vec::new();
    (handler.run)(served, payload, &mut reply)?;
    host.limits.check_payload("a reply", reply.len() as u64)?;
    Ok(Outcome::Gathered(reply))
}

fn room(len: u64) -> Result<Vec<u8>> {
    let mut bytes = Vec::new();
    let len = usize::try_from(len).unwrap_or(usize::MAX);
    bytes.try_reserve_exact(len).map_err(|_| Error::OutOfMemory {
        heap: "memory of the communication server",
        requested: len as u64,
        available: 0,
        remedy: String::new(),
    })?;
    bytes.resize(len, 0);
    Ok(bytes)
}
