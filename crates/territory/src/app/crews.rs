//! Maintenance areas: a fence and its people in one append; how many parking places and bikes lie in each.

use std::collections::{BTreeMap, BTreeSet};

use geofence::{FenceKind, Outline, Plane, Shape};
use kernel::{AnyRefusal, CommandContext, CommandError, ReadTx, Receipt, Transaction};
use vocabulary::{AreaId, DataOwner, FenceId, OperatorId, Phone, Scope, Timestamp, Wgs84};
use wire::{Caller, Refused};

use super::NEWEST;
use crate::Context;
use crate::model::crew::{self, Candidate, Crew, CrewCommand, Form, People, Post};
use crate::model::fence::{Fence, FenceCommand};
use crate::ports::Person;
use crate::read::crews::{self, CrewMember, MaintenanceArea};
use crate::read::fences;

/// Who is to look after an area.
pub(crate) struct Assignment {
    post: Post,
    form: Form,
    manager: Option<OperatorId>,
    candidates: BTreeMap<OperatorId, Candidate>,
}

impl Assignment {
    fn command(&self) -> CrewCommand {
        let Self { post, form, manager, candidates } = self;
        CrewCommand::Assign {
            post: *post,
            form: form.clone(),
            manager: *manager,
            candidates: candidates.clone(),
        }
    }
}

impl Context {
    /// Looks up whom `form` and `manager`, a login phone, name: of those the ones whom the caller may see.
    pub(crate) async fn assignment(
        &self,
        caller: &Caller,
        post: Post,
        form: Form,
        manager: Option<&Phone>,
    ) -> Result<Assignment, Refused> {
        let (people, scope) = (&self.ports.people, &caller.full_scope);
        let mut found = people.of(scope, &form.people()).await.map_err(Refused::unavailable)?;
        let mut led_by = None;
        if let Some(phone) = manager {
            let person = people.with_phone(scope, phone).await.map_err(Refused::unavailable)?;
            let unknown =
                || Refused::business("crew-manager-unknown", "没有使用该手机号的人员，或不在您的数据范围内");
            let person = person.ok_or_else(unknown)?;
            led_by = Some(person.id);
            found.push(person);
        }
        let place = DataOwner::of_area(post.agent_id, post.area_id);
        let candidate = |person: Person| {
            let reaches = person.reach.contains(place);
            (person.id, Candidate { name: person.name, enabled: person.enabled, reaches })
        };
        let candidates = found.into_iter().map(candidate).collect();
        Ok(Assignment { post, form, manager: led_by, candidates })
    }

    /// Draws a maintenance area, or draws it anew, with its people: both or nothing. `version` is what the editor saw of both.
    pub(crate) async fn keep_maintained(
        &self,
        drawn: FenceCommand,
        people: &Assignment,
        version: Option<i64>,
        ctx: &CommandContext,
    ) -> Result<Receipt, Refused> {
        let id = people.post.fence_id;
        let kept = async |mut tx: Transaction| -> Result<_, Refused> {
            expect(&mut tx, id, version).await?;
            self.draw_apart(&mut tx, id, drawn.clone(), ctx.now).await?;
            tx.execute::<Crew>(&id, people.command()).await?;
            Ok(tx)
        };
        self.runtime.desk.transact(ctx, kept).await
    }

    /// A command on the fence of a maintenance area. `version` is what the editor saw of it and of its people.
    pub(crate) async fn change_maintained(
        &self,
        id: FenceId,
        command: FenceCommand,
        version: Option<i64>,
        ctx: &CommandContext,
    ) -> Result<Receipt, Refused> {
        let changed = async |mut tx: Transaction| -> Result<_, Refused> {
            expect(&mut tx, id, version).await?;
            self.draw_apart(&mut tx, id, command.clone(), ctx.now).await?;
            Ok(tx)
        };
        self.runtime.desk.transact(ctx, changed).await
    }

