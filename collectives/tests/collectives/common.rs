//! Common parts of the tests: jobs of all shapes, sets of all kinds, data without chance.

use std::cell::Cell;
use std::rc::Rc;
use xmp_collectives::Reduction;
use xmp_collectives::elements::Elements;
use xmp_collectives::host::broadcast::Message;
use xmp_collectives::select::{Choices, Forced, Named};
use xmp_core::image_set::{ImageSet, Members};
use xmp_core::transport::threads;
use xmp_core::{Image, Rank};

/// Runs `body` on 1 to 8 images on 1 to 3 virtual hosts; on fewer for `./x test` without `--all`.
pub fn on_all_shapes(body: impl Fn(&Image) + Sync) {
    let is_brief = std::env::var_os("XMP_TEST_BRIEF").is_some();
    let images: &[u32] = if is_brief { &[1, 3, 4] } else { &[1, 2, 3, 4, 7, 8] };
    for &images in images {
        for hosts in (1..=3).filter(|&hosts| hosts <= images) {
            threads::run(images, hosts, &body).unwrap();
        }
    }
}

/// The executing set and some subsets, in which hosts are split unevenly and named out of order: those that
/// this image is in.
pub fn sets(image: &Image) -> Vec<Rc<ImageSet>> {
    let n = image.job().images() as u32;
    let lists: [Vec<u32>; 4] = [
        (0..n).collect(),
        (0..n).rev().collect(),
        (0..n).step_by(2).collect(),
        (1..n).chain([0]).filter(|i| i % 3 != 1).collect(),
    ];
    let lists = lists.into_iter().filter(|list| !list.is_empty());
    let ranks = lists.map(|list| list.into_iter().map(Rank::new).collect::<Vec<_>>());
    let sets = ranks.map(|ranks| image.set(Members::from_list(&ranks).unwrap()).unwrap());
    sets.filter(|set| set.position().is_some()).collect()
}

/// A number that depends on all three, the same on every image.
pub fn random(image: usize, index: usize, salt: u64) -> u64 {
    let x = (image as u64 + salt * 1000 + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    (x ^ index as u64).wrapping_mul(0xd6e8_feb8_6659_fd93)
}

/// A source of numbers; the same on all images with the same seed.
#[derive(Clone)]
pub struct Dice(Cell<u64>);

impl Dice {
    /// Dice that begin with this number.
    pub fn new(seed: u64) -> Dice {
        Dice(Cell::new(seed))
    }

    /// One of the numbers below `sides`.
    pub fn roll(&self, sides: usize) -> usize {
        self.0.set(self.0.get() + 1);
        (random(1, 2, self.0.get()) >> 20) as usize % sides
    }
}

/// No choice, and every algorithm forced; `put` says for which collective. Those for leaders are used between the
/// images of a host too, as if it had no collective area.
pub fn forced<H: Named, L: Named>(
    put: impl Fn(&mut Choices, Forced<H, L>),
) -> Vec<(&'static str, Choices)> {
    let choice = |name, host, leaders| {
        let mut choices = Choices::default();
        put(&mut choices, Forced { host, leaders });
        (name, choices)
    };
    let messages = H::named("messages");
    let host = H::ALL.iter().map(|&(name, algorithm)| choice(name, Some(algorithm), None));
    let leaders = L::ALL.iter().map(|&(name, algorithm)| choice(name, messages, Some(algorithm)));
    std::iter::once(choice("table", None, None)).chain(host).chain(leaders).collect()
}

/// As [`forced`] for the leaders' algorithms only, with what the table chooses on hosts.
pub fn forced_between_hosts<H: Named, L: Named>(
    put: impl Fn(&mut Choices, Forced<H, L>),
) -> Vec<(&'static str, Choices)> {
    let choice = |&(name, algorithm): &(&'static str, L)| {
        let mut choices = Choices::default();
        put(&mut choices, Forced { host: None, leaders: Some(algorithm) });
        (name, choices)
    };
    L::ALL.iter().map(choice).collect()
}

/// The roots to test an algorithm with: all, but for those between leaders, whose schedules are tested with all
/// roots by themselves, the first and the last.
pub fn roots<L: Named>(name: &str, images: usize) -> impl Iterator<Item = usize> {
    let between_leaders = L::ALL.iter().any(|(known, _)| *known == name);
    (0..images).filter(move |&root| !between_leaders || root == 0 || root == images - 1)
}

/// Memory that holds `len` bytes for one image: its own, or of its segment.
pub fn buffer(image: &Image, len: usize, shared: bool) -> Buffer<'_> {
    let own = vec![0; if shared { 0 } else { len.div_ceil(16) }];
    // The middle of the segment is unused in these tests.
    let offset = image.layout().heap.start as usize + (64 << 20);
    let start = if shared {
        image.own_segment().wrapping_add(offset)
    } else {
        own.as_ptr().cast_mut().cast()
    };
    Buffer { start, len, _own: own, _image: image }
}

