-- For how long bikes on the street could not be rented, and why, by the hour: seen every minute in the live fleet by one process, so it is
-- no read model; how far it is stands in report.reckoned. What cannot be seen, while nobody looks, is in no hour.
create table report.blocked_hour (
    hour_at_ms bigint not null,                        -- when the hour begins
    agent_id   bigint not null,
    area_id    bigint not null,
    reason     text   not null,                        -- code; 'rentable' and 'blocked' (for whatever reason) count bikes once
    bike_ms    bigint not null,
    primary key (hour_at_ms, area_id, agent_id, reason)
);
create index blocked_hour_agent on report.blocked_hour (agent_id, hour_at_ms);
create index blocked_hour_area on report.blocked_hour (area_id, hour_at_ms);
select wheelhouse.guard_table('report.blocked_hour');
revoke truncate on report.blocked_hour from wheelhouse_projector;
