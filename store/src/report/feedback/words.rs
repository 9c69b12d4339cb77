//! Words that are looked for whatever their case, as patterns. The databases know the case of different letters (SQLite and the
//! locale C those of ASCII alone), so that the letters that are the same are told here, and the same ones to both.

use std::collections::HashMap;
use std::sync::LazyLock;

/// No letter after it has a case.
const LAST: char = '\u{1ffff}';

/// Letters that differ in case alone, by what [`fold`] makes of them.
static LETTERS: LazyLock<HashMap<char, Vec<char>>> = LazyLock::new(|| {
    let mut letters: HashMap<char, Vec<char>> = HashMap::new();
    for letter in '\0'..=LAST {
        let folded = fold(letter);
        if folded != letter {
            letters
                .entry(folded)
                .or_insert_with(|| vec![folded])
                .push(letter);
        }
    }
    letters
});

/// The small letter of the capital, so that all small letters of a capital are one: `ς` and `σ`.
fn fold(letter: char) -> char {
    let capital = only(letter.to_uppercase(), letter);
    only(capital.to_lowercase(), capital)
}

/// What a letter is mapped to; itself where that is several.
fn only(mut mapped: impl Iterator<Item = char>, letter: char) -> char {
    match (mapped.next(), mapped.next()) {
        (Some(one), None) => one,
        _ => letter,
    }
}

/// What a text that has the word matches: on SQLite with GLOB, on PostgreSQL as a regular expression.
pub(super) fn pattern(word: &str, is_sqlite: bool) -> String {
    let anything = if is_sqlite { "*" } else { "" };
    format!("{anything}{}{anything}", letters(word, is_sqlite))
}

/// What matches a text that is this one, whatever its case.
pub(crate) fn pattern_of_all(text: &str, is_sqlite: bool) -> String {
    let letters = letters(text, is_sqlite);
    if is_sqlite {
        letters
    } else {
        format!("^{letters}$")
    }
}

fn letters(word: &str, is_sqlite: bool) -> String {
    let mut pattern = String::new();
    for letter in word.chars() {
        match LETTERS.get(&fold(letter)) {
            Some(same) => {
                pattern.push('[');
                pattern.extend(same);
                pattern.push(']');
            }
            None if is_sqlite && matches!(letter, '*' | '?' | '[') => {
                pattern.extend(['[', letter, ']']);
            }
            None if !is_sqlite && letter.is_ascii_punctuation() => {
                pattern.extend(['\\', letter]);
            }
            None => pattern.push(letter),
        }
    }
    pattern
}

/// Whether a text has each of the words, as lists that are searched for them find it.
pub fn has_words<'a>(text: &str, mut words: impl Iterator<Item = &'a str>) -> bool {
    let fold = |text: &str| text.chars().map(fold).collect::<String>();
    let text = fold(text);
    words.all(|word| text.contains(&fold(word)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn letters_of_any_alphabet_fold_and_nothing_else_does() {
        for same in ["äÄ", "ßẞ", "σςΣ", "жЖ", "kK\u{212a}", "ǆǅǄ"] {
            let folded: Vec<char> = same.chars().map(fold).collect();
            assert!(folded.iter().all(|one| *one == folded[0]), "{same}");
        }
        assert_eq!(
            ['a', 'ä', '1', '%', '中'].map(fold),
            ['a', 'ä', '1', '%', '中']
        );
        assert!(LETTERS.keys().all(|letter| fold(*letter) == *letter));
    }

    #[test]
    fn a_word_is_no_pattern_of_its_own() {
        assert_eq!(pattern("ä*[1]", true), "*[äÄ][*][[]1]*");
        assert_eq!(pattern("ä.[1]\\", false), r"[äÄ]\.\[1\]\\");
        assert_eq!(pattern_of_all("ä*", true), "[äÄ][*]");
        assert_eq!(pattern_of_all("ä*", false), r"^[äÄ]\*$");
    }
}