    /// Executes a command on a maintenance area's fence, unless by it something comes to lie over another one of the same
    /// service area. By the tables: of two that are new within the same milliseconds neither is seen.
    async fn draw_apart(
        &self,
        tx: &mut Transaction,
        id: FenceId,
        command: FenceCommand,
        now: Timestamp,
    ) -> Result<(), Refused> {
        let before = tx.load::<Fence>(&id).await?.state.ahead(now);
        tx.execute::<Fence>(&id, command).await?;
        let fence = tx.load::<Fence>(&id).await?.state;
        let mut own = fence.ahead(now);
        own.retain(|one| !before.contains(one));
        let Some(area) = fence.drawing().map(|drawing| drawing.area_id).filter(|_| !own.is_empty()) else {
            return Ok(());
        };
        let mut db = self.runtime.reads.scoped(&Scope::ALL, NEWEST, &["fence"]).await?;
        if !db.caught_up() {
            return Err(Refused::unavailable("the fences lag behind the log"));
        }
        let mut others = fences::counting(&mut *db, area, &[FenceKind::Maintenance], now).await?;
        drop(db);
        others.retain(|other| other.id != id);
        crew::apart(&own, &others).map_err(|refusal| CommandError::Refused(refusal).into())
    }

    /// The areas with the names of their people, and with the parking places and bikes that lie in them now.
    pub(crate) async fn show_maintained(
        &self,
        mut db: ReadTx,
        mut found: Vec<MaintenanceArea>,
    ) -> Result<Vec<MaintenanceArea>, Refused> {
        let now_ms = self.runtime.clock.now().millis();
        let ids: Vec<FenceId> = found.iter().map(|area| area.fence.id).collect();
        let areas: BTreeSet<AreaId> = found.iter().map(|area| area.fence.op_area_id).collect();
        let edges: BTreeMap<FenceId, Outline> = crews::edges(&mut *db, &ids, now_ms)
            .await?
            .into_iter()
            .map(|(id, shape)| (id, Outline::from(&shape.0)))
            .collect();
        let stations = crews::stations(&mut *db, &areas, now_ms).await?;
        drop(db);
        let stations = by_area(stations.into_iter().map(|(area, shape)| (area, Shape::center(&shape.0))));
        let bikes = self.ports.bikes.places_in(&areas).await.map_err(Refused::unavailable)?;
        let bikes = by_area(bikes);
        let people: People = found.iter().flat_map(MaintenanceArea::people).collect();
        let people = self.ports.people.of(&Scope::ALL, &people).await.map_err(Refused::unavailable)?;
        let people: BTreeMap<OperatorId, CrewMember> =
            people.into_iter().map(|person| (person.id, person.into())).collect();
        for area in &mut found {
            let edge = edges.get(&area.fence.id);
            let inside = |all: &BTreeMap<AreaId, Vec<(Wgs84, Plane)>>| {
                let near = all.get(&area.fence.op_area_id).into_iter().flatten();
                edge.map(|edge| near.filter(|(place, plane)| edge.holds(*place, plane)).count() as i64)
            };
            (area.station_count, area.vehicle_count) = (inside(&stations), inside(&bikes));
            area.man(|id| people.get(&id).cloned());
        }
        Ok(found)
    }
}

/// Refuses who saw another version than there is. That of a maintenance area counts the changes of its fence and of its people.
async fn expect(tx: &mut Transaction, id: FenceId, version: Option<i64>) -> Result<(), Refused> {
    let Some(expected) = version else { return Ok(()) };
    let actual = tx.load::<Fence>(&id).await?.version + tx.load::<Crew>(&id).await?.version;
    if actual == expected {
        return Ok(());
    }
    Err(CommandError::<AnyRefusal>::Stale { expected, actual }.into())
}

/// Places by the service area that they belong to, ready to be asked about.
fn by_area(places: impl IntoIterator<Item = (AreaId, Wgs84)>) -> BTreeMap<AreaId, Vec<(Wgs84, Plane)>> {
    let mut found: BTreeMap<AreaId, Vec<_>> = BTreeMap::new();
    for (area, place) in places {
        found.entry(area).or_default().push((place, Plane::at(place)));
    }
    found
}
