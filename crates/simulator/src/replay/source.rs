//! Reads recordings of real trips and lock events, in the forms they were published, and counts what it refuses.

use std::collections::{BTreeMap, HashMap, HashSet};
use std::fs::File;
use std::io::{BufReader, Read};
use std::path::Path;

use serde::Serialize;
use vocabulary::{Bd09, Datum, Gcj02, Wgs84};

use crate::identity::stable_hash;

/// Most rows kept of all files together: some 100 MB.
pub const MOST_ROWS: usize = 2_000_000;

/// The published forms, told apart by their header line.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Format {
    /// `BIKE_ID,LATITUDE,LONGITUDE,TIME,…`: a lock closed.
    LockEvents,
    /// `trip_id,bike_id,start_ts,end_ts,start_lon,…`.
    EpochTrips,
    /// `id,orderid,bikeid,userid,start_time,end_time,start_location_x,…`.
    LocalTrips,
    /// `orderid,bikeid,userid,start_time,start_location_x,…,track`. The track's points have no times and are sorted
    /// as text: only start and end are played.
    LocalTracks,
    /// `bike_id,city_id,time_start,lon_start,…,duration,distance`.
    DurationTrips,
}

/// Why a row is not played.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Refusal {
    /// Not the header's number of cells, or not UTF-8.
    BrokenRow,
    /// No bike id.
    MissingBike,
    /// A time is missing or not one.
    UnparsableTime,
    /// A coordinate is missing, not a number, off the globe, or 0,0.
    BadCoordinate,
    /// Cell for cell the same as an earlier row.
    DuplicateRow,
    /// The trip ends before it starts.
    EndsBeforeStart,
    /// The same bike at the same instant as an earlier lock event.
    RepeatedMinute,
    /// The trip starts before the same bike's last one ended.
    OverlappingTrip,
}

impl Refusal {
    /// In the reader's words.
    pub const fn text(self) -> &'static str {
        match self {
            Self::BrokenRow => "行不完整",
            Self::MissingBike => "缺车辆编号",
            Self::UnparsableTime => "时间无法识别",
            Self::BadCoordinate => "坐标无效",
            Self::DuplicateRow => "完全重复的行",
            Self::EndsBeforeStart => "结束早于开始",
            Self::RepeatedMinute => "同车同一时刻重复",
            Self::OverlappingTrip => "与该车上一行程重叠",
        }
    }
}

/// A recorded trip, or a lock event (no start). Positions in 1e-7 degree, WGS-84.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Row {
    /// Index into [`Recording::bikes`].
    pub bike: u32,
    /// Start: epoch milliseconds, lng, lat.
    pub start: Option<(i64, i32, i32)>,
    /// End or lock event.
    pub end: (i64, i32, i32),
}

impl Row {
    fn first_ms(&self) -> i64 {
        self.start.map_or(self.end.0, |start| start.0)
    }
}

/// What was read of one file.
#[derive(Clone, Debug, Serialize)]
pub struct FileCount {
    /// The file's name.
    pub file: String,
    /// Its form.
    pub format: Format,
    /// Rows read, the header not counted.
    pub rows: u64,
    /// Rows that stand before an earlier one in time; they are sorted, not refused.
    pub rows_out_of_time_order: u64,
}

/// The rows of all files, in time order, and the count of the rest.
#[derive(Debug, Default)]
pub struct Recording {
    /// Source ids of the bikes, `<form>:<id>`, in order of appearance.
    pub bikes: Vec<String>,
    /// What is played, by start.
    pub rows: Vec<Row>,
    /// What is not, by reason.
    pub refused: BTreeMap<Refusal, u64>,
    /// Per file.
    pub files: Vec<FileCount>,
    index: HashMap<String, u32>,
    seen: HashSet<u64>,
}

/// A file cannot be read at all.
#[derive(Debug, thiserror::Error)]
pub enum SourceError {
    /// Opening or reading failed.
    #[error("读不了 {file}：{error}")]
    Unreadable { file: String, error: std::io::Error },
    /// The CSV itself is broken beyond a row.
    #[error("{file} 不是 CSV：{error}")]
    NotCsv { file: String, error: csv::Error },
    /// The header is of no known form.
    #[error("{file} 的表头不认识：{header}")]
    UnknownFormat { file: String, header: String },
    /// More rows than are kept.
    #[error("超过 {MOST_ROWS} 行，请用 --limit")]
    TooManyRows,
}

