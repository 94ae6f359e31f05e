-- How much of the time devices were on line, by the hour: seen every minute in the live fleet by one process, so it is no read model;
-- how far it is stands in report.reckoned. What cannot be seen, while nobody looks, is in no hour.
create table report.device_hour (
    hour_at_ms bigint not null,                        -- when the hour begins
    agent_id   bigint not null,
    area_id    bigint not null,
    device_ms  bigint not null,                        -- of all bikes that carry a device together
    online_ms  bigint not null,                        -- of those that reported within five minutes
    primary key (hour_at_ms, area_id, agent_id)
);
create index device_hour_agent on report.device_hour (agent_id, hour_at_ms);
create index device_hour_area on report.device_hour (area_id, hour_at_ms);
select wheelhouse.guard_table('report.device_hour');
revoke truncate on report.device_hour from wheelhouse_projector;
