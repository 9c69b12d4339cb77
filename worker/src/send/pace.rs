//! How fast a sender may be used: its rate, and pauses after its faults.

use std::time::{Duration, Instant};

use domain::sms::SenderState;
use sender::Handed;
use store::send::state::SenderNote;

/// The size of the bucket, in seconds of the rate.
const BURST: f64 = 0.1;
/// The first pause after a fault of the sender; each next one is twice as long.
const FAULT: Duration = Duration::from_secs(30);
const LONGEST_FAULT: Duration = Duration::from_mins(10);
/// The same after a throttled call that names no time.
const THROTTLED: Duration = Duration::from_secs(1);
const LONGEST_THROTTLED: Duration = Duration::from_mins(1);
/// So long after a pause a message is tried, if any waits.
const TRIED: Duration = Duration::from_secs(5);
/// This many calls in a row that a busy provider did not take count as a throttled one.
const MAX_BUSY: u32 = 20;
/// How much the last result counts in the share of those that a busy provider did not take.
const NEWEST: f64 = 1.0 / 32.0;
/// A larger share says that the rate is more than the provider takes. Some always are not taken by one that lets chance decide.
const TOO_MANY_BUSY: f64 = 0.35;
/// The share that is assumed once the rate was lowered, and below which the rate rises.
const SOME_BUSY: f64 = 0.2;
const FEW_BUSY: f64 = 0.1;
/// By how much the rate rises with a message that is taken.
const RISE: f64 = 1.02;
/// This many uncertain calls in a row count as a fault of the sender.
const MAX_UNCERTAIN: u32 = 5;

/// A token bucket of parts, whose rate falls to what a busy provider takes. Its content may be negative: a message may take more parts than are free, which later ones wait
/// for.
#[derive(Debug)]
pub(super) struct TokenBucket {
    /// The rate at most, and now.
    most: f64,
    a_second: f64,
    /// The share of calls that a busy provider did not take, the last ones above all.
    busy: f64,
    /// Parts that may be handed over now.
    free: f64,
    at: Instant,
}

impl TokenBucket {
    /// Empty at first, because the driver before may have used it up.
    pub(super) fn new(a_second: u32, now: Instant) -> Self {
        Self {
            most: a_second.into(),
            a_second: a_second.into(),
            busy: 0.0,
            free: 0.0,
            at: now,
        }
    }

    /// The whole parts that may be handed over now.
    pub(super) fn free(&mut self, now: Instant) -> usize {
        let most = (self.a_second * BURST).max(1.0);
        let elapsed = now.saturating_duration_since(self.at).as_secs_f64();
        self.free = (self.free + elapsed * self.a_second).min(most);
        self.at = now;
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "between 0 and a tenth of a u32"
        )]
        let whole = self.free.max(0.0) as usize;
        whole
    }

    /// Notes what a call came to. What was not taken alone is tried again, so a rate that is a little too high costs little.
    pub(super) fn note(&mut self, handed: &Handed) {
        let is_busy = match handed {
            Handed::Accepted { .. } => 0.0,
            Handed::Busy => 1.0,
            _ => return,
        };
        self.busy += (is_busy - self.busy) * NEWEST;
        if self.busy > TOO_MANY_BUSY {
            self.a_second = (self.a_second * (1.0 - self.busy)).max(1.0);
            self.busy = SOME_BUSY;
        } else if self.busy < FEW_BUSY {
            self.a_second = (self.a_second * RISE).min(self.most);
        }
    }

    pub(super) fn spend(&mut self, parts: usize) {
        #[expect(clippy::cast_precision_loss, reason = "far below 2⁵²")]
        let parts = parts as f64;
        self.free -= parts;
    }
}

/// Whether a sender pauses, and why.
#[derive(Debug, Default)]
pub(super) struct Pauses {
    until: Option<Instant>,
    /// The next pause after a fault; set while the sender has to prove itself, one message at a time.
    next: Option<Duration>,
    next_throttled: Option<Duration>,
    uncertain: u32,
    /// Calls in a row that a busy provider did not take.
    busy: u32,
    reason: Option<String>,
    /// The reason is that results were uncertain.
    is_uncertain: bool,
    /// The provider cannot be reached, as it was found when it was asked how it stands.
    away: Option<String>,
    /// When it was asked, the provider told of a fault too.
    has_told: bool,
    trust: Trust,
}

/// Whether the faults count that a provider tells of when it is asked how it stands.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Trust {
    #[default]
    Full,
    /// It took a message although it told of a fault. That one may have been over by then.
    Doubted,
    /// It did so again: it knows nothing but messages.
    Lost,
}

