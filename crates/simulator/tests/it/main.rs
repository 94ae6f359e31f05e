//! What the simulator promises, tested from outside.

mod city;
mod real_data;
mod recordings;
mod world;
