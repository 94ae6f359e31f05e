-- The log opens with what people did, among far more lines of machines.
create index audit_entry_people on read.audit_entry (at_ms desc, position desc) where actor_kind = 1;
create index audit_entry_people_of_agent on read.audit_entry (agent_id, at_ms desc, position desc) where actor_kind = 1;