impl Pauses {
    /// How many messages may be under way.
    pub(super) fn window(&self, window: usize, now: Instant) -> usize {
        if self.is_on(now) || self.away.is_some() {
            0
        } else if self.next.is_some() {
            1
        } else {
            window
        }
    }

    /// How the sender is: `paused` while it asked to wait, in error with its code after a fault until a message succeeds, and
    /// while its provider cannot be reached.
    pub(super) fn state(&self, now: Instant) -> SenderNote {
        let reason = self.away.as_ref().or(self.reason.as_ref()).cloned();
        let state = match &reason {
            Some(_) => SenderState::Error,
            None if self.is_on(now) || self.is_tried(now) => SenderState::Paused,
            None => SenderState::Ok,
        };
        SenderNote { state, reason }
    }

    /// Forgets what was, but that the provider cannot be reached: that it can it has to say itself.
    pub(super) fn go_on(&mut self) {
        *self = Self {
            away: self.away.take(),
            ..Self::default()
        };
    }

    /// Whether something is wrong that may be over without a message that says so.
    pub(super) fn is_in_error(&self) -> bool {
        self.away.is_some() || self.reason.is_some()
    }

    /// Notes how the provider says that it stands. Where it cannot be reached nothing is tried with messages, which would fail in the
    /// end. A fault that it tells of is one like those of messages: after its pause a message is tried. It is over when the provider
    /// stands well again, if it told of it too; one of uncertain results after its pause.
    pub(super) fn note_probe(&mut self, probed: &Handed, now: Instant) {
        match probed {
            Handed::NotSent { code } => {
                self.away = Some(code.clone());
                return;
            }
            Handed::SenderFault { .. } if self.trust != Trust::Full => {
                self.trust = Trust::Lost;
            }
            Handed::SenderFault { code } => {
                self.has_told = true;
                if self.reason.is_none() {
                    self.fault(code, now);
                }
            }
            Handed::Accepted { .. } => {
                if self.trust == Trust::Doubted {
                    self.trust = Trust::Full;
                }
                let was_told = self.has_told || self.away.is_some();
                let is_over = was_told || (self.is_uncertain && !self.is_on(now));
                if is_over {
                    *self = Self {
                        // It may have asked to wait.
                        until: self.until.filter(|_| self.reason.is_none()),
                        next_throttled: self.next_throttled,
                        trust: self.trust,
                        ..Self::default()
                    };
                }
            }
            _ => {}
        }
        self.away = None;
    }

    /// Notes what a call came to.
    pub(super) fn note(&mut self, handed: &Handed, now: Instant) {
        match handed {
            // A call that was under way when the pause began does not end it.
            Handed::Accepted { .. } if self.is_on(now) => {
                (self.uncertain, self.busy) = (0, 0);
            }
            Handed::Accepted { .. } => {
                let trust = match self.trust {
                    Trust::Full if self.has_told => Trust::Doubted,
                    trust => trust,
                };
                *self = Self {
                    trust,
                    ..Self::default()
                };
            }
            Handed::Refused { .. } => self.uncertain = 0,
            Handed::SenderFault { code } => self.fault(code, now),
            Handed::Throttled { retry_after } => self.throttle(*retry_after, now),
            // Those that were under way when the pause began say nothing new.
            Handed::Busy if self.is_on(now) => {}
            Handed::Busy => {
                self.busy += 1;
                if self.busy >= MAX_BUSY {
                    self.throttle(None, now);
                }
            }
            Handed::NotSent { code } | Handed::Unknown { code } => {
                self.uncertain += 1;
                if self.uncertain >= MAX_UNCERTAIN && !self.is_on(now) {
                    self.fault(code, now);
                    self.is_uncertain = true;
                }
            }
        }
    }

    /// Whether a message is tried just now after the provider asked to wait: until it is taken nothing is over.
    fn is_tried(&self, now: Instant) -> bool {
        let is_over = |until: Instant| until + TRIED > now;
        self.next_throttled.is_some() && self.until.is_some_and(is_over)
    }

    fn is_on(&self, now: Instant) -> bool {
        self.until.is_some_and(|until| until > now)
    }

    fn throttle(&mut self, retry_after: Option<Duration>, now: Instant) {
        let next = self.next_throttled.unwrap_or(THROTTLED);
        self.next_throttled = Some((next * 2).min(LONGEST_THROTTLED));
        self.pause(retry_after.unwrap_or(next), now);
    }

