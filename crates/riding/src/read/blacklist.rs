//! Table `blacklist_entry`.

use attachments::{Attached, HoldsPhotos, in_order};
use kernel::{After, Fold, List, Personal, Recorded, row};
use serde::Serialize;
use sqlx::PgExecutor;
use utoipa::ToSchema;
use vocabulary::{
    AgentId, AreaId, AttachmentId, BlacklistEntryId, DataOwner, Phone, RiderId, Scope, Timestamp,
};

use super::riders::masked_name;
use crate::model::blacklist::{
    BlacklistEntry, BlacklistEvent, BlacklistKind, BlacklistScope, BlacklistState, Listing,
};

row! {
    /// An entry of the blacklist as lists and its drawer show it; name and phone are masked.
    #[derive(Clone, Debug, Default, Serialize, ToSchema, sqlx::FromRow)]
    #[serde(rename_all = "camelCase")]
    pub struct BlacklistRow {
        /// Its id, as text.
        pub id: BlacklistEntryId = "entry_id",
        /// The rider's id, as text.
        pub user_id: RiderId = "rider_id",
        /// Whose it is; none: the platform's.
        pub agent_id: Option<AgentId>,
        /// In which area it lies; none: in none.
        pub op_area_id: Option<AreaId> = "area_id",
        /// Whose rider he is.
        pub rider_agent_id: AgentId,
        /// Where he registered.
        pub rider_area_id: AreaId,
        /// That area's name.
        pub area_name: Option<String> as default,
        /// 账户数: of the person, that it holds against.
        pub accounts: i64,
        /// 范围.
        pub scope: BlacklistScope,
        /// 来源.
        pub kind: BlacklistKind,
        /// 状态, at the moment of asking.
        pub state: BlacklistState,
        #[serde(skip)]
        pub phone: String,
        /// 手机号, masked; empty once he was forgotten.
        pub phone_masked: String,
        #[serde(skip)]
        pub name: String,
        /// 姓名, masked; empty where it was not proved.
        pub name_masked: String,
        /// 拉黑原因.
        pub reason: String,
        /// 添加人.
        pub added_by: String,
        /// 解除人.
        pub lifted_by: String,
        /// 解除原因.
        pub lift_reason: String,
        #[serde(skip)]
        pub photo_ids: Vec<AttachmentId>,
        /// 证据.
        pub photos: Vec<Attached> as skip,
        /// 到期时间, epoch milliseconds; none: for good.
        pub until: Option<i64> = "until_at_ms",
        /// 解除或到期时间, epoch milliseconds.
        pub closed_at: Option<i64> = "closed_at_ms",
        /// 添加时间, epoch milliseconds.
        pub created_at: i64 = "created_at_ms",
        /// Epoch milliseconds.
        pub updated_at: i64 = "updated_at_ms",
        /// To be sent with a change.
        pub version: i64,
    }
}

fn named(by: &Personal<String>) -> String {
    by.known().cloned().unwrap_or_default()
}

impl BlacklistRow {
    /// Its state at `now`: what is over by time may not be written down yet.
    pub fn stand_at(&mut self, now: Timestamp) {
        if self.state == BlacklistState::Holding && self.until.is_some_and(|until| until <= now.millis()) {
            self.state = BlacklistState::Over;
        }
    }

    fn begin(&mut self, listing: &Listing) {
        let owner = listing.owner();
        self.id = listing.entry_id;
        self.user_id = listing.rider_id;
        (self.agent_id, self.op_area_id) = (owner.agent, owner.area);
        (self.rider_agent_id, self.rider_area_id) = (listing.agent_id, listing.area_id);
        self.accounts = listing.riders().count() as i64;
        (self.scope, self.kind) = (listing.scope, listing.kind);
        self.reason.clone_from(&listing.reason);
        self.until = listing.until.map(Timestamp::millis);
    }
}

impl HoldsPhotos for BlacklistRow {
    fn photo_ids(&self) -> &[AttachmentId] {
        &self.photo_ids
    }

    fn show_photos(&mut self, found: &[Attached]) {
        self.photos = in_order(&self.photo_ids, found);
    }
}

impl Fold for BlacklistRow {
    type Of = BlacklistEntry;
    const TABLE: &'static str = "blacklist_entry";
    const KEY: &'static str = "entry_id";

