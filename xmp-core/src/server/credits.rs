//! Flow control: how many requests an image may have on their way to a server.
//!
//! The server counts what it has executed for each image and tells it with every reply, and by a message of its own
//! ([`super::wire::Answer::Credit`]) when half the credits are used up and no reply has told. So what waits at a server is
//! bounded, and so is what waits at an image: it takes all that a server has told whenever it waits for that server, and
//! no more than three such messages can come between.

/// Server: whether to tell an image that so many of its requests were executed since it was last told.
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

    /// However few the credits: who has none left is told, so that nobody waits for ever.
    #[test]
    fn who_may_not_send_is_told() {
        for credits in 0..20 {
            let mut sent = 0;
            while may_send(credits, sent, 0) {
                sent += 1;
            }
            assert!(sent > 0 && is_due(credits, sent), "{credits}");
            // No more than three messages for as many requests as may be on their way.
            let told = (1..=sent).filter(|n| n % u64::from(credits / 2).max(1) == 0).count();
            assert!(told <= 3, "{credits}: {told}");
        }
    }
}
