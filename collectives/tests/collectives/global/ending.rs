//! Images that end instead of taking part.

use super::calls::{gmove, reflect};
use super::model::Part;
use std::rc::Rc;
use xmp_collectives::global::{Plans, Shape, Width};
use xmp_core::Error;
use xmp_core::global::{Align, Array, Format, Kind, Nodes, Order, Section, Shadow, Template};
use xmp_core::image_set::Members;

/// A line over all images, with a shadow where each node has one block.
pub fn line(images: usize, format: Format, shadow: Shadow) -> Rc<Array> {
    let nodes = Rc::new(Nodes::row(&Members::all(images), Order::Fortran, Kind::Entire));
    let mut template = Template::fixed(&[(1, 60)]).unwrap();
    template.distribute(vec![format], nodes).unwrap();
    let distribution = template.distribution().unwrap().clone();
    let align = Align::with(1, 60, 0, 0).shadow(shadow);
    Rc::new(Array::new(distribution, &[align], &[], Order::Fortran).unwrap())
}

#[test]
fn an_image_that_needs_a_stopped_image_gets_an_error() {
    for (images, hosts, in_segment) in
        [(2, 1, true), (4, 1, false), (4, 2, true), (5, 2, false), (3, 3, true)]
    {
        xmp_core::transport::threads::run(images, hosts, |image| {
            if image.rank().get() == 1 {
                return;
            }
            let n = images as usize;
            let (plans, set) = (Plans::default(), image.executing());
            // Each image needs something of all others.
            let array = line(n, Format::Cyclic, Shadow::Full);
            let part = Part::new(image, array.clone(), 8, in_segment, 1);
            let widths = Width::whole(&array);
            let shape = Shape { widths: &widths, orthogonal: false };
            // Any of them may be named: an image that has learnt of the end ends, too.
            let told =
                |outcome| assert!(matches!(outcome, Err(Error::StoppedImage(_))), "{outcome:?}");
            told(reflect(image, &set, &plans, &part.storage, shape));
            let block = line(n, Format::Block, Shadow::NONE);
            let to = Part::new(image, block.clone(), 8, in_segment, 2);
            let (left, right) = (Section::all(&block), Section::all(&array));
            told(gmove(
                image,
                &set,
                &plans,
                to.storage.section(&left),
                part.storage.section(&right),
            ));
        })
        .unwrap();
    }
}
