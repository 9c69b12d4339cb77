//! Texts from phones, which may come in parts.

use std::collections::{BTreeMap, HashMap};
use std::time::{Duration, Instant};

use super::config::Charset;

/// How long the parts of a text are waited for.
const MAX_AGE: Duration = Duration::from_hours(1);
/// How many texts are waited for. One more, and the oldest is given up.
const MAX_TEXTS: usize = 1_000;
/// The most octets of a part; of a longer one the beginning is kept. A phone sends 140.
pub(super) const MAX_PART: usize = 4 << 10;
/// The most bytes that the parts take which wait for others. For one more the oldest text is given up.
const MAX_BYTES: usize = 4 << 20;

/// Which text a part belongs to.
#[derive(Clone, PartialEq, Eq, Hash)]
pub(super) struct TextKey {
    pub from: String,
    pub to: String,
    pub reference: u16,
    pub total: u8,
}

/// The text of a part as it came.
pub(super) struct Octets {
    pub octets: Vec<u8>,
    pub data_coding: u8,
}

/// Texts some parts of which are there.
#[derive(Default)]
pub(super) struct PartialTexts {
    texts: HashMap<TextKey, PartialText>,
    /// What their parts take.
    bytes: usize,
    charset: Charset,
}

struct PartialText {
    since: Instant,
    /// By their numbers.
    parts: BTreeMap<u8, Octets>,
}

impl Octets {
    fn bytes(&self) -> usize {
        size_of::<Self>() + self.octets.len()
    }
}

impl PartialText {
    fn bytes(&self) -> usize {
        self.parts.values().map(Octets::bytes).sum()
    }
}

impl PartialTexts {
    /// Of a centre that has these characters under the `data_coding` 0.
    pub fn of(charset: Charset) -> Self {
        Self {
            charset,
            ..Self::default()
        }
    }

    /// Adds a part. Gives the text if no other part is missing, and keeps it until [`PartialTexts::forget`]: if the text is not
    /// stored, the centre sends its last part again.
    pub fn add(&mut self, key: &TextKey, number: u8, part: Octets, now: Instant) -> Option<String> {
        if !(1..=key.total).contains(&number) {
            return None;
        }
        self.make_room(key, part.bytes(), now);
        self.bytes += part.bytes();
        let text = self
            .texts
            .entry(key.clone())
            .or_insert_with(|| PartialText {
                since: now,
                parts: BTreeMap::new(),
            });
        if let Some(before) = text.parts.insert(number, part) {
            self.bytes -= before.bytes();
        }
        let parts: Vec<&Octets> = text.parts.values().collect();
        (parts.len() == usize::from(key.total)).then(|| joined(&parts, self.charset))
    }

    pub fn forget(&mut self, key: &TextKey) {
        if let Some(text) = self.texts.remove(key) {
            self.bytes -= text.bytes();
        }
    }

    /// Makes room for a part of so many bytes.
    fn make_room(&mut self, key: &TextKey, bytes: usize, now: Instant) {
        self.texts.retain(|_, text| {
            let is_waited_for = now.duration_since(text.since) < MAX_AGE;
            if !is_waited_for {
                self.bytes -= text.bytes();
            }
            is_waited_for
        });
        while self.bytes + bytes > MAX_BYTES
            || (self.texts.len() >= MAX_TEXTS && !self.texts.contains_key(key))
        {
            let oldest = self.texts.iter().min_by_key(|(_, text)| text.since);
            let Some(oldest) = oldest.map(|(key, _)| key.clone()) else {
                return;
            };
            self.forget(&oldest);
        }
    }
}

/// The text of parts. A character may be split between two of the same coding.
fn joined(parts: &[&Octets], charset: Charset) -> String {
    let alike = parts.chunk_by(|a, b| a.data_coding == b.data_coding);
    alike
        .filter_map(|parts| {
            let octets: Vec<u8> = parts
                .iter()
                .flat_map(|part| &part.octets)
                .copied()
                .collect();
            Some(decode(&octets, parts.first()?.data_coding, charset))
        })
        .collect()
}

