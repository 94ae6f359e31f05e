-- Franchisees under franchisees, what was agreed with them, and templates of what their people may hold.
-- Projector `agent` rebuilds itself from the log for the new columns.
alter table read.agent
    add column parent_id      bigint,                       -- null: under the platform
    add column level          smallint not null default 1,  -- 1 under the platform, 2 under one of level 1 …
    add column role_id        bigint,                       -- template; null: no limit
    add column contract_begin date,
    add column contract_end   date,                         -- its last day
    add column vehicle_quota  integer,                      -- null: no limit
    add column remark         text     not null default '',
    add column position       bigint   not null default 0;  -- of the last event
create index agent_newest on read.agent (created_at_ms desc, agent_id desc);
create index agent_parent on read.agent (parent_id);
create index agent_role_of on read.agent (role_id);

create table read.agent_role (
    role_id       bigint   primary key,
    agent_id      bigint,                                   -- always null: the platform's own
    name          text     not null,
    remark        text     not null,
    codes         text[]   not null,                        -- as chosen
    created_at_ms bigint   not null,
    updated_at_ms bigint   not null,
    version       bigint   not null,
    position      bigint   not null                         -- of the last event
);
create index agent_role_newest on read.agent_role (created_at_ms desc, role_id desc);
select wheelhouse.guard_table('read.agent_role');
