//! Distributed arrays of Rust programs.

use xmp_coarray::global::{Format, GlobalView, Pick, Progression, Template, Width, gmove};
use xmp_coarray::prelude::*;

/// One step of heat conduction in a field with fixed borders.
fn step(old: impl Fn(usize, usize) -> f64, [i, j]: [usize; 2]) -> f64 {
    0.25 * (old(i - 1, j) + old(i + 1, j) + old(i, j - 1) + old(i, j + 1))
}

fn start([i, j]: [usize; 2]) -> f64 {
    (i * i + 3 * j) as f64
}

#[test]
fn heat_is_conducted_as_in_one_array() {
    const N: usize = 13;
    const M: usize = 9;
    let mut expected: Vec<f64> = (0..N * M).map(|k| start([k / M, k % M])).collect();
    for _ in 0..7 {
        let old = expected.clone();
        for (k, value) in expected.iter_mut().enumerate() {
            let (i, j) = (k / M, k % M);
            if (1..N - 1).contains(&i) && (1..M - 1).contains(&j) {
                *value = step(|i, j| old[i * M + j], [i, j]);
            }
        }
    }
    for (images, grid) in [(1, [1, 1]), (2, [2, 1]), (4, [2, 2]), (7, [3, 2]), (8, [2, 4])] {
        run_on_threads(images, |image| {
            let nodes = image.nodes(grid)?;
            let space = image.template(&nodes, [N, M], [Format::Block, Format::BlockOf(5)]);
            let space = match grid[1] {
                1 | 4 => image.template(&nodes, [N, M], [Format::Block, Format::Block])?,
                _ => space?,
            };
            let mut old = image.array_with_shadow::<f64, 2>(&space, [1, 1])?;
            let mut new = image.array_with_shadow::<f64, 2>(&space, [1, 1])?;
            old.fill(start);
            new.fill(start);
            for _ in 0..7 {
                old.reflect()?;
                for index in new.loop_on([1..N - 1, 1..M - 1]) {
                    new[index] = step(|i, j| old[[i, j]], index);
                }
                std::mem::swap(&mut old, &mut new);
            }
            let mut sum = [0.0, 0.0];
            for [i, j] in old.loop_on([0..N, 0..M]) {
                assert_eq!(old[[i, j]], expected[i * M + j], "{i}, {j}");
                sum[0] += 1.0;
            }
            image.task_on(&nodes, |image| {
                image.reduce_on(&nodes, &mut sum, Op::Sum)?;
                assert_eq!((sum[0] as usize, image.num_images()), (N * M, nodes.len()));
                Ok(())
            })?;
            Ok(())
        })
        .unwrap();
    }
}

#[test]
fn a_matrix_is_transposed() {
    run_on_threads(4, |image| {
        let nodes = image.nodes([4])?;
        let rows = image.template(&nodes, [6, 11], [Format::Block, Format::Collapsed])?;
        let columns = image.template(&nodes, [11, 6], [Format::CyclicOf(2), Format::Collapsed])?;
        let mut a = image.array::<u32, 2>(&rows)?;
        let mut b = image.array::<u32, 2>(&columns)?;
        a.fill(|[i, j]| (100 * i + j) as u32);
        // Row by row: a scalar subscript on one side, a whole dimension on the other.
        for i in 0..6 {
            gmove(b.section_mut([Pick::All, Pick::At(i)])?, a.section([Pick::At(i), Pick::All])?)?;
        }
        for [i, j] in b.loop_on([0..11, 0..6]) {
            assert_eq!(b[[i, j]], (100 * j + i) as u32);
        }
        assert_eq!(b.stored_extents(), [b.stored().len() / 6, 6]);
        #[cfg(feature = "ndarray")]
        {
            assert_eq!(b.local().dim(), (b.stored_extents()[0], 6));
            assert!(b.local().iter().eq(b.stored()));
        }
        // Around by one, in itself.
        let all = |first, last| Pick::Row(Progression::from_bounds(first, last, 1).unwrap());
        b.gmove_within([all(1, 10), Pick::All], [all(0, 9), Pick::All])?;
        for [i, j] in b.loop_on([0..11, 0..6]) {
            assert_eq!(b[[i, j]], (100 * j + i.saturating_sub(1)) as u32);
        }
        b.stored_mut().fill(7);
        assert!(b.stored().iter().all(|&x| x == 7));
        Ok(())
    })
    .unwrap();
}

