//! Devices: asking for one, using one, accepting and taking away.

use kernel::Receipt;
use serde_json::json;
use vocabulary::{OperatorDeviceId, Phone, Scope};
use wire::{Asked, Caller, EndedReason, Refused};

use super::{NEWEST, context};
use crate::model::device::{Device, DeviceCommand, DeviceRefusal, OperatorDevices};
use crate::model::operator::territory_of;
use crate::read::operators::Account;
use crate::read::{devices, operators};
use crate::{Access, door};

impl Access {
    /// Login step 2: a device says which phone it is for. Bound only by the sign-in that follows; where no automatic
    /// place is left, an administrator is asked.
    pub(crate) async fn announce_device(
        &self,
        asked: &Asked,
        phone: &Phone,
        device: Device,
    ) -> Result<(), Refused> {
        door::remember_bind(&self.house.pools.app, phone, &device, asked.now()).await?;
        let Some(account) = self.account_of(phone).await? else {
            // Whether there is such an account is not told here.
            return Ok(());
        };
        let known =
            self.house.desk.load::<OperatorDevices>(&account.id).await.map_err(Refused::unavailable)?;
        if known.state.admits(&device.code, self.config.automatic_devices) {
            return Ok(());
        }
        let command = DeviceCommand::Ask {
            id: OperatorDeviceId(self.house.ids.next_id()),
            device,
            territory: territory_of(&account.reach),
        };
        let mut ctx = asked.context_of_house("device-verification", json!({}));
        ctx.request_id = None;
        self.house.desk.execute::<OperatorDevices>(&account.id, command, &ctx).await?;
        let refusal = DeviceRefusal::NotAuthorised;
        Err(Refused::business(kernel::Refusal::code(&refusal), kernel::Refusal::message(&refusal)))
    }

    /// Whether a device may sign in for this account now.
    pub(crate) async fn device_admitted(&self, account: &Account, code: &str) -> Result<bool, Refused> {
        let known =
            self.house.desk.load::<OperatorDevices>(&account.id).await.map_err(Refused::unavailable)?;
        Ok(known.state.admits(code, self.config.automatic_devices))
    }

    pub(crate) async fn confirm_device(
        &self,
        asked: &Asked,
        caller: &Caller,
        device: OperatorDeviceId,
    ) -> Result<Receipt, Refused> {
        let operator = self.device_owner(caller, device).await?;
        let ctx = context(asked, caller, json!({}));
        let command = DeviceCommand::Confirm { id: device };
        Ok(self.house.desk.execute::<OperatorDevices>(&operator, command, &ctx).await?)
    }

    pub(crate) async fn remove_device(
        &self,
        asked: &Asked,
        caller: &Caller,
        device: OperatorDeviceId,
    ) -> Result<Receipt, Refused> {
        let operator = self.device_owner(caller, device).await?;
        let ctx = context(asked, caller, json!({}));
        let before =
            self.house.desk.load::<OperatorDevices>(&operator).await.map_err(Refused::unavailable)?;
        let command = DeviceCommand::Remove { id: device };
        let receipt = self.house.desk.execute::<OperatorDevices>(&operator, command, &ctx).await?;
        if let Some(code) = before.state.code_of(device) {
            for session in door::sessions_of_device(&self.house.pools.app, operator, code).await? {
                self.sessions.end(session, EndedReason::Changed, ctx.now).await?;
            }
        }
        Ok(receipt)
    }

    async fn device_owner(
        &self,
        caller: &Caller,
        device: OperatorDeviceId,
    ) -> Result<vocabulary::OperatorId, Refused> {
        let mut db = self.house.reads.scoped(&caller.full_scope, Some(NEWEST), &["operator_device"]).await?;
        devices::owner(&mut db, device).await?.ok_or_else(Refused::not_found)
    }

    /// The account with this phone, for the sign-in: nobody's scope is known yet.
    pub(crate) async fn account_of(&self, phone: &Phone) -> Result<Option<Account>, Refused> {
        let mut db = self.house.reads.scoped(&Scope::ALL, Some(NEWEST), &["operator"]).await?;
        Ok(operators::by_phone(&mut db, phone).await?)
    }
}
