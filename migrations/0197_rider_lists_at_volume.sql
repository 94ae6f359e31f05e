-- Lists of riders and of their cases over a million riders: what few have is found by an index of its own.
--   paths: a bit for each path of his own that lets a rider ride, by its number (骑行资格)
alter table read.rider add column paths smallint not null generated always as
    ((qualified ? '0')::int + 2 * (qualified ? '1')::int + 4 * (qualified ? '2')::int + 8 * (qualified ? '3')::int
     + 16 * (qualified ? '4')::int + 32 * (qualified ? '5')::int) stored;
drop index read.rider_deposit, read.rider_frozen;
create index rider_paths on read.rider (paths, created_at_ms desc, rider_id desc) include (agent_id, area_id);
create index rider_frozen on read.rider (created_at_ms desc, rider_id desc) include (agent_id, area_id) where is_frozen;
create index rider_closed on read.rider (created_at_ms desc, rider_id desc) include (agent_id, area_id) where is_closed;
create index rider_listed on read.rider (created_at_ms desc, rider_id desc) include (agent_id, area_id)
    where blacklisted <> '{}';
create index rider_unverified on read.rider (created_at_ms desc, rider_id desc) include (agent_id, area_id)
    where not is_verified;
create index rider_deposit on read.rider (deposit_state, created_at_ms desc, rider_id desc) include (agent_id, area_id);
