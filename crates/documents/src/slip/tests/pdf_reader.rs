//! A reader of our own files, strict about what a tolerant viewer repairs: offsets, lengths, nesting.

use crate::helvetica::FontWeight;
use crate::win_ansi::WinAnsiText;
use flate2::read::ZlibDecoder;
use std::io::Read;

/// A text on the page, in points from the lower left corner.
#[derive(Clone, Debug, PartialEq)]
pub struct ShownText {
    pub bytes: Vec<u8>,
    pub x: f32,
    pub baseline: f32,
    pub width: f32,
    pub size: f32,
}

/// Rectangles in modules, and the area that they are scaled to: left, top, width and height of a module.
#[derive(Clone, Debug, PartialEq)]
pub struct ModulePicture {
    pub matrix: [f32; 6],
    pub rectangles: Vec<[f32; 4]>,
}

#[derive(Debug, Default)]
pub struct PageContent {
    pub texts: Vec<ShownText>,
    pub pictures: Vec<ModulePicture>,
}

fn find(bytes: &[u8], part: &[u8]) -> Option<usize> {
    bytes.windows(part.len()).position(|window| window == part)
}

fn read_number(bytes: &[u8]) -> usize {
    let digits: String =
        bytes.iter().map(|byte| char::from(*byte)).take_while(char::is_ascii_digit).collect();
    digits.parse().unwrap()
}

fn find_number(bytes: &[u8], key: &str) -> usize {
    read_number(&bytes[find(bytes, key.as_bytes()).unwrap_or_else(|| panic!("{key}")) + key.len()..])
}

/// Every object by the table of offsets. Fails if the file is not whole.
pub fn read_objects(pdf: &[u8]) -> Vec<&[u8]> {
    assert!(pdf.starts_with(b"%PDF-1.7\n") && pdf.ends_with(b"%%EOF"));
    let tail = &pdf[pdf.len() - 40..];
    let table = &pdf[find_number(tail, "startxref\n")..];
    assert!(table.starts_with(b"xref\n0 "));
    let count = find_number(table, "xref\n0 ");
    let entries = &table[find(table, b" f").unwrap() - 16..];
    assert_eq!(find_number(table, "/Size "), count);
    let mut objects = Vec::new();
    for number in 1..count {
        let entry = &entries[number * 20..][..20];
        assert!(entry.ends_with(b" 00000 n\r\n"), "{entry:?}");
        let object = &pdf[read_number(entry)..];
        let head = format!("{number} 0 obj\n");
        assert!(object.starts_with(head.as_bytes()), "object {number}");
        objects.push(&object[head.len()..]);
    }
    objects
}

/// The operators of the one page, without compression.
pub fn read_content(pdf: &[u8]) -> Vec<u8> {
    let objects = read_objects(pdf);
    let is_kind = |object: &&&[u8], kind: &str| {
        let end = find(object, b"endobj").unwrap();
        find(&object[..end], kind.as_bytes()).is_some()
    };
    assert_eq!(objects.iter().filter(|object| is_kind(object, "/Type /Page\n")).count(), 1);
    let pages = objects.iter().find(|object| is_kind(object, "/Type /Pages\n")).unwrap();
    assert_eq!(find_number(pages, "/Count "), 1);
    let page = objects.iter().find(|object| is_kind(object, "/Type /Page\n")).unwrap();
    let stream = objects[find_number(page, "/Contents ") - 1];
    let start = find(stream, b"stream\n").unwrap() + 7;
    let end = start + find_number(stream, "/Length ");
    assert!(stream[end..].starts_with(b"\nendstream\nendobj"));
    let mut content = Vec::new();
    ZlibDecoder::new(&stream[start..end]).read_to_end(&mut content).unwrap();
    content
}

/// A text in parentheses or angle brackets, and where it ends.
fn read_text(content: &[u8]) -> (Vec<u8>, usize) {
    let mut bytes = Vec::new();
    if content[0] == b'<' {
        let end = find(content, b">").unwrap();
        let digits = std::str::from_utf8(&content[1..end]).unwrap();
        let pairs = (0..digits.len()).step_by(2);
        bytes.extend(pairs.map(|at| u8::from_str_radix(&digits[at..at + 2], 16).unwrap()));
        return (bytes, end + 1);
    }
    let (mut depth, mut at) = (0, 0);
    loop {
        match content[at] {
            b'\\' => {
                at += 1;
                assert!(b"\\()".contains(&content[at]), "no other escape is needed");
                bytes.push(content[at]);
            }
            byte => {
                depth += i32::from(byte == b'(') - i32::from(byte == b')');
                bytes.push(byte);
            }
        }
        at += 1;
        if depth == 0 {
            return (bytes[1..bytes.len() - 1].to_vec(), at);
        }
    }
}

/// What is shown, and where. Fails if states, texts or marks are not closed in order.
pub fn read_page(pdf: &[u8]) -> PageContent {
    let content = read_content(pdf);
    let (mut page, mut open, mut at) = (PageContent::default(), Vec::new(), 0);
    let mut operands: Vec<String> = Vec::new();
    let (mut text, mut weight, mut matrix) = (Vec::new(), FontWeight::Regular, None);
    let (mut size, mut place) = (0.0, [0.0; 2]);
    while at < content.len() {
        let byte = content[at];
        if byte.is_ascii_whitespace() {
            at += 1;
            continue;
        }
        if byte == b'(' || (byte == b'<' && content[at + 1] != b'<') {
            let (bytes, length) = read_text(&content[at..]);
            (text, at) = (bytes, at + length);
            continue;
        }
        let length = content[at..].iter().position(|byte| byte.is_ascii_whitespace() || *byte == b'(');
        let word =
            String::from_utf8(content[at..at + length.unwrap_or(content.len() - at)].to_vec()).unwrap();
        at += word.len();
        let number = |back: usize| operands[operands.len() - back].parse::<f32>().unwrap();
        match word.as_str() {
            "q" | "BT" => open.push(word.clone()),
            "BDC" => open.push(word.clone()),
            "Q" => {
                assert_eq!(open.pop().as_deref(), Some("q"));
                matrix = None;
            }
            "ET" => assert_eq!(open.pop().as_deref(), Some("BT")),
            "EMC" => assert_eq!(open.pop().as_deref(), Some("BDC")),
            "cm" => {
                matrix = Some([6, 5, 4, 3, 2, 1].map(number));
                page.pictures.push(ModulePicture { matrix: matrix.unwrap(), rectangles: Vec::new() });
            }
            "re" if matrix.is_some() => {
                page.pictures.last_mut().unwrap().rectangles.push([4, 3, 2, 1].map(number));
            }
            "Tf" => {
                weight = match operands[operands.len() - 2].as_str() {
                    "/R" => FontWeight::Regular,
                    _ => FontWeight::Bold,
                };
                size = number(1);
            }
            "Td" => place = [number(2), number(1)],
            "Tj" => {
                assert_eq!(open.last().map(String::as_str), Some("BT"));
                let width = weight.measure_text(&WinAnsiText::from_bytes(text.clone()), size);
                let [x, baseline] = place;
                page.texts.push(ShownText { bytes: text.clone(), x, baseline, width, size });
            }
            _ => operands.push(word),
        }
    }
    assert!(open.is_empty(), "{open:?}");
    page
}
