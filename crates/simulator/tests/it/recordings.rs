use std::collections::BTreeMap;

use simulator::replay::source::{Format, Recording, Refusal, SourceError, local_time_ms};
use vocabulary::Datum;

fn read(text: &str) -> Recording {
    let mut recording = Recording::default();
    recording.read_csv("fixture.csv".into(), text.as_bytes(), Datum::Wgs84, u64::MAX).expect("a known form");
    recording.finish();
    recording
}

fn refused(pairs: &[(Refusal, u64)]) -> BTreeMap<Refusal, u64> {
    pairs.iter().copied().collect()
}

#[test]
fn lock_events_with_byte_order_mark_duplicates_and_dirt_are_read_and_the_dirt_is_counted() {
    let recording = read(
        "\u{feff}BIKE_ID,LATITUDE,LONGITUDE,TIME,SRC_NEAREST_FENCE_ID,SRC_DISTANCE_M,SRC_IS_INSIDE\n\
         aa,24.444198,118.080456,2020-12-21 07:00:00,民族路_R_1_A,10.272,0\n\
         bb,24.467075,118.163365,2020-12-21 07:01:00,,,0\n\
         aa,24.444198,118.080456,2020-12-21 07:00:00,民族路_R_1_A,10.272,0\n\
         aa,24.444200,118.080400,2020-12-21 07:00:00,民族路_R_1_A,10.300,0\n\
         cc,94.4,118.1,2020-12-21 07:02:00,x,1,0\n\
         cc,0,0,2020-12-21 07:02:00,x,1,0\n\
         cc,24.4,abc,2020-12-21 07:02:00,x,1,0\n\
         cc,24.4,118.1,2020-13-21 07:02:00,x,1,0\n\
         ,24.4,118.1,2020-12-21 07:02:00,x,1,0\n\
         dd,24.4\n",
    );
    assert_eq!(recording.files[0].format, Format::LockEvents);
    assert_eq!((recording.rows_read(), recording.rows.len(), recording.bikes.len()), (10, 2, 2));
    let expected = [
        (Refusal::DuplicateRow, 1),
        (Refusal::RepeatedMinute, 1),
        (Refusal::BadCoordinate, 3),
        (Refusal::UnparsableTime, 1),
        (Refusal::MissingBike, 1),
        (Refusal::BrokenRow, 1),
    ];
    assert_eq!(recording.refused, refused(&expected));
    // 07:00 in Xiamen is 23:00 UTC of the day before.
    assert_eq!(recording.rows[0].end, (1_608_505_200_000, 1_180_804_560, 244_441_980));
}

#[test]
fn epoch_trips_that_overlap_on_one_bike_are_refused() {
    let recording = read(
        "trip_id,bike_id,start_ts,end_ts,start_lon,start_lat,end_lon,end_lat,start_node,start_dist,end_node,end_dist,trip_dist\n\
         1,27471,1505059345,1505059488,103.957162,1.344074,103.957964,1.346294,8,45.04,5,8.94,910.26\n\
         2,27471,1505059400,1505059600,103.957162,1.344074,103.957964,1.346294,8,45.04,5,8.94,910.26\n\
         3,27471,1505059600,1505059500,103.957162,1.344074,103.957964,1.346294,8,45.04,5,8.94,910.26\n",
    );
    assert_eq!(recording.rows.len(), 1);
    assert_eq!(recording.rows[0].start, Some((1_505_059_345_000, 1_039_571_620, 13_440_740)));
    assert_eq!(recording.refused, refused(&[(Refusal::OverlappingTrip, 1), (Refusal::EndsBeforeStart, 1)]));
}

#[test]
fn local_trips_with_unpadded_dates_and_a_missing_row_number_are_read_and_sorted() {
    let recording = read(
        "id,orderid,bikeid,userid,start_time,end_time,start_location_x,start_location_y,end_location_x,end_location_y,start_day,start_weekday,start_hour,weekend,distance\n\
         1,31581,64570,4622,2020-8-1 1:02:00,2020-8-1 1:18:00,121.534,31.321,121.513,31.311,1,星期一,1,0,2.28\n\
         ,31480,61084,1183,2020-8-1 0:43:00,2020-8-1 0:53:00,121.387,31.103,121.393,31.099,1,星期一,0,0,0.72\n",
    );
    assert_eq!((recording.rows.len(), recording.files[0].rows_out_of_time_order), (2, 1));
    assert_eq!(recording.bikes[recording.rows[0].bike as usize], "local:61084");
    assert!(recording.refused.is_empty());
}

#[test]
fn local_tracks_are_told_from_trips_and_float_debris_is_no_dirt() {
    let recording = read(
        "orderid,bikeid,userid,start_time,start_location_x,start_location_y,end_time,end_location_x,end_location_y,track\n\
         720944,6,9320,2016-08-10 21:16,121.512,31.307,2016-08-10 21:20,121.51,31.304000000000002,\"121.510,31.304#121.510,31.306\"\n",
    );
    assert_eq!(recording.files[0].format, Format::LocalTracks);
    assert_eq!(recording.rows[0].end, (1_470_835_200_000, 1_215_100_000, 313_040_000));
}

#[test]
fn trips_with_a_duration_end_that_much_later() {
    let recording = read(
        "\"bike_id\",\"city_id\",\"time_start\",\"lon_start\",\"lat_start\",\"lon_end\",\"lat_end\",\"station_id_start\",\"station_id_end\",\"battery_start\",\"battery_end\",\"duration\",\"distance\"\n\
         2204,177,1661625901.000000,10.006387,53.733744,9.989464,53.734158,319412,66682,,,360.000000,1114.07602787\n",
    );
    assert_eq!(recording.rows[0].end.0 - recording.rows[0].start.expect("a start").0, 360_000);
}

#[test]
fn a_file_of_no_known_form_is_refused_with_its_header() {
    let result = Recording::default().read_csv(
        "x.csv".into(),
        "FENCE_ID,FENCE_LOC\na,b\n".as_bytes(),
        Datum::Wgs84,
        9,
    );
    assert!(
        matches!(result, Err(SourceError::UnknownFormat { header, .. }) if header == "FENCE_ID,FENCE_LOC")
    );
}

#[test]
fn the_datum_asked_for_is_taken_off() {
    let text = "BIKE_ID,LATITUDE,LONGITUDE,TIME\naa,24.444198,118.080456,2020-12-21 07:00:00\n";
    let mut shifted = Recording::default();
    shifted.read_csv("x".into(), text.as_bytes(), Datum::Gcj02, 9).expect("read");
    let (_, lng, lat) = shifted.rows[0].end;
    let apart_m = simulator::geometry::ground_distance_m(
        118.080_456,
        24.444_198,
        f64::from(lng) / 1e7,
        f64::from(lat) / 1e7,
    );
    assert!((300.0..800.0).contains(&apart_m), "{apart_m}");
}

#[test]
fn times_that_no_calendar_has_are_no_times() {
    for text in [
        "2021-02-29 10:00",
        "2021-04-31 10:00",
        "2021-1-1 24:00",
        "2021-1-1",
        "1-1-1 1:1",
        "2021-1-1 10:60:00",
        "x",
        "2021-1-1 1:1:1:1",
    ] {
        assert_eq!(local_time_ms(text), None, "{text}");
    }
    assert_eq!(local_time_ms("2020-02-29 08:00:00"), Some(1_582_934_400_000));
}
