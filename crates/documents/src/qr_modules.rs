//! QR codes as rows of dark modules.

use crate::qr_mask::choose_mask;
use qrcode::canvas::Canvas;
use qrcode::{Color, EcLevel, QrResult, bits, ec};

pub(crate) struct QrPicture {
    /// With the quiet zone.
    pub(crate) size: u16,
    pub(crate) runs: Vec<DarkModuleRun>,
}

/// Dark modules beside each other, from the top left corner of the quiet zone.
pub(crate) struct DarkModuleRun {
    pub(crate) x: u16,
    pub(crate) y: u16,
    pub(crate) length: u16,
}

/// Quiet zone around the code, in modules.
const MARGIN: u16 = 4;
/// A printed code may be folded or stained.
const CORRECTION: EcLevel = EcLevel::M;
/// In bytes. A BR Code has at most 512; more would be modules too small for a camera, and `choose_mask` needs codes of at
/// most 128 modules.
const LONGEST: usize = 512;

/// Nothing for a text that is empty or too long for a code.
pub(crate) fn build_qr_picture(text: &str) -> Option<QrPicture> {
    if text.trim().is_empty() || text.len() > LONGEST {
        return None;
    }
    let modules = build_modules(text).ok()?;
    let width = modules.len().isqrt();
    let mut runs = Vec::new();
    for (y, row) in (MARGIN..).zip(modules.chunks(width)) {
        let mut x = MARGIN;
        for modules in row.chunk_by(|one, next| one == next) {
            let length = modules.len() as u16;
            if modules[0] == Color::Dark {
                runs.push(DarkModuleRun { x, y, length });
            }
            x += length;
        }
    }
    Some(QrPicture { size: width as u16 + 2 * MARGIN, runs })
}

/// The steps of `QrCode::with_error_correction_level`, with another judge of the masks: theirs takes nine tenths of the
/// time of a whole slip.
fn build_modules(text: &str) -> QrResult<Vec<Color>> {
    let bits = bits::encode_auto(text.as_bytes(), CORRECTION)?;
    let version = bits.version();
    let (data, correction) = ec::construct_codewords(&bits.into_bytes(), version, CORRECTION)?;
    let mut canvas = Canvas::new(version, CORRECTION);
    canvas.draw_all_functional_patterns();
    canvas.draw_data(&data, &correction);
    let mask = choose_mask(&canvas);
    canvas.apply_mask(mask);
    Ok(canvas.into_colors())
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use qrcode::QrCode;

    fn list_dark(text: &str) -> Vec<(u16, u16)> {
        let mut dark = Vec::new();
        for run in &build_qr_picture(text).unwrap().runs {
            dark.extend((run.x..run.x + run.length).map(|x| (x, run.y)));
        }
        dark
    }

    #[test]
    fn a_code_has_its_margin_and_a_text() {
        let text = "00020126380014br.gov.bcb.pix";
        let code = QrCode::with_error_correction_level(text, EcLevel::M).unwrap();
        assert_eq!(usize::from(build_qr_picture(text).unwrap().size), code.width() + 8);
        for text in ["", " ", &"x".repeat(LONGEST + 1), &"x".repeat(3_000)] {
            assert!(build_qr_picture(text).is_none());
        }
    }

    proptest! {
        #[test]
        fn the_code_is_the_one_that_the_library_chooses(text in "[0-9A-Z]{1,400}|[ -~]{1,512}") {
            prop_assume!(!text.trim().is_empty());
            let code = QrCode::with_error_correction_level(&text, EcLevel::M).unwrap();
            let mut expected = Vec::new();
            for y in 0..code.width() {
                let columns = (0..code.width()).filter(|x| code[(*x, y)] == Color::Dark);
                expected.extend(columns.map(|x| (x as u16 + MARGIN, y as u16 + MARGIN)));
            }
            prop_assert_eq!(list_dark(&text), expected);
        }
    }
}
