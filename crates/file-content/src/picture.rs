//! Pictures: removes metadata, decodes, and creates previews.

use crate::jpeg;
use bytes::Bytes;
use domain::{FileKind, FileProblem};
use image::codecs::jpeg::JpegEncoder;
use image::metadata::Orientation;
use image::{DynamicImage, ImageDecoder, ImageFormat, ImageReader, Limits, Rgb, RgbImage};
use img_parts::ImageEXIF;
use img_parts::png::Png;
use img_parts::riff::RiffContent;
use img_parts::webp::{self, WebP};
use std::io::Cursor;

/// Larger pictures are not decoded: a small file may expand to any size.
const MOST_MEGAPIXELS: u64 = 50;
/// Memory limit for decoding one picture.
const MOST_MEMORY: u64 = 320 * 1024 * 1024;
/// The longer side of a preview, in pixels.
const PREVIEW_SIDE: u32 = 480;
const PREVIEW_QUALITY: u8 = 80;
/// The flag for an XMP chunk in the header of an extended WebP.
const XMP_FLAG: u8 = 0b0000_0100;

/// A validated and cleaned picture.
pub struct PreparedPicture {
    pub bytes: Bytes,
    /// Width and height as displayed.
    pub measures: (u32, u32),
    pub preview: Bytes,
}

/// Removes metadata and creates the preview. The header is checked before anything is decoded.
pub fn prepare_picture(kind: FileKind, input: Bytes) -> Result<PreparedPicture, FileProblem> {
    let (bytes, orientation, format) = match kind {
        FileKind::Png => {
            let (bytes, orientation) = clean_png(input)?;
            (bytes, orientation, ImageFormat::Png)
        }
        FileKind::Webp => {
            let (bytes, orientation) = clean_webp(input)?;
            (bytes, orientation, ImageFormat::WebP)
        }
        _ => {
            let (bytes, orientation) = jpeg::clean_jpeg(&input).ok_or(FileProblem::Broken)?;
            (bytes.into(), orientation, ImageFormat::Jpeg)
        }
    };
    let (image, (width, height)) = decode_picture(&bytes, format)?;
    let mut small = match width > PREVIEW_SIDE || height > PREVIEW_SIDE {
        true => image.thumbnail(PREVIEW_SIDE, PREVIEW_SIDE),
        false => image,
    };
    small.apply_orientation(orientation);
    let is_sideways = matches!(
        orientation,
        Orientation::Rotate90
            | Orientation::Rotate270
            | Orientation::Rotate90FlipH
            | Orientation::Rotate270FlipH
    );
    let measures = if is_sideways { (height, width) } else { (width, height) };
    Ok(PreparedPicture { bytes, measures, preview: encode_preview(&small)? })
}

fn decode_picture(bytes: &Bytes, format: ImageFormat) -> Result<(DynamicImage, (u32, u32)), FileProblem> {
    let mut reader = ImageReader::with_format(Cursor::new(bytes.clone()), format);
    let mut limits = Limits::no_limits();
    limits.max_alloc = Some(MOST_MEMORY);
    reader.limits(limits);
    let decoder = reader.into_decoder().map_err(|_| FileProblem::Broken)?;
    let (width, height) = decoder.dimensions();
    if u64::from(width) * u64::from(height) > MOST_MEGAPIXELS * 1_000_000 {
        return Err(FileProblem::TooManyPixels { most_megapixels: MOST_MEGAPIXELS });
    }
    let image = DynamicImage::from_decoder(decoder).map_err(|_| FileProblem::Broken)?;
    Ok((image, (width, height)))
}

/// A JPEG with transparent areas on white.
fn encode_preview(image: &DynamicImage) -> Result<Bytes, FileProblem> {
    let rgba = image.to_rgba8();
    let flat = RgbImage::from_fn(rgba.width(), rgba.height(), |x, y| {
        let [red, green, blue, alpha] = rgba.get_pixel(x, y).0.map(u32::from);
        let on_white =
            |colour: u32| u8::try_from((colour * alpha + 255 * (255 - alpha)) / 255).unwrap_or(255);
        Rgb([on_white(red), on_white(green), on_white(blue)])
    });
    let mut out = Vec::new();
    JpegEncoder::new_with_quality(&mut out, PREVIEW_QUALITY)
        .encode_image(&flat)
        .map_err(|_| FileProblem::Broken)?;
    Ok(out.into())
}

fn read_orientation(exif: Option<Bytes>) -> Orientation {
    exif.and_then(|exif| Orientation::from_exif_chunk(&exif)).unwrap_or(Orientation::NoTransforms)
}

/// EXIF data with the orientation only.
fn build_exif(orientation: Orientation) -> Option<Bytes> {
    let is_turned = orientation != Orientation::NoTransforms;
    is_turned.then(|| jpeg::encode_orientation(orientation).into())
}

fn clean_png(input: Bytes) -> Result<(Bytes, Orientation), FileProblem> {
    let mut png = Png::from_bytes(input).map_err(|_| FileProblem::Broken)?;
    let orientation = read_orientation(png.exif());
    png.chunks_mut().retain(|chunk| {
        matches!(
            &chunk.kind(),
            b"IHDR" | b"PLTE" | b"IDAT" | b"IEND" | b"tRNS" | b"gAMA" | b"cHRM" | b"sRGB" | b"iCCP" | b"sBIT"
        )
    });
    if png.chunks().last().is_none_or(|last| last.kind() != *b"IEND") {
        return Err(FileProblem::Broken);
    }
    png.set_exif(build_exif(orientation));
    Ok((png.encoder().bytes(), orientation))
}

fn clean_webp(input: Bytes) -> Result<(Bytes, Orientation), FileProblem> {
    let mut picture = WebP::from_bytes(input).map_err(|_| FileProblem::Broken)?;
    if picture.has_chunk(webp::CHUNK_ANIM) || picture.has_chunk(webp::CHUNK_ANMF) {
        return Err(FileProblem::Animated);
    }
    let orientation = read_orientation(picture.exif());
    let allowed = [webp::CHUNK_VP8, webp::CHUNK_VP8L, webp::CHUNK_VP8X, webp::CHUNK_ALPH, webp::CHUNK_ICCP];
    picture.chunks_mut().retain(|chunk| allowed.contains(&chunk.id()));
    // The header of an extended file lists its chunks; the crate does not clear the flags of removed ones.
    for chunk in picture.chunks_mut().iter_mut().filter(|chunk| chunk.id() == webp::CHUNK_VP8X) {
        if let RiffContent::Data(header) = chunk.content_mut() {
            let mut bytes = header.to_vec();
            if let Some(flags) = bytes.first_mut() {
                *flags &= !XMP_FLAG;
            }
            *header = bytes.into();
        }
    }
    picture.set_exif(build_exif(orientation));
    Ok((picture.encoder().bytes(), orientation))
}
