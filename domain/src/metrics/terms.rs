//! What detractors say that others do not.

use std::collections::{BTreeSet, HashMap};

use indexmap::IndexSet;

use super::count;
use super::exact::{TwoShares, discoveries};
use super::stop_words::is_stop_word;

/// Characters of a comment that are looked at.
const READ: usize = 400;
/// The least number of detractors' comments with a term. What fewer comments have, whoever wrote them, is not looked at.
const MIN_COMMENTS: usize = 3;
/// A term's share of the comments of detractors is at least so many times its share of those of others: with many comments also what
/// hardly differs is no chance.
const MIN_EFFECT: i64 = 2;
const MAX_TERMS: usize = 10;
const MAX_QUOTES: usize = 2;

/// A word or two neighbouring words, in lower case, that detractors use more than others do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Term {
    pub text: String,
    /// The beginnings of some of them, in their order.
    pub quotes: Vec<String>,
}

/// The comments that have a term.
#[derive(Default)]
struct TermComments {
    /// The places of detractors' comments, ascending.
    detractors: Vec<usize>,
    others: i64,
}

impl TermComments {
    /// Beside how many comments detractors and others wrote.
    fn shares(&self, of: (i64, i64)) -> TwoShares {
        let with = (count(self.detractors.len()), self.others);
        TwoShares { with, of }
    }

    /// Whether detractors' comments with this term are mostly those with the other: a comment that many write in the same
    /// words would fill the list.
    fn is_like(&self, other: &Self) -> bool {
        let places = &other.detractors;
        let both = self.detractors.iter();
        let both = both.filter(|place| places.binary_search(place).is_ok());
        let both = both.count();
        2 * both > self.detractors.len() + places.len() - both
    }
}

/// The terms that are over-represented in comments of detractors by more than chance ([`TwoShares::mid_p`]), the least likely first.
///
/// Stop words are no terms, and what detractors hardly say more often than others is none. A term counts once a comment. With each
/// comment comes whether it is a detractor's.
pub fn over_represented(comments: &[(String, bool)]) -> Vec<Term> {
    let head = |text: &str| text.chars().take(READ).collect::<String>();
    let texts: Vec<String> = comments.iter().map(|(text, _)| head(text)).collect();
    let lowered: Vec<String> = texts.iter().map(|text| text.to_lowercase()).collect();
    let mut found: HashMap<(&str, &str), TermComments> = HashMap::new();
    for (place, text) in lowered.iter().enumerate() {
        for term in terms(text) {
            let found = found.entry(term).or_default();
            if comments[place].1 {
                found.detractors.push(place);
            } else {
                found.others += 1;
            }
        }
    }
    let detractors = comments
        .iter()
        .filter(|(_, is_detractor)| *is_detractor)
        .count();
    let of = (count(detractors), count(comments.len() - detractors));
    let least = count(MIN_COMMENTS);
    let written = |found: &TermComments| count(found.detractors.len()) + found.others;
    found.retain(|_, found| written(found) >= least);
    let judged = found.len();
    let scored = found
        .into_iter()
        .filter(|(_, found)| found.detractors.len() >= MIN_COMMENTS)
        .filter(|(_, found)| is_large(found.shares(of)))
        .map(|((word, next), found)| {
            let text = format!("{word} {next}").trim_end().to_owned();
            (found.shares(of).mid_p(), text, found)
        });
    let mut scored: Vec<_> = scored.collect();
    // Of terms that are as likely the longest comes first, because it says most.
    scored.sort_by(|(p, text, _), (of_other, other, _)| {
        let longest = other.len().cmp(&text.len());
        p.total_cmp(of_other).then(longest).then(text.cmp(other))
    });
    let lowest: Vec<f64> = scored.iter().map(|(p, ..)| *p).collect();
    scored.truncate(discoveries(&lowest, judged));
    let mut best: Vec<(String, TermComments)> = Vec::new();
    for (_, text, found) in scored {
        if best.len() < MAX_TERMS && !best.iter().any(|(_, other)| found.is_like(other)) {
            best.push((text, found));
        }
    }
    let best = best.into_iter().map(|(text, found)| {
        let mut quotes = IndexSet::new();
        for place in &found.detractors {
            quotes.insert(&texts[*place]);
            if quotes.len() == MAX_QUOTES {
                break;
            }
        }
        Term {
            text,
            quotes: quotes.into_iter().cloned().collect(),
        }
    });
    best.collect()
}

/// Whether the share of the first comments that have a term is large enough beside that of the others.
fn is_large(TwoShares { with, of }: TwoShares) -> bool {
    with.0 * of.1 >= MIN_EFFECT * with.1 * of.0
}

