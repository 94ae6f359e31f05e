//! Table `park_application`.

use attachments::{Attached, HoldsPhotos};
use kernel::{After, Fold, List, Personal, Recorded, row};
use serde::{Deserialize, Serialize};
use sqlx::PgExecutor;
use sqlx::types::Json;
use utoipa::ToSchema;
use vocabulary::{
    AgentId, AreaId, AttachmentId, DataOwner, FenceId, ParkApplicationId, Scope, Timestamp, Wgs84, distance_m,
};

use crate::model::park_application::{
    Applicant, ParkApplication, ParkApplicationEvent, ParkApplicationState, SAME_WITHIN_M, VOTES_FOR_MS,
};

/// Applications near a place that are looked at.
const NEAR_MAX: i64 = 50;
/// A degree of latitude is at least so long, metres.
const DEGREE_MIN_M: f64 = 110_000.0;

/// Who voted.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct Voter {
    /// The rider's id.
    pub user_pin: String,
    /// 手机号, masked; empty once he was forgotten.
    pub phone: String,
    /// 申请说明.
    pub remark: String,
    /// Epoch milliseconds.
    pub voted_at: i64,
}

/// A photo with what it says of where and when it was taken: evidence, which anybody can write into a file.
#[derive(Clone, Debug, PartialEq, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub struct PhotoShown {
    /// What is known of the file.
    #[serde(flatten)]
    pub attached: Attached,
    /// From where it says it was taken to the place that is asked for, metres.
    pub distance_m: Option<f64>,
}

row! {
    /// A station application as lists and its drawer show it; phones are masked.
    #[derive(Clone, Debug, Default, Serialize, ToSchema, sqlx::FromRow)]
    #[serde(rename_all = "camelCase")]
    pub struct ParkApplicationRow {
        /// Its id, as text.
        pub id: ParkApplicationId = "application_id",
        /// The service area the place lies in.
        pub op_area_id: AreaId = "area_id",
        /// That area's name.
        pub area_name: Option<String> as default,
        /// Who runs it.
        pub agent_id: AgentId,
        /// Where it stands.
        pub state: ParkApplicationState,
        /// 申请位置.
        pub location: String,
        /// Degrees north, WGS-84.
        pub lat: f64,
        /// Degrees east, WGS-84.
        pub lng: f64,
        /// The rider's id.
        pub user_pin: String,
        #[serde(skip)]
        pub phone: String,
        /// 申请人手机号, masked; empty once he was forgotten.
        pub applicant_phone: String,
        /// 申请说明.
        pub remark: String,
        #[serde(skip)]
        pub photo_ids: Vec<AttachmentId>,
        /// 现场照片, at most 3; gone once the applicant was forgotten.
        pub photos: Vec<PhotoShown> as skip,
        /// 附议数, the applicant's own included.
        pub votes: i32,
        #[serde(skip)]
        pub voters: Json<Vec<Voter>>,
        /// 处理人.
        pub reviewer: String,
        /// 处理意见.
        pub review_remark: String,
        /// 处理时间, epoch milliseconds.
        pub deal_at: Option<i64> = "deal_at_ms",
        /// The parking place that was built.
        pub parking_id: Option<FenceId>,
        /// Its name.
        pub parking_name: Option<String> as default,
        /// Epoch milliseconds.
        pub created_at: i64 = "created_at_ms",
        /// Epoch milliseconds.
        pub updated_at: i64 = "updated_at_ms",
        /// To be sent with a change.
        pub version: i64,
    }
}

impl ParkApplicationRow {
    fn decided(&mut self, state: ParkApplicationState, by: &Personal<String>, at_ms: i64) {
        self.state = state;
        self.reviewer = by.known().cloned().unwrap_or_default();
        self.deal_at = Some(at_ms);
    }

    /// The place that is asked for.
    pub fn place(&self) -> Option<Wgs84> {
        Wgs84::new(self.lat, self.lng).ok()
    }
}

/// The rider's id of a subject of the log.
fn pin(subject: &str) -> String {
    subject.strip_prefix("rider:").unwrap_or(subject).to_owned()
}

fn voter(applicant: &Personal<Applicant>, at: Timestamp) -> Voter {
    let (phone, remark) =
        applicant.known().map(|known| (known.phone.masked(), known.remark.clone())).unwrap_or_default();
    Voter { user_pin: pin(applicant.subject()), phone, remark, voted_at: at.millis() }
}

impl HoldsPhotos for ParkApplicationRow {
    fn photo_ids(&self) -> &[AttachmentId] {
        &self.photo_ids
    }

    fn show_photos(&mut self, found: &[Attached]) {
        let place = self.place();
        let shown = |attached: &Attached| {
            let taken = attached.lat.zip(attached.lng).and_then(|(lat, lng)| Wgs84::new(lat, lng).ok());
            let distance_m = place.zip(taken).map(|(place, taken)| distance_m(place, taken));
            PhotoShown { attached: attached.clone(), distance_m }
        };
        let of_it = |attached: &&Attached| self.photo_ids.contains(&attached.id);
        self.photos = found.iter().filter(of_it).map(shown).collect();
    }
}

impl Fold for ParkApplicationRow {
    type Of = ParkApplication;
    const TABLE: &'static str = "park_application";
    const KEY: &'static str = "application_id";

