//! Jobs on several hosts: `xmprun` starts a proxy of itself on each of them, which starts the images there. Read `README.md` beside
//! this file first.
//!
//! | subject | module |
//! |---|---|
//! | the hosts of a job: the command line, files, schedulers | `list`, `allocation` |
//! | the start of proxies, and its failures | `reach`, `children` |
//! | the messages of launcher and proxies | `frame` |
//! | the launcher | `run` |
//! | stacks of images | `stack_text` |
//! | a proxy; its images: how they start, with which environment, where their output goes | `proxy`, `images`, `start`, `environment`, `output` |
//! | the process manager of the images | `store` |

mod allocation;
mod children;
mod environment;
mod frame;
mod images;
mod list;
mod output;
mod proxy;
mod reach;
mod run;
mod stack_text;
mod start;
mod store;

pub use allocation::{Allocation, Reach, allocation};
pub use list::{HostSlots, from_file, from_option};
pub use proxy::{Surroundings, serve};
pub use reach::OPTION;
pub use run::{Hosts, ask_for_stacks, is_here, run};
pub use stack_text::StackText;
