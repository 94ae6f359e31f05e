//! Coordinates, each with its datum in its type. Inside the system everything is WGS-84; conversion happens at the
//! edges only.
//!
//! GCJ-02 shifts WGS-84 by a published smooth function of position inside a box around China; BD-09 shifts GCJ-02
//! once more. The inverse of GCJ-02 is found by fixed-point iteration, error under a millimetre here.

use std::f64::consts::PI;

use serde::{Deserialize, Serialize};

/// Which datum a coordinate was given in.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Datum {
    /// GPS.
    #[default]
    Wgs84,
    /// AMap, Tencent.
    Gcj02,
    /// Baidu.
    Bd09,
}

/// Latitude or longitude is not on the globe.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
#[error("坐标不在地球上：纬度 {lat}，经度 {lng}")]
pub struct NotACoordinate {
    /// Degrees north.
    pub lat: f64,
    /// Degrees east.
    pub lng: f64,
}

macro_rules! coordinate {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
        #[serde(try_from = "Degrees", into = "Degrees")]
        pub struct $name { lat: f64, lng: f64 }

        impl $name {
            /// Degrees north and east; refused when not on the globe or not a number.
            pub fn new(lat: f64, lng: f64) -> Result<Self, NotACoordinate> {
                if lat.abs() <= 90.0 && lng.abs() <= 180.0 { Ok(Self { lat, lng }) } else { Err(NotACoordinate { lat, lng }) }
            }

            /// Degrees north.
            pub const fn lat(self) -> f64 { self.lat }

            /// Degrees east.
            pub const fn lng(self) -> f64 { self.lng }
        }

        impl TryFrom<Degrees> for $name {
            type Error = NotACoordinate;
            fn try_from(degrees: Degrees) -> Result<Self, NotACoordinate> { Self::new(degrees.lat, degrees.lng) }
        }

        impl From<$name> for Degrees {
            fn from(place: $name) -> Self { Self { lat: place.lat, lng: place.lng } }
        }
    };
}

/// The stored form of a coordinate.
#[derive(Clone, Copy, Serialize, Deserialize)]
struct Degrees {
    lat: f64,
    lng: f64,
}

coordinate!(
    /// A place in WGS-84, as GPS gives it and as the system keeps it.
    Wgs84
);
coordinate!(
    /// A place in GCJ-02, as AMap and Tencent show it.
    Gcj02
);
coordinate!(
    /// A place in BD-09, as Baidu shows it.
    Bd09
);

const KRASOVSKY_A: f64 = 6_378_245.0;
const KRASOVSKY_EE: f64 = 0.006_693_421_622_965_943;
const BAIDU_PI: f64 = PI * 3000.0 / 180.0;

fn in_china(lat: f64, lng: f64) -> bool {
    (72.004..=137.8347).contains(&lng) && (0.8293..=55.8271).contains(&lat)
}

/// Degrees that GCJ-02 adds to WGS-84 at a place.
fn shift(lat: f64, lng: f64) -> (f64, f64) {
    let (x, y) = (lng - 105.0, lat - 35.0);
    let waves = |t: f64, a: f64, b: f64, c: f64| a * (t * PI).sin() + b * (t / c * PI).sin();
    let common = (20.0 * (6.0 * x * PI).sin() + 20.0 * (2.0 * x * PI).sin()) * 2.0 / 3.0;
    let root = x.abs().sqrt();
    let mut d_lat = -100.0 + 2.0 * x + 3.0 * y + 0.2 * y * y + 0.1 * x * y + 0.2 * root + common;
    d_lat += waves(y, 20.0, 40.0, 3.0) * 2.0 / 3.0;
    d_lat += (160.0 * (y / 12.0 * PI).sin() + 320.0 * (y * PI / 30.0).sin()) * 2.0 / 3.0;
    let mut d_lng = 300.0 + x + 2.0 * y + 0.1 * x * x + 0.1 * x * y + 0.1 * root + common;
    d_lng += waves(x, 20.0, 40.0, 3.0) * 2.0 / 3.0;
    d_lng += (150.0 * (x / 12.0 * PI).sin() + 300.0 * (x / 30.0 * PI).sin()) * 2.0 / 3.0;
    let phi = lat / 180.0 * PI;
    let magic = 1.0 - KRASOVSKY_EE * phi.sin() * phi.sin();
    (
        d_lat * 180.0 / (KRASOVSKY_A * (1.0 - KRASOVSKY_EE) / (magic * magic.sqrt()) * PI),
        d_lng * 180.0 / (KRASOVSKY_A / magic.sqrt() * phi.cos() * PI),
    )
}

impl From<Wgs84> for Gcj02 {
    fn from(place: Wgs84) -> Self {
        if !in_china(place.lat, place.lng) {
            return Self { lat: place.lat, lng: place.lng };
        }
        let (d_lat, d_lng) = shift(place.lat, place.lng);
        Self { lat: place.lat + d_lat, lng: place.lng + d_lng }
    }
}

impl From<Gcj02> for Wgs84 {
    fn from(place: Gcj02) -> Self {
        if !in_china(place.lat, place.lng) {
            return Self { lat: place.lat, lng: place.lng };
        }
        let (mut lat, mut lng) = (place.lat, place.lng);
        for _ in 0..6 {
            let (d_lat, d_lng) = shift(lat, lng);
            (lat, lng) = (place.lat - d_lat, place.lng - d_lng);
        }
        Self { lat, lng }
    }
}

