//! The lists of riding over ten million orders: by the product's own queries, as people of different reach, with every filter
//! by itself and any three of a list together.

mod fill;
mod filters;
mod writes;

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};
use bench::{Report, Row};
use kernel::{List, Runtime};
use serde_json::{Map, Value};
use sqlx::{AssertSqlSafe, FromRow, PgConnection, Row as _, postgres::PgRow};
use vocabulary::{AgentId, AreaId, COUNT_CAP, Page, Reach, Scope};
use wire::Listing;

pub use fill::fill;
pub use writes::writes;

use self::fill::{AGENTS, AREAS};
use self::filters::{Filter, FilterValue, Somebody};
use crate::{GOAL_P99_MS, SIZE, ms, percentile, plans};

/// The plain way is given up after this, and counts as having taken so long.
const PLAIN_MS: u64 = 2_000;
/// Of filters alone, and of combined ones, each caller asks the plain way for so many.
const PLAIN: usize = 12;

/// A list of riding.
#[derive(Clone, Copy, Debug)]
pub enum Ridden {
    Orders,
    Riders,
    Reviews,
    Certifications,
    Blacklist,
    Anomalies,
    Entries,
    Misses,
    Cards,
}

/// One page that is asked for.
#[derive(Clone, Debug)]
struct Question {
    /// The filters' names.
    names: String,
    parameters: Map<String, Value>,
    conditions: Vec<String>,
    sort: Option<&'static str>,
    page: u32,
}

/// How long something took.
#[derive(Clone, Debug)]
struct Taken {
    ms: f64,
    caller: &'static str,
    question: Question,
}

fn listed<L: Listing>(parameters: &Map<String, Value>, scope: &Scope) -> Result<List> {
    let query: L = serde_json::from_value(Value::Object(parameters.clone()))?;
    query.list(scope).map_err(|refused| anyhow::anyhow!("{parameters:?}: {refused:?}"))
}

async fn rows<R>(list: &List, db: &mut PgConnection, page: Page) -> Result<usize>
where
    R: for<'r> FromRow<'r, PgRow> + Send + Unpin,
{
    Ok(list.page::<R>(db, page).await?.rows.len())
}

impl Ridden {
    pub const ALL: [Self; 9] = [
        Self::Orders,
        Self::Riders,
        Self::Reviews,
        Self::Certifications,
        Self::Blacklist,
        Self::Anomalies,
        Self::Entries,
        Self::Misses,
        Self::Cards,
    ];

