-- Fences with drafts, and each of their versions with the times at which it counts: a stop is judged by those of its time.
drop table read.fence;
create table read.fence (
    fence_id      bigint   primary key,
    area_id       bigint   not null,
    agent_id      bigint   not null,
    kind          smallint not null,               -- 2 parking, 4 no-stop, 8 maintenance, 9 no-ride, 10 custom
    name          text     not null,               -- of what was drawn last
    enabled       boolean  not null,
    deleted       boolean  not null,
    data_version  bigint   not null,               -- the newest that was not withdrawn, 0 before the first
    draft         jsonb,                           -- what is being drawn
    off           jsonb    not null,               -- when it was switched off
    created_at_ms bigint   not null,
    updated_at_ms bigint   not null,
    version       bigint   not null
);
create index fence_area on read.fence (area_id, kind, fence_id);
create index fence_name on read.fence (area_id, name);
create index fence_updated on read.fence (updated_at_ms desc, fence_id desc);
select wheelhouse.guard_table('read.fence');

create table read.fence_version (
    fence_id        bigint         not null,
    data_version    bigint         not null,
    area_id         bigint         not null,
    agent_id        bigint         not null,
    kind            smallint       not null,
    name            text           not null,
    capacity        integer        not null,
    from_at_ms      bigint         not null,
    until_at_ms     bigint,
    published_at_ms bigint         not null,
    withdrawn       boolean        not null,
    counts          int8multirange not null,       -- epoch milliseconds
    ring            jsonb          not null,       -- [[lng, lat], …] closed, WGS-84
    drawing         jsonb          not null,
    primary key (fence_id, data_version)
);
create index fence_version_area on read.fence_version (area_id, kind, fence_id);
select wheelhouse.guard_table('read.fence_version');

-- Every edge that an area had.
create table read.area_version (
    area_id      bigint not null,
    data_version bigint not null,
    agent_id     bigint not null,
    from_at_ms   bigint not null,
    until_at_ms  bigint,
    ring         jsonb  not null,
    primary key (area_id, data_version)
);
select wheelhouse.guard_table('read.area_version');
