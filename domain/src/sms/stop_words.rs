//! What a person who replies asks for: no more messages, messages again, or help.

use unicode_normalization::UnicodeNormalization;

use super::stop_words_of::words_of;

/// What a reply asks for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, strum::IntoStaticStr)]
#[strum(serialize_all = "snake_case")]
pub enum Keyword {
    Stop,
    Start,
    Help,
}

// In lower case, as `folded` gives them.
const STOP: [&str; 8] = [
    "stop",
    "stopall",
    "unsubscribe",
    "cancel",
    "end",
    "quit",
    "revoke",
    "optout",
];
/// They opt out with any text after them. The others begin ordinary sentences.
const STOP_AS_FIRST_WORD: [&str; 3] = ["stop", "stopall", "unsubscribe"];
const START: [&str; 2] = ["start", "unstop"];
const HELP: [&str; 2] = ["help", "info"];

/// The keyword that a reply from a phone is: one that is known everywhere, one of the languages of its country, or an account's own.
/// Only its letters and digits count, in any case, width and with any diacritics. Opting out comes first: an account's own word may be
/// one that else opts in or asks for help. An own word without letters and digits is no word.
pub fn keyword(text: &str, phone: &str, own_stop_words: &[String]) -> Option<Keyword> {
    let is_between = |c: char| !c.is_alphanumeric();
    let mut words = text.trim_start_matches(is_between).split(is_between);
    let first = folded(words.next().unwrap_or_default());
    let text = folded(text);
    if text.is_empty() {
        return None;
    }
    let of_languages: Vec<_> = words_of(phone).collect();
    let is = |word: &&str| folded(word) == text;
    let stops = of_languages.iter().flat_map(|words| words.stop);
    let helps = of_languages.iter().flat_map(|words| words.help);
    if STOP.iter().chain(stops).any(is)
        || own_stop_words.iter().any(|word| folded(word) == text)
        || STOP_AS_FIRST_WORD.contains(&first.as_str())
    {
        Some(Keyword::Stop)
    } else if START.iter().any(is) {
        Some(Keyword::Start)
    } else if HELP.iter().chain(helps).any(is) {
        Some(Keyword::Help)
    } else {
        None
    }
}

/// The letters and digits of a text without their case, width and diacritics. Upper case comes in between because only there `ß` and
/// `ss`, `ı` and `i` are the same.
fn folded(text: &str) -> String {
    let plain = text.nfkd().filter(|c| !is_diacritic(*c));
    let upper = plain.flat_map(char::to_uppercase);
    let lower = upper.flat_map(char::to_lowercase);
    let mut folded = String::with_capacity(text.len());
    for c in lower.filter(|c| c.is_alphanumeric()) {
        match c {
            'ł' => folded.push('l'),
            'ø' => folded.push('o'),
            'đ' => folded.push('d'),
            'ħ' => folded.push('h'),
            'æ' => folded.push_str("ae"),
            'œ' => folded.push_str("oe"),
            // Persian and Arabic keyboards have different ones for the same letter.
            'ي' | 'ى' => folded.push('ی'),
            'ك' => folded.push('ک'),
            c => folded.push(c),
        }
    }
    folded
}

