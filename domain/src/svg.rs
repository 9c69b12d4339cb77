//! How much an SVG draws. One of a few kilobytes can repeat its parts, which repeat others, until no browser gets to the end.

use std::collections::{BTreeSet, HashMap};
use std::iter::{repeat_n, successors};
use std::rc::Rc;

use xml::reader::{EventReader, XmlEvent};

/// Elements that a drawing may have once all that it repeats is counted as often as it is drawn.
pub const MAX_DRAWN: usize = 10_000;

/// Of what is filled with one only colours are drawn, however it is repeated.
const GRADIENTS: [&str; 3] = ["linearGradient", "radialGradient", "meshgradient"];
/// What draws something else once, for the element that has it; other properties draw it for all that is inside of that element.
const ONCE: [&str; 3] = ["clip-path", "mask", "filter"];
/// What is drawn once for each shape; others may be drawn at each point of its outline, as markers are.
const OF_SHAPES: [&str; 2] = ["fill", "stroke"];
/// The rules of a style for which it is not told to what they apply.
const ANYTHING: &str = "*";

/// The elements of an SVG, and what each draws besides itself.
#[derive(Default)]
pub struct Drawing {
    elements: Vec<Element>,
    /// Where the element of an id is.
    ids: HashMap<String, usize>,
    /// What the rules of its styles draw, …
    rules: Vec<Vec<Draws>>,
    /// … and those that apply to whatever has a name.
    rules_of: HashMap<String, Vec<usize>>,
}

#[derive(Default)]
struct Element {
    tag: String,
    parent: Option<usize>,
    parts: Vec<usize>,
    /// The names by which rules of styles apply to it.
    keys: BTreeSet<String>,
    /// More than the points of its outline.
    points: usize,
    /// The id of what is drawn in its place.
    href: Option<String>,
    references: Vec<Reference>,
    /// Where those lead.
    draws: Vec<Draws>,
}

/// The id of an element that another draws.
struct Reference {
    drawn: Drawn,
    id: String,
}

/// Where the element is that another draws.
#[derive(Clone, Copy)]
struct Draws {
    drawn: Drawn,
    target: usize,
}

/// A rule of a style: to what it applies, and its references.
struct Rule<'s> {
    keys: BTreeSet<&'s str>,
    references: Vec<Reference>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Drawn {
    Once,
    ByShape,
    ByPoint,
}

impl Drawing {
    /// Reads an SVG that was cleaned: its entities are resolved, and its styles have no escapes.
    ///
    /// # Errors
    /// It is no XML, or something in it is named in a way that only browsers understand.
    pub fn read(svg: &[u8]) -> Result<Self, String> {
        let mut drawing = Self::default();
        let mut open = Vec::new();
        let mut style = String::new();
        for event in EventReader::new(svg) {
            match event.map_err(|error| error.to_string())? {
                XmlEvent::StartElement {
                    name, attributes, ..
                } => {
                    let pairs = attributes
                        .into_iter()
                        .map(|one| (one.name.local_name, one.value));
                    let parent = open.last().copied();
                    open.push(drawing.add(name.local_name, parent, pairs));
                }
                XmlEvent::EndElement { .. } => drop(open.pop()),
                XmlEvent::Characters(text) => {
                    let is_style = |at: &usize| drawing.elements[*at].tag == "style";
                    if open.last().is_some_and(is_style) {
                        style.push_str(&text);
                    }
                }
                _ => {}
            }
        }
        let rules = rules_of(&style);
        let all = drawing.elements.iter().flat_map(|one| &one.references);
        let all = all.chain(rules.iter().flat_map(|rule| &rule.references));
        let hrefs = drawing.elements.iter().filter_map(|one| one.href.as_ref());
        if all
            .map(|one| &one.id)
            .chain(hrefs)
            .any(|id| id.contains('%'))
        {
            return Err("refers to something by a name with `%`".to_owned());
        }
        for at in 0..drawing.elements.len() {
            drawing.elements[at].draws = drawing.draws(&drawing.elements[at].references);
        }
        for (at, rule) in rules.iter().enumerate() {
            let draws = drawing.draws(&rule.references);
            drawing.rules.push(draws);
            for key in &rule.keys {
                let rules = drawing.rules_of.entry((*key).to_owned());
                rules.or_default().push(at);
            }
        }
        Ok(drawing)
    }

