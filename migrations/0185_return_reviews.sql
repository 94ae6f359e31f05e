-- Return reviews (还车审核): what was seen of a return, why its rider asks, what was decided.
create table read.return_review (
    review_id         bigint           primary key,
    order_id          bigint           not null,
    rider_id          bigint           not null,
    car_id            text             not null,
    agent_id          bigint           not null,
    area_id           bigint           not null,
    state             smallint         not null,     -- 0 pending, 1 passed, 2 failed
    source            smallint         not null,     -- 1 the rider, 2 let off by a picture, 3 the system
    reason            smallint,                      -- why the rider asks
    class             smallint         not null,     -- where the bike was left
    ai_result         smallint         not null,     -- what its picture was taken for
    certainty_percent smallint         not null,
    parking_m         double precision,              -- metres to the nearest parking place
    apply_cents       bigint           not null,     -- at stake
    lat               double precision,              -- of the phone as its rider asks, WGS-84
    lng               double precision,
    photo_ids         bigint[]         not null,
    seen              jsonb            not null,     -- the evidence as it was
    impunity_left     smallint,                      -- times that the rider may still be let off
    remark            text             not null,
    reviewer          text             not null,
    timed_out         boolean          not null,     -- passed because nobody decided
    ended_at_ms       bigint           not null,
    opened_at_ms      bigint           not null,
    due_at_ms         bigint           not null,
    decided_at_ms     bigint,
    updated_at_ms     bigint           not null,
    version           bigint           not null
);
create index return_review_newest on read.return_review (opened_at_ms desc, review_id desc);
create index return_review_agent on read.return_review (agent_id, opened_at_ms desc, review_id desc);
create index return_review_area on read.return_review (area_id, opened_at_ms desc, review_id desc);
create index return_review_state on read.return_review (state, opened_at_ms desc, review_id desc);
-- What waits: the oldest first, for people and for the clock.
create index return_review_waiting on read.return_review (opened_at_ms, review_id) where state = 0;
create index return_review_rider on read.return_review (rider_id, opened_at_ms desc);
create index return_review_order on read.return_review (order_id);
create index return_review_car on read.return_review (car_id, opened_at_ms desc);
select wheelhouse.guard_table('read.return_review');
