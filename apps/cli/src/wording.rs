//! Advice of the library in the words of the command line: flags.

use pellucid::Advice;

/// The flag that does what is advised.
pub fn flags(advice: &Advice) -> Option<String> {
    Some(match advice {
        Advice::Prepare(steps) => format!("--prepare {}", quoted(steps)),
        Advice::Option { name, value } if value.is_empty() => format!("--{name}"),
        Advice::Option { name, value } => format!("--{name} {}", quoted(value)),
        Advice::Set { name, value } => format!("--set {}", quoted(&format!("{name}={value}"))),
    })
}

/// A word as a shell takes it; what is quoted already stays so.
fn quoted(word: &str) -> String {
    let plain = |c: char| c.is_alphanumeric() || "_-=.,:/@%+".contains(c);
    let done = word.len() > 1 && ['\'', '"'].iter().any(|q| word.starts_with(*q) && word.ends_with(*q));
    match done || word.chars().all(plain) {
        true => word.to_string(),
        false => format!("'{}'", word.replace('\'', r"'\''")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn advice_becomes_flags_that_a_shell_takes() {
        let said = |advice: Advice| flags(&advice).unwrap_or_default();
        assert_eq!(said(Advice::prepare("impute=mean")), "--prepare impute=mean");
        assert_eq!(said(Advice::option("sort-ids", "")), "--sort-ids");
        assert_eq!(said(Advice::option("ignore", "body mass")), "--ignore 'body mass'");
        assert_eq!(said(Advice::option("missing", "'1o23'")), "--missing '1o23'");
        assert_eq!(said(Advice::option("target", "it's")), r"--target 'it'\''s'");
        assert_eq!(said(Advice::set("rate", 0.1)), "--set rate=0.1");
    }
}