    /// Adds an element; where it is.
    fn add(
        &mut self,
        tag: String,
        parent: Option<usize>,
        attributes: impl Iterator<Item = (String, String)>,
    ) -> usize {
        let at = self.elements.len();
        let mut element = Element {
            parent,
            keys: BTreeSet::from([tag.clone(), ANYTHING.to_owned()]),
            tag,
            ..Element::default()
        };
        for (name, value) in attributes {
            match name.as_str() {
                "id" => {
                    element.keys.insert(format!("#{value}"));
                    self.ids.entry(value).or_insert(at);
                }
                "class" => {
                    let classes = value.split_ascii_whitespace();
                    element
                        .keys
                        .extend(classes.map(|class| format!(".{class}")));
                }
                "href" => element.href = value.strip_prefix('#').map(str::to_owned),
                "style" => element.references.extend(declared(&value)),
                "d" | "points" => element.points = value.len(),
                _ => element.references.extend(referred(&name, &value)),
            }
        }
        if let Some(parent) = parent {
            self.elements[parent].parts.push(at);
        }
        self.elements.push(element);
        at
    }

    /// Whether more than 10,000 elements are drawn; without end, where one is drawn for itself.
    pub fn is_endless(&self) -> bool {
        let mut drawn = 1;
        // With what it inherits, where that is not from around it.
        let mut todo: Vec<(usize, Option<Rc<[Draws]>>)> = vec![(0, None)];
        while let Some((at, inherited)) = todo.pop() {
            let Some(element) = self.elements.get(at) else {
                continue;
            };
            let before = inherited.unwrap_or_else(|| self.inherited_around(at));
            let (once, inherited) = self.drawn_by(element, before);
            let target = element.href.as_ref().and_then(|id| self.target(id));
            let parts = element.parts.iter().copied().chain(target);
            let mut next: Vec<_> = parts.map(|part| (part, Some(inherited.clone()))).collect();
            drawn += next.len();
            for draws in once.iter().chain(&*inherited) {
                let times = match draws.drawn {
                    Drawn::ByPoint => 1 + element.points,
                    Drawn::Once | Drawn::ByShape => 1,
                };
                drawn += times;
                if drawn > MAX_DRAWN {
                    return true;
                }
                next.extend(repeat_n((draws.target, None), times));
            }
            if drawn > MAX_DRAWN {
                return true;
            }
            todo.append(&mut next);
        }
        false
    }

    /// What is drawn for an id.
    fn target(&self, id: &str) -> Option<usize> {
        let target = *self.ids.get(id)?;
        let is_gradient = GRADIENTS.contains(&&*self.elements[target].tag);
        (!is_gradient).then_some(target)
    }

    /// Where references lead, but for those that lead nowhere.
    fn draws(&self, references: &[Reference]) -> Vec<Draws> {
        let draws = references.iter().filter_map(|reference| {
            let target = self.target(&reference.id)?;
            let drawn = reference.drawn;
            Some(Draws { drawn, target })
        });
        draws.collect()
    }

    /// What an element draws for itself alone, and what for itself and all that is inside of it, with what it inherits.
    fn drawn_by(&self, element: &Element, before: Rc<[Draws]>) -> (Vec<Draws>, Rc<[Draws]>) {
        let rules = element.keys.iter().filter_map(|key| self.rules_of.get(key));
        let rules: BTreeSet<usize> = rules.flatten().copied().collect();
        let styled = rules
            .into_iter()
            .flat_map(|rule| self.rules[rule].iter().copied());
        let all = element.draws.iter().copied().chain(styled);
        let (once, own): (Vec<_>, Vec<_>) = all.partition(|one| one.drawn == Drawn::Once);
        if own.is_empty() {
            return (once, before);
        }
        (once, before.iter().copied().chain(own).collect())
    }

