-- Who operates where: franchisees, service areas, and the fences inside them. Times are epoch milliseconds.
create table read.agent (
    agent_id      bigint   primary key,
    company       text     not null,
    contact_name  text     not null,
    phone         text     not null,
    billing_way   smallint not null,               -- 0 own merchant account, 1 platform cashier
    state         smallint not null,               -- 0 disabled, 1 enabled
    created_at_ms bigint   not null,
    updated_at_ms bigint   not null,
    version       bigint   not null
);
create index agent_company on read.agent (company, agent_id);
select wheelhouse.guard_table('read.agent');

create table read.area (
    area_id       bigint   primary key,
    agent_id      bigint   not null,
    name          text     not null,
    tel           text     not null,
    state         smallint not null,               -- 0 planned, 1 open, 2 suspended, 3 closed
    ring          jsonb    not null,               -- [[lng, lat], …] closed, WGS-84
    datum         text     not null,               -- the one it was drawn in
    data_version  bigint   not null,               -- of the ring
    created_at_ms bigint   not null,
    updated_at_ms bigint   not null,
    version       bigint   not null
);
create index area_agent on read.area (agent_id, name);
select wheelhouse.guard_table('read.area');

create table read.fence (
    fence_id      bigint   primary key,
    area_id       bigint   not null,
    agent_id      bigint   not null,
    kind          smallint not null,               -- 2 parking, 4 no-stop
    name          text     not null,
    capacity      integer  not null,
    enabled       boolean  not null,
    ring          jsonb    not null,
    datum         text     not null,
    data_version  bigint   not null,
    created_at_ms bigint   not null,
    updated_at_ms bigint   not null,
    version       bigint   not null
);
create index fence_area on read.fence (area_id, kind, fence_id);
create index fence_name on read.fence (area_id, name);
select wheelhouse.guard_table('read.fence');
