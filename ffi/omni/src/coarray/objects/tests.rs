//! The object layer against a model: random orders of allocation and deallocation in nested procedures.

use super::*;
use proptest::prelude::*;
use std::rc::Rc;
use xmp_coarray::front_end::plan::copy_block;
use xmp_coarray::front_end::transfer::{MemoryRef, RemoteMemory};
use xmp_core::Rank;
use xmp_core::transport::threads;

/// Bytes up to which a static coarray shares the static chunk: the value without a setting.
const THRESHOLD: u64 = 40 << 20;

/// The steps of a program.
#[derive(Clone, Copy, Debug)]
enum Step {
    /// Calls a procedure.
    Prolog,
    /// Returns from the innermost one.
    Epilog,
    /// Allocates this number of bytes, for the innermost procedure or (saved) for good.
    Allocate(u64, bool),
    /// Deallocates one of those that live.
    Deallocate(usize),
}

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        1 => Just(Step::Prolog),
        1 => Just(Step::Epilog),
        4 => (0u64..3000, any::<bool>()).prop_map(|(len, saved)| Step::Allocate(len, saved)),
        3 => any::<usize>().prop_map(Step::Deallocate),
    ]
}

/// What the papers say about the order of allocation and garbage.
#[derive(Default)]
struct Model {
    /// Number, bytes, whether it is garbage; in order of allocation.
    order: Vec<(usize, u64, bool)>,
}

impl Model {
    fn discard(&mut self, numbers: &[usize], threshold: u64) {
        for entry in self.order.iter_mut().filter(|entry| numbers.contains(&entry.0)) {
            entry.2 = true;
        }
        while self.order.last().is_some_and(|last| last.2) {
            self.order.pop();
        }
        if self.garbage() > threshold {
            self.order.retain(|entry| !entry.2);
        }
    }

    fn garbage(&self) -> u64 {
        self.order.iter().filter(|entry| entry.2).map(|entry| entry.1).sum()
    }

    fn allocated(&self) -> u64 {
        self.order.iter().map(|entry| entry.1).sum()
    }
}

struct Known {
    number: usize,
    chunk: Rc<Chunk>,
    /// The depth of the procedure that will free it.
    depth: Option<usize>,
}