#[test]
fn a_ring_goes_around() {
    run_on_threads(3, |image| {
        let line = image.template(&image.nodes([3])?, [10], [Format::Block])?;
        let mut a = image.array_with_shadow::<i64, 1>(&line, [2])?;
        a.fill(|[i]| i as i64);
        a.reflect_with(&[Width { lower: 1, upper: 2, periodic: true, carried: false }], true)?;
        let all = 0..10;
        let own: Vec<i64> = a.loop_on([all]).map(|[i]| i as i64).collect();
        let (first, last) = (own[0], own[own.len() - 1]);
        let mut expected = vec![0, (first + 9) % 10];
        expected.extend(&own);
        expected.extend([(last + 1) % 10, (last + 2) % 10]);
        assert_eq!(a.stored(), expected);
        Ok(())
    })
    .unwrap();
}

#[test]
fn what_cannot_be_is_an_error() {
    run_on_threads(2, |image| {
        let text = |error: Error| error.to_string();
        assert_eq!(
            text(image.nodes([2, 2]).unwrap_err()),
            "nodes: (2,2) needs 4 nodes, there are 2"
        );
        let nodes = image.nodes([2])?;
        let bad = image.template(&nodes, [10, 10], [Format::Block, Format::Block]).unwrap_err();
        assert_eq!(text(bad), "template: 2 distributed dimensions for 1 dimension");
        let cyclic = image.template(&nodes, [10], [Format::Cyclic])?;
        let bad = image.array_with_shadow::<f64, 1>(&cyclic, [1]).unwrap_err();
        assert!(text(bad).starts_with("array: dimension 1: a shadow of 1:1 around cyclic blocks"));
        let bad = image.array::<f64, 2>(&cyclic).unwrap_err();
        assert_eq!(text(bad), "an array of 2 dimensions on a template of 1");
        let bad = image.template(&nodes, [10], [Format::Gblock(vec![3, 3])]).unwrap_err();
        let sum = "the sizes of gblock sum to 6, the extent of the dimension is 10";
        assert_eq!(text(bad), format!("template: dimension 1: {sum}"));
        let block = image.template(&nodes, [10], [Format::Block])?;
        let mut narrow = image.array_with_shadow::<f64, 1>(&block, [1])?;
        let wide = Width { lower: 2, upper: 1, periodic: false, carried: false };
        assert_eq!(
            text(narrow.reflect_with(&[wide], false).unwrap_err()),
            "reflect: dimension 1: width 2 is more than the shadow of 1"
        );
        image.task_on(&*image.nodes([1])?, |image| {
            let bad = text(image.task_on(&nodes, |_| Ok(())).unwrap_err());
            assert!(bad.contains("image 2 is needed, but is not among those"), "{bad}");
            Ok(())
        })?;
        let mut open = Template::unfixed(1).map_err(|error| error.of("template"))?;
        open.distribute(vec![Format::Block], nodes.clone())
            .map_err(|error| error.of("template"))?;
        let bad = text(image.array::<f64, 1>(&open).unwrap_err());
        assert!(bad.starts_with("array: the template is not fixed"), "{bad}");
        let mut a = image.array::<f64, 1>(&cyclic)?;
        let b = image.array::<f64, 1>(&cyclic)?;
        assert_eq!(
            text(a.section([Pick::At(10)]).unwrap_err()),
            "section: dimension 1: 10:10 is not within 0:9"
        );
        let some = Pick::Row(Progression { first: 0, step: 1, count: 3 });
        let bad = gmove(a.section_mut([Pick::All])?, b.section([some])?).unwrap_err();
        assert_eq!(text(bad), "gmove: shape (10) is assigned from shape (3)");
        assert_eq!(a.get([image.this_image() % 2]), None, "another image's");
        let huge =
            image.template(&nodes, [usize::MAX / 2, 8], [Format::Block, Format::Collapsed])?;
        assert!(image.array::<f64, 2>(&huge).is_err());
        Ok(())
    })
    .unwrap();
}