    fn fold(row: Option<Self>, event: BlacklistEvent, recorded: &Recorded) -> After<Self> {
        let mut row = recorded.begin(row)?;
        match event {
            BlacklistEvent::Added { listing, listed, by, at } => {
                row.begin(&listing);
                if let Some(listed) = listed.known() {
                    row.phone = listed.phone.to_string();
                    row.phone_masked = Phone::masked(&listed.phone);
                    row.name.clone_from(&listed.name);
                    row.name_masked = masked_name(&listed.name);
                }
                row.added_by = named(&by);
                row.created_at = at.millis();
            }
            BlacklistEvent::Lifted { reason, by, at } => {
                row.state = BlacklistState::Lifted;
                row.lift_reason = reason;
                row.lifted_by = named(&by);
                row.closed_at = Some(at.millis());
            }
            BlacklistEvent::Expired { .. } => {
                row.state = BlacklistState::Over;
                row.closed_at = row.until;
            }
            BlacklistEvent::EvidenceShown { photo } => row.photo_ids.push(photo.id),
            BlacklistEvent::EvidenceHidden { photo } => row.photo_ids.retain(|one| *one != photo),
        }
        row.updated_at = recorded.recorded_at.millis();
        row.version = recorded.version;
        Ok(Some(row))
    }

    fn owner(&self) -> DataOwner {
        DataOwner { agent: self.agent_id, area: self.op_area_id }
    }
}

/// Entries in scope, newest first.
pub fn list(scope: &Scope) -> List {
    // Entries of an agent as a whole lie in no area: the areas are the policy's to compare.
    List::new(
        "b.entry_id, b.rider_id, b.agent_id, b.area_id, b.rider_agent_id, b.rider_area_id, a.name as area_name, b.accounts,
         b.scope, b.kind, b.state, b.phone, b.phone_masked, b.name, b.name_masked, b.reason, b.added_by, b.lifted_by,
         b.lift_reason, b.photo_ids, b.until_at_ms, b.closed_at_ms, b.created_at_ms, b.updated_at_ms, b.version",
        "read.blacklist_entry b left join read.area a on a.area_id = b.rider_area_id",
        "b.created_at_ms desc, b.entry_id desc",
    )
    .found_in("read.blacklist_entry b", "b.entry_id")
    .of_agents("b.agent_id", scope)
}

/// Those that stand so at the moment of asking: what is over by time may not be written down yet.
pub fn standing(list: List, state: Option<BlacklistState>) -> List {
    let condition = match state {
        None => return list,
        Some(BlacklistState::Lifted) => "b.state = 0",
        Some(BlacklistState::Holding) => {
            "b.state = 1 and (b.until_at_ms is null or b.until_at_ms > (extract(epoch from now()) * 1000)::bigint)"
        }
        Some(BlacklistState::Over) => {
            "(b.state = 2 or b.state = 1 and b.until_at_ms <= (extract(epoch from now()) * 1000)::bigint)"
        }
    };
    list.matching(&[condition], vec![])
}

/// Whether an entry in scope has the photo.
pub async fn has_photo(
    db: impl PgExecutor<'_>,
    of: BlacklistEntryId,
    photo: AttachmentId,
) -> sqlx::Result<bool> {
    sqlx::query_scalar(
        "select exists (select from read.blacklist_entry where entry_id = $1 and $2 = any(photo_ids))",
    )
    .bind(of)
    .bind(photo)
    .fetch_one(db)
    .await
}

/// The entry in scope that holds against a rider.
pub async fn holding(db: impl PgExecutor<'_>, rider: RiderId) -> sqlx::Result<Option<BlacklistEntryId>> {
    sqlx::query_scalar("select entry_id from read.blacklist_entry where rider_id = $1 and state = 1 limit 1")
        .bind(rider)
        .fetch_optional(db)
        .await
}

/// Entries whose time is over at `now`, at most `most`.
pub async fn over(db: impl PgExecutor<'_>, now: Timestamp, most: i64) -> sqlx::Result<Vec<BlacklistEntryId>> {
    sqlx::query_scalar(
        "select entry_id from read.blacklist_entry where state = 1 and until_at_ms <= $1 order by until_at_ms limit $2",
    )
    .bind(now.millis())
    .bind(most)
    .fetch_all(db)
    .await
}

/// The other accounts of who has this phone, at whatever agent: at most `most`.
pub async fn accounts_with(
    db: impl PgExecutor<'_>,
    rider: RiderId,
    phone: &Phone,
    most: i64,
) -> sqlx::Result<Vec<RiderId>> {
    sqlx::query_scalar(
        "select rider_id from read.rider where phone = $1 and phone <> '' and rider_id <> $2 and not is_closed
         order by rider_id limit $3",
    )
    .bind(phone.as_str())
    .bind(rider)
    .bind(most)
    .fetch_all(db)
    .await
}