/// See [`buffer`].
pub struct Buffer<'a> {
    start: *mut u8,
    len: usize,
    _own: Vec<u128>,
    _image: &'a Image,
}

impl Buffer<'_> {
    /// First byte.
    pub fn start(&self) -> *mut u8 {
        self.start
    }

    /// All its elements, as those of a reduction.
    pub fn elements<'b>(&'b self, reduction: &'b Reduction<'b>) -> Elements<'b> {
        // SAFETY: the buffer has these elements, and lives as long as they are used.
        unsafe { Elements::new(self.start, self.len / reduction.element(), reduction) }
    }

    /// A broadcast of all its bytes.
    pub fn message(&self, root: usize) -> Message {
        // SAFETY: the buffer has these bytes, and lives to the end of the operation.
        unsafe { Message::new(self.start, self.len, root) }
    }

    /// Its bytes.
    pub fn bytes(&mut self) -> &mut [u8] {
        // SAFETY: in bounds; the test's own memory.
        unsafe { std::slice::from_raw_parts_mut(self.start, self.len) }
    }

    /// Fills it with the first of these elements.
    pub fn fill<T: Copy>(&self, elements: &[T]) {
        let count = self.len / size_of::<T>();
        assert!(count <= elements.len());
        // SAFETY: in bounds; the test's own memory.
        unsafe { std::ptr::copy_nonoverlapping(elements.as_ptr(), self.start.cast(), count) };
    }

    /// Its elements.
    pub fn read<T: Copy>(&self) -> Vec<T> {
        // SAFETY: as in `fill`; the buffer is aligned for 16 bytes.
        unsafe {
            std::slice::from_raw_parts(self.start.cast::<T>(), self.len / size_of::<T>()).to_vec()
        }
    }
}

/// As [`sets`], and one in which neighbours are on different hosts.
pub fn sets_and_interleaved(image: &Image) -> Vec<Rc<ImageSet>> {
    let n = image.job().images() as u32;
    let half = n.div_ceil(2);
    let list = (0..n).map(|i| if i % 2 == 0 { i / 2 } else { half + i / 2 });
    let ranks: Vec<Rank> = list.map(Rank::new).collect();
    let mut sets = sets(image);
    sets.push(image.set(Members::from_list(&ranks).unwrap()).unwrap());
    sets
}

/// No choice, and every algorithm of either level forced; `put` says for which collective.
pub fn forced_on_either_level<H: Named, L: Named>(
    put: impl Fn(&mut Choices, Forced<H, L>),
) -> Vec<(String, Choices)> {
    let choice = |name: String, forced| {
        let mut choices = Choices::default();
        put(&mut choices, forced);
        (name, choices)
    };
    let mut all = vec![choice("table".into(), Forced::default())];
    for &(name, host) in H::ALL {
        all.push(choice(name.into(), Forced { host: Some(host), leaders: None }));
    }
    for &(name, leaders) in L::ALL {
        all.push(choice(name.into(), Forced { host: None, leaders: Some(leaders) }));
        // The same between the images of a host.
        let messages = H::named("messages");
        let forced = Forced { host: messages, leaders: Some(leaders) };
        all.push(choice(format!("messages and {name}"), forced));
    }
    all
}

/// The elements of a reduction in a slice.
pub fn elements<'a, T: Copy>(data: &'a mut [T], reduction: &'a Reduction<'a>) -> Elements<'a> {
    let (start, count) = (data.as_mut_ptr().cast(), size_of_val(data) / reduction.element());
    // SAFETY: the slice has these elements, and is borrowed as long as they are used.
    unsafe { Elements::new(start, count, reduction) }
}

/// A broadcast of a slice.
pub fn message<T: Copy>(data: &mut [T], root: usize) -> Message {
    // SAFETY: the slice has these bytes, and lives to the end of the operation.
    unsafe { Message::new(data.as_mut_ptr().cast(), size_of_val(data), root) }
}