/// Runs the steps on one image against the model, and says where everything was allocated.
fn run(image: &Image, method: Method, threshold: u64, steps: &[Step]) -> Vec<usize> {
    let mut objects = Objects::new(method, threshold);
    let mut model = Model::default();
    let mut sets = vec![ResourceSet::new("main")];
    let mut known: Vec<Known> = Vec::new();
    let mut places = Vec::new();
    let me = image.rank().get() as u8;
    let fill = |chunk: &Chunk, number: usize| {
        // SAFETY: this image's part.
        unsafe { chunk.local().write_bytes(number as u8 ^ me, chunk.len() as usize) };
    };
    for &step in steps {
        match step {
            Step::Prolog => sets.push(ResourceSet::new("procedure")),
            Step::Epilog if sets.len() == 1 => continue,
            Step::Epilog => {
                let set = sets.pop().unwrap();
                objects.close(image, &set).unwrap();
                let (gone, left) =
                    known.into_iter().partition(|known| known.depth == Some(sets.len()));
                known = left;
                let gone: Vec<Known> = gone;
                let numbers: Vec<usize> = gone.iter().map(|known| known.number).collect();
                if !numbers.is_empty() {
                    model.discard(&numbers, threshold);
                }
                assert!(gone.iter().all(|known| !known.chunk.is_live()));
            }
            Step::Allocate(len, saved) => {
                let set = (!saved).then(|| sets.last().unwrap());
                let chunk = objects.allocate(image, len, set).unwrap();
                let number = places.len();
                model.order.push((number, len.max(1).next_multiple_of(4), false));
                fill(&chunk, number);
                let offset = chunk.local().addr().wrapping_sub(image.own_segment().addr());
                places.push(offset);
                known.push(Known { number, chunk, depth: (!saved).then(|| sets.len() - 1) });
            }
            Step::Deallocate(_) if known.is_empty() => continue,
            Step::Deallocate(which) => {
                let Known { number, chunk, .. } = known.remove(which % known.len());
                objects.deallocate(image, &chunk).unwrap();
                assert!(objects.deallocate(image, &chunk).is_err(), "it is not allocated any more");
                model.discard(&[number], threshold);
            }
        }
        assert_eq!(objects.allocated_bytes(), model.allocated());
        assert_eq!(objects.garbage_bytes(), model.garbage());
        for Known { number, chunk, .. } in &known {
            let len = chunk.len() as usize;
            // SAFETY: this image's part, which others only read.
            let bytes = unsafe { std::slice::from_raw_parts(chunk.local(), len) };
            assert!(bytes.iter().all(|&byte| byte == *number as u8 ^ me), "nothing overlaps it");
            let last = chunk.local().wrapping_add(len.saturating_sub(1));
            for address in [chunk.local(), last] {
                assert!(Rc::ptr_eq(&objects.find(address).unwrap(), chunk));
            }
        }
    }
    // A neighbour's part of all that is left.
    let next = (image.rank().index() + 1) % image.job().images();
    allocation::agree_to_free(image, 0).unwrap();
    // (Images that are threads are no processes whose memory the system copies.)
    let shared = known.iter().filter(|known| known.chunk.segment_offset().is_some());
    for Known { number, chunk, .. } in shared {
        let place = chunk.memory_ref(image, Rank::new(next as u32), 0).unwrap();
        let mut bytes = vec![0u8; chunk.len() as usize];
        let len = bytes.len();
        // SAFETY: no image changes them now; there is room.
        unsafe {
            match place {
                MemoryRef::Local(from) => copy_block(bytes.as_mut_ptr(), from, len),
                MemoryRef::Remote(from) => from.get(image, bytes.as_mut_ptr(), len).unwrap(),
            }
        }
        assert!(bytes.iter().all(|&byte| byte == *number as u8 ^ next as u8));
    }
    allocation::agree_to_free(image, 0).unwrap();
    for Known { chunk, .. } in known {
        objects.deallocate(image, &chunk).unwrap();
    }
    assert_eq!((objects.allocated_bytes(), objects.own_bytes()), (0, 0));
    places
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(48))]

    #[test]
    fn any_order_does_what_the_papers_say(
        steps in prop::collection::vec(step(), 0..60),
        images in 1u32..5,
        threshold in prop_oneof![Just(2000u64), Just(THRESHOLD)],
    ) {
        let outcome = threads::run(images, images.min(2), |image| {
            let before = image.memory().usage()[0].0;
            let places = run(image, Method::Sharing, threshold, &steps);
            assert_eq!(image.memory().usage()[0].0, before, "everything was given back");
            places
        });
        let places = outcome.unwrap();
        prop_assert!(places.windows(2).all(|two| two[0] == two[1]), "equal offsets everywhere");
    }

    #[test]
    fn so_does_memory_of_the_process(steps in prop::collection::vec(step(), 0..40)) {
        threads::run(3, 1, |image| run(image, Method::Allocation, THRESHOLD, &steps).len()).unwrap();
    }
}

#[test]
fn static_coarrays_share_a_chunk_up_to_the_threshold() {
    threads::run(3, 1, |image| {
        let mut objects = Objects::new(Method::Sharing, 1000);
        let lens = [8, 0, 1000, 3, 5000, 64];
        for len in lens {
            objects.count(len).unwrap();
        }
        assert!(objects.share(image, 8).unwrap_err().to_string().contains("before the pool"));
        objects.make_pool(image).unwrap();
        assert!(objects.make_pool(image).is_err());
        assert!(objects.count(8).is_err());
        let shares = lens.map(|len| objects.share(image, len).unwrap());
        for (number, (chunk, address)) in shares.iter().enumerate() {
            let large = lens[number] > 1000;
            assert_eq!(chunk.len() == 5000, large);
            assert!(Rc::ptr_eq(&objects.find(*address).unwrap(), chunk));
            assert_eq!(address.addr() % 64, 0);
            let text = objects.deallocate(image, chunk).unwrap_err().to_string();
            assert!(text.contains("not allocatable"), "{text}");
            for (other, (_, before)) in shares[..number].iter().enumerate() {
                assert!(
                    before.addr() + lens[other] as usize <= address.addr()
                        || large
                        || lens[other] > 1000
                );
            }
        }
        assert_eq!(objects.allocated_bytes(), 8 + 4 + 1000 + 4 + 64 + 5000);
        let text = objects.share(image, 100).unwrap_err().to_string();
        assert!(text.contains("another one of 100 bytes"), "{text}");
    })
    .unwrap();
}

#[test]
fn a_program_without_static_coarrays_has_an_empty_pool() {
    threads::run(2, 1, |image| {
        let mut objects = Objects::new(Method::Sharing, THRESHOLD);
        objects.make_pool(image).unwrap();
        assert_eq!((objects.allocated_bytes(), image.memory().usage()[0].0), (0, 0));
        assert!(objects.share(image, 0).is_err());
    })
    .unwrap();
}

