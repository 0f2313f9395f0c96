//! Handlers: functions of the front ends that run where the memory is. For a target on the same host the origin runs
//! them in place, for a remote one the server of its host does.

use crate::error::{Error, Result};
use crate::job::Job;
use crate::rank::Rank;
use std::sync::{PoisonError, RwLock};

/// The arguments of a handler.
#[derive(Clone, Copy, Debug)]
pub struct Served<'a> {
    /// The job, whose region has the segments of this host's images.
    pub job: &'a Job,
    /// The image that sent the request.
    pub origin: Rank,
    /// The image that the request is about, on this host.
    pub target: Rank,
}

/// Executes the request `payload` and appends the answer to `reply`. It must not wait, because other requests wait for
/// it. If it panics, the job ends.
pub type Function = fn(served: Served<'_>, payload: &[u8], reply: &mut Vec<u8>) -> Result<()>;

/// A function with its number, the same on all images.
#[derive(Clone, Copy, Debug)]
pub struct Handler {
    /// The number. Each front end has numbers of its own.
    pub number: u16,
    /// The function.
    pub run: Function,
}

/// The handlers of a process.
#[derive(Debug, Default)]
pub struct Handlers(RwLock<Vec<Handler>>);

impl Handlers {
    /// Registers a handler; called before the image announces that requests to it are possible.
    ///
    /// # Errors
    /// When the number is another function's.
    pub fn register(&self, handler: Handler) -> Result<()> {
        let mut all = self.0.write().unwrap_or_else(PoisonError::into_inner);
        match all.iter().find(|other| other.number == handler.number) {
            Some(other) if std::ptr::fn_addr_eq(other.run, handler.run) => Ok(()),
            Some(_) => {
                Err(Error::Invalid(format!("handler {} is registered twice", handler.number)))
            }
            None => {
                all.push(handler);
                Ok(())
            }
        }
    }

    /// The handler with this number.
    ///
    /// # Errors
    /// When there is none.
    pub fn get(&self, number: u16) -> Result<Handler> {
        let all = self.0.read().unwrap_or_else(PoisonError::into_inner);
        let handler = all.iter().find(|handler| handler.number == number).copied();
        handler.ok_or_else(|| Error::Invalid(format!("there is no handler {number}")))
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;

    #[test]
    fn a_number_is_one_function() {
        let handlers = Handlers::default();
        let first = Handler { number: 1, run: |_, _, _| Ok(()) };
        let second = Handler {
            number: 1,
            run: |_, _, reply| {
                reply.push(1);
                Ok(())
            },
        };
        handlers.register(first).unwrap();
        handlers.register(first).unwrap();
        assert!(handlers.register(second).unwrap_err().to_string().contains("handler 1"));
        assert!(handlers.get(2).unwrap_err().to_string().contains("handler 2"));
        assert_eq!(handlers.get(1).unwrap().number, 1);
    }
}
