//! Where and how a ride may end in a service area (还车). What is asked for a return that is not as it should be, is part of
//! the billing.

use geofence::Proof;
use kernel::refusals;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;
use vocabulary::choices;

use super::certainty::{Weights, WeightsRefusal};
use super::config::{Setting, StoredAs, stored_as};

/// Degrees that a camera may be off at most.
pub const CAMERA_ANGLE_MAX_DEGREES: u16 = 90;
/// So often a rider may be let off by his photo, at most.
pub const IMPUNITY_MAX: u16 = 100;

choices! {
    /// What a proof of a good return is good for.
    #[derive(Default)]
    pub enum Effect("校验效果") {
        #[default]
        Off = 0 => "关",
        Hint = 1 => "提示",
        Force = 2 => "强制",
    }
}

/// 还车配置.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct ReturnRules {
    /// 允许站点外还车: for its dispatch fee; otherwise the return is refused with the way to a place.
    pub outside_allowed: bool,
    /// 允许禁停区还车: for its penalty.
    pub no_stop_allowed: bool,
    /// 允许服务区外还车: for its penalty.
    pub out_of_service_allowed: bool,
    /// 蓝牙道钉.
    pub beacon: Effect,
    /// 射频识别.
    pub rfid: Effect,
    /// 定向停车.
    pub direction: Effect,
    /// 脚撑.
    pub kickstand: Effect,
    /// 摄像头.
    pub camera: Effect,
    /// 摄像头角度: degrees that the bike may stand off, 0 to 90.
    pub camera_angle_degrees: u16,
    /// 免罚次数: so often a rider is let off by his photo.
    pub camera_impunity_count: u16,
    /// 头盔锁: its helmet must be locked to the bike.
    pub helmet_lock: bool,
    /// 头盔拍照: a photo shows that it is there.
    pub helmet_photo: bool,
    /// 满桩禁停: a full parking place takes no more bikes.
    pub full_closed: bool,
    /// 借用其他站点: places of other areas of the agent may be used.
    pub other_areas_used: bool,
    /// 出区断电: the motor stops beyond the area's edge.
    pub power_off: bool,
    /// 文明停车提醒.
    pub manners_reminded: bool,
    /// 证据权重: how sure it must be that a penalty is due, and what each evidence counts.
    #[serde(default)]
    pub certainty: Weights,
}

impl ReturnRules {
    /// What this proof is good for.
    pub const fn effect(&self, proof: Proof) -> Effect {
        match proof {
            Proof::Beacon => self.beacon,
            Proof::Rfid => self.rfid,
            Proof::Direction => self.direction,
            Proof::Kickstand => self.kickstand,
            Proof::Camera => self.camera,
        }
    }
}

impl Default for ReturnRules {
    /// What counts where nobody said anything else.
    fn default() -> Self {
        Self {
            outside_allowed: true,
            no_stop_allowed: true,
            out_of_service_allowed: true,
            beacon: Effect::Off,
            rfid: Effect::Off,
            direction: Effect::Off,
            kickstand: Effect::Off,
            camera: Effect::Off,
            camera_angle_degrees: 15,
            camera_impunity_count: 3,
            helmet_lock: false,
            helmet_photo: false,
            full_closed: false,
            other_areas_used: false,
            power_off: true,
            manners_reminded: true,
            certainty: Weights::default(),
        }
    }
}

refusals! {
    /// Why they may not stand so.
    pub enum ReturnRulesRefusal {
        Angle = "return-angle": ("摄像头角度需在 0 到 {CAMERA_ANGLE_MAX_DEGREES} 度之间"),
        Impunity = "return-impunity": ("免罚次数需在 0 到 {IMPUNITY_MAX} 次之间"),
    } or
    /// Of the weights.
    Weights(WeightsRefusal)
}

impl Setting for ReturnRules {
    const STORED: StoredAs = stored_as!("return-config");
    type Fault = ReturnRulesRefusal;

    fn checked(self) -> Result<Self, ReturnRulesRefusal> {
        if self.camera_angle_degrees > CAMERA_ANGLE_MAX_DEGREES {
            Err(ReturnRulesRefusal::Angle)
        } else if self.camera_impunity_count > IMPUNITY_MAX {
            Err(ReturnRulesRefusal::Impunity)
        } else {
            Ok(Self { certainty: self.certainty.checked()?, ..self })
        }
    }
}
