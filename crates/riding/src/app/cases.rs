//! What riders hand in, what is decided of it, and what that changes of them: each is one append.

use attachments::{Kind, Origin, Photo};
use kernel::{Aggregate, CommandContext, CommandError, Personal, Receipt, Transaction};
use serde_json::json;
use vocabulary::{AgentId, AttachmentId, CertificationId, DataOwner, Phone, RebindingId, RiderId, Timestamp};
use wire::{Caller, Refused, RequestContext};

use super::reaching;
use super::riders::{refused, subject};
use crate::Context;
use crate::model::certification::{Application, Bearer, CareerKind, Certification, CertificationCommand};
use crate::model::rebinding::{Claimant, Rebinding, RebindingCommand, RebindingRefusal, Request, Wish};
use crate::model::review::Reviewer;
use crate::model::rider::{Identity, Qualification, Registration, Rider, RiderCommand, RiderRefusal};

/// What somebody says he is.
pub(crate) struct CertificationAsked {
    pub rider: RiderId,
    pub kind: CareerKind,
    /// 学校/单位.
    pub organisation: String,
    /// 证件编号.
    pub cert_no: String,
    pub photo_ids: Vec<AttachmentId>,
    /// Whose the photos must be.
    pub origin: Origin,
}

/// What of somebody is to be another.
pub(crate) struct RebindingAsked {
    pub rider: RiderId,
    pub wish: Wish,
    pub photo_ids: Vec<AttachmentId>,
    /// Whose the photos must be.
    pub origin: Origin,
}

/// What is decided of a case.
#[derive(Clone, Debug)]
pub(crate) enum Verdict<Pass> {
    /// 通过.
    Pass(Pass),
    /// 驳回, and why.
    Fail(String),
}

/// A rider as a case needs him: registered, verified, not gone.
struct Person {
    of: Registration,
    phone: Phone,
    identity: Identity,
}

impl Context {
    async fn person(&self, caller: &Caller, rider: RiderId) -> Result<Person, Refused> {
        let known = self.rider(caller, rider).await?;
        let of = known.registration().cloned().ok_or_else(Refused::not_found)?;
        let identity = known.identity().cloned().ok_or_else(|| refused(&RiderRefusal::Unverified))?;
        let phone = of.phone.known().cloned().ok_or_else(Refused::not_found)?;
        Ok(Person { of, phone, identity })
    }

    /// The photos of a case, which are nobody else's from now on.
    pub(super) async fn photos_of(
        &self,
        origin: &Origin,
        ids: &[AttachmentId],
        owner: DataOwner,
    ) -> Result<Vec<Photo>, Refused> {
        let received = self.ports.attachments.received(origin, ids).await?;
        if received.iter().any(|file| file.kind == Kind::Pdf) {
            return Err(Refused::business("case-photos", "只能附上 JPEG、PNG 或 WebP 图片"));
        }
        self.ports.attachments.belong(ids, owner).await?;
        Ok(received.into_iter().map(Photo::from).collect())
    }

    /// Who decides about a rider of `agent`.
    fn reviewer(&self, caller: &Caller, agent: AgentId) -> Result<Reviewer, Refused> {
        let phone_key = caller.phone.as_ref().map(|phone| self.keys.phone(agent, phone));
        Ok(Reviewer { name: caller.named()?, phone_key })
    }

    /// Hands a certification in.
    pub(crate) async fn certify(
        &self,
        caller: &Caller,
        request: &RequestContext,
        asked: CertificationAsked,
    ) -> Result<Receipt, Refused> {
        let Person { of, phone, identity } = self.person(caller, asked.rider).await?;
        let owner = DataOwner::of_area(of.agent_id, of.area_id);
        let certification_id = CertificationId(self.runtime.ids.next_id());
        let application = Application {
            certification_id,
            rider_id: asked.rider,
            agent_id: of.agent_id,
            area_id: of.area_id,
            kind: asked.kind,
            photos: self.photos_of(&asked.origin, &asked.photo_ids, owner).await?,
            phone_key: of.phone_key,
        };
        let bearer =
            Bearer { name: identity.name, phone, organisation: asked.organisation, cert_no: asked.cert_no };
        let bearer = Personal::new(subject(asked.rider), bearer);
        let ctx = request.context(json!({ "certificationId": certification_id }));
        let submit = CertificationCommand::Submit { application, bearer };
        Ok(self.runtime.desk.execute::<Certification>(&certification_id, submit, &ctx).await?)
    }

    /// Takes a certification back.
    pub(crate) async fn cancel_certification(
        &self,
        caller: &Caller,
        request: &RequestContext,
        rider: RiderId,
        id: CertificationId,
    ) -> Result<Receipt, Refused> {
        self.rider(caller, rider).await?;
        let ctx = request.context(json!({}));
        let cancel = CertificationCommand::Cancel { rider };
        Ok(self.runtime.desk.execute::<Certification>(&id, cancel, &ctx).await?)
    }

