-- The fleet as it was (docs/adr/0058): a chapter begins with the whole fleet, frames after it hold what changed. Seven days.
create table live.past_chapter (
    at_ms    bigint primary key,
    until_ms bigint not null                       -- its last frame
);
grant select on live.past_chapter
    to wheelhouse_app, wheelhouse_sees_all, wheelhouse_sees_agents, wheelhouse_sees_areas;

create table live.past_frame (
    at_ms    bigint not null,
    agent_id bigint not null,
    area_id  bigint not null,
    bikes    bytea  not null,                      -- records of docs/push.md, with live.vehicle's numbers in the place of slots
    primary key (at_ms, agent_id, area_id)
);
create index past_frame_agent on live.past_frame (agent_id, at_ms);
-- Packed bytes do not become fewer.
alter table live.past_frame alter column bikes set storage external;
select wheelhouse.guard_table('live.past_frame');
revoke truncate on live.past_frame from wheelhouse_projector;
