//! Sets the city up through the open API. Doing it twice changes nothing: areas are found again by name, and the
//! server knows vehicles, fences and companies again by their names and by the requests' idempotency keys.

use std::collections::BTreeMap;

use anyhow::{Context, bail};
use futures::{StreamExt, TryStreamExt, stream};
use serde_json::{Value, json};

use crate::cards::put_on_sale;
use crate::firmware::packages;
use crate::geometry::{Xy, clip_half_plane};
use crate::open_api::{BATCH, OpenApi, OpenApiError};
use crate::riders::AreaOfCity;
use crate::schemes::bind_bikes;
use crate::world::World;

/// Batches of vehicles in flight at one time.
const BATCHES_IN_FLIGHT: usize = 3;
/// Stops of the past in one request.
const STOPS_AT_ONCE: usize = 1000;
const COMPANIES: [(&str, &str); 3] = [("轻骑出行", "林建国"), ("绿行科技", "陈晓梅"), ("小鹭单车", "黄志强")];

/// What the connections need.
pub struct Ready {
    /// The credential of each bike, in order.
    pub secrets: Vec<String>,
    /// User name and password of the gateway.
    pub gateway: (String, String),
    /// The server's areas, in the order of the city's.
    pub areas: Vec<AreaOfCity>,
}

/// Companies, areas, fences, vehicles, gateway. New fences count since `since_ms`, or from now on.
pub async fn set_up(
    api: &OpenApi,
    world: &World,
    manager: Option<&str>,
    since_ms: Option<i64>,
) -> anyhow::Result<Ready> {
    let known = api.areas().await.context("读取服务区")?;
    let city = &world.city;
    let mut agents: Vec<Option<String>> = vec![None; COMPANIES.len()];
    let mut area_ids = Vec::new();
    let mut agent_ids = Vec::new();
    let label = |text: &str| format!("{}{text}", city.name);
    for (i, area) in city.areas.iter().enumerate() {
        let company = i % COMPANIES.len();
        let name = label(&area.name);
        if let Some(found) = known.iter().find(|k| k.name == name) {
            agents[company] = Some(found.agent_id.clone());
        }
        let agent = if let Some(agent) = &agents[company] {
            agent.clone()
        } else {
            let phone = format!("139{:04}{:04}", city.seed % 10_000, company + 1);
            let (company, contact) = COMPANIES[company];
            api.create_agent(&label(company), contact, &phone).await.context("登记代理商")?
        };
        agents[company] = Some(agent.clone());
        let area_id = match known.iter().find(|k| k.name == name) {
            Some(found) => found.area_id.clone(),
            None => api
                .create_area(&agent, &name, &city.closed_ring(&area.ring))
                .await
                .with_context(|| format!("新建{name}"))?,
        };
        area_ids.push(area_id);
        agent_ids.push(agent);
    }
    println!("服务区 {} 个就绪", area_ids.len());
    draw_fences(api, world, &area_ids, since_ms).await?;
    draw_maintenance_areas(api, world, &area_ids, manager).await?;
    for (area_id, area) in area_ids.iter().zip(&city.areas) {
        // An area that is open already refuses to be opened: that is what was wanted.
        match api.open_area(area_id).await {
            Ok(()) => {}
            Err(OpenApiError::Refused(why)) => println!("  {} 未再开通：{why}", area.name),
            Err(error) => bail!(error),
        }
    }
    set_prices(api, &area_ids).await?;
    let vehicles: Vec<Value> = world
        .bikes
        .iter()
        .map(|bike| {
            let [lng, lat] = city.degrees(bike.at);
            let number = &bike.identity.car_id[bike.identity.car_id.len() - 6..];
            json!({
                "carId": bike.identity.car_id, "imei": bike.identity.imei, "plateNo": format!("闽X{number}"),
                "areaId": area_ids[bike.area], "agentId": agent_ids[bike.area], "lat": lat, "lng": lng,
            })
        })
        .collect();
    let secrets = register(api, &vehicles).await?;
    let mut complete = Vec::with_capacity(secrets.len());
    let mut refusals: BTreeMap<String, usize> = BTreeMap::new();
    for secret in secrets {
        match secret {
            Ok(secret) => complete.push(secret),
            Err(why) => {
                *refusals.entry(why).or_default() += 1;
                complete.push(String::new());
            }
        }
    }
    for (why, count) in &refusals {
        println!("  {count} 辆车未登记：{why}");
    }
    if refusals.values().sum::<usize>() == world.bikes.len() {
        bail!("没有一辆车登记成功");
    }
    let bikes = world.bikes.iter().map(|bike| (bike.identity.car_id.as_str(), agent_ids[bike.area].as_str()));
    let (schemes, refused) = bind_bikes(api, bikes).await.context("绑定电压方案")?;
    println!("电压方案 {schemes} 个就绪，{} 辆车未绑定", refused.len());
    if let Some(why) = refused.first() {
        println!("  部分车辆未绑定：{why}");
    }
    keep_some(api, world).await?;
    publish_firmware(api).await?;
    let gateway = api.create_gateway(&format!("demo-{}", city.seed)).await.context("登记网关")?;
    let companies: Vec<&str> = agents.iter().flatten().map(String::as_str).collect();
    let cards = put_on_sale(api, &companies).await.context("上架骑行卡和会员")?;
    println!("在售骑行卡和会员 {cards} 张");
    let areas =
        area_ids.into_iter().zip(agent_ids).map(|(area_id, agent_id)| AreaOfCity { area_id, agent_id });
    Ok(Ready { secrets: complete, gateway, areas: areas.collect() })
}

