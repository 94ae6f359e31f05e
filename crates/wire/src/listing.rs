//! Lists of records as their pages need them: page by page, as a file, and one record alone. A noun says what its list
//! is; how it is asked for, cut to the caller's scope, counted, handed out and documented is said here, once.

use std::sync::Arc;
use std::time::Duration;

use axum::extract::{Path, State};
use axum::response::Response;
use axum::routing::get;
use kernel::{List, ReadTx, Runtime};
use serde::Serialize;
use serde::de::DeserializeOwned;
use sqlx::FromRow;
use sqlx::error::DatabaseError;
use sqlx::postgres::PgRow;
use utoipa::openapi::path::{HttpMethod, OperationBuilder, Parameter, ParameterBuilder, ParameterIn, Paths};
use utoipa::openapi::schema::{ArrayBuilder, Schema};
use utoipa::openapi::{ContentBuilder, Ref, RefOr, Required, ResponseBuilder};
use utoipa::{IntoParams, PartialSchema, ToSchema};
use vocabulary::{Page, Rows, Scope, Timestamp};

use crate::{
    Answer, ById, Caller, Disclosure, EXPORT_ROWS_READ, Export, ExportColumns, Handled, PageOf, PageQuery,
    Params, Permit, Refused, Routes, Seen,
};

/// State of handlers that holds the kernel.
pub trait Hosted: Send + Sync + 'static {
    /// The kernel.
    fn runtime(&self) -> &Runtime;
}

impl<T: Hosted> Hosted for Arc<T> {
    fn runtime(&self) -> &Runtime {
        (**self).runtime()
    }
}

/// What a list is asked for, and what it shows of each record. The query itself implements it; the empty one asks for
/// all that lies in the caller's scope.
pub trait Listing: Default + DeserializeOwned + Serialize + IntoParams + Send + Sync + 'static {
    /// State of its handlers.
    type State: Hosted + Clone;
    /// A record, as the database finds it and people see it.
    type Row: for<'r> FromRow<'r, PgRow> + Serialize + ToSchema + Send + Sync + Unpin;
    /// Read models that it reads.
    const READS: &'static [&'static str];
    /// The column of the record's id, a number.
    const KEY: &'static str;
    /// The list as a file.
    const FILE: Export<Self::Row>;

    /// The list, cut to `scope` and to what is asked for.
    fn list(&self, scope: &Scope) -> Result<List, Refused>;

    /// Whether enough is said for a page or a file; one record alone is asked for without.
    fn suffices(&self, now: Timestamp) -> Result<(), Refused> {
        let _ = now;
        Ok(())
    }

    /// What of it the caller's codes let him see: all of it, unless said otherwise.
    fn permitted(&self, list: List, caller: &Caller) -> List {
        let _ = caller;
        list
    }

    /// The records with what the database alone does not know of them. Ends the transaction in which they were found
    /// as soon as it is not needed.
    fn shown(
        state: &Self::State,
        db: ReadTx,
        found: Vec<Self::Row>,
    ) -> impl Future<Output = Result<Vec<Self::Row>, Refused>> + Send {
        let _ = (state, db);
        std::future::ready(Ok(found))
    }
}

async fn page<L: Listing>(
    State(state): State<L::State>,
    caller: Caller,
    Seen(seen): Seen,
    Params(paging): Params<PageQuery>,
    Params(query): Params<L>,
) -> Handled<PageOf<L::Row>> {
    query.suffices(state.runtime().clock.now())?;
    let list = query.permitted(query.list(&caller.full_scope)?, &caller);
    let (list, page) = paging.of(list)?;
    let mut db = state.runtime().reads.scoped(&caller.full_scope, seen, L::READS).await?;
    let mut found = patient::<L::Row>(&list, &mut db, page).await?;
    let rows = L::shown(&state, db, std::mem::take(&mut found.rows)).await?;
    Ok(Answer(PageOf::from(found).with(rows)))
}

