-- What an agent's people ask of the operator log by act or by kind of thing: without these the counts read, for an agent with much,
-- the lines of all agents.
create index audit_entry_agent_action on read.audit_entry (agent_id, action, at_ms desc, position desc);
create index audit_entry_agent_category on read.audit_entry (agent_id, category, at_ms desc, position desc);