/// The text of octets, by their `data_coding`. What is no character becomes U+FFFD.
fn decode(octets: &[u8], data_coding: u8, charset: Charset) -> String {
    match data_coding {
        // The latter two carry a message class.
        0x00 | 0x10..=0x13 | 0xF0..=0xF3 => charset.decode(octets),
        0x08 | 0x18..=0x1B => {
            let (units, _) = octets.as_chunks();
            let units: Vec<_> = units.iter().copied().map(u16::from_be_bytes).collect();
            String::from_utf16_lossy(&units)
        }
        _ => octets.iter().copied().map(char::from).collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key(reference: u16) -> TextKey {
        TextKey {
            from: "+491701234521".into(),
            to: "12345".into(),
            reference,
            total: 2,
        }
    }

    fn part(text: &str) -> Octets {
        Octets {
            octets: text.into(),
            data_coding: 3,
        }
    }

    #[test]
    fn parts_are_joined_in_any_order() {
        let (mut texts, now) = (PartialTexts::default(), Instant::now());
        assert_eq!(texts.add(&key(1), 2, part("b"), now), None);
        assert_eq!(texts.add(&key(2), 1, part("x"), now), None);
        assert_eq!(texts.add(&key(1), 1, part("a"), now).unwrap(), "ab");
    }

    #[test]
    fn a_text_that_was_not_stored_is_whole_again_with_its_last_part() {
        let (mut texts, now) = (PartialTexts::default(), Instant::now());
        texts.add(&key(1), 1, part("a"), now);
        assert!(texts.add(&key(1), 2, part("b"), now).is_some());
        assert_eq!(texts.add(&key(1), 2, part("b"), now).unwrap(), "ab");
        texts.forget(&key(1));
        assert_eq!(texts.add(&key(1), 2, part("b"), now), None);
    }

    #[test]
    fn a_number_that_cannot_be_is_no_part() {
        let (mut texts, now) = (PartialTexts::default(), Instant::now());
        assert_eq!(texts.add(&key(1), 0, part("a"), now), None);
        assert_eq!(texts.add(&key(1), 3, part("a"), now), None);
    }

    #[test]
    fn an_hour_later_a_text_is_given_up() {
        let (mut texts, now) = (PartialTexts::default(), Instant::now());
        texts.add(&key(1), 1, part("a"), now);
        texts.add(&key(2), 1, part("a"), now + MAX_AGE);
        assert_eq!(texts.add(&key(1), 2, part("b"), now + MAX_AGE), None);
    }

    #[test]
    fn the_texts_waited_for_are_bounded() {
        let (mut texts, now) = (PartialTexts::default(), Instant::now());
        for (reference, second) in (0..=1_000).zip(0..) {
            let now = now + Duration::from_secs(second);
            texts.add(&key(reference), 1, part("a"), now);
        }
        assert_eq!(texts.texts.len(), MAX_TEXTS);
        assert!(!texts.texts.contains_key(&key(0)));
    }

    #[test]
    fn what_their_parts_take_is_bounded() {
        let (mut texts, now) = (PartialTexts::default(), Instant::now());
        for (reference, second) in (0..1_000).zip(0..) {
            let now = now + Duration::from_secs(second);
            let key = TextKey {
                total: 4,
                ..key(reference)
            };
            // The third one comes again.
            for number in [1, 2, 3, 3] {
                let part = part(&"a".repeat(MAX_PART));
                assert_eq!(texts.add(&key, number, part, now), None);
                assert!(texts.bytes <= MAX_BYTES, "{}", texts.bytes);
            }
        }
        let bytes: usize = texts.texts.values().map(PartialText::bytes).sum();
        assert_eq!(texts.bytes, bytes);
        assert!(bytes > MAX_BYTES / 2, "{bytes}");
        let references: Vec<u16> = texts.texts.keys().map(|key| key.reference).collect();
        assert!(references.contains(&999) && !references.contains(&0));
    }

    #[test]
    fn a_character_split_between_parts_is_one() {
        let half = |octets: [u8; 2]| Octets {
            octets: octets.into(),
            data_coding: 8,
        };
        let halves = [half([0xD8, 0x3D]), half([0xDE, 0x00])];
        assert_eq!(joined(&halves.each_ref(), Charset::Gsm7), "😀");
    }

    #[test]
    fn octets_are_read_by_their_coding() {
        assert_eq!(
            decode(&[0xD8, 0x3D, 0x00, 0x41], 8, Charset::Gsm7),
            "\u{fffd}A"
        );
        assert_eq!(decode(&[0x41, 0xC4], 3, Charset::Gsm7), "AÄ");
        assert_eq!(decode(&[0x41, 0x1B, 0x65], 0xF1, Charset::Gsm7), "A€");
        assert_eq!(decode(&[0x41, 0xC4], 0, Charset::Latin1), "AÄ");
    }
}
