//! Table `firmware`: packages that devices may be upgraded to.

use kernel::{After, Fold, List, Recorded, row};
use serde::Serialize;
use sqlx::PgExecutor;
use utoipa::ToSchema;
use vocabulary::{DataOwner, FirmwareId};

use crate::model::firmware::{Firmware, FirmwareEvent, FirmwareState};

row! {
    /// A package of firmware. Times are epoch milliseconds.
    #[derive(Clone, Debug, Default, Serialize, ToSchema, sqlx::FromRow)]
    #[serde(rename_all = "camelCase")]
    pub struct FirmwareRow {
        /// Its id, as text.
        pub id: FirmwareId = "firmware_id",
        /// 型号: of the devices that it is for.
        pub model: String,
        /// 固件版本.
        pub firmware: String,
        /// 下载地址.
        pub url: String,
        /// MD5, 32 hexadecimal digits.
        pub md5: String,
        /// 大小, bytes.
        pub size_bytes: i64,
        /// 说明.
        pub note: String,
        /// 状态.
        pub state: FirmwareState,
        /// 新增时间.
        pub created_at: i64 = "created_at_ms",
        /// 更新时间.
        pub updated_at: i64 = "updated_at_ms",
        /// To be sent with a change.
        pub version: i64,
        #[serde(skip)]
        position: i64,
    }
}

impl Fold for FirmwareRow {
    type Of = Firmware;
    const TABLE: &'static str = "firmware";
    const KEY: &'static str = "firmware_id";

    fn fold(row: Option<Self>, event: FirmwareEvent, recorded: &Recorded) -> After<Self> {
        let at = recorded.recorded_at.millis();
        let mut row = match (&event, row) {
            (FirmwareEvent::Published { id, .. }, _) => Self { id: *id, created_at: at, ..Self::default() },
            (_, row) => recorded.begin(row)?,
        };
        match event {
            FirmwareEvent::Published { form, .. } | FirmwareEvent::Changed(form) => {
                (row.model, row.firmware, row.url) = (form.model, form.firmware, form.url);
                (row.md5, row.size_bytes, row.note) = (form.md5, form.size_bytes, form.note);
            }
            FirmwareEvent::Enabled => row.state = FirmwareState::Enabled,
            FirmwareEvent::Disabled => row.state = FirmwareState::Disabled,
        }
        (row.updated_at, row.version, row.position) = (at, recorded.version, recorded.position.0);
        Ok(Some(row))
    }

    fn owner(&self) -> DataOwner {
        DataOwner::PLATFORM
    }
}

/// All packages, newest first.
pub fn list() -> List {
    List::new("f.*", "read.firmware f", "f.created_at_ms desc, f.firmware_id desc")
}

/// Those that may be chosen, of this model where one is named, newest first; at most so many.
pub async fn enabled(
    db: impl PgExecutor<'_>,
    model: Option<&str>,
    most: i64,
) -> sqlx::Result<Vec<FirmwareRow>> {
    sqlx::query_as(
        "select * from read.firmware where state = 1 and ($1::text is null or model = $1)
         order by created_at_ms desc, firmware_id desc limit $2",
    )
    .bind(model)
    .bind(most)
    .fetch_all(db)
    .await
}

/// The package of this model and firmware.
pub async fn of_firmware(
    db: impl PgExecutor<'_>,
    model: &str,
    firmware: &str,
) -> sqlx::Result<Option<FirmwareRow>> {
    sqlx::query_as("select * from read.firmware where model = $1 and firmware = $2")
        .bind(model)
        .bind(firmware)
        .fetch_optional(db)
        .await
}
