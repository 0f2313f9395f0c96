//! The live blocks of a heap in order of allocation.

/// Marks blocks that are freed; no block is there.
const FREED: u64 = u64::MAX;

/// The number of an allocation, from 1, and the offset of its block.
#[derive(Clone, Copy, Debug)]
struct Entry {
    serial: u64,
    offset: u64,
}

/// Offsets of the live blocks by the numbers of their allocations. All operations are O(log n) in the number of live blocks,
/// on average over a sequence of them.
#[derive(Debug, Default)]
pub struct History {
    /// In ascending order. At most as many freed ones as live ones; the last one is live.
    entries: Vec<Entry>,
    freed: usize,
}

impl History {
    /// Adds the block of an allocation, which is younger than all others.
    pub fn push(&mut self, serial: u64, offset: u64) {
        self.entries.push(Entry { serial, offset });
    }

    /// Takes the block of this allocation out.
    pub fn remove(&mut self, serial: u64) {
        if self.entries.last().is_none_or(|last| last.serial != serial) {
            let Ok(at) = self.entries.binary_search_by_key(&serial, |entry| entry.serial) else {
                return;
            };
            self.entries[at].offset = FREED;
            self.freed += 1;
            if self.freed > self.entries.len() / 2 {
                self.entries.retain(|entry| entry.offset != FREED);
                self.freed = 0;
            }
            return;
        }
        self.entries.pop();
        while self.entries.last().is_some_and(|entry| entry.offset == FREED) {
            self.entries.pop();
            self.freed -= 1;
        }
    }

    /// The number of the youngest live block's allocation, and its offset.
    pub fn youngest(&self) -> Option<(u64, u64)> {
        self.entries.last().map(|entry| (entry.serial, entry.offset))
    }

    /// All live blocks, the oldest first: the numbers of their allocations, and their offsets.
    #[cfg(all(test, not(loom)))]
    pub fn iter(&self) -> impl Iterator<Item = (u64, u64)> {
        let live = |entry: &&Entry| entry.offset != FREED;
        self.entries.iter().filter(live).map(|entry| (entry.serial, entry.offset))
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::History;

    #[test]
    fn one_old_block_does_not_keep_freed_ones() {
        let mut history = History::default();
        history.push(1, 0);
        history.push(2, 64);
        for serial in 3..1000 {
            history.push(serial, serial * 64);
            history.remove(serial - 1);
            assert!(history.entries.len() <= 5, "{serial}: {}", history.entries.len());
        }
        assert_eq!(history.iter().collect::<Vec<_>>(), [(1, 0), (999, 999 * 64)]);
        history.remove(999);
        assert_eq!(history.youngest(), Some((1, 0)));
        history.remove(1);
        assert_eq!(history.youngest(), None);
    }
}
