-- Cards that run now are found by when they end: most ended long ago, and whoever counted those that run read all of them.
create index card_holding_until on read.card_holding (until_at_ms)
    include (agent_id, area_id, kind, starts_at_ms, bought_at_ms, holding_id) where fate = 0;
