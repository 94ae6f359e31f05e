-- What a bike's device was told, by time: an unlock has the number of its order, which may be older than it.
create index device_command_told on read.device_command (car_id, requested_at_ms desc, command_id desc);
