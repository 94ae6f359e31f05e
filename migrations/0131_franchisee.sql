-- The read model of franchisees (加盟商) has the field's name. Categories and types of stored events stay as they are.
alter table read.ally rename to franchisee;
alter table read.franchisee rename column ally_id to franchisee_id;
alter index read.ally_newest rename to franchisee_newest;
alter index read.ally_areas rename to franchisee_areas;
alter index read.ally_running_out rename to franchisee_running_out;
alter table read.franchisee rename constraint ally_pkey to franchisee_pkey;
update log.projectors set name = 'franchisee' where name = 'ally';
update log.parked set reader = 'projector:franchisee' where reader = 'projector:ally';
