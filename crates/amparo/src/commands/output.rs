//! How commands show progress and long lists.

use indicatif::{ProgressBar, ProgressStyle};

/// On standard error, and only where that is a terminal.
pub fn build_spinner(template: &str) -> ProgressBar {
    let style = ProgressStyle::with_template(template);
    ProgressBar::new_spinner().with_style(style.unwrap_or_else(|_| ProgressStyle::default_spinner()))
}

/// The first names, and the number of the others.
pub fn join_first(names: impl IntoIterator<Item = impl ToString>, most: usize) -> String {
    let mut names = names.into_iter();
    let first: Vec<String> = names.by_ref().take(most).map(|name| name.to_string()).collect();
    match names.count() {
        0 => first.join(", "),
        more => format!("{} e mais {more}", first.join(", ")),
    }
}

#[cfg(test)]
mod tests {
    use super::join_first;

    #[test]
    fn a_long_list_ends_in_the_number_of_the_others() {
        assert_eq!(join_first([1, 2, 3], 3), "1, 2, 3");
        assert_eq!(join_first(["a", "b", "c"], 1), "a e mais 2");
        assert_eq!(join_first(Vec::<i32>::new(), 5), "");
    }
}
