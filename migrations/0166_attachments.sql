-- Photos and documents that cases hold. The files themselves lie in a store outside of the database; this says whose each is,
-- to whose data its case belongs, and what a photo tells of where and when it was taken. What no case holds after a day is
-- deleted: a case holds a file by the claim `attachment:<id>` in the log.
create schema attachment;
grant usage on schema attachment
    to wheelhouse_app, wheelhouse_projector, wheelhouse_sees_all, wheelhouse_sees_agents, wheelhouse_sees_areas;

create table attachment.attachment (
    attachment_id bigint           primary key,
    subject       text             not null,       -- whose it is, such as 'rider:42': it goes when that one is forgotten
    uploader      text             not null,       -- who brought it, such as 'machine:7'
    agent_id      bigint,                          -- whose data its case is; null as long as it has none
    area_id       bigint,
    kind          smallint         not null,       -- 1 JPEG, 2 PNG, 3 WebP, 4 PDF
    size_bytes    bigint           not null,       -- of the original
    sha256        bytea            not null check (length(sha256) = 32),
    lat           double precision,                -- where the photo says it was taken, WGS-84
    lng           double precision,
    taken_at_ms   bigint,                          -- when it says so
    held          boolean          not null default false,  -- a case was seen to hold it
    created_at_ms bigint           not null
);
create index attachment_subject on attachment.attachment (subject, created_at_ms);
create index attachment_uploader on attachment.attachment (uploader, created_at_ms);
create index attachment_loose on attachment.attachment (created_at_ms) where not held;
select wheelhouse.guard_table('attachment.attachment');
revoke truncate on attachment.attachment from wheelhouse_projector;
