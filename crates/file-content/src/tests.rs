use crate::{PreparedFile, jpeg, prepare_file};
use domain::{FileKind, FileProblem};
use image::metadata::Orientation;
use image::{DynamicImage, ImageReader};
use std::io::Cursor;
use testkit::pictures::{self, SECRET, holds};

fn ready(bytes: Vec<u8>) -> PreparedFile {
    prepare_file(bytes.into()).unwrap_or_else(|problem| panic!("{problem:?}"))
}

fn refused(bytes: impl Into<Vec<u8>>) -> FileProblem {
    match prepare_file(bytes.into().into()) {
        Ok(ready) => panic!("taken as {:?}", ready.kind),
        Err(problem) => problem,
    }
}

fn opened(bytes: &[u8]) -> DynamicImage {
    ImageReader::new(Cursor::new(bytes)).with_guessed_format().unwrap().decode().unwrap()
}

/// True for red, false for blue.
fn is_red(image: &DynamicImage, x: u32, y: u32) -> bool {
    let pixel = image.to_rgb8().get_pixel(x, y).0;
    pixel[0] > pixel[2]
}

#[test]
fn a_phones_photo_loses_where_it_was_taken_and_stays_upright() {
    let given = pictures::phone_photo(1200, 800);
    assert!(holds(&given, SECRET));
    let kept = ready(given.clone());
    assert_eq!((kept.kind, kept.measures), (FileKind::Jpeg, Some((800, 1200))));
    assert!(
        !holds(&kept.bytes, SECRET) && !holds(&kept.bytes, "script") && kept.bytes.ends_with(&[0xff, 0xd9])
    );
    assert!(holds(&kept.bytes, "Exif"), "how it is held is still told");
    let exif = img_parts::jpeg::Jpeg::from_bytes(kept.bytes.clone()).unwrap();
    let exif = img_parts::ImageEXIF::exif(&exif).unwrap();
    assert_eq!((exif.len(), Orientation::from_exif_chunk(&exif)), (26, Some(Orientation::Rotate90)));
    // The picture itself is unchanged, pixel by pixel.
    assert_eq!(opened(&kept.bytes).to_rgb8(), opened(&given).to_rgb8());
    let small = opened(&kept.preview.unwrap());
    assert_eq!((small.width(), small.height()), (320, 480), "small, and upright");
    assert!(is_red(&small, 160, 10) && !is_red(&small, 160, 470), "what was left is above");
    // Cleaning is idempotent, so the same photo is recognised again.
    let again = ready(kept.bytes.to_vec());
    assert_eq!(again.sha256, kept.sha256);
    assert_eq!(ready(given).sha256, kept.sha256);
}

#[test]
fn what_stands_between_the_scans_of_a_jpeg_goes_too() {
    let plain = pictures::jpeg(64, 64);
    let end = plain.len() - 2;
    let hidden = [&plain[..end], b"\xff\xfe\0\x0fCameraSecreta", b"\xff\xd9"].concat();
    let (clean, orientation) = jpeg::clean_jpeg(&hidden).unwrap();
    assert_eq!(orientation, Orientation::NoTransforms);
    assert!(!holds(&clean, SECRET));
    assert_eq!(clean, jpeg::clean_jpeg(&plain).unwrap().0);
}

#[test]
fn a_png_and_a_webp_keep_the_picture_alone() {
    let png = ready(pictures::told_png(300, 200));
    assert_eq!((png.kind, png.measures), (FileKind::Png, Some((300, 200))));
    assert!(!holds(&png.bytes, SECRET));
    assert_eq!(opened(&png.bytes).to_rgb8(), pictures::halves(300, 200));
    let webp = ready(pictures::told_webp(300, 200));
    assert_eq!((webp.kind, webp.measures), (FileKind::Webp, Some((200, 300))), "it was held upright");
    assert!(!holds(&webp.bytes, SECRET) && holds(&webp.bytes, "EXIF"));
    assert_eq!(opened(&webp.bytes).to_rgb8(), pictures::halves(300, 200));
    let small = opened(&webp.preview.unwrap());
    assert!(is_red(&small, 100, 10) && !is_red(&small, 100, 290));
}

