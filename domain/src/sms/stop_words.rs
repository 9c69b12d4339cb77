//! What a person who replies asks for: no more messages, messages again, or help.

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

/// The keyword that a reply is. Only its letters and digits count, in any case. Opting out comes first: an account's own
/// word may be one that else opts in or asks for help. An own word without letters and digits is no word.
pub fn keyword(text: &str, own_stop_words: &[String]) -> Option<Keyword> {
    let is = |word: &&str| folded(text).eq(word.chars());
    let is_own = |word: &String| folded(word).next().is_some() && folded(text).eq(folded(word));
    let is_between = |c: char| !c.is_alphanumeric();
    let mut words = text.trim_start_matches(is_between).split(is_between);
    let first = words.next().unwrap_or_default();
    let begins_with = |word: &&str| folded(first).eq(word.chars());
    if STOP.iter().any(is)
        || own_stop_words.iter().any(is_own)
        || STOP_AS_FIRST_WORD.iter().any(begins_with)
    {
        Some(Keyword::Stop)
    } else if START.iter().any(is) {
        Some(Keyword::Start)
    } else if HELP.iter().any(is) {
        Some(Keyword::Help)
    } else {
        None
    }
}

/// The letters and digits of a text without their case. Upper case comes in between because only there `ß` and `ss`, `ı` and
/// `i` are the same; the dot of `İ`, which lower case takes off it, is no letter.
fn folded(text: &str) -> impl Iterator<Item = char> {
    let upper = text.chars().flat_map(char::to_uppercase);
    upper
        .flat_map(char::to_lowercase)
        .filter(|c| c.is_alphanumeric())
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn assert_all(texts: &[&str], own: &[&str], expected: Option<Keyword>) {
        let own: Vec<String> = own.iter().map(|&word| word.to_owned()).collect();
        for text in texts {
            assert_eq!(keyword(text, &own), expected, "{text}");
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

    proptest! {
        #[test]
        fn the_account_s_words_match_themselves(word in any::<String>()) {
            let is_word = folded(&word).next().is_some();
            let found = keyword(&word, std::slice::from_ref(&word));
            prop_assert!(!is_word || found == Some(Keyword::Stop));
        }

        #[test]
        fn spaces_and_punctuation_change_nothing(before in "[ .!\"-]{0,5}", after in "[ .!\"-]{0,5}") {
            for word in STOP {
                let text = format!("{before}{word}{after}");
                prop_assert_eq!(keyword(&text, &[]), Some(Keyword::Stop));
            }
        }
    }
}
