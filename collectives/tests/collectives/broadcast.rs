//! Broadcast: every algorithm, on every shape of job and set, from every root.

use crate::common::{buffer, forced, on_all_shapes, random, sets};
use xmp_collectives::broadcast::broadcast_with;
use xmp_core::Rank;

#[test]
fn every_algorithm_broadcasts_from_each_root() {
    on_all_shapes(|image| {
        for set in sets(image) {
            let me = set.position().unwrap();
            let most = if set.position_of(Rank::new(0)) == Some(0) { 800_000 } else { 40_000 };
            let bytes = |p: usize| (0..most).map(move |index| random(p, index, 9) as u8);
            let own: Vec<u8> = bytes(me).collect();
            for root in 0..set.len() {
                let most = if root > 0 { most.min(40_000) } else { most };
                let expected: Vec<u8> = bytes(root).take(most).collect();
                for (name, choices) in forced(|choices, forced| choices.broadcast = forced) {
                    for len in [0, 1, 7, 56, 57, 800, 40_000, 800_000] {
                        if len > most || len > 40_000 && name == "slots" {
                            continue;
                        }
                        let data = buffer(image, len, len % 2 == 0);
                        data.fill(&own);
                        let message = (data.start(), len);
                        // SAFETY: the buffer's bytes.
                        unsafe { broadcast_with(image, &set, root, message, &choices).unwrap() };
                        assert!(
                            data.read::<u8>() == expected[..len],
                            "{name} of {len} from {root}"
                        );
                    }
                }
            }
        }
    });
}

#[test]
fn a_root_outside_the_set_is_an_error() {
    xmp_core::transport::threads::run(3, 1, |image| {
        let set = image.executing();
        let outcome = xmp_collectives::broadcast(image, &set, 3, &mut [0; 4]);
        assert_eq!(outcome.unwrap_err().to_string(), "image index 4 is not in 1..3");
    })
    .unwrap();
}