impl From<Gcj02> for Bd09 {
    fn from(place: Gcj02) -> Self {
        let (x, y) = (place.lng, place.lat);
        let radius = x.hypot(y) + 0.000_02 * (y * BAIDU_PI).sin();
        let angle = y.atan2(x) + 0.000_003 * (x * BAIDU_PI).cos();
        Self { lat: radius * angle.sin() + 0.006, lng: radius * angle.cos() + 0.0065 }
    }
}

impl From<Bd09> for Gcj02 {
    fn from(place: Bd09) -> Self {
        let (x, y) = (place.lng - 0.0065, place.lat - 0.006);
        let radius = x.hypot(y) - 0.000_02 * (y * BAIDU_PI).sin();
        let angle = y.atan2(x) - 0.000_003 * (x * BAIDU_PI).cos();
        Self { lat: radius * angle.sin(), lng: radius * angle.cos() }
    }
}

impl Wgs84 {
    /// The place that was given as `lat`, `lng` in `datum`.
    pub fn from_datum(datum: Datum, lat: f64, lng: f64) -> Result<Self, NotACoordinate> {
        Ok(match datum {
            Datum::Wgs84 => Self::new(lat, lng)?,
            Datum::Gcj02 => Gcj02::new(lat, lng)?.into(),
            Datum::Bd09 => Gcj02::from(Bd09::new(lat, lng)?).into(),
        })
    }
}

/// Metres between two places on the sphere of mean radius 6,371,008.8 m (haversine).
pub fn distance_m(from: Wgs84, to: Wgs84) -> f64 {
    let (phi1, phi2) = (from.lat.to_radians(), to.lat.to_radians());
    let half = |degrees: f64| (degrees.to_radians() / 2.0).sin().powi(2);
    let a = half(to.lat - from.lat) + phi1.cos() * phi2.cos() * half(to.lng - from.lng);
    2.0 * 6_371_008.8 * a.sqrt().min(1.0).asin()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn xiamen() -> Wgs84 {
        Wgs84::new(24.4798, 118.0894).unwrap()
    }

    #[test]
    fn the_shift_in_china_is_hundreds_of_metres_and_comes_back() {
        let shifted = Gcj02::from(xiamen());
        let there = distance_m(xiamen(), Wgs84::new(shifted.lat(), shifted.lng()).unwrap());
        assert!((300.0..800.0).contains(&there), "{there}");
        assert!(distance_m(xiamen(), shifted.into()) < 0.01);
    }

    #[test]
    fn a_known_pair_converts() {
        // Tian'anmen, a pair that public converters agree on.
        let gcj = Gcj02::from(Wgs84::new(39.907_333, 116.391_083).unwrap());
        assert!((gcj.lat() - 39.908_736).abs() < 2e-5 && (gcj.lng() - 116.397_326).abs() < 2e-5, "{gcj:?}");
    }

    /// `[lat, lng]` in WGS-84 and in GCJ-02; `web/src/map/datum.test.ts` holds the web's conversion to the same.
    const PAIRS: [[[f64; 2]; 2]; 5] = [
        [[39.907_333, 116.391_083], [39.908_734_164, 116.397_324_046]],
        [[24.479_8, 118.089_4], [24.477_153_232, 118.094_377_084]],
        [[22.543_1, 114.057_9], [22.540_382_814, 114.063_013_999]],
        [[45.803_8, 126.535], [45.805_781_525, 126.541_040_35]],
        [[48.856_6, 2.352_2], [48.856_6, 2.352_2]],
    ];

    #[test]
    fn the_shift_is_the_same_here_and_in_the_browser() {
        for [[lat, lng], [gcj_lat, gcj_lng]] in PAIRS {
            let gcj = Gcj02::from(Wgs84::new(lat, lng).unwrap());
            assert!((gcj.lat() - gcj_lat).abs() < 1e-9 && (gcj.lng() - gcj_lng).abs() < 1e-9, "{gcj:?}");
            let wgs = Wgs84::from(Gcj02::new(gcj_lat, gcj_lng).unwrap());
            assert!((wgs.lat() - lat).abs() < 1e-8 && (wgs.lng() - lng).abs() < 1e-8, "{wgs:?}");
        }
    }

    #[test]
    fn nothing_shifts_outside_china() {
        let paris = Wgs84::new(48.8566, 2.3522).unwrap();
        let shifted = Gcj02::from(paris);
        assert_eq!((shifted.lat(), shifted.lng()), (paris.lat(), paris.lng()));
    }

    #[test]
    fn baidu_comes_back_within_a_metre() {
        let bd = Bd09::from(Gcj02::from(xiamen()));
        let back = Wgs84::from_datum(Datum::Bd09, bd.lat(), bd.lng()).unwrap();
        assert!(distance_m(xiamen(), back) < 1.0);
    }

    #[test]
    fn what_is_not_on_the_globe_is_refused() {
        assert!(Wgs84::new(91.0, 0.0).is_err());
        assert!(Wgs84::new(f64::NAN, 0.0).is_err());
        assert!(serde_json::from_str::<Wgs84>(r#"{"lat":0,"lng":181}"#).is_err());
    }
}