fn detect(header: &csv::StringRecord) -> Option<Format> {
    let names: HashSet<&str> = header.iter().map(|name| name.trim_start_matches('\u{feff}').trim()).collect();
    let has = |all: &[&str]| all.iter().all(|name| names.contains(name));
    if has(&["BIKE_ID", "LATITUDE", "LONGITUDE", "TIME"]) {
        Some(Format::LockEvents)
    } else if has(&[
        "trip_id",
        "bike_id",
        "start_ts",
        "end_ts",
        "start_lon",
        "start_lat",
        "end_lon",
        "end_lat",
    ]) {
        Some(Format::EpochTrips)
    } else if has(&["bikeid", "start_time", "end_time", "start_location_x", "end_location_y", "track"]) {
        Some(Format::LocalTracks)
    } else if has(&["bikeid", "start_time", "end_time", "start_location_x", "end_location_y"]) {
        Some(Format::LocalTrips)
    } else if has(&["bike_id", "time_start", "lon_start", "lat_start", "lon_end", "lat_end", "duration"]) {
        Some(Format::DurationTrips)
    } else {
        None
    }
}

/// Names of the cells: bike, start time, start lng, start lat, end time, end lng, end lat.
const fn columns(format: Format) -> [&'static str; 7] {
    match format {
        Format::LockEvents => ["BIKE_ID", "", "", "", "TIME", "LONGITUDE", "LATITUDE"],
        Format::EpochTrips => {
            ["bike_id", "start_ts", "start_lon", "start_lat", "end_ts", "end_lon", "end_lat"]
        }
        Format::LocalTrips | Format::LocalTracks => [
            "bikeid",
            "start_time",
            "start_location_x",
            "start_location_y",
            "end_time",
            "end_location_x",
            "end_location_y",
        ],
        Format::DurationTrips => {
            ["bike_id", "time_start", "lon_start", "lat_start", "duration", "lon_end", "lat_end"]
        }
    }
}

/// Days from 1970-01-01 to a date of the Gregorian calendar.
fn days_from_civil(year: i64, month: i64, day: i64) -> i64 {
    let year = if month <= 2 { year - 1 } else { year };
    let era = year.div_euclid(400);
    let of_era = year - era * 400;
    let of_year = (153 * (month + if month > 2 { -3 } else { 9 }) + 2) / 5 + day - 1;
    era * 146_097 + of_era * 365 + of_era / 4 - of_era / 100 + of_year - 719_468
}

/// `2020-8-1 0:43:00` or `2016-08-19 21:41`, Asia/Shanghai, as epoch milliseconds.
pub fn local_time_ms(text: &str) -> Option<i64> {
    let (date, time) = text.trim().split_once([' ', 'T'])?;
    let numbers = |text: &str, by: char| -> Option<Vec<i64>> {
        text.split(by)
            .map(|part| {
                if part.len() <= 4 && part.bytes().all(|b| b.is_ascii_digit()) {
                    part.parse().ok()
                } else {
                    None
                }
            })
            .collect()
    };
    let (date, time) = (numbers(date, '-')?, numbers(time, ':')?);
    let (&[year, month, day], (&[hour, minute], second)) =
        (date.as_slice(), if time.len() == 3 { (&time[..2], time[2]) } else { (time.as_slice(), 0) })
    else {
        return None;
    };
    let leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    let month_days = match month {
        2 => 28 + i64::from(leap),
        4 | 6 | 9 | 11 => 30,
        _ => 31,
    };
    let possible = (2000..2100).contains(&year)
        && (1..=12).contains(&month)
        && (1..=month_days).contains(&day)
        && hour < 24
        && minute < 60
        && second < 60;
    possible
        .then(|| ((days_from_civil(year, month, day) * 24 + hour - 8) * 3600 + minute * 60 + second) * 1000)
}

