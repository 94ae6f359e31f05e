-- Who may do what: roles with their holders, operators, the devices they sign in from, machine clients.
-- Times are epoch milliseconds. A null agent_id means the platform's own: seen by callers of all agents alone.

create table read.role (
    role_id       bigint   primary key,
    agent_id      bigint,
    name          text     not null,
    tier          smallint not null,               -- 1 管理员, 2 运营, 4 运维, 8 生产
    remark        text     not null,
    codes         text[]   not null,               -- as granted; the system role's are all there are
    system        boolean  not null,
    enabled       boolean  not null,
    holders       bigint[] not null,               -- operators who hold it
    user_count    integer  not null,
    created_at_ms bigint   not null,
    updated_at_ms bigint   not null,
    updated_by    bigint,                          -- operator; null: the house itself
    revision      bigint   not null,               -- what an editor names to be told of others' changes
    position      bigint   not null                -- of the last event
);
create index role_newest on read.role (created_at_ms desc, role_id desc);
create index role_holders on read.role using gin (holders);
select wheelhouse.guard_table('read.role');

create table read.operator (
    operator_id        bigint   primary key,
    agent_id           bigint,                     -- the one agent he belongs to
    phone              text     not null,
    name               text     not null,
    level              smallint not null,          -- bit-or of tiers
    all_agents         boolean  not null,
    agents             bigint[] not null,          -- when not all
    all_areas          boolean  not null,
    areas              bigint[] not null,          -- when not all
    enabled            boolean  not null,
    created_at_ms      bigint   not null,
    updated_at_ms      bigint   not null,
    updated_by         bigint,
    last_sign_in_at_ms bigint,
    revision           bigint   not null,
    position           bigint   not null           -- of the last event that is not a sign-in
);
create unique index operator_phone on read.operator (phone);
create index operator_newest on read.operator (created_at_ms desc, operator_id desc);
select wheelhouse.guard_table('read.operator');

create table read.operator_device (
    operator_device_id bigint   primary key,
    operator_id        bigint   not null,
    agent_id           bigint,
    code               text     not null,          -- the device's own random code
    name               text     not null,
    kind               smallint not null,          -- 1 browser, 2 Android, 3 iOS
    address            text     not null,          -- where it was seen first
    state              smallint not null,          -- 0 waiting, 1 bound, 2 removed
    requested_at_ms    bigint   not null,
    updated_at_ms      bigint   not null
);
create index operator_device_of_operator on read.operator_device (operator_id, requested_at_ms desc);
create index operator_device_newest on read.operator_device (requested_at_ms desc, operator_device_id desc);
select wheelhouse.guard_table('read.operator_device');

create table read.machine (
    machine_id    bigint   primary key,
    agent_id      bigint,
    name          text     not null,
    codes         text[]   not null,
    scope         jsonb    not null,
    token_sha256  text     not null,               -- hexadecimal; the token itself is kept nowhere
    enabled       boolean  not null,
    created_at_ms bigint   not null
);
create unique index machine_token_sha256 on read.machine (token_sha256);
select wheelhouse.guard_table('read.machine');