/// A mark over or under a letter that people leave out where they are in a hurry: of Latin, Greek and Cyrillic ones, of Arabic, and of
/// Hebrew.
fn is_diacritic(c: char) -> bool {
    matches!(c, '\u{300}'..='\u{36f}' | '\u{591}'..='\u{5c7}' | '\u{640}' | '\u{64b}'..='\u{655}' | '\u{670}')
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Of Gibraltar, which has no words of its own.
    const PHONE: &str = "+35057123456";

    fn assert_all(texts: &[&str], own: &[&str], expected: Option<Keyword>) {
        let own: Vec<String> = own.iter().map(|&word| word.to_owned()).collect();
        for text in texts {
            assert_eq!(keyword(text, PHONE, &own), expected, "{text}");
        }
    }

    #[test]
    fn a_stop_word_is_the_whole_text_whatever_its_case_and_punctuation() {
        let texts = [
            "STOP",
            "stop",
            " Stop. ",
            "\"STOP\"",
            "S T O P",
            "stop 🛑",
            "STOPALL",
            "Stop all!",
            "unsubscribe",
            "Cancel",
            "end.",
            "QUIT\n",
            "revoke",
            "OptOut",
            "opt-out",
            "Opt out",
        ];
        assert_all(&texts, &[], Some(Keyword::Stop));
    }

    #[test]
    fn three_stop_words_are_also_the_first_of_more() {
        let texts = [
            "Stop please",
            "STOP, I do not want this",
            "stop...now",
            "¡stop! no more",
            "stopall of it",
            "Unsubscribe me",
        ];
        assert_all(&texts, &[], Some(Keyword::Stop));
    }

    #[test]
    fn other_texts_are_no_keyword() {
        let texts = [
            "",
            " ",
            "!?",
            "Please stop",
            "Stopping by tomorrow",
            "stop2",
            "Cancel my order",
            "The end",
            "End of story",
            "Start of the year",
            "Help me",
            "information",
            "Was good",
        ];
        assert_all(&texts, &[], None);
        assert_all(&texts, &["", " ", "!"], None);
    }

    #[test]
    fn the_way_back_and_help_are_whole_texts() {
        assert_all(&["START", "Un-stop", " start! "], &[], Some(Keyword::Start));
        assert_all(&["HELP", "help?", "Info"], &[], Some(Keyword::Help));
    }

    #[test]
    fn own_words_opt_out_before_anything_else() {
        let own = ["Abmelden", "keine SMS", "İPTAL", "schluß", "info", "arrêt"];
        let texts = [
            "ABMELDEN",
            "Keine sms!",
            "iptal",
            "ıptal",
            "SCHLUSS",
            "Info",
            "ARRÊT",
        ];
        assert_all(&texts, &own, Some(Keyword::Stop));
        assert_all(&["Abmelden bitte", "keine", "abmeld"], &own, None);
        assert_all(&["help"], &own, Some(Keyword::Help));
    }

    #[test]
    fn words_of_a_country_s_languages_need_not_be_known_by_the_account() {
        for (phone, text, expected) in [
            ("+33612345678", "ARRET", Some(Keyword::Stop)),
            ("+33612345678", "Arrêt !", Some(Keyword::Stop)),
            ("+33612345678", "aide", Some(Keyword::Help)),
            ("+34612345678", "BAJA", Some(Keyword::Stop)),
            ("+34612345678", "ARRET", None),
            ("+41791234567", "abmelden", Some(Keyword::Stop)),
            ("+41791234567", "arret", Some(Keyword::Stop)),
            ("+79161234567", "СТОП", Some(Keyword::Stop)),
            ("+79161234567", "стоп.", Some(Keyword::Stop)),
            ("+8613812345678", "停止", Some(Keyword::Stop)),
            ("+8613812345678", "ｔｄ", Some(Keyword::Stop)),
            ("+819012345678", "停止", Some(Keyword::Stop)),
            ("+819012345678", "ｽﾄｯﾌﾟ", Some(Keyword::Stop)),
            ("+819012345678", "ＳＴＯＰ", Some(Keyword::Stop)),
            (
                "+819012345678",
                "ｓｔｏｐ　お願いします",
                Some(Keyword::Stop),
            ),
            ("+905321234567", "IPTAL", Some(Keyword::Stop)),
            ("+905321234567", "çikiş", Some(Keyword::Stop)),
            ("+48501234567", "wylacz", Some(Keyword::Stop)),
            ("+4520123456", "HJAELP", Some(Keyword::Help)),
            ("+306912345678", "ΔΙΑΚΟΠΗ", Some(Keyword::Stop)),
            ("+84912345678", "HUY", Some(Keyword::Stop)),
            ("+971501234567", "ايقاف", Some(Keyword::Stop)),
            ("+821012345678", "수신 거부", Some(Keyword::Stop)),
            ("+491701234567", "停止", None),
            ("+491701234567", "Hilfe!", Some(Keyword::Help)),
            ("+491701234567", "Baja California", None),
            ("+11111111111", "arret", Some(Keyword::Stop)),
        ] {
            assert_eq!(keyword(text, phone, &[]), expected, "{phone} {text}");
        }
    }

    proptest! {
        #[test]
        fn the_account_s_words_match_themselves(word in any::<String>()) {
            let is_word = !folded(&word).is_empty();
            let found = keyword(&word, PHONE, std::slice::from_ref(&word));
            prop_assert!(!is_word || found == Some(Keyword::Stop));
        }

        #[test]
        fn spaces_and_punctuation_change_nothing(before in "[ .!\"-]{0,5}", after in "[ .!\"-]{0,5}") {
            for word in STOP {
                let text = format!("{before}{word}{after}");
                prop_assert_eq!(keyword(&text, PHONE, &[]), Some(Keyword::Stop));
            }
        }
    }
}
