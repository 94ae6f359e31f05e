-- The audit trail holds what people did. What machine clients did is seen in the history of each thing, which is folded
-- from its stream in the log; so is what a thing was before somebody changed it. The read model is built anew by its new
-- rules; until then nothing of machines is shown as if people had done it.
delete from read.audit_entry where actor_kind <> 1;
drop index read.audit_entry_people;
drop index read.audit_entry_people_of_agent;
alter table read.audit_entry drop column actor_kind;

-- What a thing is called, and whose it is.
alter table read.audit_subject drop column state, drop column version;
