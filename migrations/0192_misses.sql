-- Missed orders (丢单): somebody wanted a bike and did not get one. Written beside the answers that riders' programs get, in
-- batches; no decision, so it is not in the log. Kept for 90 days, bounded for each rider and area.
create table report.miss (
    miss_id    bigint   primary key,
    subject    text     not null,                  -- who wanted what: tries of the same are one miss
    rider_id   bigint,                             -- null: nobody said who
    agent_id   bigint   not null,
    area_id    bigint   not null,
    act        smallint not null,                  -- 1 looked, 2 scanned, 3 reserved, 4 unlocked
    reason     smallint not null,
    car_id     text,
    parking_id bigint,                             -- the nearest parking place within 300 m
    lat        double precision,                   -- WGS-84: where he was, or else the bike
    lng        double precision,
    detail     text     not null,                  -- what the refusal said
    tries      integer  not null,
    at_ms      bigint   not null,                  -- the first try
    last_at_ms bigint   not null
);
create index miss_subject on report.miss (subject, last_at_ms);
create index miss_newest on report.miss (at_ms desc, miss_id desc);
create index miss_agent on report.miss (agent_id, at_ms desc, miss_id desc);
create index miss_area on report.miss (area_id, at_ms desc, miss_id desc);
create index miss_rider on report.miss (rider_id, at_ms desc, miss_id desc) where rider_id is not null;
create index miss_nobody on report.miss (area_id, at_ms) where rider_id is null;
create index miss_car on report.miss (car_id, at_ms desc, miss_id desc) where car_id is not null;
select wheelhouse.guard_table('report.miss');
revoke truncate on report.miss from wheelhouse_projector;

-- What parking places missed and sold. Null: the day was reckoned before this was.
alter table report.station_day
    add column hourly_misses     smallint[],
    add column hourly_orders     smallint[],
    add column hourly_cost_cents bigint[],
    add column misses            integer,
    add column orders            integer,
    add column cost_cents        bigint;
-- The orders that began in some hours, for the reckoning.
create index ride_order_start on read.ride_order (start_at_ms, order_id) where start_at_ms is not null;
