//! A device's talk (设备日志): what it was told and answered, what it reported, when it was away. Commands are the log's, reports
//! the stored telemetry's, and absences are what reports leave out; merged by time when they are asked for.

mod http;
mod read;
mod talk;

pub use http::routes;
