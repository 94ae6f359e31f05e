//! A picture as it is shown: read whole and written anew, so that nothing of the file it came in goes on to others (where
//! it was taken, what is hidden behind its end, what a browser would take for a script).

use std::io::Cursor;

use image::codecs::jpeg::JpegEncoder;
use image::{DynamicImage, ImageDecoder, ImageError, ImageFormat, ImageReader, Limits, Rgb, RgbImage};

/// More pixels are not read: a small file may claim to be larger than the memory.
pub const PIXELS_MAX: u64 = 50_000_000;
/// The longer side of what is shown, pixels.
pub const SIDE_MAX: u32 = 2560;
/// What reading one picture may allocate: 50 million pixels of four bytes.
const MEMORY_MAX_BYTES: u64 = 256 * 1024 * 1024;
const QUALITY_PERCENT: u8 = 85;

/// Why a picture cannot be shown.
#[derive(Debug, thiserror::Error)]
pub enum NotAPicture {
    /// It has more pixels than are read.
    #[error("图片超过 {} 万像素，请缩小后再上传", PIXELS_MAX / 10_000)]
    TooLarge,
    /// It is broken, or not what its beginning says.
    #[error("图片已损坏，无法读取")]
    Broken(#[source] ImageError),
}

impl From<ImageError> for NotAPicture {
    fn from(error: ImageError) -> Self {
        match error {
            ImageError::Limits(_) => Self::TooLarge,
            other => Self::Broken(other),
        }
    }
}

/// The picture upright as a JPEG of at most [`SIDE_MAX`] pixels on a side.
pub fn shown(content: &[u8], format: ImageFormat) -> Result<Vec<u8>, NotAPicture> {
    let mut limits = Limits::default();
    limits.max_alloc = Some(MEMORY_MAX_BYTES);
    let mut reader = ImageReader::with_format(Cursor::new(content), format);
    reader.limits(limits);
    let mut decoder = reader.into_decoder()?;
    let (width, height) = decoder.dimensions();
    if u64::from(width) * u64::from(height) > PIXELS_MAX {
        return Err(NotAPicture::TooLarge);
    }
    let orientation = decoder.orientation()?;
    let mut picture = DynamicImage::from_decoder(decoder)?;
    if width.max(height) > SIDE_MAX {
        picture = picture.thumbnail(SIDE_MAX, SIDE_MAX);
    }
    picture.apply_orientation(orientation);
    let mut written = Vec::new();
    JpegEncoder::new_with_quality(&mut written, QUALITY_PERCENT).encode_image(&on_white(&picture))?;
    Ok(written)
}

/// Without transparency: what shines through is white, as in the page.
fn on_white(picture: &DynamicImage) -> RgbImage {
    if !picture.color().has_alpha() {
        return picture.to_rgb8();
    }
    let seen = picture.to_rgba8();
    RgbImage::from_fn(seen.width(), seen.height(), |x, y| {
        let [r, g, b, a] = seen.get_pixel(x, y).0.map(u32::from);
        Rgb([r, g, b].map(|part| ((part * a + 255 * (255 - a)) / 255) as u8))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn png(picture: &DynamicImage) -> Vec<u8> {
        let mut file = Cursor::new(Vec::new());
        picture.write_to(&mut file, ImageFormat::Png).unwrap();
        file.into_inner()
    }

    fn read(jpeg: &[u8]) -> DynamicImage {
        image::load_from_memory_with_format(jpeg, ImageFormat::Jpeg).unwrap()
    }

    #[test]
    fn what_is_shown_fits_a_screen_and_keeps_its_proportions() {
        let wide = png(&DynamicImage::new_luma8(4000, 1000));
        let shown = read(&shown(&wide, ImageFormat::Png).unwrap());
        assert_eq!((shown.width(), shown.height()), (2560, 640));
        let small = png(&DynamicImage::new_rgb8(30, 20));
        let shown = read(&super::shown(&small, ImageFormat::Png).unwrap());
        assert_eq!((shown.width(), shown.height()), (30, 20));
    }

    #[test]
    fn what_shines_through_is_white() {
        let clear = png(&DynamicImage::new_rgba8(8, 8));
        let shown = read(&shown(&clear, ImageFormat::Png).unwrap()).to_rgb8();
        assert!(shown.pixels().all(|pixel| pixel.0.iter().all(|part| *part > 250)));
    }

    #[test]
    fn a_small_file_that_claims_to_be_huge_is_refused_unread() {
        // A PNG's head with its size changed, and the checksum to match.
        let mut bomb = png(&DynamicImage::new_luma8(1, 1));
        bomb[16..20].copy_from_slice(&100_000_u32.to_be_bytes());
        bomb[20..24].copy_from_slice(&100_000_u32.to_be_bytes());
        let mut checksum = u32::MAX;
        for byte in &bomb[12..29] {
            checksum ^= u32::from(*byte);
            for _ in 0..8 {
                checksum = (checksum >> 1) ^ (0xEDB8_8320 & (checksum & 1).wrapping_neg());
            }
        }
        bomb[29..33].copy_from_slice(&(!checksum).to_be_bytes());
        assert!(matches!(shown(&bomb, ImageFormat::Png), Err(NotAPicture::TooLarge)));
    }

    #[test]
    fn a_file_that_ends_early_or_is_something_else_is_refused() {
        let whole = png(&DynamicImage::new_rgb8(64, 64));
        for broken in [&whole[..whole.len() / 2], b"\x89PNG\r\n\x1a\n"] {
            assert!(matches!(shown(broken, ImageFormat::Png), Err(NotAPicture::Broken(_))));
        }
        assert!(matches!(shown(&whole, ImageFormat::Jpeg), Err(NotAPicture::Broken(_))));
    }
}
