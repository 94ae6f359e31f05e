-- The log. One head gives the positions under its lock, so that positions have no gaps and a higher one was committed
-- later: whoever has seen position n has seen everything up to n.
create table log.log_head (
    only_one boolean primary key default true check (only_one),
    position bigint not null check (position >= 0),             -- the last one given
    chain    bytea  not null check (length(chain) = 32)         -- the last link
) with (fillfactor = 10);
insert into log.log_head (position, chain) values (0, decode(repeat('00', 32), 'hex'));

create table log.events (
    position       bigint      primary key,
    category       text        not null,                        -- 'role'
    stream_id      text        not null,                        -- '42'
    version        bigint      not null check (version > 0),    -- 1, 2, 3 … within the stream
    type           text        not null,                        -- 'role.disabled'
    schema_version smallint    not null,                        -- of data
    data           text        not null,                        -- JSON as written; jsonb would reorder it
    meta           text        not null,                        -- JSON: actor, territory, trace, causation, address, request
    recorded_at    timestamptz not null,                        -- to the millisecond
    chain          bytea       not null,                        -- SHA-256(previous chain ‖ leaf of this event)
    constraint events_stream_version_key unique (category, stream_id, version)
);

-- Keys that are taken: `phone:138…`, `role-name:2:客服`.
create table log.claims (
    key       text primary key,
    category  text not null,
    stream_id text not null
);

-- Commands that were done, by the name their sender gave them, with the answer to give again.
create table log.requests (
    actor       text        not null,
    request_id  text        not null,
    fingerprint bytea       not null,
    reply       text        not null,
    position    bigint      not null,
    version     bigint      not null,
    recorded_at timestamptz not null,
    primary key (actor, request_id)
);
create index requests_recorded_at on log.requests using brin (recorded_at);

-- The last batch of each writer and what became of it: a writer that lost its connection while a commit was in flight
-- sends the same batch again and gets the same outcome, applied once.
create table log.writers (
    writer   text        primary key,
    batch    bigint      not null,
    outcomes smallint[]  not null,
    ats      bigint[]    not null,
    versions bigint[]    not null,
    details  text[]      not null,
    at       timestamptz not null
) with (fillfactor = 50);

-- What is written stays written. Privileges refuse every role but the owner; this refuses the owner's slips too.
-- Maintenance by the owner says `set wheelhouse.maintenance = 'on'` first, and the chain shows what it did.
create function log.refuse_change() returns trigger language plpgsql as $$
begin
    if current_setting('wheelhouse.maintenance', true) is distinct from 'on' then
        raise exception 'the event log is append-only: % refused', lower(tg_op) using errcode = 'insufficient_privilege';
    end if;
    return null;
end $$;
create trigger append_only before update or delete or truncate on log.events
    for each statement execute function log.refuse_change();

grant select on log.log_head, log.events, log.claims, log.requests to wheelhouse_app, wheelhouse_projector;
