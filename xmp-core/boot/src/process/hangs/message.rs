//! Messages between the processes that look for hangs, as bytes. All hosts have the same library.

use crate::launch::hang::{Question, Survey, Waiting, WaitingStatement};
use crate::rank::Rank;
use crate::wait::{EndedBy, Need, WaitKind};
use std::collections::{BTreeMap, BTreeSet};
use std::time::Duration;

/// A message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Message {
    /// The first image asks for the activities of the images of a host.
    Ask {
        /// Number of the question.
        round: u32,
        /// The question.
        question: Question,
    },
    /// The answer of a host.
    Found {
        /// Number of the question.
        round: u32,
        /// The activities of the images of this host.
        survey: Survey,
    },
    /// The images of a host whose waits have lasted, and the numbers of these waits.
    Waits(Vec<(Rank, u32)>),
    /// The first image has got these.
    Heard,
    /// The last message.
    Goodbye,
}

/// First words of messages.
mod kind {
    pub const ASK: u32 = 1;
    pub const FOUND: u32 = 2;
    pub const WAITS: u32 = 3;
    pub const GOODBYE: u32 = 4;
    pub const HEARD: u32 = 5;
}

impl Message {
    /// The bytes that [`Message::read`] reads.
    pub(super) fn to_bytes(&self) -> Vec<u8> {
        let mut writer = Writer::default();
        match self {
            Message::Ask { round, question } => {
                let Question { statements, variables, processes, limit, in_haste } = *question;
                let flags = [statements, variables, processes, in_haste].map(u32::from);
                writer.words([kind::ASK, *round]);
                writer.words(flags);
                writer.duration(limit);
            }
            Message::Found { round, survey } => {
                writer.words([kind::FOUND, *round]);
                writer.survey(survey);
            }
            Message::Waits(waits) => {
                writer.words([kind::WAITS]);
                writer.list(waits, |writer, &(rank, number)| writer.words([rank.get(), number]));
            }
            Message::Heard => writer.words([kind::HEARD]),
            Message::Goodbye => writer.words([kind::GOODBYE]),
        }
        writer.0
    }

    /// Reads a message; `None` for bytes that are none.
    pub(super) fn read(bytes: &[u8]) -> Option<Message> {
        let mut reader = Reader(bytes);
        let message = match reader.word()? {
            kind::ASK => Message::Ask {
                round: reader.word()?,
                question: Question {
                    statements: reader.word()? != 0,
                    variables: reader.word()? != 0,
                    processes: reader.word()? != 0,
                    in_haste: reader.word()? != 0,
                    limit: reader.duration()?,
                },
            },
            kind::FOUND => Message::Found { round: reader.word()?, survey: reader.survey()? },
            kind::WAITS => {
                Message::Waits(reader.list(|reader| Some((reader.rank()?, reader.word()?)))?)
            }
            kind::HEARD => Message::Heard,
            kind::GOODBYE => Message::Goodbye,
            _ => return None,
        };
        reader.0.is_empty().then_some(message)
    }
}

/// Writes values, one after the other, little endian.
#[derive(Debug, Default)]
struct Writer(Vec<u8>);

impl Writer {
    fn words<const N: usize>(&mut self, words: [u32; N]) {
        self.0.extend(words.iter().flat_map(|word| word.to_le_bytes()));
    }

    fn long(&mut self, value: u64) {
        self.0.extend(value.to_le_bytes());
    }

    fn duration(&mut self, duration: Duration) {
        self.long(duration.as_nanos() as u64);
    }

    fn text(&mut self, text: &str) {
        self.words([text.len() as u32]);
        self.0.extend_from_slice(text.as_bytes());
    }

    /// The number of the values, then each.
    fn list<T>(
        &mut self,
        values: impl IntoIterator<Item = T, IntoIter: ExactSizeIterator>,
        write: impl Fn(&mut Writer, T),
    ) {
        let values = values.into_iter();
        self.words([values.len() as u32]);
        values.for_each(|value| write(self, value));
    }

    fn survey(&mut self, Survey { waits, others, views }: &Survey) {
        self.list(waits, |writer, (rank, waiting)| {
            writer.words([rank.get()]);
            writer.waiting(waiting);
        });
        self.list(others, |writer, (rank, state)| {
            writer.words([rank.get()]);
            writer.text(state);
        });
        self.list(views, |writer, &view| writer.long(view));
    }

    fn waiting(&mut self, Waiting { number, need, since, statement }: &Waiting) {
        let Need { kind, by, images, posts, background, barrier } = need;
        self.words([*number, *kind as u32, *by as u32]);
        for images in [images, background] {
            self.list(images, |writer, image| writer.words([image.get()]));
        }
        [*posts, barrier[0], barrier[1]].into_iter().for_each(|value| self.long(value));
        self.duration(*since);
        self.list(statement.as_slice(), |writer, waited| {
            let WaitingStatement { operation, variable, place, acts_only_by_its_wait } = waited;
            writer.text(operation);
            writer.list(variable.as_slice(), |writer, variable| writer.text(variable));
            writer.list(place.as_slice(), |writer, place| writer.text(place));
            writer.words([(*acts_only_by_its_wait).into()]);
        });
    }
}

