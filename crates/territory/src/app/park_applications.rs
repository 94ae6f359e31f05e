//! Wishes for parking places: a new application, or a vote for one that is there.

use attachments::{Kind, Origin, Photo};
use geofence::judge::Stop;
use kernel::{CommandContext, CommandError, Personal, Receipt, Transaction};
use serde_json::{Value, json};
use vocabulary::{AreaId, AttachmentId, DataOwner, FenceId, ParkApplicationId, Scope, Wgs84};
use wire::{Caller, Refused, RequestContext};

use super::{NEWEST, atlas};
use crate::Context;
use crate::model::area::{Area, AreaState};
use crate::model::fence::{Fence, FenceCommand};
use crate::model::park_application::{
    Applicant, ParkApplication, ParkApplicationCommand, ParkApplicationRefusal, Wish,
};
use crate::read::park_applications;

/// What a rider asks for.
pub(crate) struct Submission {
    /// The place.
    pub place: Wgs84,
    /// 申请位置.
    pub location: String,
    /// 现场照片.
    pub photo_ids: Vec<AttachmentId>,
    /// Who asks.
    pub applicant: Personal<Applicant>,
    /// Whose the photos must be.
    pub origin: Origin,
}

/// What is answered and stored with the request.
fn reply(id: ParkApplicationId, merged: bool) -> Value {
    json!({ "applicationId": id, "merged": merged })
}

impl Context {
    /// Votes for the nearest open application for about the same place; where there is none, hands in a new one.
    pub(crate) async fn apply_for_parking(
        &self,
        caller: &Caller,
        request: &RequestContext,
        asked: Submission,
    ) -> Result<Receipt, Refused> {
        let owner = self.parking_wanted_in(caller, asked.place, request).await?;
        let mut db = self.runtime.reads.scoped(&caller.scope, NEWEST, &["park_application"]).await?;
        let near = park_applications::near(&mut *db, asked.place, request.now()).await?;
        drop(db);
        for id in near {
            let ctx = request.context(reply(id, true));
            let (place, applicant) = (asked.place, asked.applicant.clone());
            let vote = ParkApplicationCommand::Vote { place, applicant };
            match self.runtime.desk.execute::<ParkApplication>(&id, vote, &ctx).await {
                // Decided or built a moment ago.
                Err(CommandError::Refused(
                    ParkApplicationRefusal::Over | ParkApplicationRefusal::Elsewhere,
                )) => {}
                done => return Ok(done?),
            }
        }
        self.hand_in(owner, asked, request).await
    }

    async fn hand_in(
        &self,
        (area_id, owner): (AreaId, DataOwner),
        asked: Submission,
        request: &RequestContext,
    ) -> Result<Receipt, Refused> {
        let application_id = ParkApplicationId(self.runtime.ids.next_id());
        let ctx: CommandContext = request.context(reply(application_id, false));
        let received = self.ports.attachments.received(&asked.origin, &asked.photo_ids).await?;
        if received.iter().any(|file| file.kind == Kind::Pdf) {
            return Err(Refused::business("park-application-photos", "站点申请只能附上图片"));
        }
        self.ports.attachments.belong(&asked.photo_ids, owner).await?;
        let wish = Wish {
            application_id,
            area_id,
            agent_id: owner.agent.unwrap_or_default(),
            location: asked.location,
            place: asked.place,
            photos: received.into_iter().map(Photo::from).collect(),
        };
        let submit = ParkApplicationCommand::Submit { wish, applicant: asked.applicant };
        Ok(self.runtime.desk.execute::<ParkApplication>(&application_id, submit, &ctx).await?)
    }

    /// Draws a parking place, and says of the application for it that it is built.
    pub(crate) async fn build_station(
        &self,
        application: ParkApplicationId,
        built: ParkApplicationCommand,
        parking: FenceId,
        drawn: FenceCommand,
        ctx: &CommandContext,
    ) -> Result<Receipt, Refused> {
        let building = async |mut tx: Transaction| -> Result<_, Refused> {
            tx.execute::<Fence>(&parking, drawn.clone()).await?;
            tx.execute::<ParkApplication>(&application, built.clone()).await?;
            Ok(tx)
        };
        self.runtime.desk.transact(ctx, building).await
    }

    /// Takes away the drawing of a parking place that never counted, and says of the application for it that it is to be
    /// built again.
    pub(crate) async fn give_station_up(
        &self,
        parking: FenceId,
        gone: FenceCommand,
        ctx: &CommandContext,
    ) -> Result<Receipt, Refused> {
        let mut db = self.runtime.reads.scoped(&Scope::ALL, NEWEST, &["park_application"]).await?;
        let application = park_applications::built_as(&mut *db, parking).await?;
        drop(db);
        let giving_up = async |mut tx: Transaction| -> Result<_, Refused> {
            tx.execute::<Fence>(&parking, gone.clone()).await?;
            if let Some(application) = application {
                let unbuilt = ParkApplicationCommand::Unbuild { parking };
                tx.execute::<ParkApplication>(&application, unbuilt).await?;
            }
            Ok(tx)
        };
        self.runtime.desk.transact(ctx, giving_up).await
    }

    /// The area that a place lies in and whose data that is. A wish for a place that nobody serves is nobody's to decide.
    async fn parking_wanted_in(
        &self,
        caller: &Caller,
        place: Wgs84,
        request: &RequestContext,
    ) -> Result<(AreaId, DataOwner), Refused> {
        let outside =
            || Refused::business("park-application-outside", "该位置不在运营中的服务区内，暂不能申请站点");
        // An area that was opened a moment ago may not be known yet.
        let caught_up = self.runtime.reads.scoped(&caller.scope, NEWEST, &atlas::READS).await?.caught_up();
        let judge = self.judges.now(&self.runtime).await?;
        let judged = judge.atlas.judge(&Stop::new(place, request.now(), 1.0, None), |_| 0);
        let Some((area_id, _)) = judged.area else {
            return Err(if caught_up {
                outside()
            } else {
                Refused::unavailable("the areas are not read yet")
            });
        };
        let area = self.runtime.desk.load::<Area>(&area_id).await?.state;
        let serves = matches!(area.state(), Some(AreaState::Open | AreaState::Suspended));
        let agent = area.agent().filter(|_| serves).ok_or_else(outside)?;
        let owner = DataOwner::of_area(agent, area_id);
        if !caller.scope.contains(owner) {
            return Err(outside());
        }
        if !area.terms().takes_applications {
            return Err(Refused::business("park-application-not-taken", "该服务区暂不接受站点申请"));
        }
        if judged.nearest.is_some_and(|nearest| nearest.beyond_m <= 0.0) {
            return Err(Refused::business("park-application-there", "该位置已在停车区内，无需申请"));
        }
        Ok((area_id, owner))
    }
}
