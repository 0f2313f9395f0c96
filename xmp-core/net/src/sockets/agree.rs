//! The agreement of all images while connections are made.

use super::keyed::Secret;
use crate::error::{Error, Result};
use crate::plugin::{Plugin, Scope};
use crate::rank::Rank;
use std::result;

/// Bytes of a text that says why an image has no connections. Of a longer one, others learn the beginning.
const REASON: usize = 256;

/// An exchange between all images of a job.
pub(crate) trait Exchange {
    /// The bytes of all images, in order of rank. All pass equally many.
    fn allgather(&self, mine: &[u8]) -> Result<Vec<u8>>;

    /// The name of this image's host.
    fn host_name(&self) -> String;

    /// A secret that all images share, if they do.
    fn secret(&self) -> Option<Secret> {
        None
    }

    /// Whether an image is known to be on this image's machine.
    fn is_here(&self, _image: Rank) -> bool {
        false
    }
}

impl Exchange for Plugin {
    fn allgather(&self, mine: &[u8]) -> Result<Vec<u8>> {
        Plugin::allgather(self, Scope::ALL, mine)
    }

    fn host_name(&self) -> String {
        Plugin::host_name(self)
    }
}

/// Why there are no connections.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Refusal {
    /// An image cannot make its own. All images have the same text: that image, its host, and why.
    Reason(String),
    /// The exchange between the images has failed.
    Exchange(Error),
}

impl From<Error> for Refusal {
    fn from(error: Error) -> Refusal {
        Refusal::Exchange(error)
    }
}

/// What the image `me` has made if all images have made theirs.
///
/// # Errors
/// When one has not: for the reason of the first of them. When the exchange fails.
pub(super) fn agree<T>(
    exchange: &dyn Exchange,
    me: Rank,
    made: result::Result<T, String>,
) -> result::Result<T, Refusal> {
    let all = exchange.allgather(&[made.is_ok().into()])?;
    let Some(first) = all.iter().position(|&is_made| is_made == 0) else {
        return made.map_err(Refusal::Reason);
    };
    let mut mine = [0; REASON];
    if let Err(why) = &made {
        let text = format!("{me} on {}: {why}", exchange.host_name());
        for (to, from) in mine.iter_mut().zip(text.bytes()) {
            *to = from;
        }
    }
    let texts = exchange.allgather(&mine)?;
    let text = texts[first * REASON..][..REASON].split(|&byte| byte == 0).next();
    Err(Refusal::Reason(String::from_utf8_lossy(text.unwrap_or_default()).into_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sockets::in_threads::{Meeting, Member};
    use std::thread;

    /// What images get that have made this.
    fn agreed(made: &[result::Result<u32, String>]) -> Vec<result::Result<u32, Refusal>> {
        let meeting = Meeting::new(made.len());
        thread::scope(|scope| {
            let image = |(rank, made): (usize, &result::Result<u32, String>)| {
                let member = Member { meeting: meeting.clone(), rank };
                let made = made.clone();
                scope.spawn(move || agree(&member, Rank::new(rank as u32), made))
            };
            let images: Vec<_> = made.iter().enumerate().map(image).collect();
            images.into_iter().map(|image| image.join().unwrap()).collect()
        })
    }

    #[test]
    fn each_image_has_what_it_has_made_if_all_have_made_it() {
        let made = [Ok(5), Ok(6), Ok(7)];
        assert_eq!(agreed(&made), [Ok(5), Ok(6), Ok(7)]);
    }

    #[test]
    fn all_images_learn_why_the_first_one_has_nothing() {
        let found = agreed(&[Ok(5), Err("no room".into()), Ok(7), Err("no way".into())]);
        let reason = Refusal::Reason("image 2 on host-1: no room".into());
        assert_eq!(found, vec![Err(reason); 4]);
    }

    #[test]
    fn a_long_reason_is_cut_wherever_its_characters_end() {
        for shift in ["", "x"] {
            let why = format!("{shift}{}", "é".repeat(REASON));
            let found = agreed(&[Err(why.clone()), Ok(1)]);
            let Err(Refusal::Reason(text)) = &found[0] else { panic!("{found:?}") };
            assert!(text.starts_with(&format!("image 1 on host-0: {shift}éé")), "{text}");
            assert_eq!(found[0], found[1]);
        }
    }
}