#[test]
fn documents_are_known_by_their_parts() {
    assert_eq!(ready(pictures::pdf()).kind, FileKind::Pdf);
    assert_eq!(ready(pictures::docx()).kind, FileKind::Docx);
    assert_eq!(ready(pictures::archive(&["[Content_Types].xml", "xl/workbook.xml"])).kind, FileKind::Xlsx);
    let macros = ["[Content_Types].xml", "word/document.xml", "word/vbaProject.bin"];
    assert_eq!(refused(pictures::archive(&macros)), FileProblem::Macros);
    assert_eq!(refused(pictures::archive(&["a.exe"])), FileProblem::Unknown);
    assert_eq!(
        refused(pictures::archive(&["[Content_Types].xml", "ppt/presentation.xml"])),
        FileProblem::Unknown
    );
    let mut cut = pictures::docx();
    cut.truncate(cut.len() / 2);
    assert_eq!(refused(cut), FileProblem::Unknown);
    // Claims more parts than any document has.
    let mut many = pictures::docx();
    let end = many.len() - 22;
    many[end + 10..end + 12].copy_from_slice(&[0xff, 0xff]);
    assert_eq!(refused(many), FileProblem::Unknown);
}

#[test]
fn whatever_runs_somewhere_is_no_file_of_ours() {
    for hostile in [
        "<!doctype html><script>alert(1)</script>",
        "<svg xmlns='http://www.w3.org/2000/svg' onload='alert(1)'/>",
        "<?xml version='1.0'?><svg/>",
        "#!/bin/sh\nrm -rf /\n",
        "MZ\u{0}\u{0}programa",
        "\u{7f}ELF",
        "GIF89a/*<script>*/=1;alert(1)",
        "{\"a\": 1}",
        "só um texto",
        " %PDF-1.4",
        "RIFF\u{0}\u{0}\u{0}\u{0}WAVE",
    ] {
        assert_eq!(refused(hostile), FileProblem::Unknown, "{hostile:?}");
    }
    assert_eq!(refused(""), FileProblem::Empty);
    assert_eq!(refused(&b"\0\0\0\x18ftypheic\0\0\0\0"[..]), FileProblem::Heic);
    // A script disguised as a photo: a valid signature followed by something else.
    for begun in [&b"\xff\xd8\xff"[..], b"\xff\xd8\xff\xe0", b"\x89PNG\r\n\x1a\n", b"RIFF\x20\0\0\0WEBPVP8 "]
    {
        let script = [begun, b"<script>alert(document.cookie)</script>"].concat();
        assert_eq!(refused(script), FileProblem::Broken, "{begun:?}");
    }
    let mut cut = pictures::jpeg(800, 600);
    cut.truncate(cut.len() / 2);
    assert_eq!(refused(cut), FileProblem::Broken);
    assert_eq!(refused(pictures::png_bomb()), FileProblem::TooManyPixels { most_megapixels: 50 });
}

/// Damaged input never panics, and nothing that cannot be decoded is accepted.
#[test]
fn bytes_that_were_shaken_are_refused_or_clean() {
    let whole = [
        pictures::phone_photo(48, 32),
        pictures::told_png(48, 32),
        pictures::told_webp(48, 32),
        pictures::docx(),
    ];
    let mut seed = 7_u64;
    let mut next = |most: usize| {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(seed >> 33).unwrap() % most
    };
    for round in 0..400 {
        let mut bytes = whole[round % whole.len()].clone();
        for _ in 0..=next(6) {
            let at = next(bytes.len());
            bytes[at] = u8::try_from(next(256)).unwrap();
        }
        bytes.truncate(bytes.len() - next(bytes.len() / 2));
        if let Ok(ready) = prepare_file(bytes.into()) {
            assert!(!ready.kind.is_picture() || !holds(&ready.bytes, "<script"), "{round}");
        }
    }
}