    /// What an element inherits from those that it is in.
    fn inherited_around(&self, at: usize) -> Rc<[Draws]> {
        let parent = |at: &usize| self.elements[*at].parent;
        let around = successors(parent(&at), parent);
        around.fold(Rc::default(), |all, at| {
            self.drawn_by(&self.elements[at], all).1
        })
    }
}

/// The rules of a style sheet that have references, each with the last names of its selectors: `.class`, `#id`, a tag, or `*` where one is
/// more than a name.
fn rules_of(style: &str) -> Vec<Rule<'_>> {
    let anything = |text| Rule {
        keys: BTreeSet::from([ANYTHING]),
        references: referred("", text).collect(),
    };
    // Where comments begin and end is not told here.
    if style.contains("/*") {
        return vec![anything(style)];
    }
    let rules = style.split('}').flat_map(|block| {
        let (before, declarations) = block.rsplit_once('{').unwrap_or((block, ""));
        let (_, selectors) = before.rsplit_once(['{', ';']).unwrap_or(("", before));
        let rule = Rule {
            keys: selectors.split(',').map(key_of).collect(),
            references: declared(declarations).collect(),
        };
        [anything(before), rule]
    });
    rules.filter(|rule| !rule.references.is_empty()).collect()
}

/// A name of the elements that a selector applies to.
fn key_of(selector: &str) -> &str {
    let last = selector.rsplit([' ', '\t', '\n', '\r', '>', '+', '~']);
    let last = last.into_iter().find(|one| !one.is_empty());
    let last = last.unwrap_or(ANYTHING);
    let is_of_name = |c: char| c.is_alphanumeric() || "-_.#".contains(c);
    if !last.chars().all(is_of_name) {
        return ANYTHING;
    }
    let place = last.rfind(['.', '#']).unwrap_or_default();
    &last[place..]
}

/// The references of declarations such as `fill: url(#a); stroke: none`.
fn declared(declarations: &str) -> impl Iterator<Item = Reference> {
    let has_comments = declarations.contains("/*");
    declarations.split(';').flat_map(move |declaration| {
        let (name, value) = declaration.split_once(':').unwrap_or(("", declaration));
        referred(if has_comments { "" } else { name.trim() }, value)
    })
}

