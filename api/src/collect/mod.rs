//! Collecting: what the public routes stand on. Made for a rush: a million links are sent, and thousands of people open
//! theirs at once.
//!
//! - `links`: what a token opens, remembered for a moment, and the pages prepared for it.
//! - `commit`: views and answers that arrive together share a commit.
//! - `bell`: telling the workers that there is something to count.
//!
//! What an answer must be is judged in `domain`, what is stored in `store`.

mod bell;
mod commit;
mod links;

use domain::link::Token;
use platform::backends::Backends;
use platform::config::Config;
use uuid::Uuid;

pub use self::bell::Bell;
pub use self::commit::{Answers, Committer, Views};
pub use self::links::{Links, NoLink, Opened};
use crate::body::Buffers;
use crate::rate::Rate;

/// What collects, once a process.
pub struct Collect {
    pub links: Links,
    pub answers: Committer<Answers>,
    pub views: Committer<Views>,
    /// Rung for a form once something of it was committed.
    pub bell: Bell,
    /// The memory of what people send; programs with keys have theirs.
    pub buffers: Buffers,
    /// Public requests of each link.
    pub link_rate: Rate<Uuid>,
    public_url: String,
}

impl Collect {
    /// Starts the tasks that commit and ring; they end with the process.
    pub fn start(config: &Config, backends: &Backends) -> Self {
        let bell = Bell::hang(backends.queue.clone());
        Self {
            links: Links::new(),
            answers: Committer::start(&backends.store, &bell),
            views: Committer::start(&backends.store, &bell),
            bell,
            buffers: Buffers::new(),
            link_rate: Rate::new(config.link_rate, "this link may be asked for"),
            public_url: config.public_url.as_str().to_owned(),
        }
    }

    /// What is sent to people.
    pub fn url(&self, token: &Token) -> String {
        format!("{}/f/{token}", self.public_url)
    }
}
