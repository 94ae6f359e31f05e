-- How a card ended before its time, if it did; the numbers are those of its state. Few did, and are found by it.
alter table read.card_holding add column fate smallint not null generated always as
    (case when refunded_at_ms is not null then 3 when used_times >= total_times then 4 else 0 end) stored;
create index card_holding_fate on read.card_holding (fate, bought_at_ms desc, holding_id desc)
    include (agent_id, area_id, until_at_ms) where fate > 0;
-- Those that have not begun follow one that still runs: few too.
create index card_holding_starts on read.card_holding (starts_at_ms) where fate = 0;
