//! Messages under all combinations of techniques.

use super::super::ring::PACKETS;
use super::super::ring_len;
use super::*;
use crate::settings::{Settings, Techniques};
use crate::transport::threads;

/// Sends `out` and receives `into` at once; the word that came with it.
fn exchange(
    image: &Image,
    out: Option<(Rank, &[u8], u64)>,
    into: Option<(Rank, &mut [u8])>,
    in_step: bool,
) -> Result<u64> {
    let mut word = 0;
    let mut outgoing = out.map(|(to, bytes, word)| {
        let message = Outgoing::new(image, to, bytes, word);
        if in_step { message.awaited() } else { message }
    });
    let mut incoming = into.map(|(from, bytes)| {
        let message = Incoming::new(image, from, bytes, &mut word);
        if in_step { message.announced() } else { message }
    });
    drive(image, &mut outgoing, &mut incoming)?;
    drop(incoming);
    Ok(word)
}

/// Settings with these techniques.
fn settings(techniques: Techniques) -> Settings {
    Settings { techniques, ..Settings::from_lookup(|_| Ok(None)).unwrap() }
}

/// Messages of all sizes around the packet and ring lengths, in both directions at once.
#[test]
fn exchanged_messages_arrive_whole_and_in_order() {
    let of_channels = [Techniques::WORK_BUFFERS, Techniques::CANARY];
    for (hosts, in_step) in [(1, false), (2, false), (1, true)] {
        for techniques in [
            Techniques::NONE,
            Techniques::ALL,
            Techniques::NONE.with(of_channels[0]),
            Techniques::NONE.with(of_channels[1]),
        ] {
            threads::run_with(settings(techniques), 2, hosts, |image| {
                let me = image.rank().get();
                let other = Rank::new(1 - me);
                let ring = ring_len(PACKETS) as usize;
                for len in [0, 1, PACKET - 1, PACKET, PACKET + 1, ring, 5 * ring + 3] {
                    let bytes = |from: u32| -> Vec<u8> {
                        (0..len).map(|i| (i as u32 * 7 + from + len as u32) as u8).collect()
                    };
                    let (out, mut into) = (bytes(me), vec![0; len]);
                    let out = Some((other, out.as_slice(), u64::from(me) + len as u64));
                    let word = exchange(image, out, Some((other, &mut into)), in_step).unwrap();
                    assert!(into == bytes(other.get()), "{len} bytes");
                    assert_eq!(word, u64::from(other.get()) + len as u64);
                }
            })
            .unwrap();
        }
    }
}

/// Image 1 has sent and received what it should and stops, while image 0 still waits for image 2.
#[test]
fn a_partner_that_is_done_may_end() {
    let outcomes = threads::run(3, 1, |image| {
        let mut into = [0; 8];
        match image.rank().get() {
            0 => {
                let from = Some((Rank::new(2), into.as_mut_slice()));
                exchange(image, Some((Rank::new(1), &[1; 8], 5)), from, false)
            }
            1 => exchange(image, None, Some((Rank::new(0), &mut into)), false),
            _ => {
                let job = image.job();
                let ended = || !crate::failure::all_running(job);
                image.waits().until(|| Ok(()), ended)?;
                exchange(image, Some((Rank::new(0), &[2; 8], 7)), None, false)
            }
        }
    })
    .unwrap();
    assert_eq!(outcomes, [Ok(7), Ok(5), Ok(0)]);
}

#[test]
fn a_partner_that_stops_ends_the_wait() {
    for (techniques, in_step) in [(Techniques::ALL, false), (Techniques::NONE, true)] {
        let outcomes = threads::run_with(settings(techniques), 3, 2, |image| {
            let mut into = [0; 8];
            match image.rank().get() {
                0 => exchange(image, None, Some((Rank::new(1), &mut into)), in_step),
                1 => Ok(0),
                // More than the ring holds, or the receiver never becomes ready.
                _ => exchange(image, Some((Rank::new(1), &[1; 100_000], 0)), None, in_step),
            }
        })
        .unwrap();
        for outcome in [&outcomes[0], &outcomes[2]] {
            assert_eq!(*outcome, Err(crate::Error::StoppedImage(Rank::new(1))));
        }
    }
}