/// Packages that the city's controllers may be upgraded to.
async fn publish_firmware(api: &OpenApi) -> anyhow::Result<()> {
    let packages = packages();
    let mut ready = 0;
    for package in &packages {
        match api.publish_firmware(package).await {
            Ok(()) => ready += 1,
            // Somebody corrected it since, or the token acts for some agents alone: what is there stays.
            Err(OpenApiError::Refused(why)) => {
                println!("  固件包 {} {} 未发布：{why}", package["model"], package["firmware"]);
            }
            Err(error) => return Err(error).context("发布固件包"),
        }
    }
    println!("固件包 {ready}/{} 个就绪", packages.len());
    Ok(())
}

const UNSHELVE: u8 = 2;
const RESTOCK: u8 = 3;
const TO_FACTORY: u8 = 4;
const LOST: u8 = 5;
const TAG: u8 = 9;
/// Of so many bikes one of each kind is kept away from the streets.
const ONE_OF: usize = 60;

/// Bikes as a city has them: most on its streets, some off them, in stock, at the factory or lost, some called something. Done before,
/// it changes nothing.
async fn keep_some(api: &OpenApi, world: &World) -> anyhow::Result<()> {
    let every = |first: usize| -> Vec<&str> {
        world.bikes.iter().skip(first).step_by(ONE_OF).map(|bike| bike.identity.car_id.as_str()).collect()
    };
    // The first bikes of a city have lines of their own, and others look at them.
    let [off, stocked, away, lost, called] = [31, 37, 43, 47, 53].map(every);
    let because = |reason: &str| json!({ "reason": reason });
    for (cars, act, more) in [
        (&off, UNSHELVE, because("等待检修")),
        (&stocked, UNSHELVE, because("冬季回收")),
        (&stocked, RESTOCK, because("入库待投放")),
        (&away, UNSHELVE, because("车架异响")),
        (&away, TO_FACTORY, because("返厂更换车架")),
        (&lost, LOST, because("巡检三天未找到")),
        (&called, TAG, json!({ "addTags": ["重点保障", "校园"] })),
    ] {
        if cars.is_empty() {
            continue;
        }
        let refused = api.keep_vehicles(cars, act, &more).await.context("车辆上下架")?;
        for why in refused.into_iter().flatten().take(1) {
            println!("  部分车辆未操作：{why}");
        }
    }
    Ok(())
}

/// What rides cost in each area: they differ, as those of a city do.
async fn set_prices(api: &OpenApi, area_ids: &[String]) -> anyhow::Result<()> {
    for (i, area_id) in area_ids.iter().enumerate() {
        let dearer = 50 * (i as i64 % 3);
        let content = json!({
            "freeTimeS": 60, "freeDistanceM": 50, "baseTimeS": 900, "baseTimeCents": 150 + dearer, "cycleS": 600,
            "cycleCents": 100, "baseDistanceM": 5_000, "baseDistanceCents": 0, "perKmCents": dearer,
            "dayCapCents": 3_000, "discountPercent": 100,
            "bands": [{ "fromMin": 0, "untilMin": 360, "percent": 150 }],
            "returned": {
                "smallPenaltyCents": 500, "largePenaltyCents": 1_500, "largeDistanceM": 200, "noStopCents": 2_000,
                "outOfServiceCents": 2_000, "noRideCents": 2_000, "helmetCents": 3_000,
            },
            "maxOrderCents": 30_000, "explain": "15 分钟起步，之后每 10 分钟计费；凌晨按 1.5 倍。",
        });
        match api.set_billing(area_id, &content).await {
            Ok(()) => {}
            // Somebody is writing a draft there: his prices come.
            Err(OpenApiError::Refused(why)) => println!("  服务区 {area_id} 的价格未改：{why}"),
            Err(error) => bail!(error),
        }
    }
    Ok(())
}

