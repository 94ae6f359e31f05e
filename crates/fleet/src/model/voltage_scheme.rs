//! A voltage scheme (电压方案): what the voltage of a bike's battery tells of its charge, and how far a full one takes it.

use std::ops::RangeInclusive;

use kernel::{Aggregate, Claim, Decision, events, refusals};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;
use vocabulary::text::line;
use vocabulary::{AgentId, DataOwner, Timestamp, VoltageSchemeId, choices};

/// A name has at most so many characters.
pub const NAME_MAX: usize = 30;
/// A curve has at least so many points.
pub const POINTS_MIN: usize = 5;
/// A curve has at most so many points.
pub const POINTS_MAX: usize = 50;
/// A full battery takes nobody further, km.
pub const MILEAGE_MAX_KM: u16 = 300;
/// Voltages of cells that are empty and full lie so far from what a battery is called by, percent.
const OF_NOMINAL_PERCENT: RangeInclusive<u32> = 60..=140;

choices! {
    /// What a battery is called by.
    #[derive(Default)]
    pub enum NominalVolts("标称电压") {
        #[default]
        V48 = 48 => "48 V",
        V60 = 60 => "60 V",
        V72 = 72 => "72 V",
    }
}

choices! {
    /// What its cells are made of.
    #[derive(Default)]
    pub enum Chemistry("电芯") {
        #[default]
        IronPhosphate = 1 => "磷酸铁锂",
        Ternary = 2 => "三元锂",
        LeadAcid = 3 => "铅酸",
    }
}

choices! {
    /// Whether more bikes may be bound to it.
    #[derive(Default)]
    pub enum SchemeState("方案状态") {
        Disabled = 0 => "停用",
        #[default]
        Enabled = 1 => "启用",
    }
}

choices! {
    /// How full a battery is by the scheme of its bike.
    pub enum ChargeLevel("电量水平") {
        Low = 1 => "低电",
        Fair = 2 => "一般",
        Enough = 3 => "充足",
    }
}

/// A point of the curve.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = VoltagePoint)]
pub struct Point {
    /// Voltage of the battery at rest, millivolts.
    pub voltage_mv: u32,
    /// Its charge, percent.
    pub percent: u8,
}

/// What people fill in.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
#[schema(as = VoltageSchemeForm)]
pub struct Form {
    /// 方案名称: 1 to 30 characters, unique for an agent.
    pub name: String,
    /// 标称电压.
    pub nominal_v: NominalVolts,
    /// 电芯.
    pub chemistry: Chemistry,
    /// 电压电量表: 5 to 50 points, voltage and charge rising together from 0 % to 100 %, all of it within 60 % to 140 % of the nominal
    /// voltage.
    pub points: Vec<Point>,
    /// 满电里程, km: 1 to 300.
    pub max_mileage_km: u16,
    /// 低电阈值, percent: up to here the charge is low; at least 1.
    pub low_percent: u8,
    /// 充足阈值, percent: from here on there is enough; above the other one, at most 100.
    pub enough_percent: u8,
    /// 状态.
    #[serde(default)]
    pub state: SchemeState,
}

impl Form {
    /// The lowest and the highest voltage of the curve, millivolts.
    pub fn span_mv(&self) -> (u32, u32) {
        let mv = |point: Option<&Point>| point.map_or(0, |point| point.voltage_mv);
        (mv(self.points.first()), mv(self.points.last()))
    }
}

/// The charge at a voltage, percent: on a straight line between the two points around it; 0 below the curve, 100 above it. The points rise.
pub fn percent_at(points: &[Point], voltage_mv: u32) -> u8 {
    let above = points.partition_point(|point| point.voltage_mv < voltage_mv);
    let (Some(below), Some(next)) = (above.checked_sub(1).map(|at| points[at]), points.get(above)) else {
        return if above == 0 { 0 } else { 100 };
    };
    let (way, rise) = (next.voltage_mv - below.voltage_mv, u32::from(next.percent - below.percent));
    let risen = (rise * (voltage_mv - below.voltage_mv) + way / 2) / way;
    below.percent + u8::try_from(risen).unwrap_or(u8::MAX)
}

