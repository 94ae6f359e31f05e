//! A view (视图): what somebody shows on the operation map, stored under a name for himself or for his colleagues.

use kernel::{Aggregate, Claim, Decision, Personal, events, refusals};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;
use vocabulary::text::line;
use vocabulary::{AgentId, DataOwner, MapViewId, OperatorId, Timestamp, choices};

/// A name has at most so many characters.
pub const NAME_MAX: usize = 20;
/// What is stored of the map has at most so many characters.
pub const STATE_MAX: usize = 2000;
/// One person has at most so many.
pub const VIEWS_MAX: u16 = 100;
/// What may be stored: the filter of states, each kind that is picked beyond it, the layers, and place with zoom. The bike that is
/// chosen and a moment of the past are no part of a view: they are over soon.
pub const KEYS: &[&str] =
    &["f", "area", "ride", "ops", "alarm", "soc", "idle", "tag", "volt", "why", "lost", "layers", "view"];
/// An unknown key is told up to here.
const KEY_TOLD: usize = 20;

choices! {
    /// Who sees a view.
    #[derive(Default)]
    pub enum Audience("可见范围") {
        #[default]
        Own = 1 => "仅自己",
        Shared = 2 => "共享",
    }
}

/// What people fill in.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[schema(as = MapViewForm)]
pub struct Form {
    /// 1 to 20 characters, unique for an agent.
    pub name: String,
    /// Who sees it.
    pub audience: Audience,
    /// Query text of known keys (`f=rentable&view=30.28,120.15,14`), at most 2000 characters.
    pub state: String,
}

/// What may be asked.
#[derive(Clone, Debug)]
pub enum MapViewCommand {
    /// Stores it.
    Create {
        /// Its id.
        id: MapViewId,
        /// Whose it is; nothing: the platform's.
        agent: Option<AgentId>,
        /// Who makes it.
        operator: OperatorId,
        /// His name.
        by: Personal<String>,
        /// The how-manieth of his it is, from 0: the lowest number that is free.
        place: u16,
        /// Its content.
        form: Form,
    },
    /// Gives it another content; by whom.
    Change(OperatorId, Form),
    /// Removes it for good; by whom.
    Delete(OperatorId),
}

events! {
    /// What happened.
    #[derive(Eq)]
    pub enum MapViewEvent {
        Created {
            id: MapViewId,
            agent: Option<AgentId>,
            operator: OperatorId,
            by: Personal<String>,
            place: u16,
            #[serde(flatten)]
            form: Form,
        } = "map-view.created",
        Changed(Form) = "map-view.changed",
        Deleted = "map-view.deleted",
    }
}

refusals! {
    /// Why not.
    pub enum MapViewRefusal {
        Unknown = "map-view-unknown": ("视图不存在或已删除，请刷新视图列表"),
        Exists = "map-view-exists": ("视图已存在"),
        Name = "map-view-name": ("视图名称需 1 到 {NAME_MAX} 个字"),
        NameTaken(String) = "map-view-name-taken": ("名称“{0}”已被使用（可能是同事仅自己可见的视图），请换一个名称"),
        StateLong = "map-view-state": ("筛选条件过多，最多保存 {STATE_MAX} 个字符，请减少几项再保存"),
        StateShape = "map-view-state": ("视图内容格式不正确，请刷新地图后重新保存"),
        StateKey(String) = "map-view-state": ("视图内容含有地图没有的项目“{0}”，请刷新地图后重新保存"),
        NotYours = "map-view-not-yours": ("只有创建人可以修改或删除这个视图；可以打开后另存为自己的视图"),
        Full = "map-view-full": ("每人最多保存 {VIEWS_MAX} 个视图，请先删除不再使用的视图"),
        Busy = "map-view-busy": ("您刚刚在别处保存了另一个视图，请再保存一次"),
    }
}

/// The view as decisions need it.
#[derive(Clone, Debug, Default)]
pub struct MapView {
    made: Option<Made>,
}

