//! Sizes of node arrays that are said when the program starts.

use crate::omni::error::{Outcome, Wrong};
use std::env;
use xmp_core::global::{Kind, Size};

/// Sizes of a declaration of nodes, after what the environment says: `XMP_NODE_SIZE0` is the size of the first dimension
/// that the declaration passes if that is `*`, and so on. Only an array of all images may have more than one `*`; all but
/// the last dimension have to be said then.
///
/// # Errors
/// When a size is needed and not said, or is not the number of some of the images.
pub fn sized(sizes: &mut [Size], kind: Kind, images: usize) -> Outcome {
    match kind {
        Kind::Entire => sized_by(sizes, images, |variable| env::var(variable).ok()),
        _ => Ok(()),
    }
}

fn sized_by(sizes: &mut [Size], images: usize, said: impl Fn(&str) -> Option<String>) -> Outcome {
    let last = sizes.len().saturating_sub(1);
    for (dim, size) in sizes.iter_mut().enumerate().filter(|(_, size)| **size == Size::Star) {
        let variable = format!("XMP_NODE_SIZE{dim}");
        match said(&variable) {
            Some(text) => {
                let nodes = text.trim().parse().ok().filter(|nodes| (1..=images).contains(nodes));
                let wrong = || format!("{variable} is {text:?}, not a number from 1 to {images}");
                *size = Size::Nodes(nodes.ok_or_else(|| Wrong::because(wrong()))?);
            }
            None if dim == last => {}
            None => {
                let text = format!("dimension {} is `*`: {variable} says its size", dim + 1);
                return Err(Wrong::because(text));
            }
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_environment_says_sizes_of_stars() {
        let said = |variable: &str| match variable {
            "XMP_NODE_SIZE0" => Some("2".to_owned()),
            "XMP_NODE_SIZE2" => Some("many".to_owned()),
            "XMP_NODE_SIZE3" => Some("9".to_owned()),
            _ => None,
        };
        let after = |sizes: &[Size]| {
            let mut sizes = sizes.to_vec();
            sized_by(&mut sizes, 8, said).map(|()| sizes).map_err(|wrong| wrong.error().to_string())
        };
        let (star, three) = (Size::Star, Size::Nodes(3));
        assert_eq!(after(&[star, star]), Ok(vec![Size::Nodes(2), star]));
        assert_eq!(after(&[three, star]), Ok(vec![three, star]));
        assert_eq!(after(&[three, three]), Ok(vec![three, three]));
        assert!(after(&[three, star, three]).unwrap_err().contains("XMP_NODE_SIZE1 says its size"));
        assert!(after(&[three, three, star]).unwrap_err().contains("XMP_NODE_SIZE2 is \"many\""));
        assert!(after(&[star, three, three, star]).unwrap_err().contains("from 1 to 8"));
    }
}
