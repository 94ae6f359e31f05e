-- Changes of many fences at once (批量修改): who asked for one and why, and which fences it changed from version to version.
create table read.fence_batch (
    batch_id      bigint   primary key,
    agent_id      bigint   not null,
    area_id       bigint,                          -- none: its fences lie in several areas of the agent
    operator_id   bigint,
    reason        text     not null,
    adjustment    jsonb    not null,               -- what was to be otherwise
    made_at_ms    bigint   not null,
    from_at_ms    bigint   not null,
    until_at_ms   bigint,
    members       jsonb    not null,               -- [{fence_id, area_id, name, from_version, to_version, last_version}], at most 200
    undone_at_ms  bigint,
    undone_by     bigint,
    back          jsonb    not null,               -- ids of those that are as before again
    version       bigint   not null
);
create index fence_batch_newest on read.fence_batch (made_at_ms desc, batch_id desc);
select wheelhouse.guard_table('read.fence_batch');

-- The change that a version is part of.
alter table read.fence_version add column batch_id bigint;
