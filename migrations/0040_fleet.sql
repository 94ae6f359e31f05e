-- Bikes, their devices, and what devices were told. Times are epoch milliseconds. Where a bike is and how full its
-- battery stands is telemetry and lies elsewhere; here stands what people and rules decided.
create table read.vehicle (
    car_id           text       primary key,
    imei             text,
    plate_no         text       not null,
    agent_id         bigint     not null,
    area_id          bigint     not null,
    lifecycle        smallint   not null,
    riding_state     smallint   not null,
    operation_states smallint[] not null,
    alarm_states     smallint[] not null,
    shelved_lat      double precision,             -- where it was put on the street
    shelved_lng      double precision,
    created_at_ms    bigint     not null,
    updated_at_ms    bigint     not null,
    version          bigint     not null
);
create unique index vehicle_imei on read.vehicle (imei);
create index vehicle_area on read.vehicle (area_id, car_id);
create index vehicle_car_prefix on read.vehicle (car_id text_pattern_ops);
select wheelhouse.guard_table('read.vehicle');

create table read.device (
    imei          text     primary key,
    agent_id      bigint   not null,
    area_id       bigint   not null,
    car_id        text,                            -- null when on no bike
    bind_state    smallint not null,               -- 0 not bound, 1 bound, 2 unbound
    created_at_ms bigint   not null,
    updated_at_ms bigint   not null,
    version       bigint   not null
);
create index device_car on read.device (car_id);
select wheelhouse.guard_table('read.device');

create table read.device_command (
    command_id      bigint   primary key,
    car_id          text     not null,
    imei            text     not null,
    agent_id        bigint   not null,
    area_id         bigint   not null,
    kind            smallint not null,
    state           smallint not null,
    result_code     integer,
    late            boolean  not null,             -- answered after its timeout
    reason          text     not null,
    by              text     not null,
    requested_at_ms bigint   not null,
    sent_at_ms      bigint,
    ack_at_ms       bigint,
    version         bigint   not null
);
create index device_command_car on read.device_command (car_id, command_id desc);
create index device_command_open on read.device_command (requested_at_ms) where state in (0, 1);
select wheelhouse.guard_table('read.device_command');
