-- Bikes in the hands of who keeps them: what they are called, since when nobody used them, when their last ride ended.
alter table read.vehicle
    add column tags             text[] not null default '{}',
    add column idle_since_ms    bigint,
    add column last_ride_end_ms bigint;
-- A device that changes bikes is on both for a moment while one batch is written; that it is on one is a claim of the log.
drop index read.vehicle_imei;
create index vehicle_imei on read.vehicle (imei);
-- What a quota is counted against.
create index vehicle_street on read.vehicle (area_id) where lifecycle = 2;
-- What is looked at first where bikes are sorted by how long nobody used them.
create index vehicle_idle on read.vehicle (idle_since_ms, car_id);
