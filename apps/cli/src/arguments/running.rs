//! What a command may use, and how it speaks.

use clap::Args;
use pellucid::Error;
use std::time::Duration;

/// What a command may use, and how it speaks.
#[derive(Args, Clone)]
#[command(next_help_heading = "Running")]
pub struct Running {
    /// Random seed
    #[arg(long, default_value_t = 1, value_name = "N")]
    pub seed: u64,
    /// Number of threads, 0 for all cores; results do not depend on it
    #[arg(long, default_value_t = 0, value_name = "N")]
    pub threads: usize,
    /// Memory limit, such as 500M or 8G; default: 80 % of the free memory
    #[arg(long, value_name = "SIZE")]
    pub memory: Option<String>,
    /// Time limit, such as 30s, 10m or 2h; the best result so far is kept
    #[arg(long, value_name = "TIME")]
    pub time: Option<String>,
    /// Print one JSON object instead of text
    #[arg(long)]
    pub json: bool,
    /// Exit with code 1 if a fit did not converge or attributions do not sum to the score
    #[arg(long)]
    pub strict: bool,
    /// Show neither progress nor notes
    #[arg(short, long)]
    pub quiet: bool,
}

/// A size such as 500M or 8G, in bytes.
pub fn size(text: &str) -> Result<u64, Error> {
    let wrong = || Error::parameter("memory", text, "must be a size such as 500M or 8G");
    let digits = text.trim_end_matches(|c: char| c.is_ascii_alphabetic());
    let unit = match text[digits.len()..].to_ascii_uppercase().as_str() {
        "" | "B" => 1.0,
        "K" | "KB" => 1024.0,
        "M" | "MB" => 1048576.0,
        "G" | "GB" => 1073741824.0,
        "T" | "TB" => 1099511627776.0,
        _ => return Err(wrong()),
    };
    match digits.parse::<f64>() {
        Ok(x) if x > 0.0 && x.is_finite() => Ok((x * unit) as u64),
        _ => Err(wrong()),
    }
}

/// A time such as 30s, 10m or 2h.
pub fn time(text: &str) -> Result<Duration, Error> {
    let wrong = || Error::parameter("time", text, "must be a time such as 30s, 10m or 2h");
    let digits = text.trim_end_matches(|c: char| c.is_ascii_alphabetic());
    let unit = match &text[digits.len()..] {
        "ms" => 0.001,
        "" | "s" => 1.0,
        "m" | "min" => 60.0,
        "h" => 3600.0,
        "d" => 86400.0,
        _ => return Err(wrong()),
    };
    match digits.parse::<f64>() {
        Ok(x) if x >= 0.0 && x * unit < 1e9 => Ok(Duration::from_secs_f64(x * unit)),
        _ => Err(wrong()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_and_times_as_people_write_them() {
        assert_eq!(size("8G"), Ok(8 << 30));
        assert_eq!(size("1.5kb"), Ok(1536));
        assert_eq!(size("100"), Ok(100));
        assert_eq!(time("10m"), Ok(Duration::from_secs(600)));
        assert_eq!(time("250ms"), Ok(Duration::from_millis(250)));
        for bad in ["", "G", "-1G", "8X", "nan", "1e400"] {
            assert!(size(bad).is_err(), "{bad}");
            assert!(time(bad).is_err(), "{bad}");
        }
    }
}
