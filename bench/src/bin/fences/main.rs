//! How many stops a second can be judged by a city's parking places, on one core? Real places and real fences, named by
//! `WHEELHOUSE_DATA`; beside it what one would write with the `geo` crate alone, in the same run.
#![forbid(unsafe_code)]

use std::fs::File;
use std::hint::black_box;
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};
use bench::{Host, Report, Row, told};
use clap::Parser;
use flate2::read::GzDecoder;
use geo::{Contains, Distance, Haversine, LineString, Point, Polygon};
use geofence::atlas::{Area, Fence, Span};
use geofence::judge::{ReturnClass, Stop};
use geofence::{Atlas, Ban, Parking, Ring, Rule, Shape};
use rstar::RTree;
use rstar::primitives::{GeomWithData, Rectangle};
use vocabulary::{AreaId, Datum, FenceId, Timestamp, Wgs84};

/// Judgements a second on one core.
const GOAL: f64 = 1_000_000.0;
const AREA: AreaId = AreaId(1);

/// Stops judged by a city's fences.
#[derive(Parser)]
#[command(name = "fences")]
struct Options {
    /// The folder of the recordings.
    #[arg(long, env = "WHEELHOUSE_DATA")]
    data: PathBuf,
    /// How long each system is measured in a round, seconds.
    #[arg(long, default_value_t = 1.0, value_parser = clap::value_parser!(f64))]
    seconds: f64,
    /// Rounds; the median counts.
    #[arg(long, default_value_t = 5, value_parser = clap::value_parser!(u32).range(1..=100))]
    rounds: u32,
}

fn main() -> ExitCode {
    told(measured())
}

fn table(options: &Options, file: &str) -> Result<Vec<csv::StringRecord>> {
    let path = options.data.join("parking").join(file);
    let file = File::open(&path).with_context(|| path.display().to_string())?;
    Ok(csv::Reader::from_reader(GzDecoder::new(file)).records().collect::<Result<_, _>>()?)
}

fn measured() -> Result<()> {
    let options = Options::parse();
    let corners = |row: &csv::StringRecord| -> Result<Vec<[f64; 2]>> {
        Ok(serde_json::from_str(&format!("[{}]", &row[1]))?)
    };
    let rings: Vec<Vec<[f64; 2]>> =
        table(&options, "xiamen_parking_fences_2020.csv.gz")?.iter().map(corners).collect::<Result<_>>()?;
    let places: Vec<Wgs84> = table(&options, "xiamen_lock_events_2020-12-21_24.csv.gz")?
        .iter()
        .map(|row| Ok(Wgs84::new(row[1].parse()?, row[2].parse()?)?))
        .collect::<Result<_>>()?;
    ensure!(rings.len() > 10_000 && places.len() > 100_000, "the recordings are not whole");
    println!("{} fences, {} stops.", rings.len(), places.len());

    let ours = Ours::new(&rings)?;
    let plain = Plain::new(&rings);
    let systems: [(&str, &dyn Judging); 2] = [("wheelhouse", &ours), ("geo", &plain)];
    // Both find the same bikes inside, but for those on an edge.
    let inside = systems.map(|(_, system)| places.iter().filter(|place| system.judge(**place)).count());
    ensure!(inside[0].abs_diff(inside[1]) < 20, "{inside:?} stops lie inside");

    let mut report = Report::new("fences");
    for (name, system) in systems {
        let mut figures = Vec::new();
        for _ in 0..options.rounds {
            let host = Host::watched();
            let figure = speed(system, &places, Duration::from_secs_f64(options.seconds));
            figures.push((figure, host.stolen_percent()));
        }
        figures.sort_by(|one, other| one.0.total_cmp(&other.0));
        let (median, _) = figures[figures.len() / 2];
        let stolen = figures.iter().map(|(_, stolen)| *stolen).fold(0.0, f64::max);
        println!("{name}: {median:.0} judgements/s; the host kept {stolen:.1} % at most");
        report.add(Row::new(name, "judge", median, "judgements/s"));
        if name == "wheelhouse" {
            println!("Goal {GOAL:.0}: {}.", bench::verdict(median >= GOAL));
        }
    }
    let path = report.finish()?;
    println!("Written to {}", path.display());
    Ok(())
}