    fn fault(&mut self, code: &str, now: Instant) {
        // Calls that were under way together blame the sender once.
        if self.is_on(now) {
            return;
        }
        let pause = self.next.unwrap_or(FAULT);
        self.next = Some((pause * 2).min(LONGEST_FAULT));
        self.reason = Some(code.to_owned());
        self.is_uncertain = false;
        self.pause(pause, now);
    }

    fn pause(&mut self, pause: Duration, now: Instant) {
        let until = now + pause;
        self.until = Some(self.until.map_or(until, |before| before.max(until)));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rate_is_kept_and_saves_nothing_up() {
        let start = Instant::now();
        let after = |millis: u64| start + Duration::from_millis(millis);
        let mut rate = TokenBucket::new(100, start);
        assert_eq!(rate.free(start), 0);
        assert_eq!(rate.free(after(50)), 5);
        rate.spend(5);
        assert_eq!(rate.free(after(50)), 0);
        assert_eq!(rate.free(after(60_000)), 10);
        rate.spend(13);
        assert_eq!(rate.free(after(60_030)), 0);
        assert_eq!(rate.free(after(60_050)), 2);
    }

    #[test]
    fn a_slow_rate_lets_one_through() {
        let start = Instant::now();
        let mut rate = TokenBucket::new(1, start);
        assert_eq!(rate.free(start + Duration::from_millis(900)), 0);
        assert_eq!(rate.free(start + Duration::from_secs(9)), 1);
    }

    fn note(state: SenderState, reason: Option<&str>) -> SenderNote {
        let reason = reason.map(str::to_owned);
        SenderNote { state, reason }
    }

    fn accepted() -> Handed {
        Handed::Accepted {
            provider_ids: vec![],
        }
    }

    #[test]
    fn a_provider_that_takes_four_of_five_is_used_at_the_whole_rate() {
        let now = Instant::now();
        let (mut rate, mut pauses) = (TokenBucket::new(1_000, now), Pauses::default());
        for call in 1..=1_000 {
            let handed = if call % 5 == 0 {
                Handed::Busy
            } else {
                accepted()
            };
            rate.note(&handed);
            pauses.note(&handed, now);
            assert_eq!(pauses.window(10, now), 10, "{call}");
        }
        assert!(rate.a_second >= 1_000.0, "{rate:?}");
    }

    #[test]
    fn the_rate_falls_to_what_a_provider_takes_and_rises_again() {
        let mut rate = TokenBucket::new(1_000, Instant::now());
        // It takes a hundred a second.
        for call in 0..2_000 {
            let every = (rate.a_second / 100.0).ceil();
            let is_taken = f64::from(call) % every == 0.0;
            rate.note(&if is_taken { accepted() } else { Handed::Busy });
        }
        assert!((50.0..=200.0).contains(&rate.a_second), "{rate:?}");
        for _ in 0..300 {
            rate.note(&accepted());
        }
        assert!(rate.a_second >= 1_000.0, "{rate:?}");
    }

    #[test]
    fn a_provider_that_takes_nothing_pauses() {
        let now = Instant::now();
        let after = |millis: u64| now + Duration::from_millis(millis);
        let mut pauses = Pauses::default();
        for _ in 0..100 {
            pauses.note(&Handed::Busy, now);
        }
        assert_eq!(pauses.state(now), note(SenderState::Paused, None));
        assert_eq!(pauses.window(10, after(999)), 0);
        assert_eq!(pauses.window(10, after(1_000)), 10);
        pauses.note(&Handed::Busy, after(1_000));
        assert_eq!(pauses.window(10, after(2_999)), 0);
        assert_eq!(pauses.window(10, after(3_000)), 10);
    }

    #[test]
    fn a_fault_pauses_and_then_lets_one_through_until_one_succeeds() {
        let start = Instant::now();
        let after = |seconds: u64| start + Duration::from_secs(seconds);
        let fault = Handed::SenderFault {
            code: "20003".into(),
        };
        let mut pauses = Pauses::default();
        assert_eq!(pauses.window(10, start), 10);
        pauses.note(&fault, start);
        pauses.note(&fault, start);
        assert_eq!(pauses.window(10, after(29)), 0);
        assert_eq!(pauses.window(10, after(30)), 1);
        assert_eq!(pauses.state(start), note(SenderState::Error, Some("20003")));
        pauses.note(&fault, after(30));
        assert_eq!(pauses.window(10, after(89)), 0);
        assert_eq!(pauses.window(10, after(90)), 1);
        pauses.note(
            &Handed::Accepted {
                provider_ids: vec![],
            },
            after(90),
        );
        assert_eq!(pauses.window(10, after(90)), 10);
        assert_eq!(pauses.state(after(90)), note(SenderState::Ok, None));
    }

    #[test]
    fn a_provider_that_stands_well_again_ends_the_fault_that_it_told_of() {
        let start = Instant::now();
        let after = |seconds: u64| start + Duration::from_secs(seconds);
        let fault = |code: &str| Handed::SenderFault { code: code.into() };
        let mut pauses = Pauses::default();
        pauses.note_probe(&Handed::not_sent("connect"), start);
        assert_eq!(pauses.window(10, after(3_600)), 0);
        let away = note(SenderState::Error, Some("connect"));
        assert_eq!(pauses.state(after(3_600)), away);
        // Whatever it answers, it is there.
        pauses.note_probe(&Handed::unknown("http_500"), start);
        assert_eq!(pauses.window(10, start), 10);

        // What only messages tell, as a wrong `from`, is over by a message alone.
        let mut pauses = Pauses::default();
        pauses.note(&fault("21606"), start);
        pauses.note_probe(&accepted(), start);
        assert_eq!(pauses.window(10, start), 0);
        let wrong = note(SenderState::Error, Some("21606"));
        assert_eq!(pauses.state(start), wrong);
        pauses.note_probe(&fault("20003"), start);
        pauses.note_probe(&accepted(), start);
        assert_eq!(pauses.window(10, start), 10);
        assert_eq!(pauses.state(start), note(SenderState::Ok, None));
    }

    #[test]
    fn a_sender_that_goes_on_is_well_unless_its_provider_is_away() {
        let now = Instant::now();
        let mut pauses = Pauses::default();
        let fault = Handed::SenderFault {
            code: "21606".into(),
        };
        pauses.note(&fault, now);
        pauses.go_on();
        assert_eq!(pauses.state(now), note(SenderState::Ok, None));
        assert_eq!(pauses.window(10, now), 10);
        pauses.note_probe(&Handed::not_sent("connect"), now);
        pauses.go_on();
        let away = note(SenderState::Error, Some("connect"));
        assert_eq!(pauses.state(now), away);
        pauses.note_probe(&accepted(), now);
        assert_eq!(pauses.window(10, now), 10);
    }

    #[test]
    fn a_provider_that_tells_of_a_fault_gets_a_message_all_the_same() {
        let start = Instant::now();
        let after = |seconds: u64| start + Duration::from_secs(seconds);
        let fault = Handed::SenderFault {
            code: "http_403".into(),
        };
        let mut pauses = Pauses::default();
        pauses.note_probe(&fault, start);
        assert_eq!(pauses.window(10, after(29)), 0);
        pauses.note_probe(&fault, after(29));
        assert_eq!(pauses.window(10, after(30)), 1);
        pauses.note(&accepted(), after(30));
        // It takes messages and knows nothing else.
        pauses.note_probe(&fault, after(60));
        assert_eq!(pauses.window(10, after(60)), 10);
        assert_eq!(pauses.state(after(60)), note(SenderState::Ok, None));
    }

    #[test]
    fn uncertain_results_are_over_after_the_pause_and_a_wait_is_kept() {
        let start = Instant::now();
        let after = |seconds: u64| start + Duration::from_secs(seconds);
        let mut pauses = Pauses::default();
        for _ in 0..5 {
            pauses.note(&Handed::unknown("timeout"), start);
        }
        pauses.note_probe(&accepted(), after(29));
        assert_eq!(pauses.window(10, after(29)), 0);
        pauses.note_probe(&accepted(), after(30));
        assert_eq!(pauses.state(after(30)), note(SenderState::Ok, None));

        let hour = Duration::from_hours(1);
        let wait = Handed::Throttled {
            retry_after: Some(hour),
        };
        pauses.note(&wait, after(30));
        pauses.note_probe(&Handed::not_sent("connect"), after(31));
        pauses.note_probe(&accepted(), after(36));
        assert_eq!(pauses.state(after(36)), note(SenderState::Paused, None));
    }

    #[test]
    fn five_uncertain_calls_in_a_row_pause() {
        let now = Instant::now();
        let unknown = Handed::Unknown {
            code: "timeout".into(),
        };
        let mut pauses = Pauses::default();
        for _ in 0..4 {
            pauses.note(&unknown, now);
        }
        pauses.note(&Handed::Refused { code: "1".into() }, now);
        for _ in 0..4 {
            pauses.note(&unknown, now);
        }
        assert_eq!(pauses.window(10, now), 10);
        pauses.note(&unknown, now);
        assert_eq!(pauses.window(10, now), 0);
    }
}
