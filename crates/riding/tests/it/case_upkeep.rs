//! Photos go thirty days after the decision, entries of the blacklist when their time is over.

use std::sync::Arc;

use attachments::{Attachments, Origin, Photo, Store};
use bytes::Bytes;
use geofence::judge::ReturnClass;
use kernel::{
    CommandContext, Foundation, MIGRATIONS, MasterKey, Personal, PoolSizes, Pools, Position, Projectors,
    Runtime,
};
use riding::case_upkeep::{drop_photos, end_entries};
use riding::model::blacklist::{
    BlacklistCommand, BlacklistEntry, BlacklistKind, BlacklistScope, Listed, Listing,
};
use riding::model::certainty::CameraVerdict;
use riding::model::certification::{Application, Bearer, CareerKind, Certification, CertificationCommand};
use riding::model::fare::Left;
use riding::model::return_review::{Opening, ReturnReview, ReturnReviewReason, ReviewCommand, Seen, Wish};
use riding::model::review::{PHOTOS_KEPT_MS, Reviewer};
use riding::model::rider::{AccountState, RegisterChannel, Registration, Rider, RiderCommand};
use testkit::{Services, TestDatabase};
use vocabulary::{
    AgentId, AreaId, AttachmentId, BlacklistEntryId, CertificationId, Clock, DataOwner, FixedClock, Phone,
    ReturnReviewId, RideOrderId, RiderId, Scope, Snowflake, SystemClock, Timestamp,
};

const SIZES: PoolSizes = PoolSizes { owner: 2, app: 6, projector: 4, feed: 2 };
const NOW: Timestamp = Timestamp::from_millis(1_790_000_000_000);
const OWNER: DataOwner = DataOwner::of_area(AgentId(2), AreaId(20));
const RIDER: RiderId = RiderId(7);

struct System {
    runtime: Runtime,
    attachments: Attachments,
    projecting: tokio::task::JoinHandle<()>,
    _database: TestDatabase,
}

impl System {
    async fn start(services: &Services) -> Self {
        let database = services.migrated(&MIGRATIONS).await;
        let pools = Pools::connect(&database.url, SIZES).await.unwrap();
        let clock: Arc<dyn Clock> = Arc::new(FixedClock::at(NOW));
        let ids = Arc::new(Snowflake::new(SystemClock, 1));
        let runtime =
            Runtime::open(Foundation::new(pools, MasterKey::new([7; 32]), clock, ids)).await.unwrap();
        let projectors = Projectors::new(runtime.clone(), riding::projectors());
        let projecting = tokio::spawn(async move {
            let () = projectors.run().await;
        });
        let attachments = Attachments::new(runtime.clone(), Store::memory());
        Self { runtime, attachments, projecting, _database: database }
    }

    async fn number(&self, table: &str, sql: &'static str) -> i64 {
        let mut db =
            self.runtime.reads.scoped(&Scope::ALL, Some(Position(i64::MAX)), &[table]).await.unwrap();
        assert!(db.caught_up(), "the table is up to date");
        sqlx::query_scalar(sql).fetch_one(&mut *db).await.unwrap()
    }

    /// A file that lies in the store.
    async fn bring(&self, content: &'static [u8]) -> Photo {
        let origin = Origin { subject: format!("rider:{RIDER}"), uploader: "machine:1".to_owned() };
        let received = self.attachments.receive(&origin, Bytes::from_static(content)).await.unwrap();
        self.attachments.belong(&[received.id], OWNER).await.unwrap();
        Photo::from(received)
    }

    async fn is_shown(&self, id: AttachmentId) -> bool {
        let db = self.runtime.reads.scoped(&Scope::ALL, None, &[]).await.unwrap();
        self.attachments.show(db, id).await.is_ok()
    }
}

fn at(now: Timestamp) -> CommandContext {
    CommandContext::of_system("test", now)
}

fn opening(review_id: ReturnReviewId) -> Box<Opening> {
    let seen = Seen {
        ended_at: NOW.plus_millis(-60_000),
        class: ReturnClass::OutsideParking,
        place: None,
        error_m: 3.0,
        fixes: vec![],
        rider_place: None,
        fence: None,
        parking: None,
        parking_m: Some(14.0),
        missing: vec![],
        camera: CameraVerdict::Unjudged,
        certainty_percent: 96,
        parts: vec![],
        reasons: vec![],
    };
    Box::new(Opening {
        review_id,
        order_id: RideOrderId(4),
        rider_id: RIDER,
        car_id: "X0001".to_owned(),
        agent_id: AgentId(2),
        area_id: AreaId(20),
        seen,
        left: Left::Outside { parking_m: Some(14.0), difficulty_percent: 100 },
        apply_cents: 500,
    })
}

