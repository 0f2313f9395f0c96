//! Messages between the launcher and its proxies: frames of a length, a kind and fields.

use std::ffi::OsString;
use std::io::{self, ErrorKind, Read, Write};
use std::os::unix::ffi::{OsStrExt, OsStringExt};

/// Longest frame that is received.
const LONGEST: u32 = 256 << 20;

/// Names and values of a process manager's store.
pub(super) type Values = Vec<(String, String)>;

/// The first message to a proxy.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Setup {
    /// The number of its host.
    pub host: u32,
    /// The hosts that it starts proxies on, by their numbers and names: a part of a tree.
    pub below: Vec<(u32, String)>,
    /// The command that reaches these, and how many of them it starts itself.
    pub reach: Vec<String>,
    pub fan_out: u32,
    /// The path of `xmprun`.
    pub program: OsString,
    /// Whether the launcher needs the number of its cores.
    pub counts_cores: bool,
    /// Seconds without an answer after which a host is taken for lost.
    pub silence: u32,
}

/// The job that proxies start images of.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Job {
    /// Number of images.
    pub images: u32,
    /// Each host's first image and how many it has, by the numbers of the hosts.
    pub parts: Vec<(u32, u32)>,
    /// The secret of the job. Only its processes know it.
    pub secret: Vec<u8>,
    /// The directory in which the program runs; the program, and its arguments.
    pub directory: OsString,
    pub command: Vec<OsString>,
    /// The program's own environment.
    pub environment: Vec<(OsString, OsString)>,
    /// The command that is started instead of the program on some images, or on all if none is named.
    pub wrapper: Vec<OsString>,
    pub wrapped: Vec<u32>,
    /// The binding of images, in words of the command line.
    pub binding: String,
    /// Whether beginnings of lines are left until their ends come.
    pub whole_lines: bool,
}

/// A message of the launcher to all proxies.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Down {
    Setup(Setup),
    Job(Job),
    /// All images have met; the values that they published before.
    Release(Values),
    /// A signal for all images.
    Signal(i32),
    /// Standard input of the first image; empty at its end.
    Input(Vec<u8>),
    /// The images that are left are killed.
    Kill,
    /// The stacks of all images are asked for, by a question with this number.
    Stacks(u32),
}

/// A message of a proxy to the launcher.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Up {
    /// It is there: its version, the name of its host, and its cores.
    Hello { host: u32, version: String, name: String, cores: u32 },
    /// It cannot start its images: the exit status of the job, and why.
    Refused { host: u32, status: i32, text: String },
    /// A proxy that it has started does not answer, or no more, and why.
    Lost { host: u32, text: String },
    /// Lines of an image; `is_error`: of standard error.
    Output { rank: u32, is_error: bool, text: Vec<u8> },
    /// The standard input that was sent is in the first image's pipe.
    InputTaken,
    /// An image of the host waits for all others.
    Waits { host: u32 },
    /// All images of the host do, and have published these values.
    Met { host: u32, values: Values },
    /// An image ends the job with this status.
    Aborted { rank: u32, status: i32 },
    /// An image has ended; `has_left`: it needs the others no more, or never did.
    Ended { rank: u32, status: i32, has_left: bool },
    /// All images of the host have ended, and nothing of them is left.
    Done { host: u32 },
    /// The stack of an image of the host, as the debugger has written it, for the question with this number.
    Stack { question: u32, host: u32, image: u32, process: u32, text: String, errors: String },
    /// All stacks of the host were sent.
    Stacks { question: u32, host: u32 },
}

/// Writes fields.
#[derive(Debug, Default)]
struct Fields(Vec<u8>);

impl Fields {
    fn number(&mut self, number: u32) -> &mut Fields {
        self.0.extend(number.to_le_bytes());
        self
    }

    fn bytes(&mut self, bytes: impl AsRef<[u8]>) -> &mut Fields {
        let bytes = bytes.as_ref();
        self.number(bytes.len() as u32).0.extend_from_slice(bytes);
        self
    }

