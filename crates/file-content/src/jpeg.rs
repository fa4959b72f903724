//! Reduces a JPEG to the picture: removes the metadata of cameras and programs, and any bytes between scans or after
//! the end, where a second file could hide. The picture itself is unchanged.
//!
//! (The available container crates keep everything after the first scan as it is.)

use image::metadata::Orientation;

const EXIF: &[u8] = b"Exif\0\0";

mod marker {
    pub const START: u8 = 0xd8;
    pub const END: u8 = 0xd9;
    pub const SCAN: u8 = 0xda;
    pub const JFIF: u8 = 0xe0;
    pub const EXIF: u8 = 0xe1;
    pub const PROFILE: u8 = 0xe2;
    pub const ADOBE: u8 = 0xee;
}

/// The picture and its orientation; `None` if the input is not a JPEG or is truncated.
pub fn clean_jpeg(input: &[u8]) -> Option<(Vec<u8>, Orientation)> {
    let mut rest = input.strip_prefix(&[0xff, marker::START])?;
    let mut out = Vec::with_capacity(input.len());
    out.extend([0xff, marker::START]);
    let mut orientation = None;
    let mut has_scan = false;
    loop {
        let (found, behind) = read_marker(rest)?;
        rest = behind;
        match found {
            marker::END if has_scan => break,
            // Standalone markers, and restart markers outside of a scan.
            0x01 | 0xd0..=0xd7 => continue,
            0x00 | marker::START | marker::END => return None,
            _ => {}
        }
        let length = usize::from(u16::from_be_bytes([*rest.first()?, *rest.get(1)?]));
        let contents = rest.get(2..length)?;
        rest = &rest[length..];
        if found == marker::EXIF && orientation.is_none() {
            orientation = contents.strip_prefix(EXIF).and_then(Orientation::from_exif_chunk);
        }
        if let Some(cleaned) = filter_segment(found, contents) {
            write_segment(&mut out, found, &cleaned);
        }
        if found == marker::SCAN {
            let end = find_scan_end(rest)?;
            out.extend(&rest[..end]);
            rest = &rest[end..];
            has_scan = true;
        }
    }
    out.extend([0xff, marker::END]);
    let orientation = orientation.unwrap_or(Orientation::NoTransforms);
    if orientation != Orientation::NoTransforms {
        // Directly after a JFIF segment, which must be first; otherwise at the start.
        let has_jfif = out.get(2..4) == Some(&[0xff, marker::JFIF]);
        let place = if has_jfif { 4 + usize::from(u16::from_be_bytes([out[4], out[5]])) } else { 2 };
        let mut exif = Vec::new();
        write_segment(&mut exif, marker::EXIF, &[EXIF, &encode_orientation(orientation)].concat());
        out.splice(place..place, exif);
    }
    Some((out, orientation))
}

/// The next marker, after optional fill bytes.
fn read_marker(rest: &[u8]) -> Option<(u8, &[u8])> {
    let rest = rest.strip_prefix(&[0xff])?;
    let at = rest.iter().position(|byte| *byte != 0xff)?;
    Some((rest[at], &rest[at + 1..]))
}

/// The part of a segment needed to display the picture.
fn filter_segment(found: u8, contents: &[u8]) -> Option<Vec<u8>> {
    match found {
        // Without the embedded thumbnail.
        marker::JFIF if contents.starts_with(b"JFIF\0") => Some([contents.get(..12)?, &[0, 0]].concat()),
        marker::PROFILE if contents.starts_with(b"ICC_PROFILE\0") => Some(contents.to_vec()),
        marker::ADOBE if contents.starts_with(b"Adobe") => Some(contents.get(..12)?.to_vec()),
        // Frames, tables and scans; no application segments or comments.
        0xc0..=0xdf => Some(contents.to_vec()),
        _ => None,
    }
}

fn write_segment(out: &mut Vec<u8>, marker: u8, contents: &[u8]) {
    let length = u16::try_from(contents.len() + 2).unwrap_or(2);
    out.extend([0xff, marker]);
    out.extend(length.to_be_bytes());
    out.extend(contents);
}

/// The end of the scan data: the first marker that is not part of it.
fn find_scan_end(data: &[u8]) -> Option<usize> {
    data.windows(2).position(|pair| pair[0] == 0xff && !matches!(pair[1], 0x00 | 0xd0..=0xd7))
}

/// A minimal EXIF block with the orientation as its only entry.
pub fn encode_orientation(orientation: Orientation) -> Vec<u8> {
    let mut exif = b"II*\0\x08\0\0\0\x01\0\x12\x01\x03\0\x01\0\0\0".to_vec();
    exif.extend([orientation.to_exif(), 0, 0, 0, 0, 0, 0, 0]);
    exif
}
