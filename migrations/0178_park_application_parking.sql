-- Which application a parking place was built for: asked when its drawing is thrown away.
create index park_application_parking on read.park_application (parking_id) where parking_id is not null;