/// 剩余里程: how far so much charge takes a bike, metres.
pub const fn remaining_m(soc_percent: u8, max_mileage_km: u16) -> u32 {
    soc_percent as u32 * max_mileage_km as u32 * 10
}

/// How full a battery is by two thresholds, percent.
pub const fn level(soc_percent: u8, low_percent: u8, enough_percent: u8) -> ChargeLevel {
    if soc_percent <= low_percent {
        ChargeLevel::Low
    } else if soc_percent < enough_percent {
        ChargeLevel::Fair
    } else {
        ChargeLevel::Enough
    }
}

/// What may be asked.
#[derive(Clone, Debug)]
pub enum VoltageSchemeCommand {
    /// Makes it.
    Create {
        /// Its id.
        id: VoltageSchemeId,
        /// Whose it is; nothing: the platform's, for bikes of all agents.
        agent: Option<AgentId>,
        /// Its content.
        form: Form,
    },
    /// Gives it another content.
    Change(Form),
    /// Removes it for good, when no bike is bound to it.
    Delete {
        /// Bikes that are.
        bound: i64,
    },
}

events! {
    /// What happened.
    #[derive(Eq)]
    pub enum VoltageSchemeEvent {
        Created {
            id: VoltageSchemeId,
            agent: Option<AgentId>,
            #[serde(flatten)]
            form: Form,
        } = "voltage-scheme.created",
        Changed(Form) = "voltage-scheme.changed",
        Deleted = "voltage-scheme.deleted",
    }
}

refusals! {
    /// Why not.
    pub enum VoltageSchemeRefusal {
        Unknown = "voltage-scheme-unknown": ("电压方案不存在或已删除，请刷新列表"),
        Exists = "voltage-scheme-exists": ("电压方案已存在"),
        Name = "voltage-scheme-name": ("方案名称需 1 到 {NAME_MAX} 个字"),
        NameTaken(String) = "voltage-scheme-name-taken": ("方案名称“{0}”已被使用"),
        PointCount(usize) = "voltage-scheme-points": ("电压电量表需 {POINTS_MIN} 到 {POINTS_MAX} 个点，现有 {0} 个"),
        PointsRise(usize) = "voltage-scheme-points": ("电压电量表第 {0} 个点的电压和电量都须高于前一个点"),
        PointsEnd = "voltage-scheme-points": ("电压电量表须从 0% 开始，到 100% 结束"),
        PointsFar(u32, NominalVolts) = "voltage-scheme-points": ("电压 {0} mV 与标称电压 {1} 相差过大，请检查单位（毫伏）"),
        Mileage = "voltage-scheme-mileage": ("满电里程需 1 到 {MILEAGE_MAX_KM} 公里"),
        Thresholds = "voltage-scheme-thresholds": ("低电阈值至少 1%，充足阈值须高于低电阈值且不超过 100%"),
        InUse(i64) = "voltage-scheme-in-use": ("仍有 {0} 辆车绑定该电压方案，不能删除；请先为这些车辆更换方案"),
    }
}

/// The scheme as decisions need it.
#[derive(Clone, Debug, Default)]
pub struct VoltageScheme {
    made: Option<Made>,
}

#[derive(Clone, Debug)]
struct Made {
    agent: Option<AgentId>,
    /// Nothing once it is deleted.
    form: Option<Form>,
}

impl VoltageScheme {
    /// Its content; nothing while it is not there.
    pub fn form(&self) -> Option<&Form> {
        self.made.as_ref()?.form.as_ref()
    }

    /// Whose it is; nothing: the platform's.
    pub fn agent(&self) -> Option<AgentId> {
        self.made.as_ref()?.agent
    }

    fn present(&self) -> Result<&Form, VoltageSchemeRefusal> {
        self.form().ok_or(VoltageSchemeRefusal::Unknown)
    }
}

/// The form with its name trimmed, when all of it may stand.
fn checked(form: Form) -> Result<Form, VoltageSchemeRefusal> {
    let name = line(&form.name, NAME_MAX).ok_or(VoltageSchemeRefusal::Name)?;
    check_points(&form.points, form.nominal_v)?;
    if !(1..=MILEAGE_MAX_KM).contains(&form.max_mileage_km) {
        return Err(VoltageSchemeRefusal::Mileage);
    }
    if form.low_percent < 1 || form.enough_percent <= form.low_percent || form.enough_percent > 100 {
        return Err(VoltageSchemeRefusal::Thresholds);
    }
    Ok(Form { name, ..form })
}

