//! The settings of the communication server.

use super::Setting;
use super::value::{bytes, count, microseconds, optional};
use crate::cooperation::{Mode, Wish};
use crate::error::Result;
use crate::server::Limits;
use std::time::Duration;

/// Their rows of the table.
pub const ROWS: [Setting; 12] = [
    Setting {
        name: "XMP_SERVER_INLINE",
        default: "16K",
        meaning: "bytes of a put, or of an answer, up to which they travel between hosts in one message, copied at both \
                  ends; what is longer is received where it belongs (bytes, or K, M; at most 16M)",
    },
    Setting {
        name: "XMP_SERVER_CREDITS",
        default: "64",
        meaning: "requests of one image that may be on their way to one other host",
    },
    Setting {
        name: "XMP_SERVER_CHUNK",
        default: "1M",
        meaning: "bytes of each message of a longer transfer between hosts (bytes, or K, M; at most 1G)",
    },
    Setting {
        name: "XMP_SERVER_PIPELINE",
        default: "4",
        meaning: "messages of a longer transfer between hosts that are on their way at once",
    },
    Setting {
        name: "XMP_SERVER_NAP",
        default: "50",
        meaning: "microseconds that a communication server with nothing to do sleeps between two looks",
    },
    Setting {
        name: "XMP_COOPERATION",
        default: "by the number of images and hosts",
        meaning: "way of requests between hosts: direct, forwarding (by a member of a group of hosts), or aggregation (which \
                  merges those for one host)",
    },
    Setting {
        name: "XMP_COOPERATION_GROUP",
        default: "about the root of the number of hosts",
        meaning: "least number of hosts in a group",
    },
    Setting {
        name: "XMP_COOPERATION_WINDOW",
        default: "2000",
        meaning: "microseconds that a request is held at most to be merged with others, while its target is busy",
    },
    Setting {
        name: "XMP_MPI_RMA",
        default: "never",
        meaning: "always: long contiguous transfers between hosts by MPI's one-sided operations, for networks that do \
                  those in hardware; never: by messages, which are as fast or faster over TCP",
    },
    Setting {
        name: "XMP_MPI_GUARD",
        default: "1",
        meaning: "0: the process that a launcher of MPI starts is the image itself, without a parent that says how it has \
                  died, and hosts that go are not named (for tools that look at processes by their numbers)",
    },
    Setting {
        name: "XMP_HOST_TIMEOUT",
        default: "90",
        meaning: "seconds without an answer after which a host is taken for lost and the job ends: longer than the outages of \
                  the network that MPI gets over (from 2 to 28800)",
    },
    Setting {
        name: "XMP_MPI_BIND",
        default: "1, unless the launcher was told how to bind",
        meaning: "0: images under MPI run wherever the launcher lets them, also where each could have a processor of its own \
                  (MPICH's launcher does not tell that it was given -bind-to none)",
    },
];

/// Reads them.
///
/// # Errors
/// [`crate::Error::Setting`].
pub fn limits(get: impl Fn(&'static str) -> Result<Option<String>> + Copy) -> Result<Limits> {
    let default = Limits::default();
    Ok(Limits {
        inline: optional("XMP_SERVER_INLINE", get, |v| bytes(v, 1..=16 << 20))?
            .unwrap_or(default.inline),
        credits: optional("XMP_SERVER_CREDITS", get, |v| count(v, 1))?.unwrap_or(default.credits),
        chunk: optional("XMP_SERVER_CHUNK", get, |v| bytes(v, 64..=1 << 30))?
            .unwrap_or(default.chunk),
        pipeline: optional("XMP_SERVER_PIPELINE", get, |v| count(v, 1))?
            .unwrap_or(default.pipeline),
        payload: default.payload,
        nap: optional("XMP_SERVER_NAP", get, microseconds)?.unwrap_or(default.nap),
        cooperation: Wish {
            mode: optional("XMP_COOPERATION", get, mode)?,
            group: optional("XMP_COOPERATION_GROUP", get, |v| count(v, 1))?,
            window: optional("XMP_COOPERATION_WINDOW", get, microseconds)?,
        },
    })
}

fn mode(text: &str) -> std::result::Result<Mode, String> {
    let known = Mode::ALL.into_iter().find(|(name, _)| *name == text);
    known.map(|(_, mode)| mode).ok_or_else(|| "direct, forwarding or aggregation".to_string())
}

/// How long a host may be silent.
pub const HOST_TIMEOUT: Duration = Duration::from_secs(90);

/// Reads how long a host may be silent.
///
/// # Errors
/// [`crate::Error::Setting`].
pub fn host_timeout(
    get: impl Fn(&'static str) -> Result<Option<String>> + Copy,
) -> Result<Duration> {
    let parse = |text: &str| {
        let seconds = text.parse().ok().filter(|seconds| (2..=28800).contains(seconds));
        seconds.map(Duration::from_secs).ok_or_else(|| "seconds from 2 to 28800".to_string())
    };
    Ok(optional("XMP_HOST_TIMEOUT", get, parse)?.unwrap_or(HOST_TIMEOUT))
}

/// Reads whether one-sided operations of MPI are used.
///
/// # Errors
/// [`crate::Error::Setting`].
pub fn one_sided(get: impl Fn(&'static str) -> Result<Option<String>> + Copy) -> Result<bool> {
    let parse = |text: &str| match text {
        "always" => Ok(true),
        "never" => Ok(false),
        _ => Err("always or never".to_string()),
    };
    Ok(optional("XMP_MPI_RMA", get, parse)?.unwrap_or(false))
}
