//! The devices that an operator may sign in from: one stream for each operator, so that "at most three without an
//! administrator" is decided in one place.

use std::collections::BTreeMap;

use kernel::{Aggregate, Decision, events, refusals};
use serde::{Deserialize, Serialize};
use vocabulary::{DataOwner, OperatorDeviceId, OperatorId, Timestamp, choices};

use super::authority::{Above, Authority, Person};

/// So many devices are accepted without an administrator unless the configuration says otherwise.
pub const AUTOMATIC_DEFAULT: usize = 3;
/// So many devices may wait for an administrator; further ones are not recorded.
pub const WAITING_MAX: usize = 10;
/// So many devices may be bound.
pub const BOUND_MAX: usize = 20;

choices! {
    /// What an operator signs in from.
    pub enum DeviceKind("设备类型") {
        Browser = 1 => "浏览器",
        Android = 2 => "安卓",
        Apple = 3 => "苹果",
    }
}

/// What the devices' decisions remember.
#[derive(Clone, Debug, Default)]
pub struct OperatorDevices {
    owner: DataOwner,
    by_code: BTreeMap<String, Known>,
}

#[derive(Clone, Copy, Debug)]
struct Known {
    id: OperatorDeviceId,
    state: DeviceState,
}

/// Where a device stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DeviceState {
    /// Waits for an administrator (0 待授权).
    Waiting,
    /// May be used (1 已授权).
    Bound,
    /// Taken away (2 已移除); comes back only through an administrator.
    Removed,
}

/// A device as its browser describes it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Device {
    /// Its own random code, kept in the browser.
    pub code: String,
    /// What people call it.
    pub name: String,
    /// 1 browser, 2 Android, 3 iOS.
    pub kind: i16,
    /// Where it was seen first.
    pub address: String,
}

/// What may be asked of an operator's devices.
#[derive(Clone, Debug)]
pub enum DeviceCommand {
    /// Asks an administrator to accept a device.
    Ask {
        /// Its id, if it is new.
        id: OperatorDeviceId,
        /// The device.
        device: Device,
        /// Whose data the operator is.
        owner: DataOwner,
    },
    /// Uses a device for signing in; a new one is bound while there are automatic places.
    Use {
        /// Its id, if it is new.
        id: OperatorDeviceId,
        /// The device.
        device: Device,
        /// How many devices are accepted without an administrator; 0: none.
        automatic: usize,
        /// Whose data the operator is.
        owner: DataOwner,
    },
    /// An administrator accepts it.
    Confirm {
        /// Which.
        id: OperatorDeviceId,
        /// Whose it is: accepting a device opens a way in to him, taking one away ends sessions of his.
        owner: Person,
        /// Who asks.
        by: Authority,
    },
    /// An administrator takes it away.
    Remove {
        /// Which.
        id: OperatorDeviceId,
        /// Whose it is: accepting a device opens a way in to him, taking one away ends sessions of his.
        owner: Person,
        /// Who asks.
        by: Authority,
    },
}

events! {
    /// What may have happened to an operator's devices.
    #[derive(Eq)]
    pub enum DeviceEvent {
        /// A device waits for an administrator.
        Requested {
            /// Its id.
            id: OperatorDeviceId,
            /// The device.
            device: Device,
            /// Whose data the operator is.
            #[serde(rename = "territory")]
            owner: DataOwner,
        } = "operator-device.requested",
        /// A device was bound by signing in.
        Bound {
            /// Its id.
            id: OperatorDeviceId,
            /// The device.
            device: Device,
            /// Whose data the operator is.
            #[serde(rename = "territory")]
            owner: DataOwner,
        } = "operator-device.bound",
        /// An administrator accepted it.
        Confirmed {
            /// Which.
            id: OperatorDeviceId,
        } = "operator-device.confirmed",
        /// An administrator took it away.
        Removed {
            /// Which.
            id: OperatorDeviceId,
            /// Its own code: its sessions end.
            code: String,
        } = "operator-device.removed",
    }
}

refusals! {
    /// Why a device is refused.
    pub enum DeviceRefusal {
        /// It waits for an administrator, was removed, or there is no automatic place left.
        NotAuthorised = "device-not-authorised": ("当前设备未授权，请联系管理员"),
        Unknown = "device-unknown": ("设备不存在"),
        AlreadyRemoved = "device-removed": ("设备已移除，需由设备重新申请"),
        TooMany = "device-too-many": ("已授权设备达到上限 {BOUND_MAX} 台，请先移除不用的设备"),
    } or
    /// Its owner has something that who asks has not.
    Above(Above)
}