/// The words of a text that are no stop words, and the pairs of neighbours among them.
fn terms(text: &str) -> BTreeSet<(&str, &str)> {
    let words = text.split(|c: char| !c.is_alphanumeric() && !matches!(c, '\'' | '’'));
    let words = words.map(|word| word.trim_matches(['\'', '’']));
    let words: Vec<&str> = words.filter(|word| !word.is_empty()).collect();
    let says_something = |word: &&str| !is_stop_word(word);
    let pairs = words
        .windows(2)
        .filter(|pair| pair.iter().all(says_something));
    let pairs = pairs.map(|pair| (pair[0], pair[1]));
    let single = words.iter().filter(|word| !is_stop_word(word));
    let single = single.map(|word| (*word, ""));
    single.chain(pairs).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn comments(times: usize, is_detractor: bool, texts: &[&str]) -> Vec<(String, bool)> {
        let texts = texts.iter();
        let texts = texts.flat_map(|text| std::iter::repeat_n(*text, times));
        texts.map(|text| (text.to_owned(), is_detractor)).collect()
    }

    fn names(terms: &[Term]) -> Vec<&str> {
        terms.iter().map(|term| term.text.as_str()).collect()
    }

    #[test]
    fn the_terms_of_detractors_come_with_quotes_in_any_language() {
        let mut all = comments(
            20,
            false,
            &[
                "The coffee was good.",
                "Der Kaffee war gut.",
                "Le café était bon.",
                "The cake was nice, the staff too.",
            ],
        );
        all.extend(comments(
            5,
            true,
            &[
                "The coffee was COLD.",
                "Der Kaffee war übel, ein Ärgernis.",
                "L’attente était trop longue.",
            ],
        ));
        all.extend(comments(1, true, &["It was cold, the coffee."]));
        let terms = over_represented(&all);
        assert_eq!(names(&terms), ["cold", "l’attente", "ärgernis"]);
        let quotes = ["The coffee was COLD.", "It was cold, the coffee."];
        assert_eq!(terms[0].quotes, quotes);
        assert_eq!(terms[2].quotes, ["Der Kaffee war übel, ein Ärgernis."]);
    }

    #[test]
    fn what_all_say_and_what_few_say_is_no_term() {
        let same = ["the queue was long", "the queue was short"];
        let mut all = comments(50, false, &same);
        all.extend(comments(10, true, &same));
        all.extend(comments(2, true, &["rude"]));
        // Once a comment, however often it is repeated.
        all.extend(comments(2, true, &["sticky sticky sticky sticky"]));
        assert_eq!(over_represented(&all), []);
        assert_eq!(over_represented(&[]), []);
        assert_eq!(over_represented(&comments(9, true, &["cold", "🙁"])), []);
    }

    #[test]
    fn at_most_ten_and_of_long_comments_the_beginning() {
        let nouns = "table door chair lamp glass plate fork knife spoon bowl sink mop";
        let long = |noun| format!("{noun} {}end", "x ".repeat(READ));
        let bad: Vec<String> = nouns.split(' ').map(long).collect();
        let bad: Vec<&str> = bad.iter().map(String::as_str).collect();
        let mut all = comments(5, true, &bad);
        all.extend(comments(300, false, &["x x", "good"]));
        let terms = over_represented(&all);
        assert_eq!(terms.len(), MAX_TERMS);
        assert!(names(&terms).iter().all(|term| !term.contains("end")));
        assert_eq!(terms[0].quotes[0].chars().count(), READ);
    }

    #[test]
    fn what_six_of_fifty_say_and_nobody_else_is_a_term() {
        let quiet: Vec<String> = (0..44).map(|number| format!("bad{number}")).collect();
        let quiet: Vec<&str> = quiet.iter().map(String::as_str).collect();
        let mut all = comments(1, true, &quiet);
        let kind: Vec<String> = (0..20).map(|n| format!("staff{n} kind{n}")).collect();
        let kind: Vec<&str> = kind.iter().map(String::as_str).collect();
        all.extend(comments(6, false, &kind));
        all.extend(comments(1, false, &["fine", "fast"]));
        let mut fewer = all.clone();
        all.extend(comments(6, true, &["broken toilet"]));
        assert_eq!(names(&over_represented(&all)), ["broken toilet"]);
        fewer.extend(comments(3, true, &["broken toilet"]));
        fewer.extend(comments(3, true, &kind[..1]));
        assert_eq!(over_represented(&fewer), []);
    }
}
