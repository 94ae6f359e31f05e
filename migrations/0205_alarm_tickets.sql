-- Alarm tickets (报警单): one for a bike and kind while the alarm rings, kept after it.
create table read.alarm_ticket (
    ticket_id          bigint   primary key,       -- where in the log it rang first
    car_id             text     not null,
    kind               smallint not null,
    number             integer  not null,          -- the how-manieth of its kind when it rang last
    agent_id           bigint   not null,
    area_id            bigint   not null,
    state              smallint not null,
    urgency            smallint not null,
    is_escalated       boolean  not null,
    times              integer  not null,          -- how often it rang
    first_at_ms        bigint   not null,
    last_at_ms         bigint   not null,          -- when it rang last
    lat                double precision,           -- where it rang first, WGS-84
    lng                double precision,
    soc_percent        smallint,
    distance_m         double precision,
    fence_id           bigint,
    acknowledged_at_ms bigint,
    acknowledged_by    text     not null,
    ended_at_ms        bigint,
    ended_by           text     not null,          -- empty where it recovered by itself
    cause              smallint,                   -- why it was none
    note               text     not null,
    updated_at_ms      bigint   not null,
    position           bigint   not null,          -- of the event that changed it last
    unique (car_id, kind, number)
);
create index alarm_ticket_newest on read.alarm_ticket (first_at_ms desc, ticket_id desc) include (agent_id, area_id);
create index alarm_ticket_agent on read.alarm_ticket (agent_id, first_at_ms desc, ticket_id desc) include (area_id);
create index alarm_ticket_area on read.alarm_ticket (area_id, first_at_ms desc, ticket_id desc) include (agent_id);
create index alarm_ticket_car on read.alarm_ticket (car_id, first_at_ms desc, ticket_id desc);
-- Those that wait are few beside those that were.
create index alarm_ticket_open on read.alarm_ticket (urgency, first_at_ms desc, ticket_id desc) include (agent_id, area_id, is_escalated)
    where state in (0, 1);
create index alarm_ticket_kind on read.alarm_ticket (kind, first_at_ms desc, ticket_id desc) include (agent_id, area_id);
create index alarm_ticket_state on read.alarm_ticket (state, first_at_ms desc, ticket_id desc) include (agent_id, area_id);
create index alarm_ticket_escalated on read.alarm_ticket (first_at_ms desc, ticket_id desc) include (agent_id, area_id)
    where is_escalated;
select wheelhouse.guard_table('read.alarm_ticket');
