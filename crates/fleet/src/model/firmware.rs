//! A package of firmware (固件包): what devices of a model may be upgraded to, and which bikes may take it now.

use kernel::{Aggregate, Claim, Decision, events, refusals};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;
use vocabulary::text::lines;
use vocabulary::{DataOwner, FirmwareId, Scope, Timestamp, choices};

use super::device::{ABOUT_MAX, About, is_about};
use super::region::RidingState;

/// An address has at most so many characters.
pub const URL_MAX: usize = 500;
/// A note has at most so many characters.
pub const NOTE_MAX: usize = 200;
/// A package has at most so many bytes: 64 MiB.
pub const SIZE_MAX: i64 = 64 * 1024 * 1024;
/// A bike takes new firmware from so much charge on, percent.
pub const CHARGE_LEAST_PERCENT: u8 = 30;

choices! {
    /// Whether a package may be chosen.
    #[derive(Default)]
    pub enum FirmwareState("固件包状态") {
        Disabled = 0 => "停用",
        #[default]
        Enabled = 1 => "启用",
    }
}

/// What people fill in.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[schema(as = FirmwareForm)]
#[serde(rename_all = "camelCase")]
pub struct Form {
    /// 型号: of the devices that it is for; 1 to 32 letters, digits, `.`, `_`, `-` or `+`.
    pub model: String,
    /// 固件版本: the same characters; one package for each model and version.
    pub firmware: String,
    /// Where devices fetch it: `https://` or `http://`, at most 500 characters.
    pub url: String,
    /// MD5 of it, 32 hexadecimal digits.
    pub md5: String,
    /// How many bytes it has, at most 64 MiB.
    pub size_bytes: i64,
    /// 说明: at most 200 characters, lines may break.
    #[serde(default)]
    pub note: String,
}

impl Form {
    /// The form with its texts trimmed and the MD5 in small letters, when all of it may stand.
    pub fn checked(self) -> Result<Self, FirmwareRefusal> {
        let plain =
            |text: &str, refusal| Some(text.trim().to_owned()).filter(|it| is_about(it)).ok_or(refusal);
        let model = plain(&self.model, FirmwareRefusal::Model)?;
        let firmware = plain(&self.firmware, FirmwareRefusal::Version)?;
        let url = self.url.trim().to_owned();
        if !is_address(&url) {
            return Err(FirmwareRefusal::Url);
        }
        let md5 = self.md5.trim().to_ascii_lowercase();
        if md5.len() != 32 || !md5.bytes().all(|byte| byte.is_ascii_hexdigit()) {
            return Err(FirmwareRefusal::Md5);
        }
        if !(1..=SIZE_MAX).contains(&self.size_bytes) {
            return Err(FirmwareRefusal::Size);
        }
        let note = lines(&self.note, NOTE_MAX).ok_or(FirmwareRefusal::Note)?;
        Ok(Self { model, firmware, url, md5, size_bytes: self.size_bytes, note })
    }
}

/// An address that a device can ask: of printable characters, with a host.
fn is_address(url: &str) -> bool {
    let host = url.strip_prefix("https://").or_else(|| url.strip_prefix("http://"));
    let named = |rest: &str| rest.starts_with(|first: char| first.is_ascii_alphanumeric() || first == '[');
    let plain = |byte: u8| byte.is_ascii_graphic() && !matches!(byte, b'"' | b'<' | b'>' | b'\\' | b'`');
    url.len() <= URL_MAX && url.bytes().all(plain) && host.is_some_and(named)
}

/// What a device is told of a package.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Package {
    /// Which.
    pub firmware_id: FirmwareId,
    /// 型号: of the devices that it is for.
    pub model: String,
    /// What the device runs afterwards.
    pub firmware: String,
    /// Where it fetches it.
    pub url: String,
    /// MD5 of it, 32 hexadecimal digits in small letters.
    pub md5: String,
    /// How many bytes it has.
    pub size_bytes: i64,
}

/// What may be asked.
#[derive(Clone, Debug)]
pub enum FirmwareCommand {
    /// Keeps it; it may be chosen at once.
    Publish(FirmwareId, Form),
    /// Corrects where it is, what it is like, or its note; model and version stay.
    Change(Form),
    /// It may be chosen.
    Enable,
    /// It may be chosen no more. What was told before is not taken back.
    Disable,
}

events! {
    /// What happened.
    #[derive(Eq)]
    pub enum FirmwareEvent {
        Published {
            id: FirmwareId,
            #[serde(flatten)]
            form: Form,
        } = "firmware.published",
        Changed(Form) = "firmware.changed",
        Enabled = "firmware.enabled",
        Disabled = "firmware.disabled",
    }
}

