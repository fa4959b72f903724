//! Attached files: the owner, the kind and the name.

use crate::CaseKind;

/// The kind of record that a file is attached to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum FileOwner {
    Claim,
    Inspection,
    Ticket,
    Member,
}

impl FileOwner {
    pub const ALL: [FileOwner; 4] =
        [FileOwner::Claim, FileOwner::Inspection, FileOwner::Ticket, FileOwner::Member];

    /// The number stored in the database; never changes.
    pub const fn number(self) -> i64 {
        match self {
            FileOwner::Claim => 1,
            FileOwner::Inspection => 2,
            FileOwner::Ticket => 3,
            FileOwner::Member => 4,
        }
    }

    pub fn from_number(number: i64) -> Option<FileOwner> {
        FileOwner::ALL.into_iter().find(|owner| owner.number() == number)
    }

    /// The matching case kind; a member is not a case.
    pub const fn case_kind(self) -> Option<CaseKind> {
        match self {
            FileOwner::Claim => Some(CaseKind::Claim),
            FileOwner::Inspection => Some(CaseKind::Inspection),
            FileOwner::Ticket => Some(CaseKind::Ticket),
            FileOwner::Member => None,
        }
    }

    /// `None` for cases that cannot have files.
    pub fn from_case(kind: CaseKind) -> Option<FileOwner> {
        FileOwner::ALL.into_iter().find(|owner| owner.case_kind() == Some(kind))
    }
}

/// The kind of a file, determined by its content and not by its name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum FileKind {
    Jpeg,
    Png,
    Webp,
    Pdf,
    Docx,
    Xlsx,
}

impl FileKind {
    pub const ALL: [FileKind; 6] =
        [FileKind::Jpeg, FileKind::Png, FileKind::Webp, FileKind::Pdf, FileKind::Docx, FileKind::Xlsx];

    /// The number stored in the database; never changes.
    pub const fn number(self) -> i64 {
        match self {
            FileKind::Jpeg => 1,
            FileKind::Png => 2,
            FileKind::Webp => 3,
            FileKind::Pdf => 4,
            FileKind::Docx => 5,
            FileKind::Xlsx => 6,
        }
    }

    pub fn from_number(number: i64) -> Option<FileKind> {
        FileKind::ALL.into_iter().find(|kind| kind.number() == number)
    }

    pub const fn media_type(self) -> &'static str {
        match self {
            FileKind::Jpeg => "image/jpeg",
            FileKind::Png => "image/png",
            FileKind::Webp => "image/webp",
            FileKind::Pdf => "application/pdf",
            FileKind::Docx => "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
            FileKind::Xlsx => "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
        }
    }

    pub const fn is_picture(self) -> bool {
        matches!(self, FileKind::Jpeg | FileKind::Png | FileKind::Webp)
    }

    /// The valid extensions of this kind; the first is appended to a name without one.
    const fn extensions(self) -> &'static [&'static str] {
        match self {
            FileKind::Jpeg => &["jpg", "jpeg"],
            FileKind::Png => &["png"],
            FileKind::Webp => &["webp"],
            FileKind::Pdf => &["pdf"],
            FileKind::Docx => &["docx"],
            FileKind::Xlsx => &["xlsx"],
        }
    }
}

/// The longest stem, in characters.
const LONGEST: usize = 150;

/// A file name: one line, no path, with an extension that matches the content.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileName(String);

impl FileName {
    /// Turns any text into a valid name by leaving out the characters that are not allowed.
    pub fn sanitize(text: &str, kind: FileKind) -> FileName {
        let last = text.rsplit(['/', '\\']).next().unwrap_or_default();
        let visible: String = last.chars().filter(|c| !is_unsafe_char(*c)).collect();
        let words: Vec<&str> = visible.split_whitespace().collect();
        let name = words.join(" ");
        let name = name.trim_start_matches('.').trim_end_matches(['.', ' ']);
        let (stem, ending) = match name.rsplit_once('.') {
            Some((stem, ending)) if kind.extensions().contains(&ending.to_ascii_lowercase().as_str()) => {
                (stem, ending.to_owned())
            }
            _ => (name, kind.extensions()[0].to_owned()),
        };
        let stem: String = stem.chars().take(LONGEST).collect();
        let stem = if stem.trim().is_empty() { "arquivo".to_owned() } else { stem };
        FileName(format!("{stem}.{ending}"))
    }

    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// Invisible and direction-changing characters, which could disguise an extension such as `gpj.exe`, and reserved ones.
fn is_unsafe_char(c: char) -> bool {
    let turns =
        matches!(c, '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}');
    c.is_control() || turns || matches!(c, '<' | '>' | ':' | '"' | '|' | '?' | '*')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_lead_back_to_what_they_name() {
        for owner in FileOwner::ALL {
            assert_eq!(FileOwner::from_number(owner.number()), Some(owner));
        }
        for kind in FileKind::ALL {
            assert_eq!(FileKind::from_number(kind.number()), Some(kind));
        }
        assert_eq!((FileOwner::from_number(0), FileKind::from_number(99)), (None, None));
        assert_eq!(FileOwner::from_case(CaseKind::Ticket), Some(FileOwner::Ticket));
        assert_eq!(FileOwner::from_case(CaseKind::Appointment), None);
    }

    #[test]
    fn a_name_is_one_line_without_a_path_and_ends_in_what_it_holds() {
        for (text, kind, name) in [
            ("Foto da frente.jpg", FileKind::Jpeg, "Foto da frente.jpg"),
            ("IMG_0001.JPEG", FileKind::Jpeg, "IMG_0001.JPEG"),
            ("../../etc/passwd", FileKind::Pdf, "passwd.pdf"),
            ("C:\\fotos\\carro.png", FileKind::Png, "carro.png"),
            ("pagina.html", FileKind::Jpeg, "pagina.html.jpg"),
            ("laudo\r\nSet-Cookie: a=b.pdf", FileKind::Pdf, "laudoSet-Cookie a=b.pdf"),
            ("foto\u{202e}gpj.exe", FileKind::Jpeg, "fotogpj.exe.jpg"),
            ("  ", FileKind::Webp, "arquivo.webp"),
            ("...", FileKind::Xlsx, "arquivo.xlsx"),
            (".pdf", FileKind::Pdf, "pdf.pdf"),
            ("Orçamento  nº 3 .docx", FileKind::Docx, "Orçamento nº 3 .docx"),
            ("a\"b;c.pdf", FileKind::Pdf, "ab;c.pdf"),
        ] {
            assert_eq!(FileName::sanitize(text, kind).as_str(), name, "{text:?}");
        }
        let long = FileName::sanitize(&"ç".repeat(4000), FileKind::Pdf);
        assert_eq!(long.as_str().chars().count(), LONGEST + 4);
    }
}
