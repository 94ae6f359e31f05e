-- Cases of riders: certifications (职业认证), rebindings (实名换绑), the blacklist (黑名单). Whole phones and names stand here to be
-- looked for; lists show them masked. Whoever is forgotten is rebuilt away.
create table read.certification (
    certification_id bigint   primary key,
    rider_id         bigint   not null,
    agent_id         bigint   not null,
    area_id          bigint   not null,
    kind             smallint not null,                -- 1 student … 6 other
    state            smallint not null,                -- 0 pending, 1 passed, 2 failed, 3 cancelled
    phone            text     not null,                -- empty once he was forgotten
    phone_masked     text     not null,
    name             text     not null,
    name_masked      text     not null,
    organisation     text     not null,
    cert_no_masked   text     not null,
    photo_ids        bigint[] not null,                -- empty once they were deleted
    photos_gone      boolean  not null,
    reviewer         text     not null,
    reason           text     not null,
    valid_until_ms   bigint,
    deal_at_ms       bigint,
    created_at_ms    bigint   not null,
    updated_at_ms    bigint   not null,
    version          bigint   not null
);
create index certification_newest on read.certification (created_at_ms desc, certification_id desc);
create index certification_agent on read.certification (agent_id, created_at_ms desc, certification_id desc);
create index certification_area on read.certification (area_id, created_at_ms desc, certification_id desc);
-- Those that wait, the oldest first; and those whose photos are to go.
create index certification_waiting on read.certification (created_at_ms, certification_id) where state = 0;
create index certification_photos on read.certification (deal_at_ms) where not photos_gone;
select wheelhouse.guard_table('read.certification');

create table read.rebinding (
    rebinding_id     bigint   primary key,
    rider_id         bigint   not null,
    agent_id         bigint   not null,
    area_id          bigint   not null,
    kind             smallint not null,                -- 1 phone, 2 identity
    state            smallint not null,                -- 0 pending, 1 passed, 2 failed, 3 cancelled
    phone            text     not null,                -- his phone of then; empty once he was forgotten
    phone_masked     text     not null,
    name             text     not null,
    name_masked      text     not null,
    id_no_masked     text     not null,
    wanted_phone     text     not null,                -- empty where it is not about the phone
    wanted_phone_masked text  not null,
    wanted_name_masked text   not null,
    wanted_id_no_masked text  not null,
    photo_ids        bigint[] not null,                -- empty once they were deleted
    photos_gone      boolean  not null,
    reviewer         text     not null,
    reason           text     not null,
    deal_at_ms       bigint,
    created_at_ms    bigint   not null,
    updated_at_ms    bigint   not null,
    version          bigint   not null
);
create index rebinding_newest on read.rebinding (created_at_ms desc, rebinding_id desc);
create index rebinding_agent on read.rebinding (agent_id, created_at_ms desc, rebinding_id desc);
create index rebinding_area on read.rebinding (area_id, created_at_ms desc, rebinding_id desc);
create index rebinding_waiting on read.rebinding (created_at_ms, rebinding_id) where state = 0;
create index rebinding_photos on read.rebinding (deal_at_ms) where not photos_gone;
select wheelhouse.guard_table('read.rebinding');

-- An entry is its area's, its agent's or the platform's, as far as it reaches.
create table read.blacklist_entry (
    entry_id         bigint   primary key,
    rider_id         bigint   not null,
    agent_id         bigint,                           -- null: of the platform
    area_id          bigint,                           -- null: of the agent as a whole
    rider_agent_id   bigint   not null,                -- whose rider he is
    rider_area_id    bigint   not null,
    accounts         bigint   not null,                -- riders that it holds against
    scope            smallint not null,                -- 1 area, 2 agent, 3 platform
    kind             smallint not null,                -- 1 by hand, 2 by the system, 3 reported
    state            smallint not null,                -- 0 lifted, 1 holding, 2 over
    phone            text     not null,                -- empty once he was forgotten
    phone_masked     text     not null,
    name             text     not null,
    name_masked      text     not null,
    reason           text     not null,
    added_by         text     not null,
    lifted_by        text     not null,
    lift_reason      text     not null,
    photo_ids        bigint[] not null,
    until_at_ms      bigint,                           -- null: for good
    closed_at_ms     bigint,
    created_at_ms    bigint   not null,
    updated_at_ms    bigint   not null,
    version          bigint   not null
);
create index blacklist_entry_newest on read.blacklist_entry (created_at_ms desc, entry_id desc);
create index blacklist_entry_agent on read.blacklist_entry (agent_id, created_at_ms desc, entry_id desc);
create index blacklist_entry_rider on read.blacklist_entry (rider_id);
create index blacklist_entry_holding on read.blacklist_entry (until_at_ms) where state = 1;
select wheelhouse.guard_table('read.blacklist_entry');
