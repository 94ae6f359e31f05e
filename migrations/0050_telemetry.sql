-- What bikes report. Telemetry is not in the log: it is too much, and nobody decided it. A day is a partition, made ahead
-- and dropped whole when it is too old. Two questions are asked of it: "the way of this bike these hours" (the drawer,
-- a btree on bike and time: half a gigabyte a day for 200 reports a second, and the lookup reads a page or two) and
-- "everything of these minutes" (restart, cleaning: BRIN on time, a few pages, since rows come nearly in order of time).
-- A bike is a small number here: a third of the row is saved against its name.
create table live.vehicle (
    vehicle integer generated always as identity primary key,
    car_id  text    not null unique
);

create table live.telemetry (
    at        timestamptz not null,                -- the device's clock
    vehicle   integer     not null,
    lat_e7    integer,                             -- null without a fix
    lng_e7    integer,
    flags     integer     not null,                -- bits of docs/device-protocol.md
    voltage_mv integer,
    soc       smallint    not null,
    speed     smallint    not null,                -- km/h
    heading   smallint    not null,                -- degrees / 2
    hdop      smallint,                            -- tenths
    satellites smallint,
    gsm       smallint
) partition by range (at);
create index telemetry_vehicle_at on live.telemetry (vehicle, at);
create index telemetry_at on live.telemetry using brin (at);

-- The latest state of each bike, written every few seconds, read at start. Half-empty pages keep updates in place.
create table live.vehicle_live (
    vehicle   integer     primary key,
    report_at timestamptz not null,
    heard_at  timestamptz not null,
    fix_at    timestamptz,
    lat_e7    integer     not null,
    lng_e7    integer     not null,
    flags     integer     not null,
    voltage_mv integer,
    soc       smallint    not null,
    speed     smallint    not null,
    heading   smallint    not null,
    hdop      smallint,
    satellites smallint,
    gsm       smallint
) with (fillfactor = 50);

-- How far the stream is stored: moves in the transaction of the rows, so that a message delivered twice is stored once.
-- A stream that was made anew counts from one again; its birth tells.
create table live.ingest (
    name        text        primary key,
    stream_born text        not null,
    stream_seq  bigint      not null,
    kept_at     timestamptz                        -- when vehicle_live was last written
);
