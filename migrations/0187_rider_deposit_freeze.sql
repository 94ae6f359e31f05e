-- Until when a rider's deposit is kept; null: until somebody lets it go.
alter table read.rider add column deposit_frozen_until_ms bigint;
-- Riders by what became of their deposits, and accounts that are frozen: few of all riders.
create index rider_deposit on read.rider (deposit_state, created_at_ms desc, rider_id desc);
create index rider_frozen on read.rider (created_at_ms desc, rider_id desc) where is_frozen;