refusals! {
    /// Why not.
    pub enum FirmwareRefusal {
        Unknown = "firmware-unknown": ("固件包不存在，请刷新列表"),
        Exists = "firmware-exists": ("固件包已存在"),
        PlatformOnly = "platform-only": ("固件包由平台维护，请联系平台管理员"),
        Model = "firmware-model": ("型号需 1 到 {ABOUT_MAX} 位字母、数字或 . _ - +，与设备上报的一致"),
        Version = "firmware-version": ("固件版本需 1 到 {ABOUT_MAX} 位字母、数字或 . _ - +，如 1.2.0"),
        Url = "firmware-url": ("下载地址需以 https:// 或 http:// 开头，最多 {URL_MAX} 个字符，不含空格和中文"),
        Md5 = "firmware-md5": ("MD5 需 32 位十六进制字符"),
        Size = "firmware-size": ("固件大小需 1 字节到 64 MB"),
        Note = "firmware-note": ("说明最多 {NOTE_MAX} 个字"),
        Taken(String, String) = "firmware-taken": ("型号 {0} 已有版本 {1} 的固件包，请修改原来的固件包或换一个版本号"),
        Fixed = "firmware-fixed": ("型号和版本不能修改，请停用这个固件包后另外新增"),
    }
}

refusals! {
    /// Why a bike does not take a package now.
    pub enum UpgradeRefusal {
        Disabled = "upgrade-disabled": ("固件包已停用，不能用于升级"),
        Untold = "upgrade-untold": ("中控尚未上报型号和固件，请等它重新连接后再升级"),
        Model(String, String) = "upgrade-model": ("固件包适用型号 {0}，该中控的型号是 {1}"),
        Already(String) = "upgrade-already": ("已是版本 {0}，无需升级"),
        InUse(RidingState) = "upgrade-in-use": ("车辆{0}，不能升级固件，请在还车后再升级"),
        ChargeUnknown = "upgrade-charge-unknown": ("电量未知，不能升级固件，请在车辆上线后再升级"),
        ChargeLow(u8) = "upgrade-charge-low": ("电量 {0}%，低于 {CHARGE_LEAST_PERCENT}%，不能升级固件，请先换电"),
    }
}

/// Packages are the platform's: who acts for all of it keeps them.
pub fn may_keep(scope: &Scope) -> Result<(), FirmwareRefusal> {
    if *scope == Scope::ALL { Ok(()) } else { Err(FirmwareRefusal::PlatformOnly) }
}

/// A bike, as far as its upgrade depends on it.
#[derive(Clone, Copy, Debug)]
pub struct Bike<'a> {
    /// What its device says it is.
    pub about: Option<&'a About>,
    /// Who uses it.
    pub riding: RidingState,
    /// Its charge, percent.
    pub soc_percent: Option<u8>,
}

/// The package as decisions need it.
#[derive(Clone, Debug, Default)]
pub struct Firmware {
    kept: Option<Kept>,
}

#[derive(Clone, Debug)]
struct Kept {
    id: FirmwareId,
    form: Form,
    state: FirmwareState,
}

impl Firmware {
    /// What people filled in.
    pub fn form(&self) -> Option<&Form> {
        self.kept.as_ref().map(|kept| &kept.form)
    }

    /// What the device of `bike` is told, when it may take this package now.
    pub fn for_bike(&self, bike: Bike<'_>) -> Result<Package, UpgradeRefusal> {
        let kept = self.kept.as_ref().filter(|kept| kept.state == FirmwareState::Enabled);
        let Kept { id, form, .. } = kept.ok_or(UpgradeRefusal::Disabled)?;
        let about = bike.about.ok_or(UpgradeRefusal::Untold)?;
        if about.model != form.model {
            return Err(UpgradeRefusal::Model(form.model.clone(), about.model.clone()));
        }
        if about.firmware == form.firmware {
            return Err(UpgradeRefusal::Already(form.firmware.clone()));
        }
        if matches!(bike.riding, RidingState::Riding | RidingState::Paused) {
            return Err(UpgradeRefusal::InUse(bike.riding));
        }
        match bike.soc_percent {
            None => Err(UpgradeRefusal::ChargeUnknown),
            Some(soc) if soc < CHARGE_LEAST_PERCENT => Err(UpgradeRefusal::ChargeLow(soc)),
            Some(_) => Ok(Package {
                firmware_id: *id,
                model: form.model.clone(),
                firmware: form.firmware.clone(),
                url: form.url.clone(),
                md5: form.md5.clone(),
                size_bytes: form.size_bytes,
            }),
        }
    }
}

