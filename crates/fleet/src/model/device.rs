//! A bike's device (中控), known by its IMEI.

use kernel::{Aggregate, Decision, events, refusals};
use serde::{Deserialize, Serialize};
use vocabulary::{AgentId, AreaId, DataOwner, Timestamp};

use super::vehicle::CarId;

/// An IMEI: 15 digits.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Imei(String);

impl Imei {
    /// The digits.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl TryFrom<String> for Imei {
    type Error = String;
    fn try_from(text: String) -> Result<Self, String> {
        if text.len() == 15 && text.bytes().all(|byte| byte.is_ascii_digit()) {
            Ok(Self(text))
        } else {
            Err("IMEI 需 15 位数字".to_owned())
        }
    }
}

impl From<Imei> for String {
    fn from(imei: Imei) -> Self {
        imei.0
    }
}

impl std::fmt::Display for Imei {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0)
    }
}

/// What may be asked.
#[derive(Clone, Debug)]
pub enum DeviceCommand {
    /// Registers it with its bike, as far as that is still to do.
    Register {
        /// Itself.
        imei: Imei,
        /// Its bike.
        car_id: CarId,
        /// Whose it is.
        agent_id: AgentId,
        /// Where it works.
        area_id: AreaId,
    },
    /// Takes it off its bike.
    Unbind,
    /// Goes with its bike, or to it, into another area of its agent.
    Follow {
        /// Whose it is.
        agent_id: AgentId,
        /// Where it works.
        area_id: AreaId,
    },
}

events! {
    /// What happened.
    #[derive(Eq)]
    pub enum DeviceEvent {
        /// It came.
        Registered {
            /// Itself.
            imei: Imei,
            /// Whose it is.
            agent_id: AgentId,
            /// Where it works.
            area_id: AreaId,
        } = "device.registered",
        /// It was put on a bike.
        Bound {
            /// The bike.
            car_id: CarId,
        } = "device.bound",
        /// It was taken off.
        Unbound {
            /// The bike it was on.
            car_id: CarId,
        } = "device.unbound",
        /// It works in another area of its agent.
        Relocated {
            /// Where.
            area_id: AreaId,
        } = "device.relocated",
    }
}

refusals! {
    /// Why not.
    pub enum DeviceRefusal {
        Unknown = "device-unknown": ("中控不存在"),
        OnAnotherBike(CarId) = "device-on-another-bike": ("中控已绑定车辆 {0}"),
        Different = "device-different": ("该中控已登记在其他代理或服务区"),
    }
}

/// The device as decisions need it.
#[derive(Clone, Debug, Default)]
pub struct Device {
    home: Option<(AgentId, AreaId)>,
    car_id: Option<CarId>,
}

impl Aggregate for Device {
    const CATEGORY: &'static str = "device";
    type Id = Imei;
    type Command = DeviceCommand;
    type Event = DeviceEvent;
    type Refusal = DeviceRefusal;

    fn decide(&self, command: Self::Command, _now: Timestamp) -> Decision<Self> {
        match command {
            DeviceCommand::Register { imei, car_id, agent_id, area_id } => match (&self.home, &self.car_id) {
                (Some(home), _) if *home != (agent_id, area_id) => Err(DeviceRefusal::Different),
                (_, Some(old)) if *old == car_id => Ok(vec![]),
                (_, Some(old)) => Err(DeviceRefusal::OnAnotherBike(old.clone())),
                (Some(_), None) => Ok(vec![DeviceEvent::Bound { car_id }]),
                (None, None) => Ok(vec![
                    DeviceEvent::Registered { imei, agent_id, area_id },
                    DeviceEvent::Bound { car_id },
                ]),
            },
            DeviceCommand::Follow { agent_id, area_id } => match self.home {
                Some((agent, _)) if agent != agent_id => Err(DeviceRefusal::Different),
                Some((_, area)) if area != area_id => Ok(vec![DeviceEvent::Relocated { area_id }]),
                // What is not known yet is registered where its bike is.
                Some(_) | None => Ok(vec![]),
            },
            DeviceCommand::Unbind => match (&self.home, &self.car_id) {
                (None, _) => Err(DeviceRefusal::Unknown),
                (Some(_), None) => Ok(vec![]),
                (Some(_), Some(car_id)) => Ok(vec![DeviceEvent::Unbound { car_id: car_id.clone() }]),
            },
        }
    }

    fn evolve(&mut self, event: &DeviceEvent) {
        match event {
            DeviceEvent::Registered { agent_id, area_id, .. } => self.home = Some((*agent_id, *area_id)),
            DeviceEvent::Bound { car_id } => self.car_id = Some(car_id.clone()),
            DeviceEvent::Unbound { .. } => self.car_id = None,
            DeviceEvent::Relocated { area_id } => {
                self.home = self.home.map(|(agent, _)| (agent, *area_id));
            }
        }
    }

    fn owner(&self) -> DataOwner {
        self.home.map_or(DataOwner::PLATFORM, |(agent, area)| DataOwner::of_area(agent, area))
    }

    fn car_id(&self) -> Option<&str> {
        self.car_id.as_ref().map(CarId::as_str)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn register(car: &str) -> DeviceCommand {
        DeviceCommand::Register {
            imei: Imei::try_from("860000000000001".to_owned()).unwrap(),
            car_id: CarId::try_from(car.to_owned()).unwrap(),
            agent_id: AgentId(2),
            area_id: AreaId(20),
        }
    }

    #[test]
    fn a_device_sits_on_one_bike() {
        let (mut device, now) = (Device::default(), Timestamp::from_millis(0));
        for event in device.decide(register("B1"), now).unwrap() {
            device.evolve(&event);
        }
        assert_eq!(device.decide(register("B1"), now), Ok(vec![]));
        assert!(matches!(device.decide(register("B2"), now), Err(DeviceRefusal::OnAnotherBike(_))));
        let off = device.decide(DeviceCommand::Unbind, now).unwrap();
        device.evolve(&off[0]);
        assert!(device.decide(register("B2"), now).is_ok());
    }

    #[test]
    fn an_imei_is_fifteen_digits() {
        assert!(Imei::try_from("86000000000000".to_owned()).is_err());
        assert!(Imei::try_from("86000000000000a".to_owned()).is_err());
    }
}
