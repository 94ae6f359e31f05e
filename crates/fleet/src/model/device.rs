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

/// A model's name, and a version of firmware, has at most so many characters.
pub const ABOUT_MAX: usize = 32;

/// Whether `text` may name a model (型号) or a version of firmware (固件): letters, digits, `.`, `_`, `-` and `+`, 1 to 32.
pub fn is_about(text: &str) -> bool {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'_' | b'-' | b'+');
    (1..=ABOUT_MAX).contains(&text.len()) && text.bytes().all(plain)
}

/// What a device says it is.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct About {
    /// 型号.
    pub model: String,
    /// 固件: the version that runs on it.
    pub firmware: String,
}

impl About {
    /// Nothing where one of them cannot be a name.
    pub fn new(model: String, firmware: String) -> Option<Self> {
        (is_about(&model) && is_about(&firmware)).then_some(Self { model, firmware })
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
    /// It said what it is.
    Introduce(About),
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
        /// It is of another model, or runs other firmware, than was known.
        Introduced {
            /// The bike that it was on.
            #[serde(skip_serializing_if = "Option::is_none")]
            car_id: Option<CarId>,
            /// What it said.
            #[serde(flatten)]
            about: About,
        } = "device.introduced",
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
    about: Option<About>,
}

impl Device {
    /// What it last said it is; nothing where it never did.
    pub const fn about(&self) -> Option<&About> {
        self.about.as_ref()
    }
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
            DeviceCommand::Introduce(_) if self.home.is_none() => Err(DeviceRefusal::Unknown),
            DeviceCommand::Introduce(about) if self.about.as_ref() == Some(&about) => Ok(vec![]),
            DeviceCommand::Introduce(about) => {
                Ok(vec![DeviceEvent::Introduced { car_id: self.car_id.clone(), about }])
            }
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
            DeviceEvent::Introduced { about, .. } => self.about = Some(about.clone()),
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

    fn about(firmware: &str) -> About {
        About::new("WH-EC20".to_owned(), firmware.to_owned()).unwrap()
    }

    #[test]
    fn a_device_is_introduced_once_for_each_firmware_and_a_stranger_never() {
        let (mut device, now) = (Device::default(), Timestamp::from_millis(0));
        let introduce = |firmware: &str| DeviceCommand::Introduce(about(firmware));
        assert_eq!(device.decide(introduce("1.0.3"), now), Err(DeviceRefusal::Unknown));
        for event in device.decide(register("B1"), now).unwrap() {
            device.evolve(&event);
        }
        for (firmware, events) in [("1.0.3", 1), ("1.0.3", 0), ("1.1.0", 1), ("1.0.3", 1)] {
            let said = device.decide(introduce(firmware), now).unwrap();
            assert_eq!(said.len(), events, "{firmware}");
            for event in &said {
                device.evolve(event);
            }
            assert_eq!(device.about(), Some(&about(firmware)));
        }
    }

    #[test]
    fn an_introduction_is_stored_flat() {
        let car_id = CarId::try_from("B1".to_owned()).ok();
        let event = DeviceEvent::Introduced { car_id, about: about("1.0.3") };
        let stored = serde_json::json!({"type": "device.introduced",
            "data": {"car_id": "B1", "model": "WH-EC20", "firmware": "1.0.3"}});
        assert_eq!(serde_json::to_value(&event).unwrap(), stored);
        assert_eq!(serde_json::from_value::<DeviceEvent>(stored).unwrap(), event);
        let alone = serde_json::json!({"type": "device.introduced",
            "data": {"model": "WH-EC20", "firmware": "1.0.3"}});
        let event = DeviceEvent::Introduced { car_id: None, about: about("1.0.3") };
        assert_eq!(serde_json::to_value(&event).unwrap(), alone);
        assert_eq!(serde_json::from_value::<DeviceEvent>(alone).unwrap(), event);
    }

    #[test]
    fn models_and_versions_are_plain_and_short() {
        assert!(is_about("WH-EC20") && is_about("v1.2.0+rc_1") && is_about(&"a".repeat(ABOUT_MAX)));
        for other in ["", " 1", "1/2", "型号", "a\n", &"a".repeat(ABOUT_MAX + 1)] {
            assert!(!is_about(other), "{other}");
        }
    }

    #[test]
    fn an_imei_is_fifteen_digits() {
        assert!(Imei::try_from("86000000000000".to_owned()).is_err());
        assert!(Imei::try_from("86000000000000a".to_owned()).is_err());
    }
}
