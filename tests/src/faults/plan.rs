//! The dice, and the plan of faults they give: the same seed, the same plan.

use std::fmt;
use std::time::Duration;

use uuid::Uuid;

use super::stage::{APIS, WORKERS};

/// Random numbers that a seed decides (`SplitMix64`). Each stream of a seed has its own.
#[derive(Clone, Debug)]
pub struct Dice(u64);

impl Dice {
    /// The dice of one part of a campaign, independent of those of the others.
    pub fn new(seed: u64, stream: u64) -> Self {
        let mut dice = Self(seed ^ stream.wrapping_mul(0xD1B5_4A32_D192_ED03));
        dice.next();
        dice
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        mixed ^ (mixed >> 31)
    }

    /// A number from `least` to `most`, both included.
    pub fn between(&mut self, least: u64, most: u64) -> u64 {
        least + self.next() % (most - least + 1)
    }

    /// An id (v4).
    pub fn uuid(&mut self) -> String {
        Uuid::from_u64_pair(self.next(), self.next())
            .hyphenated()
            .to_string()
    }

    /// True so many times out of a hundred.
    pub fn percent(&mut self, share: u64) -> bool {
        self.between(1, 100) <= share
    }

    /// Puts them in any order.
    fn shuffle<T>(&mut self, cards: &mut [T]) {
        for last in (1..cards.len()).rev() {
            let other = self.between(0, last as u64);
            cards.swap(last, usize::try_from(other).unwrap_or(last));
        }
    }
}

/// What is done to whom.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Kind {
    KillApi,
    KillWorker,
    FreezeApi,
    FreezeWorker,
    StopApi,
    StopWorker,
    StarveApi,
    StarveWorker,
    StepClock,
    KillDatabase,
    FreezeDatabase,
    FillDisk,
    CutCommit,
    CutDatabase,
    SlowDatabase,
    SilenceDatabase,
    FailOver,
    LoseCommits,
    KillBroker,
    EmptyBroker,
    BlockBroker,
    FillBroker,
    FreezeBroker,
    CutBroker,
    KillCache,
    FillCache,
    FreezeCache,
    CutCache,
    KillProvider,
    Migrate,
    Rebuild,
}

/// How many of each are in a deck of 50. The broker takes long to come back, so that more of its faults would wait in line.
const DECK: [(Kind, usize); 30] = [
    (Kind::KillWorker, 8),
    (Kind::FreezeWorker, 4),
    (Kind::StopWorker, 1),
    (Kind::StarveWorker, 1),
    (Kind::StepClock, 1),
    (Kind::KillApi, 3),
    (Kind::FreezeApi, 2),
    (Kind::StopApi, 1),
    (Kind::StarveApi, 1),
    (Kind::KillDatabase, 4),
    (Kind::FreezeDatabase, 1),
    (Kind::FillDisk, 1),
    (Kind::CutCommit, 4),
    (Kind::CutDatabase, 1),
    (Kind::SlowDatabase, 1),
    (Kind::SilenceDatabase, 1),
    (Kind::FailOver, 1),
    (Kind::KillBroker, 1),
    (Kind::EmptyBroker, 1),
    (Kind::BlockBroker, 1),
    (Kind::FillBroker, 1),
    (Kind::FreezeBroker, 1),
    (Kind::CutBroker, 1),
    (Kind::KillCache, 1),
    (Kind::FillCache, 1),
    (Kind::FreezeCache, 1),
    (Kind::CutCache, 1),
    (Kind::KillProvider, 2),
    (Kind::Migrate, 1),
    (Kind::Rebuild, 1),
];

