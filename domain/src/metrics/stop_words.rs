//! Words that a language always has, whatever somebody wants to say: English, German and French. Negations are none of them, because
//! they say something.

use std::collections::HashSet;
use std::sync::LazyLock;

const ENGLISH: &str = "a about after again all also am an and any are as at be because been before being both but by can could did do \
    does doing down during each few for from further get got had has have having he her here hers herself him himself his how i i'd \
    i'll i'm i've if in into is it it's its itself just let me more most my myself of off on once only or other our ours ourselves out \
    over own really same she should so some such than that that's the their theirs them themselves then there there's these they \
    they're this those through to too under until up us very was we we're we've were what when where which while who whom why will \
    with would you you're your yours yourself yourselves";
const GERMAN: &str = "aber ab alle allem allen aller alles als also am an andere anderem anderen anderer anderes auch auf aus bei beim \
    bereits bin bis bist da dabei dadurch dafür daher damit danach dann daran darauf daraus darin darüber das dass dazu dein deine dem \
    den denn der des deshalb dich die dies diese diesem diesen dieser dieses dir doch dort du durch eben eigentlich ein eine einem einen \
    einer eines einfach einige einmal er es etwas euch euer eure für ganz gar gegen gewesen hab habe haben hat hatte hatten hier hin \
    hinter hätte hätten ich ihm ihn ihnen ihr ihre ihrem ihren ihrer im immer in ins ist ja jede jedem jeden jeder jedes jetzt kann können \
    könnte man manche mal mehr mein meine meinem meinen meiner mich mir mit muss musste müssen nach noch nun nur ob oder ohne schon sehr \
    sein seine seinem seinen seiner seit sich sie sind so sogar solche soll sollte sondern sonst trotz u um und uns unser unsere unserem \
    unseren unserer unter viel viele vom von vor war waren warum was weg weil weiter welche wenn wer werde werden weshalb wie wieder will \
    wir wird wirklich wo wollen wollte wurde wurden während wäre würde zu zum zur zwar zwischen über";
const FRENCH: &str = "a ai alors as assez au aura aurait aussi autre autres aux avait avant avec avez avoir avons c ce ceci cela celle \
    celles celui ces cet cette ceux chaque chez comme d dans de depuis des donc dont du elle elles en encore entre est et eu eux fait \
    faire fois furent fut hier ici il ils j je jusque l la le les leur leurs lors lorsque lui là m ma mais me mes moi mon même mêmes n ne \
    nos notre nous on ont ou où par parce pendant peu peut plus pour pourquoi puis qu quand que quel quelle quelles quels qui quoi s sa \
    se sera serait ses si soi son sont sous suis sur t ta te tes toi ton tous tout toute toutes tres très tu un une vers voici voilà vos \
    votre vous y à ça étaient était étant été êtes être";

static STOP_WORDS: LazyLock<HashSet<&str>> = LazyLock::new(|| {
    let all = [ENGLISH, GERMAN, FRENCH].into_iter();
    all.flat_map(str::split_whitespace).collect()
});

/// Whether a word, in lower case, says nothing by itself. One with an elision says what follows it: `l’attente`.
pub fn is_stop_word(word: &str) -> bool {
    let is_known = |word: &str| STOP_WORDS.contains(word);
    let plain = word.replace('’', "'");
    let elided = plain.split_once('\'');
    is_known(&plain) || elided.is_some_and(|(head, tail)| is_known(head) && is_known(tail))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_of_each_language_say_nothing_and_negations_do() {
        for word in ["und", "ne", "was", "the", "très", "it’s", "qu’il", "j’ai"] {
            assert!(is_stop_word(word), "{word}");
        }
        for word in [
            "nicht",
            "not",
            "kein",
            "cold",
            "l’attente",
            "jamais",
            "never",
        ] {
            assert!(!is_stop_word(word), "{word}");
        }
    }
}
