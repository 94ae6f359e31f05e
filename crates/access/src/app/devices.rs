//! Devices: asking for one, using one, accepting and taking away.

use kernel::{CommandContext, Receipt};
use serde_json::json;
use vocabulary::{OperatorDeviceId, OperatorId, Phone, Scope, Timestamp};
use wire::{Caller, EndedReason, Refused, RequestContext};

use super::NEWEST;
use crate::model::authority::Person;
use crate::model::device::{Device, DeviceCommand, OperatorDevices};
use crate::read::operators::Account;
use crate::read::{devices, operators};
use crate::{Access, sign_in_store};

/// Whose data a device is, is whose its owner is today, which the read model was asked; the stream remembers whose he
/// was when the device was first seen.
fn of_owner(request: &RequestContext) -> CommandContext {
    CommandContext { scope: Scope::ALL, ..request.context(json!({})) }
}

impl Access {
    /// Login step 2: a device says which phone it is for. Nothing is looked up of the phone, so the answer is the same,
    /// and takes as long, whoever's it is; what the device may do is told once the phone was proved.
    pub(crate) async fn announce_device(
        &self,
        phone: &Phone,
        device: &Device,
        now: Timestamp,
    ) -> Result<(), Refused> {
        Ok(sign_in_store::remember_bind(&self.runtime.pools.app, phone, device, now).await?)
    }

    /// Whether a device may sign in for this account now.
    pub(crate) async fn device_admitted(&self, account: &Account, code: &str) -> Result<bool, Refused> {
        let known =
            self.runtime.desk.load::<OperatorDevices>(&account.id).await.map_err(Refused::unavailable)?;
        Ok(known.state.admits(code, self.config.automatic_devices))
    }

    pub(crate) async fn confirm_device(
        &self,
        request: &RequestContext,
        caller: &Caller,
        device: OperatorDeviceId,
    ) -> Result<Receipt, Refused> {
        let owner = self.device_owner(caller, device).await?;
        let (operator, ctx) = (owner.operator, of_owner(request));
        let command = DeviceCommand::Confirm { id: device, owner, by: self.authority(caller).await? };
        Ok(self.runtime.desk.execute::<OperatorDevices>(&operator, command, &ctx).await?)
    }

    pub(crate) async fn remove_device(
        &self,
        request: &RequestContext,
        caller: &Caller,
        device: OperatorDeviceId,
    ) -> Result<Receipt, Refused> {
        let owner = self.device_owner(caller, device).await?;
        let (operator, ctx) = (owner.operator, of_owner(request));
        let before =
            self.runtime.desk.load::<OperatorDevices>(&operator).await.map_err(Refused::unavailable)?;
        let command = DeviceCommand::Remove { id: device, owner, by: self.authority(caller).await? };
        let receipt = self.runtime.desk.execute::<OperatorDevices>(&operator, command, &ctx).await?;
        if let Some(code) = before.state.code_of(device) {
            for session in sign_in_store::sessions_of_device(&self.runtime.pools.app, operator, code).await? {
                self.sessions.end(session, EndedReason::Changed, ctx.now).await?;
            }
        }
        Ok(receipt)
    }

    async fn device_owner(&self, caller: &Caller, device: OperatorDeviceId) -> Result<Person, Refused> {
        let reads = ["operator_device", "operator"];
        let mut db = self.runtime.reads.scoped(&caller.full_scope, Some(NEWEST), &reads).await?;
        let operator: OperatorId = devices::owner(&mut db, device).await?.ok_or_else(Refused::not_found)?;
        drop(db);
        self.person(operator).await
    }

    /// The account with this phone, for the sign-in: nobody's scope is known yet.
    pub(crate) async fn account_of(&self, phone: &Phone) -> Result<Option<Account>, Refused> {
        let mut db = self.runtime.reads.scoped(&Scope::ALL, Some(NEWEST), &["operator"]).await?;
        Ok(operators::by_phone(&mut db, phone).await?)
    }
}