fn check_points(points: &[Point], nominal: NominalVolts) -> Result<(), VoltageSchemeRefusal> {
    if !(POINTS_MIN..=POINTS_MAX).contains(&points.len()) {
        return Err(VoltageSchemeRefusal::PointCount(points.len()));
    }
    // One percent of a volt is 10 mV.
    let mv = |percent: u32| u32::from(nominal.number().unsigned_abs()) * percent * 10;
    let usual = mv(*OF_NOMINAL_PERCENT.start())..=mv(*OF_NOMINAL_PERCENT.end());
    if let Some(far) = points.iter().find(|point| !usual.contains(&point.voltage_mv)) {
        return Err(VoltageSchemeRefusal::PointsFar(far.voltage_mv, nominal));
    }
    let rises = |pair: &[Point]| pair[0].voltage_mv < pair[1].voltage_mv && pair[0].percent < pair[1].percent;
    if let Some(at) = points.windows(2).position(|pair| !rises(pair)) {
        return Err(VoltageSchemeRefusal::PointsRise(at + 2));
    }
    let ends = (points.first().map(|point| point.percent), points.last().map(|point| point.percent));
    if ends == (Some(0), Some(100)) { Ok(()) } else { Err(VoltageSchemeRefusal::PointsEnd) }
}

impl Aggregate for VoltageScheme {
    const CATEGORY: &'static str = "voltage-scheme";
    type Id = VoltageSchemeId;
    type Command = VoltageSchemeCommand;
    type Event = VoltageSchemeEvent;
    type Refusal = VoltageSchemeRefusal;

    fn decide(&self, command: Self::Command, _now: Timestamp) -> Decision<Self> {
        match command {
            VoltageSchemeCommand::Create { .. } if self.made.is_some() => Err(VoltageSchemeRefusal::Exists),
            VoltageSchemeCommand::Create { id, agent, form } => {
                Ok(vec![VoltageSchemeEvent::Created { id, agent, form: checked(form)? }])
            }
            VoltageSchemeCommand::Change(form) => {
                let old = self.present()?;
                let form = checked(form)?;
                Ok(if form == *old { vec![] } else { vec![VoltageSchemeEvent::Changed(form)] })
            }
            VoltageSchemeCommand::Delete { bound } => {
                self.present()?;
                if bound > 0 {
                    return Err(VoltageSchemeRefusal::InUse(bound));
                }
                Ok(vec![VoltageSchemeEvent::Deleted])
            }
        }
    }

    fn evolve(&mut self, event: &VoltageSchemeEvent) {
        match (event, &mut self.made) {
            (VoltageSchemeEvent::Created { agent, form, .. }, made) => {
                *made = Some(Made { agent: *agent, form: Some(form.clone()) });
            }
            (VoltageSchemeEvent::Changed(form), Some(made)) => made.form = Some(form.clone()),
            (VoltageSchemeEvent::Deleted, Some(made)) => made.form = None,
            (_, None) => {}
        }
    }

    fn owner(&self) -> DataOwner {
        DataOwner { agent: self.agent(), area: None }
    }

