-- What is configured of service areas, in versions: what is being written, and each version with the times at which it counts.
create table read.config (
    kind            text   not null,               -- the category of its stream: billing-config …
    area_id         bigint not null,
    agent_id        bigint not null,
    draft           jsonb,                         -- what is being written
    draft_at_ms     bigint,
    draft_by        bigint,                        -- an operator
    updated_at_ms   bigint not null,
    version         bigint not null,
    primary key (area_id, kind)
);
select wheelhouse.guard_table('read.config');

create table read.config_version (
    kind            text           not null,
    area_id         bigint         not null,
    number          bigint         not null,
    agent_id        bigint         not null,
    content         jsonb          not null,
    note            text           not null,
    who             bigint,                        -- an operator
    from_at_ms      bigint         not null,
    published_at_ms bigint         not null,
    withdrawn       boolean        not null,
    counts          int8multirange not null,       -- epoch milliseconds
    primary key (area_id, kind, number)
);
select wheelhouse.guard_table('read.config_version');
