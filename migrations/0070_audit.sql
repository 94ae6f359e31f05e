-- Who did what: one row for each event of a person or a machine client, and what each thing of the house looked like
-- after its newest event. Times are epoch milliseconds. Values that people could be hurt by are masked in `before` and
-- `after`; a null agent_id means the platform's own.

create table read.audit_entry (
    position       bigint   primary key,
    at_ms          bigint   not null,
    actor_kind     smallint not null,              -- 1 operator, 2 machine client
    actor_id       text     not null,
    actor_name     text     not null,              -- as it was then
    actor_phone    text     not null,              -- whole; lists mask it. '' for machines
    category       text     not null,
    action         text     not null,              -- the event's stored type
    target_id      text     not null,
    target_name    text     not null,              -- as it was after the event
    agent_id       bigint,
    area_id        bigint,
    client_address text     not null,
    trace_id       text     not null,
    request_id     text     not null,
    result         smallint not null,              -- 1 done, 2 refused, 3 failed
    before         jsonb    not null,              -- changed fields as they were
    after          jsonb    not null               -- changed fields as they are
);
-- Every list is newest first; each filter that narrows a lot has an index in that order.
create index audit_entry_newest on read.audit_entry (at_ms desc, position desc);
create index audit_entry_actor on read.audit_entry (actor_id, at_ms desc, position desc);
create index audit_entry_phone on read.audit_entry (actor_phone, at_ms desc, position desc) where actor_phone <> '';
create index audit_entry_category on read.audit_entry (category, at_ms desc, position desc);
create index audit_entry_action on read.audit_entry (action, at_ms desc, position desc);
create index audit_entry_target on read.audit_entry (target_id, at_ms desc, position desc);
create index audit_entry_agent on read.audit_entry (agent_id, at_ms desc, position desc);
create index audit_entry_failed on read.audit_entry (result, at_ms desc, position desc) where result <> 1;
create index audit_entry_trace on read.audit_entry (trace_id) where trace_id <> '';
select wheelhouse.guard_table('read.audit_entry');

create table read.audit_subject (
    key         text   primary key,                -- 'role/42'
    category    text   not null,
    target_id   text   not null,
    name        text   not null,
    phone       text   not null,                   -- of operators
    agent_id    bigint,
    area_id     bigint,
    version     bigint not null,                   -- events taken in
    position    bigint not null,                   -- of the last of them
    state       jsonb  not null                    -- what the next change is compared with
);
create index audit_subject_newest on read.audit_subject (category, position desc);
create index audit_subject_id on read.audit_subject (target_id);
select wheelhouse.guard_table('read.audit_subject');
