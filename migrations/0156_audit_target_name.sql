-- The operator log looks for a target by its id or by how its name begins.
create index audit_entry_target_name on read.audit_entry (target_name text_pattern_ops);
create index refused_write_target on log.refused_write (target_id, at_ms desc, position desc) where target_id <> '';
create index refused_write_target_name on log.refused_write (target_name text_pattern_ops);
