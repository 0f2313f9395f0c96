//! Tests of connections that the network ends.

use super::*;
use crate::sockets::keepalive;
use rustix::net::sockopt;
use std::net::Shutdown;

#[test]
fn the_system_asks_whether_the_other_end_is_there() {
    let (one, _other) = pair();
    keepalive::ask(&one, Duration::from_secs(90)).unwrap();
    assert_eq!(sockopt::socket_keepalive(&one), Ok(true));
    assert_eq!(sockopt::tcp_keepidle(&one), Ok(Duration::from_secs(5)));
    assert_eq!(sockopt::tcp_keepintvl(&one), Ok(Duration::from_secs(17)));
    assert_eq!(sockopt::tcp_keepcnt(&one), Ok(5));
    // Processes may be stopped for as long as a user wants, with a full connection.
    assert_eq!(sockopt::tcp_user_timeout(&one), Ok(0));
}

/// Image 3 of host 1, whose leader is image 1, waits for replies, and reports the loss itself.
#[test]
fn a_lost_connection_to_an_image_that_leads_no_host_is_no_error_of_the_leader() {
    const C: Rank = Rank::new(2);
    let (one, other) = pair();
    let network = Network::new(3, Shim::default());
    let peers = |me| Peers::new(me, &[A, B, A]);
    let make = |me, tcp, peer| {
        let streams = Streams::new(vec![Stream::new(tcp, peer).unwrap()], 3).unwrap();
        let mut fabric =
            SocketFabric::new(Box::new(network.fabric(me)), &peers(me), streams, true).unwrap();
        fabric.set_grace(Duration::ZERO);
        fabric
    };
    one.shutdown(Shutdown::Both).unwrap();
    let (mut leader, mut image) = (make(B, one, C), make(C, other, B));
    let mut room = [0; 4];
    // SAFETY: the room lives until the operation is cancelled.
    let op = unsafe { leader.receive_any(Tag::REQUEST, &mut room).unwrap() };
    let start = Instant::now();
    while start.elapsed() < Duration::from_millis(5) {
        assert_eq!(leader.test(op), Ok(None));
    }
    assert_eq!(leader.cancel(op), Ok(true));
    let text = receive(&mut image, Tag::REPLY, 4).unwrap_err().to_string();
    assert!(text.contains("connection to image 2: its process has closed it"), "{text}");
}

#[test]
fn the_error_of_a_connection_that_the_network_has_ended_says_why() {
    for sends_first in [false, true] {
        let (one, other) = pair();
        // What is closed so is not ended in order.
        sockopt::set_socket_linger(&one, Some(Duration::ZERO)).unwrap();
        let to = |tcp, peer| Stream::new(tcp, peer).unwrap();
        let (a, mut b) = fabrics_with(to(one, B), to(other, A));
        drop(a);
        b.set_grace(Duration::ZERO);
        if sends_first {
            // The system tells the error to one call only.
            send(&mut b, A, Tag::REQUEST, b"lost");
        }
        let text = receive(&mut b, Tag::REQUEST, 4).unwrap_err().to_string();
        assert!(text.contains("connection to image 1: Connection reset by peer"), "{text}");
    }
}