#[test]
fn variables_of_the_program_are_registered() {
    threads::run(4, 2, |image| {
        let mut objects = Objects::new(Method::Sharing, THRESHOLD);
        let mut variable = vec![7u32; 100];
        let start = variable.as_mut_ptr().cast::<u8>();
        // SAFETY: the vector lives until the chunk is deallocated.
        let chunk = unsafe { objects.register(image, start, 400, None).unwrap() };
        assert!(Rc::ptr_eq(&objects.find(start.wrapping_add(399)).unwrap(), &chunk));
        assert!(objects.find(start.wrapping_add(400)).is_none());
        let next = Rank::new((image.rank().get() + 1) % 4);
        assert!(matches!(
            chunk.memory_ref(image, next, 8),
            Ok(MemoryRef::Remote(RemoteMemory::Private { .. }))
        ));
        let here = chunk.memory_ref(image, image.rank(), 8);
        assert!(matches!(here, Ok(MemoryRef::Local(at)) if at == start.wrapping_add(8)));
        assert!(chunk.location(image, next, 0).is_err());
        objects.deallocate(image, &chunk).unwrap();
        assert!(objects.find(start).is_none());
        assert_eq!(variable, [7; 100]);
    })
    .unwrap();
}

#[test]
fn images_that_disagree_get_an_error() {
    threads::run(2, 1, |image| {
        let me = u64::from(image.rank().get());
        for method in [Method::Sharing, Method::Allocation] {
            let mut objects = Objects::new(method, THRESHOLD);
            let text = objects.allocate(image, 100 + 8 * me, None).unwrap_err().to_string();
            assert!(text.contains("100 bytes") && text.contains("108 bytes"), "{text}");
            assert_eq!(objects.allocated_bytes(), 0);
        }
        let mut objects = Objects::new(Method::Sharing, THRESHOLD);
        let two = [10, 20].map(|len| objects.allocate(image, len, None).unwrap());
        let text = objects.deallocate(image, &two[me as usize]).unwrap_err().to_string();
        assert!(text.contains("do not free the same"), "{text}");
        for chunk in &two {
            assert!(chunk.is_live());
            objects.deallocate(image, chunk).unwrap();
        }
    })
    .unwrap();
}

#[test]
fn no_room_is_found_among_garbage_first() {
    threads::run(2, 1, |image| {
        let heap = &image.layout().heap;
        let half = (heap.end - heap.start).min(image.job().page().symmetric_limit) / 2 + 1024;
        let mut objects = Objects::new(Method::Sharing, u64::MAX);
        let old = objects.allocate(image, half, None).unwrap();
        let young = objects.allocate(image, 8, None).unwrap();
        objects.deallocate(image, &old).unwrap();
        assert_eq!(objects.garbage_bytes(), half);
        let again = objects.allocate(image, half, None).unwrap();
        assert_eq!(objects.garbage_bytes(), 0);
        let error = objects.allocate(image, half, None).unwrap_err();
        assert!(matches!(error, Error::OutOfMemory { .. }), "{error}");
        objects.deallocate(image, &again).unwrap();
        objects.deallocate(image, &young).unwrap();
    })
    .unwrap();
}

#[test]
fn task_regions_have_coarrays_of_their_own() {
    for method in [Method::Sharing, Method::Allocation] {
        threads::run(4, 1, move |image| {
            let mut objects = Objects::new(method, THRESHOLD);
            let outside = objects.allocate(image, 100, None).unwrap();
            let members = xmp_core::image_set::Members::range(Rank::new(1), 1, 2).unwrap();
            let set = image.set(members).unwrap();
            if set.position().is_some() {
                image.enter(&set, None, None);
                let text = objects.deallocate(image, &outside).unwrap_err().to_string();
                assert!(text.contains("outside of the task region"), "{text}");
                let inside = [1, 2].map(|n| objects.allocate(image, 100 * n, None).unwrap());
                assert_eq!(objects.allocated_in_executing_set(image).len(), 2);
                assert!(inside[0].memory_ref(image, Rank::new(2), 0).is_ok());
                let text = inside[0].memory_ref(image, Rank::new(0), 0).unwrap_err().to_string();
                assert!(text.contains("which 2 images allocated"), "{text}");
                objects.deallocate(image, &inside[0]).unwrap();
                assert_eq!(objects.allocated_in_executing_set(image).len(), 1);
                let released = image.leave().unwrap();
                objects.released(image, &released);
                assert!(!inside[1].is_live());
                assert!(objects.find(inside[1].local()).is_none());
            }
            assert_eq!(objects.allocated_bytes(), 100);
            objects.deallocate(image, &outside).unwrap();
            assert_eq!(objects.allocated_bytes(), 0);
        })
        .unwrap();
    }
}
