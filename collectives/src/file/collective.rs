//! Reads and writes of all images of a set at once, through the collective buffer (two-phase I/O).

use super::buffer::Buffer;
use super::domains::Domains;
use super::failure::{Failure, Outcome, agree};
use super::memory::Memory;
use super::positioned::{self, each_stretch};
use super::view::View;
use super::views::Views;
use crate::parts::Table;
use crate::{allgather, alltoallv};
use std::fs::File;
use std::ops::Range;
use xmp_core::Image;
use xmp_core::image_set::ImageSet;

/// The images that access a file together.
#[derive(Clone, Copy, Debug)]
pub struct FileGroup<'a> {
    /// This image.
    pub image: &'a Image,
    /// All images.
    pub set: &'a ImageSet,
    /// The file.
    pub file: &'a File,
    /// What they see.
    pub views: &'a Views,
}

/// What this image accesses.
#[derive(Clone, Copy, Debug)]
pub struct Access {
    /// Where its view begins.
    pub displacement: i64,
    /// Number in the view of its first byte.
    pub start: i64,
    /// Number of bytes.
    pub len: i64,
}

/// What an image has got.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FileTransfer {
    /// Number of bytes.
    pub len: i64,
    /// Bytes of the file, the same on all images.
    pub size: i64,
}

/// What all images access.
struct Accesses {
    all: Vec<Access>,
    /// Bytes of the file.
    size: i64,
}

/// Writes the bytes of all images, each through its view. Where views overlap, the bytes of the last image in the order
/// of the set remain. All images of the set call it.
///
/// # Errors
/// Those of writes, the same on all images; the error that an image has instead of an access; EINVAL for bytes that a
/// view does not have.
pub fn write_all(among: &FileGroup<'_>, mine: Outcome<Access>, memory: &Memory<'_>) -> Outcome {
    let accesses = among.exchange(mine)?;
    let mine = accesses.all[among.me()];
    let Some(range) = among.range(&accesses) else { return Ok(()) };
    let done = if among.is_direct(&accesses) {
        let numbers = mine.start..mine.start + mine.len;
        positioned::write(
            among.file,
            among.view(&accesses, among.me()),
            numbers,
            memory,
            among.buffer(),
        )
    } else {
        let domains = Domains::new(range, among.set.len(), among.buffer() as i64);
        let mut written = Ok(());
        for round in 0..domains.rounds() {
            let bytes = among.give_to_owners(&accesses, &domains, round, memory)?;
            let is_well = written.is_ok();
            if let Some(buffer) = bytes.filter(|_| is_well) {
                written = buffer.write(among.file).map_err(Failure::from);
            }
        }
        written
    };
    agree(among.image, among.set, done)
}

/// Reads the bytes of all images, each through its view. Returns the number of bytes that this image has got, which is
/// less at the end of the file, and where that is. All images of the set call it.
///
/// # Errors
/// Those of reads, the same on all images; the error that an image has instead of an access; EINVAL for bytes that a
/// view does not have.
pub fn read_all(
    among: &FileGroup<'_>,
    mine: Outcome<Access>,
    memory: &Memory<'_>,
) -> Outcome<FileTransfer> {
    // An image that sees nothing reads nothing.
    let is_blind = View::new(0, among.views.of(among.me())).is_empty();
    let nothing = |access| Access { start: 0, len: 0, ..access };
    let mine = if is_blind { mine.map(nothing) } else { mine };
    let mut accesses = among.exchange(mine)?;
    for position in 0..among.set.len() {
        // Up to the end of the file.
        let there = among.view(&accesses, position).before(accesses.size);
        let access = &mut accesses.all[position];
        access.len = access.len.min(there - access.start).max(0);
    }
    let mine = accesses.all[among.me()];
    let got = FileTransfer { len: mine.len, size: accesses.size };
    let Some(range) = among.range(&accesses) else { return Ok(got) };
    let done = if among.is_direct(&accesses) {
        let numbers = mine.start..mine.start + mine.len;
        let view = among.view(&accesses, among.me());
        positioned::read_before_end(among.file, view, numbers, memory, among.buffer())
    } else {
        let domains = Domains::new(range, among.set.len(), among.buffer() as i64);
        let mut read = Ok(());
        for round in 0..domains.rounds() {
            let filled = among.get_from_owners(&accesses, &domains, round, memory)?;
            read = read.and(filled);
        }
        read
    };
    agree(among.image, among.set, done)?;
    Ok(got)
}

