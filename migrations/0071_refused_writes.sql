-- Commands that were refused or failed. They leave no event (a refused command appends nothing to the log), so they lie
-- beside it, written once and never changed. Their positions are negative: the operator log shows both in one list.
create sequence log.refused_write_number;
grant usage on sequence log.refused_write_number to wheelhouse_app;

create table log.refused_write (
    position       bigint   primary key default -nextval('log.refused_write_number'),
    at_ms          bigint   not null,
    actor_kind     smallint not null,              -- 1 operator, 2 machine client
    actor_id       text     not null,
    actor_name     text     not null,
    actor_phone    text     not null,              -- whole; lists mask it. '' for machines
    agent_id       bigint,                         -- the actor's own, when he has just one
    area_id        bigint,
    target_id      text     not null default '',
    target_name    text     not null,              -- method and path
    status         smallint not null,              -- 200 a no of the rules, 403, 5xx a failure
    code           text     not null,
    reason         text     not null,              -- as the caller was told
    client_address text     not null,
    trace_id       text     not null
);
create index refused_write_newest on log.refused_write (at_ms desc, position desc);
create index refused_write_actor on log.refused_write (actor_id, at_ms desc, position desc);
create index refused_write_agent on log.refused_write (agent_id, at_ms desc, position desc);
create index refused_write_trace on log.refused_write (trace_id) where trace_id <> '';
select wheelhouse.guard_table('log.refused_write');
revoke insert, update, delete, truncate on log.refused_write from wheelhouse_projector;
grant insert on log.refused_write to wheelhouse_app;
create policy keep on log.refused_write for insert to wheelhouse_app with check (true);
create trigger append_only before update or delete or truncate on log.refused_write
    for each statement execute function log.refuse_change();

-- What is in the log was done: that needs no column.
alter table read.audit_entry drop column result;