impl OperatorDevices {
    /// Where the device with this code stands; nothing: never seen.
    pub fn state_of(&self, code: &str) -> Option<DeviceState> {
        self.by_code.get(code).map(|known| known.state)
    }

    /// The own code of a device.
    pub fn code_of(&self, id: OperatorDeviceId) -> Option<&str> {
        self.by_id(id).ok().map(|(code, _)| code.as_str())
    }

    /// Whether a device with this code could sign in, given `automatic` places.
    pub fn admits(&self, code: &str, automatic: usize) -> bool {
        match self.state_of(code) {
            Some(DeviceState::Bound) => true,
            Some(DeviceState::Waiting | DeviceState::Removed) => false,
            None => self.count(DeviceState::Bound) < automatic,
        }
    }

    fn count(&self, state: DeviceState) -> usize {
        self.by_code.values().filter(|known| known.state == state).count()
    }

    fn by_id(&self, id: OperatorDeviceId) -> Result<(&String, DeviceState), DeviceRefusal> {
        self.by_code
            .iter()
            .find(|(_, known)| known.id == id)
            .map(|(code, known)| (code, known.state))
            .ok_or(DeviceRefusal::Unknown)
    }

    fn set(&mut self, id: OperatorDeviceId, state: DeviceState) {
        if let Some(known) = self.by_code.values_mut().find(|known| known.id == id) {
            known.state = state;
        }
    }
}

impl Aggregate for OperatorDevices {
    const CATEGORY: &'static str = "operator-device";
    type Id = OperatorId;
    type Command = DeviceCommand;
    type Event = DeviceEvent;
    type Refusal = DeviceRefusal;

    fn decide(&self, command: Self::Command, _now: Timestamp) -> Decision<Self> {
        match command {
            DeviceCommand::Ask { id, device, owner } => match self.by_code.get(&device.code) {
                Some(known) if known.state != DeviceState::Removed => Ok(vec![]),
                _ if self.count(DeviceState::Waiting) >= WAITING_MAX => Err(DeviceRefusal::NotAuthorised),
                Some(known) => Ok(vec![DeviceEvent::Requested { id: known.id, device, owner }]),
                None => Ok(vec![DeviceEvent::Requested { id, device, owner }]),
            },
            DeviceCommand::Use { id, device, automatic, owner } => {
                if !self.admits(&device.code, automatic) {
                    return Err(DeviceRefusal::NotAuthorised);
                }
                Ok(match self.state_of(&device.code) {
                    Some(_) => vec![],
                    None => vec![DeviceEvent::Bound { id, device, owner }],
                })
            }
            DeviceCommand::Confirm { id, owner, by } => {
                let (_, state) = self.by_id(id)?;
                by.may_act_on(&owner)?;
                match state {
                    DeviceState::Bound => Ok(vec![]),
                    DeviceState::Removed => Err(DeviceRefusal::AlreadyRemoved),
                    DeviceState::Waiting if self.count(DeviceState::Bound) >= BOUND_MAX => {
                        Err(DeviceRefusal::TooMany)
                    }
                    DeviceState::Waiting => Ok(vec![DeviceEvent::Confirmed { id }]),
                }
            }
            DeviceCommand::Remove { id, owner, by } => {
                by.may_act_on(&owner)?;
                let (code, state) = self.by_id(id)?;
                Ok(match state {
                    DeviceState::Removed => vec![],
                    DeviceState::Waiting | DeviceState::Bound => {
                        vec![DeviceEvent::Removed { id, code: code.clone() }]
                    }
                })
            }
        }
    }

    fn evolve(&mut self, event: &DeviceEvent) {
        match event {
            DeviceEvent::Requested { id, device, owner } => {
                self.owner = *owner;
                self.by_code.insert(device.code.clone(), Known { id: *id, state: DeviceState::Waiting });
            }
            DeviceEvent::Bound { id, device, owner } => {
                self.owner = *owner;
                self.by_code.insert(device.code.clone(), Known { id: *id, state: DeviceState::Bound });
            }
            DeviceEvent::Confirmed { id } => self.set(*id, DeviceState::Bound),
            DeviceEvent::Removed { id, .. } => self.set(*id, DeviceState::Removed),
        }
    }

    fn owner(&self) -> DataOwner {
        self.owner
    }
}
