-- What one person asked for and a second one decides (复核). What is to be done itself stands in the log alone.
create table read.approval (
    approval_id      bigint   primary key,
    kind             text     not null,            -- of the deed, such as agent.disable
    subject_category text     not null,
    subject_id       text     not null,
    summary          text     not null,
    amount_cents     bigint   not null,            -- 0 where the deed has none
    codes            text[]   not null,            -- of which who decides needs one
    reason           text     not null,
    agent_id         bigint,                       -- null: the platform's own
    area_id          bigint,                       -- null: the agent's as a whole
    state            smallint not null,            -- 0 waiting, 1 approved, 2 rejected, 3 withdrawn, 4 expired
    requester        bigint   not null,
    requester_name   text     not null,            -- empty once he was forgotten
    decider          bigint,
    decider_name     text     not null,
    decision_reason  text     not null,
    requested_at_ms  bigint   not null,
    expires_at_ms    bigint   not null,
    decided_at_ms    bigint,
    version          bigint   not null
);
create index approval_newest on read.approval (requested_at_ms desc, approval_id desc);
create index approval_agent on read.approval (agent_id, requested_at_ms desc, approval_id desc);
create index approval_requester on read.approval (requester, requested_at_ms desc, approval_id desc);
-- Those that wait: few, and looked through for the badge of everybody.
create index approval_waiting on read.approval (expires_at_ms) where state = 0;
select wheelhouse.guard_table('read.approval');
