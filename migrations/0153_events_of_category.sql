-- A projector that lags or is rebuilt reads its own categories alone, however full of others the log is.
create index events_category_position on log.events (category, position);
