//! Sizes of node arrays that the environment gives when the program starts.

use super::error::{DirectiveError, Outcome};
use xmp_core::global::{Kind, Size};
use xmp_core::settings::Settings;

/// Replaces `*` in the sizes of a declaration of nodes by the settings: `XMP_NODE_SIZE0` is the size of the first
/// dimension, if the declaration gives it as `*`, and so on. Only an array of all images may have more than one
/// `*`; its settings must give all sizes but the last.
///
/// # Errors
/// When a size is needed and not set, or is larger than the number of images.
pub fn sized(sizes: &mut [Size], kind: Kind, images: usize, settings: &Settings) -> Outcome {
    if kind != Kind::Entire {
        return Ok(());
    }
    let last = sizes.len().saturating_sub(1);
    for (dim, size) in sizes.iter_mut().enumerate().filter(|(_, size)| **size == Size::Star) {
        match settings.node_sizes.get(dim).copied().flatten() {
            Some(nodes) if nodes as usize <= images => *size = Size::Nodes(nodes as usize),
            Some(nodes) => {
                let text =
                    format!("XMP_NODE_SIZE{dim} is {nodes}, not a number from 1 to {images}");
                return Err(DirectiveError::because(text));
            }
            None if dim == last => {}
            None => {
                let text =
                    format!("dimension {} is `*`: XMP_NODE_SIZE{dim} says its size", dim + 1);
                return Err(DirectiveError::because(text));
            }
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn settings_give_the_sizes_of_stars() {
        let node_sizes = [Some(2), None, None, Some(9), None, None, None];
        let settings = Settings { node_sizes, ..Settings::default() };
        let after = |sizes: &[Size]| {
            let mut sizes = sizes.to_vec();
            sized(&mut sizes, Kind::Entire, 8, &settings)
                .map(|()| sizes)
                .map_err(|wrong| wrong.error().to_string())
        };
        let (star, three) = (Size::Star, Size::Nodes(3));
        assert_eq!(after(&[star, star]), Ok(vec![Size::Nodes(2), star]));
        assert_eq!(after(&[three, star]), Ok(vec![three, star]));
        assert_eq!(after(&[three, three]), Ok(vec![three, three]));
        assert!(after(&[three, star, three]).unwrap_err().contains("XMP_NODE_SIZE1 says its size"));
        let message = after(&[star, three, three, star]).unwrap_err();
        assert!(message.contains("XMP_NODE_SIZE3 is 9, not a number from 1 to 8"), "{message}");
    }
}
