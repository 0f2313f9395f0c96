//! Random gets, puts and statements.

use super::*;
use proptest::prelude::*;

#[derive(Clone, Debug)]
enum Step {
    Get(usize, usize),
    /// Of a byte whose value does not matter.
    Descriptor(usize),
    Put(usize, usize, u8),
    Change(usize, u8),
    Synchronise(usize),
}

fn step() -> impl Strategy<Value = Step> {
    let near = prop_oneof![0..AREA - 700, 4000..4200_usize];
    prop_oneof![
        6 => (near.clone(), 1..300_usize).prop_map(|(at, len)| Step::Get(at, len)),
        2 => (0..4_usize).prop_map(|which| Step::Descriptor(300 * which)),
        3 => (1..4_usize, 600..603_usize).prop_map(|(which, len)| Step::Get(2000 * which, len)),
        2 => (near.clone(), 1..600_usize, any::<u8>()).prop_map(|(at, len, byte)| Step::Put(at, len, byte)),
        3 => (near, any::<u8>()).prop_map(|(at, byte)| Step::Change(at, byte)),
        1 => any::<usize>().prop_map(Step::Synchronise),
    ]
}

proptest! {
    /// A get returns what is there, but for bytes that another image has changed since the last statement by which this one may have
    /// synchronised with it: of these it may return the former value.
    #[test]
    fn gets_return_what_is_there_after_the_last_synchronisation(
        steps in prop::collection::vec(step(), 1..80)
    ) {
        let outcome = threads::run(1, 1, |image| {
            let cache = cache(two_images(image));
            let mut changed = vec![false; AREA];
            for step in &steps {
                match *step {
                    Step::Get(at, len) => {
                        let found = cache.read(at, len);
                        let memory = cache.inner.bytes.borrow();
                        for (i, byte) in found.iter().enumerate() {
                            assert!(changed[at + i] || *byte == memory[at + i], "{step:?} {i}");
                        }
                    }
                    Step::Descriptor(at) => {
                        cache.read_descriptor(at as u64);
                    }
                    Step::Put(at, len, byte) => {
                        cache.write(at, &vec![byte; len]);
                        changed[at..at + len].fill(false);
                    }
                    Step::Change(at, byte) => {
                        cache.change(at, byte);
                        changed[at] = true;
                    }
                    Step::Synchronise(number) => {
                        cache.synchronise(number);
                        changed.fill(false);
                    }
                }
            }
        });
        prop_assert!(outcome.is_ok());
    }
}
