//! Selections of the images of a set: the formulas by which task regions are given.

use xmp_core::image_set::{ImageSet, Members};
use xmp_core::{Error, Rank, Result, Triplet};

/// Some images of a set, by their 1-based indices in it. An index is one (`3`), a range (`1..=4`, `2..`), and
/// what [`Triplet`] describes.
///
/// ```
/// use xmp_teams::Selection;
/// let workers = Selection::from(2..);
/// let odd = Selection::every(2, ..);
/// let backwards = Selection::strided(4, 4, -1);
/// let some = Selection::list([7, 3, 4]);
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Selection(Kind);

#[derive(Clone, Debug, PartialEq, Eq)]
enum Kind {
    Triplet(Triplet),
    List(Vec<usize>),
}

impl<T: Into<Triplet>> From<T> for Selection {
    fn from(triplet: T) -> Selection {
        Selection(Kind::Triplet(triplet.into()))
    }
}

impl Selection {
    /// Every `step`-th image of a range, as [`Triplet::every`].
    pub fn every(step: usize, range: impl std::ops::RangeBounds<usize>) -> Selection {
        Triplet::every(step, range).into()
    }

    /// `count` images, the first and then each `step` further, as [`Triplet::strided`].
    pub fn strided(first: usize, count: usize, step: isize) -> Selection {
        Triplet::strided(first, count, step).into()
    }

    /// The images with these indices, in this order.
    pub fn list(indices: impl Into<Vec<usize>>) -> Selection {
        Selection(Kind::List(indices.into()))
    }

    /// The members that this selects of `set`; `None` when it selects none.
    ///
    /// # Errors
    /// [`Error::ImageIndex`] for an index that the set does not have, [`Error::RepeatedImage`] for an image
    /// selected twice.
    pub fn of(&self, set: &ImageSet) -> Result<Option<Members>> {
        match &self.0 {
            Kind::Triplet(triplet) => {
                let (first, count, step) = triplet.resolve(1, set.len());
                arithmetic(set, first, count, step)
            }
            Kind::List(indices) => listed(set, indices),
        }
    }
}

fn arithmetic(set: &ImageSet, first: usize, count: usize, step: isize) -> Result<Option<Members>> {
    let Some(steps) = count.checked_sub(1) else { return Ok(None) };
    let start = rank_at(set, first as i128)?;
    rank_at(set, first as i128 + step as i128 * steps as i128)?;
    if steps > 0 && step == 0 {
        return Err(Error::RepeatedImage(first as i64));
    }
    if let Some(stride) = set.members().stride() {
        // Both ends are members, so nothing here overflows; the step of a single member is not looked at.
        let stride = if steps == 0 { 1 } else { stride * step as i32 };
        return Members::range(start, stride, count as u32).map(Some);
    }
    let position = |k: usize| (first - 1).wrapping_add_signed(step * k as isize);
    let ranks: Vec<Rank> =
        (0..count).map(|k| set.rank_at(position(k)).expect("between two members")).collect();
    Members::from_list(&ranks).map(Some)
}

fn listed(set: &ImageSet, indices: &[usize]) -> Result<Option<Members>> {
    if indices.is_empty() {
        return Ok(None);
    }
    let rank = |&index: &usize| rank_at(set, index as i128);
    let ranks = indices.iter().map(rank).collect::<Result<Vec<Rank>>>()?;
    match Members::from_list(&ranks) {
        // Named by its rank; here it has another name.
        Err(Error::RepeatedImage(_)) => Err(Error::RepeatedImage(repeated(indices))),
        members => members.map(Some),
    }
}

fn repeated(indices: &[usize]) -> i64 {
    let twice = |k: &usize| indices[..*k].contains(&indices[*k]);
    let k = (0..indices.len()).find(twice).expect("some index occurs twice");
    indices[k] as i64
}

fn rank_at(set: &ImageSet, index: i128) -> Result<Rank> {
    set.rank_of_index(index.clamp(i64::MIN.into(), i64::MAX.into()) as i64)
}

#[cfg(test)]
mod tests {
    use super::*;
    use xmp_core::transport::threads;

    /// By looking at every index.
    fn expected(set: &[u32], indices: &[i128]) -> Result<Option<Vec<u32>>> {
        for (k, &index) in indices.iter().enumerate() {
            if !(1..=set.len() as i128).contains(&index) {
                return Err(Error::ImageIndex { index: index as i64, images: set.len() });
            }
            if indices[..k].contains(&index) {
                return Err(Error::RepeatedImage(index as i64));
            }
        }
        let ranks: Vec<u32> = indices.iter().map(|&index| set[index as usize - 1]).collect();
        Ok((!ranks.is_empty()).then_some(ranks))
    }

    fn ranks(members: &Members) -> Vec<u32> {
        (0..members.len()).map(|k| members.rank(k).unwrap().get()).collect()
    }

    #[test]
    fn formulas_select_what_their_lists_do() {
        threads::run(7, 1, |image| {
            for numbers in
                [vec![0, 1, 2, 3, 4, 5, 6], vec![1, 3, 5], vec![6, 4, 2], vec![5, 0, 2, 1], vec![4]]
            {
                let members: Vec<Rank> = numbers.iter().map(|&number| Rank::new(number)).collect();
                let set = image.set(Members::from_list(&members).unwrap()).unwrap();
                for (first, count, step) in (0..6)
                    .flat_map(|first| (0..5).map(move |count| (first, count)))
                    .flat_map(|(first, count)| (-3..4).map(move |step| (first, count, step)))
                {
                    let indices: Vec<i128> =
                        (0..count).map(|k| first as i128 + k as i128 * step as i128).collect();
                    let selected = Selection::strided(first, count, step).of(&set);
                    let expected = expected(&numbers, &indices);
                    match (&selected, &expected) {
                        (Ok(members), _) => assert_eq!(Ok(members.as_ref().map(ranks)), expected),
                        // Which of several bad indices is named does not matter.
                        (Err(_), Err(_)) => {}
                        _ => panic!("{numbers:?}({first}, {count}, {step}): {selected:?}"),
                    }
                    if expected.is_ok() {
                        let list: Vec<usize> =
                            indices.iter().map(|&index| index as usize).collect();
                        assert_eq!(Selection::list(list).of(&set), selected, "the same set");
                    }
                }
            }
        })
        .unwrap();
    }

    #[test]
    fn bad_indices_are_named_as_the_program_gave_them() {
        threads::run(5, 1, |image| {
            let outer = image.set(Members::range(Rank::new(1), 1, 4).unwrap()).unwrap();
            for (selection, error) in [
                (Selection::from(0..2), Error::ImageIndex { index: 0, images: 4 }),
                (Selection::from(2..=5), Error::ImageIndex { index: 5, images: 4 }),
                (Selection::strided(2, 3, -2), Error::ImageIndex { index: -2, images: 4 }),
                (Selection::strided(2, 3, 0), Error::RepeatedImage(2)),
                (Selection::list([4, 1, 4]), Error::RepeatedImage(4)),
                (Selection::list([1, 9]), Error::ImageIndex { index: 9, images: 4 }),
                (Selection::from(1..=usize::MAX), Error::ImageIndex { index: i64::MAX, images: 4 }),
            ] {
                assert_eq!(selection.of(&outer), Err(error), "{selection:?}");
            }
            for empty in [Selection::from(5..), Selection::from(3..3), Selection::list([])] {
                assert_eq!(empty.of(&outer), Ok(None), "{empty:?}");
            }
        })
        .unwrap();
    }
}
