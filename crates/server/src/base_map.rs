//! The offline base layer: the city's streets, so that a machine without internet shows a city and not a void.

use std::io::Write;
use std::path::Path;

use anyhow::{Context, Result, ensure};
use axum::extract::State;
use axum::http::header;
use axum::response::{IntoResponse, Response};
use bytes::Bytes;
use flate2::Compression;
use flate2::write::GzEncoder;
use utoipa_axum::routes;
use wire::{Permit, Refused, Routes};

const LARGEST_BYTES: u64 = 64 * 1024 * 1024;

/// The file, packed once at start. None when the installation has none.
#[derive(Clone, Default)]
pub struct BaseMap(Option<Bytes>);

impl BaseMap {
    /// Reads and packs a `GeoJSON` file.
    pub fn load(file: Option<&Path>) -> Result<Self> {
        let Some(file) = file else { return Ok(Self(None)) };
        let named = || format!("cannot read the base map {}", file.display());
        let size = std::fs::metadata(file).with_context(named)?.len();
        ensure!(size <= LARGEST_BYTES, "the base map {} is larger than 64 MiB", file.display());
        let text = std::fs::read(file).with_context(named)?;
        let shape: serde_json::Value = serde_json::from_slice(&text).with_context(named)?;
        ensure!(
            shape["type"] == "FeatureCollection",
            "the base map {} is no FeatureCollection",
            file.display()
        );
        let mut packer = GzEncoder::new(Vec::new(), Compression::best());
        packer.write_all(&text)?;
        Ok(Self(Some(packer.finish()?.into())))
    }
}

/// The route.
pub fn routes(map: BaseMap) -> Routes {
    Routes::new("server").add_unwrapped(Permit::SignedIn, routes!(base)).with_state(map)
}

/// The base map, a `GeoJSON` FeatureCollection in WGS-84, always gzip-encoded.
#[utoipa::path(get, path = "/map/base", tag = "map",
    responses((status = 200, content_type = "application/geo+json", body = serde_json::Value), (status = 404)))]
async fn base(State(map): State<BaseMap>) -> Response {
    match map.0 {
        None => Refused::UnknownPath.into_response(),
        Some(packed) => (
            [
                (header::CONTENT_TYPE, "application/geo+json"),
                (header::CONTENT_ENCODING, "gzip"),
                (header::CACHE_CONTROL, "private, max-age=3600"),
            ],
            packed,
        )
            .into_response(),
    }
}