    fn list<T>(&mut self, list: &[T], mut each: impl FnMut(&mut Fields, &T)) -> &mut Fields {
        self.number(list.len() as u32);
        list.iter().for_each(|one| each(self, one));
        self
    }

    fn values(&mut self, values: &Values) -> &mut Fields {
        self.list(values, |fields, (name, value)| _ = fields.bytes(name).bytes(value))
    }

    fn texts(&mut self, texts: &[OsString]) -> &mut Fields {
        self.list(texts, |fields, text| _ = fields.bytes(text.as_bytes()))
    }
}

/// Reads fields; `None` where there are none.
#[derive(Debug)]
struct Rest<'a>(&'a [u8]);

impl<'a> Rest<'a> {
    fn number(&mut self) -> Option<u32> {
        let (number, rest) = self.0.split_first_chunk::<4>()?;
        self.0 = rest;
        Some(u32::from_le_bytes(*number))
    }

    fn bytes(&mut self) -> Option<&'a [u8]> {
        let len = self.number()? as usize;
        let (bytes, rest) = self.0.split_at_checked(len)?;
        self.0 = rest;
        Some(bytes)
    }

    fn text(&mut self) -> Option<String> {
        String::from_utf8(self.bytes()?.to_vec()).ok()
    }

    fn words(&mut self) -> Option<OsString> {
        Some(OsString::from_vec(self.bytes()?.to_vec()))
    }

    fn list<T>(&mut self, mut each: impl FnMut(&mut Rest<'a>) -> Option<T>) -> Option<Vec<T>> {
        let count = self.number()?;
        (0..count).map(|_| each(self)).collect()
    }

    fn values(&mut self) -> Option<Values> {
        self.list(|rest| Some((rest.text()?, rest.text()?)))
    }
}

impl Down {
    fn to_bytes(&self) -> Vec<u8> {
        let mut fields = Fields::default();
        match self {
            Down::Setup(Setup { host, below, reach, fan_out, program, counts_cores, silence }) => {
                fields
                    .number(0)
                    .number(*host)
                    .list(below, |fields, (host, name)| _ = fields.number(*host).bytes(name))
                    .list(reach, |fields, word| _ = fields.bytes(word))
                    .number(*fan_out)
                    .bytes(program.as_bytes())
                    .number((*counts_cores).into())
                    .number(*silence)
            }
            Down::Job(job) => fields
                .number(1)
                .number(job.images)
                .list(&job.parts, |fields, (first, count)| _ = fields.number(*first).number(*count))
                .bytes(&job.secret)
                .bytes(job.directory.as_bytes())
                .texts(&job.command)
                .list(&job.environment, |fields, (name, value)| {
                    fields.bytes(name.as_bytes()).bytes(value.as_bytes());
                })
                .texts(&job.wrapper)
                .list(&job.wrapped, |fields, image| _ = fields.number(*image))
                .bytes(&job.binding)
                .number(job.whole_lines.into()),
            Down::Release(values) => fields.number(2).values(values),
            Down::Signal(number) => fields.number(3).number(*number as u32),
            Down::Input(bytes) => fields.number(4).bytes(bytes),
            Down::Kill => fields.number(5),
            Down::Stacks(question) => fields.number(6).number(*question),
        };
        fields.0
    }

    fn from_bytes(bytes: &[u8]) -> Option<Down> {
        let mut rest = Rest(bytes);
        Some(match rest.number()? {
            0 => Down::Setup(Setup {
                host: rest.number()?,
                below: rest.list(|rest| Some((rest.number()?, rest.text()?)))?,
                reach: rest.list(Rest::text)?,
                fan_out: rest.number()?,
                program: rest.words()?,
                counts_cores: rest.number()? != 0,
                silence: rest.number()?,
            }),
            1 => Down::Job(Job {
                images: rest.number()?,
                parts: rest.list(|rest| Some((rest.number()?, rest.number()?)))?,
                secret: rest.bytes()?.to_vec(),
                directory: rest.words()?,
                command: rest.list(Rest::words)?,
                environment: rest.list(|rest| Some((rest.words()?, rest.words()?)))?,
                wrapper: rest.list(Rest::words)?,
                wrapped: rest.list(Rest::number)?,
                binding: rest.text()?,
                whole_lines: rest.number()? != 0,
            }),
            2 => Down::Release(rest.values()?),
            3 => Down::Signal(rest.number()? as i32),
            4 => Down::Input(rest.bytes()?.to_vec()),
            5 => Down::Kill,
            6 => Down::Stacks(rest.number()?),
            _ => return None,
        })
    }
}

