-- Franchisers (加盟商). Whole names and phones are in the log alone, sealed: this table holds what lists show of them.
create table read.ally (
    ally_id       bigint   primary key,
    agent_id      bigint   not null,
    company       text     not null,
    license_no    text     not null,               -- empty until it is known
    contact       text     not null,               -- masked, as the two below
    phone         text     not null,
    legal_person  text     not null,
    area_ids      bigint[] not null,
    joined_on     date,
    contract_end  date,                            -- its last day
    deposit_cents bigint   not null,
    ratio_bp      integer  not null,               -- share, ten-thousandths; 0: not agreed yet
    remark        text     not null,
    state         smallint not null,               -- 0 negotiating, 1 cooperating, 2 expired, 3 terminated
    ended_reason  text     not null,
    created_at_ms bigint   not null,
    updated_at_ms bigint   not null,
    revision      bigint   not null                -- what an editor names to be told of others' changes
);
create index ally_newest on read.ally (created_at_ms desc, ally_id desc);
create index ally_areas on read.ally using gin (area_ids);
create index ally_running_out on read.ally (contract_end) where state = 1;
select wheelhouse.guard_table('read.ally');

-- What riders are told while an area is suspended.
alter table read.area add column notice text not null default '';
create index area_newest on read.area (created_at_ms desc, area_id desc);