/// What takes longer than this for one page is not shown: its filters leave too much to look through.
pub const PATIENCE: Duration = Duration::from_secs(10);
/// PostgreSQL ended a statement that took too long.
const CANCELED: &str = "57014";

/// A page, or how to ask for less.
async fn patient<R>(list: &List, db: &mut ReadTx, page: Page) -> Result<Rows<R>, Refused>
where
    R: for<'r> FromRow<'r, PgRow> + Send + Unpin,
{
    db.at_most(PATIENCE).await?;
    list.page(db, page).await.map_err(too_wide)
}

/// How to ask for less, when a statement took longer than [`PATIENCE`].
pub fn too_wide(error: sqlx::Error) -> Refused {
    let code = error.as_database_error().and_then(DatabaseError::code);
    if code.as_deref() == Some(CANCELED) {
        let text = format!(
            "符合条件的记录太分散，{} 秒内没有找全：请缩小时间范围，或去掉一个条件",
            PATIENCE.as_secs()
        );
        return Refused::business("list-too-wide", text);
    }
    error.into()
}

async fn file<L: Listing>(
    State(state): State<L::State>,
    caller: Caller,
    Seen(seen): Seen,
    disclosure: Disclosure,
    Params(query): Params<L>,
    Params(columns): Params<ExportColumns>,
) -> Result<Response, Refused> {
    query.suffices(state.runtime().clock.now())?;
    let list = query.permitted(query.list(&caller.full_scope)?, &caller);
    let mut db = state.runtime().reads.scoped(&caller.full_scope, seen, L::READS).await?;
    let found = list.rows(&mut db, EXPORT_ROWS_READ).await?;
    let rows = L::shown(&state, db, found).await?;
    L::FILE.hand_out(&disclosure, &columns, &query, &rows).await
}

async fn record<L: Listing>(
    state: L::State,
    caller: Caller,
    Seen(seen): Seen,
    id: String,
) -> Handled<L::Row> {
    let id: i64 = id.parse().map_err(|_| Refused::malformed("编号不正确"))?;
    let all = L::default();
    let list = all.permitted(all.list(&caller.full_scope)?, &caller).is(L::KEY, Some(id));
    let mut db = state.runtime().reads.scoped(&caller.full_scope, seen, L::READS).await?;
    let found = list.rows(&mut db, 1).await?.pop().ok_or_else(Refused::not_found)?;
    let row = L::shown(&state, db, vec![found]).await?.pop();
    row.map(Answer).ok_or_else(Refused::not_found)
}

async fn record_by_path<L: Listing>(
    State(state): State<L::State>,
    caller: Caller,
    seen: Seen,
    Path(id): Path<String>,
) -> Handled<L::Row> {
    record::<L>(state, caller, seen, id).await
}

async fn record_by_query<L: Listing>(
    State(state): State<L::State>,
    caller: Caller,
    seen: Seen,
    Params(ById { id }): Params<ById<String>>,
) -> Handled<L::Row> {
    record::<L>(state, caller, seen, id).await
}

