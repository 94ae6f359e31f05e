//! Runs on the recordings themselves, in the folder that `WHEELHOUSE_DATA` names. `cargo xtask test` leaves these out, and
//! says so, where it names none.

use std::path::PathBuf;

use simulator::replay::source::{Recording, Refusal};
use vocabulary::Datum;

fn read(file: &str) -> Recording {
    let folder =
        std::env::var_os("WHEELHOUSE_DATA").expect("WHEELHOUSE_DATA names the folder of the recordings");
    let path = PathBuf::from(folder).join(file);
    Recording::read(&[path], Datum::Wgs84, u64::MAX).expect("readable")
}

fn refused(recording: &Recording, reason: Refusal) -> u64 {
    recording.refused.get(&reason).copied().unwrap_or_default()
}

fn adds_up(recording: &Recording) {
    assert_eq!(recording.rows_read(), recording.rows.len() as u64 + recording.refused.values().sum::<u64>());
}

#[test]
#[ignore = "reads the folder that WHEELHOUSE_DATA names"]
fn the_xiamen_lock_events_have_two_duplicate_rows_and_the_known_repeats() {
    let recording = read("parking/xiamen_lock_events_2020-12-21_24.csv.gz");
    assert_eq!((recording.rows_read(), recording.bikes.len()), (130_171, 44_942));
    assert_eq!(refused(&recording, Refusal::DuplicateRow), 2);
    // 33 repeats of bike and minute, the two whole duplicates among them.
    assert_eq!(refused(&recording, Refusal::RepeatedMinute), 31);
    assert_eq!(recording.refused.len(), 2, "{:?}", recording.refused);
    assert_eq!(recording.files[0].rows_out_of_time_order, 0);
    adds_up(&recording);
}

#[test]
#[ignore = "reads the folder that WHEELHOUSE_DATA names"]
fn the_singapore_trips_have_only_overlaps_as_dirt() {
    let recording = read("trips/singapore_dockless_trips_2017-09.csv.gz");
    assert_eq!((recording.rows_read(), recording.bikes.len()), (104_206, 14_263));
    // 89 trips start before the one before them ended; one of these follows a refused trip, so it can be played.
    assert_eq!(refused(&recording, Refusal::OverlappingTrip), 88);
    assert_eq!(recording.refused.len(), 1, "{:?}", recording.refused);
    adds_up(&recording);
}

#[test]
#[ignore = "reads the folder that WHEELHOUSE_DATA names"]
fn the_shanghai_trips_and_tracks_are_read_whole() {
    let trips = read("trips/shanghai_mobike_trips_2016-08.csv.gz");
    assert_eq!(
        (trips.rows_read(), trips.bikes.len(), trips.refused.len()),
        (12_792, 12_302, 0),
        "{:?}",
        trips.refused
    );
    let tracks = read("trips/shanghai_mobike_tracks_2016-08.csv.gz");
    assert_eq!(
        (tracks.rows_read(), tracks.bikes.len(), tracks.refused.len()),
        (1_000, 729, 0),
        "{:?}",
        tracks.refused
    );
}

#[test]
#[ignore = "reads the folder that WHEELHOUSE_DATA names"]
fn the_european_trips_are_read_and_add_up() {
    let recording = read("ebike_europe/trips.csv.gz");
    assert_eq!((recording.rows_read(), recording.bikes.len()), (1_000, 9));
    adds_up(&recording);
}