impl Up {
    fn to_bytes(&self) -> Vec<u8> {
        let mut fields = Fields::default();
        match self {
            // The first frame. It stays as it is in all versions.
            Up::Hello { host, version, name, cores } => {
                fields.number(0).number(*host).bytes(version).bytes(name).number(*cores)
            }
            Up::Refused { host, status, text } => {
                fields.number(1).number(*host).number(*status as u32).bytes(text)
            }
            Up::Lost { host, text } => fields.number(2).number(*host).bytes(text),
            Up::Output { rank, is_error, text } => {
                fields.number(3).number(*rank).number((*is_error).into()).bytes(text)
            }
            Up::InputTaken => fields.number(4),
            Up::Waits { host } => fields.number(5).number(*host),
            Up::Met { host, values } => fields.number(6).number(*host).values(values),
            Up::Aborted { rank, status } => fields.number(7).number(*rank).number(*status as u32),
            Up::Ended { rank, status, has_left } => {
                fields.number(8).number(*rank).number(*status as u32).number((*has_left).into())
            }
            Up::Done { host } => fields.number(9).number(*host),
            Up::Stack { question, host, image, process, text, errors } => {
                [10, *question, *host, *image, *process].iter().for_each(|&number| {
                    fields.number(number);
                });
                fields.bytes(text).bytes(errors)
            }
            Up::Stacks { question, host } => fields.number(11).number(*question).number(*host),
        };
        fields.0
    }

    fn from_bytes(bytes: &[u8]) -> Option<Up> {
        let mut rest = Rest(bytes);
        Some(match rest.number()? {
            0 => Up::Hello {
                host: rest.number()?,
                version: rest.text()?,
                name: rest.text()?,
                cores: rest.number()?,
            },
            1 => Up::Refused {
                host: rest.number()?,
                status: rest.number()? as i32,
                text: rest.text()?,
            },
            2 => Up::Lost { host: rest.number()?, text: rest.text()? },
            3 => Up::Output {
                rank: rest.number()?,
                is_error: rest.number()? != 0,
                text: rest.bytes()?.to_vec(),
            },
            4 => Up::InputTaken,
            5 => Up::Waits { host: rest.number()? },
            6 => Up::Met { host: rest.number()?, values: rest.values()? },
            7 => Up::Aborted { rank: rest.number()?, status: rest.number()? as i32 },
            8 => Up::Ended {
                rank: rest.number()?,
                status: rest.number()? as i32,
                has_left: rest.number()? != 0,
            },
            9 => Up::Done { host: rest.number()? },
            10 => Up::Stack {
                question: rest.number()?,
                host: rest.number()?,
                image: rest.number()?,
                process: rest.number()?,
                text: rest.text()?,
                errors: rest.text()?,
            },
            11 => Up::Stacks { question: rest.number()?, host: rest.number()? },
            _ => return None,
        })
    }
}

/// Sends a frame to a proxy.
///
/// # Errors
/// Those of the connection.
pub(super) fn send_down(to: &mut impl Write, frame: &Down) -> io::Result<()> {
    send(to, &frame.to_bytes())
}

/// Sends a frame to the launcher.
///
/// # Errors
/// Those of the connection.
pub(super) fn send_up(to: &mut impl Write, frame: &Up) -> io::Result<()> {
    send(to, &frame.to_bytes())
}

/// Receives a frame of the launcher.
///
/// # Errors
/// Those of the connection; or when it is no frame.
pub(super) fn receive_down(from: &mut impl Read) -> io::Result<Down> {
    Down::from_bytes(&receive(from)?).ok_or_else(|| ErrorKind::InvalidData.into())
}