    const fn name(self) -> &'static str {
        match self {
            Self::Orders => "rides",
            Self::Riders => "riders",
            Self::Reviews => "reviews",
            Self::Certifications => "careers",
            Self::Blacklist => "blacklist",
            Self::Anomalies => "strange",
            Self::Entries => "entries",
            Self::Misses => "misses",
            Self::Cards => "cards",
        }
    }

    /// What the plain way reads, and its newest first.
    const fn plain(self) -> (&'static str, &'static str) {
        match self {
            Self::Orders => (
                "read.ride_order o left join read.area a on a.area_id = o.area_id
                 left join read.rider r on r.rider_id = o.rider_id",
                "o.opened_at_ms desc, o.order_id desc",
            ),
            Self::Riders => (
                "read.rider r left join read.area a on a.area_id = r.area_id
                 left join read.rider_riding o on o.rider_id = r.rider_id
                 left join read.ledger_book b on b.book = '1-' || r.rider_id",
                "r.created_at_ms desc, r.rider_id desc",
            ),
            Self::Reviews => (
                "read.return_review v left join read.area a on a.area_id = v.area_id
                 left join read.rider r on r.rider_id = v.rider_id",
                "v.opened_at_ms desc, v.review_id desc",
            ),
            Self::Certifications => (
                "read.certification c left join read.area a on a.area_id = c.area_id",
                "c.created_at_ms desc, c.certification_id desc",
            ),
            Self::Blacklist => (
                "read.blacklist_entry b left join read.area a on a.area_id = b.rider_area_id",
                "b.created_at_ms desc, b.entry_id desc",
            ),
            Self::Anomalies => (
                "read.order_reconciliation n join read.ride_order o on o.order_id = n.order_id
                 left join read.area a on a.area_id = n.area_id left join read.rider r on r.rider_id = o.rider_id",
                "n.closed_at_ms desc, n.order_id desc",
            ),
            Self::Entries => (
                "read.revenue_entry e left join read.area a on a.area_id = e.area_id",
                "e.day desc, e.position desc",
            ),
            Self::Misses => (
                "report.miss m left join read.area a on a.area_id = m.area_id
                 left join read.rider r on r.rider_id = m.rider_id
                 left join read.fence f on f.fence_id = m.parking_id",
                "m.at_ms desc, m.miss_id desc",
            ),
            Self::Cards => (
                "read.card_holding h left join read.rider r on r.rider_id = h.rider_id",
                "h.bought_at_ms desc, h.holding_id desc",
            ),
        }
    }

    /// The sorts that it offers, as queries name them and as plain SQL.
    const fn sorts(self) -> &'static [(&'static str, &'static str)] {
        match self {
            Self::Orders => &[
                ("openedAt", "o.opened_at_ms, o.order_id"),
                ("payCents", "o.pay_cents, o.order_id"),
                ("-payCents", "o.pay_cents desc, o.order_id desc"),
            ],
            _ => &[],
        }
    }

    fn filters(self, who: &Somebody) -> Vec<Filter> {
        match self {
            Self::Orders => filters::orders(who),
            Self::Riders => filters::riders(who),
            Self::Reviews => filters::reviews(who),
            Self::Certifications => filters::certifications(who),
            Self::Blacklist => filters::blacklist(who),
            Self::Anomalies => filters::anomalies(who),
            Self::Entries => filters::entries(),
            Self::Misses => filters::misses(who),
            Self::Cards => filters::cards(who),
        }
    }

    async fn ours(self, db: &mut PgConnection, scope: &Scope, question: &Question) -> Result<usize> {
        use riding::http;
        let mut parameters = question.parameters.clone();
        if let Some(sort) = question.sort {
            parameters.insert("sort".to_owned(), sort.into());
        }
        let page = Page::new(Some(question.page), Some(SIZE));
        macro_rules! of {
            ($list:ident) => {{
                let list = listed::<http::$list::ListQuery>(&parameters, scope)?;
                rows::<<http::$list::ListQuery as Listing>::Row>(&list, db, page).await
            }};
        }
        match self {
            Self::Orders => of!(orders),
            Self::Riders => of!(riders),
            Self::Reviews => of!(return_reviews),
            Self::Certifications => of!(certifications),
            Self::Blacklist => of!(blacklist),
            Self::Anomalies => of!(anomalies),
            Self::Entries => of!(revenue_entries),
            Self::Misses => of!(misses),
            Self::Cards => of!(card_holdings),
        }
    }

    /// The same page the plain way: the policy alone, `offset`, and `count(*)` over everything. Nothing when it is given up.
    async fn plainly(self, db: &mut PgConnection, question: &Question) -> Result<Option<usize>> {
        let (tables, newest) = self.plain();
        let sorted = question.sort.and_then(|asked| self.sorts().iter().find(|(name, _)| *name == asked));
        let order = sorted.map_or(newest, |(_, order)| order);
        let wanted = if question.conditions.is_empty() {
            "true".to_owned()
        } else {
            question.conditions.join(" and ")
        };
        let offset = (question.page - 1) * SIZE;
        let page =
            format!("select * from {tables} where {wanted} order by {order} limit {SIZE} offset {offset}");
        let count = format!("select count(*) from {tables} where {wanted}");
        sqlx::raw_sql(AssertSqlSafe(format!("set local statement_timeout = {PLAIN_MS}")))
            .execute(&mut *db)
            .await?;
        let found = async {
            let rows = sqlx::query(AssertSqlSafe(page)).fetch_all(&mut *db).await?.len();
            let counted = sqlx::query(AssertSqlSafe(count)).fetch_one(&mut *db).await?;
            counted.try_get::<i64, _>(0).map(|_| rows)
        };
        match found.await {
            Ok(rows) => Ok(Some(rows)),
            Err(sqlx::Error::Database(error)) if error.code().as_deref() == Some("57014") => Ok(None),
            Err(error) => Err(error.into()),
        }
    }
}

/// Who asks: who sees all, agents of much and of little, an agent's group of five, and somebody of three areas.
fn callers() -> Vec<(&'static str, Scope)> {
    let agents =
        |ids: &[i64]| Scope::of(Reach::only(ids.iter().copied().map(AgentId)), Reach::All);
    vec![
        ("all", Scope::ALL),
        ("large", agents(&[AGENTS[0]])),
        ("small", agents(&[AGENTS[2]])),
        ("five", agents(&[AGENTS[0], AGENTS[1], 40, 80, AGENTS[2]])),
        ("areas", Scope::of(Reach::All, Reach::only(AREAS.map(AreaId)))),
    ]
}