impl FileGroup<'_> {
    fn me(&self) -> usize {
        self.set.position().expect("a member of the set")
    }

    /// Bytes of the collective buffer.
    fn buffer(&self) -> usize {
        self.image.settings().io_buffer as usize
    }

    fn view(&self, accesses: &Accesses, position: usize) -> View<'_> {
        View::new(accesses.all[position].displacement, self.views.of(position))
    }

    /// Tells all images what this one accesses.
    fn exchange(&self, mine: Outcome<Access>) -> Outcome<Accesses> {
        let checked = mine.and_then(|mine| {
            let view = View::new(mine.displacement, self.views.of(self.me()));
            positioned::check(view, &(mine.start..mine.start.saturating_add(mine.len)))?;
            let size = super::open::size(self.file)?;
            Ok([mine.displacement, mine.start, mine.len, size, 0])
        });
        let mine = match checked {
            Ok(access) => access,
            Err(Failure::System(number)) => [0, 0, 0, 0, i64::from(number)],
            Err(runtime) => return Err(runtime),
        };
        let mut all = vec![[0; 5]; self.set.len()];
        allgather(self.image, self.set, &[mine], &mut all)?;
        if let Some(wrong) = all.iter().find(|each| each[4] != 0) {
            return Err(Failure::System(wrong[4] as i32));
        }
        // An image of another host may know of fewer bytes than there are.
        let size = all.iter().map(|each| each[3]).max().unwrap_or(0);
        let access =
            |&[displacement, start, len, ..]: &[i64; 5]| Access { displacement, start, len };
        Ok(Accesses { all: all.iter().map(access).collect(), size })
    }

    /// The range of the file that images access, from the first byte to the last one.
    fn range(&self, accesses: &Accesses) -> Option<Range<i64>> {
        let ends = (0..self.set.len()).filter(|&position| accesses.all[position].len > 0).map(
            |position| {
                let (view, access) = (self.view(accesses, position), accesses.all[position]);
                let place = |number| view.stretch(number).offset;
                place(access.start)..place(access.start + access.len - 1) + 1
            },
        );
        ends.reduce(|a, b| a.start.min(b.start)..a.end.max(b.end))
    }

    /// Whether what each image accesses is contiguous anyway, so that each does it alone.
    fn is_direct(&self, accesses: &Accesses) -> bool {
        const FEW: i64 = 16;
        let enough = self.buffer() as i64 / FEW;
        (0..self.set.len()).all(|position| {
            let access = accesses.all[position];
            access.len == 0
                || self.view(accesses, position).stretch(access.start).len >= access.len.min(enough)
        })
    }

    /// The numbers of the bytes of an image in a piece of the file.
    fn within(&self, accesses: &Accesses, position: usize, piece: &Range<i64>) -> Range<i64> {
        let (view, access) = (self.view(accesses, position), accesses.all[position]);
        let inside = |place: i64| view.before(place).clamp(access.start, access.start + access.len);
        inside(piece.start)..inside(piece.end)
    }

    /// The domain of this image, if it has one.
    fn domain(&self, domains: &Domains) -> Option<usize> {
        (0..domains.count()).find(|&domain| domains.owner(domain) == self.me())
    }

    /// The numbers of the bytes that this image has in the piece of each owner, by its position.
    fn with_owners(&self, accesses: &Accesses, domains: &Domains, round: i64) -> Vec<Range<i64>> {
        let mut ranges = vec![0..0; self.set.len()];
        for domain in 0..domains.count() {
            let piece = domains.piece(domain, round);
            ranges[domains.owner(domain)] = self.within(accesses, self.me(), &piece);
        }
        ranges
    }

    /// The numbers of the bytes that each image has in a piece.
    fn of_all(&self, accesses: &Accesses, piece: &Range<i64>) -> Vec<Range<i64>> {
        (0..self.set.len()).map(|position| self.within(accesses, position, piece)).collect()
    }

    /// The ranges of a piece that this image owns in a round, and the piece.
    fn owned(
        &self,
        accesses: &Accesses,
        domains: &Domains,
        round: i64,
    ) -> (Range<i64>, Vec<Range<i64>>) {
        match self.domain(domains).map(|domain| domains.piece(domain, round)) {
            Some(piece) => {
                let ranges = self.of_all(accesses, &piece);
                (piece, ranges)
            }
            None => (0..0, vec![0..0; self.set.len()]),
        }
    }

    /// Sends the bytes of a round to the owners of the domains. Returns the piece that this image owns.
    fn give_to_owners(
        &self,
        accesses: &Accesses,
        domains: &Domains,
        round: i64,
        memory: &Memory<'_>,
    ) -> Outcome<Option<Buffer>> {
        let start = accesses.all[self.me()].start;
        let mine = self.with_owners(accesses, domains, round);
        let (piece, theirs) = self.owned(accesses, domains, round);
        let ((give, give_len), (get, get_len)) = (table(&mine), table(&theirs));
        let (mut out, mut came) = (vec![0; give_len], vec![0; get_len]);
        for (position, numbers) in
            mine.iter().enumerate().filter(|(_, numbers)| !numbers.is_empty())
        {
            let at = give.parts().offset(position);
            memory.get(numbers.start - start, &mut out[at..at + length(numbers)]);
        }
        alltoallv(self.image, self.set, &out, give.parts(), &mut came, get.parts())?;
        if piece.is_empty() {
            return Ok(None);
        }
        let mut buffer = Buffer::new(piece);
        for (position, numbers) in theirs.into_iter().enumerate() {
            let mut at = get.parts().offset(position);
            each_stretch(self.view(accesses, position), numbers, |_, place, len| {
                buffer.enter(place, &came[at..at + len as usize]);
                at += len as usize;
            });
        }
        Ok(Some(buffer))
    }

    /// Reads the piece of a round that this image owns, and gets the bytes of this image from the owners. The inner
    /// outcome is that of the read.
    fn get_from_owners(
        &self,
        accesses: &Accesses,
        domains: &Domains,
        round: i64,
        memory: &Memory<'_>,
    ) -> Outcome<Outcome> {
        let start = accesses.all[self.me()].start;
        let mine = self.with_owners(accesses, domains, round);
        let (piece, theirs) = self.owned(accesses, domains, round);
        let ((get, get_len), (give, give_len)) = (table(&mine), table(&theirs));
        let (mut out, mut came) = (vec![0; give_len], vec![0; get_len]);
        let mut buffer = Buffer::new(piece);
        let read = buffer.read(self.file).map_err(Failure::from);
        for (position, numbers) in theirs.into_iter().enumerate() {
            let mut at = give.parts().offset(position);
            each_stretch(self.view(accesses, position), numbers, |_, place, len| {
                out[at..at + len as usize].copy_from_slice(buffer.at(place, len));
                at += len as usize;
            });
        }
        alltoallv(self.image, self.set, &out, give.parts(), &mut came, get.parts())?;
        for (position, numbers) in
            mine.iter().enumerate().filter(|(_, numbers)| !numbers.is_empty())
        {
            let at = get.parts().offset(position);
            memory.put(numbers.start - start, &came[at..at + length(numbers)]);
        }
        Ok(read)
    }
}

/// Number of the bytes with these numbers.
pub(super) fn length(numbers: &Range<i64>) -> usize {
    (numbers.end - numbers.start) as usize
}

/// The bytes of all images, one after the other.
pub(super) fn table(ranges: &[Range<i64>]) -> (Table, usize) {
    Table::packed(ranges.iter().map(length))
}