impl Aggregate for Firmware {
    const CATEGORY: &'static str = "firmware";
    type Id = FirmwareId;
    type Command = FirmwareCommand;
    type Event = FirmwareEvent;
    type Refusal = FirmwareRefusal;

    fn decide(&self, command: Self::Command, _now: Timestamp) -> Decision<Self> {
        match (&self.kept, command) {
            (Some(kept), FirmwareCommand::Publish(id, form)) if kept.id == id && kept.form == form => {
                Ok(vec![])
            }
            (Some(_), FirmwareCommand::Publish(..)) => Err(FirmwareRefusal::Exists),
            (None, FirmwareCommand::Publish(id, form)) => {
                Ok(vec![FirmwareEvent::Published { id, form: form.checked()? }])
            }
            (None, _) => Err(FirmwareRefusal::Unknown),
            (Some(kept), FirmwareCommand::Change(form)) => {
                let form = form.checked()?;
                if (&form.model, &form.firmware) != (&kept.form.model, &kept.form.firmware) {
                    return Err(FirmwareRefusal::Fixed);
                }
                Ok(if form == kept.form { vec![] } else { vec![FirmwareEvent::Changed(form)] })
            }
            (Some(kept), FirmwareCommand::Enable) if kept.state == FirmwareState::Enabled => Ok(vec![]),
            (Some(_), FirmwareCommand::Enable) => Ok(vec![FirmwareEvent::Enabled]),
            (Some(kept), FirmwareCommand::Disable) if kept.state == FirmwareState::Disabled => Ok(vec![]),
            (Some(_), FirmwareCommand::Disable) => Ok(vec![FirmwareEvent::Disabled]),
        }
    }

    fn evolve(&mut self, event: &FirmwareEvent) {
        match (event, &mut self.kept) {
            (FirmwareEvent::Published { id, form }, kept) => {
                *kept = Some(Kept { id: *id, form: form.clone(), state: FirmwareState::Enabled });
            }
            (FirmwareEvent::Changed(form), Some(kept)) => kept.form = form.clone(),
            (FirmwareEvent::Enabled, Some(kept)) => kept.state = FirmwareState::Enabled,
            (FirmwareEvent::Disabled, Some(kept)) => kept.state = FirmwareState::Disabled,
            (_, None) => {}
        }
    }

    fn owner(&self) -> DataOwner {
        DataOwner::PLATFORM
    }

