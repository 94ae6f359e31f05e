-- Walls ask every few seconds for the hours of a day of revenue: they are added up in an index alone.
create index revenue_entry_hours on read.revenue_entry (day, agent_id, area_id)
    include (at_ms, due_cents, received_cents, refund_cents, revenue_cents);
