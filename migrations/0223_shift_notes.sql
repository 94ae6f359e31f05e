-- Hand-over notes (交接班记录): what one shift tells the next.
create table read.shift_note (
    note_id            bigint   primary key,
    agent_id           bigint,              -- null: the platform's
    operator_id        bigint   not null,   -- who wrote it
    by_name            text     not null,
    content            text     not null,
    bikes              text[]   not null,   -- numbers, as chosen
    written_at_ms      bigint   not null,
    acknowledged_at_ms bigint,
    acknowledged_by    text     not null,   -- empty until somebody did
    position           bigint   not null    -- of the event that changed it last
);
create index shift_note_newest on read.shift_note (written_at_ms desc, note_id desc);
create index shift_note_agent on read.shift_note (agent_id, written_at_ms desc, note_id desc);
-- Those that nobody has acknowledged are few beside those that were.
create index shift_note_open on read.shift_note (written_at_ms desc, note_id desc) include (agent_id, operator_id)
    where acknowledged_at_ms is null;
select wheelhouse.guard_table('read.shift_note');
