//! One bike of its own with which something is wrong: to see what a control room is told of it, and when.

use std::collections::HashSet;
use std::sync::Arc;
use std::time::Duration;

use anyhow::Context;
use serde_json::json;
use tokio::sync::mpsc;

use crate::geometry::{Plane, Xy};
use crate::identity::Register;
use crate::mqtt::{Connection, Counters, Login};
use crate::open_api::OpenApi;
use crate::report::{Flags, Report};
use crate::wall;

/// What is wrong with it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, clap::ValueEnum)]
pub enum Wrong {
    /// It is loaded onto a van.
    Stolen,
    /// Its lock is forced.
    Forced,
    /// Its helmet is gone.
    HelmetLost,
    /// Its helmet lock is broken.
    HelmetBroken,
}

const EVERY: Duration = Duration::from_secs(1);
/// Reports of a bike that stands.
const STANDS: u16 = 8;
const VAN_M_PER_S: f64 = 8.0;
const DRIVES: u16 = 25;
/// Farther from where it rested than any receiver errs.
const GONE_M: f64 = 60.0;

/// Whose bike it is, where it stands, and how the servers are reached.
pub struct Options {
    /// The server.
    pub server: String,
    /// A machine's token.
    pub token: String,
    /// The MQTT broker.
    pub mqtt: (String, u16),
    /// Its agent.
    pub agent_id: String,
    /// Its area.
    pub area_id: String,
    /// Degrees north, WGS-84; must lie in the area.
    pub lat: f64,
    /// Degrees east, WGS-84.
    pub lng: f64,
    /// What is wrong with it, after it stood for a while.
    pub wrong: Wrong,
    /// How long it goes on reporting afterwards.
    pub stays: Duration,
}

/// Enrols a bike, lets it stand, lets it go wrong; prints its number first, and when that was beyond doubt.
pub async fn run(options: &Options) -> anyhow::Result<()> {
    let api = OpenApi::new(&options.server, &options.token)?;
    let identity = Register::default().identity("T", &format!("theft {}", wall::now_ms()));
    let vehicle = json!({"carId": identity.car_id, "imei": identity.imei, "plateNo": "", "areaId": options.area_id,
        "agentId": options.agent_id, "lat": options.lat, "lng": options.lng});
    let answers = api.create_vehicles(&[vehicle]).await?;
    let secret = answers.into_iter().next().context("没有返回")?.map_err(anyhow::Error::msg)?;
    println!("{}", json!({"carId": identity.car_id}));

    let (heard, mut commands) = mpsc::channel(16);
    let login = Login {
        host: options.mqtt.0.clone(),
        port: options.mqtt.1,
        client_id: identity.imei.clone(),
        user: identity.imei.clone(),
        password: secret,
        subscribe: format!("ebike/{}/down", identity.imei),
    };
    let carries = HashSet::from([identity.imei.clone()]);
    let line = Connection::open(login, carries, Arc::new(Counters::default()), heard);
    let plane = Plane::at(options.lat, options.lng);
    let stays = u16::try_from(options.stays.as_secs()).unwrap_or(u16::MAX - STANDS - DRIVES);
    let mut told = false;
    let mut beat = tokio::time::interval(EVERY);
    for seq in 0..STANDS + DRIVES + stays {
        beat.tick().await;
        // Nobody answers for a bike on a van.
        while commands.try_recv().is_ok() {}
        let stolen = options.wrong == Wrong::Stolen;
        let driven_s = if stolen { f64::from(seq.saturating_sub(STANDS).min(DRIVES)) } else { 0.0 };
        let (lng, lat) = plane.lng_lat(Xy::new(0.0, driven_s * VAN_M_PER_S));
        let moving = stolen && (STANDS..STANDS + DRIVES).contains(&seq);
        let flags = flags_of(options.wrong, seq >= STANDS, moving);
        let at_ms = wall::now_ms();
        line.send(format!("ebike/{}/up", identity.imei), said(seq, at_ms, (lat, lng), flags));
        let beyond_doubt = if stolen { driven_s * VAN_M_PER_S > GONE_M } else { seq >= STANDS };
        if !told && beyond_doubt {
            told = true;
            println!("{}", json!({"goneAt": at_ms}));
        }
    }
    Ok(())
}

fn flags_of(wrong: Wrong, is_wrong: bool, moving: bool) -> Flags {
    let mut flags = Flags(
        Flags::LOCKED
            | Flags::BATTERY_PRESENT
            | Flags::BATTERY_BAY_LOCKED
            | Flags::POSITION_VALID
            | Flags::HELMET_LOCKED,
    );
    flags.set(Flags::MOVING | Flags::VIBRATION, moving);
    match wrong {
        Wrong::Stolen => {}
        Wrong::Forced => flags.set(Flags::LOCKED, !is_wrong),
        Wrong::HelmetLost => {
            flags.set(Flags::HELMET_MISSING, is_wrong);
            flags.set(Flags::HELMET_LOCKED, !is_wrong);
        }
        Wrong::HelmetBroken => flags.set(Flags::HELMET_FAULT, is_wrong),
    }
    flags
}

fn said(seq: u16, at_ms: i64, (lat, lng): (f64, f64), flags: Flags) -> Vec<u8> {
    let report = Report {
        seq,
        at_ms,
        lat,
        lng,
        hdop_tenths: 9,
        satellites: 11,
        speed_kmh: if flags.has(Flags::MOVING) { (VAN_M_PER_S * 3.6) as u8 } else { 0 },
        heading_deg: 0,
        soc_percent: 83,
        gsm: 22,
        voltage_mv: 52_100,
        flags,
        fence_version: 0,
    };
    report.json().to_string().into_bytes()
}
