//! A fence inside a service area: a parking place (停车区) or a no-stop zone (禁停区).

use geofence::{Ring, Shape};
use kernel::{Aggregate, Claim, Decision, events, refusals};
use serde::{Deserialize, Serialize};
use vocabulary::{AgentId, AreaId, DataOwner, FenceId, Timestamp, choices};

choices! {
    /// What a fence is for.
    pub enum FenceKind("围栏类型") {
        Parking = 2 => "停车区",
        NoStop = 4 => "禁停区",
    }
}

/// A fence as drawn.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Drawing {
    /// Its own id.
    pub fence_id: FenceId,
    /// The service area it lies in.
    pub area_id: AreaId,
    /// Who runs that area.
    pub agent_id: AgentId,
    /// What it is for.
    pub kind: FenceKind,
    /// 名称.
    pub name: String,
    /// 停放上限, of parking places.
    pub capacity: i32,
    /// Its edge.
    pub ring: Ring,
}

/// What may be asked.
#[derive(Clone, Debug)]
pub enum FenceCommand {
    /// Draws it; the same again changes nothing.
    Draw {
        /// What is drawn.
        drawing: Drawing,
        /// The edge of its area, for the check that it lies within.
        area: Ring,
    },
    /// Makes it count.
    Enable,
    /// Makes it not count.
    Disable,
}

events! {
    /// What happened.
    pub enum FenceEvent {
        /// A first or a new version of it counts.
        Published {
            /// 1, 2, 3 …
            data_version: i64,
            /// What was drawn.
            drawing: Drawing,
        } = "fence.published",
        /// It counts again.
        Enabled = "fence.enabled",
        /// It does not count.
        Disabled = "fence.disabled",
    }
}

refusals! {
    /// Why not.
    pub enum FenceRefusal {
        Unknown = "fence-unknown": ("围栏不存在"),
        Name = "fence-name": ("围栏名称需 1 到 30 个字"),
        Capacity(i32) = "fence-capacity": ("停放上限需在 0 到 10000 之间，不能是 {0}"),
        OutsideArea = "fence-outside-area": ("围栏超出了所属服务区的边界"),
        NameTaken = "fence-name-taken": ("该服务区内已有同名围栏"),
        Different = "fence-different": ("围栏不能换到另一个服务区或改变类型"),
    }
}

/// The fence as decisions need it.
#[derive(Clone, Debug, Default)]
pub struct Fence {
    drawing: Option<Drawing>,
    data_version: i64,
    enabled: bool,
}

impl Aggregate for Fence {
    const CATEGORY: &'static str = "fence";
    type Id = FenceId;
    type Command = FenceCommand;
    type Event = FenceEvent;
    type Refusal = FenceRefusal;

    fn decide(&self, command: Self::Command, _now: Timestamp) -> Decision<Self> {
        match (&self.drawing, command) {
            (Some(old), FenceCommand::Draw { drawing, .. }) if *old == drawing => Ok(vec![]),
            (Some(old), FenceCommand::Draw { drawing, .. })
                if old.area_id != drawing.area_id || old.kind != drawing.kind || old.name != drawing.name =>
            {
                Err(FenceRefusal::Different)
            }
            (_, FenceCommand::Draw { drawing, area }) => {
                if !(1..=30).contains(&drawing.name.trim().chars().count()) {
                    return Err(FenceRefusal::Name);
                }
                if !(0..=10_000).contains(&drawing.capacity) {
                    return Err(FenceRefusal::Capacity(drawing.capacity));
                }
                if area.protrusion(&Shape::Polygon(drawing.ring.clone())).is_some() {
                    return Err(FenceRefusal::OutsideArea);
                }
                Ok(vec![FenceEvent::Published { data_version: self.data_version + 1, drawing }])
            }
            (None, FenceCommand::Enable | FenceCommand::Disable) => Err(FenceRefusal::Unknown),
            (Some(_), FenceCommand::Enable) if self.enabled => Ok(vec![]),
            (Some(_), FenceCommand::Enable) => Ok(vec![FenceEvent::Enabled]),
            (Some(_), FenceCommand::Disable) if !self.enabled => Ok(vec![]),
            (Some(_), FenceCommand::Disable) => Ok(vec![FenceEvent::Disabled]),
        }
    }

    fn evolve(&mut self, event: &FenceEvent) {
        match event {
            FenceEvent::Published { data_version, drawing } => {
                self.enabled |= self.drawing.is_none();
                self.drawing = Some(drawing.clone());
                self.data_version = *data_version;
            }
            FenceEvent::Enabled => self.enabled = true,
            FenceEvent::Disabled => self.enabled = false,
        }
    }

    fn owner(&self) -> DataOwner {
        self.drawing
            .as_ref()
            .map_or(DataOwner::PLATFORM, |known| DataOwner::of_area(known.agent_id, known.area_id))
    }

    fn claims(&self, event: &FenceEvent) -> Vec<Claim<FenceRefusal>> {
        match event {
            FenceEvent::Published { drawing, .. } if self.drawing.is_none() => {
                let key = format!("fence-name:{}:{}", drawing.area_id, drawing.name.trim());
                vec![Claim::Take { key, refusal: FenceRefusal::NameTaken }]
            }
            _ => vec![],
        }
    }
}

#[cfg(test)]
mod tests {
    use vocabulary::Datum;

    use super::*;

    fn square(west: f64, size: f64) -> Ring {
        let (south, east, north) = (24.0, west + size, 24.0 + size);
        Ring::draw(&[[west, south], [east, south], [east, north], [west, north]], Datum::Wgs84).unwrap()
    }

    fn draw(west: f64) -> FenceCommand {
        let drawing = Drawing {
            fence_id: FenceId(7),
            area_id: AreaId(20),
            agent_id: AgentId(2),
            kind: FenceKind::Parking,
            name: "东门".to_owned(),
            capacity: 40,
            ring: square(west, 0.001),
        };
        FenceCommand::Draw { drawing, area: square(118.0, 0.01) }
    }

    #[test]
    fn a_fence_that_reaches_out_of_its_area_is_refused() {
        let now = Timestamp::from_millis(0);
        assert_eq!(Fence::default().decide(draw(118.0095), now), Err(FenceRefusal::OutsideArea));
        assert!(Fence::default().decide(draw(118.001), now).is_ok());
    }

    #[test]
    fn each_drawing_is_a_new_version_and_the_same_is_none() {
        let now = Timestamp::from_millis(0);
        let mut fence = Fence::default();
        for (west, version) in [(118.001, 1), (118.002, 2)] {
            let events = fence.decide(draw(west), now).unwrap();
            let [FenceEvent::Published { data_version, .. }] = events.as_slice() else {
                panic!("{events:?}")
            };
            assert_eq!(*data_version, version);
            fence.evolve(&events[0]);
        }
        assert_eq!(fence.decide(draw(118.002), now), Ok(vec![]));
    }
}
