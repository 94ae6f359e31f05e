-- Bikes on the streets by day and area: how many came or went, and how long they had of the day. The mean of any day follows
-- (crates/riding/src/model/per_bike.rs).
create table read.shelved_day (
    day      bigint not null,                -- of Shanghai, since 1970
    agent_id bigint not null,
    area_id  bigint not null,
    added    bigint not null,                -- that came, less those that went
    bike_ms  bigint not null,                -- of each that came the time that was left of the day, less that of those that went
    primary key (area_id, agent_id, day)
);
create index shelved_day_agent on read.shelved_day (agent_id, area_id, day);
select wheelhouse.guard_table('read.shelved_day');
