//! Fences from a file: many at once, each judged alone, those that may stand drawn in one append.

use std::collections::{HashMap, HashSet};

use geofence::{Bounds, NotARing, Outline, Ring, Shape, meet};
use kernel::{Aggregate, CommandContext, CommandError, ReadTx, Receipt, Transaction};
use vocabulary::{AgentId, AreaId, Datum, FenceId, Timestamp, Wgs84};
use wire::{Caller, Refused};

use super::NEWEST;
use crate::Context;
use crate::model::area::Area;
use crate::model::fence::{Drawing, Fence, FenceCommand, FenceRefusal, Opposite};
use crate::model::fence_form::{FenceForm, FenceType};
use crate::read::fences;

/// Where the fences of a file go.
pub struct Import {
    /// The area that all of them lie in.
    pub area: AreaId,
    /// Who runs it.
    pub agent: AgentId,
    /// Its edge.
    pub edge: Ring,
    /// What all of them are for.
    pub kind: FenceType,
    /// Whether they are kept as drafts, which count for nobody; otherwise they count from now on.
    pub draft: bool,
    /// Whether they may overlap fences that tell riders the opposite.
    pub overlaps: bool,
}

/// What counts in an area and tells riders the opposite, each with its box.
type Opposites = Vec<(Bounds, Opposite)>;

/// What becomes of a row of the file.
pub enum Fate {
    /// It may stand.
    New(Drawing),
    /// It is there already, drawn just so.
    Same,
    /// It may not.
    Refused(Fault),
}

/// Why a row may not stand.
pub struct Fault {
    /// Why.
    pub refusal: FenceRefusal,
    /// Where, `[lng, lat]` in WGS-84, when it is about a place.
    pub spot: Option<[f64; 2]>,
}

impl From<FenceRefusal> for Fault {
    fn from(refusal: FenceRefusal) -> Self {
        let spot = match &refusal {
            FenceRefusal::OutsideArea { lng, lat } => lng.parse().ok().zip(lat.parse().ok()).map(Into::into),
            _ => None,
        };
        Self { refusal, spot }
    }
}

impl Fault {
    fn of_shape(error: &NotARing, datum: Datum) -> Self {
        let spot = error.spot().and_then(|[lng, lat]| Wgs84::from_datum(datum, lat, lng).ok());
        Self {
            refusal: FenceRefusal::Shape(error.to_string()),
            spot: spot.map(|place| [place.lng(), place.lat()]),
        }
    }
}

impl Import {
    fn command(&self, drawing: Drawing, opposites: &Opposites) -> FenceCommand {
        let own = Outline::from(&drawing.shape).bounds();
        let near = opposites.iter().filter(|(bounds, _)| meet(own, *bounds));
        let opposite: Vec<Opposite> = near.map(|(_, one)| one.clone()).collect();
        let command = FenceCommand::drawn(self.draft, drawing, self.edge.clone());
        if opposite.is_empty() {
            command
        } else {
            FenceCommand::Apart { opposite, command: Box::new(command) }
        }
    }

    /// As it would stand, by itself.
    fn alone(
        &self,
        form: FenceForm,
        id: FenceId,
        opposites: &Opposites,
        now: Timestamp,
    ) -> Result<Drawing, Fault> {
        let shape = form.shape().map_err(|error| Fault::of_shape(&error, form.datum()))?;
        let drawing = form.drawing_of(shape, id, self.area, self.agent, self.kind);
        let mut made = Fence::default();
        for event in made.decide(self.command(drawing, opposites), now)? {
            made.evolve(&event);
        }
        made.drawing().cloned().ok_or_else(|| FenceRefusal::Unknown.into())
    }

    /// Judges the rows one by one. A name belongs to the first that has it; what is `there` already is not drawn again.
    fn judged(
        &self,
        rows: Vec<(FenceForm, FenceId)>,
        there: &HashMap<String, Vec<Shape>>,
        opposites: &Opposites,
        now: Timestamp,
    ) -> Vec<Fate> {
        let mut names = HashSet::new();
        let fate = |(form, id)| match self.alone(form, id, opposites, now) {
            Err(fault) => Fate::Refused(fault),
            Ok(drawing) => match there.get(&drawing.name) {
                Some(shapes) if shapes.contains(&drawing.shape) => Fate::Same,
                None if names.insert(drawing.name.clone()) => Fate::New(drawing),
                _ => Fate::Refused(FenceRefusal::NameTaken.into()),
            },
        };
        rows.into_iter().map(fate).collect()
    }
}

impl Context {
    /// What would become of each row.
    pub(crate) async fn judge_import(
        &self,
        caller: &Caller,
        import: Import,
        forms: Vec<FenceForm>,
        now: Timestamp,
    ) -> Result<(Import, Vec<Fate>), Refused> {
        let names: Vec<String> = forms.iter().map(|form| form.name().trim().to_owned()).collect();
        let mut db = self.runtime.reads.scoped(&caller.full_scope, NEWEST, &["fence"]).await?;
        let mut there: HashMap<String, Vec<Shape>> = HashMap::new();
        for (name, shape) in fences::named(&mut *db, import.area, &names).await? {
            there.entry(name).or_default().push(shape);
        }
        let opposites = self.opposites(&import, db).await?;
        let rows = forms.into_iter().map(|form| (form, FenceId(self.runtime.ids.next_id()))).collect();
        let judged = tokio::task::spawn_blocking(move || {
            let fates = import.judged(rows, &there, &opposites, now);
            (import, fates)
        });
        judged.await.map_err(Refused::internal)
    }

    /// What counts in the area and tells riders the opposite, where that is not to be overlapped.
    async fn opposites(&self, import: &Import, mut db: ReadTx) -> Result<Opposites, Refused> {
        let kinds = import.kind.kind().opposite();
        if import.draft || import.overlaps || kinds.is_empty() {
            return Ok(Vec::new());
        }
        if !db.caught_up() {
            return Err(Refused::unavailable("the fences lag behind the log"));
        }
        let found = fences::counting(&mut *db, import.area, kinds, self.runtime.clock.now()).await?;
        Ok(found.into_iter().map(|one| (Outline::from(&one.shape).bounds(), one)).collect())
    }

    /// Draws what may stand: all or nothing of it, while the area's edge stays as it was judged by.
    pub(crate) async fn draw_imported(
        &self,
        import: &Import,
        drawings: &[Drawing],
        ctx: &CommandContext,
    ) -> Result<Receipt, Refused> {
        let drawing = async |mut tx: Transaction| -> Result<_, Refused> {
            if tx.load::<Area>(&import.area).await?.state.ring() != Some(&import.edge) {
                return Err(CommandError::<FenceRefusal>::Contended.into());
            }
            for drawing in drawings {
                let command = FenceCommand::drawn(import.draft, drawing.clone(), import.edge.clone());
                tx.execute::<Fence>(&drawing.fence_id, command).await?;
            }
            Ok(tx)
        };
        self.runtime.desk.transact(ctx, drawing).await
    }
}
