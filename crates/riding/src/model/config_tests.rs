//! Configurations: how versions come to count, what is refused, and what is stored for ever.

use serde_json::{Value, json};

use super::*;
use crate::model::billing::{Billing, BillingRefusal};
use crate::model::return_rules::ReturnRules;

const NOW: Timestamp = Timestamp::from_millis(1_795_140_000_000);
const PLACE: Place = Place { area_id: AreaId(20), agent_id: AgentId(2) };

fn later(hours: i64) -> Timestamp {
    NOW.plus_millis(hours * 3_600_000)
}

fn priced(cycle_cents: i64) -> Billing {
    Billing { cycle_cents, ..Billing::default() }
}

fn publish(from: Option<Timestamp>) -> ConfigAct<Billing> {
    ConfigAct::Publish { from, note: String::new() }
}

fn back_to(number: i64) -> ConfigAct<Billing> {
    ConfigAct::RollBack { number, from: None, note: String::new() }
}

fn decided(config: &BillingConfig, act: ConfigAct<Billing>, now: Timestamp) -> Decision<BillingConfig> {
    config.decide(ConfigCommand { of: PLACE, act }, now)
}

fn after(acts: impl IntoIterator<Item = (i64, ConfigAct<Billing>)>) -> BillingConfig {
    let mut config = BillingConfig::default();
    for (hour, act) in acts {
        for event in decided(&config, act, later(hour)).unwrap() {
            config.evolve(&event);
        }
    }
    config
}

#[test]
fn where_nobody_published_anything_the_default_counts_as_version_0() {
    let draft = after([(0, ConfigAct::Save(priced(300)))]);
    assert_eq!(draft.at(later(9)), (0, &Billing::default()));
    assert_eq!(draft.version(0), Some(&Billing::default()));
    assert_eq!((draft.version(1), draft.draft()), (None, Some(&priced(300))));
}

#[test]
fn a_version_counts_from_its_time_on_and_not_before() {
    let config = after([
        (0, ConfigAct::Save(priced(300))),
        (0, publish(None)),
        (1, ConfigAct::Save(priced(400))),
        (1, publish(Some(later(5)))),
    ]);
    let at = |hours| config.at(later(hours)).1.cycle_cents;
    assert_eq!([at(-1), at(0), at(4), at(5), at(99)], [100, 300, 300, 400, 400]);
    assert_eq!(config.at(later(5)).0, 2);
    assert_eq!(config.version(1), Some(&priced(300)), "what counted stays known by its number");
    assert_eq!(decided(&config, publish(None), later(6)), Err(Why::NoDraft));
}

#[test]
fn what_is_to_come_is_taken_back_and_what_counted_is_not() {
    let acts = [
        (0, ConfigAct::Save(priced(300))),
        (0, publish(None)),
        (0, ConfigAct::Save(priced(400))),
        (0, publish(Some(later(5)))),
    ];
    let withdraw = |number| ConfigAct::Withdraw { number };
    let config = after(acts.clone());
    assert_eq!(decided(&config, withdraw(1), later(1)), Err(Why::Counted(1)));
    assert_eq!(decided(&config, withdraw(7), later(1)), Err(Why::NoVersion(7)));
    assert_eq!(decided(&config, withdraw(2), later(5)), Err(Why::Counted(2)));
    let taken_back = after(acts.into_iter().chain([(1, withdraw(2))]));
    assert_eq!(taken_back.at(later(9)), (1, &priced(300)));
    assert_eq!((taken_back.version(2), taken_back.draft()), (None, Some(&priced(400))));
}

#[test]
fn going_back_publishes_the_old_words_again() {
    let two = [(0, priced(300)), (1, priced(400))]
        .map(|(hour, said)| (hour, ConfigAct::Set { said, from: None, note: String::new() }));
    let config = after(two.clone().into_iter().chain([(2, back_to(1))]));
    assert_eq!(config.at(later(2)), (3, &priced(300)));
    assert_eq!(config.at(later(1)), (2, &priced(400)));
    assert_eq!(decided(&config, back_to(3), later(3)), Ok(vec![]), "it is so already");
    assert_eq!(decided(&config, back_to(9), later(3)), Err(Why::NoVersion(9)));
    let drawn = after(two.into_iter().chain([(2, ConfigAct::Save(priced(500)))]));
    assert_eq!(decided(&drawn, back_to(1), later(3)), Err(Why::OpenDraft), "nobody's draft is lost by it");
}