/// The references in the value of a property.
fn referred(property: &str, value: &str) -> impl Iterator<Item = Reference> {
    let property = property.to_ascii_lowercase();
    let drawn = if ONCE.contains(&&*property) {
        Drawn::Once
    } else if OF_SHAPES.contains(&&*property) {
        Drawn::ByShape
    } else {
        Drawn::ByPoint
    };
    let parts = value.split('(').zip(value.split('(').skip(1));
    parts.filter_map(move |(before, inside)| {
        let begin = before.len().checked_sub("url".len())?;
        let is_url = before.get(begin..)?.eq_ignore_ascii_case("url");
        let id = inside.split(')').next()?.trim_matches([' ', '"', '\'']);
        let id = id.strip_prefix('#').filter(|id| is_url && !id.is_empty())?;
        Some(Reference {
            drawn,
            id: id.to_owned(),
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn is_endless(svg: &str) -> bool {
        let svg = format!("<svg xmlns=\"http://www.w3.org/2000/svg\">{svg}</svg>");
        Drawing::read(svg.as_bytes()).unwrap().is_endless()
    }

    /// Five groups, each of which draws what is before it ten times.
    fn nested(group: impl Fn(usize) -> String) -> String {
        let groups: String = (1..=5).map(group).collect();
        format!("<g id=\"a0\"><path class=\"c0\" d=\"M0 0\"/></g>{groups}")
    }

    #[test]
    fn what_is_repeated_counts_as_often_as_it_is_drawn() {
        let used = |times: usize| {
            let uses = "<use href=\"#a\"/>".repeat(times);
            format!("<g id=\"a\"><path/><path/><path/></g>{uses}")
        };
        // The svg, the group and its paths; each use draws itself and the four.
        assert!(!is_endless(&used(1_999)));
        assert!(is_endless(&used(2_000)));
        assert!(is_endless("<g id=\"a\"><use href=\"#a\"/></g>"));
    }

    #[test]
    fn whatever_repeats_is_followed() {
        for attribute in [
            "fill=\"url(#a{n})\"",
            "stroke=\"URL('#a{n}')\"",
            "mask=\"url(#a{n})\"",
            "style=\"stroke: none; clip-path: url(#a{n})\"",
            "style=\"marker:/*;clip-path:*/url(#a{n})\"",
            "class=\"c{n}\"",
        ] {
            let svg = nested(|n| {
                let before = n - 1;
                let attribute = attribute.replace("{n}", &before.to_string());
                let style = format!("<style>g .c{before}, b{{fill:url(#a{before})}}</style>");
                let shapes = format!("<path {attribute}/>").repeat(10);
                format!("{style}<pattern id=\"a{n}\">{shapes}</pattern>")
            });
            assert!(is_endless(&svg), "{attribute}");
        }
        let inherited = nested(|n| {
            let shapes = "<path/>".repeat(10);
            format!(
                "<pattern id=\"a{n}\" fill=\"url(#a{})\">{shapes}</pattern>",
                n - 1
            )
        });
        assert!(is_endless(&inherited));
        let line = "0 ".repeat(6_000);
        let marked = |property: &str| {
            is_endless(&format!(
                "<marker id=\"m\"><path/></marker><g {property}><polyline points=\"{line}\"/></g>"
            ))
        };
        assert!(marked("marker-mid=\"url(#m)\""));
        assert!(marked("style=\"--a:url(#m);marker:var(--a)\""));
        assert!(!marked("fill=\"url(#m)\""));
    }

    #[test]
    fn logos_as_programs_write_them_are_drawn() {
        let style =
            "<style>.st0{fill:url(#g);clip-path:url(#clip)}.st1,.st2{mask:url(#mask)}</style>";
        let defs = "<defs><linearGradient id=\"g\"><stop/><stop/></linearGradient>
            <path id=\"outline\" d=\"M0 0\"/><clipPath id=\"clip\"><use href=\"#outline\"/></clipPath>
            <mask id=\"mask\"><path fill=\"url(#g)\"/></mask></defs>";
        let paths = "<path class=\"st0\"/><g class=\"st1 st3\"><path fill=\"url(#g)\"/></g>";
        let svg = format!("{style}{defs}{}", paths.repeat(500));
        assert!(!is_endless(&svg));
        let many = format!("<g fill=\"url(#g)\">{}</g>{defs}", "<path/>".repeat(5_000));
        assert!(!is_endless(&many));
    }

    #[test]
    fn a_rule_is_found_by_the_last_name_of_its_selector() {
        for (selector, key) in [
            (".a", ".a"),
            ("g > path.a", ".a"),
            ("#b ", "#b"),
            ("svg", "svg"),
            ("*", ANYTHING),
            (".a:not(.b)", ANYTHING),
            ("", ANYTHING),
        ] {
            assert_eq!(key_of(selector), key, "{selector}");
        }
        let rules = rules_of("@media print{.a{fill:url(#p)}} .b{fill:red;.c{} stroke:url(#q)}");
        let of = |rule: &Rule| {
            (
                rule.keys.iter().copied().collect::<String>(),
                rule.references[0].id.clone(),
            )
        };
        let rules: Vec<_> = rules.iter().map(of).collect();
        let expected = [(".a", "p"), (ANYTHING, "q")];
        assert_eq!(
            rules,
            expected.map(|(key, id)| (key.to_owned(), id.to_owned()))
        );
    }
}
