//! Photos that riders take with their phones: small pictures of a street, drawn from a number, with the place and the time
//! that a phone writes into them.

use std::io::Cursor;

use exif::experimental::Writer;
use exif::{Field, In, Rational, Tag, Value};
use image::codecs::jpeg::JpegEncoder;
use image::{ExtendedColorType, Rgb, RgbImage};

const WIDTH: u32 = 480;
const HEIGHT: u32 = 360;
const QUALITY_PERCENT: u8 = 80;
const SHANGHAI_MS: i64 = 8 * 3_600_000;

/// A JPEG of what `number` makes up, taken at `[lng, lat]` (WGS-84) at `at_ms`.
pub fn photo(number: u64, [lng, lat]: [f64; 2], at_ms: i64) -> Vec<u8> {
    let mut jpeg = Vec::new();
    let picture = street(number);
    JpegEncoder::new_with_quality(&mut jpeg, QUALITY_PERCENT)
        .encode(&picture, WIDTH, HEIGHT, ExtendedColorType::Rgb8)
        .expect("a picture of this size can be written");
    with_exif(&jpeg, &exif([lng, lat], at_ms))
}

/// A JPEG of a card as somebody photographs it: a face, and lines that say who he is. It tells of no place and no time.
pub fn card(number: u64) -> Vec<u8> {
    let (tone, lines) = ((number % 60) as u8, 3 + (number / 60 % 3) as u32);
    let picture = RgbImage::from_fn(WIDTH, HEIGHT, |x, y| {
        let (left, top) = (x.wrapping_sub(60), y.wrapping_sub(60));
        let face = (x.abs_diff(130).pow(2) + (y.abs_diff(165)).pow(2)) < 45 * 45;
        let length = 130 + (number / 7 % 9) as u32 * 10;
        let line = (230..230 + length).contains(&x) && top / 36 < lines && top % 36 > 22 && y > 100;
        match () {
            () if left >= 360 || top >= 240 => Rgb([96, 84 + tone / 3, 72]),
            () if y < 96 => Rgb([40 + tone, 96, 168]),
            () if face => Rgb([226, 190, 160 + tone / 2]),
            () if line => Rgb([70, 74, 82]),
            () => Rgb([244, 245, 240]),
        }
    });
    let mut jpeg = Vec::new();
    JpegEncoder::new_with_quality(&mut jpeg, QUALITY_PERCENT)
        .encode(&picture, WIDTH, HEIGHT, ExtendedColorType::Rgb8)
        .expect("a picture of this size can be written");
    jpeg
}

/// Sky, houses, pavement, and bikes that stand on it.
fn street(number: u64) -> RgbImage {
    let horizon = 150 + (number % 40) as u32;
    let kerb = 270 + (number / 40 % 30) as u32;
    let house_width = 60 + (number / 1_200 % 50) as u32;
    let bikes = 1 + (number / 60_000 % 5) as u32;
    RgbImage::from_fn(WIDTH, HEIGHT, |x, y| {
        let grain = ((x * 31 + y * 17) ^ (x * y / 7)) as u8 % 6;
        let bike = x / 60 < bikes && x % 60 > 12 && x % 60 < 48 && y > kerb - 24 && y < kerb + 8;
        let roof = horizon - 40 - (x / house_width * 37 + number as u32 % 97) % 60;
        let [r, g, b] = match y {
            _ if bike => [24, 130, 225],
            y if y < roof => [150 - (y / 3) as u8 % 40, 190, 230],
            y if y < horizon => [170 - (x / house_width * 23 % 60) as u8, 150, 140],
            y if y < kerb => [176, 174, 168],
            _ => [92, 94, 98],
        };
        Rgb([r, g, b].map(|part: u8| part.saturating_add(grain)))
    })
}

fn exif([lng, lat]: [f64; 2], at_ms: i64) -> Vec<u8> {
    let ascii = |text: &str| Value::Ascii(vec![text.as_bytes().to_vec()]);
    let (taken, side) = (written(at_ms), |positive: bool, of: [&'static str; 2]| of[usize::from(!positive)]);
    let fields = [
        (Tag::Make, ascii("Demo")),
        (Tag::DateTimeOriginal, ascii(&taken)),
        (Tag::OffsetTimeOriginal, ascii("+08:00")),
        (Tag::GPSLatitudeRef, ascii(side(lat >= 0.0, ["N", "S"]))),
        (Tag::GPSLatitude, Value::Rational(sexagesimal(lat))),
        (Tag::GPSLongitudeRef, ascii(side(lng >= 0.0, ["E", "W"]))),
        (Tag::GPSLongitude, Value::Rational(sexagesimal(lng))),
    ];
    let fields = fields.map(|(tag, value)| Field { tag, ifd_num: In::PRIMARY, value });
    let mut writer = Writer::new();
    for field in &fields {
        writer.push_field(field);
    }
    let mut written = Cursor::new(Vec::new());
    writer.write(&mut written, false).expect("these few fields can be written");
    written.into_inner()
}

/// Degrees, minutes and seconds; the seconds to a ten-thousandth.
fn sexagesimal(degrees: f64) -> Vec<Rational> {
    let parts = (degrees.abs() * 36_000_000.0).round() as u32;
    let of = |num, denom| Rational { num, denom };
    vec![of(parts / 36_000_000, 1), of(parts / 600_000 % 60, 1), of(parts % 600_000, 10_000)]
}

/// `YYYY:MM:DD HH:MM:SS` in Shanghai.
fn written(at_ms: i64) -> String {
    let local = vocabulary::Timestamp::from_millis(at_ms + SHANGHAI_MS).datetime();
    local.format("%Y:%m:%d %H:%M:%S").to_string()
}

/// The JPEG with these words of its camera behind its beginning.
fn with_exif(jpeg: &[u8], exif: &[u8]) -> Vec<u8> {
    const NAME: &[u8] = b"Exif\0\0";
    let length = u16::try_from(2 + NAME.len() + exif.len()).expect("a few fields fit into a segment");
    [&jpeg[..2], &[0xff, 0xe1], &length.to_be_bytes(), NAME, exif, &jpeg[2..]].concat()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_photo_is_a_small_jpeg_that_tells_where_and_when() {
        let taken = photo(7, [118.1234, 24.5], 1_790_000_000_000);
        assert!(taken.len() < 100_000, "{} bytes", taken.len());
        let picture = image::load_from_memory_with_format(&taken, image::ImageFormat::Jpeg).unwrap();
        assert_eq!((picture.width(), picture.height()), (WIDTH, HEIGHT));
        let exif = exif::Reader::new().read_from_container(&mut Cursor::new(&taken)).unwrap();
        let said = |tag| exif.get_field(tag, In::PRIMARY).unwrap().display_value().to_string();
        assert_eq!(said(Tag::DateTimeOriginal), "2026-09-21 22:13:20");
        assert_eq!(said(Tag::GPSLongitude), "118 deg 7 min 24.24 sec");
        assert_ne!(taken, photo(1_000_007, [118.1234, 24.5], 1_790_000_000_000), "another picture");
    }
}
