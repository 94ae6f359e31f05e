-- Until when a bike stood where it stopped. Null: it stands there still, or nobody told; it had left when it stopped again.
alter table live.stop add column left_at timestamptz;

-- Stops that were told long after they happened: what was reckoned by stops since then is reckoned anew.
create table live.stop_told (
    one   boolean     primary key default true check (one),
    since timestamptz not null,                    -- the oldest
    told  bigint      not null                     -- how often
);

-- What reports are made of, reckoned ahead.
create schema report;
grant usage on schema report
    to wheelhouse_app, wheelhouse_projector, wheelhouse_sees_all, wheelhouse_sees_agents, wheelhouse_sees_areas;

-- How far each kind is reckoned, and in whose term.
create table report.reckoned (
    kind        text   primary key,
    until_at_ms bigint not null,
    token       bigint not null
);
grant select on report.reckoned
    to wheelhouse_app, wheelhouse_sees_all, wheelhouse_sees_agents, wheelhouse_sees_areas;
grant select, insert, update on report.reckoned to wheelhouse_projector;

-- A day of a parking place: Shanghai's, with what happened in each of its hours that are over.
create table report.station_day (
    day               date       not null,
    fence_id          bigint     not null,
    area_id           bigint     not null,
    agent_id          bigint     not null,
    hours             smallint   not null,           -- of the day that are over
    returns           integer    not null,           -- bikes that came
    departures        integer    not null,           -- bikes that left
    outside           integer    not null,           -- left outside of any parking place, this one nearest
    standing          integer    not null,           -- bikes at each full hour, added up
    level_hours       smallint[] not null,           -- full hours at level 0 空 … 4 淤积
    idle_hours        integer[]  not null,           -- of standing, those there for 1-3, 3-6, 6-12, 12-24, 24-48, 48+ hours
    hourly_returns    smallint[] not null,
    hourly_departures smallint[] not null,
    hourly_outside    smallint[] not null,
    hourly_standing   smallint[] not null,
    hourly_level      smallint[] not null,           -- -1: it was not open
    primary key (day, fence_id)
);
create index station_day_area on report.station_day (area_id, day);
create index station_day_agent on report.station_day (agent_id, day);
create index station_day_fence on report.station_day (fence_id, day);
select wheelhouse.guard_table('report.station_day');
revoke truncate on report.station_day from wheelhouse_projector;