    /// A version of a model is one package.
    fn claims(&self, event: &FirmwareEvent) -> Vec<Claim<FirmwareRefusal>> {
        match event {
            FirmwareEvent::Published { form, .. } => {
                let (model, firmware) = (form.model.clone(), form.firmware.clone());
                let key = format!("firmware:{model}:{firmware}");
                vec![Claim::Take { key, refusal: FirmwareRefusal::Taken(model, firmware) }]
            }
            _ => vec![],
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    const NOW: Timestamp = Timestamp::from_millis(0);
    const MD5: &str = "0123456789abcdef0123456789abcdef";

    fn form() -> Form {
        Form {
            model: "WH-EC20".to_owned(),
            firmware: "1.2.0".to_owned(),
            url: "https://firmware.example/ec20-1.2.0.bin".to_owned(),
            md5: MD5.to_owned(),
            size_bytes: 524_288,
            note: String::new(),
        }
    }

    fn published() -> Firmware {
        let mut firmware = Firmware::default();
        firmware.evolve(&FirmwareEvent::Published { id: FirmwareId(7), form: form() });
        firmware
    }

    #[test]
    fn a_form_is_trimmed_and_what_no_device_could_use_is_refused() {
        let typed = Form { model: " WH-EC20 ".to_owned(), md5: MD5.to_uppercase(), ..form() };
        assert_eq!(typed.checked(), Ok(form()));
        let long = format!("https://{}", "a".repeat(URL_MAX));
        for url in ["", "ftp://a/b", "https://", "https:///a", "http://a b", "https://固件", "//a", &long] {
            assert_eq!(Form { url: url.to_owned(), ..form() }.checked(), Err(FirmwareRefusal::Url), "{url}");
        }
        assert!(Form { url: "http://10.0.0.1:8080/f?v=1".to_owned(), ..form() }.checked().is_ok());
        for md5 in ["", &MD5[1..], &MD5.replace('0', "g")] {
            assert_eq!(Form { md5: md5.to_owned(), ..form() }.checked(), Err(FirmwareRefusal::Md5));
        }
        for size_bytes in [0, -1, SIZE_MAX + 1] {
            assert_eq!(Form { size_bytes, ..form() }.checked(), Err(FirmwareRefusal::Size));
        }
        assert_eq!(Form { firmware: "一".to_owned(), ..form() }.checked(), Err(FirmwareRefusal::Version));
        assert_eq!(Form { model: String::new(), ..form() }.checked(), Err(FirmwareRefusal::Model));
        assert_eq!(Form { note: "字".repeat(NOTE_MAX + 1), ..form() }.checked(), Err(FirmwareRefusal::Note));
    }

    #[test]
    fn model_and_version_stay_and_the_same_again_changes_nothing() {
        let firmware = published();
        let publish = FirmwareCommand::Publish(FirmwareId(7), form());
        assert_eq!(firmware.decide(publish, NOW), Ok(vec![]));
        assert_eq!(firmware.decide(FirmwareCommand::Change(form()), NOW), Ok(vec![]));
        let moved = Form { url: "https://other.example/a.bin".to_owned(), ..form() };
        let events = firmware.decide(FirmwareCommand::Change(moved.clone()), NOW);
        assert_eq!(events, Ok(vec![FirmwareEvent::Changed(moved)]));
        let other = Form { firmware: "1.3.0".to_owned(), ..form() };
        assert_eq!(firmware.decide(FirmwareCommand::Change(other), NOW), Err(FirmwareRefusal::Fixed));
        assert_eq!(Firmware::default().decide(FirmwareCommand::Enable, NOW), Err(FirmwareRefusal::Unknown));
    }

    #[test]
    fn a_bike_takes_a_package_of_its_model_that_is_new_to_it_while_it_stands_charged() {
        let firmware = published();
        let old = About::new("WH-EC20".to_owned(), "1.0.3".to_owned()).unwrap();
        let bike = Bike { about: Some(&old), riding: RidingState::Idle, soc_percent: Some(30) };
        assert_eq!(firmware.for_bike(bike).map(|package| package.firmware), Ok("1.2.0".to_owned()));
        let (other, same) = (
            About { model: "WH-EC10".to_owned(), ..old.clone() },
            About { firmware: "1.2.0".to_owned(), ..old.clone() },
        );
        for (bike, refusal) in [
            (Bike { about: None, ..bike }, UpgradeRefusal::Untold),
            (
                Bike { about: Some(&other), ..bike },
                UpgradeRefusal::Model("WH-EC20".to_owned(), "WH-EC10".to_owned()),
            ),
            (Bike { about: Some(&same), ..bike }, UpgradeRefusal::Already("1.2.0".to_owned())),
            (Bike { riding: RidingState::Riding, ..bike }, UpgradeRefusal::InUse(RidingState::Riding)),
            (Bike { riding: RidingState::Paused, ..bike }, UpgradeRefusal::InUse(RidingState::Paused)),
            (Bike { soc_percent: None, ..bike }, UpgradeRefusal::ChargeUnknown),
            (Bike { soc_percent: Some(29), ..bike }, UpgradeRefusal::ChargeLow(29)),
        ] {
            assert_eq!(firmware.for_bike(bike), Err(refusal));
        }
        let mut disabled = published();
        disabled.evolve(&FirmwareEvent::Disabled);
        assert_eq!(disabled.for_bike(bike), Err(UpgradeRefusal::Disabled));
    }

    #[test]
    fn only_who_acts_for_the_platform_keeps_packages() {
        assert_eq!(may_keep(&Scope::ALL), Ok(()));
        let one = Scope::of(vocabulary::Reach::only([vocabulary::AgentId(2)]), vocabulary::Reach::All);
        assert_eq!(may_keep(&one), Err(FirmwareRefusal::PlatformOnly));
    }

    #[test]
    fn events_are_stored_in_forms_that_never_change() {
        let data = json!({"model": "WH-EC20", "firmware": "1.2.0", "url": "https://firmware.example/ec20-1.2.0.bin",
            "md5": MD5, "sizeBytes": 524_288, "note": ""});
        let mut published = data.clone();
        published["id"] = json!("7");
        for (event, stored) in [
            (
                FirmwareEvent::Published { id: FirmwareId(7), form: form() },
                json!({"type": "firmware.published", "data": published}),
            ),
            (FirmwareEvent::Changed(form()), json!({"type": "firmware.changed", "data": data})),
            (FirmwareEvent::Enabled, json!({"type": "firmware.enabled"})),
            (FirmwareEvent::Disabled, json!({"type": "firmware.disabled"})),
        ] {
            assert_eq!(serde_json::to_value(&event).unwrap(), stored);
            assert_eq!(serde_json::from_value::<FirmwareEvent>(stored).unwrap(), event);
        }
    }
}
