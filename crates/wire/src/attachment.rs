//! Download headers: a browser saves the file and never displays it as a page of ours.

use std::fmt::Write;

/// The headers of every download, except those specific to the file.
pub const HEADERS: [(&str, &str); 4] = [
    ("x-content-type-options", "nosniff"),
    ("content-security-policy", "sandbox; default-src 'none'"),
    ("cache-control", "private, no-store"),
    ("cross-origin-resource-policy", "same-origin"),
];

/// `Content-Disposition` for a download with this name, with an ASCII fallback for older programs.
pub fn build_content_disposition(name: &str) -> String {
    let plain: String = name.chars().map(|c| if is_plain_char(c) { c } else { '_' }).collect();
    let mut text = format!("attachment; filename=\"{plain}\"; filename*=UTF-8''");
    for byte in name.bytes() {
        let _ = match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' => {
                write!(text, "{}", char::from(byte))
            }
            _ => write!(text, "%{byte:02X}"),
        };
    }
    text
}

/// Whether the character may appear unescaped in the quoted name.
fn is_plain_char(c: char) -> bool {
    c.is_ascii_graphic() && !matches!(c, '"' | '\\' | '%' | '/' | ';') || c == ' '
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_told_in_both_ways_and_breaks_out_of_neither() {
        for (name, expected) in [
            ("frente.jpg", "attachment; filename=\"frente.jpg\"; filename*=UTF-8''frente.jpg"),
            (
                "Orçamento nº 3.pdf",
                "attachment; filename=\"Or_amento n_ 3.pdf\"; filename*=UTF-8''Or%C3%A7amento%20n%C2%BA%203.pdf",
            ),
            (
                "a\"; filename=b.html\r\nX: y",
                "attachment; filename=\"a__ filename=b.html__X: y\"; \
                 filename*=UTF-8''a%22%3B%20filename%3Db.html%0D%0AX%3A%20y",
            ),
        ] {
            assert_eq!(build_content_disposition(name), expected);
        }
    }
}
