use simulator::city::{City, geojson::feature_collection};
use simulator::geometry::{crossing, inside, rings_overlap, signed_area_m2};

const SEEDS: [u64; 3] = [7, 8, 4_242];

#[test]
fn the_same_seed_gives_the_same_bytes_and_another_seed_another_city() {
    let bytes = |seed| serde_json::to_vec(&feature_collection(&City::new(seed))).expect("JSON");
    assert_eq!(bytes(7), bytes(7));
    assert_ne!(bytes(7), bytes(8));
}

#[test]
fn the_map_is_valid_geojson_of_the_known_kinds_under_three_megabytes() {
    for seed in SEEDS {
        let map = feature_collection(&City::new(seed));
        assert!(serde_json::to_vec(&map).expect("JSON").len() < 3_000_000);
        assert_eq!(map["type"], "FeatureCollection");
        let features = map["features"].as_array().expect("features");
        let mut kinds = std::collections::BTreeSet::new();
        for feature in features {
            let kind = feature["properties"]["kind"].as_str().expect("kind");
            kinds.insert(kind);
            assert!(feature["properties"]["name"].as_str().is_some_and(|name| !name.is_empty()));
            assert!((1..=3).contains(&feature["properties"]["class"].as_i64().expect("class")));
            let geometry = &feature["geometry"];
            let expected = match kind {
                "road" => "MultiLineString",
                "place" => "Point",
                _ => "Polygon",
            };
            assert_eq!(geometry["type"], expected);
            if expected == "Polygon" {
                let ring = geometry["coordinates"][0].as_array().expect("ring");
                assert!(ring.len() >= 4 && ring.first() == ring.last(), "an open ring in {kind}");
            }
        }
        assert_eq!(
            kinds.into_iter().collect::<Vec<_>>(),
            ["district", "land", "park", "place", "road", "water"]
        );
    }
}

#[test]
fn service_areas_are_simple_and_disjoint_and_hold_everything_that_belongs_to_them() {
    for seed in SEEDS {
        let city = City::new(seed);
        assert!((4..=6).contains(&city.areas.len()));
        for (i, area) in city.areas.iter().enumerate() {
            assert!((3..=499).contains(&area.ring.len()) && signed_area_m2(&area.ring) > 1_000_000.0);
            assert!(is_simple(&area.ring), "seed {seed}: {} crosses itself", area.name);
            for other in &city.areas[i + 1..] {
                assert!(
                    !rings_overlap(&area.ring, &other.ring),
                    "seed {seed}: {} and {}",
                    area.name,
                    other.name
                );
            }
        }
        assert!(city.parkings.len() >= 150, "seed {seed}: {}", city.parkings.len());
        assert!(city.no_stops.len() >= 3);
        let mut names = std::collections::HashSet::new();
        for parking in &city.parkings {
            assert!(parking.ring.iter().all(|p| inside(&city.areas[parking.area].ring, *p)));
            assert!(signed_area_m2(&parking.ring) > 10.0 && parking.capacity > 0);
            assert!(names.insert(&parking.name) && parking.name.chars().count() <= 30);
            assert!(city.no_stops.iter().all(|zone| !rings_overlap(&zone.ring, &parking.ring)));
        }
        for area in 0..city.areas.len() {
            assert!(
                city.parkings.iter().any(|p| p.area == area),
                "seed {seed}: area {area} has no parking place"
            );
        }
        for zone in &city.no_stops {
            assert!(zone.ring.iter().all(|p| inside(&city.areas[zone.area].ring, *p)));
        }
    }
}

fn is_simple(ring: &[simulator::geometry::Xy]) -> bool {
    let n = ring.len();
    (0..n).all(|i| {
        (i + 2..n)
            .filter(|j| (j + 1) % n != i)
            .all(|j| crossing((ring[i], ring[i + 1]), (ring[j], ring[(j + 1) % n])).is_none())
    })
}

#[test]
fn every_crossing_reaches_every_other_and_streets_have_three_classes() {
    for seed in SEEDS {
        let city = City::new(seed);
        assert!(city.graph.nodes.len() > 1_000);
        assert!(city.graph.parts().iter().all(|part| *part == 0), "seed {seed} falls apart");
        for class in 1..=3 {
            assert!(city.graph.edges.iter().filter(|e| e.class == class).count() > 100);
        }
        for edge in &city.graph.edges {
            assert_eq!(edge.points[0], city.graph.nodes[edge.a as usize]);
            assert_eq!(edge.points[edge.points.len() - 1], city.graph.nodes[edge.b as usize]);
        }
    }
}

#[test]
fn only_bridges_cross_water() {
    for seed in SEEDS {
        let city = City::new(seed);
        for edge in &city.graph.edges {
            for p in &edge.points {
                assert!(!city.terrain.in_sea_or_lake(*p, 0.0), "seed {seed}: a street in the sea at {p:?}");
                assert!(
                    edge.class < 3 || !city.terrain.in_river(*p, 0.0),
                    "seed {seed}: a lane in the river at {p:?}"
                );
            }
        }
    }
}
