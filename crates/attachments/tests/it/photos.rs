//! Photos as phones make them.

use std::io::Cursor;

use exif::experimental::Writer;
use exif::{Field, In, Rational, Tag, Value};
use image::{DynamicImage, ImageFormat, Rgb, RgbImage};

/// Something that only the camera wrote.
pub const CAMERA: &str = "Secret Camera 9000";

fn ascii(text: &str) -> Value {
    Value::Ascii(vec![text.as_bytes().to_vec()])
}

fn degrees(degrees: u32, minutes: u32) -> Value {
    let whole = |num| Rational { num, denom: 1 };
    Value::Rational(vec![whole(degrees), whole(minutes), whole(0)])
}

/// A picture whose left half is red and whose right half is blue.
pub fn halves(width: u32, height: u32) -> DynamicImage {
    let half = |x| if x < width / 2 { Rgb([220, 20, 20]) } else { Rgb([20, 20, 220]) };
    RgbImage::from_fn(width, height, |x, _| half(x)).into()
}

/// As a file.
pub fn file(picture: &DynamicImage, format: ImageFormat) -> Vec<u8> {
    let mut file = Cursor::new(Vec::new());
    picture.write_to(&mut file, format).unwrap();
    file.into_inner()
}

/// A JPEG taken at 24°30′ N 118°06′ E on 2026-09-21 22:13:20 in Shanghai, by a phone held on its side.
pub fn phone_photo() -> Vec<u8> {
    let fields = [
        (Tag::Model, ascii(CAMERA)),
        (Tag::Orientation, Value::Short(vec![6])),
        (Tag::DateTimeOriginal, ascii("2026:09:21 22:13:20")),
        (Tag::GPSLatitudeRef, ascii("N")),
        (Tag::GPSLatitude, degrees(24, 30)),
        (Tag::GPSLongitudeRef, ascii("E")),
        (Tag::GPSLongitude, degrees(118, 6)),
    ];
    let fields = fields.map(|(tag, value)| Field { tag, ifd_num: In::PRIMARY, value });
    let mut writer = Writer::new();
    for field in &fields {
        writer.push_field(field);
    }
    let mut written = Cursor::new(Vec::new());
    writer.write(&mut written, false).unwrap();
    let exif = [b"Exif\0\0".as_slice(), written.get_ref()].concat();
    let jpeg = file(&halves(400, 300), ImageFormat::Jpeg);
    let length = u16::try_from(exif.len() + 2).unwrap().to_be_bytes();
    [&jpeg[..2], &[0xff, 0xe1], &length, &exif, &jpeg[2..]].concat()
}