    fn fold(row: Option<Self>, event: ParkApplicationEvent, recorded: &Recorded) -> After<Self> {
        let at_ms = recorded.recorded_at.millis();
        let mut row = recorded.begin(row)?;
        match event {
            ParkApplicationEvent::Submitted { wish, applicant, .. } => {
                row.id = wish.application_id;
                row.op_area_id = wish.area_id;
                row.agent_id = wish.agent_id;
                row.location = wish.location;
                (row.lat, row.lng) = (wish.place.lat(), wish.place.lng());
                row.photo_ids = wish.photos.iter().map(|photo| photo.id).collect();
                row.phone = applicant.known().map_or_else(String::new, |known| known.phone.to_string());
                let first = voter(&applicant, recorded.recorded_at);
                row.user_pin.clone_from(&first.user_pin);
                row.applicant_phone.clone_from(&first.phone);
                row.remark.clone_from(&first.remark);
                row.voters = Json(vec![first]);
                row.created_at = at_ms;
            }
            ParkApplicationEvent::Voted { applicant } => {
                row.voters.push(voter(&applicant, recorded.recorded_at));
            }
            ParkApplicationEvent::Accepted { remark, by } => {
                row.decided(ParkApplicationState::Accepted, &by, at_ms);
                row.review_remark = remark;
            }
            ParkApplicationEvent::Rejected { remark, by } => {
                row.decided(ParkApplicationState::Rejected, &by, at_ms);
                row.review_remark = remark;
            }
            ParkApplicationEvent::Built { parking, by } => {
                row.decided(ParkApplicationState::Built, &by, at_ms);
                row.parking_id = Some(parking);
            }
            ParkApplicationEvent::Unbuilt { .. } => {
                row.state = ParkApplicationState::Accepted;
                row.parking_id = None;
            }
        }
        row.votes = row.voters.len() as i32;
        row.updated_at = at_ms;
        row.version = recorded.version;
        Ok(Some(row))
    }

    fn owner(&self) -> DataOwner {
        DataOwner::of_area(self.agent_id, self.op_area_id)
    }
}

/// Applications in scope, newest first. Who voted is asked for alone.
pub fn list(scope: &Scope) -> List {
    List::new(
        "p.application_id, p.area_id, a.name as area_name, p.agent_id, p.state, p.location, p.lat, p.lng, p.user_pin, p.phone,
         p.applicant_phone, p.remark, p.photo_ids, p.votes, '[]'::jsonb as voters, p.reviewer, p.review_remark,
         p.deal_at_ms, p.parking_id, f.name as parking_name, p.created_at_ms, p.updated_at_ms, p.version",
        "read.park_application p left join read.area a on a.area_id = p.area_id
         left join read.fence f on f.fence_id = p.parking_id",
        "p.created_at_ms desc, p.application_id desc",
    )
    .of_agents("p.agent_id", scope)
    .of_areas("p.area_id", scope)
}

/// Who voted for an application in scope, the applicant first; nothing when it is not in scope.
pub async fn voters(
    db: impl PgExecutor<'_>,
    application: ParkApplicationId,
) -> sqlx::Result<Option<Vec<Voter>>> {
    let voters = sqlx::query_scalar("select voters from read.park_application where application_id = $1")
        .bind(application)
        .fetch_optional(db)
        .await?;
    Ok(voters.map(|Json(voters)| voters))
}

/// The application that a parking place was built for.
pub async fn built_as(db: impl PgExecutor<'_>, parking: FenceId) -> sqlx::Result<Option<ParkApplicationId>> {
    sqlx::query_scalar("select application_id from read.park_application where parking_id = $1 limit 1")
        .bind(parking)
        .fetch_optional(db)
        .await
}

/// Whether an application in scope has the photo.
pub async fn has_photo(
    db: impl PgExecutor<'_>,
    application: ParkApplicationId,
    photo: AttachmentId,
) -> sqlx::Result<bool> {
    sqlx::query_scalar(
        "select exists (select from read.park_application where application_id = $1 and $2 = any(photo_ids))",
    )
    .bind(application)
    .bind(photo)
    .fetch_one(db)
    .await
}

/// Applications in scope that gather votes at `now` and are for about the same place, the nearest first.
pub async fn near(
    db: impl PgExecutor<'_>,
    place: Wgs84,
    now: Timestamp,
) -> sqlx::Result<Vec<ParkApplicationId>> {
    // A box about the place; whether it is near enough is the model's to say.
    let north = SAME_WITHIN_M / DEGREE_MIN_M;
    let east = north / place.lat().to_radians().cos().max(0.01);
    let found: Vec<(ParkApplicationId, f64, f64)> = sqlx::query_as(
        "select application_id, lat, lng from read.park_application
         where state in (0, 1) and lat between $1 - $3 and $1 + $3 and lng between $2 - $4 and $2 + $4
             and created_at_ms >= $5
         order by created_at_ms limit $6",
    )
    .bind(place.lat())
    .bind(place.lng())
    .bind(north)
    .bind(east)
    .bind(now.millis() - VOTES_FOR_MS)
    .bind(NEAR_MAX)
    .fetch_all(db)
    .await?;
    let mut near: Vec<(f64, ParkApplicationId)> = found
        .into_iter()
        .filter_map(|(id, lat, lng)| Some((distance_m(place, Wgs84::new(lat, lng).ok()?), id)))
        .filter(|(away_m, _)| *away_m <= SAME_WITHIN_M)
        .collect();
    near.sort_by(|(a, _), (b, _)| a.total_cmp(b));
    Ok(near.into_iter().map(|(_, id)| id).collect())
}
