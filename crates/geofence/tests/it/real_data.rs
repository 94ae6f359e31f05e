//! On the city's own fences and locks, in the folder that `WHEELHOUSE_DATA` names. `cargo xtask test` leaves these out, and
//! says so, where it names none.

use std::collections::HashMap;
use std::fs::File;
use std::path::PathBuf;

use flate2::read::GzDecoder;
use geofence::atlas::{Area, Fence, Span};
use geofence::judge::{ReturnClass, Stop};
use geofence::{Atlas, Outline, Parking, Plane, Ring, Rule, Shape};
use vocabulary::{AreaId, Datum, FenceId, Timestamp, Wgs84};

const AREA: AreaId = AreaId(20);

fn table(file: &str) -> Vec<csv::StringRecord> {
    let folder =
        std::env::var_os("WHEELHOUSE_DATA").expect("WHEELHOUSE_DATA names the folder of the recordings");
    let path = PathBuf::from(folder).join("parking").join(file);
    let mut reader = csv::Reader::from_reader(GzDecoder::new(File::open(path).unwrap()));
    reader.records().map(Result::unwrap).collect()
}

/// The city's parking fences by name, without buffer.
fn rings() -> Vec<(String, Ring)> {
    let rows = table("xiamen_parking_fences_2020.csv.gz");
    let ring = |text: &str| {
        let corners: Vec<[f64; 2]> = serde_json::from_str(&format!("[{text}]")).unwrap();
        Ring::draw(&corners, Datum::Wgs84).unwrap()
    };
    rows.iter().map(|row| (row[0].to_owned(), ring(&row[1]))).collect()
}

struct Lock {
    place: Wgs84,
    fence: String,
    is_inside: bool,
}

fn locks() -> Vec<Lock> {
    let rows = table("xiamen_lock_events_2020-12-21_24.csv.gz");
    let place =
        |row: &csv::StringRecord| Wgs84::new(row[1].parse().unwrap(), row[2].parse().unwrap()).unwrap();
    rows.iter()
        .map(|row| Lock { place: place(row), fence: row[4].to_owned(), is_inside: &row[6] == "1" })
        .collect()
}

#[test]
#[ignore = "reads the folder that WHEELHOUSE_DATA names"]
fn every_lock_lies_inside_or_outside_as_its_source_says_but_one_on_an_edge() {
    let outlines: HashMap<String, Outline> =
        rings().into_iter().map(|(name, ring)| (name, Outline::from(&ring))).collect();
    assert_eq!(outlines.len(), 14_071);
    let (mut agree, mut unknown, mut differ) = (0, 0, Vec::new());
    for lock in locks() {
        let Some(outline) = outlines.get(&lock.fence) else {
            unknown += 1;
            continue;
        };
        let plane = Plane::at(lock.place);
        if outline.holds(lock.place, &plane) == lock.is_inside {
            agree += 1;
        } else {
            differ.push(outline.edge_m(&plane));
        }
    }
    assert_eq!((agree, unknown), (129_846, 324), "{differ:?}");
    assert!(matches!(differ[..], [edge_m] if edge_m < 1e-9), "{differ:?}");
}

#[test]
#[ignore = "reads the folder that WHEELHOUSE_DATA names"]
fn the_shares_within_so_many_metres_are_those_of_another_tool() {
    let edge = [[117.9, 24.3], [118.4, 24.3], [118.4, 24.7], [117.9, 24.7]];
    let ring = Ring::draw_area(&edge, Datum::Wgs84).unwrap();
    let rule = || Rule::Parking(Parking { buffer_m: 0.0, ..Parking::default() });
    let fence = |(n, (_, ring)): (usize, (String, Ring))| Fence {
        id: FenceId(n as i64 + 1),
        data_version: 1,
        area: AREA,
        shape: Shape::Polygon(ring),
        rule: rule(),
        span: Span::EVER,
    };
    let fences = rings().into_iter().enumerate().map(fence).collect();
    let atlas = Atlas::new(
        vec![Area { id: AREA, data_version: 1, ring, span: Span::EVER, opened_at: Some(Span::EVER.from) }],
        fences,
    );
    let locks = locks();
    let mut within = [0_u32; 4];
    for lock in &locks {
        let stop = Stop::new(lock.place, Timestamp::from_millis(0), 0.0, None);
        let judged = atlas.judge(&stop, |_| 0);
        let beyond_m = judged.nearest.expect("there are parking places").beyond_m;
        assert_eq!(judged.class == ReturnClass::Parked, beyond_m == 0.0);
        for (most_m, count) in [0.0, 10.0, 20.0, 50.0].into_iter().zip(&mut within) {
            *count += u32::from(beyond_m <= most_m);
        }
    }
    // shapely 2.1 on an azimuthal equidistant projection about the city: of 130,171 places so many.
    for (ours, theirs) in within.into_iter().zip([4_806_u32, 71_302, 103_280, 118_986]) {
        let points = (f64::from(ours) - f64::from(theirs)) / locks.len() as f64 * 100.0;
        assert!(points.abs() < 0.1, "{ours} and {theirs} differ by {points} points");
    }
}
