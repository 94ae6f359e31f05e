//! A made-up Chinese city, the same for the same seed: ground, streets, districts, service areas, parking places.

pub mod geojson;
pub mod graph;
pub mod naming;
pub mod streets;
pub mod terrain;
pub mod zones;

use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

use crate::geometry::Plane;
use graph::Graph;
use naming::Namer;
use terrain::Terrain;
use zones::{Area, District, NoStop, Parking, Place};

/// The city.
#[derive(Clone, Debug)]
pub struct City {
    /// What it was made from.
    pub seed: u64,
    /// Its name.
    pub name: String,
    /// Where on the globe it lies.
    pub plane: Plane,
    /// Sea, river, lake, parks.
    pub terrain: Terrain,
    /// Its streets; connected.
    pub graph: Graph,
    /// Its districts; the first in the middle.
    pub districts: Vec<District>,
    /// Service areas, disjoint.
    pub areas: Vec<Area>,
    /// Parking places, each inside one area.
    pub parkings: Vec<Parking>,
    /// Zones where no bike may be left, each inside one area.
    pub no_stops: Vec<NoStop>,
    /// Named points.
    pub places: Vec<Place>,
}

impl City {
    /// The city of this seed.
    pub fn new(seed: u64) -> Self {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        let mut names = Namer::new(&mut rng);
        // In the strait, where no real recording falls on made-up streets.
        let plane = Plane::at(24.5 + rng.gen_range(-0.15..0.15), 119.6 + rng.gen_range(-0.2..0.2));
        let terrain = Terrain::new(&mut rng, || names.pair());
        let districts = zones::districts(&mut rng, &terrain, &mut names);
        let streets = streets::lay_out(&mut rng, &terrain, &mut names);
        let graph = Graph::new(&streets);
        let areas = zones::areas(&districts, &terrain);
        let placed = zones::places(&mut rng, &graph, &mut names);
        let no_stops = zones::no_stops(&mut rng, &areas, &placed);
        let parkings = zones::parkings(&mut rng, &graph, &terrain, &areas, &no_stops);
        let places = placed.into_iter().map(|(place, _)| place).collect();
        Self {
            seed,
            name: names.city.to_owned(),
            plane,
            terrain,
            graph,
            districts,
            areas,
            parkings,
            no_stops,
            places,
        }
    }

    /// A ring in degrees, closed as GeoJSON wants it, rounded to about a decimetre.
    pub fn closed_ring(&self, ring: &[crate::geometry::Xy]) -> Vec<[f64; 2]> {
        let mut degrees: Vec<[f64; 2]> = ring.iter().map(|p| self.degrees(*p)).collect();
        if let Some(first) = degrees.first().copied() {
            degrees.push(first);
        }
        degrees
    }

    /// A point in degrees, `[lng, lat]`, rounded to about a decimetre.
    pub fn degrees(&self, p: crate::geometry::Xy) -> [f64; 2] {
        let (lng, lat) = self.plane.lng_lat(p);
        [(lng * 1e6).round() / 1e6, (lat * 1e6).round() / 1e6]
    }
}
