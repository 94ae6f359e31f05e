//! The simulator's command line.
fn main() {
    let seed = std::env::args().nth(1).and_then(|s| s.parse().ok()).unwrap_or(7);
    let city = simulator::city::City::new(seed);
    eprintln!("{} nodes {} edges {} streets {} parkings {} nostops {} places", city.graph.nodes.len(), city.graph.edges.len(), city.graph.streets.len(), city.parkings.len(), city.no_stops.len(), city.places.len());
    println!("{}", simulator::city::geojson::feature_collection(&city));
}
