//! Messages under all combinations of techniques.

use super::*;
use crate::image::Image;
use crate::image_set::ImageSet;
use crate::job::pair::{packets, ring_len};
use crate::notify::{Label, PACKET};
use crate::rank::Rank;
use crate::settings::{Settings, Techniques};
use crate::thread_images as threads;

/// Sends `out` and receives `into` at once, in an operation of all images.
fn exchange(
    image: &Image,
    out: Option<(Rank, &[u8])>,
    into: Option<(Rank, &mut [u8])>,
    in_step: bool,
) -> Result<Option<Gone>> {
    exchange_in(image, &image.executing(), out, into, in_step)
}

/// Sends `out` and receives `into` at once, in an operation of `set`.
fn exchange_in(
    image: &Image,
    set: &ImageSet,
    out: Option<(Rank, &[u8])>,
    into: Option<(Rank, &mut [u8])>,
    in_step: bool,
) -> Result<Option<Gone>> {
    let label = Label::of(image, set);
    let mut outgoing = out.map(|(to, bytes)| {
        let message = Outgoing::new(image, to, label, bytes);
        if in_step { message.awaited() } else { message }
    });
    let mut incoming = into.map(|(from, bytes)| {
        let message = Incoming::new(image, from, label, bytes);
        if in_step { message.announced() } else { message }
    });
    drive(image, set, None, None, &mut outgoing, &mut incoming)
}

/// Settings with these techniques.
fn settings(techniques: Techniques) -> Settings {
    Settings { techniques, ..Settings::default() }
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
                let ring = ring_len(packets(false)) as usize;
                for len in [0, 1, PACKET - 1, PACKET, PACKET + 1, ring, 5 * ring + 3] {
                    let bytes = |from: u32| -> Vec<u8> {
                        (0..len).map(|i| (i as u32 * 7 + from + len as u32) as u8).collect()
                    };
                    let (out, mut into) = (bytes(me), vec![0; len]);
                    let (out, from) = (Some((other, out.as_slice())), Some((other, &mut into[..])));
                    assert_eq!(exchange(image, out, from, in_step), Ok(None));
                    assert!(into == bytes(other.get()), "{len} bytes");
                }
            })
            .unwrap();
        }
    }
}

/// Image 1 has sent and received its part and stops, while image 0 still waits for image 2.
#[test]
fn a_partner_that_is_done_may_end() {
    let outcomes = threads::run(3, 1, |image| {
        let mut into = [0; 8];
        match image.rank().get() {
            0 => {
                let from = Some((Rank::new(2), into.as_mut_slice()));
                exchange(image, Some((Rank::new(1), &[1; 8])), from, false)
            }
            1 => exchange(image, None, Some((Rank::new(0), &mut into)), false),
            _ => {
                let job = image.job();
                let ended = || !crate::failure::all_running(job);
                image.waits().until(|| Ok(()), ended)?;
                exchange(image, Some((Rank::new(0), &[2; 8])), None, false)
            }
        }
    })
    .unwrap();
    assert_eq!(outcomes, [Ok(None), Ok(None), Ok(None)]);
}

#[test]
fn a_partner_that_stops_ends_the_wait() {
    for (techniques, in_step) in [(Techniques::ALL, false), (Techniques::NONE, true)] {
        let outcomes = threads::run_with(settings(techniques), 3, 2, |image| {
            let mut into = [0; 8];
            match image.rank().get() {
                0 => exchange(image, None, Some((Rank::new(1), &mut into)), in_step),
                1 => Ok(None),
                // More than the ring holds, or the receiver never becomes ready.
                _ => exchange(image, Some((Rank::new(1), &[1; 100_000])), None, in_step),
            }
        })
        .unwrap();
        for outcome in [&outcomes[0], &outcomes[2]] {
            let partner = Rank::new(1);
            let error = crate::error::Error::StoppedImage(partner);
            assert_eq!(*outcome, Ok(Some(Gone { partner, error })));
        }
    }
}
