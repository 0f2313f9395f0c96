//! The limits that settings of the server give: sizes of messages, and the number of requests in progress (credits).
//!
//! The server counts the requests that it has executed for each image. It returns the count with every reply, and in a
//! message of its own ([`super::wire::Answer::Credit`]) when half the credits are used up and no reply has reported
//! them. So the number of messages that wait at a server is bounded. So is the number that waits at an image: the image
//! takes all messages of a server whenever it waits for it, and no more than three such messages can come between.

use super::bundle;
use super::wire::{LOOP, MAX_LOOPS, REQUEST_HEADER};
use crate::notify::{HEADER, PACKET};
use crate::settings::Limits;

/// Most bytes of the coalesced requests (`origin/flow_control.rs`) and their separators that travel with a request of any
/// length.
pub const ALONG: usize = 16 << 10;

/// Most bytes of a message of requests: room for a payload or a packet, for the header of a section, and for
/// coalesced requests.
pub fn request_len(limits: &Limits) -> usize {
    let longest = REQUEST_HEADER + (limits.inline as usize + MAX_LOOPS * LOOP).max(PACKET + HEADER);
    longest + ALONG
}

/// Most bytes of coalesced requests that travel with a short request ([`super::wire::Request::is_short`]), on a fabric with this
/// eager limit.
pub fn together(limits: &Limits, eager: usize) -> usize {
    request_len(limits).min(eager) - (bundle::HEADER + REQUEST_HEADER + MAX_LOOPS * LOOP)
}

/// Server: whether to report to an image that has `untold` executed requests since the last report.
pub fn is_due(credits: u32, untold: u64) -> bool {
    untold >= u64::from(credits / 2).max(1)
}

/// Image: whether another request may be sent.
pub fn may_send(credits: u32, sent: u64, executed: u64) -> bool {
    sent - executed < u64::from(credits.max(1))
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;

    /// However few the credits: an image without credits gets a report, so that it does not wait for ever.
    #[test]
    fn an_image_without_credits_gets_a_report() {
        for credits in 0..20 {
            let mut sent = 0;
            while may_send(credits, sent, 0) {
                sent += 1;
            }
            assert!(sent > 0 && is_due(credits, sent), "{credits}");
            // No more than three messages for as many requests as may be in progress.
            let told = (1..=sent).filter(|n| n % u64::from(credits / 2).max(1) == 0).count();
            assert!(told <= 3, "{credits}: {told}");
        }
    }
}