/// Unix seconds, whole or with a fraction, as epoch milliseconds.
fn epoch_ms(text: &str) -> Option<i64> {
    let seconds: f64 = text.trim().parse().ok()?;
    (seconds.is_finite() && (946_684_800.0..4_102_444_800.0).contains(&seconds))
        .then_some((seconds * 1000.0) as i64)
}

fn place(lng: &str, lat: &str, datum: Datum) -> Option<(i32, i32)> {
    let (lng, lat): (f64, f64) = (lng.trim().parse().ok()?, lat.trim().parse().ok()?);
    if lng == 0.0 && lat == 0.0 {
        return None;
    }
    let at: Wgs84 = match datum {
        Datum::Wgs84 => Wgs84::new(lat, lng).ok()?,
        Datum::Gcj02 => Gcj02::new(lat, lng).ok()?.into(),
        Datum::Bd09 => Gcj02::from(Bd09::new(lat, lng).ok()?).into(),
    };
    Some(((at.lng() * 1e7).round() as i32, (at.lat() * 1e7).round() as i32))
}

impl Recording {
    /// Reads files until `limit` rows; then sorts by time and looks at each bike's own order.
    pub fn read(files: &[std::path::PathBuf], datum: Datum, limit: u64) -> Result<Self, SourceError> {
        let mut recording = Self::default();
        let mut left = limit;
        for file in files {
            left -= recording.read_file(file, datum, left)?;
        }
        recording.finish();
        Ok(recording)
    }

    fn read_file(&mut self, path: &Path, datum: Datum, limit: u64) -> Result<u64, SourceError> {
        let file = path.display().to_string();
        let open = File::open(path).map_err(|error| SourceError::Unreadable { file: file.clone(), error })?;
        let open = BufReader::new(open);
        if path.extension().is_some_and(|ext| ext.eq_ignore_ascii_case("gz")) {
            self.read_csv(file, flate2::read::MultiGzDecoder::new(open), datum, limit)
        } else {
            self.read_csv(file, open, datum, limit)
        }
    }

    /// Reads one CSV text of up to `limit` rows; says how many it read. [`Recording::finish`] must follow the last.
    pub fn read_csv(
        &mut self,
        file: String,
        text: impl Read,
        datum: Datum,
        limit: u64,
    ) -> Result<u64, SourceError> {
        let mut reader = csv::ReaderBuilder::new().flexible(true).from_reader(text);
        let header =
            reader.headers().map_err(|error| SourceError::NotCsv { file: file.clone(), error })?.clone();
        let Some(format) = detect(&header) else {
            return Err(SourceError::UnknownFormat {
                file,
                header: header.iter().collect::<Vec<_>>().join(","),
            });
        };
        let position = columns(format)
            .map(|name| header.iter().position(|h| h.trim_start_matches('\u{feff}').trim() == name));
        let mut count = FileCount { file: file.clone(), format, rows: 0, rows_out_of_time_order: 0 };
        let mut latest_ms = i64::MIN;
        let mut cells = csv::StringRecord::new();
        while count.rows < limit {
            let refusal = match reader.read_record(&mut cells) {
                Ok(false) => break,
                Ok(true) if cells.len() != header.len() => Err(Refusal::BrokenRow),
                Ok(true) => self.row(&cells, format, &position, datum),
                Err(error) if matches!(error.kind(), csv::ErrorKind::Utf8 { .. }) => Err(Refusal::BrokenRow),
                Err(error) => return Err(SourceError::NotCsv { file, error }),
            };
            count.rows += 1;
            match refusal {
                Ok(row) => {
                    count.rows_out_of_time_order += u64::from(row.first_ms() < latest_ms);
                    latest_ms = latest_ms.max(row.first_ms());
                    if self.rows.len() >= MOST_ROWS {
                        return Err(SourceError::TooManyRows);
                    }
                    self.rows.push(row);
                }
                Err(reason) => *self.refused.entry(reason).or_default() += 1,
            }
        }
        let rows = count.rows;
        self.files.push(count);
        Ok(rows)
    }

