-- A page of cards is found in an index, whatever is asked for beside its order: who counts or passes over many reads no rows.
drop index read.card_holding_newest;
drop index read.card_holding_agent;
drop index read.card_holding_area;
drop index read.card_holding_product;
create index card_holding_newest on read.card_holding (bought_at_ms desc, holding_id desc)
    include (agent_id, area_id, kind, fate, starts_at_ms, until_at_ms);
create index card_holding_agent on read.card_holding (agent_id, bought_at_ms desc, holding_id desc)
    include (area_id, kind, fate, starts_at_ms, until_at_ms);
create index card_holding_area on read.card_holding (area_id, bought_at_ms desc, holding_id desc)
    include (agent_id, kind, fate, starts_at_ms, until_at_ms);
create index card_holding_product on read.card_holding (product_id, bought_at_ms desc, holding_id desc)
    include (agent_id, area_id, kind, fate, starts_at_ms, until_at_ms);
create index card_holding_kind on read.card_holding (kind, bought_at_ms desc, holding_id desc)
    include (agent_id, area_id, fate, starts_at_ms, until_at_ms);