/// Where a list is found, and what it is called in the OpenAPI document.
#[derive(Clone, Copy, Debug)]
pub struct Listed {
    /// The list's path; the file lies below it, at `/export`.
    pub path: &'static str,
    /// Names of the operations: of the page and of the file.
    pub operations: [&'static str; 2],
    /// What the list is, in a sentence.
    pub summary: &'static str,
}

/// Where one record is found, and what that is called in the OpenAPI document.
#[derive(Clone, Copy, Debug)]
pub struct Record {
    /// The path; `…/{id}` takes the id from it, any other from the query.
    pub path: &'static str,
    /// The operation's name.
    pub operation: &'static str,
    /// What is answered, in a sentence.
    pub summary: &'static str,
}

type Schemas = Vec<(String, RefOr<Schema>)>;

impl<S: Hosted + Clone> Routes<S> {
    /// Adds a list, page by page and as a file.
    #[must_use]
    pub fn add_list<L: Listing<State = S>>(self, permit: Permit, listed: Listed) -> Self {
        let Listed { path, operations: [of_page, of_file], summary } = listed;
        let docs = operation(of_page, summary, self.context())
            .parameters(Some(in_query::<PageQuery>()))
            .parameters(Some(in_query::<L>()));
        let name = L::Row::name();
        let rows = ArrayBuilder::new().items(Ref::from_schema_name(&*name));
        let data = with(PageOf::<L::Row>::schema(), "rows", rows.into());
        let (schemas, docs) = answering::<L::Row>(&format!("PageOf_{name}"), data, docs);
        let page = (schemas, at(path, docs), get(page::<L>));

        let summary =
            format!("{summary} As CSV, at most 50000. It stands in the log who took it, cut down to what.");
        let csv = ContentBuilder::new().schema(Some(String::schema())).build();
        let docs = operation(of_file, &summary, self.context())
            .parameters(Some(in_query::<L>()))
            .parameters(Some(in_query::<ExportColumns>()))
            .response("200", ResponseBuilder::new().content("text/csv", csv));
        let file = (Vec::new(), at(&format!("{path}/export"), docs), get(file::<L>));
        self.add(permit, page).add_unwrapped(permit, file)
    }

    /// Adds one record of a list, by its id in the path (`…/{id}`) or, where the path has no place for it, in the query.
    #[must_use]
    pub fn add_record<L: Listing<State = S>>(self, permit: Permit, record: Record) -> Self {
        let Record { path, operation: name, summary } = record;
        let (place, handler) = if path.ends_with("/{id}") {
            (ParameterIn::Path, get(record_by_path::<L>))
        } else {
            (ParameterIn::Query, get(record_by_query::<L>))
        };
        let id = ParameterBuilder::new()
            .name("id")
            .parameter_in(place)
            .required(Required::True)
            .description(Some("The record's id, as text."))
            .schema(Some(String::schema()));
        let docs = operation(name, summary, self.context()).parameter(id);
        let row = L::Row::name();
        let (schemas, docs) = answering::<L::Row>(&row, Ref::from_schema_name(&*row), docs);
        self.add(permit, (schemas, at(path, docs), handler))
    }
}

fn operation(name: &str, summary: &str, tag: &str) -> OperationBuilder {
    OperationBuilder::new().operation_id(Some(name)).summary(Some(summary)).tag(tag)
}

fn in_query<T: IntoParams>() -> Vec<Parameter> {
    T::into_params(|| Some(ParameterIn::Query))
}

/// The operation with what it answers, `data` in the usual envelope, and the shapes that this names.
fn answering<Row: ToSchema>(
    name: &str,
    data: impl Into<RefOr<Schema>>,
    operation: OperationBuilder,
) -> (Schemas, OperationBuilder) {
    let envelope = with(Answer::<Row>::schema(), "data", data.into());
    let name = format!("Answer_{name}");
    let mut schemas = vec![(name.clone(), envelope), (Row::name().into_owned(), Row::schema())];
    Row::schemas(&mut schemas);
    let content = ContentBuilder::new().schema(Some(Ref::from_schema_name(name))).build();
    (schemas, operation.response("200", ResponseBuilder::new().content("application/json", content)))
}

/// The shape with another one of this field: what is generic does not name what it is made of.
fn with(shape: RefOr<Schema>, field: &str, inner: RefOr<Schema>) -> RefOr<Schema> {
    match shape {
        RefOr::T(Schema::Object(mut object)) => {
            object.properties.insert(field.to_owned(), inner);
            object.into()
        }
        other => other,
    }
}

fn at(path: &str, operation: OperationBuilder) -> Paths {
    let mut paths = Paths::new();
    paths.add_path_operation(path, vec![HttpMethod::Get], operation.build());
    paths
}
