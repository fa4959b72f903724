//! The QR code of a Pix as a picture.

use image::{GrayImage, ImageFormat, Luma};
use qrcode::{Color, EcLevel, QrCode};
use std::io::Cursor;

/// Pixels of a module.
const SCALE: u32 = 8;
/// The quiet zone around the code, in modules.
const MARGIN: u32 = 4;

/// The code of a text as PNG; nothing for a text that is too long for one.
pub(super) fn draw_qr_code(text: &str) -> Option<Vec<u8>> {
    let code = QrCode::with_error_correction_level(text, EcLevel::M).ok()?;
    let width = u32::try_from(code.width()).ok()?;
    let find_module = |pixel: u32| {
        let module = (pixel / SCALE).checked_sub(MARGIN).filter(|module| *module < width);
        module.map(|module| module as usize)
    };
    let side = (width + 2 * MARGIN) * SCALE;
    let picture = GrayImage::from_fn(side, side, |x, y| match (find_module(x), find_module(y)) {
        (Some(x), Some(y)) if code[(x, y)] == Color::Dark => Luma([0]),
        _ => Luma([u8::MAX]),
    });
    let mut png = Cursor::new(Vec::new());
    picture.write_to(&mut png, ImageFormat::Png).ok()?;
    Some(png.into_inner())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_picture_has_the_modules_and_a_quiet_zone() {
        let text = "00020126380014br.gov.bcb.pix";
        let code = QrCode::with_error_correction_level(text, EcLevel::M).unwrap();
        let picture = image::load_from_memory(&draw_qr_code(text).unwrap()).unwrap().into_luma8();
        let modules = u32::try_from(code.width()).unwrap() + 2 * MARGIN;
        assert_eq!(picture.dimensions(), (modules * SCALE, modules * SCALE));
        let is_dark = |x: u32, y: u32| picture.get_pixel(x * SCALE + 3, y * SCALE + 3).0[0] == 0;
        assert!(
            (0..modules).all(|at| !is_dark(at, 0) && !is_dark(at, MARGIN - 1) && !is_dark(modules - 1, at))
        );
        for (y, row) in (MARGIN..).zip(code.to_colors().chunks(code.width())) {
            for (x, module) in (MARGIN..).zip(row) {
                assert_eq!(is_dark(x, y), *module == Color::Dark, "{x} {y}");
            }
        }
        assert!(draw_qr_code(&"x".repeat(3_000)).is_none());
    }
}
