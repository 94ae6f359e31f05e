//! Web-Mercator tiles.

use crate::report::Place;

/// Level of the cells that buffers are packed by.
pub const CELL_LEVEL: u8 = 14;

/// A tile at level 14.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Cell {
    /// From the west.
    pub x: u16,
    /// From the north.
    pub y: u16,
}

impl Cell {
    /// The cell that `place` lies in; the poles lie in the outermost.
    pub fn of(place: Place) -> Self {
        Self::at(place.lng(), place.lat())
    }

    fn at(lng: f64, lat: f64) -> Self {
        let side = f64::from(1u32 << CELL_LEVEL);
        let last = side - 1.0;
        let x = ((lng + 180.0) / 360.0 * side).floor().clamp(0.0, last);
        let phi = lat.clamp(-85.051_13, 85.051_13).to_radians();
        let y = ((1.0 - phi.tan().asinh() / std::f64::consts::PI) / 2.0 * side).floor().clamp(0.0, last);
        Self { x: x as u16, y: y as u16 }
    }

    /// The tile of `level` (at most 14) that this one lies in.
    pub fn up_to(self, level: u8) -> (u32, u32) {
        let shift = CELL_LEVEL.saturating_sub(level);
        (u32::from(self.x) >> shift, u32::from(self.y) >> shift)
    }
}

/// A rectangle of cells, both corners included.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rect {
    west: u16,
    north: u16,
    east: u16,
    south: u16,
}

impl Rect {
    /// The cells that touch `[west, south, east, north]` degrees; nothing when that is no box.
    pub fn touching([west, south, east, north]: [f64; 4]) -> Option<Self> {
        let numbers = [west, south, east, north].iter().all(|degree| degree.is_finite());
        if !numbers || west > east || south > north {
            return None;
        }
        let (low, high) = (Cell::at(west, north), Cell::at(east, south));
        Some(Self { west: low.x, north: low.y, east: high.x, south: high.y })
    }

    /// Whether `cell` is one of them.
    pub const fn contains(&self, cell: Cell) -> bool {
        self.west <= cell.x && cell.x <= self.east && self.north <= cell.y && cell.y <= self.south
    }

    /// How many.
    pub fn count(&self) -> usize {
        (usize::from(self.east - self.west) + 1) * (usize::from(self.south - self.north) + 1)
    }

    /// Each of them.
    pub fn cells(self) -> impl Iterator<Item = Cell> {
        (self.north..=self.south).flat_map(move |y| (self.west..=self.east).map(move |x| Cell { x, y }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_known_place_lies_in_its_known_tile() {
        // Hangzhou, West Lake, as every slippy map counts.
        assert_eq!(Cell::of(Place::from_degrees(30.25, 120.15)), Cell { x: 13_660, y: 6_746 });
        assert_eq!(Cell::of(Place::from_degrees(90.0, 180.0)), Cell { x: 16_383, y: 0 });
        assert_eq!(Cell::of(Place::from_degrees(-90.0, -180.0)), Cell { x: 0, y: 16_383 });
    }

    #[test]
    fn a_tile_far_out_is_the_same_place_with_fewer_digits() {
        assert_eq!(Cell { x: 13_660, y: 6_746 }.up_to(13), (6_830, 3_373));
        assert_eq!(Cell { x: 13_660, y: 6_746 }.up_to(0), (0, 0));
    }

    #[test]
    fn a_viewport_touches_the_cells_at_its_edges() {
        let rect = Rect::touching([120.15, 30.25, 120.20, 30.28]).unwrap();
        assert_eq!(rect.count(), rect.cells().count());
        assert!(rect.contains(Cell::of(Place::from_degrees(30.25, 120.15))));
        assert!(rect.contains(Cell::of(Place::from_degrees(30.28, 120.20))));
        assert!(!rect.contains(Cell::of(Place::from_degrees(30.28, 120.25))));
    }

    #[test]
    fn what_is_no_box_is_no_rectangle() {
        assert_eq!(Rect::touching([2.0, 0.0, 1.0, 1.0]), None);
        assert_eq!(Rect::touching([f64::NAN, 0.0, 1.0, 1.0]), None);
    }
}
