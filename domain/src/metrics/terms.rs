//! What detractors say that others do not.

use std::collections::{BTreeSet, HashMap};

use indexmap::IndexSet;

use super::stop_words::is_stop_word;
use super::{Z_95, real};

/// Characters of a comment that are looked at.
const READ: usize = 400;
/// The least number of detractors' comments with a term.
const MIN_COMMENTS: usize = 3;
/// A term's share of the comments of detractors is at least so many times its share of those of others: with many comments also what
/// hardly differs is no chance.
const MIN_EFFECT: f64 = 2.0;
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
    fn counts(&self) -> (f64, f64) {
        (real(count(self.detractors.len())), real(self.others))
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

/// The terms that are over-represented in comments of detractors, by the z-score of their log-odds ratio, the highest first.
///
/// Monroe, Colaresi & Quinn 2008, "Fightin' Words: Lexical Feature Selection and Evaluation for Identifying the Content of
/// Political Conflict", Political Analysis 16(4), 372–403: the log-odds ratio with an informative Dirichlet prior, divided by
/// its standard deviation. The prior is what all comments say. Stop words are no terms, and what detractors hardly say more often than
/// others is none. A term counts once a comment. With each comment comes whether it is a detractor's.
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
    let comments_of = (
        real(count(detractors)),
        real(count(comments.len() - detractors)),
    );
    let add =
        |(d, o): (f64, f64), found: &TermComments| (d + found.counts().0, o + found.counts().1);
    let totals = found.values().fold((0.0, 0.0), add);
    let scored = found
        .into_iter()
        .filter(|(_, found)| found.detractors.len() >= MIN_COMMENTS)
        .filter(|(_, found)| is_large(found.counts(), comments_of))
        .map(|((word, next), found)| {
            let text = format!("{word} {next}").trim_end().to_owned();
            (z_score(found.counts(), totals), text, found)
        });
    let mut scored: Vec<_> = scored.filter(|(z, ..)| *z >= Z_95).collect();
    // Of terms with the same score the longest comes first, because it says most.
    scored.sort_by(|(z, text, _), (of_other, other, _)| {
        let longest = other.len().cmp(&text.len());
        of_other.total_cmp(z).then(longest).then(text.cmp(other))
    });
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

/// Whether the share of the first comments that have a term is large enough beside that of the others; with so many comments of both.
fn is_large((of_detractors, of_others): (f64, f64), (detractors, others): (f64, f64)) -> bool {
    of_detractors * others >= MIN_EFFECT * of_others * detractors
}

/// How far the odds of a term differ, in standard deviations; the counts of the term, and of all terms, are those of detractors and
/// of others. NaN if there is no other term.
fn z_score((of_detractors, of_others): (f64, f64), (detractors, others): (f64, f64)) -> f64 {
    let (prior, prior_of_all) = (of_detractors + of_others, detractors + others);
    let log_odds = |of_term: f64, of_all: f64| {
        let of_term = of_term + prior;
        (of_term / (of_all + prior_of_all - of_term)).ln()
    };
    let difference = log_odds(of_detractors, detractors) - log_odds(of_others, others);
    let variance = (of_detractors + prior).recip() + (of_others + prior).recip();
    difference / variance.sqrt()
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

fn count(length: usize) -> i64 {
    i64::try_from(length).unwrap_or(i64::MAX)
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
    fn the_score_is_that_of_the_paper() {
        // Term: 9 and 1; all: 100 and 300; prior: 10 of 400.
        let odds = |y: f64, n: f64| ((y + 10.0) / (n + 400.0 - y - 10.0)).ln();
        let expected = (odds(9.0, 100.0) - odds(1.0, 300.0)) / (1.0_f64 / 19.0 + 1.0 / 11.0).sqrt();
        let score = z_score((9.0, 1.0), (100.0, 300.0));
        assert!((score - expected).abs() < 1e-12, "{score}");
        assert!(score > Z_95);
    }
}
