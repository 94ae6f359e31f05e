-- What the relay waits for that does not pass by itself; `wheelhouse doctor` shows it.
alter table log.relay add column failure text;