/// Where bikes stopped before, in parts.
pub async fn tell_past(api: &OpenApi, stops: &[Value]) -> anyhow::Result<()> {
    let telling = stream::iter(stops.chunks(STOPS_AT_ONCE)).map(|part| api.past_stops(part));
    let taken: Vec<(u64, usize)> =
        telling.buffered(BATCHES_IN_FLIGHT).try_collect().await.context("补录历史停车")?;
    let (new, refused) = taken.iter().fold((0, 0), |sum, part| (sum.0 + part.0, sum.1 + part.1));
    println!("历史停车 {} 次，新补录 {new} 次，{refused} 次未收", stops.len());
    Ok(())
}

async fn draw_fences(
    api: &OpenApi,
    world: &World,
    area_ids: &[String],
    since_ms: Option<i64>,
) -> anyhow::Result<()> {
    let city = &world.city;
    let parking = city.parkings.iter().map(|p| {
        json!({ "areaId": area_ids[p.area], "kind": 2, "name": p.name, "ring": city.closed_ring(&p.ring), "datum": "wgs84", "capacity": p.capacity, "since": since_ms })
    });
    let no_stop = city.no_stops.iter().map(|z| {
        json!({ "areaId": area_ids[z.area], "kind": 4, "name": z.name, "ring": city.closed_ring(&z.ring), "datum": "wgs84", "capacity": 0, "since": since_ms })
    });
    let fences: Vec<Value> = parking.chain(no_stop).collect();
    let mut refusals: BTreeMap<String, usize> = BTreeMap::new();
    for batch in fences.chunks(BATCH) {
        for why in api.create_fences(batch).await.context("画围栏")?.into_iter().flatten() {
            *refusals.entry(why).or_default() += 1;
        }
    }
    let refused: usize = refusals.values().sum();
    println!("围栏 {} 个就绪，{refused} 个未新建", fences.len() - refused);
    for (why, count) in refusals.iter().take(5) {
        println!("  {count} 个：{why}");
    }
    Ok(())
}

/// The first service area in two halves, which meet at its middle; both are led by `manager`.
async fn draw_maintenance_areas(
    api: &OpenApi,
    world: &World,
    area_ids: &[String],
    manager: Option<&str>,
) -> anyhow::Result<()> {
    let (Some(manager), Some(area_id)) = (manager, area_ids.first()) else {
        println!("未指定运维区负责人（--manager），没有画运维区");
        return Ok(());
    };
    let area = &world.city.areas[0];
    for (name, ring) in ["西片", "东片"].into_iter().zip(halves(&area.ring)) {
        let ring = world.city.closed_ring(&ring);
        match api.create_maintenance_area(area_id, name, &ring, manager).await {
            Ok(()) => {}
            Err(OpenApiError::Refused(why)) => println!("  运维区{name}未新建：{why}"),
            Err(error) => bail!(error),
        }
    }
    Ok(())
}

/// A ring west and east of the middle of its box.
fn halves(ring: &[Xy]) -> [Vec<Xy>; 2] {
    let west = ring.iter().map(|p| p.x).fold(f64::INFINITY, f64::min);
    let east = ring.iter().map(|p| p.x).fold(f64::NEG_INFINITY, f64::max);
    let middle = Xy::new(f64::midpoint(west, east), 0.0);
    [1.0, -1.0].map(|side| clip_half_plane(ring, middle, Xy::new(side, 0.0)))
}

/// Registers vehicles in batches with few requests in flight; the answers are in the vehicles' order.
pub async fn register(api: &OpenApi, vehicles: &[Value]) -> anyhow::Result<Vec<Result<String, String>>> {
    let total = vehicles.len();
    let mut secrets = Vec::with_capacity(total);
    let mut batches = stream::iter(vehicles.chunks(BATCH).map(|batch| api.create_vehicles(batch)))
        .buffered(BATCHES_IN_FLIGHT);
    let mut told = 0;
    while let Some(batch) = batches.try_next().await.context("登记车辆")? {
        secrets.extend(batch);
        if secrets.len() >= told + 2_000 || secrets.len() == total {
            told = secrets.len();
            println!("车辆 {told}/{total}");
        }
    }
    Ok(secrets)
}