    /// A name is one scheme of an agent, or of the platform.
    fn claims(&self, event: &VoltageSchemeEvent) -> Vec<Claim<VoltageSchemeRefusal>> {
        let key = |agent: Option<AgentId>, name: &str| {
            format!("voltage-scheme-name:{}:{name}", agent.map_or(0, |agent| agent.0))
        };
        let held = self.form().map(|form| key(self.agent(), &form.name));
        let (name, taken) = match event {
            VoltageSchemeEvent::Created { agent, form, .. } => {
                (Some(key(*agent, &form.name)), form.name.clone())
            }
            VoltageSchemeEvent::Changed(form) => (Some(key(self.agent(), &form.name)), form.name.clone()),
            VoltageSchemeEvent::Deleted => (None, String::new()),
        };
        Claim::exchange(held, name, VoltageSchemeRefusal::NameTaken(taken))
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    const NOW: Timestamp = Timestamp::from_millis(0);

    fn points(of: &[(u32, u8)]) -> Vec<Point> {
        of.iter().map(|(voltage_mv, percent)| Point { voltage_mv: *voltage_mv, percent: *percent }).collect()
    }

    const CURVE: &[(u32, u8)] =
        &[(40_000, 0), (46_000, 20), (48_000, 50), (50_000, 80), (52_001, 95), (54_600, 100)];

    fn form() -> Form {
        Form {
            name: " 48V 锂电 ".to_owned(),
            nominal_v: NominalVolts::V48,
            chemistry: Chemistry::Ternary,
            points: points(CURVE),
            max_mileage_km: 60,
            low_percent: 20,
            enough_percent: 80,
            state: SchemeState::Enabled,
        }
    }

    fn create(form: Form) -> VoltageSchemeCommand {
        VoltageSchemeCommand::Create { id: VoltageSchemeId(5), agent: Some(AgentId(2)), form }
    }

    fn made() -> VoltageScheme {
        let mut scheme = VoltageScheme::default();
        for event in scheme.decide(create(form()), NOW).unwrap() {
            scheme.evolve(&event);
        }
        scheme
    }

    fn refused(change: impl FnOnce(&mut Form)) -> VoltageSchemeRefusal {
        let mut form = form();
        change(&mut form);
        VoltageScheme::default().decide(create(form), NOW).unwrap_err()
    }

    #[test]
    fn charge_lies_on_the_line_between_two_points_and_ends_with_the_curve() {
        let curve = points(CURVE);
        for (voltage_mv, percent) in [
            (0, 0),
            (39_999, 0),
            (40_000, 0),
            (43_000, 10),
            (46_000, 20),
            (47_000, 35),
            (47_033, 35),
            (47_034, 36),
            (48_000, 50),
            (52_001, 95),
            (54_599, 100),
            (54_600, 100),
            (60_000, 100),
            (u32::MAX, 100),
        ] {
            assert_eq!(percent_at(&curve, voltage_mv), percent, "{voltage_mv} mV");
        }
        assert_eq!(percent_at(&[], 48_000), 0, "no curve tells nothing of charge");
    }

    #[test]
    fn range_and_level_follow_from_charge() {
        assert_eq!([remaining_m(0, 60), remaining_m(50, 60), remaining_m(100, 300)], [0, 30_000, 300_000]);
        let levels = [20, 21, 79, 80].map(|soc| level(soc, 20, 80));
        assert_eq!(levels, [ChargeLevel::Low, ChargeLevel::Fair, ChargeLevel::Fair, ChargeLevel::Enough]);
    }

    #[test]
    fn a_scheme_is_made_with_its_name_trimmed_and_a_repeat_of_its_content_changes_nothing() {
        let scheme = made();
        assert_eq!(scheme.form().unwrap().name, "48V 锂电");
        assert_eq!(scheme.form().unwrap().span_mv(), (40_000, 54_600));
        assert_eq!(scheme.owner(), DataOwner::of_agent(AgentId(2)));
        assert_eq!(scheme.decide(VoltageSchemeCommand::Change(form()), NOW).unwrap(), []);
        assert_eq!(scheme.decide(create(form()), NOW).unwrap_err(), VoltageSchemeRefusal::Exists);
    }

    #[test]
    fn a_curve_rises_strictly_from_empty_to_full_near_its_nominal_voltage() {
        use VoltageSchemeRefusal::{PointCount, PointsEnd, PointsFar, PointsRise};
        assert_eq!(refused(|form| form.points.truncate(4)), PointCount(4));
        let many = (0..=50).map(|n| (40_000 + n * 100, u8::try_from(n * 2).unwrap())).collect::<Vec<_>>();
        assert_eq!(refused(|form| form.points = points(&many)), PointCount(51));
        assert_eq!(refused(|form| form.points[2].voltage_mv = 46_000), PointsRise(3));
        assert_eq!(refused(|form| form.points[3].percent = 50), PointsRise(4));
        assert_eq!(refused(|form| form.points.reverse()), PointsRise(2));
        assert_eq!(refused(|form| form.points[0].percent = 1), PointsEnd);
        assert_eq!(refused(|form| form.points[5].percent = 99), PointsEnd);
        assert_eq!(refused(|form| form.points[0].voltage_mv = 40), PointsFar(40, NominalVolts::V48));
        let wrong = refused(|form| form.nominal_v = NominalVolts::V72);
        assert_eq!(wrong, PointsFar(40_000, NominalVolts::V72));
    }

    #[test]
    fn name_mileage_and_thresholds_have_bounds() {
        use VoltageSchemeRefusal::{Mileage, Name, Thresholds};
        assert_eq!(refused(|form| form.name = " ".to_owned()), Name);
        assert_eq!(refused(|form| form.name = "长".repeat(31)), Name);
        for km in [0, 301] {
            assert_eq!(refused(|form| form.max_mileage_km = km), Mileage);
        }
        for (low, enough) in [(0, 50), (50, 50), (60, 50), (20, 101)] {
            let wrong = refused(|form| (form.low_percent, form.enough_percent) = (low, enough));
            assert_eq!(wrong, Thresholds, "{low} {enough}");
        }
    }

    #[test]
    fn a_scheme_with_bikes_stays_and_one_without_goes_for_good() {
        let mut scheme = made();
        let delete = |bound| VoltageSchemeCommand::Delete { bound };
        assert_eq!(scheme.decide(delete(3), NOW).unwrap_err(), VoltageSchemeRefusal::InUse(3));
        for event in scheme.decide(delete(0), NOW).unwrap() {
            scheme.evolve(&event);
        }
        assert_eq!(scheme.form(), None);
        assert_eq!(scheme.decide(delete(0), NOW).unwrap_err(), VoltageSchemeRefusal::Unknown);
        let again = scheme.decide(create(form()), NOW).unwrap_err();
        assert_eq!(again, VoltageSchemeRefusal::Exists, "an id is given once");
    }

    #[test]
    fn a_name_is_taken_within_an_agent_and_given_up() {
        let told = |scheme: &VoltageScheme, command: VoltageSchemeCommand| -> Vec<String> {
            let event = scheme.decide(command, NOW).unwrap().remove(0);
            let claims = scheme.claims(&event).into_iter();
            claims
                .map(|claim| match claim {
                    Claim::Take { key, .. } => format!("+{key}"),
                    Claim::Release { key } => format!("-{key}"),
                })
                .collect()
        };
        let none = VoltageScheme::default();
        assert_eq!(told(&none, create(form())), ["+voltage-scheme-name:2:48V 锂电"]);
        let renamed = Form { name: "60V".to_owned(), ..form() };
        let told_of_change = told(&made(), VoltageSchemeCommand::Change(renamed));
        assert_eq!(told_of_change, ["-voltage-scheme-name:2:48V 锂电", "+voltage-scheme-name:2:60V"]);
        let gone = told(&made(), VoltageSchemeCommand::Delete { bound: 0 });
        assert_eq!(gone, ["-voltage-scheme-name:2:48V 锂电"]);
    }

    #[test]
    fn events_are_stored_in_forms_that_never_change() {
        let form = Form { name: "48V".to_owned(), points: points(&CURVE[..1]), ..form() };
        let mut content = json!({"name": "48V", "nominalV": 48, "chemistry": 2, "points": [{"voltageMv": 40_000, "percent": 0}],
            "maxMileageKm": 60, "lowPercent": 20, "enoughPercent": 80, "state": 1});
        assert_eq!(
            serde_json::to_value(VoltageSchemeEvent::Changed(form.clone())).unwrap(),
            json!({"type": "voltage-scheme.changed", "data": content})
        );
        content["id"] = json!("5");
        content["agent"] = json!(null);
        let made = VoltageSchemeEvent::Created { id: VoltageSchemeId(5), agent: None, form };
        assert_eq!(
            serde_json::to_value(made).unwrap(),
            json!({"type": "voltage-scheme.created", "data": content})
        );
        let gone = serde_json::to_value(VoltageSchemeEvent::Deleted).unwrap();
        assert_eq!(gone, json!({"type": "voltage-scheme.deleted"}));
    }
}
