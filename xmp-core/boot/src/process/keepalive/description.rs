//! The description of a host for the others, so that they can connect to it and name it.

use crate::process::descriptors::{TEXT, padded};
use crate::rank::Rank;
use crate::sockets::Card;

/// The description of a host.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Description {
    /// The addresses at which it listens, and its secret.
    pub card: Card,
    /// Its name, and its images.
    pub text: String,
}

impl Description {
    /// Bytes of a description.
    pub const BYTES: usize = Card::BYTES + TEXT;

    pub fn to_bytes(&self) -> [u8; Description::BYTES] {
        let mut bytes = [0; Description::BYTES];
        let (card, text) = bytes.split_at_mut(Card::BYTES);
        card.copy_from_slice(&self.card.to_bytes());
        text.copy_from_slice(&padded(&self.text));
        bytes
    }

    pub fn from_bytes(bytes: &[u8]) -> Description {
        let (card, text) = bytes.split_at(Card::BYTES);
        Description {
            card: Card::from_bytes(card),
            text: String::from_utf8_lossy(text).trim_end_matches('\0').to_owned(),
        }
    }
}

/// The text about a host: its name, and its images.
pub(super) fn text(name: &str, images: &[Rank]) -> String {
    let numbers = || images.iter().map(|rank| rank.image());
    let are_next = images.windows(2).all(|pair| pair[1].get() == pair[0].get() + 1);
    let list = match images {
        [] => return name.to_owned(),
        [one] => return format!("{name} ({one})"),
        [first, .., last] if are_next => format!("{} to {}", first.image(), last.image()),
        _ => numbers().map(|number| number.to_string()).collect::<Vec<_>>().join(", "),
    };
    // Long names come first: the end of the list is cut off.
    format!("{name} (images {list})")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_description_is_read_as_written() {
        let addresses = vec!["10.1.2.3".parse().unwrap(), "2001:db8::7".parse().unwrap()];
        let card = Card { port: 4711, secret: [5; 16], addresses };
        let description = Description { card, text: "beta (images 3 to 4)".into() };
        assert_eq!(Description::from_bytes(&description.to_bytes()), description);
        assert_eq!(
            Description::from_bytes(&Description::default().to_bytes()),
            Description::default()
        );
        let long = Description { text: "ä".repeat(100), ..description };
        assert_eq!(Description::from_bytes(&long.to_bytes()).text, "ä".repeat(TEXT / 2));
    }

    #[test]
    fn hosts_are_named_with_their_images() {
        let ranks = |numbers: &[u32]| numbers.iter().copied().map(Rank::new).collect::<Vec<_>>();
        assert_eq!(text("a", &ranks(&[4])), "a (image 5)");
        assert_eq!(text("a", &ranks(&[4, 5, 6])), "a (images 5 to 7)");
        assert_eq!(text("a", &ranks(&[0, 2, 4])), "a (images 1, 3, 5)");
        assert_eq!(text("a", &[]), "a");
    }
}