/// Receives a frame of a proxy.
///
/// # Errors
/// Those of the connection; or when it is no frame.
pub(super) fn receive_up(from: &mut impl Read) -> io::Result<Up> {
    Up::from_bytes(&receive(from)?).ok_or_else(|| ErrorKind::InvalidData.into())
}

fn send(to: &mut impl Write, bytes: &[u8]) -> io::Result<()> {
    to.write_all(&[&(bytes.len() as u32).to_le_bytes()[..], bytes].concat())?;
    to.flush()
}

fn receive(from: &mut impl Read) -> io::Result<Vec<u8>> {
    let mut len = [0; 4];
    from.read_exact(&mut len)?;
    let len = u32::from_le_bytes(len);
    if len > LONGEST {
        return Err(ErrorKind::InvalidData.into());
    }
    let mut bytes = Vec::new();
    from.take(len.into()).read_to_end(&mut bytes)?;
    if bytes.len() == len as usize { Ok(bytes) } else { Err(ErrorKind::UnexpectedEof.into()) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn frames_are_read_as_written() {
        let values = vec![("a".to_owned(), "b c".to_owned())];
        let setup = Setup {
            host: 3,
            below: vec![(4, "b".into())],
            reach: vec!["ssh".into(), "-q".into()],
            fan_out: 32,
            program: "/x y/xmprun".into(),
            counts_cores: true,
            silence: 90,
        };
        let job = Job {
            images: 5,
            parts: vec![(0, 3), (3, 2)],
            secret: vec![1, 2],
            directory: "/d".into(),
            command: vec!["./a".into(), String::new().into()],
            environment: vec![("A".into(), "=\n".into())],
            wrapper: vec!["valgrind".into()],
            wrapped: vec![2],
            binding: "core".into(),
            whole_lines: true,
        };
        let down = [
            Down::Setup(setup),
            Down::Job(job),
            Down::Release(values.clone()),
            Down::Signal(15),
            Down::Input(vec![0, 1]),
            Down::Kill,
            Down::Stacks(3),
        ];
        let up = [
            Up::Hello { host: 1, version: "1".into(), name: "n".into(), cores: 4 },
            Up::Refused { host: 1, status: 127, text: "no".into() },
            Up::Lost { host: 2, text: "gone".into() },
            Up::Output { rank: 7, is_error: true, text: b"x\n".to_vec() },
            Up::InputTaken,
            Up::Waits { host: 0 },
            Up::Met { host: 1, values },
            Up::Aborted { rank: 2, status: 9 },
            Up::Ended { rank: 2, status: 256, has_left: true },
            Up::Done { host: 1 },
            Up::Stack {
                question: 3,
                host: 1,
                image: 8,
                process: 99,
                text: "#0 main".into(),
                errors: String::new(),
            },
            Up::Stacks { question: 3, host: 1 },
        ];
        let mut bytes = Vec::new();
        down.iter().for_each(|frame| send_down(&mut bytes, frame).unwrap());
        up.iter().for_each(|frame| send_up(&mut bytes, frame).unwrap());
        let from = &mut bytes.as_slice();
        down.iter().for_each(|frame| assert_eq!(receive_down(from).unwrap(), *frame));
        up.iter().for_each(|frame| assert_eq!(receive_up(from).unwrap(), *frame));
        assert_eq!(receive_up(from).unwrap_err().kind(), ErrorKind::UnexpectedEof);
    }

    #[test]
    fn what_is_no_frame_is_an_error() {
        for bytes in
            [&b"Welcome to the machine room"[..], &[1, 0, 0, 0, 9], &[4, 0, 0, 0, 99, 0, 0, 0]]
        {
            assert!(receive_up(&mut &*bytes).is_err());
            assert!(receive_down(&mut &*bytes).is_err());
        }
        // Longer than it says.
        assert!(Down::from_bytes(&[4, 0, 0, 0, 9, 0, 0, 0, 1]).is_none());
    }
}