/// Judgements a second.
fn speed(system: &dyn Judging, places: &[Wgs84], long: Duration) -> f64 {
    let begun = Instant::now();
    let mut count = 0_u64;
    while begun.elapsed() < long {
        for place in places {
            black_box(system.judge(black_box(*place)));
        }
        count += places.len() as u64;
    }
    count as f64 / begun.elapsed().as_secs_f64()
}

trait Judging {
    /// Whether a bike stands in a parking place.
    fn judge(&self, place: Wgs84) -> bool;
}

/// The product: area, bans, parking places with their buffers, the nearest one, every reason.
struct Ours(Atlas);

impl Ours {
    fn new(rings: &[Vec<[f64; 2]>]) -> Result<Self> {
        let edge = [[117.9, 24.3], [118.4, 24.3], [118.4, 24.7], [117.9, 24.7]];
        let area = Area {
            id: AREA,
            data_version: 1,
            ring: Ring::draw_area(&edge, Datum::Wgs84)?,
            span: Span::EVER,
            opened_at: Some(Span::EVER.from),
        };
        let fence = |n: usize, corners: &[[f64; 2]], rule: Rule| -> Result<Fence> {
            let shape = Shape::Polygon(Ring::draw(corners, Datum::Wgs84)?);
            Ok(Fence { id: FenceId(n as i64), data_version: 1, area: AREA, shape, rule, span: Span::EVER })
        };
        let parking = || Rule::Parking(Parking { buffer_m: 0.0, ..Parking::default() });
        let mut fences: Vec<Fence> = rings
            .iter()
            .enumerate()
            .map(|(n, corners)| fence(n, corners, parking()))
            .collect::<Result<_>>()?;
        // A hundred zones of the sea, where nobody may stop: they are asked for each stop all the same.
        for n in 0..100 {
            let (west, south) = (118.3 + f64::from(n) * 0.0005, 24.35);
            let corners = [[west, south], [west + 0.0004, south], [west + 0.0004, south + 0.001]];
            fences.push(fence(rings.len() + n as usize, &corners, Rule::NoStop(Ban::default()))?);
        }
        Ok(Self(Atlas::new(vec![area], fences)))
    }
}

impl Judging for Ours {
    fn judge(&self, place: Wgs84) -> bool {
        let stop = Stop::new(place, Timestamp::from_millis(1_608_500_000_000), 0.0, None);
        self.0.judge(&stop, |_| 0).class == ReturnClass::Parked
    }
}

/// With `geo` and an R-tree: inside which one, and how far the nearest is.
struct Plain {
    tree: RTree<GeomWithData<Rectangle<[f64; 2]>, usize>>,
    polygons: Vec<Polygon>,
}

impl Plain {
    fn new(rings: &[Vec<[f64; 2]>]) -> Self {
        let polygon = |ring: &Vec<[f64; 2]>| {
            Polygon::new(LineString::from(ring.iter().map(|at| (at[0], at[1])).collect::<Vec<_>>()), vec![])
        };
        let polygons: Vec<Polygon> = rings.iter().map(polygon).collect();
        let boxed = |(n, ring): (usize, &Vec<[f64; 2]>)| {
            let (mut min, mut max) = (ring[0], ring[0]);
            for corner in ring {
                for axis in 0..2 {
                    min[axis] = min[axis].min(corner[axis]);
                    max[axis] = max[axis].max(corner[axis]);
                }
            }
            GeomWithData::new(Rectangle::from_corners(min, max), n)
        };
        Self { tree: RTree::bulk_load(rings.iter().enumerate().map(boxed).collect()), polygons }
    }
}

impl Judging for Plain {
    fn judge(&self, place: Wgs84) -> bool {
        let point = Point::new(place.lng(), place.lat());
        let mut nearest_m = f64::INFINITY;
        // Of the five nearest boxes the nearest corner: none of them need be the nearest edge, which takes longer.
        for near in self.tree.nearest_neighbor_iter(&[place.lng(), place.lat()]).take(5) {
            let polygon = &self.polygons[near.data];
            if polygon.contains(&point) {
                return true;
            }
            let corners = polygon.exterior().points();
            nearest_m = corners.map(|corner| Haversine.distance(point, corner)).fold(nearest_m, f64::min);
        }
        black_box(nearest_m);
        false
    }
}
