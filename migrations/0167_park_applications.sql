-- Station applications (站点申请). Whole phones stand here to be looked for; lists show them masked. Whoever is forgotten is
-- rebuilt away.
create table read.park_application (
    application_id  bigint           primary key,
    area_id         bigint           not null,
    agent_id        bigint           not null,
    state           smallint         not null,     -- 0 pending, 1 accepted, 2 rejected, 3 built
    location        text             not null,
    lat             double precision not null,     -- WGS-84
    lng             double precision not null,
    user_pin        text             not null,     -- the rider
    phone           text             not null,     -- empty once he was forgotten
    applicant_phone text             not null,     -- masked
    remark          text             not null,
    photo_ids       bigint[]         not null,
    votes           integer          not null,     -- his own included
    voters          jsonb            not null,     -- [{userPin, phone (masked), remark, votedAt}], at most 500
    reviewer        text             not null,     -- who decided last
    review_remark   text             not null,
    deal_at_ms      bigint,
    parking_id      bigint,
    created_at_ms   bigint           not null,
    updated_at_ms   bigint           not null,
    version         bigint           not null
);
create index park_application_newest on read.park_application (created_at_ms desc, application_id desc);
create index park_application_area on read.park_application (area_id, created_at_ms desc, application_id desc);
create index park_application_agent on read.park_application (agent_id, created_at_ms desc, application_id desc);
-- Those that gather votes, by place.
create index park_application_open on read.park_application (lat, lng) where state in (0, 1);
select wheelhouse.guard_table('read.park_application');
