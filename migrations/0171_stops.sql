-- Where bikes stopped: a report says that one is locked that was not before. Kept longer than the reports themselves, for what
-- is asked of weeks: what a fence would change, where rides end. A question names a small box, which the first column of the
-- index cuts to a strip some metres wide.
create table live.stop (
    vehicle integer     not null,
    at      timestamptz not null,                  -- the device's clock
    lat_e7  integer     not null,
    lng_e7  integer     not null,
    hdop    smallint,                              -- tenths
    primary key (vehicle, at)
);
create index stop_place on live.stop (lat_e7, lng_e7, at);
create index stop_at on live.stop (at);