    fn row(
        &mut self,
        cells: &csv::StringRecord,
        format: Format,
        position: &[Option<usize>; 7],
        datum: Datum,
    ) -> Result<Row, Refusal> {
        let cell = |i: usize| position[i].and_then(|p| cells.get(p)).unwrap_or_default().trim();
        let whole: Vec<&str> = cells.iter().collect();
        if !self.seen.insert(stable_hash(&whole.join("\u{1f}"))) {
            return Err(Refusal::DuplicateRow);
        }
        if cell(0).is_empty() {
            return Err(Refusal::MissingBike);
        }
        let local = matches!(format, Format::LockEvents | Format::LocalTrips | Format::LocalTracks);
        let time = |text: &str| {
            if local { local_time_ms(text) } else { epoch_ms(text) }.ok_or(Refusal::UnparsableTime)
        };
        let start_ms = if format == Format::LockEvents { None } else { Some(time(cell(1))?) };
        let end_ms = match (format, start_ms) {
            (Format::DurationTrips, Some(start_ms)) => {
                let seconds: f64 = cell(4).parse().map_err(|_| Refusal::UnparsableTime)?;
                if !seconds.is_finite() || seconds.abs() > 86_400.0 * 400.0 {
                    return Err(Refusal::UnparsableTime);
                }
                start_ms + (seconds * 1000.0) as i64
            }
            _ => time(cell(4))?,
        };
        let at = |i: usize| place(cell(i), cell(i + 1), datum).ok_or(Refusal::BadCoordinate);
        let start = match start_ms {
            Some(start_ms) => at(2).map(|(lng, lat)| Some((start_ms, lng, lat)))?,
            None => None,
        };
        let (lng, lat) = at(5)?;
        if start_ms.is_some_and(|start_ms| end_ms < start_ms) {
            return Err(Refusal::EndsBeforeStart);
        }
        Ok(Row { bike: self.bike(format, cell(0)), start, end: (end_ms, lng, lat) })
    }

    fn bike(&mut self, format: Format, id: &str) -> u32 {
        // The two files of one operator number their bikes alike.
        let source = match format {
            Format::LockEvents => "lock",
            Format::EpochTrips => "epoch",
            Format::LocalTrips | Format::LocalTracks => "local",
            Format::DurationTrips => "duration",
        };
        let name = format!("{source}:{id}");
        if let Some(index) = self.index.get(&name) {
            return *index;
        }
        let index = self.bikes.len() as u32;
        self.bikes.push(name.clone());
        self.index.insert(name, index);
        index
    }

    /// Sorts by time and refuses what a single bike cannot have done.
    pub fn finish(&mut self) {
        self.rows.sort_by_key(Row::first_ms);
        let mut free_at: Vec<Option<i64>> = vec![None; self.bikes.len()];
        let refused = &mut self.refused;
        self.rows.retain(|row| {
            let last = &mut free_at[row.bike as usize];
            let refusal = match (*last, row.start) {
                (Some(last), Some((start_ms, ..))) if start_ms < last => Some(Refusal::OverlappingTrip),
                (Some(last), None) if row.end.0 <= last => Some(Refusal::RepeatedMinute),
                _ => None,
            };
            match refusal {
                Some(reason) => *refused.entry(reason).or_default() += 1,
                None => *last = Some(row.end.0),
            }
            refusal.is_none()
        });
        self.seen = HashSet::new();
        self.index = HashMap::new();
    }

    /// Rows read of all files.
    pub fn rows_read(&self) -> u64 {
        self.files.iter().map(|file| file.rows).sum()
    }

    /// The table of what was read and what was refused.
    pub fn table(&self) -> String {
        use std::fmt::Write;
        let mut out = String::new();
        for file in &self.files {
            let _ = writeln!(
                out,
                "{}：{:?}，{} 行（{} 行不按时间排列，已排序）",
                file.file, file.format, file.rows, file.rows_out_of_time_order
            );
        }
        let _ = writeln!(
            out,
            "{:>9}  读入行数\n{:>9}  可回放\n{:>9}  车辆",
            self.rows_read(),
            self.rows.len(),
            self.bikes.len()
        );
        for (reason, count) in &self.refused {
            let _ = writeln!(out, "{count:>9}  拒绝：{}", reason.text());
        }
        out
    }
}
