//! What the dashboards look at.

use std::f64::consts::PI;

use crate::bikes;

/// A map of this many pixels, 256 of them a tile's side.
const SCREEN: (f64, f64) = (1440.0, 900.0);
/// Bikes between the middles of two views; shares no factor with the number of bikes.
const SPREAD: u32 = 127;
/// Cells of fleet buffers are tiles of this level.
const CELL_LEVEL: i32 = 14;

/// A map section on a screen.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct View {
    pub zoom: u8,
    /// `[west, south, east, north]`, degrees.
    pub bbox: [f64; 4],
}

/// View number `number`: zooms 13, 14 and 15 in turn, each around another bike's home.
pub fn view(number: u32) -> View {
    let zoom = 13 + (number % 3) as u8;
    let home = bikes::home(number * SPREAD % bikes::MOST_BIKES);
    let (lat, lng) = (f64::from(home.lat_e6) / 1e6, f64::from(home.lng_e6) / 1e6);
    let lng_a_pixel = 360.0 / (256.0 * 2_f64.powi(i32::from(zoom)));
    let lat_a_pixel = lng_a_pixel * lat.to_radians().cos();
    let (wide, high) = (SCREEN.0 / 2.0 * lng_a_pixel, SCREEN.1 / 2.0 * lat_a_pixel);
    View { zoom, bbox: [lng - wide, lat - high, lng + wide, lat + high] }
}

/// The level-14 tile of a place, as numbers to compare.
fn cell(lat: f64, lng: f64) -> (i64, i64) {
    let side = 2_f64.powi(CELL_LEVEL);
    let x = (lng + 180.0) / 360.0 * side;
    let y = (1.0 - lat.to_radians().tan().asinh() / PI) / 2.0 * side;
    (x.floor() as i64, y.floor() as i64)
}

impl View {
    /// Whether the view must show a bike that reports from here: its cell touches the view.
    pub fn must_show(&self, lat: f64, lng: f64) -> bool {
        let [west, south, east, north] = self.bbox;
        let (first, last, at) = (cell(north, west), cell(south, east), cell(lat, lng));
        (first.0..=last.0).contains(&at.0) && (first.1..=last.1).contains(&at.1)
    }

    /// The bikes below `bikes` that it must show wherever they wobble to.
    pub fn shown_for_sure(&self, bikes: u32) -> Vec<u32> {
        let always = |bike: &u32| {
            (0..4).all(|report| {
                let place = bikes::place(*bike, report);
                self.must_show(f64::from(place.lat_e6) / 1e6, f64::from(place.lng_e6) / 1e6)
            })
        };
        (0..bikes).filter(always).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_hundred_views_are_all_different_and_each_shows_bikes() {
        let views: Vec<View> = (0..200).map(view).collect();
        for (index, view) in views.iter().enumerate() {
            assert!(!views[..index].contains(view), "view {index} is a second one");
            assert!(!view.shown_for_sure(5_000).is_empty(), "view {index} shows nothing");
        }
    }

    #[test]
    fn a_view_shows_its_middle_and_not_the_other_side_of_the_city() {
        let view = View { zoom: 15, bbox: [118.09, 24.49, 118.12, 24.51] };
        assert!(view.must_show(24.5, 118.1));
        assert!(!view.must_show(24.6, 118.1));
        assert!(!view.must_show(24.5, 118.2));
    }
}
