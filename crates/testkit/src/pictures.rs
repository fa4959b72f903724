//! Pictures and documents as people send them, made here: what a phone writes beside a photo, and what somebody hides in one.

use image::codecs::jpeg::JpegEncoder;
use image::codecs::webp::WebPEncoder;
use image::{DynamicImage, ExtendedColorType, ImageFormat, Rgb, RgbImage};
use std::io::{Cursor, Write};

/// Stands in everything that must not be kept.
pub const SECRET: &str = "CameraSecreta";

/// Red on the left, blue on the right: so one sees how it was turned.
pub fn halves(width: u32, height: u32) -> RgbImage {
    RgbImage::from_fn(
        width,
        height,
        |x, _| if x < width / 2 { Rgb([220, 20, 20]) } else { Rgb([20, 20, 220]) },
    )
}

pub fn jpeg(width: u32, height: u32) -> Vec<u8> {
    let mut out = Vec::new();
    JpegEncoder::new_with_quality(&mut out, 90).encode_image(&halves(width, height)).unwrap();
    out
}

/// What a camera writes: its maker, how it was held, and where.
pub fn exif(orientation: u8) -> Vec<u8> {
    let mut out = b"II*\0\x08\0\0\0\x03\0".to_vec();
    out.extend(b"\x0f\x01\x02\0\x0e\0\0\0\x32\0\0\0");
    out.extend([0x12, 0x01, 0x03, 0, 1, 0, 0, 0, orientation, 0, 0, 0]);
    out.extend(b"\x25\x88\x04\0\x01\0\0\0\x40\0\0\0\0\0\0\0");
    out.extend(SECRET.as_bytes());
    out.push(0);
    out.extend(b"\x02\0\x01\0\x02\0\x02\0\0\0S\0\0\0\x02\0\x05\0\x03\0\0\0\x5e\0\0\0\0\0\0\0");
    for part in [23_u32, 1, 33, 1, 1, 1] {
        out.extend(part.to_le_bytes());
    }
    out
}

fn segment(marker: u8, contents: &[u8]) -> Vec<u8> {
    let length = u16::try_from(contents.len() + 2).unwrap().to_be_bytes();
    [&[0xff, marker], &length[..], contents].concat()
}

/// A photo as a phone writes it, held upright, with a second picture behind its end.
pub fn phone_photo(width: u32, height: u32) -> Vec<u8> {
    let plain = jpeg(width, height);
    let exif = segment(0xe1, &[b"Exif\0\0", &exif(6)[..]].concat());
    let xmp = segment(0xe1, format!("http://ns.adobe.com/xap/1.0/\0<x>{SECRET}</x>").as_bytes());
    let comment = segment(0xfe, format!("<script>{SECRET}</script>").as_bytes());
    let several = segment(0xe2, format!("MPF\0{SECRET}").as_bytes());
    let behind = format!("<html><script>alert('{SECRET}')</script>");
    [&plain[..2], &exif, &xmp, &comment, &several, &plain[2..], behind.as_bytes()].concat()
}

pub fn png(width: u32, height: u32) -> Vec<u8> {
    let mut out = Cursor::new(Vec::new());
    DynamicImage::ImageRgb8(halves(width, height)).write_to(&mut out, ImageFormat::Png).unwrap();
    out.into_inner()
}

fn png_chunk(kind: [u8; 4], contents: &[u8]) -> Vec<u8> {
    let mut sum = flate2::Crc::new();
    sum.update(&kind);
    sum.update(contents);
    let length = u32::try_from(contents.len()).unwrap().to_be_bytes();
    [&length[..], &kind, contents, &sum.sum().to_be_bytes()].concat()
}

/// With a text, with what a camera wrote, and with something behind its end.
pub fn told_png(width: u32, height: u32) -> Vec<u8> {
    let plain = png(width, height);
    let text = png_chunk(*b"tEXt", format!("Comment\0{SECRET}").as_bytes());
    let exif = png_chunk(*b"eXIf", &exif(1));
    [&plain[..33], &text, &exif, &plain[33..], format!("<?php {SECRET} ?>").as_bytes()].concat()
}

/// A small file that says it is enormous.
pub fn png_bomb() -> Vec<u8> {
    let mut header = Vec::new();
    header.extend(60_000_u32.to_be_bytes());
    header.extend(60_000_u32.to_be_bytes());
    header.extend([8, 2, 0, 0, 0]);
    let plain = png(1, 1);
    let rest = &plain[33..];
    [&plain[..8], &png_chunk(*b"IHDR", &header), rest].concat()
}

/// With what a camera wrote, and something behind its end.
pub fn told_webp(width: u32, height: u32) -> Vec<u8> {
    let mut plain = Vec::new();
    WebPEncoder::new_lossless(&mut plain)
        .encode(&halves(width, height), width, height, ExtendedColorType::Rgb8)
        .unwrap();
    let chunk = |kind: &[u8; 4], contents: &[u8]| {
        let mut out = [&kind[..], &u32::try_from(contents.len()).unwrap().to_le_bytes(), contents].concat();
        if contents.len() % 2 == 1 {
            out.push(0);
        }
        out
    };
    let mut size = vec![0x0c, 0, 0, 0];
    size.extend(&(width - 1).to_le_bytes()[..3]);
    size.extend(&(height - 1).to_le_bytes()[..3]);
    let told = chunk(b"XMP ", format!("<x>{SECRET}</x>").as_bytes());
    let body = [b"WEBP", &chunk(b"VP8X", &size)[..], &plain[12..], &chunk(b"EXIF", &exif(6)), &told].concat();
    let length = u32::try_from(body.len()).unwrap().to_le_bytes();
    [b"RIFF", &length[..], &body, SECRET.as_bytes()].concat()
}

/// A document of parts with these names.
pub fn archive(names: &[&str]) -> Vec<u8> {
    let mut out = zip::ZipWriter::new(Cursor::new(Vec::new()));
    for name in names {
        let stored =
            zip::write::SimpleFileOptions::default().compression_method(zip::CompressionMethod::Stored);
        out.start_file(*name, stored).unwrap();
        out.write_all(b"<xml/>").unwrap();
    }
    out.finish().unwrap().into_inner()
}

pub fn docx() -> Vec<u8> {
    archive(&["[Content_Types].xml", "_rels/.rels", "word/document.xml"])
}

pub fn pdf() -> Vec<u8> {
    b"%PDF-1.4\n1 0 obj<</Type/Catalog>>endobj\ntrailer<</Root 1 0 R>>\n%%EOF\n".to_vec()
}

/// Whether these bytes stand anywhere in those.
pub fn holds(bytes: &[u8], part: &str) -> bool {
    bytes.windows(part.len()).any(|window| window == part.as_bytes())
}