#[test]
fn what_is_so_already_changes_nothing_and_nobodys_draft_is_written_over() {
    let set = |cents| ConfigAct::Set { said: priced(cents), from: None, note: String::new() };
    let config = after([(0, set(300)), (1, ConfigAct::Save(priced(400)))]);
    assert_eq!(decided(&config, set(300), later(2)), Ok(vec![]));
    assert_eq!(decided(&config, ConfigAct::Save(priced(400)), later(2)), Ok(vec![]));
    assert_eq!(decided(&config, set(500), later(2)), Err(Why::OpenDraft));
    assert_eq!(decided(&config, ConfigAct::SaveAside(priced(500)), later(2)), Err(Why::OpenDraft));
    assert_eq!(decided(&config, ConfigAct::SaveAside(priced(400)), later(2)), Ok(vec![]));
    assert_eq!(decided(&config, set(400), later(2)).unwrap().len(), 1);
    let discarded = after([(0, ConfigAct::Save(priced(300))), (1, ConfigAct::Discard)]);
    assert_eq!(discarded.draft(), None);
    assert_eq!(decided(&discarded, ConfigAct::Discard, later(2)), Ok(vec![]));
}

#[test]
fn times_and_words_beyond_their_bounds_are_refused() {
    let config = after([(0, ConfigAct::Save(priced(300)))]);
    assert_eq!(decided(&config, publish(Some(later(-1))), NOW), Err(Why::TooEarly));
    assert_eq!(decided(&config, publish(Some(later(24 * 367))), NOW), Err(Why::TooLate));
    let noted = ConfigAct::Publish { from: None, note: "长".repeat(NOTE_MAX + 1) };
    assert_eq!(decided(&config, noted, NOW), Err(Why::Note));
    let refusal = decided(&config, ConfigAct::Save(priced(-1)), NOW).unwrap_err();
    assert_eq!(refusal.code(), BillingRefusal::Price.code());
    assert_eq!(refusal.message(), BillingRefusal::Price.message());
}

#[test]
fn a_subject_has_so_many_versions_and_no_more() {
    let set = |cents| (0, ConfigAct::Set { said: priced(cents), from: None, note: String::new() });
    let config = after((0..VERSIONS_MAX).map(set));
    assert_eq!(decided(&config, set(9_999).1, NOW), Err(Why::TooManyVersions));
}

#[test]
fn a_configuration_goes_with_its_area_to_another_agent() {
    let mut config = after([(0, ConfigAct::Save(priced(300)))]);
    assert_eq!(config.owner(), DataOwner::of_area(AgentId(2), AreaId(20)));
    let to = Place { agent_id: AgentId(3), ..PLACE };
    let hand_over = |config: &BillingConfig| {
        config.decide(ConfigCommand { of: to, act: ConfigAct::HandOver }, later(1)).unwrap()
    };
    assert_eq!(hand_over(&BillingConfig::default()), [], "there is nothing to go");
    for event in hand_over(&config) {
        config.evolve(&event);
    }
    assert_eq!(config.owner(), DataOwner::of_area(AgentId(3), AreaId(20)));
    assert_eq!(config.draft(), Some(&priced(300)));
    assert_eq!(hand_over(&config), []);
}

/// Version 0 of a stored order is recomputed by it for ever.
/// The default as it is written, which may stand.
fn usual<T: Setting>() -> Value {
    let usual =
        T::default().checked().unwrap_or_else(|fault| panic!("{}: {}", T::STORED.category, fault.message()));
    assert_eq!(usual, T::default());
    serde_json::to_value(usual).unwrap()
}

