//! Voltage schemes of the companies, and which of their bikes have which.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use crate::open_api::{OpenApi, OpenApiError};

/// Bikes that are bound by one request.
const AT_ONCE: usize = 2_000;

fn scheme(name: &str, (chemistry, max_mileage_km): (u8, u16), curve: &[(u32, u8)]) -> Value {
    let points: Vec<Value> =
        curve.iter().map(|(mv, percent)| json!({ "voltageMv": mv, "percent": percent })).collect();
    json!({
        "name": name, "nominalV": 48, "chemistry": chemistry, "points": points, "maxMileageKm": max_mileage_km,
        "lowPercent": 20, "enoughPercent": 80, "state": 1,
    })
}

/// What a company's bikes run on: the first as their devices reckon, the second with a flatter curve.
fn of_company(agent_id: &str) -> [Value; 2] {
    let ternary = [(42_000, 0), (45_125, 25), (48_250, 50), (51_375, 75), (54_500, 100)];
    let iron =
        [(41_000, 0), (46_400, 10), (48_000, 30), (48_800, 50), (49_600, 70), (51_200, 90), (54_700, 100)];
    let all = [scheme("48V 三元锂 20Ah", (2, 45), &ternary), scheme("48V 磷酸铁锂 24Ah", (1, 60), &iron)];
    all.map(|mut one| {
        one["agentId"] = json!(agent_id);
        one
    })
}

/// What the platform offers to all of them.
fn of_platform() -> Value {
    let curve = [(42_000, 0), (44_400, 20), (46_200, 40), (48_000, 60), (49_800, 80), (51_600, 100)];
    scheme("48V 铅酸（通用）", (3, 35), &curve)
}

/// Which scheme a bike has, by its number in the city: two of three have one of their company's, a few the platform's, the others none.
const fn which(bike: usize) -> Option<usize> {
    match (bike % 3, bike % 30) {
        (0, _) => Some(0),
        (1, _) => Some(1),
        (_, 2) => Some(2),
        _ => None,
    }
}

/// Makes the schemes and binds bikes, each told with its company; how many schemes there are, and why bikes were not bound. Doing it
/// twice changes nothing: a scheme is known by its name, and a request by its content.
pub async fn bind_bikes(
    api: &OpenApi,
    bikes: impl Iterator<Item = (&str, &str)>,
) -> Result<(usize, Vec<String>), OpenApiError> {
    let platforms = api.make_voltage_scheme(&of_platform()).await?;
    let mut companies: BTreeMap<String, [String; 2]> = BTreeMap::new();
    let mut bound: BTreeMap<String, Vec<&str>> = BTreeMap::new();
    for (number, (car_id, agent_id)) in bikes.enumerate() {
        if !companies.contains_key(agent_id) {
            let [first, second] = of_company(agent_id);
            let made = [api.make_voltage_scheme(&first).await?, api.make_voltage_scheme(&second).await?];
            companies.insert(agent_id.to_owned(), made);
        }
        let of_company = &companies[agent_id];
        if let Some(which) = which(number) {
            let scheme = of_company.get(which).unwrap_or(&platforms);
            bound.entry(scheme.clone()).or_default().push(car_id);
        }
    }
    let mut refused = Vec::new();
    for (scheme, cars) in &bound {
        for part in cars.chunks(AT_ONCE) {
            let why = api.keep_vehicles(part, SET_SCHEME, &json!({ "voltageSchemeId": scheme })).await?;
            refused.extend(why.into_iter().flatten());
        }
    }
    Ok((companies.len() * 2 + 1, refused))
}

/// 设置电压方案.
const SET_SCHEME: u8 = 12;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn curves_rise_from_empty_to_full() {
        let [first, second] = of_company("7");
        for scheme in [first, second, of_platform()] {
            let points: Vec<(i64, i64)> = scheme["points"]
                .as_array()
                .unwrap()
                .iter()
                .map(|point| (point["voltageMv"].as_i64().unwrap(), point["percent"].as_i64().unwrap()))
                .collect();
            assert!(points.windows(2).all(|pair| pair[0].0 < pair[1].0 && pair[0].1 < pair[1].1), "{scheme}");
            assert_eq!((points[0].1, points[points.len() - 1].1), (0, 100));
            assert!((5..=50).contains(&points.len()));
        }
    }

    #[test]
    fn most_bikes_have_one_and_some_have_none() {
        let count = |wanted| (0..300).filter(|bike| which(*bike) == wanted).count();
        assert_eq!([count(Some(0)), count(Some(1)), count(Some(2)), count(None)], [100, 100, 10, 90]);
    }
}
