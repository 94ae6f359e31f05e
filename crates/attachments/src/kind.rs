//! What a file is, told by its content: names and declared types are whatever somebody typed.

use image::ImageFormat;
use vocabulary::choices;

choices! {
    /// What an attachment is.
    pub enum Kind("附件类型") {
        Jpeg = 1 => "JPEG 图片",
        Png = 2 => "PNG 图片",
        WebP = 3 => "WebP 图片",
        Pdf = 4 => "PDF 文档",
    }
}

impl Kind {
    /// What `content` is, when it is one of these.
    pub fn of_content(content: &[u8]) -> Option<Self> {
        match infer::get(content)?.mime_type() {
            "image/jpeg" => Some(Self::Jpeg),
            "image/png" => Some(Self::Png),
            "image/webp" => Some(Self::WebP),
            "application/pdf" => Some(Self::Pdf),
            _ => None,
        }
    }

    /// How a picture of this kind is read; none: it is no picture.
    pub const fn picture(self) -> Option<ImageFormat> {
        match self {
            Self::Jpeg => Some(ImageFormat::Jpeg),
            Self::Png => Some(ImageFormat::Png),
            Self::WebP => Some(ImageFormat::WebP),
            Self::Pdf => None,
        }
    }

    /// The type under which it is shown: every picture is shown as a JPEG of ours.
    pub const fn shown_as(self) -> &'static str {
        match self {
            Self::Jpeg | Self::Png | Self::WebP => "image/jpeg",
            Self::Pdf => "application/pdf",
        }
    }

    /// How a browser is to take it: pictures in the page, documents to a file.
    pub const fn disposition(self) -> (&'static str, &'static str) {
        match self {
            Self::Jpeg | Self::Png | Self::WebP => ("inline", "jpg"),
            Self::Pdf => ("attachment", "pdf"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_what_it_holds_and_nothing_else_is_taken() {
        for (content, kind) in [
            (&b"\xff\xd8\xff\xe0\0\x10JFIF"[..], Some(Kind::Jpeg)),
            (b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR", Some(Kind::Png)),
            (b"RIFF\x24\0\0\0WEBPVP8 ", Some(Kind::WebP)),
            (b"%PDF-1.7\n", Some(Kind::Pdf)),
            (b"GIF89a", None),
            (b"<svg xmlns='http://www.w3.org/2000/svg'/>", None),
            (b"<html><script>alert(1)</script>", None),
            (b"PK\x03\x04", None),
            (b"\x7fELF", None),
            (b"", None),
        ] {
            assert_eq!(Kind::of_content(content), kind, "{:?}", String::from_utf8_lossy(content));
        }
    }
}
