//! QR codes, drawn into the page.

use qrcode::{Color, EcLevel, QrCode};
use std::fmt::Write;

/// A QR code: its size in modules, and the dark modules as an SVG path.
pub struct QrCodePicture {
    pub size: usize,
    pub path: String,
}

/// Quiet zone around the code, in modules.
const QR_MARGIN: usize = 4;

impl QrCodePicture {
    /// Of a text that is read from a screen.
    pub fn from_text(text: &str) -> Option<QrCodePicture> {
        QrCodePicture::draw(text, EcLevel::L)
    }

    /// Of a text that is printed, too, and may be folded or stained.
    pub fn from_printed_text(text: &str) -> Option<QrCodePicture> {
        QrCodePicture::draw(text, EcLevel::M)
    }

    fn draw(text: &str, correction: EcLevel) -> Option<QrCodePicture> {
        let code = QrCode::with_error_correction_level(text, correction).ok()?;
        let mut path = String::new();
        for (y, row) in code.to_colors().chunks(code.width()).enumerate() {
            for (x, _) in row.iter().enumerate().filter(|(_, dot)| **dot == Color::Dark) {
                let _ = write!(path, "M{} {}h1v1h-1z", x + QR_MARGIN, y + QR_MARGIN);
            }
        }
        Some(QrCodePicture { size: code.width() + 2 * QR_MARGIN, path })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_picture_has_its_margin_and_the_three_corners() {
        let picture =
            QrCodePicture::from_text("otpauth://totp/Amparo:ana%40b.example?secret=MZXW6YTBOI").unwrap();
        assert!(picture.size >= 21 + 2 * QR_MARGIN);
        let last = picture.size - QR_MARGIN - 1;
        for corner in [(QR_MARGIN, QR_MARGIN), (last, QR_MARGIN), (QR_MARGIN, last)] {
            assert!(picture.path.contains(&format!("M{} {}h", corner.0, corner.1)), "{corner:?}");
        }
        let text = "x".repeat(150);
        let sizes = [QrCodePicture::from_text(&text), QrCodePicture::from_printed_text(&text)]
            .map(|one| one.unwrap().size);
        assert!(sizes[0] < sizes[1], "{sizes:?}");
    }
}
