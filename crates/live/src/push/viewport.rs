//! What one socket looks at of the fleet, and what it has seen of it.

use std::sync::Arc;

use axum::extract::ws::Message;
use bytes::Bytes;
use vocabulary::{Cars, DataOwner, Scope, Timestamp};

use super::frame::{self, Kind, Stamp};
use super::hub::{Beat, Hub};
use super::levels::LevelWatch;
use super::protocol;
use crate::fleet::{CellBuffers, Fleet, LotTotals, Pick, Picked, Rect, Totals, View};

/// From this zoom on single bikes are shown; further out counts are.
const NEAR_ZOOM: u8 = 12;
/// Deeper than any map.
const MAX_ZOOM: f64 = 30.0;
/// As far as maps go: west, south, east, north.
const WORLD: [f64; 4] = [-180.0, -85.0, 180.0, 85.0];
/// Cells of one viewport near by: a screen of 4096 by 2160 at zoom 12 touches about 2,300.
const MAX_CELLS: usize = 16_384;
/// A pick is gone through again every so many ticks: a second.
const PICKED_EVERY: u32 = 4;
/// Counts are made this many levels below the zoom.
const CLUSTER_LEVELS: u8 = 2;

/// What a client asks to look at.
pub(super) enum RequestContext {
    /// Totals alone.
    Totals,
    /// Single bikes of these cells.
    Near(Rect),
    /// Counts at this level.
    Far(u8),
    /// Single bikes of these cells, however far out, which the pick lets through.
    Picked(Rect, Pick),
}

impl RequestContext {
    /// Refused in words for the user.
    pub(super) fn parse(
        bbox: Option<[f64; 4]>,
        zoom: Option<f64>,
        pick: Option<Pick>,
        seen: &Cars,
    ) -> Result<Self, &'static str> {
        let (Some(bbox), Some(zoom)) = (bbox, zoom) else {
            return if bbox.is_none() && zoom.is_none() {
                Ok(Self::Totals)
            } else {
                Err("视野不完整：需要范围与缩放级别")
            };
        };
        let rect = Rect::touching(bbox).ok_or("视野范围不正确")?;
        if !(0.0..=MAX_ZOOM).contains(&zoom) {
            return Err("缩放级别不正确");
        }
        if let Some(pick) = pick {
            pick.check()?;
            return Ok(Self::Picked(rect, pick.within(seen)));
        }
        let zoom = zoom.floor() as u8;
        // Who may see some bikes alone has a picture of his own; far out he expects all of his scope.
        if !seen.is_all() {
            let rect = if zoom < NEAR_ZOOM { Rect::touching(WORLD).unwrap_or(rect) } else { rect };
            return Ok(Self::Picked(rect, Pick::default().within(seen)));
        }
        if zoom < NEAR_ZOOM {
            return Ok(Self::Far(zoom + CLUSTER_LEVELS));
        }
        if rect.count() > MAX_CELLS {
            return Err("视野过大，请缩小范围或降低缩放级别");
        }
        Ok(Self::Near(rect))
    }
}

enum Sight {
    Totals,
    Near(View),
    Far(LevelWatch),
    Picked(Box<PickSight>),
}

/// What was shown of a pick.
struct PickSight {
    view: View,
    pick: Pick,
    shown: Picked,
    /// Of the whole scope.
    count: u32,
}

pub(super) struct Viewport {
    scope: Arc<Scope>,
    lots: Vec<bool>,
    sight: Sight,
    /// Everything up to this tick was sent.
    pub(super) seen: u32,
    totals_of: Arc<LotTotals>,
    totals: Option<Totals>,
}

impl Viewport {
    pub(super) fn new(scope: Arc<Scope>) -> Self {
        Self {
            scope,
            lots: Vec::new(),
            sight: Sight::Totals,
            seen: 0,
            totals_of: Arc::default(),
            totals: None,
        }
    }

