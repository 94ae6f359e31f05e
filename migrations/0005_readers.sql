-- Everyone who reads the log in order keeps his place here, in the transaction that stores what he made of it.
create table log.projectors (
    name       text        primary key,
    version    integer     not null,             -- of its tables and rules; another one means: rebuild
    position   bigint      not null default 0,   -- everything up to here is in its tables
    state      text        not null default 'running' check (state in ('running', 'stopped')),
    failure    text,                             -- why it stopped
    moved_at   timestamptz not null default now(),  -- last progress
    beat_at    timestamptz not null default now(),  -- last sign of life, which is not progress
    leader     text
);

create table log.reactors (
    name       text        primary key,
    position   bigint      not null default 0,
    failure    text,                             -- what it waits for
    moved_at   timestamptz not null default now(),
    beat_at    timestamptz not null default now(),
    leader     text
);

-- Streams that a projector or reactor could not go on with. Their later events wait here with them.
create table log.parked (
    reader     text        not null,             -- 'projector:role', 'reactor:card'
    category   text        not null,
    stream_id  text        not null,
    position   bigint      not null,             -- the event that failed
    failure    text        not null,
    parked_at  timestamptz not null default now(),
    attempts   integer     not null default 1,
    primary key (reader, category, stream_id)
);

-- How far the relay got, as NATS acknowledged it.
create table log.relay (
    only_one boolean     primary key default true check (only_one),
    position bigint      not null default 0,
    moved_at timestamptz not null default now(),
    leader   text
);
insert into log.relay default values;

-- Signed states of the log: whoever removes its tail or writes the chain anew is found.
create table log.checkpoints (
    position   bigint      primary key,          -- the last event it covers
    first      bigint      not null,             -- the first event after the checkpoint before it
    chain      bytea       not null,             -- the chain at position
    root       bytea       not null,             -- Merkle root over the leaves of first..position
    signed_at  timestamptz not null,
    key_id     bytea       not null,             -- the public key's first 8 bytes
    signature  bytea       not null              -- Ed25519
);

grant select on log.projectors, log.reactors, log.parked, log.relay, log.checkpoints to wheelhouse_app;
grant select, insert, update, delete on log.projectors, log.reactors, log.parked, log.relay to wheelhouse_projector;
grant select, insert on log.checkpoints to wheelhouse_projector;
