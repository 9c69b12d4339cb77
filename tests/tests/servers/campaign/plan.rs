//! The dice, and the plan of faults they give: the same seed, the same plan.

use std::fmt;
use std::time::Duration;

use uuid::Uuid;

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
    KillDatabase,
    KillBroker,
    EmptyBroker,
    BlockBroker,
    KillCache,
    FillCache,
    FreezeDatabase,
    FreezeBroker,
    FreezeCache,
    KillProvider,
}

/// How many of each are in a deck. The broker takes long to come back, so that more of its faults would wait in line.
const DECK: [(Kind, usize); 14] = [
    (Kind::KillWorker, 9),
    (Kind::FreezeWorker, 7),
    (Kind::KillApi, 5),
    (Kind::FreezeApi, 4),
    (Kind::KillDatabase, 4),
    (Kind::FreezeDatabase, 2),
    (Kind::KillCache, 2),
    (Kind::FillCache, 2),
    (Kind::KillProvider, 2),
    (Kind::FreezeCache, 1),
    (Kind::FreezeBroker, 1),
    (Kind::KillBroker, 1),
    (Kind::EmptyBroker, 1),
    (Kind::BlockBroker, 1),
];

impl Kind {
    /// In words.
    pub fn name(self) -> &'static str {
        match self {
            Self::KillApi => "kill api",
            Self::KillWorker => "kill worker",
            Self::FreezeApi => "freeze api",
            Self::FreezeWorker => "freeze worker",
            Self::KillDatabase => "kill database",
            Self::KillBroker => "kill broker",
            Self::EmptyBroker => "kill broker with its data",
            Self::BlockBroker => "memory alarm of the broker",
            Self::KillCache => "kill cache",
            Self::FillCache => "full cache",
            Self::FreezeDatabase => "freeze database",
            Self::FreezeBroker => "freeze broker",
            Self::FreezeCache => "freeze cache",
            Self::KillProvider => "kill provider",
        }
    }
}

/// One fault.
#[derive(Clone, Copy, Debug)]
pub struct Fault {
    /// When it is due, from the campaign's beginning. It waits for its victim to be through with the fault before.
    pub at: Duration,
    pub kind: Kind,
    /// Which of the processes of its kind.
    pub victim: usize,
    /// How long a frozen process sleeps, a blocked broker is blocked, a full cache is full or the provider is away.
    pub lasts: Duration,
    /// Whether it waits a moment for the victim to be at work.
    pub aimed: bool,
}

impl fmt::Display for Fault {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (name, victim, lasts) = (self.kind.name(), self.victim, self.lasts.as_secs_f64());
        if self.aimed {
            write!(out, "aimed: ")?;
        }
        match self.kind {
            Kind::KillApi | Kind::KillWorker => write!(out, "{name} {victim}"),
            Kind::FreezeApi | Kind::FreezeWorker => write!(out, "{name} {victim} for {lasts:.1} s"),
            Kind::BlockBroker
            | Kind::FillCache
            | Kind::FreezeDatabase
            | Kind::FreezeBroker
            | Kind::FreezeCache
            | Kind::KillProvider => write!(out, "{name} for {lasts:.1} s"),
            _ => write!(out, "{name}"),
        }
    }
}

/// `count` faults, one each 0.5 to 1.5 s, drawn as from decks of cards: every kind comes in every 42.
pub fn plan(seed: u64, count: usize, apis: usize, workers: usize) -> Vec<Fault> {
    let mut dice = Dice::new(seed, 0);
    let mut deck: Vec<Kind> = Vec::new();
    let mut at = Duration::ZERO;
    let mut faults = Vec::with_capacity(count);
    while faults.len() < count {
        let Some(kind) = deck.pop() else {
            for (kind, cards) in DECK {
                deck.extend(std::iter::repeat_n(kind, cards));
            }
            dice.shuffle(&mut deck);
            continue;
        };
        at += Duration::from_millis(dice.between(500, 1_500));
        let victims = match kind {
            Kind::KillApi | Kind::FreezeApi => apis,
            Kind::KillWorker | Kind::FreezeWorker => workers,
            _ => 1,
        };
        let victim = dice.between(0, victims.saturating_sub(1) as u64);
        let aimed = dice.percent(50);
        // Aimed, long enough that others take over what the frozen one has in hand: at 8 s a chunk, at 10 s an import.
        let shortest = if aimed { 9_000 } else { 1_000 };
        faults.push(Fault {
            at,
            kind,
            victim: usize::try_from(victim).unwrap_or(0),
            lasts: Duration::from_millis(dice.between(shortest, 12_000)),
            aimed,
        });
    }
    faults
}