#[test]
fn the_defaults_stay() {
    let billing = json!({
        "freeTimeS": 60, "freeDistanceM": 50, "baseTimeS": 900, "baseTimeCents": 200, "cycleS": 600, "cycleCents": 100,
        "baseDistanceM": 0, "baseDistanceCents": 0, "perKmCents": 0, "dayCapCents": 3000, "discountPercent": 100,
        "bands": [],
        "returned": {
            "smallPenaltyCents": 500, "largePenaltyCents": 1000, "largeDistanceM": 200, "noStopCents": 2000,
            "outOfServiceCents": 2000, "noRideCents": 2000, "helmetCents": 3000,
        },
        "maxOrderCents": 30000, "explain": "",
    });
    let returned = json!({
        "outsideAllowed": true, "noStopAllowed": true, "outOfServiceAllowed": true, "beacon": 0, "rfid": 0,
        "direction": 0, "kickstand": 0, "camera": 0, "cameraAngleDegrees": 15, "cameraImpunityCount": 3,
        "helmetLock": false, "helmetPhoto": false, "fullClosed": false, "otherAreasUsed": false, "powerOff": true,
        "mannersReminded": true,
    });
    let used = json!({
        "rechargeFirst": false, "rechargeCents": 0, "rechargeFor": 1, "faceChecked": false, "facePercent": 80,
        "faceValidDays": 30, "rideMaxS": 43200, "tooLong": 3, "pauseMaxS": 1800, "lockedOutside": false,
        "edgeWarnedM": 50, "overloadWatched": false, "helmetUnlocked": false, "helmetWornChecked": false,
        "helmetBackOnPause": false, "minAge": 16, "maxAge": 70, "batteryMinPercent": 20,
    });
    let paid = json!({
        "paidByBalance": true, "arrearsByBalance": true, "spendFirst": 1, "unpaidReminded": true,
        "remindIntervalH": 24, "remindersMax": 3, "remindWay": 0,
    });
    let permitted = json!({
        "free": true, "deposit": false, "depositCents": 19900, "membership": false, "career": false,
        "wechatScore": false, "zhimaScore": false,
    });
    assert_eq!(usual::<Billing>(), billing);
    let mut told = usual::<ReturnRules>();
    // How sure a return must be is pinned beside the rules of it.
    told.as_object_mut().unwrap().remove("certainty");
    assert_eq!(told, returned);
    assert_eq!(usual::<UseRules>(), used);
    assert_eq!(usual::<PayRules>(), paid);
    assert_eq!(usual::<RidingPermission>(), permitted);
}

#[test]
fn the_stored_forms_stay() {
    let of = PLACE;
    let said = Setting::checked(RidingPermission::default()).unwrap();
    let stored = |event: ConfigEvent<RidingPermission>| {
        let value = serde_json::to_value(&event).unwrap();
        assert_eq!(value["type"], event.stored_type());
        assert_eq!(serde_json::from_value::<ConfigEvent<RidingPermission>>(value.clone()).unwrap(), event);
        let written = serde_json::to_string(&event).unwrap();
        assert!(written.starts_with(r#"{"type":"riding-permission."#), "its name goes first: {written}");
        (event.stored_type().strip_prefix("riding-permission.").unwrap(), value["data"].clone())
    };
    let place = json!({ "area_id": "20", "agent_id": "2" });
    let words = json!({
        "free": true, "deposit": false, "depositCents": 19900, "membership": false, "career": false,
        "wechatScore": false, "zhimaScore": false,
    });
    let saved = ConfigEvent::DraftSaved(DraftSaved { of, said: said.clone() });
    assert_eq!(stored(saved), ("draft_saved", json!({ "of": place, "said": words })));
    let discarded = ConfigEvent::DraftDiscarded(Somewhere { of });
    assert_eq!(stored(discarded), ("draft_discarded", json!({ "of": place })));
    let published = Published { of, number: 3, said, from: NOW, note: "节前调价".into() };
    let form = json!({ "of": place, "number": 3, "said": words, "from": NOW.millis(), "note": "节前调价" });
    assert_eq!(stored(ConfigEvent::Published(published)), ("published", form));
    let withdrawn = ConfigEvent::Withdrawn(Withdrawn { of, number: 3 });
    assert_eq!(stored(withdrawn), ("withdrawn", json!({ "of": place, "number": 3 })));
    let handed_over = ConfigEvent::HandedOver(Somewhere { of });
    assert_eq!(stored(handed_over), ("handed_over", json!({ "of": place })));
    let strange = json!({ "type": "use-config.draft_discarded", "data": { "of": place } });
    assert!(serde_json::from_value::<ConfigEvent<RidingPermission>>(strange).is_err(), "of another kind");
    let categories = [
        BillingConfig::CATEGORY,
        ReturnConfig::CATEGORY,
        UseConfig::CATEGORY,
        PayConfig::CATEGORY,
        RidingPermissionConfig::CATEGORY,
        AlarmConfig::CATEGORY,
    ];
    assert_eq!(
        categories,
        ["billing-config", "return-config", "use-config", "pay-config", "riding-permission", "alarm-config"]
    );
}