#[derive(Clone, Debug)]
struct Made {
    agent: Option<AgentId>,
    operator: OperatorId,
    place: u16,
    /// Nothing once it is deleted.
    form: Option<Form>,
}

impl MapView {
    /// Its content, when `operator` made it. To others one that is not shared is not there.
    fn of(&self, operator: OperatorId) -> Result<&Form, MapViewRefusal> {
        let made = self.made.as_ref().ok_or(MapViewRefusal::Unknown)?;
        let form = made.form.as_ref().ok_or(MapViewRefusal::Unknown)?;
        match form.audience {
            _ if made.operator == operator => Ok(form),
            Audience::Shared => Err(MapViewRefusal::NotYours),
            Audience::Own => Err(MapViewRefusal::Unknown),
        }
    }
}

/// The form with its name trimmed, when all of it may stand.
fn checked(form: Form) -> Result<Form, MapViewRefusal> {
    let name = line(&form.name, NAME_MAX).ok_or(MapViewRefusal::Name)?;
    check_state(&form.state)?;
    Ok(Form { name, ..form })
}

/// Query text of known keys, each once and with a value; of nothing at all everything is shown.
fn check_state(state: &str) -> Result<(), MapViewRefusal> {
    if state.chars().count() > STATE_MAX {
        return Err(MapViewRefusal::StateLong);
    }
    let mut seen = Vec::new();
    for part in state.split('&').filter(|_| !state.is_empty()) {
        let (key, value) = part.split_once('=').ok_or(MapViewRefusal::StateShape)?;
        if !KEYS.contains(&key) {
            return Err(MapViewRefusal::StateKey(key.chars().take(KEY_TOLD).collect()));
        }
        if value.is_empty() || seen.contains(&key) || !value.bytes().all(|byte| byte.is_ascii_graphic()) {
            return Err(MapViewRefusal::StateShape);
        }
        seen.push(key);
    }
    Ok(())
}

impl Aggregate for MapView {
    const CATEGORY: &'static str = "map-view";
    type Id = MapViewId;
    type Command = MapViewCommand;
    type Event = MapViewEvent;
    type Refusal = MapViewRefusal;

    fn decide(&self, command: Self::Command, _now: Timestamp) -> Decision<Self> {
        match command {
            MapViewCommand::Create { .. } if self.made.is_some() => Err(MapViewRefusal::Exists),
            MapViewCommand::Create { place, .. } if place >= VIEWS_MAX => Err(MapViewRefusal::Full),
            MapViewCommand::Create { id, agent, operator, by, place, form } => {
                let form = checked(form)?;
                Ok(vec![MapViewEvent::Created { id, agent, operator, by, place, form }])
            }
            MapViewCommand::Change(operator, form) => {
                let old = self.of(operator)?;
                let form = checked(form)?;
                Ok(if form == *old { vec![] } else { vec![MapViewEvent::Changed(form)] })
            }
            MapViewCommand::Delete(operator) => {
                self.of(operator)?;
                Ok(vec![MapViewEvent::Deleted])
            }
        }
    }

    fn evolve(&mut self, event: &MapViewEvent) {
        match (event, &mut self.made) {
            (MapViewEvent::Created { agent, operator, place, form, .. }, made) => {
                let (agent, operator, place) = (*agent, *operator, *place);
                *made = Some(Made { agent, operator, place, form: Some(form.clone()) });
            }
            (MapViewEvent::Changed(form), Some(made)) => made.form = Some(form.clone()),
            (MapViewEvent::Deleted, Some(made)) => made.form = None,
            (_, None) => {}
        }
    }

    fn owner(&self) -> DataOwner {
        DataOwner { agent: self.made.as_ref().and_then(|made| made.agent), area: None }
    }

