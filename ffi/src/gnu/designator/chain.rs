//! Names what a chain of references leads to: `cs(2)[1]%x(7)`.

use super::subscripts::{Array, Fault, Subscript};
use xmp_source::{Component, Shape};

/// A link of the chain from a coarray to a part of an object.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Link {
    /// The component at this byte of the object.
    Component { offset: u64 },
    /// Subscripts as the program gives them.
    Subscripts(String),
    /// Elements of an array without a descriptor, by the positions in array element order that the subscript of each dimension leads to.
    Positions(Vec<Subscript>),
}

/// What a chain leads to, and what is wrong with it.
pub struct Denoted {
    pub text: String,
    pub fault: Option<Fault>,
}

/// The text that denotes the end of a chain from a variable of this name and shape, on the image that `image` denotes. It ends
/// before the first component whose name is not known.
pub fn denote(name: &str, shape: Option<&Shape>, image: &str, links: &[Link]) -> Denoted {
    let mut denoted = Denoted { text: name.into(), fault: None };
    let (own, parts) = match links {
        [Link::Component { .. }, ..] | [] => (None, links),
        [own, parts @ ..] => (Some(own), parts),
    };
    own.iter().for_each(|link| denoted.subscripts(link, shape));
    denoted.text.push_str(image);
    let mut shape = shape;
    for link in parts {
        let Link::Component { offset } = link else {
            denoted.subscripts(link, shape);
            continue;
        };
        let at = |component: &&Component| component.offset == *offset;
        let component = shape.and_then(|shape| shape.components.iter().find(at));
        let Some(component) = component else { break };
        denoted.text.push('%');
        denoted.text.push_str(&component.name);
        shape = Some(&component.shape);
    }
    denoted
}

impl Denoted {
    fn subscripts(&mut self, link: &Link, shape: Option<&Shape>) {
        match link {
            Link::Subscripts(text) => self.text.push_str(text),
            Link::Positions(positions) => self.positions(positions, shape),
            Link::Component { .. } => {}
        }
    }

    fn positions(&mut self, positions: &[Subscript], shape: Option<&Shape>) {
        let dims = shape.and_then(|shape| shape.dims.clone()).filter(|dims| !dims.is_empty());
        let array = dims.map(|dims| Array { dims, element: 1 });
        let known = array.as_ref().and_then(|array| Some((array, array.subscripts_at(positions)?)));
        if let Some((array, subscripts)) = known {
            self.text.push_str(&subscripts.to_string());
            self.fault = self.fault.take().or_else(|| array.fault(&subscripts));
        } else if !positions.iter().all(|position| matches!(position, Subscript::One(_))) {
            self.text.push_str("(...)");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use xmp_source::Bounds;

    /// `type(t) :: cs(3)`, with `real :: k(3)` at byte 64 of 76, and an allocatable `x` of unknown bounds at byte 0.
    fn shape() -> Shape {
        let component = |name: &str, offset, dims| Component {
            name: name.into(),
            offset,
            shape: Shape { dims, element: 4, components: vec![] },
            is_allocatable: false,
        };
        let dims = |upper| Some(vec![Bounds { lower: 1, upper }]);
        let components = vec![component("x", 0, None), component("k", 64, dims(3))];
        Shape { dims: dims(3), element: 76, components }
    }

    fn denoted(links: &[Link]) -> (String, Option<i64>) {
        let Denoted { text, fault } = denote("cs", Some(&shape()), "[2]", links);
        (text, fault.map(|fault| fault.subscript))
    }

    #[test]
    fn the_image_follows_the_coarray_and_the_components_follow_the_image() {
        let x = Link::Component { offset: 0 };
        let k = Link::Component { offset: 64 };
        let positions = |position| Link::Positions(vec![position]);
        let range = |first, last, step| positions(Subscript::Range { first, last, step });
        let at = |position| positions(Subscript::One(position));
        assert_eq!(denoted(&[]), ("cs[2]".into(), None));
        assert_eq!(denoted(&[at(1)]), ("cs(2)[2]".into(), None));
        let element = [at(1), x.clone(), Link::Subscripts("(7)".into())];
        assert_eq!(denoted(&element), ("cs(2)[2]%x(7)".into(), None));
        assert_eq!(denoted(&[at(6), x.clone()]), ("cs(7)[2]%x".into(), Some(7)));
        assert_eq!(denoted(&[at(0), k, at(3)]), ("cs(1)[2]%k(4)".into(), Some(4)));
        assert_eq!(denoted(&[range(1, 2, 1), x.clone()]), ("cs(2:3)[2]%x".into(), None));
        let beyond = [range(-1, 7, 2), x.clone()];
        assert_eq!(denoted(&beyond), ("cs(0:8:2)[2]%x".into(), Some(0)));
        let list = [positions(Subscript::List(vec![0, 4])), x.clone()];
        assert_eq!(denoted(&list), ("cs([1, 5])[2]%x".into(), Some(5)));
        let other_rank = [Link::Positions(vec![Subscript::One(0), Subscript::List(vec![1])]), x];
        assert_eq!(denoted(&other_rank), ("cs(...)[2]%x".into(), None));
        let unknown = Link::Component { offset: 8 };
        assert_eq!(denoted(&[at(2), unknown, at(5)]), ("cs(3)[2]".into(), None));
    }
}