    /// Looks at something else; what is to be sent for it. `since`: what the client still has of the very same view.
    pub(super) fn turn_to(&mut self, request: RequestContext, since: Option<u32>, hub: &Hub) -> Vec<Message> {
        let now = hub.clock.now();
        let fleet = hub.memory.read();
        self.learn(fleet.owners());
        if matches!(self.sight, Sight::Picked(_)) {
            // Told again, without what the pick counted.
            self.totals = None;
        }
        let buffers = match request {
            RequestContext::Totals => {
                self.sight = Sight::Totals;
                Vec::new()
            }
            RequestContext::Far(level) => self.turn_far(level, hub, &fleet, now),
            RequestContext::Near(rect) => {
                self.turn_near(View { rect, lots: self.lots.clone() }, since, &fleet, now)
            }
            RequestContext::Picked(rect, pick) => {
                self.turn_to_pick(View { rect, lots: self.lots.clone() }, pick, &fleet, now)
            }
        };
        self.seen = fleet.tick_seq();
        drop(fleet);
        binary(buffers)
    }

    fn turn_near(&mut self, view: View, since: Option<u32>, fleet: &Fleet, now: Timestamp) -> Vec<Bytes> {
        let told = match (&self.sight, since) {
            (Sight::Near(old), _) => fleet.moved(old, &view, self.seen, now),
            (_, Some(since)) => fleet.difference(&view, since, now),
            (_, None) => None,
        };
        let buffers = told.unwrap_or_else(|| fleet.snapshot(&view, now));
        self.sight = Sight::Near(view);
        buffers
    }

    /// The map moved, with the same pick: what is new of it and what is out of sight. Anything else begins anew.
    fn turn_to_pick(&mut self, view: View, pick: Pick, fleet: &Fleet, now: Timestamp) -> Vec<Bytes> {
        let (mut shown, since) = match &mut self.sight {
            Sight::Picked(old) if old.pick == pick => (std::mem::take(&mut old.shown), Some(self.seen)),
            _ => (Picked::default(), None),
        };
        let (buffers, count) = fleet.picked(&view, &pick, &mut shown, since, now);
        self.totals = None;
        self.sight = Sight::Picked(Box::new(PickSight { view, pick, shown, count }));
        buffers
    }

    fn turn_far(&mut self, level: u8, hub: &Hub, fleet: &Fleet, now: Timestamp) -> Vec<Bytes> {
        if let Sight::Far(watch) = &mut self.sight
            && watch.level == level
        {
            return watch.newer(|lot| allowed(&self.lots, lot));
        }
        let mut watch = hub.levels.watch(level, fleet, now.millis());
        let stamp = Stamp { seq: fleet.tick_seq(), time_ms: now.millis() };
        let mut buffers = vec![frame::mark(Kind::SnapshotStart, stamp)];
        buffers.extend(watch.newer(|lot| allowed(&self.lots, lot)));
        self.sight = Sight::Far(watch);
        // Tells a scope without bikes from one whose counts are still to come.
        buffers.push(frame::mark(Kind::SnapshotEnd, stamp));
        buffers
    }

    /// What a beat has for this socket.
    pub(super) fn beat(&mut self, beat: &Beat, hub: &Hub) -> Vec<Message> {
        self.learn(&beat.owners);
        let mut messages = Vec::new();
        if beat.buffers.seq > self.seen {
            messages = match &mut self.sight {
                Sight::Totals => Vec::new(),
                Sight::Far(watch) => binary(watch.newer(|lot| allowed(&self.lots, lot))),
                Sight::Near(view) if beat.buffers.seq == self.seen + 1 => binary(shared(view, beat)),
                Sight::Near(_) => return self.catch_up(beat, hub),
                Sight::Picked(_) if beat.buffers.seq < self.seen + PICKED_EVERY => {
                    return self.totals(beat, hub).into_iter().collect();
                }
                Sight::Picked(_) => return self.pick_again(beat, hub),
            };
            self.seen = beat.buffers.seq;
        }
        messages.extend(self.totals(beat, hub));
        messages
    }

