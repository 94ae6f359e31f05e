-- What days of revenue are made of grows by two rows for each ride, and missed orders by what riders try: each index holds what
-- else may be asked for, as those of orders do (migrations/0196).
drop index read.revenue_entry_newest, read.revenue_entry_agent, read.revenue_entry_area;
create index revenue_entry_newest on read.revenue_entry (day desc, position desc)
    include (what, is_late, is_of_earlier, agent_id, area_id);
create index revenue_entry_agent on read.revenue_entry (agent_id, day desc, position desc)
    include (what, is_late, is_of_earlier, area_id);
create index revenue_entry_area on read.revenue_entry (area_id, day desc, position desc)
    include (what, is_late, is_of_earlier, agent_id);
create index revenue_entry_what on read.revenue_entry (what, day desc, position desc)
    include (is_late, is_of_earlier, agent_id, area_id);
create index revenue_entry_agent_what on read.revenue_entry (agent_id, what, day desc, position desc)
    include (is_late, is_of_earlier, area_id);
-- Few are late, or about rides of earlier days.
create index revenue_entry_late on read.revenue_entry (day desc, position desc)
    include (what, is_of_earlier, agent_id, area_id) where is_late;
create index revenue_entry_earlier on read.revenue_entry (day desc, position desc)
    include (what, is_late, agent_id, area_id) where is_of_earlier;

drop index report.miss_newest, report.miss_agent, report.miss_area;
create index miss_newest on report.miss (at_ms desc, miss_id desc) include (reason, act, parking_id, agent_id, area_id);
create index miss_agent on report.miss (agent_id, at_ms desc, miss_id desc) include (reason, act, parking_id, area_id);
create index miss_area on report.miss (area_id, at_ms desc, miss_id desc) include (reason, act, parking_id, agent_id);
create index miss_reason on report.miss (reason, at_ms desc, miss_id desc) include (act, parking_id, agent_id, area_id);
create index miss_parking on report.miss (parking_id, at_ms desc, miss_id desc) include (reason, act, agent_id, area_id)
    where parking_id is not null;
