-- A bike's life (车辆日志): a row for each event that tells of it, in words, kept by months as the operator log is
-- (docs/adr/0035). Rows are written once; the order of a region's change is added by the order that follows it.
create table read.vehicle_log (
    position     bigint   not null,
    at_ms        bigint   not null,
    car_id       text     not null,
    imei         text,                             -- the device that it had then
    agent_id     bigint   not null,
    area_id      bigint   not null,
    event        smallint not null,                -- hundreds are the group
    actor_kind   smallint not null,                -- 1 rider, 2 field worker, 3 back-office, 4 system, 5 device
    actor_number bigint,                           -- id of the rider, operator or machine client
    actor_name   text     not null,                -- where there is no id: the field worker, the rule
    order_id     bigint,
    trace_id     text     not null,                -- of an answer or a consequence: that of what it follows from
    content      text     not null,
    changes      jsonb    not null,                -- what was before and after: field, from, to
    primary key (at_ms, position)
) partition by range (at_ms);
create index vehicle_log_position on read.vehicle_log (position);
create index vehicle_log_car on read.vehicle_log (car_id, at_ms desc, position desc);
create index vehicle_log_imei on read.vehicle_log (imei, at_ms desc, position desc) where imei is not null;
create index vehicle_log_agent on read.vehicle_log (agent_id, at_ms desc, position desc);
create index vehicle_log_area on read.vehicle_log (area_id, at_ms desc, position desc);
create index vehicle_log_event on read.vehicle_log (event, at_ms desc, position desc);
create index vehicle_log_actor on read.vehicle_log (actor_kind, at_ms desc, position desc);
create index vehicle_log_order on read.vehicle_log (order_id, at_ms desc, position desc) where order_id is not null;
create index vehicle_log_trace on read.vehicle_log (trace_id, at_ms desc, position desc) where trace_id <> '';
select wheelhouse.guard_table('read.vehicle_log');

-- What the log has to remember of a bike, an order or a command to put its next event into words.
create table read.vehicle_log_thread (
    key           text     primary key,            -- category/id
    car_id        text     not null,
    agent_id      bigint   not null,
    area_id       bigint   not null,
    imei          text,
    order_id      bigint,
    rider_id      bigint,
    kind          smallint,                        -- of a command
    state         text     not null,
    trace_id      text     not null,
    ride_at_ms    bigint,                          -- a region's change that no order has told of yet
    ride_position bigint
);
select wheelhouse.guard_table('read.vehicle_log_thread');