    /// A name is one view of an agent; a place is one view of a person, so that nobody has more than there are places.
    fn claims(&self, event: &MapViewEvent) -> Vec<Claim<MapViewRefusal>> {
        let named = |agent: Option<AgentId>, form: &Form| {
            format!("map-view-name:{}:{}", agent.map_or(0, |agent| agent.0), form.name)
        };
        let placed = |operator: OperatorId, place: u16| format!("map-view-place:{operator}:{place}");
        let held = self.made.as_ref().filter(|made| made.form.is_some());
        let held_name = held.and_then(|made| Some(named(made.agent, made.form.as_ref()?)));
        let held_place = held.map(|made| placed(made.operator, made.place));
        let (name, place, taken) = match event {
            MapViewEvent::Created { agent, operator, place, form, .. } => {
                (Some(named(*agent, form)), Some(placed(*operator, *place)), form.name.clone())
            }
            MapViewEvent::Changed(form) => {
                let name = held.map(|made| named(made.agent, form));
                (name, held_place.clone(), form.name.clone())
            }
            MapViewEvent::Deleted => (None, None, String::new()),
        };
        let mut claims = Claim::exchange(held_name, name, MapViewRefusal::NameTaken(taken));
        claims.extend(Claim::exchange(held_place, place, MapViewRefusal::Busy));
        claims
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    const NOW: Timestamp = Timestamp::from_millis(0);
    const MAKER: OperatorId = OperatorId(7);
    const COLLEAGUE: OperatorId = OperatorId(8);

    fn form(audience: Audience, state: &str) -> Form {
        Form { name: " 低电早班 ".to_owned(), audience, state: state.to_owned() }
    }

    fn create(place: u16, form: Form) -> MapViewCommand {
        let by = Personal::new("operator:7", "王芳".to_owned());
        MapViewCommand::Create { id: MapViewId(5), agent: Some(AgentId(2)), operator: MAKER, by, place, form }
    }

    fn after(mut view: MapView, command: MapViewCommand) -> MapView {
        for event in view.decide(command, NOW).unwrap() {
            view.evolve(&event);
        }
        view
    }

    fn made(audience: Audience) -> MapView {
        after(MapView::default(), create(0, form(audience, "f=low_battery")))
    }

    fn refused(state: &str) -> Option<MapViewRefusal> {
        MapView::default().decide(create(0, form(Audience::Own, state)), NOW).err()
    }

    #[test]
    fn what_is_stored_of_the_map_has_known_keys_each_once_and_a_bound() {
        for state in ["", "f=low_battery,alarm", "tag=%E6%96%B0%E8%BD%A6&layers=heat&view=30.28,120.15,14"] {
            assert_eq!(refused(state), None, "{state}");
        }
        for key in ["carId", "at", "redirect", "F", ""] {
            assert_eq!(refused(&format!("f=alarm&{key}=1")), Some(MapViewRefusal::StateKey(key.to_owned())));
        }
        for state in ["f", "f=", "f=alarm&", "f=a&f=b", "tag=新车", "f=a b"] {
            assert!(matches!(refused(state), Some(MapViewRefusal::StateShape)), "{state}");
        }
        assert_eq!(refused(&format!("tag={}", "a".repeat(1996))), None);
        assert_eq!(refused(&format!("tag={}", "a".repeat(1997))), Some(MapViewRefusal::StateLong));
    }

    #[test]
    fn a_name_is_trimmed_and_has_1_to_20_characters() {
        let name = |name: &str| Form { name: name.to_owned(), ..form(Audience::Own, "") };
        for bad in ["", "  ", &"字".repeat(21), "上\n下"] {
            let refusal = MapView::default().decide(create(0, name(bad)), NOW);
            assert_eq!(refusal, Err(MapViewRefusal::Name), "{bad}");
        }
        assert_eq!(made(Audience::Own).of(MAKER).unwrap().name, "低电早班");
    }

    #[test]
    fn nobody_but_its_maker_changes_a_view_and_a_private_one_is_not_there_for_others() {
        for (audience, refusal) in
            [(Audience::Shared, MapViewRefusal::NotYours), (Audience::Own, MapViewRefusal::Unknown)]
        {
            let view = made(audience);
            let change = MapViewCommand::Change(COLLEAGUE, form(audience, "f=alarm"));
            assert_eq!(view.decide(change, NOW), Err(refusal.clone()));
            assert_eq!(view.decide(MapViewCommand::Delete(COLLEAGUE), NOW), Err(refusal));
            let changed = after(view, MapViewCommand::Change(MAKER, form(Audience::Own, "f=alarm")));
            assert_eq!(changed.of(MAKER).unwrap().state, "f=alarm");
            let gone = after(changed, MapViewCommand::Delete(MAKER));
            assert_eq!(gone.decide(MapViewCommand::Delete(MAKER), NOW), Err(MapViewRefusal::Unknown));
        }
    }

    #[test]
    fn saving_the_same_changes_nothing() {
        let change = MapViewCommand::Change(MAKER, form(Audience::Own, "f=low_battery"));
        assert_eq!(made(Audience::Own).decide(change, NOW), Ok(vec![]));
    }

    #[test]
    fn a_person_has_so_many_views_as_there_are_places() {
        let last = |place| MapView::default().decide(create(place, form(Audience::Own, "")), NOW);
        assert!(last(VIEWS_MAX - 1).is_ok());
        assert_eq!(last(VIEWS_MAX), Err(MapViewRefusal::Full));
    }

    #[test]
    fn name_and_place_are_held_from_the_making_to_the_end() {
        let told = |view: &MapView, command: MapViewCommand| -> Vec<String> {
            let event = view.decide(command, NOW).unwrap().remove(0);
            let claims = view.claims(&event).into_iter();
            claims
                .map(|claim| match claim {
                    Claim::Take { key, .. } => format!("+{key}"),
                    Claim::Release { key } => format!("-{key}"),
                })
                .collect()
        };
        let first = told(&MapView::default(), create(3, form(Audience::Own, "")));
        assert_eq!(first, ["+map-view-name:2:低电早班", "+map-view-place:7:3"]);
        let view = after(MapView::default(), create(3, form(Audience::Own, "")));
        let renamed = Form { name: "夜班".to_owned(), ..form(Audience::Own, "") };
        let second = told(&view, MapViewCommand::Change(MAKER, renamed));
        assert_eq!(second, ["-map-view-name:2:低电早班", "+map-view-name:2:夜班"]);
        let third = told(&view, MapViewCommand::Delete(MAKER));
        assert_eq!(third, ["-map-view-name:2:低电早班", "-map-view-place:7:3"]);
    }

    #[test]
    fn events_are_stored_in_forms_that_never_change() {
        let form =
            Form { name: "夜班".to_owned(), audience: Audience::Shared, state: "f=alarm".to_owned() };
        let made = MapViewEvent::Created {
            id: MapViewId(5),
            agent: Some(AgentId(2)),
            operator: MAKER,
            by: Personal::new("operator:7", "王芳".to_owned()),
            place: 3,
            form: form.clone(),
        };
        let mut stored = serde_json::to_value(&made).unwrap();
        assert!(stored["data"]["by"].take().is_object());
        assert_eq!(
            stored,
            json!({"type": "map-view.created", "data": {"id": "5", "agent": "2", "operator": "7", "by": null,
                "place": 3, "name": "夜班", "audience": 2, "state": "f=alarm"}})
        );
        assert_eq!(
            serde_json::to_value(MapViewEvent::Changed(form)).unwrap(),
            json!({"type": "map-view.changed", "data": {"name": "夜班", "audience": 2, "state": "f=alarm"}})
        );
        assert_eq!(serde_json::to_value(MapViewEvent::Deleted).unwrap(), json!({"type": "map-view.deleted"}));
    }
}