    /// Decides a certification; who passes may ride by it until its day is over.
    pub(crate) async fn review_certification(
        &self,
        caller: &Caller,
        ctx: CommandContext,
        id: CertificationId,
        verdict: Verdict<Timestamp>,
    ) -> Result<Receipt, Refused> {
        let known = self.runtime.desk.load::<Certification>(&id).await?.state;
        let of = known.application().ok_or_else(Refused::not_found)?;
        let ctx = reaching(&caller.full_scope, known.owner(), ctx)?;
        let (rider, reviewer) = (of.rider_id, self.reviewer(caller, of.agent_id)?);
        let deciding = async |mut tx: Transaction| -> Result<_, Refused> {
            let reviewer = reviewer.clone();
            match verdict.clone() {
                Verdict::Pass(until) => {
                    tx.execute::<Certification>(&id, CertificationCommand::Pass { until, reviewer }).await?;
                    let qualify = RiderCommand::Qualify { by: Qualification::Career, until: Some(until) };
                    tx.execute::<Rider>(&rider, qualify).await?;
                }
                Verdict::Fail(reason) => {
                    tx.execute::<Certification>(&id, CertificationCommand::Fail { reason, reviewer }).await?;
                }
            }
            Ok(tx)
        };
        self.runtime.desk.transact(&ctx, deciding).await
    }

    /// Hands a rebinding in.
    pub(crate) async fn ask_rebinding(
        &self,
        caller: &Caller,
        request: &RequestContext,
        asked: RebindingAsked,
    ) -> Result<Receipt, Refused> {
        let Person { of, phone, identity } = self.person(caller, asked.rider).await?;
        let owner = DataOwner::of_area(of.agent_id, of.area_id);
        let rebinding_id = RebindingId(self.runtime.ids.next_id());
        let wanted_key = match &asked.wish {
            Wish::Phone(phone) => self.keys.phone(of.agent_id, phone),
            Wish::Identity(identity) => self.keys.id_no(of.agent_id, &identity.id_no),
        };
        let wanted = Request {
            rebinding_id,
            rider_id: asked.rider,
            agent_id: of.agent_id,
            area_id: of.area_id,
            kind: asked.wish.kind(),
            photos: self.photos_of(&asked.origin, &asked.photo_ids, owner).await?,
            phone_key: of.phone_key,
            wanted_key,
        };
        let claimant = Personal::new(subject(asked.rider), Claimant { phone, identity, wish: asked.wish });
        let ctx = request.context(json!({ "rebindingId": rebinding_id }));
        let submit = RebindingCommand::Submit { request: wanted, claimant };
        Ok(self.runtime.desk.execute::<Rebinding>(&rebinding_id, submit, &ctx).await?)
    }

    /// Takes a rebinding back.
    pub(crate) async fn cancel_rebinding(
        &self,
        caller: &Caller,
        request: &RequestContext,
        rider: RiderId,
        id: RebindingId,
    ) -> Result<Receipt, Refused> {
        self.rider(caller, rider).await?;
        let ctx = request.context(json!({}));
        Ok(self.runtime.desk.execute::<Rebinding>(&id, RebindingCommand::Cancel { rider }, &ctx).await?)
    }

    /// Decides a rebinding; whoever passes has the other phone or name from then on, and all that he had.
    pub(crate) async fn review_rebinding(
        &self,
        caller: &Caller,
        ctx: CommandContext,
        id: RebindingId,
        verdict: Verdict<()>,
    ) -> Result<Receipt, Refused> {
        let known = self.runtime.desk.load::<Rebinding>(&id).await?.state;
        let of = known.request().ok_or_else(Refused::not_found)?;
        let ctx = reaching(&caller.full_scope, known.owner(), ctx)?;
        let (rider, agent) = (of.rider_id, of.agent_id);
        let reviewer = self.reviewer(caller, agent)?;
        if matches!(verdict, Verdict::Pass(())) && self.is_riding(rider).await? {
            return Err(CommandError::Refused(RebindingRefusal::Riding).into());
        }
        let deciding = async |mut tx: Transaction| -> Result<_, Refused> {
            let reviewer = reviewer.clone();
            match verdict.clone() {
                Verdict::Pass(()) => {
                    tx.execute::<Rebinding>(&id, RebindingCommand::Pass { reviewer }).await?;
                    let passed = tx.load::<Rebinding>(&id).await?.state;
                    let wish = passed.claimant().map(|claimant| claimant.wish.clone());
                    tx.execute::<Rider>(
                        &rider,
                        self.rebound(rider, agent, wish.ok_or_else(Refused::not_found)?),
                    )
                    .await?;
                }
                Verdict::Fail(reason) => {
                    tx.execute::<Rebinding>(&id, RebindingCommand::Fail { reason, reviewer }).await?;
                }
            }
            Ok(tx)
        };
        self.runtime.desk.transact(&ctx, deciding).await
    }

    fn rebound(&self, rider: RiderId, agent: AgentId, wish: Wish) -> RiderCommand {
        match wish {
            Wish::Phone(phone) => RiderCommand::ChangePhone {
                phone_key: self.keys.phone(agent, &phone),
                phone: Personal::new(subject(rider), phone),
            },
            Wish::Identity(identity) => RiderCommand::ChangeIdentity {
                id_key: self.keys.id_no(agent, &identity.id_no),
                identity: Personal::new(subject(rider), identity),
            },
        }
    }
}