impl Kind {
    /// In words.
    pub fn name(self) -> &'static str {
        match self {
            Self::KillApi => "kill api",
            Self::KillWorker => "kill worker",
            Self::FreezeApi => "freeze api",
            Self::FreezeWorker => "freeze worker",
            Self::StopApi => "stop api and start it again",
            Self::StopWorker => "stop worker and start it again",
            Self::StarveApi => "no more descriptors for api",
            Self::StarveWorker => "no more descriptors for worker",
            Self::StepClock => "clock of a worker two hours off",
            Self::KillDatabase => "kill database",
            Self::FreezeDatabase => "freeze database",
            Self::FillDisk => "full disk of the database",
            Self::CutCommit => "cut a connection in COMMIT",
            Self::CutDatabase => "cut the connections to the database",
            Self::SlowDatabase => "slow wire to the database",
            Self::SilenceDatabase => "silent wire to the database",
            Self::FailOver => "fail over to a synchronous standby",
            Self::LoseCommits => "fail over to a standby that lags",
            Self::KillBroker => "kill broker",
            Self::EmptyBroker => "kill broker with its data",
            Self::BlockBroker => "memory alarm of the broker",
            Self::FillBroker => "disk alarm of the broker",
            Self::FreezeBroker => "freeze broker",
            Self::CutBroker => "cut the connections to the broker",
            Self::KillCache => "kill cache",
            Self::FillCache => "full cache",
            Self::FreezeCache => "freeze cache",
            Self::CutCache => "cut the connections to the cache",
            Self::KillProvider => "kill provider",
            Self::Migrate => "migrate",
            Self::Rebuild => "rebuild",
        }
    }

    /// How many things it may be done to; of a COMMIT, in how many ways.
    fn victims(self) -> usize {
        match self {
            Self::KillApi | Self::FreezeApi | Self::StopApi | Self::StarveApi => APIS,
            Self::KillWorker | Self::FreezeWorker | Self::StopWorker | Self::StarveWorker => {
                WORKERS
            }
            Self::CutCommit => 12,
            Self::StepClock => 2,
            _ => 1,
        }
    }

    /// Whether it is done to a process that others stand in for.
    fn is_of_a_process(self) -> bool {
        matches!(
            self,
            Self::FreezeApi
                | Self::FreezeWorker
                | Self::StarveApi
                | Self::StarveWorker
                | Self::StepClock
        )
    }

    /// Whether it lasts.
    fn lasts(self) -> bool {
        self.is_of_a_process()
            || matches!(
                self,
                Self::FreezeDatabase
                    | Self::FillDisk
                    | Self::SlowDatabase
                    | Self::SilenceDatabase
                    | Self::LoseCommits
                    | Self::BlockBroker
                    | Self::FillBroker
                    | Self::FreezeBroker
                    | Self::FillCache
                    | Self::FreezeCache
                    | Self::KillProvider
            )
    }
}

/// One fault.
#[derive(Clone, Copy, Debug)]
pub struct Fault {
    /// Its place in the plan, from 1.
    pub number: usize,
    /// When it is due, from the plan's beginning. It waits for its victim to be through with the fault before.
    pub at: Duration,
    pub(super) kind: Kind,
    /// Which of the processes of its kind.
    pub(super) victim: usize,
    /// How long what lasts does.
    pub(super) lasts: Duration,
    /// Whether it waits a moment for the victim to be at work.
    pub(super) aimed: bool,
    /// Whether nothing else is done to workers and their database until it is healed, so that it can be timed.
    pub(super) alone: bool,
}

impl fmt::Display for Fault {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "#{} {}", self.number, self.kind.name())?;
        if self.kind.victims() > 1 {
            write!(out, " {}", self.victim)?;
        }
        if self.kind.lasts() {
            write!(out, " for {:.1} s", self.lasts.as_secs_f64())?;
        }
        for (is_so, word) in [(self.aimed, "aimed"), (self.alone, "alone")] {
            if is_so {
                write!(out, ", {word}")?;
            }
        }
        Ok(())
    }
}

/// `count` faults, most of them 0.5 to 1.5 s apart and some at once, drawn as from decks of cards: every kind comes in every 50.
/// With `loses_commits` there is one more card, of the failover to a standby that lags.
pub fn plan(seed: u64, count: usize, loses_commits: bool) -> Vec<Fault> {
    let mut dice = Dice::new(seed, 0);
    let mut deck: Vec<Kind> = Vec::new();
    let mut at = Duration::ZERO;
    let mut faults = Vec::with_capacity(count);
    while faults.len() < count {
        let Some(kind) = deck.pop() else {
            for (kind, cards) in DECK {
                deck.extend(std::iter::repeat_n(kind, cards));
            }
            deck.extend(loses_commits.then_some(Kind::LoseCommits));
            dice.shuffle(&mut deck);
            continue;
        };
        if !dice.percent(15) {
            at += Duration::from_millis(dice.between(500, 1_500));
        }
        let victim = dice.between(0, kind.victims() as u64 - 1);
        let aimed = dice.percent(50);
        let (shortest, longest) = match (kind.is_of_a_process(), aimed) {
            // Long enough that others take over what it has in hand: at 8 s a chunk, at 10 s an import.
            (true, true) => (9_000, 12_000),
            (true, false) => (1_000, 12_000),
            (false, _) => (1_000, 5_000),
        };
        faults.push(Fault {
            number: faults.len() + 1,
            at,
            kind,
            victim: usize::try_from(victim).unwrap_or(0),
            lasts: Duration::from_millis(dice.between(shortest, longest)),
            aimed,
            alone: kind == Kind::KillWorker && dice.percent(25),
        });
    }
    faults
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_seed_is_a_plan_and_a_shorter_one_is_its_beginning() {
        let told = |seed, count| {
            let faults = plan(seed, count, false).into_iter();
            let faults = faults.map(|fault| format!("{:?} {fault}", fault.at));
            faults.collect::<Vec<_>>()
        };
        let all = told(1, 100);
        assert_eq!(told(1, 40), all[..40]);
        assert_ne!(told(2, 40), all[..40]);
        for (kind, cards) in DECK {
            let name = format!(" {}", kind.name());
            let found = all.iter().filter(|fault| fault.contains(&name)).count();
            assert!(found >= 2 * cards, "{name}: {found}");
        }
    }
}