/// Reads the bytes of a [`Writer`]. Each function returns `None` where the bytes end too early.
#[derive(Debug)]
struct Reader<'a>(&'a [u8]);

impl Reader<'_> {
    fn word(&mut self) -> Option<u32> {
        let (word, rest) = self.0.split_first_chunk()?;
        self.0 = rest;
        Some(u32::from_le_bytes(*word))
    }

    fn long(&mut self) -> Option<u64> {
        let (value, rest) = self.0.split_first_chunk()?;
        self.0 = rest;
        Some(u64::from_le_bytes(*value))
    }

    fn rank(&mut self) -> Option<Rank> {
        self.word().map(Rank::new)
    }

    fn duration(&mut self) -> Option<Duration> {
        self.long().map(Duration::from_nanos)
    }

    fn text(&mut self) -> Option<String> {
        let len = self.word()? as usize;
        let (text, rest) = self.0.split_at_checked(len)?;
        self.0 = rest;
        String::from_utf8(text.to_vec()).ok()
    }

    fn list<T, L: FromIterator<T>>(
        &mut self,
        mut read: impl FnMut(&mut Self) -> Option<T>,
    ) -> Option<L> {
        let count = self.word()?;
        (0..count).map(|_| read(self)).collect()
    }

    fn survey(&mut self) -> Option<Survey> {
        let waits: BTreeMap<Rank, Waiting> =
            self.list(|reader| Some((reader.rank()?, reader.waiting()?)))?;
        let others: BTreeMap<Rank, String> =
            self.list(|reader| Some((reader.rank()?, reader.text()?)))?;
        let views: BTreeSet<u64> = self.list(Reader::long)?;
        Some(Survey { waits, others, views })
    }

    fn waiting(&mut self) -> Option<Waiting> {
        let number = self.word()?;
        let need = Need {
            kind: WaitKind::from_u32(self.word()?),
            by: EndedBy::from_u32(self.word()?),
            images: self.list(Reader::rank)?,
            background: self.list(Reader::rank)?,
            posts: self.long()?,
            barrier: [self.long()?, self.long()?],
        };
        let since = self.duration()?;
        let statement: Vec<WaitingStatement> = self.list(|reader| {
            let operation = reader.text()?;
            let variable: Vec<String> = reader.list(Reader::text)?;
            let place: Vec<String> = reader.list(Reader::text)?;
            let acts_only_by_its_wait = reader.word()? != 0;
            Some(WaitingStatement {
                operation,
                variable: variable.into_iter().next(),
                place: place.into_iter().next(),
                acts_only_by_its_wait,
            })
        })?;
        Some(Waiting { number, need, since, statement: statement.into_iter().next() })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn some_messages() -> Vec<Message> {
        let waited = WaitingStatement {
            operation: "event wait".into(),
            variable: Some("ready(3)".into()),
            place: Some("heat.f90:21".into()),
            acts_only_by_its_wait: true,
        };
        let need = Need {
            posts: 3,
            background: [70_001].map(Rank::new).into_iter().collect(),
            barrier: [64, 5],
            ..Need::all_of(WaitKind::Lock, [0, 70_000].map(Rank::new))
        };
        let waiting = |statement| Waiting {
            number: 7,
            need: need.clone(),
            since: Duration::from_micros(1_234_567),
            statement,
        };
        let without_place = WaitingStatement {
            variable: None,
            place: None,
            acts_only_by_its_wait: false,
            ..waited.clone()
        };
        let waits = [Some(waited), Some(without_place), None].map(waiting);
        let survey = Survey {
            waits: (0..).map(Rank::new).zip(waits).collect(),
            others: [(Rank::new(9), "runs".into())].into(),
            views: [3, u64::MAX].into(),
        };
        let question = Question {
            statements: true,
            variables: true,
            processes: true,
            limit: Duration::from_millis(50),
            in_haste: false,
        };
        vec![
            Message::Ask { round: u32::MAX, question },
            Message::Ask {
                round: 0,
                question: Question {
                    variables: false,
                    processes: false,
                    in_haste: true,
                    ..question
                },
            },
            Message::Found { round: 2, survey },
            Message::Found { round: 3, survey: Survey::default() },
            Message::Waits(vec![(Rank::new(1), 5), (Rank::new(2), 1)]),
            Message::Waits(Vec::new()),
            Message::Heard,
            Message::Goodbye,
        ]
    }

    #[test]
    fn written_messages_are_read_again_and_shortened_ones_are_not() {
        for message in some_messages() {
            let bytes = message.to_bytes();
            assert_eq!(Message::read(&bytes), Some(message));
            assert!((0..bytes.len()).all(|len| Message::read(&bytes[..len]).is_none()));
            assert_eq!(Message::read(&[&bytes[..], &[0]].concat()), None);
        }
    }

    proptest! {
        /// Any bytes: read or refused, never a panic.
        #[test]
        fn any_bytes(mut bytes in prop::collection::vec(any::<u8>(), 4..120), kind in 0u32..7) {
            bytes[..4].copy_from_slice(&kind.to_le_bytes());
            let _ = Message::read(&bytes);
        }
    }
}
