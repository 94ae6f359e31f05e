-- Views (视图): what operators stored of the operation map under a name.
create table read.map_view (
    view_id       bigint   primary key,
    agent_id      bigint,              -- null: the platform's
    operator_id   bigint   not null,   -- who made it; nobody else changes it
    by_name       text     not null,
    place         smallint not null,   -- the how-manieth of his, from 0
    name          text     not null,
    audience      smallint not null,   -- 1 himself, 2 everybody who reaches the agent
    state         text     not null,   -- query text
    created_at_ms bigint   not null,
    updated_at_ms bigint   not null,
    version       bigint   not null,
    position      bigint   not null    -- of the event that changed it last
);
create index map_view_newest on read.map_view (created_at_ms desc, view_id desc);
create index map_view_agent on read.map_view (agent_id, created_at_ms desc, view_id desc);
create index map_view_operator on read.map_view (operator_id, created_at_ms desc, view_id desc);
select wheelhouse.guard_table('read.map_view');