fn question(chosen: &[(&'static str, &FilterValue)], sort: Option<&'static str>, page: u32) -> Question {
    let names: Vec<&str> = chosen.iter().map(|(name, _)| *name).collect();
    let parameters = chosen.iter().filter_map(|(_, asked)| asked.parameters.as_object());
    Question {
        names: if names.is_empty() { "none".to_owned() } else { names.join("+") },
        parameters: parameters.flatten().map(|(name, value)| (name.clone(), value.clone())).collect(),
        conditions: chosen.iter().map(|(_, asked)| asked.condition.clone()).collect(),
        sort,
        page,
    }
}

/// Pages that are asked for: the first, one in the middle, the last that has a number.
fn pages() -> [u32; 3] {
    [1, 50, u32::try_from(COUNT_CAP).unwrap_or(u32::MAX) / SIZE]
}

/// Each value of each filter by itself, with each sort and page.
fn alone(list: Ridden, all: &[Filter]) -> Vec<Question> {
    let sorts = || std::iter::once(None).chain(list.sorts().iter().map(|(name, _)| Some(*name)));
    let of = |chosen: &[(&'static str, &FilterValue)]| -> Vec<Question> {
        sorts().flat_map(|sort| pages().map(|page| question(chosen, sort, page))).collect()
    };
    let mut asked = of(&[]);
    for filter in all {
        for value in &filter.values {
            asked.extend(of(&[(filter.name, value)]));
        }
    }
    asked
}

/// Any three filters together, `times` times with other values, sorts and pages.
fn combined(list: Ridden, all: &[Filter], times: i64) -> Vec<Question> {
    let mut asked = Vec::new();
    let mut pick = 0_usize;
    let mut next = |of: usize| {
        pick = pick.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (pick >> 33) % of
    };
    for (one, first) in all.iter().enumerate() {
        for (two, second) in all.iter().enumerate().skip(one + 1) {
            for third in all.iter().skip(two + 1) {
                for _ in 0..times {
                    let chosen = [first, second, third]
                        .map(|filter| (filter.name, &filter.values[next(filter.values.len())]));
                    let sort = next(list.sorts().len() + 1).checked_sub(1).map(|place| list.sorts()[place].0);
                    let page = pages()[next(5).saturating_sub(2)];
                    asked.push(question(&chosen, sort, page));
                }
            }
        }
    }
    asked
}

/// Asks; how long each took, the plain ones beside.
async fn ask(
    runtime: &Runtime,
    list: Ridden,
    caller: &'static str,
    scope: &Scope,
    questions: &[Question],
    plain_each: usize,
) -> Result<(Vec<Taken>, Vec<f64>)> {
    let (mut ours, mut plain) = (Vec::new(), Vec::new());
    for (number, question) in questions.iter().enumerate() {
        let asked = async || -> Result<(f64, usize)> {
            let begun = Instant::now();
            let mut db = runtime.reads.scoped(scope, None, &[]).await?;
            let rows = list.ours(&mut db, scope, question).await?;
            Ok((ms(begun), rows))
        };
        // Once uncounted: pages that were never read come from the disk.
        asked().await?;
        let (took, rows) = asked().await?;
        ours.push(Taken { ms: took, caller, question: question.clone() });
        if number % plain_each == 0 {
            let begun = Instant::now();
            let mut db = runtime.reads.scoped(scope, None, &[]).await?;
            match list.plainly(&mut db, question).await? {
                Some(same) => {
                    plain.push(ms(begun));
                    ensure!(
                        rows == same,
                        "{list:?} {caller} {question:?}: {rows} rows, the plain way {same}"
                    );
                }
                None => plain.push(Duration::from_millis(PLAIN_MS).as_secs_f64() * 1000.0),
            }
        }
    }
    Ok((ours, plain))
}

fn told(report: &mut Report, case: &str, ours: &[Taken], plain: &mut [f64]) {
    let mut ours: Vec<f64> = ours.iter().map(|taken| taken.ms).collect();
    for quantile in [50, 99] {
        report.add(Row::new(
            "wheelhouse",
            &format!("p{quantile}-{case}"),
            percentile(&mut ours, quantile),
            "ms",
        ));
        if !plain.is_empty() {
            report.add(Row::new("plain", &format!("p{quantile}-{case}"), percentile(plain, quantile), "ms"));
        }
    }
}

/// By the names of the filters: the 99th of a hundred, the highest first.
fn by_names(taken: &[Taken]) -> Vec<(f64, String)> {
    let mut names: BTreeMap<&str, Vec<f64>> = BTreeMap::new();
    for one in taken {
        names.entry(&one.question.names).or_default().push(one.ms);
    }
    let mut all: Vec<(f64, String)> =
        names.into_iter().map(|(name, mut taken)| (percentile(&mut taken, 99), name.to_owned())).collect();
    all.sort_by(|one, other| other.0.total_cmp(&one.0));
    all
}

/// Measures all lists of riding; what took longest of filters alone, and of three together.
pub async fn measure(runtime: &Runtime, times: i64, report: &mut Report) -> Result<[(f64, String); 2]> {
    let mut worst = [(0.0, String::new()), (0.0, String::new())];
    let mut slow: Vec<(Ridden, Taken)> = Vec::new();
    let (rider, phone, car, order) = fill::somebody(&runtime.pools.owner, 150).await?;
    let who = Somebody { rider, phone, car, order };
    for list in Ridden::ALL {
        let all = list.filters(&who);
        let (single, three) = (alone(list, &all), combined(list, &all, times));
        let (mut ours_alone, mut ours_three) = (Vec::new(), Vec::new());
        for (caller, scope) in callers() {
            let each = (single.len() / PLAIN).max(1);
            let (ours, mut plain) = ask(runtime, list, caller, &scope, &single, each).await?;
            told(report, &format!("{}-{caller}", list.name()), &ours, &mut plain);
            ours_alone.extend(ours);
            let each = (three.len() / PLAIN).max(1);
            let (ours, mut plain) = ask(runtime, list, caller, &scope, &three, each).await?;
            told(report, &format!("{}-{caller}-three", list.name()), &ours, &mut plain);
            ours_three.extend(ours);
        }
        for (p99_ms, name) in by_names(&ours_alone) {
            report.add(Row::new("wheelhouse", &format!("p99-{}-by-{name}", list.name()), p99_ms, "ms"));
        }
        for (place, taken) in [&ours_alone, &ours_three].into_iter().enumerate() {
            let names = by_names(taken);
            let (p99_ms, name) = names.first().context("a list has filters")?.clone();
            println!(
                "{}: {} pages, the slowest filters: {:?}",
                list.name(),
                taken.len(),
                &names[..names.len().min(5)]
            );
            if p99_ms > worst[place].0 {
                worst[place] = (p99_ms, format!("{} {name}", list.name()));
            }
            slow.extend(taken.iter().filter(|one| one.ms > GOAL_P99_MS).map(|one| (list, one.clone())));
        }
    }
    slow.sort_by(|one, other| other.1.ms.total_cmp(&one.1.ms));
    println!("{} pages took more than {GOAL_P99_MS} ms.", slow.len());
    for (list, Taken { ms, caller, question }) in slow.iter().take(20) {
        println!(
            "  {ms:.0} ms: {} as {caller}, {:?}, {}, page {}",
            list.name(),
            question.parameters,
            question.sort.unwrap_or("newest"),
            question.page
        );
    }
    Ok(worst)
}

/// Writes the plans of what a fresh look finds slow, and of each filter by itself as somebody who sees all.
pub async fn explain(runtime: &Runtime) -> Result<()> {
    let (rider, phone, car, order) = fill::somebody(&runtime.pools.owner, 150).await?;
    let who = Somebody { rider, phone, car, order };
    for list in Ridden::ALL {
        let all = list.filters(&who);
        for (caller, scope) in callers() {
            let several = alone(list, &all).into_iter().chain(combined(list, &all, 1));
            for question in several {
                let begun = Instant::now();
                let mut db = runtime.reads.scoped(&scope, None, &[]).await?;
                list.ours(&mut db, &scope, &question).await?;
                drop(db);
                if ms(begun) < GOAL_P99_MS {
                    continue;
                }
                plans::heading(&format!("{} {caller} {question:?}", list.name()));
                let mut db = runtime.reads.scoped(&scope, None, &[]).await?;
                sqlx::query("set local client_min_messages = log").execute(&mut *db).await?;
                list.ours(&mut db, &scope, &question).await?;
            }
        }
    }
    Ok(())
}
