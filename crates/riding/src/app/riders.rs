//! Riders come, prove who they are, and go.

use kernel::{Personal, Receipt, Transaction};
use ledger::{Book, BookCommand, Holder};
use serde_json::json;
use vocabulary::{AreaId, DataOwner, Phone, RiderId};
use wire::{Caller, Refused, RequestContext};

use super::{NEWEST, reaching};
use crate::Context;
use crate::model::rider::{
    Identity, IdentityMethod, RegisterChannel, Registration, Rider, RiderCommand, RiderRefusal,
};
use crate::read::riders;

/// Whom the log names a rider.
pub(crate) fn subject(rider: RiderId) -> String {
    format!("rider:{rider}")
}

/// Somebody who comes.
#[derive(Debug)]
pub struct NewRider {
    /// Where.
    pub area: AreaId,
    /// 手机号.
    pub phone: Phone,
    /// Through which client.
    pub channel: RegisterChannel,
}

/// Who somebody says he is.
#[derive(Debug)]
pub struct Proof {
    /// 姓名.
    pub name: String,
    /// 身份证号.
    pub id_no: String,
}

impl Context {
    /// A rider comes, with an empty wallet; one who is there already is answered with his id.
    pub(crate) async fn register(
        &self,
        caller: &Caller,
        request: &RequestContext,
        new: NewRider,
    ) -> Result<Receipt, Refused> {
        let area = self.ports.places.area(new.area).await.map_err(Refused::unavailable)?;
        let agent = area.map(|area| area.agent_id).ok_or_else(Refused::not_found)?;
        let mut db = self.runtime.reads.scoped(&caller.scope, NEWEST, &["rider"]).await?;
        let known = riders::with_phone(&mut *db, agent, &new.phone).await?;
        drop(db);
        if let Some(rider) = known {
            let version = self.runtime.desk.load::<Rider>(&rider).await?.version;
            let reply = json!({ "userId": rider, "known": true });
            let position = kernel::Position(0);
            return Ok(Receipt { position, version, repeated: false, reply });
        }
        let rider_id = RiderId(self.runtime.ids.next_id());
        let registration = Registration {
            rider_id,
            agent_id: agent,
            area_id: new.area,
            channel: new.channel,
            phone_key: self.keys.phone(agent, &new.phone),
            phone: Personal::new(subject(rider_id), new.phone),
        };
        let owner = DataOwner::of_area(agent, new.area);
        let ctx = request.context(json!({ "userId": rider_id, "known": false }));
        let ctx = reaching(&caller.scope, owner, ctx)?;
        let coming = async |mut tx: Transaction| -> Result<_, Refused> {
            tx.execute::<Rider>(&rider_id, RiderCommand::Register(registration.clone())).await?;
            let holder = Holder::rider(rider_id);
            tx.execute::<Book>(&holder, BookCommand::Open(holder, agent)).await?;
            Ok(tx)
        };
        self.runtime.desk.transact(&ctx, coming).await
    }

    /// It is proved who he is, by somebody outside who may say so.
    pub(crate) async fn verify(
        &self,
        caller: &Caller,
        request: &RequestContext,
        rider: RiderId,
        proof: Proof,
    ) -> Result<Receipt, Refused> {
        let known = self.rider(caller, rider).await?;
        let agent = known.owner_agent().ok_or_else(Refused::not_found)?;
        let identity = Identity { name: proof.name, id_no: proof.id_no };
        let identity = identity.sound().map_err(|refusal| refused(&refusal))?;
        let checked = self.ports.identity.check(&identity.name, &identity.id_no).await;
        if let Err(why) = checked.map_err(Refused::unavailable)? {
            return Err(Refused::business("rider-identity", why));
        }
        let verify = RiderCommand::Verify {
            id_key: self.keys.id_no(agent, &identity.id_no),
            identity: Personal::new(subject(rider), identity),
            method: IdentityMethod::TwoFactors,
        };
        let ctx = request.context(json!({}));
        Ok(self.runtime.desk.execute::<Rider>(&rider, verify, &ctx).await?)
    }

    /// A rider in the caller's reach.
    pub(crate) async fn rider(&self, caller: &Caller, rider: RiderId) -> Result<Rider, Refused> {
        let known = self.runtime.desk.load::<Rider>(&rider).await?.state;
        let seen = known.registration().is_some() && caller.scope.contains(kernel::Aggregate::owner(&known));
        if seen { Ok(known) } else { Err(Refused::not_found()) }
    }
}

/// A refusal as the wire says it.
pub(crate) fn refused(refusal: &RiderRefusal) -> Refused {
    Refused::business(kernel::Refusal::code(refusal), kernel::Refusal::message(refusal))
}
