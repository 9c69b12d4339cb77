//! What the help of each command ends with.

use clap::Command;

/// Commands for a shell, one a line; `$FORM` and the like stand for ids.
const EXAMPLES: &[&str] = &[
    #[cfg(feature = "demo")]
    include_str!("demo/examples.sh"),
    include_str!("examples.sh"),
];

fn examples() -> impl Iterator<Item = &'static str> {
    EXAMPLES.iter().flat_map(|file| file.lines())
}

/// The command and those below it, the help of each with the first two examples that begin with its name.
pub(crate) fn with_examples(command: Command, name: &str) -> Command {
    let of_it = |example: &&str| {
        let rest = example.strip_prefix(name);
        rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(' '))
    };
    let mut help = "Examples:".to_owned();
    for example in examples().filter(of_it).take(2) {
        help.push_str("\n  ");
        help.push_str(example);
    }
    let below = |command: Command| {
        let name = format!("{name} {}", command.get_name());
        with_examples(command, &name)
    };
    command.mut_subcommands(below).after_help(help)
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    use super::*;

    /// The names of the commands that have none below them.
    fn leaves(command: &Command, name: &str) -> Vec<String> {
        let below = command.get_subcommands();
        let leaves: Vec<_> = below
            .flat_map(|command| leaves(command, &format!("{name} {}", command.get_name())))
            .collect();
        if leaves.is_empty() {
            vec![name.to_owned()]
        } else {
            leaves
        }
    }

    #[test]
    fn every_command_has_one_or_two_examples_that_it_takes() {
        for name in leaves(&crate::Cli::command(), "feedback") {
            let examples: Vec<_> = examples()
                .filter(|example| example.starts_with(&name))
                .collect();
            assert!((1..=2).contains(&examples.len()), "{name}: {examples:?}");
            let seal = format!("1:{}", "0".repeat(64));
            let examples = examples.iter().map(|one| one.replace("$SEAL", &seal));
            for example in examples {
                let words = example.split(' ');
                let words = words.take_while(|word| !["<", ">", "|"].contains(word));
                let taken = crate::Cli::command().try_get_matches_from(words);
                assert!(taken.is_ok(), "{example}: {taken:?}");
            }
        }
    }
}
