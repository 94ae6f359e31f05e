//! The city as GeoJSON (WGS-84), the form the map draws.

use serde_json::{Value, json};

use super::City;
use crate::geometry::{Xy, signed_area_m2, simplified};

fn polygon(city: &City, kind: &str, name: &str, ring: &[Xy]) -> Value {
    // RFC 7946: outer rings run counter-clockwise.
    let mut ring = ring.to_vec();
    if signed_area_m2(&ring) < 0.0 {
        ring.reverse();
    }
    json!({
        "type": "Feature",
        "properties": { "kind": kind, "class": 1, "name": name },
        "geometry": { "type": "Polygon", "coordinates": [city.closed_ring(&ring)] },
    })
}

/// A street's stretches joined into as few lines as follow one another.
fn street_lines(city: &City) -> Vec<Vec<Vec<Xy>>> {
    let mut by_street: Vec<Vec<Vec<Xy>>> = vec![Vec::new(); city.graph.streets.len()];
    for edge in &city.graph.edges {
        let lines = &mut by_street[edge.street as usize];
        match lines.last_mut() {
            Some(line) if line.last() == edge.points.first() => line.extend(edge.points.iter().skip(1)),
            _ => lines.push(edge.points.clone()),
        }
    }
    by_street
}

/// The whole city: land, water, parks, roads, districts, places.
pub fn feature_collection(city: &City) -> Value {
    let mut features = vec![polygon(city, "land", &city.name, &city.terrain.land_ring())];
    features.push(polygon(city, "water", &format!("{}湾", city.name), &city.terrain.sea_ring()));
    features.push(polygon(city, "water", "龙津江", &city.terrain.river_ring()));
    features.push(polygon(city, "water", "镜湖", &city.terrain.lake));
    for park in &city.terrain.parks {
        features.push(polygon(city, "park", &park.name, &park.ring));
    }
    for district in &city.districts {
        features.push(polygon(city, "district", &district.name, &district.ring));
    }
    for ((name, class), lines) in city.graph.streets.iter().zip(street_lines(city)) {
        if lines.is_empty() {
            continue;
        }
        let coordinates: Vec<Vec<[f64; 2]>> = lines
            .iter()
            .map(|line| simplified(line, 0.8).iter().map(|p| city.degrees(*p)).collect())
            .collect();
        features.push(json!({
            "type": "Feature",
            "properties": { "kind": "road", "class": class, "name": name },
            "geometry": { "type": "MultiLineString", "coordinates": coordinates },
        }));
    }
    for place in &city.places {
        features.push(json!({
            "type": "Feature",
            "properties": { "kind": "place", "class": place.class, "name": place.name },
            "geometry": { "type": "Point", "coordinates": city.degrees(place.at) },
        }));
    }
    json!({ "type": "FeatureCollection", "name": city.name, "features": features })
}
