//! What a model says of itself beside what it computes: names, meaning, link.

use base::{Features, Link, Meaning, Outputs};

const CLASSES: &str = "classes";
const FEATURES: &str = "features";
const MEANING: &str = "pellucid.meaning";
const LINK: &str = "pellucid.link";
const TARGET: &str = "pellucid.target";

/// The entries that a file gets.
pub fn metadata(inputs: &Features, outputs: &Outputs, target: Option<&str>) -> Vec<(String, String)> {
    let list = |names: &[String]| serde_json::Value::from(names.to_vec()).to_string();
    let mut entries = vec![
        (MEANING.to_string(), outputs.meaning.word().to_string()),
        (LINK.to_string(), outputs.link.word().to_string()),
        (CLASSES.to_string(), list(&outputs.names)),
    ];
    if outputs.meaning != Meaning::Classes {
        entries[2].0 = "outputs".into();
    }
    if inputs.names().is_some() || inputs.table().is_some() {
        let names: Vec<String> = (0..inputs.count()).map(|i| inputs.name(i)).collect();
        entries.push((FEATURES.into(), list(&names)));
    }
    entries.extend(target.map(|t| (TARGET.to_string(), t.to_string())));
    entries
}

/// What a file says of itself.
pub struct Said<'a>(pub &'a [(String, String)]);

impl Said<'_> {
    fn get(&self, key: &str) -> Option<&str> {
        self.0.iter().find(|(k, _)| k == key).map(|(_, value)| value.as_str())
    }

    /// The names of that many outputs: a JSON list, or names with commas or line breaks between them.
    pub fn outputs(&self, count: usize) -> Option<Vec<String>> {
        let keys = [CLASSES, "outputs", "labels", "class_names", "names"];
        keys.iter().filter_map(|key| self.get(key)).map(list).find(|names| names.len() == count)
    }

    /// Whether names are there that are called classes.
    pub fn speaks_of_classes(&self) -> bool {
        [CLASSES, "labels", "class_names", "names"].iter().any(|key| self.get(key).is_some())
    }

    /// The names of that many columns.
    pub fn features(&self, count: usize) -> Option<Vec<String>> {
        self.get(FEATURES).map(list).filter(|names| names.len() == count)
    }

    pub fn meaning(&self) -> Option<Meaning> {
        self.get(MEANING).and_then(Meaning::from_word)
    }

    pub fn link(&self) -> Option<Link> {
        self.get(LINK).and_then(Link::from_word)
    }

    pub fn target(&self) -> Option<String> {
        self.get(TARGET).map(str::to_string)
    }
}

fn list(text: &str) -> Vec<String> {
    if let Ok(names) = serde_json::from_str::<Vec<String>>(text) {
        return names;
    }
    let separator = if text.contains('\n') { '\n' } else { ',' };
    text.split(separator).map(|name| name.trim().to_string()).filter(|name| !name.is_empty()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_come_back() {
        let names = vec!["a, b".to_string(), "c\"\n".into()];
        let outputs = Outputs::classes(names.clone().into(), Link::Softmax);
        let entries = metadata(&Features::named(names.clone()), &outputs, Some("kind"));
        let said = Said(&entries);
        assert_eq!((said.outputs(2), said.features(2), said.outputs(3)), (Some(names.clone()), Some(names), None));
        assert_eq!((said.meaning(), said.link()), (Some(Meaning::Classes), Some(Link::Softmax)));
        assert_eq!(said.target().as_deref(), Some("kind"));
        let other = [("labels".to_string(), "cat, dog".to_string())];
        assert_eq!(Said(&other).outputs(2), Some(vec!["cat".into(), "dog".into()]));
        assert!(Said(&other).speaks_of_classes() && !Said(&[]).speaks_of_classes());
    }
}