fn phone() -> Phone {
    "13800000007".parse().unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn photos_of_a_case_are_deleted_thirty_days_after_its_decision_and_not_before() {
    let services = Services::start().await;
    let system = System::start(&services).await;
    let photos = [system.bring(b"%PDF-1.7 front").await, system.bring(b"%PDF-1.7 back").await];
    let id = CertificationId(1);
    let application = Application {
        certification_id: id,
        rider_id: RIDER,
        agent_id: AgentId(2),
        area_id: AreaId(20),
        kind: CareerKind::Student,
        photos: photos.to_vec(),
        phone_key: "p7".to_owned(),
    };
    let bearer = Bearer {
        name: "张三".to_owned(),
        phone: phone(),
        organisation: "厦门大学".to_owned(),
        cert_no: "2026001".to_owned(),
    };
    let submit = CertificationCommand::Submit { application, bearer: Personal::new("rider:7", bearer) };
    let desk = &system.runtime.desk;
    desk.execute::<Certification>(&id, submit, &at(NOW)).await.unwrap();
    let late = NOW.plus_millis(10 * PHOTOS_KEPT_MS);
    drop_photos(&system.runtime, &system.attachments, late).await.unwrap();
    assert!(system.is_shown(photos[0].id).await, "what waits keeps its photos");

    let reviewer = Reviewer { name: Personal::new("operator:1", "李审".to_owned()), phone_key: None };
    let fail = CertificationCommand::Fail { reason: "模糊".to_owned(), reviewer };
    desk.execute::<Certification>(&id, fail, &at(NOW)).await.unwrap();
    let gone = "select count(*) from read.certification where photos_gone and photo_ids = '{}'";
    assert_eq!(system.number("certification", gone).await, 0);
    let due = NOW.plus_millis(PHOTOS_KEPT_MS);
    drop_photos(&system.runtime, &system.attachments, due.plus_millis(-1)).await.unwrap();
    assert!(system.is_shown(photos[0].id).await && system.is_shown(photos[1].id).await);

    for _ in 0..2 {
        drop_photos(&system.runtime, &system.attachments, due).await.unwrap();
        assert_eq!(system.number("certification", gone).await, 1);
        assert!(!system.is_shown(photos[0].id).await && !system.is_shown(photos[1].id).await);
    }
    assert_eq!(desk.load::<Certification>(&id).await.unwrap().version, 3, "it is written down once");
    system.projecting.abort();
}

#[tokio::test(flavor = "multi_thread")]
async fn photos_of_a_return_review_are_deleted_thirty_days_after_its_decision_and_not_before() {
    let services = Services::start().await;
    let system = System::start(&services).await;
    let photo = system.bring(b"%PDF-1.7 street").await;
    let id = ReturnReviewId(1);
    let wish = Wish { reason: ReturnReviewReason::Drift, photos: vec![photo.clone()], place: None };
    let desk = &system.runtime.desk;
    let ask = ReviewCommand::Ask { opening: opening(id), wish };
    desk.execute::<ReturnReview>(&id, ask, &at(NOW)).await.unwrap();
    let late = NOW.plus_millis(10 * PHOTOS_KEPT_MS);
    drop_photos(&system.runtime, &system.attachments, late).await.unwrap();
    assert!(system.is_shown(photo.id).await, "what waits keeps its photos");

    let by = Personal::new("operator:1", "李审".to_owned());
    let reject = ReviewCommand::Reject { remark: "不在站点".to_owned(), by };
    desk.execute::<ReturnReview>(&id, reject, &at(NOW)).await.unwrap();
    let kept = "select count(*) from read.return_review where not photos_gone and cardinality(photo_ids) = 1";
    assert_eq!(system.number("return_review", kept).await, 1);
    let due = NOW.plus_millis(PHOTOS_KEPT_MS);
    drop_photos(&system.runtime, &system.attachments, due.plus_millis(-1)).await.unwrap();
    assert!(system.is_shown(photo.id).await);

    let gone = "select count(*) from read.return_review where photos_gone and photo_ids = '{}' and state = 2";
    for _ in 0..2 {
        drop_photos(&system.runtime, &system.attachments, due).await.unwrap();
        assert_eq!(system.number("return_review", gone).await, 1);
        assert!(!system.is_shown(photo.id).await);
    }
    assert_eq!(desk.load::<ReturnReview>(&id).await.unwrap().version, 3, "it is written down once");
    system.projecting.abort();
}

#[tokio::test(flavor = "multi_thread")]
async fn an_entry_ends_by_itself_and_its_rider_is_free_again() {
    let services = Services::start().await;
    let system = System::start(&services).await;
    let desk = &system.runtime.desk;
    let registration = Registration {
        rider_id: RIDER,
        agent_id: AgentId(2),
        area_id: AreaId(20),
        channel: RegisterChannel::App,
        phone: Personal::new("rider:7", phone()),
        phone_key: "p7".to_owned(),
    };
    desk.execute::<Rider>(&RIDER, RiderCommand::Register(registration), &at(NOW)).await.unwrap();
    let (entry_id, until) = (BlacklistEntryId(1), NOW.plus_millis(60_000));
    let listing = Listing {
        entry_id,
        rider_id: RIDER,
        others: vec![],
        agent_id: AgentId(2),
        area_id: AreaId(20),
        scope: BlacklistScope::Agent,
        kind: BlacklistKind::Manual,
        reason: "多次乱停".to_owned(),
        until: Some(until),
    };
    let listed = Personal::new("rider:7", Listed { name: String::new(), phone: phone() });
    let add = BlacklistCommand::Add { listing, listed, by: Personal::new("operator:1", "李审".to_owned()) };
    desk.execute::<BlacklistEntry>(&entry_id, add, &at(NOW)).await.unwrap();
    let hold = RiderCommand::Blacklist { entry: entry_id, until: Some(until) };
    desk.execute::<Rider>(&RIDER, hold, &at(NOW)).await.unwrap();
    let over = "select count(*) from read.blacklist_entry where state = 2";

    assert_eq!(system.number("blacklist_entry", over).await, 0);
    end_entries(&system.runtime, until.plus_millis(-1)).await.unwrap();
    assert_eq!(system.number("blacklist_entry", over).await, 0);
    let rider = desk.load::<Rider>(&RIDER).await.unwrap();
    assert_eq!((rider.state.account_state(NOW), rider.version), (AccountState::Blacklisted, 2));

    for _ in 0..2 {
        end_entries(&system.runtime, until).await.unwrap();
        assert_eq!(system.number("blacklist_entry", over).await, 1);
    }
    let rider = desk.load::<Rider>(&RIDER).await.unwrap();
    assert_eq!(
        (rider.state.account_state(NOW), rider.version),
        (AccountState::Normal, 3),
        "he was let off once"
    );
    system.projecting.abort();
}
