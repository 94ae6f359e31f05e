//! Who stands how is asked on every request: the answer is right also while its tables are rebuilt.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use access::AccessDirectory;
use kernel::Projectors;
use vocabulary::{OperatorId, Scope};
use wire::Directory;

use crate::runtime::{ADMIN, TestRuntime};

#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn nobody_is_unknown_while_operators_and_roles_are_rebuilt() {
    let test = TestRuntime::new().await;
    let runtime = &test.runtime;
    let head = runtime.reader.head().await.unwrap();
    let mut db = runtime.reads.scoped(&Scope::ALL, Some(head), &["operator", "role"]).await.unwrap();
    let id: i64 = sqlx::query_scalar("select operator_id from read.operator where phone = $1")
        .bind(ADMIN)
        .fetch_one(&mut *db)
        .await
        .unwrap();
    drop(db);
    let expected = AccessDirectory::new(runtime.clone()).standing(OperatorId(id)).await.unwrap().unwrap();
    let stop = Arc::new(AtomicBool::new(false));
    let askers: Vec<_> = (0..4)
        .map(|_| {
            let (directory, stop) = (AccessDirectory::new(runtime.clone()), stop.clone());
            let codes = expected.codes.clone();
            tokio::spawn(async move {
                let (mut asked, mut wrong) = (0, 0);
                while !stop.load(Ordering::Relaxed) {
                    directory.forget();
                    let standing = directory.standing(OperatorId(id)).await.unwrap();
                    asked += 1;
                    wrong += i32::from(standing.is_none_or(|one| !one.enabled || one.codes != codes));
                }
                (asked, wrong)
            })
        })
        .collect();
    let projectors = Projectors::new(runtime.clone(), access::projectors());
    for _ in 0..15 {
        for name in ["operator", "role"] {
            projectors.rebuild(name).await.unwrap();
        }
    }
    stop.store(true, Ordering::Relaxed);
    for asker in askers {
        let (asked, wrong) = asker.await.unwrap();
        assert!(asked > 20, "{asked}");
        assert_eq!(wrong, 0, "of {asked} answers");
    }
}