    /// What came to be picked since it was last gone through, what changed of it and what is picked no more.
    fn pick_again(&mut self, beat: &Beat, hub: &Hub) -> Vec<Message> {
        let now = hub.clock.now();
        let fleet = hub.memory.read();
        self.learn(fleet.owners());
        let Sight::Picked(sight) = &mut self.sight else { return Vec::new() };
        let (buffers, count) = fleet.picked(&sight.view, &sight.pick, &mut sight.shown, Some(self.seen), now);
        if std::mem::replace(&mut sight.count, count) != count {
            self.totals = None;
        }
        self.seen = fleet.tick_seq();
        drop(fleet);
        let mut messages = binary(buffers);
        messages.extend(self.totals(beat, hub));
        messages
    }

    /// Beats were missed: the latest state of what changed in them.
    fn catch_up(&mut self, beat: &Beat, hub: &Hub) -> Vec<Message> {
        crate::measure::caught_up();
        let now = hub.clock.now();
        let fleet = hub.memory.read();
        self.learn(fleet.owners());
        let Sight::Near(view) = &self.sight else { return Vec::new() };
        let told = fleet.difference(view, self.seen, now);
        let buffers = told.unwrap_or_else(|| fleet.snapshot(view, now));
        self.seen = fleet.tick_seq();
        drop(fleet);
        let mut messages = binary(buffers);
        messages.extend(self.totals(beat, hub));
        messages
    }

    /// Totals, when they are new and different.
    pub(super) fn totals(&mut self, beat: &Beat, hub: &Hub) -> Option<Message> {
        if Arc::ptr_eq(&self.totals_of, &beat.totals) && self.totals.is_some() {
            return None;
        }
        self.totals_of = Arc::clone(&beat.totals);
        let mut sum = Totals::default();
        if self.scope.cars.is_all() {
            for (_, totals) in beat.totals.iter().filter(|(owner, _)| self.scope.contains(*owner)) {
                sum += *totals;
            }
        } else {
            sum = hub.memory.read().totals_of(|record| record.is_shown_to(&self.scope));
        }
        if self.totals == Some(sum) {
            return None;
        }
        self.totals = Some(sum);
        let picked = match &self.sight {
            Sight::Picked(sight) if !sight.pick.is_all_of(&self.scope.cars) => Some(sight.count),
            _ => None,
        };
        Some(Message::Text(protocol::totals(beat.buffers.seq, beat.buffers.time_ms, &sum, picked).into()))
    }

    /// Judges lots that were not met before.
    fn learn(&mut self, owners: &[DataOwner]) {
        for owner in owners.iter().skip(self.lots.len()) {
            self.lots.push(self.scope.contains(*owner));
        }
        let view = match &mut self.sight {
            Sight::Near(view) => view,
            Sight::Picked(sight) => &mut sight.view,
            Sight::Totals | Sight::Far(_) => return,
        };
        if view.lots.len() < self.lots.len() {
            view.lots.clone_from(&self.lots);
        }
    }
}

fn allowed(lots: &[bool], lot: u32) -> bool {
    lots.get(lot as usize).copied().unwrap_or(false)
}

/// The beat's buffers that `view` sees: first who left cells, then who is there.
fn shared(view: &View, beat: &Beat) -> Vec<Bytes> {
    let cells = &beat.buffers.cells;
    let near: Box<dyn Iterator<Item = &Vec<(u32, CellBuffers)>>> = if view.rect.count() <= cells.len() {
        Box::new(view.rect.cells().filter_map(|cell| cells.get(&cell)))
    } else {
        Box::new(cells.iter().filter(|(cell, _)| view.rect.contains(**cell)).map(|(_, lots)| lots))
    };
    let seen: Vec<&CellBuffers> =
        near.flatten().filter(|(lot, _)| view.allows(*lot)).map(|(_, buffers)| buffers).collect();
    let left = seen.iter().flat_map(|cell| cell.left.iter().cloned());
    let changed = seen.iter().flat_map(|cell| cell.changed.iter().cloned());
    left.chain(changed).collect()
}

fn binary(buffers: Vec<Bytes>) -> Vec<Message> {
    buffers.into_iter().map(Message::Binary).collect()
}
