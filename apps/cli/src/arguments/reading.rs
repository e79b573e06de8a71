//! How a data file is read.

use super::words::{words, words_of};
use clap::Args;
use pellucid::{Error, files};

/// How a data file is read.
#[derive(Args)]
#[command(next_help_heading = "Reading")]
pub struct ReadingChoice {
    /// Format of the data; default: recognised by content
    #[arg(long, value_parser = words(&data_formats()))]
    pub format: Option<String>,
    /// Whether the first line names the columns
    #[arg(long, value_parser = words(words_of::<files::Header>()), default_value = "auto", hide_default_value = true)]
    pub header: String,
    /// Field separator; default: guessed
    #[arg(long, value_name = "CHAR")]
    pub separator: Option<String>,
    /// Additional words that stand for a missing value, separated by commas
    #[arg(long, value_name = "WORDS", value_delimiter = ',')]
    pub missing: Vec<String>,
    /// Type of a column
    #[arg(long = "type", value_name = "COLUMN=TYPE", help = types_help())]
    pub types: Vec<String>,
    /// Decimal sign, . or ,; default: guessed
    #[arg(long, value_name = "SIGN", value_parser = [".", ","])]
    pub decimal: Option<String>,
    /// Thousands separator: , . ' or space; default: guessed
    #[arg(long, value_name = "SIGN", value_parser = [",", ".", "'", "space", " "])]
    pub thousands: Option<String>,
    /// Date format: dmy, mdy, ymd or a format such as %d.%m.%Y; default: guessed
    #[arg(long, value_name = "FORMAT")]
    pub date_format: Option<String>,
    /// Maximum number of columns of a dense file
    #[arg(long, value_name = "N")]
    pub max_columns: Option<usize>,
    /// Sort the ids of sparse rows instead of rejecting unsorted ones
    #[arg(long)]
    pub sort_ids: bool,
    /// Size of each image in a stack, as HEIGHTxWIDTH
    #[arg(long, value_name = "HxW")]
    pub stack: Option<String>,
}

impl ReadingChoice {
    /// The options as the readers take them.
    pub fn reading(&self) -> Result<files::Reading, Error> {
        let separator = match self.separator.as_deref() {
            None => None,
            Some("tab" | "\\t") => Some(b'\t'),
            Some(text) if text.len() == 1 => Some(text.as_bytes()[0]),
            Some(text) => return Err(Error::parameter("separator", text, "must be one character, or tab")),
        };
        let stack = match &self.stack {
            None => None,
            Some(text) => {
                let sizes = text.split_once('x').and_then(|(h, w)| Some((h.parse().ok()?, w.parse().ok()?)));
                Some(sizes.ok_or_else(|| Error::parameter("stack", text, "must be HEIGHTxWIDTH, such as 32x32"))?)
            }
        };
        let decimal_comma = self.decimal.as_deref().map(|sign| sign == ",");
        let thousands = self
            .thousands
            .as_deref()
            .map(|sign| if sign == "space" { ' ' } else { sign.chars().next().unwrap_or(' ') });
        if let (Some(decimal), Some(sign)) = (&self.decimal, &self.thousands)
            && decimal == sign
        {
            return Err(Error::parameter("thousands", sign, "is already the decimal sign"));
        }
        let mut types = std::collections::BTreeMap::new();
        for text in &self.types {
            let given =
                text.rsplit_once('=').and_then(|(name, word)| Some((name, files::ColumnType::from_word(word.trim())?)));
            let kinds = words_of::<files::ColumnType>().join(", ");
            let must = format!("must be COLUMN=TYPE, the type one of {kinds}");
            let (name, given) = given.ok_or_else(|| Error::parameter("type", text, must))?;
            types.insert(name.to_string(), given);
        }
        let usual = files::Reading::default();
        Ok(files::Reading {
            decimal_comma,
            thousands,
            date_format: self.date_format.clone(),
            types,
            format: self.format.as_deref().and_then(files::Format::from_word),
            header: files::Header::from_word(&self.header).unwrap_or(files::Header::Auto),
            separator,
            missing: usual.missing.iter().chain(&self.missing).cloned().collect(),
            max_columns: self.max_columns.unwrap_or(usual.max_columns),
            sort_ids: self.sort_ids,
            stack,
            ..usual
        })
    }
}

/// What columns may hold, for the help.
fn types_help() -> String {
    format!("Type of a column: {}; may be repeated", words_of::<files::ColumnType>().join(", "))
}

/// The formats of data; models tell what they are by their content alone.
fn data_formats() -> Vec<&'static str> {
    let models = [files::Format::Model, files::Format::Onnx, files::Format::SvmModel, files::Format::LinearModel]
        .map(files::Format::word);
    words_of::<files::Format>().iter().copied().filter(|word| !models.contains(word)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use pellucid::Task;
    use pellucid::picture::View;

    #[test]
    fn words_come_from_their_choices() {
        let all = "csv libsvm xmc arff npy npz idx parquet json png jpeg folder";
        assert_eq!(data_formats().join(" "), all);
        assert_eq!(words_of::<View>().join(" "), "heat gray scale mask blend project");
        assert_eq!(words_of::<Task>(), ["classify", "regress"]);
        assert!(words_of::<f64>().is_empty());
    }
}
